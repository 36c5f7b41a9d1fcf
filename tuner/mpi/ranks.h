/*
 * ranks.h - several processes that mpirun or srun has started, as one autotune: rank 0 is the supervisor, the
 * others serve it (server.h). See README.md.
 */
#pragma once

#include "util/fail.h"
#include "util/wire.h"
#include <stdatomic.h>

typedef struct atx_ranks atx_ranks;

typedef struct atx_ranks_options {
    const atomic_int *cancel;
    void (*tell)(void *context, const char *text); /* a warning; from any thread */
    void *context;
} atx_ranks_options;

/*
 * *out is NULL in a process that is alone, and where this rank has served until the end (*served). Rank 0
 * does not wait for the others. AT_ERR_USAGE: started as one of several, and there is no MPI for them.
 */
at_status atx_ranks_begin(atx_ranks **out, bool *served, const atx_ranks_options *options,
                          at_error *err) AT_MUST_CHECK;

/*
 * Waits for the message with which every rank begins. A rank without one for a minute is reported and left
 * out. AT_ERR_INPUT: one that is another program, by rank and host. AT_ERR_CANCELLED.
 */
at_status atx_ranks_gather(atx_ranks *ranks, at_error *err) AT_MUST_CHECK;

/* From here on: after atx_ranks_gather. */

int atx_ranks_count(const atx_ranks *ranks);
atx_site *atx_ranks_place(const atx_ranks *ranks, int rank);      /* NULL: rank 0 */
const char *atx_ranks_name(const atx_ranks *ranks, int rank);     /* "rank 3 on node2" */
int atx_ranks_workers(const atx_ranks *ranks, int rank);          /* compile workers that it has cores for */
bool atx_ranks_serves(const atx_ranks *ranks, int rank, int gpu); /* an ordinal there */
bool atx_ranks_is_gone(atx_ranks *ranks, int rank);
const char *atx_ranks_no_gpu(const atx_ranks *ranks); /* why rank 0 has none */

/*
 * Ends the other ranks, and MPI. If a rank is lost, MPI cannot end in order: the job is aborted with this
 * exit code, and the call may not return, so all output must be written before. NULL is allowed.
 */
void atx_ranks_end(atx_ranks *ranks, int exit_code);
