/*
 * progress.h - progress on stderr during a run: one line, redrawn, on a terminal; elsewhere only the lines of
 * --verbose.
 */
#pragma once

#include "tune/tune.h"

/* Devices with a state of their own; further ones share it. */
#define ATX_DISPLAY_DEVICES 16

/* How the list of problems goes on. */
typedef struct atx_list_time {
    int finished, measured; /* problems; measured: that were not known before */
    double began_s, last_s; /* when the list began, and the last of these ended */
} atx_list_time;

typedef struct atx_display {
    bool quiet, verbose, terminal;
    atx_list_time list;
    bool drawn;       /* a line is on the screen                            */
    double last_s;    /* when something was last written                    */
    int shown;        /* on a terminal: the device whose turn it is; -1 none */
    double turn_s;    /* since when                                         */
    struct atx_seen { /* the last line of each device                       */
        int problem;  /* index + 1; 0 none                                  */
        atx_phase phase;
    } seen[ATX_DISPLAY_DEVICES];
} atx_display;

void atx_display_init(atx_display *display, bool quiet, bool verbose);
void atx_display_show(atx_display *display, const atx_progress *progress);

/* A problem has its result, at this time; one that was known before says nothing of the others. */
void atx_display_finished(atx_display *display, bool measured, double now_s);

/*
 * Seconds until all problems have their results, by the pace of those that do; before there is one, as if all
 * took as long as this one. Below zero: unknown. Pure.
 */
double atx_display_list_left(const atx_display *display, const atx_progress *progress, double now_s);

/*
 * Whether a line is due at `now_s`, and notes that it is written then; pure. A terminal is redrawn ten times
 * a second at most, and devices take turns of a few seconds. Elsewhere there are only the results; verbose:
 * also a line when a problem starts, when its phase changes, and every other second.
 */
bool atx_display_due(atx_display *display, const atx_progress *progress, double now_s);
void atx_display_erase(atx_display *display); /* before anything else is printed */

/* The line itself, at most `width` columns (0: no limit); list_left_s below zero: unknown. Pure. */
void atx_progress_line(atx_str *out, const atx_progress *progress, double list_left_s, size_t width);
