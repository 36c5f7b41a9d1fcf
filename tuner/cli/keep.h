/*
 * keep.h - --local-db: what the devices of a rank measured is also kept on that rank's machine, as lines of a
 * dump, every second or so. `merge` joins the files.
 */
#ifndef AUTOTUNE_CLI_KEEP_H
#define AUTOTUNE_CLI_KEEP_H

#include "mpi/ranks.h"
#include "util/str.h"

typedef struct atx_keep atx_keep;

/* Begins; `folder` must be there on every rank. Each run has files of its own. */
at_status atx_keep_begin(atx_keep **out, atx_ranks *ranks, const char *database, const char *folder,
                         at_error *err) AT_MUST_CHECK;

/* Sends the rest. Before the ranks end; NULL is allowed. */
void atx_keep_end(atx_keep *keep);

#endif
