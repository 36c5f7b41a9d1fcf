/*
 * bench_spaces.h - recorded spaces as a strategy sees them: what became of each configuration, by its index.
 *
 * Every problem of a recording is one space: all templates that were recorded for it, numbered through as in
 * a search. Only what was recorded is in it. Read-only after reading: thread-safe.
 */
#ifndef AUTOTUNE_BENCH_SPACES_H
#define AUTOTUNE_BENCH_SPACES_H

#include "lang/catalog.h"
#include "search/strategy.h"

#define AT__BENCH_HINTS 11
#define AT__BENCH_WON   8

typedef struct at__bench_space {
    char name[512];   /* "gemm 4096x4096 b4, NVIDIA TITAN RTX" */
    char kernel[256]; /* of several spaces: the op             */
    at__problem problem;
    int64_t slots[AT__MAX_SLOTS];
    at__space **spaces;
    at__search search;     /* max_trials and seed are for the user to set */
    at__finding *findings; /* by index                                    */
    double *sorted_s;      /* times of those that were right, ascending   */
    int64_t sorted_count;
    int64_t hints[AT__BENCH_HINTS]; /* what a model expects, what won for other shapes of the recording */
    int hint_count;
} at__bench_space;

typedef struct at__bench_spaces {
    const char *dir;        /* borrowed                                                 */
    const char *model_of;   /* begin with what the model beside this database expects, too; NULL: without */
    at__catalog **catalogs; /* of each file: recordings may declare the same operation  */
    size_t catalog_count, catalog_cap;
    at__bench_space *items;
    size_t count, cap;
} at__bench_spaces;

/* `dir` as in at__catalog_open. */
at_status at__bench_spaces_open(at__bench_spaces *out, const char *dir, at_error *err) AT_MUST_CHECK;
void at__bench_spaces_close(at__bench_spaces *spaces);

/*
 * Adds the problems of a database or dump. Those whose op is not in the catalog, or with fewer than `least`
 * configurations, are passed over.
 */
at_status at__bench_spaces_read(at__bench_spaces *spaces, const char *path, int64_t least,
                                at_error *err) AT_MUST_CHECK;

#endif
