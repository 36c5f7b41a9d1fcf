/* server.h - all ranks except 0: make the children that rank 0 asks for, and forward their bytes. */
#pragma once

#include "mpi/link.h"
#include "util/fail.h"
#include <stdatomic.h>

/*
 * Serves until rank 0 says that it is done, has sent nothing for so long, or `cancel` is set and rank 0 does
 * not end soon. AT_ERR_INPUT: rank 0 refuses this rank.
 */
at_status atx_server_run(const atx_link *link, int size, double wait_time_s, const atomic_int *cancel,
                         at_error *err) AT_MUST_CHECK;
