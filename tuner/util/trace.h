/*
 * trace.h - where the time of a run went, as a file that chrome://tracing and https://ui.perfetto.dev show.
 *
 * The format is Chrome's trace events (JSON array; an array without its end is valid, so that a file of a
 * killed run can be read). Thread-safe; every function does nothing when the trace is NULL.
 */
#pragma once

#include "util/fail.h"
#include <stdint.h>

typedef struct atx_trace atx_trace;

/* Replaces the file. AT_ERR_SYSTEM: it cannot be written. */
at_status atx_trace_open(atx_trace **out, const char *path, at_error *err) AT_MUST_CHECK;

/* AT_ERR_SYSTEM when something could not be written since it was opened (a full disk). */
at_status atx_trace_close(atx_trace *trace, at_error *err) AT_MUST_CHECK;

/* Tracks: rows of the picture. `device` tells the sessions of several GPUs apart; `worker` is 0 but for
 * compilers. */
typedef enum atx_track { ATX_TRACK_DEVICE, ATX_TRACK_STORE, ATX_TRACK_COMPILER } atx_track;

typedef struct atx_trace_row {
    atx_track track;
    int device, worker;
} atx_trace_row;

/* Something that lasted, in seconds of atx_now_s(). `detail` may be "". */
void atx_trace_span(atx_trace *trace, atx_trace_row row, const char *name, const char *detail, double start_s,
                    double end_s);

/* A number that changes over time, from now on. */
void atx_trace_count(atx_trace *trace, int device, const char *name, int64_t value);
