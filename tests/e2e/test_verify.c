/*
 * test_verify.c - `autotune verify` from end to end: what became of a stored winner, and the exit code that
 * says it to a CI job.
 */
#include "e2e_support.h"

#include "util/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(verify, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

#define VERIFY "verify copy 1000 f32 --templates templates"

/* THREADS=224 wins in 5 us; then the driver is another one. */
static void verify_after(const char *script, int code, const char *says)
{
    e2e_script("time copy_mine 224 5000\ntime copy_mine * 9000");
    e2e_tune(&run, E2E_QUICK, E2E_MINE);
    e2e_expect(run.code == 0, run);
    e2e_script(script);
    e2e_tune(&run, E2E_QUICK, VERIFY);
    e2e_expect(run.code == code, run);
    e2e_expect(strstr(run.out, says) || strstr(run.err, says), run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 1, "nothing is stored");
}

Test(verify, a_winner_holds)
{
    verify_after("time copy_mine 224 5000\ntime copy_mine * 9000", 0, "holds");
}

Test(verify, a_time_drifts)
{
    verify_after("time copy_mine 224 7000\ntime copy_mine * 9000", 10, "drift: +");
}

Test(verify, a_title_is_lost)
{
    verify_after("time copy_mine 224 5000\ntime copy_mine * 4000", 11, "lost_title: mine THREADS=");
}

Test(verify, a_result_is_wrong)
{
    verify_after("time copy_mine 224 5000\ntime copy_mine * 9000\nkernel copy_mine 224 wrong", 12,
                 "wrong: wrong_result");
}

Test(verify, a_winner_that_faults_is_wrong)
{
    verify_after("time copy_mine * 9000\nkernel copy_mine 224 700", 12, "ILLEGAL_ADDRESS");
}

Test(verify, a_rival_that_faults_is_not_the_winners_fault)
{
    char script[2000] = "time copy_mine 224 5000\n";
    for (int threads = 32; threads <= 1024; threads += 32)
        if (threads != 224)
            snprintf(script + strlen(script), sizeof script - strlen(script), "kernel copy_mine %d 700\n",
                     threads);
    verify_after(script, 0, "holds");
}

/* One whole object on a line, and the text of one of its members. */
static void expect_json_line(const char *member, const char *text)
{
    atx_json json = { 0 };
    atx_str found = { 0 };
    at_error err = { 0 };
    size_t len = strcspn(run.out, "\n");
    cr_assert_str_eq(run.out + len, "\n");
    cr_assert_eq(atx_json_read(&json, run.out, len, "stdout", &err), AT_OK, "%s: %s", run.out, err.text);
    cr_assert_not(json.torn, "%s", run.out);
    cr_assert_neq(atx_json_member(&json, 0, member), 0, "%s", run.out);
    atx_json_add_text(&found, &json, atx_json_member(&json, 0, member));
    cr_assert_str_eq(atx_str_text(&found), text);
    atx_str_clear(&found);
    atx_json_clear(&json);
}

Test(verify, every_command_writes_whole_objects)
{
    e2e_script("time copy_mine 224 5000\ntime copy_mine * 9000");
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--format json --quiet");
    expect_json_line("config", "THREADS=224");
    e2e_tune(&run, E2E_QUICK, VERIFY " --format json");
    expect_json_line("verdict", "holds");
    e2e_tune(&run, E2E_QUICK, "query copy 1000 f32 --format json --templates templates");
    expect_json_line("config", "THREADS=224");
    e2e_tune(&run, E2E_QUICK, "show copy 1000 f32 --format json --top 1 --templates templates");
    expect_json_line("config", "THREADS=224");
}

/* As `tune` has one: nothing is compiled twice. The database is its own cache here. */
Test(verify, run_and_verify_take_kernels_from_the_cache_and_put_them_there)
{
    e2e_own_cache("db");
    const long before = e2e_count("SELECT count(*) FROM cubin");
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --templates templates --config 'mine THREADS=64'");
    e2e_expect(run.code == 0, run);
    cr_assert_gt(e2e_count("SELECT count(*) FROM cubin"), before);
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1");
    long kept = e2e_count("SELECT count(*) FROM cubin");
    e2e_count("DELETE FROM cubin WHERE stored_at GLOB 'winner 20*'");
    long left = e2e_count("SELECT count(*) FROM cubin");
    cr_assert_lt(left, kept);
    e2e_tune(&run, E2E_QUICK, VERIFY);
    e2e_expect(run.code == 0, run);
    cr_assert_gt(e2e_count("SELECT count(*) FROM cubin"), left);
}

Test(verify, nothing_to_verify_is_said)
{
    e2e_tune(&run, E2E_QUICK, VERIFY);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.err, "no such database"), run);
    e2e_tune(&run, E2E_QUICK, E2E_MINE);
    e2e_tune(&run, E2E_QUICK, "verify copy 999 f32 --templates templates");
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.err, "has no winner of copy 999 f32 on"), run);
}

Test(verify, a_template_that_changed_is_not_asked)
{
    e2e_tune(&run, E2E_QUICK, E2E_MINE);
    e2e_tune(&run, E2E_QUICK, "verify copy 1000 f32"); /* without its template */
    e2e_expect(run.code == 16, run);
    e2e_expect(strstr(run.out, "unverified: its template has changed"), run);
}

/* The device answers no more: nothing was verified, and nobody may take that for well. */
static void lose_the_device(const char *call)
{
    char script[200];
    snprintf(script, sizeof script, "gone gone\nfail %s 1 999 sticky create gone", call);
    verify_after(script, 3, "autotune: error: ");
    e2e_expect(e2e_has_file("gone") && !strstr(run.out, "holds"), run);
}

Test(verify, a_device_that_is_lost_while_it_is_set_up_is_no_verdict)
{
    lose_the_device("cuMemAlloc_v2");
}

Test(verify, a_device_that_is_lost_in_the_final_is_no_verdict)
{
    lose_the_device("cuMemcpyDtoDAsync_v2");
}

static double number_of(const char *member)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", member);
    const char *at = strstr(run.out, quoted);
    cr_assert_not_null(at, "%s: %s", member, run.out);
    return atof(at + strlen(quoted));
}

/* The copy that was the ceiling plays again, and not some other copy. */
Test(verify, a_winner_is_compared_with_the_same_copy_as_before)
{
    e2e_script("time copy_* * 200\ntime transpose_* * 9000");
    e2e_tune(&run, E2E_QUICK, "tune transpose 33x47 f32 --max-trials 6 --jobs 2");
    e2e_expect(run.code == 0, run);
    e2e_tune(&run, E2E_QUICK, "verify transpose 33x47 f32 --format json");
    e2e_expect(run.code == 0, run);
    cr_assert_float_eq(number_of("ceiling_s"), 2e-7, 1e-7, "memcpy takes 0.5 us: %s", run.out);
    cr_assert_float_eq(number_of("stored_ceiling_s"), 2e-7, 1e-7, "%s", run.out);
}
