/* test_population_run.c - a population as a run, on a replay. */
#include "lang/shapes.h"
#include "tune/tune.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <unistd.h>

enum { WITHOUT_MODEL = 20, WITH_MODEL = 12 };

static int64_t trials[16];
static int results;

static void on_result(void *context, const atx_result *r)
{
    (void)context;
    cr_assert_lt(results, 16);
    for (int i = 0; i < ATX_OUTCOMES; i++)
        trials[results] += r->outcomes[i];
    results++;
}

static void on_warning(void *context, const char *text)
{
    (void)context, (void)text;
}

static int count_of(int64_t wanted)
{
    int count = 0;
    for (int i = 0; i < results; i++)
        count += trials[i] == wanted;
    return count;
}

/* Of the recording's 14 problems eight are tuned before there is a model. */
Test(population_run, tries_few_configurations_of_a_problem_and_fewer_once_there_is_a_model)
{
    const char *specs[] = { "replay:" AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz" };
    const atx_tune_events events = { .result = on_result, .warning = on_warning };
    const atx_population_plan plan = { .within = 1e-6 };
    char db[64];
    atx_catalog *catalog = NULL;
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    const int fd = mkstemp(TEMPORARY(db, "population"));
    cr_assert_geq(fd, 0);
    close(fd);
    unlink(db);
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_shapes_read(&shapes, AT_SOURCE_DIR "/db/recordings/shapes.txt", catalog, NULL, &err),
                 AT_OK, "%s", err.text);
    const atx_tune_options options = { .devices = specs,
                                       .device_count = 1,
                                       .seed = 1,
                                       .db_path = db,
                                       .population = &plan,
                                       .max_trials = ATX_TRIALS_OF_POPULATION };
    cr_assert_eq(atx_tune(shapes.problems, shapes.count, catalog, &options, &events, &err), AT_OK, "%s",
                 err.text);
    cr_expect_eq(results, 14);
    cr_expect_geq(count_of(WITHOUT_MODEL), 8);
    cr_expect_geq(count_of(WITH_MODEL), 4);
    cr_expect_eq(count_of(WITHOUT_MODEL) + count_of(WITH_MODEL), results);
    atx_shapes_clear(&shapes);
    atx_catalog_close(catalog);
    unlink(db);
}
