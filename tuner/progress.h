/*
 * progress.h - what a person sees on stderr while a run goes on: one line redrawn on a terminal, now and then
 * a plain line elsewhere.
 */
#ifndef AUTOTUNE_PROGRESS_H
#define AUTOTUNE_PROGRESS_H

#include "tune.h"

typedef struct at__display {
    bool quiet, verbose, terminal;
    bool drawn;    /* a line is on the screen              */
    double last_s; /* when something was last written      */
    int problem;   /* of the last plain line; -1 none      */
    at__phase phase;
} at__display;

void at__display_init(at__display *display, bool quiet, bool verbose);
void at__display_show(at__display *display, const at__progress *progress);
void at__display_erase(at__display *display); /* before anything else is printed */

/* The line itself, at most `width` columns; pure. */
void at__progress_line(at__str *out, const at__progress *progress, int width);

#endif
