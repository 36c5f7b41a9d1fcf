/*
 * test_late.c - kernels that are right when they are tried and fail later: in the re-measurement that ends a
 * search, or when `autotune verify` asks again. Whatever reads trials has to know it from then on.
 *
 * The driver's copy is first used in that re-measurement: it makes the file `remeasure`, and what a script
 * says with `while remeasure` begins then.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(late, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

#define REMEASURE_BEGINS "slow cuMemcpyDtoDAsync_v2 0 create remeasure\n"

/* 224 is the fastest by far, 96 the next best, 32 the default; others are slower than both. */
#define TIMES                                                                                                \
    "time copy_mine 224 5000\ntime copy_mine 96 7000\ntime copy_mine 32 20000\ntime copy_mine * 9000\n"

static void script(const char *lines)
{
    char text[2000];
    snprintf(text, sizeof text, REMEASURE_BEGINS TIMES "%s", lines);
    e2e_script(text);
}

static void command(const char *args, int code)
{
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == code, run);
    e2e_expect_no_process();
    e2e_expect_whole();
}

/* What begins with a re-measurement begins with the next one again. */
static void forget_remeasurement(void)
{
    char path[300];
    snprintf(path, sizeof path, "%s/remeasure", e2e_folder());
    cr_assert_eq(unlink(path), 0);
}

static void expect_out(const char *text)
{
    e2e_expect(strstr(run.out, text), run);
}

static long trials(const char *where)
{
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM trials_all WHERE %s", where);
    return e2e_count(sql);
}

#define LATE_224 "kernel copy_mine 224 wrong while remeasure"

/* 96 was not within 6 % of 224: it has to be timed again after that is out. */
Test(late, a_wrong_leader_becomes_a_wrong_trial_and_the_next_best_wins)
{
    script(LATE_224);
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'wrong_result' AND median_s IS NULL AND "
                        "log LIKE '%differ from the reference%'"),
                 1);
    cr_assert_eq(trials("outcome = 'timed'"), 31);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best WHERE config = 'THREADS=96'"), 1);
}

Test(late, nothing_that_reads_trials_takes_a_wrong_one)
{
    script(LATE_224);
    command(E2E_MINE, 0);
    command("show copy 1000 f32 --templates templates --top 1", 0);
    e2e_expect(strstr(run.out, "THREADS=96") && !strstr(run.out, "THREADS=224"), run);
    command("dump --best 1 -o best.jsonl", 0);
    command("merge other.db best.jsonl", 0);
    command("show copy 1000 f32 --templates templates --db other.db --format csv", 0);
    e2e_expect(strstr(run.out, "THREADS=96") && !strstr(run.out, "THREADS=224"), run);
    command("query copy 1000 f32 --templates templates", 0);
    expect_out("THREADS=96");
    command("export copy 1000 f32 --templates templates", 0);
    expect_out("THREADS=96");
    command("report --templates templates -o report.html", 0);
    command("dump --format t4 -o t4.json", 0);
    command("verify copy 1000 f32 --templates templates", 0);
    expect_out("holds");
}

/* A run that goes on with the same trials does not fall for it again, without a time of its own. */
Test(late, the_next_run_knows_it)
{
    script(LATE_224);
    command(E2E_MINE "--max-trials 31", 0);
    forget_remeasurement(); /* from now on 224 would be right again */
    script("kernel copy_mine 224 hang create tried");
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    if (trials("config = 'THREADS=224'") == 1)
        cr_assert_not(e2e_has_file("tried"));
}

/* All that are within 6 % of the best fail; the next ones are right. */
Test(late, where_all_leaders_are_wrong_the_next_ones_are_timed_again)
{
    e2e_script(REMEASURE_BEGINS "time copy_mine 128 8000\n" TIMES
                                "kernel copy_mine 224 wrong while remeasure\n"
                                "kernel copy_mine 96 wrong while remeasure\n"
                                "kernel copy_mine 128 wrong while remeasure\n"
                                "kernel copy_mine 32 wrong while remeasure");
    command(E2E_MINE, 0);
    expect_out("THREADS=");
    cr_assert_eq(trials("outcome = 'wrong_result'"), 4);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best WHERE median_s BETWEEN 8e-6 AND 1e-5"), 1);
}

