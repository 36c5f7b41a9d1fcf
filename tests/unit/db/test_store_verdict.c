/*
 * test_store_verdict.c - a configuration that fails after it was timed, and after it has won: its trial says
 * so under all conditions that it concerns, and no winner with it is found any more.
 */
#include "store_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(store_verdict);

static atx_trial_row failed(const char *config, atx_outcome outcome)
{
    atx_trial_row row = trial_of(config, 0);
    row.outcome = outcome;
    row.log = "4 of 8 bytes differ\nand more";
    return row;
}

static void put_verdict(atx_store *store, const char *config, atx_outcome outcome)
{
    at_error err = { 0 };
    const atx_trial_row row = failed(config, outcome);
    cr_assert_eq(atx_store_put_verdict(store, 0, &KEY, &H200, &row, &err), AT_OK, "%s", err.text);
}

static void put_winner_on(atx_store *store, const atx_fingerprint *f, const char *config)
{
    at_error err = { 0 };
    const atx_winner w = winner_of(config, 1e-6);
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, f, &w, &err), AT_OK, "%s", err.text);
}

static atx_fingerprint under(const char *driver, const char *device)
{
    atx_fingerprint f = H200;
    snprintf(f.driver, sizeof f.driver, "%s", driver);
    snprintf(f.device, sizeof f.device, "%s", device);
    return f;
}

/* "N=1", or "" where there is none. */
static cell best_of(atx_store *store, const atx_fingerprint *f)
{
    cell c = { "" };
    atx_answer a = { 0 };
    at_status status = atx_store_find_winner(&a, store, &KEY, f, f ? NULL : H200.device, NULL);
    cr_assert(status == AT_OK || status == AT_ERR_NOT_FOUND);
    if (status == AT_OK)
        snprintf(c.text, sizeof c.text, "%s", a.winner.config);
    atx_answer_clear(&a);
    return c;
}

/* Two drivers and another device, all with a trial and a winner of N=1. */
static atx_store *small_store(void)
{
    atx_store *store = memory_ok();
    const atx_trial_row row = trial_of("N=1", 1e-6);
    const atx_fingerprint old = under("old", H200.device), other = under("old", "NVIDIA H100");
    const atx_fingerprint *const ALL[] = { &H200, &old, &other };
    for (int i = 0; i < 3; i++) {
        put_ok(store, &KEY, ALL[i], &row, 1);
        put_winner_on(store, ALL[i], "N=1");
    }
    return store;
}

Test(store_verdict, the_trial_has_the_outcome_the_log_and_no_time)
{
    atx_store *store = small_store();
    put_verdict(store, "N=1", ATX_WRONG_RESULT);
    cr_assert_str_eq(scalar(store, "SELECT outcome || '|' || substr(log, 1, 6) || '|' || (median_s IS NULL) "
                                   "FROM trials_all WHERE driver <> 'old'")
                         .text,
                     "wrong_result|4 of 8|1");
    atx_store_close(store);
}

/* A kernel that is wrong is wrong whatever the driver was when it was right; another device is another
 * matter.
 */
Test(store_verdict, a_wrong_result_concerns_all_conditions_of_the_device_model)
{
    atx_store *store = small_store();
    put_verdict(store, "N=1", ATX_WRONG_RESULT);
    cr_assert_str_eq(
        scalar(store, "SELECT group_concat(device) FROM trials_all WHERE outcome = 'timed'").text,
        "NVIDIA H100");
    cr_assert_str_eq(scalar(store, "SELECT group_concat(device) FROM best").text, "NVIDIA H100");
    cr_assert_str_eq(best_of(store, NULL).text, "");
    atx_store_close(store);
}

/* What compiles and loads may depend on the driver: other conditions keep their times. */
Test(store_verdict, a_launch_that_fails_concerns_these_conditions_alone)
{
    atx_store *store = small_store();
    const atx_fingerprint old = under("old", H200.device);
    put_verdict(store, "N=1", ATX_LAUNCH_FAILED);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trials_all WHERE outcome = 'timed'").text, "2");
    cr_assert_str_eq(best_of(store, &H200).text, "");
    cr_assert_str_eq(best_of(store, &old).text, "N=1");
    atx_store_close(store);
}

/* As a dump of winners alone has it. */
Test(store_verdict, a_winner_without_a_trial_is_invalid_too)
{
    atx_store *store = memory_ok();
    const atx_fingerprint old = under("old", H200.device);
    put_winner_on(store, &old, "N=1");
    put_verdict(store, "N=1", ATX_CRASHED);
    cr_assert_str_eq(best_of(store, NULL).text, "");
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trials_all WHERE outcome = 'crashed'").text, "2");
    atx_store_close(store);
}

static bool take_answer(void *context, atx_answer *answer)
{
    *(atx_answer *)context = *answer;
    *answer = (atx_answer){ 0 };
    return true;
}

