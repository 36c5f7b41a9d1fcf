/* bench_made_up.h - a large space without a recording: what becomes of its configurations is made up. */
#pragma once

#include "bench_spaces.h"

/* A number from 0 to 1 that depends on the two and on nothing else. */
double atx_fraction(int64_t index, uint64_t salt);

/*
 * A template of the op `spaces` of the folder `dir`, all of whose configurations get times. Tells on stdout
 * what came of it. Both are to be closed, also after a failure.
 */
at_status atx_made_up_open(atx_bench_space *out, atx_catalog **catalog, const char *dir, const char *name,
                           at_error *err) AT_MUST_CHECK;
void atx_made_up_close(atx_bench_space *space, atx_catalog *catalog);
