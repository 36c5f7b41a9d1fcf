/* test_population_run.c - a population as a run, on a replay. */
#include "tune/tune.h"

#include <criterion/criterion.h>
#include <unistd.h>

enum { FEW = 20 };

static int results;
static int64_t most_trials;

static void on_result(void *context, const atx_result *r)
{
    int64_t trials = 0;
    (void)context;
    for (int i = 0; i < ATX_OUTCOMES; i++)
        trials += r->outcomes[i];
    most_trials = trials > most_trials ? trials : most_trials;
    results += r->found;
}

static void on_warning(void *context, const char *text)
{
    (void)context, (void)text;
}

Test(population_run, tries_few_configurations_of_each_problem)
{
    const char *specs[] = { "replay:" AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz" };
    const atx_tune_events events = { .result = on_result, .warning = on_warning };
    const atx_population_plan plan = { .within = 1e-6 };
    char db[] = "/tmp/autotune-population-XXXXXX";
    atx_catalog *catalog = NULL;
    atx_problem problems[2];
    at_error err = { 0 };
    const int fd = mkstemp(db);
    cr_assert_geq(fd, 0);
    close(fd);
    unlink(db);
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    cr_assert_eq(atx_problem_init(&problems[0], op, ATX_F32, (int64_t[]){ 4096, 4096 }, 2, &err), AT_OK);
    cr_assert_eq(atx_problem_init(&problems[1], op, ATX_F32, (int64_t[]){ 262144, 64 }, 2, &err), AT_OK);
    const atx_tune_options options = {
        .devices = specs, .device_count = 1, .seed = 1, .db_path = db, .population = &plan
    };
    cr_assert_eq(atx_tune(problems, 2, catalog, &options, &events, &err), AT_OK, "%s", err.text);
    cr_expect_eq(results, 2);
    cr_expect_eq(most_trials, FEW, "%lld", (long long)most_trials);
    atx_catalog_close(catalog);
    unlink(db);
}