Test(late, where_every_one_is_wrong_there_is_no_winner_and_every_trial_says_so)
{
    script("kernel copy_mine * wrong while remeasure");
    command(E2E_MINE, 1);
    expect_out("none of 32 configurations tried gave a right result");
    cr_assert_eq(trials("outcome = 'wrong_result'"), 32);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 0);
}

/* A fault takes the whole re-measurement with it, a hang too: each is tried alone to find out whose it is. */
Test(late, a_fault_is_blamed_on_the_kernel_that_faults_alone)
{
    script("kernel copy_mine 224 700 while remeasure");
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'crashed' AND log LIKE "
                        "'%ILLEGAL_ADDRESS%the second time, alone in a new process'"),
                 1);
    cr_assert_eq(trials("outcome = 'timed'"), 31);
}

Test(late, so_is_a_kernel_that_does_not_end)
{
    script("kernel copy_mine 224 hang while remeasure");
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'timed_out'"), 1);
    cr_assert_eq(trials("outcome = 'timed'"), 31);
}

Test(late, a_launch_that_is_refused_concerns_that_kernel_alone)
{
    script("kernel copy_mine 224 refused while remeasure");
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'launch_failed'"), 1);
    cr_assert_eq(trials("outcome = 'timed'"), 31);
}

/* It faults once, together with others, and never alone: nobody can be blamed. */
Test(late, a_fault_that_does_not_come_again_is_nobodys)
{
    e2e_write("once", "");
    script("kernel copy_mine 224 700 while remeasure once once");
    command(E2E_MINE, 1);
    expect_out("the re-measurement failed: ");
    cr_assert_eq(trials("outcome = 'timed'"), 32);
    command(E2E_MINE, 0);
    expect_out("THREADS=224");
}

/* ---- what another program is told ---- */

#define RUN_224 "run copy 1000 f32 --config 'mine THREADS=224' --templates templates --json"

Test(late, run_gives_a_verdict_that_a_program_can_act_on)
{
    script("");
    e2e_tune(&run, E2E_QUICK, RUN_224);
    e2e_expect(run.code == 0, run);
    e2e_expect(strncmp(run.out, "{\"schema\":\"autotune.run/1\",", 27) == 0, run);
    expect_out("\"verdict\":{\"outcome\":\"right\",\"launches_checked\":");
    forget_remeasurement();
    script(LATE_224);
    e2e_tune(&run, E2E_QUICK, RUN_224);
    e2e_expect(run.code == 15, run);
    expect_out("\"verdict\":{\"outcome\":\"wrong_result\",\"launches_checked\":");
    expect_out("\"buffer\":\"out\",\"element\":500,");
    expect_out("\"timed\":true,");
}

/* ---- a winner that turns out wrong ---- */

static void verify_finds(const char *lines, const char *says)
{
    script("");
    command(E2E_MINE, 0);
    expect_out("THREADS=224");
    forget_remeasurement();
    script(lines);
    command("verify copy 1000 f32 --templates templates", 12);
    expect_out(says);
}

Test(late, a_winner_that_verify_finds_wrong_is_no_answer_any_more)
{
    verify_finds("kernel copy_mine 224 wrong", "wrong: wrong_result");
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'wrong_result'"), 1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best"), 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winners_all WHERE NOT valid"), 1);
    command("query copy 1000 f32 --templates templates", 0);
    e2e_expect(strstr(run.out, "THREADS=96") && strstr(run.out, "it was found wrong_result on 20"), run);
    command("query copy 1000 f32 --templates templates --exact", 1);
    command("export copy 1000 f32 --templates templates", 0);
    expect_out("THREADS=96");
    command("verify copy 1000 f32 --templates templates", 1);
    e2e_expect(strstr(run.err, "has no winner of copy 1000 f32 on"), run);
    script("");
    command(E2E_MINE, 0);
    e2e_expect(strstr(run.out, "THREADS=96") && !strstr(run.out, "[from the store]"), run);
    command("query copy 1000 f32 --templates templates", 0);
    e2e_expect(strstr(run.out, "THREADS=96") && strstr(run.out, "(exact match)"), run);
}

/* The driver is another one by then, as `verify` is for: times and winner belong to the old one. */
Test(late, so_is_one_that_was_found_under_another_driver)
{
    script("");
    command(E2E_MINE, 0);
    e2e_count("UPDATE fingerprint SET driver = '500.00'");
    forget_remeasurement();
    script("kernel copy_mine 224 wrong");
    command("verify copy 1000 f32 --templates templates", 12);
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'wrong_result'"), 2);
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'timed'"), 0);
    cr_assert_eq(trials("outcome = 'timed'"), 31);
    command("query copy 1000 f32 --templates templates", 0);
    expect_out("THREADS=96");
}

