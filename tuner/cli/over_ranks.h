/*
 * over_ranks.h - `tune` as several ranks of MPI: which devices and compilers there are then.
 */
#pragma once

#include "mpi/ranks.h"
#include "tune/job.h"
#include "util/options.h"

/* Zero-initialised but for its ranks, NULL: one process alone. */
typedef struct atx_over_ranks {
    atx_ranks *ranks; /* borrowed */
    const char **devices;
    char (*ordinals)[16];
    atx_site **device_places;
    atx_tune_place *places;
    int count;
} atx_over_ranks;

/*
 * Before anything else: *served, this rank was there for others, and is done. Returns the exit code, which is
 * not ATX_EXIT_OK where it cannot go on. With --shard, processes are on their own, as tasks of a job array
 * are.
 */
int atx_over_ranks_begin(atx_ranks **ranks, bool *served, int argc, char **argv);

/*
 * The devices of all ranks that `words` of --device name, each on its own ordinals ("all", or none: every
 * GPU); of a replay one a rank. AT_ERR_DEVICE: no rank has any.
 */
at_status atx_over_ranks_plan(atx_over_ranks *over, atx_tune_options *options, const atx_words *words,
                              bool quiet, at_error *err) AT_MUST_CHECK;

void atx_over_ranks_clear(atx_over_ranks *over);
