/* test_elsewhere.c - a search begins with the stored trials of the nearest problem. On a replay, for which no
 * model of many problems is asked. */
#include "search/strategy.h"
#include "tune/tune.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the search of the newest problem was given. */
static int elsewhere_count;
static atx_elsewhere first;
static int64_t hint;

static at_status watch(void **state, const atx_search *search, at_error *err)
{
    elsewhere_count = search->elsewhere_count;
    first = elsewhere_count ? search->elsewhere[0] : (atx_elsewhere){ -1, 0 };
    hint = search->hint_count ? search->hints[0] : -1;
    return atx_strategy_random.open(state, search, err);
}

static double winner_s;

static void on_result(void *context, const atx_result *r)
{
    (void)context;
    winner_s = r->found ? r->answer->winner.timing.median_s : 0;
}

static void on_warning(void *context, const char *text)
{
    (void)context, (void)text;
}

static void tune(const char *db, int64_t rows, int64_t cols, const atx_front *front)
{
    const char *specs[] = { "replay:" AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz" };
    const atx_tune_events events = { .result = on_result, .warning = on_warning };
    atx_strategy watched = atx_strategy_random;
    atx_catalog *catalog = NULL;
    atx_problem problem;
    at_error err = { 0 };
    watched.open = watch;
    const atx_tune_options options = { .devices = specs,
                                       .device_count = 1,
                                       .strategy = &watched,
                                       .max_trials = 60,
                                       .seed = 1,
                                       .db_path = db,
                                       .front = front };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, atx_catalog_find_op(catalog, "transpose"), ATX_F32,
                                  (int64_t[]){ rows, cols }, 2, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_tune(&problem, 1, catalog, &options, &events, &err), AT_OK, "%s", err.text);
    atx_catalog_close(catalog);
}

Test(elsewhere, trials_of_the_nearest_problem_are_given_to_the_search)
{
    char db[64];
    int fd = mkstemp(TEMPORARY(db, "elsewhere"));
    cr_assert_geq(fd, 0);
    close(fd);
    unlink(db);
    tune(db, 4096, 4096, NULL);
    cr_expect_eq(elsewhere_count, 0, "an empty database: %d", elsewhere_count);
    double fastest_s = winner_s;
    tune(db, 262144, 64, NULL);
    cr_expect_geq(elsewhere_count, 16, "%d of the 60 trials of 4096x4096", elsewhere_count);
    cr_expect_leq(elsewhere_count, 60);
    cr_expect_eq(first.index, hint, "the fastest is the winner, which is tried first");
    cr_expect_float_eq(first.seconds, fastest_s, 0.05 * fastest_s);
    at_error err = { 0 };
    atx_front front;
    cr_assert_eq(atx_front_parse(&front, "time,registers", NULL, &err), AT_OK, "%s", err.text);
    tune(db, 1048576, 16, &front);
    cr_expect_eq(elsewhere_count, 0, "the newest search is for both figures, those trials tell of the time");
    unlink(db);
}
