/*
 * plot.h - points on two axes, as SVG within the page; a point tells what it is when the mouse rests on it.
 */
#ifndef AUTOTUNE_HTML_PLOT_H
#define AUTOTUNE_HTML_PLOT_H

#include "util/str.h"

typedef struct at__point {
    double x, y;
    int hue;          /* degrees on the wheel of colours                     */
    const char *kind; /* borrowed; in front of `what`                        */
    const char *what; /* borrowed; NULL: says nothing                        */
} at__point;

typedef struct at__axis {
    const char *label;
    bool logarithmic;
    double low, high; /* both 0: from the points */
} at__axis;

typedef struct at__plot {
    const char *caption;
    at__axis x, y;
    int width, height; /* pixels */
    const at__point *points;
    size_t count;
    bool running_best; /* a line of the least y so far, in the order of x: points must be sorted by x */
} at__plot;

/* Nothing is drawn without points. Points that an axis cannot show (not finite, or not positive on a
 * logarithmic one) are left out. */
void at__plot_add(at__str *out, const at__plot *plot);

/* The colour of the n-th of many kinds: far from its neighbours'. */
int at__hue_of(size_t n);

#endif
