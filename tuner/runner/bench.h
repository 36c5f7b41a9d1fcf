/*
 * bench.h - a problem laid out on a device: its buffers, their contents, and the proof that a kernel is
 * right.
 *
 * One set of buffers is verified against; all of them are timed, in rotation, so that with enough sets each
 * launch finds its inputs outside the L2 cache. How they lie: device/layout.h. Copies, the ceiling, begin at
 * the page: whatever a kernel must put up with, it is compared with a copy of aligned buffers.
 *
 * Inputs hold what the op declares, random bits by default (another stream for each set and buffer), so no
 * run is fast because of its data.
 */
#ifndef AUTOTUNE_BENCH_H
#define AUTOTUNE_BENCH_H

#include "runner/gpu.h"

typedef struct atx_bench atx_bench;

/*
 * Allocates, fills, and runs the reference. `setup` is borrowed for the call. AT_ERR_DEVICE: too large for
 * the device's free memory (says needed and free), or the reference fails. AT_ERR_INPUT: its answer proves
 * nothing.
 */
at_status atx_bench_open(atx_bench **out, atx_gpu *gpu, const atx_setup *setup, at_error *err) AT_MUST_CHECK;
void atx_bench_close(atx_bench *bench); /* NULL is allowed */

/* Where copies run, or everything else. */
atx_bench *atx_bench_for(atx_bench *bench, bool is_copy);

/* How many sets the launches rotate through; and so many suffice that each finds the L2 cold. */
int atx_bench_sets(const atx_bench *bench);
int atx_bench_fewest_sets(const atx_bench *bench);

/* Enqueues one launch on the buffers of a set (counted modulo the number of sets); `is_copy` as below. */
at_status atx_bench_launch(atx_bench *bench, const atx_module *module, const atx_kernel *kernel, bool is_copy,
                           uint64_t set, at_error *err) AT_MUST_CHECK;

/*
 * Enqueues that the variables of a loaded module hold what the kernel declares. atx_bench_verify does it
 * itself; who launches without having verified must.
 */
at_status atx_bench_fill_variables(atx_bench *bench, const atx_module *module, const atx_kernel *kernel,
                                   at_error *err) AT_MUST_CHECK;

/*
 * Whether launches change what they begin with: zeroed outputs, buffers that are read and written. Then each
 * launch wants a set that was restored: enqueues that for `count` sets.
 */
bool atx_bench_is_restored(const atx_bench *bench);
at_status atx_bench_restore(atx_bench *bench, uint64_t first_set, int64_t count, at_error *err) AT_MUST_CHECK;

/* Enqueues the driver's own copy of the first input to the first output. */
at_status atx_bench_memcpy(atx_bench *bench, uint64_t set, at_error *err) AT_MUST_CHECK;

/* Enqueues that all sets and guards are filled with what they hold. */
at_status atx_bench_fill(atx_bench *bench, at_error *err) AT_MUST_CHECK;

/* Everything as it was when it was opened: contents, guards, the reference's answer. */
at_status atx_bench_renew(atx_bench *bench, at_error *err) AT_MUST_CHECK;

typedef struct atx_seen {
    bool right;
    double seconds; /* of the launch that was verified */
    char log[400];  /* why it is not right             */
} atx_seen;

/*
 * Poisons the outputs (each is wrong in every byte or number), launches once, and compares every output with
 * the reference's as the op wants it, every input byte with what it was, and every guard byte. `is_copy`: the
 * first output must equal the first input instead, both from their page on. A failure of the driver is
 * AT_ERR_DEVICE.
 */
at_status atx_bench_verify(atx_seen *out, atx_bench *bench, const atx_module *module,
                           const atx_kernel *kernel, bool is_copy, at_error *err) AT_MUST_CHECK;

#endif
