/* test_helper_pool.c - one problem on several devices at once, each a replay of one recording. */
#include "tune/tune.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a run came to, of its last problem. */
typedef struct outcome {
    int found;
    double elapsed_s, median_s;
    int64_t trials;
    int helping; /* at most */
    char winner[400];
} outcome;

static void on_result(void *context, const atx_result *r)
{
    outcome *o = context;
    o->found += r->found;
    o->elapsed_s = r->elapsed_s;
    for (int i = 0; i < ATX_OUTCOMES; i++)
        o->trials += r->outcomes[i];
    if (!r->found)
        return;
    o->median_s = r->answer->winner.timing.median_s;
    snprintf(o->winner, sizeof o->winner, "%s %s", r->answer->winner.template_name, r->answer->winner.config);
}

static void on_progress(void *context, const atx_progress *p)
{
    outcome *o = context;
    o->helping = p->helping > o->helping ? p->helping : o->helping;
}

static void on_warning(void *context, const char *text)
{
    (void)context, (void)text;
}

enum { MAX_DEVICES = 8 };

#define RECORDING "replay:" AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz"

/* Of transposes in f32; `shapes` ended by { 0, 0 }. */
static outcome tune(const char *spec, int devices, int64_t shapes[][2], const atx_strategy *strategy,
                    int64_t trials)
{
    char db[64];
    const char *specs[MAX_DEVICES];
    atx_problem problems[4];
    size_t count = 0;
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    outcome o = { .found = 0 };
    const atx_tune_events events = {
        .context = &o, .progress = on_progress, .result = on_result, .warning = on_warning
    };
    int fd = mkstemp(TEMPORARY(db, "pool"));
    cr_assert_geq(fd, 0);
    close(fd);
    unlink(db);
    for (int i = 0; i < devices; i++)
        specs[i] = spec;
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    for (; shapes[count][0]; count++)
        cr_assert_eq(atx_problem_init(&problems[count], atx_catalog_find_op(catalog, "transpose"), ATX_F32,
                                      shapes[count], 2, &err),
                     AT_OK, "%s", err.text);
    const atx_tune_options options = { .devices = specs,
                                       .device_count = devices,
                                       .strategy = strategy,
                                       .max_trials = trials,
                                       .seed = 1,
                                       .db_path = db };
    cr_assert_eq(atx_tune(problems, count, catalog, &options, &events, &err), AT_OK, "%s", err.text);
    atx_catalog_close(catalog);
    unlink(db);
    return o;
}

static int64_t ONE[][2] = { { 4096, 4096 }, { 0, 0 } };

/* Devices that take their time, so that others come to help; on a busy machine more of it. `pace`: how many
 * times as fast as the GPU was. */
static outcome tune_with_help(double pace, int devices, int64_t shapes[][2], const atx_strategy *strategy,
                              int helping)
{
    outcome o = { .found = 0 };
    for (int i = 0; i < 4 && o.helping < helping; i++, pace /= 4) {
        char spec[300];
        snprintf(spec, sizeof spec, RECORDING "?pace=%g", pace);
        o = tune(spec, devices, shapes, strategy, 0);
    }
    return o;
}

Test(helper_pool, several_devices_find_what_one_finds)
{
    outcome alone = tune(RECORDING, 1, ONE, &atx_strategy_exhaustive, 0);
    outcome shared = tune_with_help(2, 3, ONE, &atx_strategy_exhaustive, 2);
    cr_assert_eq(alone.helping, 0);
    cr_assert_eq(shared.helping, 2);
    cr_assert_eq(shared.trials, alone.trials, "each configuration once");
    cr_assert_str_eq(shared.winner, alone.winner);
    cr_assert_float_eq(shared.median_s, alone.median_s, 0);
}

/* Copies and the re-measurement, which one device makes alone, are a second of it. How long it takes goes by
 * what else the machine does: only where all cases are tried, and nothing else. */
Test(helper_pool, four_devices_need_a_fraction_of_the_time_of_one)
{
    if (!getenv("AUTOTUNE_TEST_ALL"))
        cr_skip_test("takes an idle machine: tools/test --all");
    outcome alone = tune(RECORDING "?pace=0.2", 1, ONE, &atx_strategy_random, 250);
    outcome shared = tune(RECORDING "?pace=0.2", 4, ONE, &atx_strategy_random, 250);
    cr_assert_eq(shared.trials, 250);
    cr_assert_eq(shared.helping, 3);
    cr_assert_lt(shared.elapsed_s, 0.75 * alone.elapsed_s, "%.2f s, alone %.2f s", shared.elapsed_s,
                 alone.elapsed_s);
}

/* Which trials it knows of when it proposes goes by who is done first: what a search finds differs a little.
 */
Test(helper_pool, a_model_proposes_for_all_and_finds_as_much)
{
    outcome alone = tune(RECORDING, 1, ONE, &atx_strategy_model, 0);
    outcome shared = tune_with_help(3, 3, ONE, &atx_strategy_model, 2);
    cr_assert_eq(shared.helping, 2);
    cr_assert_leq(shared.median_s, 1.05 * alone.median_s);
}

/* Equally dear, so in their order. */
Test(helper_pool, problems_are_handed_out_first)
{
    static int64_t shapes[][2] = { { 1048576, 16 }, { 262144, 64 }, { 4096, 4096 }, { 0, 0 } };
    outcome o = tune_with_help(2, 2, shapes, &atx_strategy_exhaustive, 1);
    cr_assert_eq(o.found, 3);
    cr_assert_eq(o.helping, 1, "the last one is shared");
}
