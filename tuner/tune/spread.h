/*
 * spread.h - of a run over several machines: which compile workers work for which device. Each device gets
 * its even part of all, of its own machine first.
 */
#pragma once

#include "tune/job.h"

/* For each worker of all places, in their order, the index of its device; to be freed. NULL: out of memory.
 */
int *atx_spread_all(const atx_tune_options *options);

/* The places of one device's workers, *count of them and at least one; to be freed. NULL: out of memory. */
atx_site **atx_spread_of(int *count, const int *all, const atx_tune_options *options, int device);
