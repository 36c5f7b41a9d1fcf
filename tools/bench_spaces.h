/*
 * bench_spaces.h - recorded spaces as a strategy sees them: what became of each configuration, by its index.
 *
 * Every problem of a recording is one space: all templates that were recorded for it, numbered through as in
 * a search. Only what was recorded is in it. Read-only after reading: thread-safe.
 */
#pragma once

#include "lang/catalog.h"
#include "lookup/lookup.h"
#include "search/strategy.h"

#define ATX_BENCH_HINTS 11
#define ATX_BENCH_WON   8

typedef struct atx_bench_space {
    char name[512];   /* "gemm 4096x4096 b4, NVIDIA TITAN RTX" */
    char kernel[256]; /* of several spaces: the op             */
    atx_problem problem;
    int64_t slots[ATX_MAX_SLOTS];
    atx_space **spaces;
    atx_search search;     /* max_trials and seed are for the user to set */
    atx_finding *findings; /* by index                                    */
    double *sorted_s;      /* times of those that were right, ascending   */
    int64_t sorted_count;
    int64_t hints[ATX_BENCH_HINTS]; /* what a model expects, what won for other shapes of the recording */
    int hint_count;
    atx_elsewhere elsewhere[ATX_MAX_ELSEWHERE]; /* trials of the nearest of these shapes */
    int elsewhere_count;
} atx_bench_space;

typedef struct atx_bench_spaces {
    const char *dir;        /* borrowed                                                 */
    const char *model_of;   /* begin with what the model beside this database expects, too; NULL: without */
    bool built_in;          /* ... or what the model expects that is built in                             */
    atx_catalog **catalogs; /* of each file: recordings may declare the same operation  */
    size_t catalog_count, catalog_cap;
    atx_bench_space *items;
    size_t count, cap;
} atx_bench_spaces;

/* `dir` as in atx_catalog_open. */
at_status atx_bench_spaces_open(atx_bench_spaces *out, const char *dir, at_error *err) AT_MUST_CHECK;
void atx_bench_spaces_close(atx_bench_spaces *spaces);

/*
 * Adds the problems of a database or dump. Those whose op is not in the catalog, or with fewer than `least`
 * configurations, are passed over.
 */
at_status atx_bench_spaces_read(atx_bench_spaces *spaces, const char *path, int64_t least,
                                at_error *err) AT_MUST_CHECK;
