/*
 * bench_tried.h - what other tuners tried, as if it were strategies of ours: so one program scores all of
 * them.
 *
 * A file has a line for each run: the strategy's name, a tab, the seed, and for each trial a tab and the
 * configuration, "TILE=32 ORDER=fast". tools/compare_search writes it.
 */
#pragma once

#include "search/strategy.h"

#define ATX_MOST_TRIED 8

/* Once a process. Adds the file's strategies to strategies[*count ...], of which there are at most `most`. */
at_status atx_bench_tried_read(const atx_strategy **strategies, int *count, int most, const char *path,
                               at_error *err) AT_MUST_CHECK;
void atx_bench_tried_clear(void);
