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

typedef struct at__bench at__bench;

/*
 * Allocates, fills, and runs the reference. `setup` is borrowed for the call. AT_ERR_DEVICE: too large for
 * the device's free memory (says needed and free), or the reference fails. AT_ERR_INPUT: its answer proves
 * nothing.
 */
at_status at__bench_open(at__bench **out, at__gpu *gpu, const at__setup *setup, at_error *err) AT_MUST_CHECK;
void at__bench_close(at__bench *bench); /* NULL is allowed */

/* Where copies run, or everything else. */
at__bench *at__bench_for(at__bench *bench, bool is_copy);

/* How many sets the launches rotate through; and so many suffice that each finds the L2 cold. */
int at__bench_sets(const at__bench *bench);
int at__bench_fewest_sets(const at__bench *bench);

/* Enqueues one launch on the buffers of a set (counted modulo the number of sets); `is_copy` as below. */
at_status at__bench_launch(at__bench *bench, const at__module *module, const at__kernel *kernel, bool is_copy,
                           uint64_t set, at_error *err) AT_MUST_CHECK;

/*
 * Enqueues that the variables of a loaded module hold what the kernel declares. at__bench_verify does it
 * itself; who launches without having verified must.
 */
at_status at__bench_fill_variables(at__bench *bench, const at__module *module, const at__kernel *kernel,
                                   at_error *err) AT_MUST_CHECK;

/*
 * Whether launches change what they begin with: zeroed outputs, buffers that are read and written. Then each
 * launch wants a set that was restored: enqueues that for `count` sets.
 */
bool at__bench_is_restored(const at__bench *bench);
at_status at__bench_restore(at__bench *bench, uint64_t first_set, int64_t count, at_error *err) AT_MUST_CHECK;

/* Enqueues the driver's own copy of the first input to the first output. */
at_status at__bench_memcpy(at__bench *bench, uint64_t set, at_error *err) AT_MUST_CHECK;

/* Enqueues that all sets and guards are filled with what they hold. */
at_status at__bench_fill(at__bench *bench, at_error *err) AT_MUST_CHECK;

/* Everything as it was when it was opened: contents, guards, the reference's answer. */
at_status at__bench_renew(at__bench *bench, at_error *err) AT_MUST_CHECK;

typedef struct at__verdict {
    bool right;
    double seconds; /* of the launch that was verified */
    char log[400];  /* why it is not right             */
} at__verdict;

/*
 * Poisons the outputs (each is wrong in every byte or number), launches once, and compares every output with
 * the reference's as the op wants it, every input byte with what it was, and every guard byte. `is_copy`: the
 * first output must equal the first input instead, both from their page on. A failure of the driver is
 * AT_ERR_DEVICE.
 */
at_status at__bench_verify(at__verdict *out, at__bench *bench, const at__module *module,
                           const at__kernel *kernel, bool is_copy, at_error *err) AT_MUST_CHECK;

#endif
