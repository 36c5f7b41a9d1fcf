/*
 * progress.h - what a person sees on stderr while a run goes on: one line redrawn on a terminal, now and then
 * a plain line elsewhere.
 */
#ifndef AUTOTUNE_PROGRESS_H
#define AUTOTUNE_PROGRESS_H

#include "tune/tune.h"

/* Devices with a state of their own; further ones share it. */
#define AT__DISPLAY_DEVICES 16

typedef struct at__display {
    bool quiet, verbose, terminal;
    bool drawn;       /* a line is on the screen                            */
    double last_s;    /* when something was last written                    */
    int shown;        /* on a terminal: the device whose turn it is; -1 none */
    double turn_s;    /* since when                                         */
    struct at__seen { /* what was last written of each device               */
        int problem;  /* index + 1; 0 none                                  */
        at__phase phase;
    } seen[AT__DISPLAY_DEVICES];
} at__display;

void at__display_init(at__display *display, bool quiet, bool verbose);
void at__display_show(at__display *display, const at__progress *progress);

/*
 * Whether a line is due at `now_s`, and notes that it is written then; pure. A terminal is redrawn ten times
 * a second at most, and devices take turns of a few seconds. Elsewhere: when a problem starts, and every half
 * minute; verbose: also when its phase changes, and every other second.
 */
bool at__display_due(at__display *display, const at__progress *progress, double now_s);
void at__display_erase(at__display *display); /* before anything else is printed */

/* The line itself, at most `width` columns; pure. */
void at__progress_line(at__str *out, const at__progress *progress, int width);

#endif
