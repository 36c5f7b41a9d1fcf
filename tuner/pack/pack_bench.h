/*
 * pack_bench.h - a device that measures kernels in their general form, verified as any trial. To try a pack,
 * the problem is tuned first, as `autotune tune` does, and its winner is timed beside them on the same
 * buffers. To choose, it is enough which of them is the faster one: no kernel is compiled for the problem.
 *
 * What is measured is stored as trials of an operation of another name, "transpose general", with "tuned" in
 * place of the constants of the winner: answers for exact shapes do not change by it. One thread uses a
 * bench.
 */
#pragma once

#include "pack/pack.h"
#include "tune/session.h"
#include <stdatomic.h>

typedef struct atx_pack_bench atx_pack_bench;

/* Starts a device, "0", without waiting for it; borrows catalog and options. */
at_status atx_pack_bench_start(atx_pack_bench **out, const atx_catalog *catalog,
                               const atx_tune_options *options, const char *device, int workers,
                               at_error *err) AT_MUST_CHECK;
at_status atx_pack_bench_await(atx_pack_bench *bench, at_error *err) AT_MUST_CHECK;
void atx_pack_bench_close(atx_pack_bench *bench); /* NULL is allowed */

const atx_device_info *atx_pack_bench_device(const atx_pack_bench *bench);

/* Kernels that are measured, with their code: compiled once for all problems and devices. */
typedef struct atx_pack_entry {
    atx_pack_kernel kernel;
    atx_build build;
    atomic_bool wrong; /* it does not compile, or was wrong on a problem: a pack may not have it */
} atx_pack_entry;

/* What is measured on a problem. */
typedef struct atx_pack_entries {
    const atx_pack_entry *items;
    const bool *wanted; /* NULL: all that are for these sizes */
    int count;
    bool tune; /* the problem is tuned first, and its winner is timed beside the kernels */
} atx_pack_entries;

/* Compiles those that are not yet. */
at_status atx_pack_bench_compile(atx_pack_bench *bench, atx_pack_entry *entries, int count,
                                 at_error *err) AT_MUST_CHECK;

/*
 * What is timed where the store knows some kernels' seconds (0: unknown): the others, and the fastest of
 * those that are known, whose place is returned, for the scale; -1: there is none. With a winner all are
 * timed by turns.
 */
int atx_pack_missing(bool *missing, const double *kernel_s, const atx_pack_entries *entries);

/*
 * Seconds of the problem's winner, or without one of the fastest kernel, and of each kernel that is wanted:
 * 0: it is not for these sizes, or not known; below zero: wrong. *best_s is 0 where the problem has no
 * winner, or the user wants to end: nothing is known of the kernels then. What an earlier run has stored is
 * not measured again but for atx_pack_missing. AT_ERR_DEVICE: the device is lost. AT_ERR_STORE.
 */
at_status atx_pack_bench_run(atx_pack_bench *bench, double *best_s, double *kernel_s,
                             const atx_problem *problem, const atx_pack_entries *entries,
                             at_error *err) AT_MUST_CHECK;
