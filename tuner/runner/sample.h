/*
 * sample.h - one sample: a batch of launches between two events, divided by their number.
 *
 * A sample lasts at least ATX_SAMPLE_S, so that the events' own cost stays below 1 %. Short kernels are
 * batched in a CUDA graph, which keeps the host's launch cost out. Batches rotate through the bench's buffer
 * sets. No launch finds its answer in its outputs, and each may be the one that is checked afterwards.
 */
#pragma once

#include "runner/bench.h"
#include "runner/nvml.h"

#define ATX_SAMPLE_S      200e-6
#define ATX_GRAPH_BELOW_S 30e-6 /* shorter launches go into a graph: the host needs 2 to 3 us for each */

/* Launch i of a batch reads set first + step * i, and writes the set `shift` behind it. step: 1 or -1. */
typedef struct atx_rotation {
    int first, shift, step;
} atx_rotation;

/* One way to fill a batch. Zero it, then name what to launch. */
typedef struct atx_batch {
    atx_loaded *what;
    bool no_lead;              /* no launch goes ahead of the first event: see sample.c */
    bool rough;                /* of a trial, which compares with others: half as many launches */
    atx_graph *graphs[2];      /* NULL: plain launches; to be dropped */
    atx_rotation rotations[2]; /* of the graphs */
    atx_rotation last;         /* of the last sample */
    int64_t launches;
    bool sweeps; /* these launches alone would find one another's buffers in the L2 */
    bool
        poisons; /* every other time the outputs of the launch that will be checked hold random bits before */
    int ahead;   /* launches ahead of the last sample */
    int64_t chosen; /* of the last sample, to be checked; -1: none has a known answer */
} atx_batch;

/*
 * Chooses the number of launches for a launch of about `estimate_s`; below `graph_below_s` they are recorded
 * as graphs.
 */
at_status atx_batch_open(atx_batch *batch, atx_gpu *gpu, atx_bench *bench, double estimate_s,
                         double graph_below_s, at_error *err) AT_MUST_CHECK;
void atx_batch_close(atx_batch *batch, atx_gpu *gpu);

/* Seconds of a launch. */
at_status atx_sample(double *seconds, atx_gpu *gpu, atx_bench *bench, atx_batch *batch,
                     at_error *err) AT_MUST_CHECK;

/* Checks one launch of the last sample, which was chosen at random. `thorough`: see atx_bench_compare. */
at_status atx_sample_check(atx_seen *out, atx_bench *bench, const atx_batch *batch, bool thorough,
                           at_error *err) AT_MUST_CHECK;

/*
 * After a check that found a launch wrong, which may be the doing of an earlier kernel that wrote where no
 * guard zone is: buffers are renewed, and three samples must be right in a row. *seen says what came of it.
 */
at_status atx_sample_reverify(atx_seen *seen, atx_gpu *gpu, atx_bench *bench, atx_batch *batch,
                              at_error *err) AT_MUST_CHECK;

/*
 * Joules of a launch: of the whole device while it does nothing else, and with what restoring its inputs
 * takes; the L2 is not swept. From one step of the counter to another one, for half a second at least.
 */
at_status atx_measure_energy(double *joules, atx_gpu *gpu, atx_bench *bench, atx_batch *batch,
                             const atx_nvml *scales, at_error *err) AT_MUST_CHECK;

/*
 * Fills buffers, with what they hold, until the device's clocks are up: it becomes no faster any more, or
 * `seconds` are over. A reference would do as well, and may take a second itself.
 */
at_status atx_warm_up(atx_gpu *gpu, atx_bench *bench, double seconds, at_error *err) AT_MUST_CHECK;
