/*
 * trace.h - where the time of a run went, as a file that chrome://tracing and https://ui.perfetto.dev show.
 *
 * The format is Chrome's trace events (JSON array; an array without its end is valid, so that a file of a
 * killed run can be read). Thread-safe; every function does nothing when the trace is NULL.
 */
#ifndef AUTOTUNE_TRACE_H
#define AUTOTUNE_TRACE_H

#include <autotune/status.h>
#include <stdint.h>

typedef struct at__trace at__trace;

/* Replaces the file. AT_ERR_SYSTEM: it cannot be written. */
at_status at__trace_open(at__trace **out, const char *path, at_error *err) AT_MUST_CHECK;

/* AT_ERR_SYSTEM when something could not be written since it was opened (a full disk). */
at_status at__trace_close(at__trace *trace, at_error *err) AT_MUST_CHECK;

/* Tracks: rows of the picture. `device` tells the sessions of several GPUs apart; `worker` is 0 but for
 * compilers. */
typedef enum at__track { AT__TRACK_DEVICE, AT__TRACK_STORE, AT__TRACK_COMPILER } at__track;

/* Something that lasted, in seconds of at__now_s(). `detail` may be "". */
void at__trace_span(at__trace *trace, at__track track, int device, int worker, const char *name,
                    const char *detail, double start_s, double end_s);

/* A number that changes over time, from now on. */
void at__trace_count(at__trace *trace, int device, const char *name, int64_t value);

#endif
