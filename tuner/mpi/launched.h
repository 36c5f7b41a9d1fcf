/*
 * launched.h - whether this process is one of several that mpirun or srun has started, by its environment;
 * and the module (link.h) for their MPI.
 */
#pragma once

#include "util/fail.h"
#include "mpi/link.h"

typedef struct atx_launched {
    int rank, size;
    const char *by;     /* "Open MPI's mpirun"                                         */
    const char *module; /* "openmpi": the MPI that surely belongs to it; NULL: unknown */
    bool no_mpi;        /* srun without a --mpi that serves MPI                        */
} atx_launched;

/* False: alone, or AUTOTUNE_MPI=off says that every process is on its own. */
bool atx_launched_find(atx_launched *out);

/*
 * Opens the module: $AUTOTUNE_MPI (a file), else the one of that MPI beside the program or in its prefix.
 * AT_ERR_USAGE: there is none; what to do. It stays open.
 */
at_status atx_launched_link(const atx_link **out, const atx_launched *launched, at_error *err) AT_MUST_CHECK;