/* A look-up needs it to know which problem's trials to look at, and to say why. */
Test(store_verdict, the_newest_winner_is_still_told_and_why_it_is_invalid)
{
    atx_store *store = memory_ok();
    atx_answer a = { 0 };
    atx_str why = { 0 };
    at_error err = { 0 };
    put_winner_on(store, &H200, "N=1");
    cr_assert_eq(atx_store_each_newest_for(store, &KEY, take_answer, &a, &err), AT_OK, "%s", err.text);
    cr_assert_not(a.invalid);
    cr_assert_eq(atx_store_find_failure(&why, store, &a, false, &err), AT_ERR_NOT_FOUND);
    atx_answer_clear(&a);
    put_verdict(store, "N=1", ATX_WRONG_RESULT);
    cr_assert_eq(atx_store_each_newest_for(store, &KEY, take_answer, &a, &err), AT_OK, "%s", err.text);
    cr_assert(a.invalid);
    cr_assert_eq(atx_store_find_failure(&why, store, &a, false, &err), AT_OK, "%s", err.text);
    cr_assert(strncmp(atx_str_text(&why), "it was found wrong_result on 20", 31) == 0 &&
                  strstr(atx_str_text(&why), ": 4 of 8 bytes differ") && !strstr(atx_str_text(&why), "more"),
              "%s", atx_str_text(&why));
    atx_str_clear(&why);
    atx_answer_clear(&a);
    atx_store_close(store);
}

Test(store_verdict, an_older_winner_that_is_valid_goes_before_a_newer_one_that_is_not)
{
    atx_store *store = memory_ok();
    put_winner_on(store, &H200, "N=1");
    put_winner_on(store, &H200, "N=2");
    cr_assert_str_eq(scalar(store, "SELECT config FROM best").text, "N=2");
    put_verdict(store, "N=2", ATX_WRONG_RESULT);
    cr_assert_str_eq(scalar(store, "SELECT config FROM best").text, "N=1");
    cr_assert_str_eq(scalar(store, "SELECT config FROM newest_rows").text, "N=1");
    cr_assert_str_eq(best_of(store, &H200).text, "N=1");
    atx_store_close(store);
}

Test(store_verdict, one_that_is_measured_again_and_right_is_a_trial_as_any_other)
{
    atx_store *store = memory_ok();
    const atx_trial_row row = trial_of("N=1", 1e-6);
    put_ok(store, &KEY, &H200, &row, 1);
    put_verdict(store, "N=1", ATX_TIMED_OUT);
    put_ok(store, &KEY, &H200, &row, 1);
    put_winner_on(store, &H200, "N=1");
    cr_assert_str_eq(scalar(store, "SELECT outcome FROM trials_all").text, "timed");
    cr_assert_str_eq(best_of(store, NULL).text, "N=1");
    atx_store_close(store);
}

/* In a second a trial is timed, dumped, and found wrong: in whatever order they are merged, wrong stays. */
Test(store_verdict, of_two_trials_of_one_second_a_merge_keeps_the_one_that_failed)
{
    for (int order = 0; order < 2; order++) {
        folder f = folder_make();
        char paths[2][300];
        const char *names[2] = { paths[order], paths[!order] };
        at_error err = { 0 };
        for (int i = 0; i < 2; i++) {
            atx_trial_row row = i ? failed("N=1", ATX_WRONG_RESULT) : trial_of("N=1", 1e-6);
            row.measured_at = "2026-11-20T00:00:00Z";
            snprintf(paths[i], sizeof paths[i], "%s/%d.db", f.path, i);
            atx_store *from = open_ok(paths[i], ATX_STORE_WRITE);
            put_ok(from, &KEY, &H200, &row, 1);
            atx_store_close(from);
        }
        atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
        cr_assert_eq(atx_store_merge(store, names, 2, NULL, NULL, &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(scalar(store, "SELECT outcome FROM trials_all").text, "wrong_result");
        atx_store_close(store);
        folder_remove(&f);
    }
}

static bool add_line(void *context, const char *line)
{
    atx_str_addf(context, "%s\n", line);
    return true;
}

/* A short dump has the fastest trials of a template alone, and all winners. */
Test(store_verdict, a_dump_of_the_best_says_that_a_winner_is_invalid)
{
    atx_store *store = memory_ok();
    atx_str text = { 0 };
    at_error err = { 0 };
    const atx_trial_row rows[] = { trial_of("N=1", 1e-6), trial_of("N=2", 2e-6), trial_of("N=3", 3e-6) };
    put_ok(store, &KEY, &H200, rows, 3);
    put_winner_on(store, &H200, "N=1");
    put_verdict(store, "N=1", ATX_WRONG_RESULT);
    cr_assert_eq(atx_store_dump(store, &(atx_dump_options){ .best = 1 }, add_line, &text, &err), AT_OK);
    const char *dump = atx_str_text(&text);
    cr_assert(strstr(dump, "\"outcome\":\"wrong_result\"") && strstr(dump, "\"config\":\"N=2\"") &&
                  !strstr(dump, "\"config\":\"N=3\""),
              "%s", dump);
    atx_str_clear(&text);
    atx_store_close(store);
}
