/*
 * shard.h - one of N parts of a list of problems, for job arrays whose tasks do not communicate.
 *
 * Every task computes all parts and takes its own. So the parts follow from the list alone: not from a
 * device, a store or the clock. A problem belongs to exactly one part.
 */
#pragma once

#include "lang/shapes.h"

typedef struct atx_shard {
    int index, count; /* 1 to count; count 0: everything */
} atx_shard;

#define ATX_MAX_SHARDS 65536

/* "2/8": the second of eight. AT_ERR_USAGE says what was found. */
at_status atx_shard_parse(atx_shard *out, const char *text, at_error *err) AT_MUST_CHECK;

/*
 * Leaves the problems of the shard, in the order in which they were. None may be left, where there are more
 * parts than problems. AT_ERR_INPUT: what a problem moves cannot be computed. AT_ERR_MEMORY.
 */
at_status atx_shard_take(atx_shapes *shapes, const atx_shard *shard, at_error *err) AT_MUST_CHECK;
