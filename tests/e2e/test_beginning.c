/* test_beginning.c - which configuration a search tries first, with a model and without one. */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(beginning, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

static void tune(e2e_program program, const char *args, int code)
{
    e2e_tune(&run, program, args);
    e2e_expect(run.code == code, run);
}

/* What ships answers some of these as predicted, whatever it has learned lately; others are beside a winner
 * that it agrees with. */
static const char *const shapes[] = { "513x2000", "777x1234", "1700x900", "1021x3001", "1500x1537" };

/* Of the first shape that is predicted: the configuration. Not of a test's own model, but the one that ships:
   the device is what it learned on. */
static const char *name_predicted(char config[200])
{
    tune(E2E_QUICK, "tune copy 1000 f32 --max-trials 1 --jobs 1", 0); /* so that there is a database */
    unsetenv("AUTOTUNE_NO_SHIPPED");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char query[100];
        snprintf(query, sizeof query, "query transpose %s f32 --format json", shapes[i]);
        tune(E2E_QUICK, query, 0);
        const char *text = strstr(run.out, "\"config\":\"");
        e2e_expect(text && sscanf(text + 10, "%199[^\"]", config) == 1, run);
        if (strstr(run.out, "\"match\":\"predicted\""))
            return shapes[i];
    }
    cr_assert_fail("none of the shapes is predicted, the last neither:\n%s", run.out);
    return NULL;
}

static void tune_one_trial(const char *shape)
{
    char command[100];
    snprintf(command, sizeof command, "tune transpose %s f32 --max-trials 1 --jobs 1", shape);
    e2e_tune(&run, E2E_QUICK, command);
}

static long count_of(const char *config)
{
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM trial WHERE config = '%s'", config);
    return e2e_count(sql);
}

Test(beginning, the_first_trial_is_what_a_model_expects_to_be_the_fastest)
{
    char config[200];
    tune_one_trial(name_predicted(config));
    cr_assert_eq(count_of(config), 1, "%s", config);
}

Test(beginning, a_run_that_wants_no_model_begins_with_the_nearest_winner)
{
    char config[200];
    const char *shape = name_predicted(config);
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    tune_one_trial(shape);
    cr_assert_eq(count_of(config), 0, "%s", config);
    cr_assert_gt(e2e_count("SELECT count(*) FROM trial"), 1);
}

/* ---- the next run ---- */

#define SHAPES 9

static void write_shapes(void)
{
    char text[400] = "";
    for (int i = 0; i < SHAPES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "copy %d f32\n", 1000 + 1024 * i * i);
    e2e_write("shapes", text);
}

#define TUNE_ALL "tune --shapes shapes --only mine --templates templates --jobs 1 --max-trials 14 "

/* Of this type nothing was tuned: no winner is near, whose configuration a model may expect to be as fast.
 * Which one that is here depends on the bytes of cubins, by which the scripted driver makes times up, and so
 * on the version of NVRTC. */
#define UNTUNED "query copy 33333 f64 --templates templates"

Test(beginning, a_run_that_measured_enough_renews_the_model_and_the_next_one_does_not)
{
    write_shapes();
    tune(E2E_QUICK, TUNE_ALL, 0);
    e2e_expect(strstr(run.err, "learned from ") && e2e_has_file("db-model"), run);
    tune(E2E_QUICK, TUNE_ALL, 0);
    e2e_expect(!strstr(run.err, "learned from "), run);
    tune(E2E_QUICK, UNTUNED, 0);
    e2e_expect(strstr(run.out, "predicted match") && !strstr(run.out, "autotune learn"), run);
}

Test(beginning, a_run_that_is_told_so_leaves_the_model_and_the_answer_names_what_would_renew_it)
{
    write_shapes();
    tune(E2E_QUICK, TUNE_ALL "--no-learn", 0);
    e2e_expect(!strstr(run.err, "learned from ") && !e2e_has_file("db-model"), run);
    tune(E2E_QUICK, "learn --templates templates --no-shipped", 0);
    e2e_write("shapes2", "copy 7000 f32\ncopy 8000 f32\ncopy 9000 f32\ncopy 5000 f32\ncopy 6000 f32\n");
    tune(E2E_QUICK, "tune --shapes shapes2 --only mine --templates templates --jobs 1 --max-trials 30", 0);
    e2e_expect(!strstr(run.err, "learned from "), run); /* somebody wanted it without the one that ships */
    tune(E2E_QUICK, UNTUNED, 0);
    e2e_expect(strstr(run.out, "`autotune learn` would take"), run);
}

/* With the shipped model or without, the same one: it knows what the recording does not. */
Test(beginning, a_replay_asks_no_model)
{
    static const char REPLAY[] =
        "tune 4096x4096 f32 --device replay:" AT_RECORDING " --strategy model --max-trials 1 --db db --force";
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    unsetenv("AUTOTUNE_NO_SHIPPED");
    tune(E2E_REAL, REPLAY, 0);
    long trials = e2e_count("SELECT count(*) FROM trial");
    unsetenv("AUTOTUNE_NO_MODEL");
    tune(E2E_REAL, REPLAY, 0);
    cr_assert_gt(trials, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), trials, "another one was tried first");
}
