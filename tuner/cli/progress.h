/*
 * progress.h - what a person sees on stderr while a run goes on: one line redrawn on a terminal, now and then
 * a plain line elsewhere.
 */
#ifndef AUTOTUNE_PROGRESS_H
#define AUTOTUNE_PROGRESS_H

#include "tune/tune.h"

/* Devices with a state of their own; further ones share it. */
#define ATX_DISPLAY_DEVICES 16

typedef struct atx_display {
    bool quiet, verbose, terminal;
    bool drawn;       /* a line is on the screen                            */
    double last_s;    /* when something was last written                    */
    int shown;        /* on a terminal: the device whose turn it is; -1 none */
    double turn_s;    /* since when                                         */
    struct atx_seen { /* what was last written of each device               */
        int problem;  /* index + 1; 0 none                                  */
        atx_phase phase;
    } seen[ATX_DISPLAY_DEVICES];
} atx_display;

void atx_display_init(atx_display *display, bool quiet, bool verbose);
void atx_display_show(atx_display *display, const atx_progress *progress);

/*
 * Whether a line is due at `now_s`, and notes that it is written then; pure. A terminal is redrawn ten times
 * a second at most, and devices take turns of a few seconds. Elsewhere: when a problem starts, and every half
 * minute; verbose: also when its phase changes, and every other second.
 */
bool atx_display_due(atx_display *display, const atx_progress *progress, double now_s);
void atx_display_erase(atx_display *display); /* before anything else is printed */

/* The line itself, at most `width` columns; pure. */
void atx_progress_line(atx_str *out, const atx_progress *progress, int width);

#endif
