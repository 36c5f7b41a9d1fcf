/*
 * sample.h - one sample: a batch of launches between two events, divided by their number.
 *
 * A sample lasts at least ATX_SAMPLE_S, so that the events' own cost stays below 1 %. Short kernels are
 * batched in a CUDA graph, which keeps the host's launch cost out. Batches rotate through the bench's buffer
 * sets and go on where the last one ended.
 */
#ifndef AUTOTUNE_SAMPLE_H
#define AUTOTUNE_SAMPLE_H

#include "runner/bench.h"
#include "runner/nvml.h"

#define ATX_SAMPLE_S      200e-6
#define ATX_GRAPH_BELOW_S 30e-6 /* shorter launches go into a graph: the host needs 2 to 3 us for each */

/* One way to fill a batch: a kernel, or the driver's copy. Zero it, then name what to launch. */
typedef struct atx_batch {
    const atx_module *module;
    const atx_kernel *kernel; /* NULL: memcpy */
    bool is_copy;
    bool no_lead;     /* no launch goes ahead of the first event: see sample.c */
    atx_graph *graph; /* NULL: plain launches; to be dropped */
    int64_t launches;
} atx_batch;

/*
 * Chooses the number of launches for a launch of about `estimate_s`; below `graph_below_s` they are recorded
 * as a graph.
 */
at_status atx_batch_open(atx_batch *batch, atx_gpu *gpu, atx_bench *bench, double estimate_s,
                         double graph_below_s, at_error *err) AT_MUST_CHECK;

/* Seconds of a launch. *next_set is where the rotation goes on. */
at_status atx_sample(double *seconds, atx_gpu *gpu, atx_bench *bench, const atx_batch *batch,
                     uint64_t *next_set, at_error *err) AT_MUST_CHECK;

/*
 * Joules of a launch: of the whole device while it does nothing else, and with what restoring its inputs
 * takes. From one step of the counter to another one, for half a second at least.
 */
at_status atx_measure_energy(double *joules, atx_gpu *gpu, atx_bench *bench, const atx_batch *batch,
                             uint64_t *next_set, const atx_nvml *scales, at_error *err) AT_MUST_CHECK;

/*
 * Fills buffers, with what they hold, until the device's clocks are up: it becomes no faster any more, or
 * `seconds` are over. A reference would do as well, and may take a second itself.
 */
at_status atx_warm_up(atx_gpu *gpu, atx_bench *bench, double seconds, at_error *err) AT_MUST_CHECK;

#endif
