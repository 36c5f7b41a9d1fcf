/*
 * search_bench.h - shared by the tests of the strategy that learns: small spaces whose best configuration is
 * known, what trials of them come to, and a search without a device. Test code: stops on errors.
 */
#pragma once

#include "search/strategy.h"

/*
 * How many seeds: what is claimed holds for each, and of sums for ten. Sanitizers look at the code, which is
 * the same for each seed, and make it slow.
 */
#ifdef AT_SANITIZED
enum { SEEDS = 2, SPILLS_PERCENT = 100 }; /* too few for more than a direction */
#else
enum { SEEDS = 10, SPILLS_PERCENT = 25 };
#endif

/* Templates: 1376 configurations, 96, more than 10^9, one. */
extern const char TILES[], OTHER[], HUGE_SPACE[], SINGLE[];

typedef struct bench {
    atx_op *op;
    atx_template *templates[2];
    atx_space *spaces[2];
    int64_t slots[ATX_MAX_SLOTS];
    atx_search search;
    double pace; /* that a search is told when it begins; below 0: none */
} bench;

/* `second`: NULL for one template. Tells no pace. */
void bench_open(bench *b, const char *first, const char *second);
void bench_close(bench *b);

/* ---- what trials come to ---- */

typedef atx_finding finding_of(const bench *b, int64_t index);

/* Of TILES, and OTHER where it is there: the best takes 1. */
finding_of smooth, failing, wrong, crashing, spilling, spilling_unseen;
finding_of bowl; /* of HUGE_SPACE: the best takes 1 */
finding_of all_equal, all_fail, no_pattern;

/* ---- a search ---- */

typedef struct outcome {
    int count;
    int64_t end, order[4096]; /* what propose said at the end; what was timed or failed */
    int proposed;
    double best; /* INFINITY: none was right                   */
} outcome;

/* Up to `max` trials with `lag` of them under way; the newest or the oldest is reported first. */
void search_with(outcome *o, const bench *b, finding_of *find, int max, int lag, bool newest_first);

void assert_distinct(const outcome *o, int64_t total);
