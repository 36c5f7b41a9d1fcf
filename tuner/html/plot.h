/*
 * plot.h - points on two axes, as SVG within the page; a point tells what it is when the mouse rests on it.
 */
#pragma once

#include "util/str.h"

typedef struct atx_point {
    double x, y;
    int hue;          /* degrees on the wheel of colours                     */
    const char *kind; /* borrowed; in front of `what`, and in the legend; NULL: none */
    const char *what; /* borrowed; NULL: says nothing                        */
} atx_point;

typedef struct atx_axis {
    const char *label;
    bool logarithmic;
    double low, high; /* both 0: from the points */
} atx_axis;

typedef struct atx_plot {
    const char *caption;
    atx_axis x, y;
    int width, height; /* pixels */
    const atx_point *points;
    size_t count;
    const bool *ringed; /* of each point; NULL: none has a ring */
    bool running_best;  /* a line of the least y so far, in the order of x: points must be sorted by x */
} atx_plot;

/* Nothing is drawn without points. Points that an axis cannot show (not finite, or not positive on a
 * logarithmic one) are left out. */
void atx_plot_add(atx_str *out, const atx_plot *plot);

/* A coloured dot and what it stands for. */
void atx_html_key(atx_str *out, int hue, const char *name);

/* The colour of the n-th of many kinds: far from its neighbours'. */
int atx_hue_of(size_t n);