/* What a merge brings from before the verdict does not undo it, and the verdict travels. */
Test(late, a_verdict_is_merged_and_stays)
{
    script("");
    command(E2E_MINE, 0);
    command("dump -o before.jsonl", 0);
    command("merge elsewhere.db before.jsonl", 0);
    forget_remeasurement();
    script("kernel copy_mine 224 wrong");
    command("verify copy 1000 f32 --templates templates", 12);
    command("merge db before.jsonl", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best"), 0);
    command("dump --best 3 -o after.jsonl", 0);
    command("merge elsewhere.db after.jsonl", 0);
    command("query copy 1000 f32 --templates templates --db elsewhere.db", 0);
    expect_out("THREADS=96");
}

/* ---- kernels that this compiler refuses ---- */

/* 224 was measured, and has won, with a compiler that took it: the database says so, and the file does not.
 */
static void tune_with_another_compiler(void)
{
    e2e_write("templates/copy/mine.cu",
              "/*!autotune\ntemplate mine\nparam THREADS = 32 96 224\ngrid ceil_div(count, THREADS)\n"
              "block THREADS\n*/\nstatic_assert(THREADS != 224, \"needs a newer compiler\");\n"
              "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch, long long rows, "
              "long long cols)\n{\n    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;\n"
              "    if (i < batch * rows * cols)\n        out[i] = in[i];\n}\n");
    script("");
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    e2e_count("UPDATE trial SET outcome = 'timed', log = '', median_s = 5e-6, min_s = 5e-6, spread = 0, "
              "samples = 7 WHERE config = 'THREADS=224'");
    e2e_count("UPDATE winner SET config = 'THREADS=224'");
}

#define REFUSED_224 "config = 'THREADS=224' AND outcome = 'compile_failed' AND log LIKE '%newer compiler%'"

Test(late, a_winner_that_does_not_compile_is_said_to_fail_not_to_have_changed)
{
    tune_with_another_compiler();
    command("verify copy 1000 f32 --templates templates", 12);
    e2e_expect(strstr(run.out, "compile_failed: ") && strstr(run.out, "needs a newer compiler"), run);
    cr_assert_eq(trials(REFUSED_224), 1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best"), 0);
}

Test(late, an_export_of_code_takes_the_next_best_and_warns)
{
    tune_with_another_compiler();
    command("export copy 1000 f32 --templates templates --format ptx", 0);
    expect_out(".u32 THREADS = 96;");
    e2e_expect(strstr(run.err, "mine.cu with THREADS=224 does not compile for sm_90 with NVRTC ") &&
                   strstr(run.err, "needs a newer compiler") &&
                   strstr(run.err, "; mine with THREADS=96 takes its place"),
               run);
    command("export copy 1000 f32 --templates templates", 0);
    expect_out("THREADS=224");
    e2e_expect(!strstr(run.err, "takes its place"), run);
}

Test(late, a_leader_that_does_not_compile_again_gives_way_to_the_next_best)
{
    tune_with_another_compiler();
    e2e_count("DELETE FROM winner");
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
    cr_assert_eq(trials(REFUSED_224), 1);
}

Test(late, a_rival_that_verify_finds_wrong_is_a_wrong_trial)
{
    script("");
    command(E2E_MINE, 0);
    forget_remeasurement();
    script("kernel copy_mine 96 wrong");
    command("verify copy 1000 f32 --templates templates", 0);
    expect_out("holds");
    cr_assert_eq(trials("config = 'THREADS=96' AND outcome = 'wrong_result'"), 1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best WHERE config = 'THREADS=224'"), 1);
}

/* Results so far are stored, and the same command continues from there. */
Test(late, ctrl_c_after_a_verdict_keeps_it)
{
    script(LATE_224);
    e2e_start(&run, E2E_QUICK, E2E_MINE);
    e2e_wait_for_rows(&run, "SELECT count(*) FROM trials_all WHERE outcome = 'wrong_result'", 1);
    e2e_signal(&run, 2);
    e2e_wait(&run);
    cr_assert_eq(trials("config = 'THREADS=224' AND outcome = 'wrong_result'"), 1);
    command(E2E_MINE, 0);
    expect_out("THREADS=96");
}
