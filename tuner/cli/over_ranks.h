/*
 * over_ranks.h - `tune` as several ranks of MPI: which devices and compilers there are then.
 */
#ifndef AUTOTUNE_CLI_OVER_RANKS_H
#define AUTOTUNE_CLI_OVER_RANKS_H

#include "mpi/ranks.h"
#include "tune/job.h"
#include "util/options.h"

/* Zero-initialised but for its ranks, NULL: one process alone. */
typedef struct at__over_ranks {
    at__ranks *ranks; /* borrowed */
    const char **devices;
    char (*ordinals)[16];
    at__site **device_places;
    at__tune_place *places;
    int count;
} at__over_ranks;

/*
 * Before anything else: *served, this rank was there for others, and is done. Returns the exit code, which is
 * not AT__EXIT_OK where it cannot go on. With --shard, processes are on their own, as tasks of a job array
 * are.
 */
int at__over_ranks_begin(at__ranks **ranks, bool *served, int argc, char **argv);

/*
 * The devices of all ranks that `words` of --device name, each on its own ordinals ("all", or none: every
 * GPU); of a replay one a rank. AT_ERR_DEVICE: no rank has any.
 */
at_status at__over_ranks_plan(at__over_ranks *over, at__tune_options *options, const at__words *words,
                              bool quiet, at_error *err) AT_MUST_CHECK;

void at__over_ranks_clear(at__over_ranks *over);

#endif
