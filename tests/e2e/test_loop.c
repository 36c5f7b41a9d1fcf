/*
 * test_loop.c - `autotune tune` from end to end: a fault of a kernel, a driver or a device costs a
 * trial, or ends the run with a message and a documented exit code; never more.
 */
#include "db/store_internal.h"
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(loop, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

/* Ends well, or as said; leaves no process and a whole database. */
static void tune(e2e_program program, const char *args, int code)
{
    e2e_tune(&run, program, args);
    e2e_expect(run.code == code, run);
    e2e_expect_no_process();
    e2e_expect_whole();
}

Test(loop, finds_the_fastest)
{
    e2e_script("time copy_mine 224 5000");
    tune(E2E_REAL, E2E_MINE, 0);
    e2e_expect(strstr(run.out, "THREADS=224"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 32);
    tune(E2E_REAL, "query copy 1000 f32", 0);
    e2e_expect(strstr(run.out, "THREADS=224"), run);
}

/* So that it goes last. The database is its own cache here. */
Test(loop, the_winners_kernel_is_marked_in_the_cache)
{
    e2e_own_cache("db");
    tune(E2E_QUICK, "tune copy 1000 f32 --max-trials 3 --jobs 1", 0);
    cr_assert_gt(e2e_count("SELECT count(*) FROM cubin"), 3);
    cr_assert_eq(e2e_count("SELECT count(*) FROM cubin WHERE stored_at GLOB 'winner 20*'"), 1);
    e2e_count("UPDATE cubin SET stored_at = '2020-01-01T00:00:00Z'");
    tune(E2E_QUICK, "tune copy 1000 f32 --max-trials 3 --jobs 1", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM cubin WHERE stored_at GLOB 'winner 20*'"), 1,
                 "also of one that was known");
}

#define FEW_TRIALS "tune copy 1000 f32 --max-trials 4 --jobs 1"

/* With the kernels of four trials, and of what else they take. */
static void fill_own_cache(void)
{
    e2e_own_cache("db");
    tune(E2E_QUICK, FEW_TRIALS, 0);
    e2e_count("DELETE FROM cubin WHERE stored_at = '" E2E_UNUSED "'");
}

static void expect_good_trials(void)
{
    tune(E2E_QUICK, FEW_TRIALS " --force", 0);
    e2e_expect(!strstr(run.err, "INVALID_IMAGE") && !strstr(run.out, "INVALID_IMAGE"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 4);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 4);
}

/* By a disk, or by somebody with no seal for it. */
Test(loop, a_damaged_kernel_in_the_cache_is_compiled_again)
{
    fill_own_cache();
    e2e_count("UPDATE cubin SET cubin = CAST('no kernel' || cubin AS BLOB)");
    e2e_count("DELETE FROM trial");
    expect_good_trials();
    e2e_expect(!strstr(run.out, " 0 compiled"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM cubin WHERE substr(cubin, 1, 2) = x'6e6f'"), 0, "replaced");
}

/* Kernels that are valid for the store and not for the driver: of another machine, say. Those that
 * validate results stay, as compiling them takes long. */
static void spoil_kernels(void)
{
    char path[400];
    atx_str keys = { 0 };
    atx_store *cache = NULL;
    sqlite3_stmt *s = NULL;
    at_error err = { 0 };
    snprintf(path, sizeof path, "%s/db", e2e_folder());
    cr_assert_eq(atx_store_open(&cache, path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    cr_assert_eq(sqlite3_prepare_v2(cache->db,
                                    "SELECT key FROM cubin WHERE instr(cubin, CAST('verify_' AS BLOB)) = 0",
                                    -1, &s, NULL),
                 SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW)
        atx_str_addf(&keys, "%s\n", atx_store_text(s, 0));
    sqlite3_finalize(s);
    char *rest = NULL;
    for (char *key = strtok_r(keys.data, "\n", &rest); key; key = strtok_r(NULL, "\n", &rest))
        cr_assert_eq(atx_store_put_cubin(cache, key, "no kernel", 9, "", &err), AT_OK, "%s", err.text);
    atx_store_close(cache);
    atx_str_clear(&keys);
}

Test(loop, a_kernel_of_the_cache_that_does_not_load_is_compiled_again)
{
    fill_own_cache();
    e2e_count("DELETE FROM trial");
    spoil_kernels();
    expect_good_trials();
    cr_assert_eq(e2e_count("SELECT count(*) FROM cubin WHERE substr(cubin, 1, 2) = x'6e6f'"), 0, "replaced");
}

/* Where all trials are known, the re-measurement is the first to load a kernel. */
Test(loop, so_is_one_that_the_re_measurement_is_the_first_to_load)
{
    fill_own_cache();
    e2e_count("DELETE FROM winner");
    spoil_kernels();
    tune(E2E_QUICK, FEW_TRIALS, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 1);
}

/* It is compiled again once only. */
Test(loop, a_kernel_that_never_loads_is_a_failed_trial)
{
    fill_own_cache();
    e2e_count("DELETE FROM trial");
    e2e_script("fail cuModuleLoadData 10 200\nfail cuModuleLoadData 20 200");
    tune(E2E_QUICK, "tune copy 1000 f32 --max-trials 10 --jobs 2 --force", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 10);
}

/* Figures of a database may be shared, its kernels are code. */
Test(loop, kernels_that_others_may_have_written_are_not_taken)
{
    char path[400];
    fill_own_cache();
    e2e_count("DELETE FROM trial");
    spoil_kernels();
    snprintf(path, sizeof path, "%s/db", e2e_folder());
    cr_assert_eq(chmod(path, 0664), 0);
    expect_good_trials();
    e2e_expect(strstr(run.err, "others may write to the file (mode 0664)"), run);
    cr_assert_gt(e2e_count("SELECT count(*) FROM cubin WHERE substr(cubin, 1, 2) = x'6e6f'"), 3, "untouched");
    tune(E2E_QUICK, "query copy 1000 f32", 0);
}

/* The templates that come with the program, on a shape with ragged ends; their copies give the ceiling. */
Test(loop, tunes_a_transpose)
{
    tune(E2E_QUICK, "tune transpose 33x47 u16 --max-trials 12 --jobs 2", 1);
    e2e_script("element 2");
    tune(E2E_QUICK, "tune transpose 33x47 u16 --max-trials 12 --jobs 2 --force", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE op = 'transpose' AND outcome = 'timed'"),
                 12);
    cr_assert_gt(e2e_count("SELECT count(*) FROM trials_all WHERE op = 'copy'"), 10);
}

/* Views that begin anywhere are problems of their own, from the tuner to the exported launcher. */
Test(loop, tunes_a_transpose_of_buffers_that_are_not_aligned)
{
    e2e_script("element 4");
    tune(E2E_QUICK, "tune transpose 33x47 f32 --align 16,4 --max-trials 12 --jobs 2", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best WHERE op = 'transpose' AND shape = '33x47@16x4'"), 1);
    cr_assert_gt(e2e_count("SELECT count(*) FROM trials_all WHERE op = 'copy' AND shape = '33x47' AND "
                           "outcome = 'timed'"),
                 10, "the ceiling is the copy of aligned buffers");
    tune(E2E_QUICK, "query transpose 33x47@16x4 f32 --format json", 0);
    e2e_expect(strstr(run.out, "\"match\":\"exact\""), run);
    tune(E2E_QUICK, "query transpose 33x47 f32 --format json", 0);
    e2e_expect(strstr(run.out, "\"match\":\"near\""), run);
    tune(E2E_QUICK, "export transpose 33x47@16x4 f32", 0);
    e2e_expect(strstr(run.out, "if ((uintptr_t)out % 4 != 0 || (uintptr_t)in % 16 != 0)"), run);
    tune(E2E_QUICK, "verify transpose 33x47@16x4 f32", 0);
    e2e_expect(strstr(run.out, "33x47@16x4") && strstr(run.out, "holds"), run);
}

/* With many candidates under way some are put off once they are compiled: others take their places. */
Test(loop, makes_as_many_trials_as_it_may)
{
    e2e_script("element 2");
    tune(E2E_QUICK, "tune transpose 64x64 u16 --max-trials 40 --jobs 12", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE op = 'transpose'"), 40);
}

/* Its template may be gone when a problem is tuned once more: then it does not play in the re-measurement. */
Test(loop, a_former_winner_whose_template_is_gone_is_no_hindrance)
{
    tune(E2E_QUICK, E2E_MINE "--max-trials 3", 0);
    tune(E2E_QUICK, "tune copy 1000 f32 --max-trials 3 --jobs 1", 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM winner"), 2);
}

/* Nor does one play whose stored configuration is none of its template's. */
Test(loop, a_former_winner_that_makes_no_sense_is_no_hindrance)
{
    static const char *const CONFIGS[] = { "THREADS=7", "THREADS=64 MORE=1", "nonsense", "" };
    tune(E2E_QUICK, E2E_MINE "--max-trials 3", 0);
    for (size_t i = 0; i < sizeof CONFIGS / sizeof *CONFIGS; i++) {
        char sql[100], args[200];
        snprintf(sql, sizeof sql, "UPDATE winner SET config = '%s'", CONFIGS[i]);
        e2e_count(sql);
        snprintf(args, sizeof args, E2E_MINE "--max-trials %zu",
                 4 + i); /* so that there is a re-measurement */
        tune(E2E_QUICK, args, 0);
        e2e_expect(strstr(run.out, "THREADS=") && !strstr(run.out, "THREADS=7 "), run);
    }
}

/* Each of six trials loads its kernel, for a fifth of a second or more of what the device works. */
Test(loop, the_time_that_the_device_worked_is_told)
{
    e2e_script("slow cuModuleLoadData 200");
    tune(E2E_REAL, E2E_MINE "--max-trials 6 --format json --quiet", 0);
    const char *busy = strstr(run.out, "\"device_busy_s\":"), *open = strstr(run.out, "\"device_open_s\":");
    cr_assert(busy && open, "%s", run.out);
    double busy_s = atof(strchr(busy, ':') + 1), open_s = atof(strchr(open, ':') + 1);
    cr_assert(busy_s >= 6 * 0.2 && busy_s <= open_s, "busy %g s of %g s", busy_s, open_s);
}

/* ---- kernels ---- */

static const struct {
    const char *action, *outcome, *says;
} MISDEEDS[] = {
    { "wrong", "wrong_result", "1 of 4000 bytes differ from the reference, the first in element 500" },
    { "unwritten", "wrong_result", "in element 999" },
    { "behind", "wrong_result", "writes behind buffer 0: 1 bytes, the first 0 bytes after its end" },
    { "before", "wrong_result", "writes before buffer 0: 1 bytes, the first 1 bytes in front of it" },
    { "input", "wrong_result", "writes to its input: 1 of 4000 bytes changed, the first in element 999" },
    { "far", "wrong_result", "the first in element 0" },
    { "refused", "launch_failed", "CUDA_ERROR_INVALID_VALUE" },
    { "700", "crashed", "CUDA_ERROR_ILLEGAL_ADDRESS" },
    { "719", "crashed", "CUDA_ERROR_LAUNCH_FAILED" },
    { "hang", "timed_out", "did not end within 4.0 s" },
};
enum { MISDEED_COUNT = sizeof MISDEEDS / sizeof *MISDEEDS };

Test(loop, bad_kernels_cost_a_trial_and_not_the_run)
{
    char text[2000] = "", sql[400];
    int at = 0;
    for (int i = 0; i < MISDEED_COUNT; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "kernel copy_mine %d %s\ntime copy_mine %d 1000\n",
                     32 * (i + 1), MISDEEDS[i].action, 32 * (i + 1));
    snprintf(text + at, sizeof text - (size_t)at, "time copy_mine 1024 5000\n");
    e2e_script(text);
    tune(E2E_QUICK, E2E_MINE, 0);
    e2e_expect(strstr(run.out, "THREADS=1024"), run);
    for (int i = 0; i < MISDEED_COUNT; i++) {
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM trials_all WHERE config = 'THREADS=%d' AND outcome = '%s' "
                 "AND instr(log, '%s')",
                 32 * (i + 1), MISDEEDS[i].outcome, MISDEEDS[i].says);
        cr_expect_eq(e2e_count(sql), 1, "%s", sql);
    }
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'timed'"), 32 - MISDEED_COUNT);
}

/* A fault may come to light late, and damage may be another kernel's doing. */
Test(loop, a_suspect_is_tried_once_more_alone)
{
    static const char *const ACTIONS[] = { "700", "wrong" };
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++) {
        char text[200], once[100], db[100];
        snprintf(once, sizeof once, "%s/once", e2e_folder());
        snprintf(db, sizeof db, "%s/db", e2e_folder());
        unlink(db);
        fclose(fopen(once, "w"));
        snprintf(text, sizeof text, "kernel copy_mine 64 %s once once\ntime copy_mine 64 5000\n", ACTIONS[i]);
        e2e_script(text);
        tune(E2E_QUICK, E2E_MINE, 0);
        cr_assert_neq(access(once, F_OK), 0, "%s happened", ACTIONS[i]);
        e2e_expect(strstr(run.out, "THREADS=64"), run);
    }
}

/* How often a process started to work with the device. */
static long count_runners(void)
{
    char path[100], line[64];
    long count = 0;
    snprintf(path, sizeof path, "%s/calls", e2e_folder());
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    while (fscanf(file, "%63s", line) == 1)
        count += strcmp(line, "cuInit") == 0;
    fclose(file);
    unlink(path);
    return count;
}

/*
 * There was no memory for it, which earlier kernels or other programs may have had: once more, alone. Here
 * and below, where runners are counted, the clock is the real one: on a busy machine a slow answer is no
 * hang.
 */
Test(loop, a_launch_that_may_have_failed_for_anothers_sake_is_tried_once_more_alone)
{
    e2e_write("once", "");
    e2e_script("log calls\nkernel copy_mine 64 refused code 2 once once");
    tune(E2E_REAL, E2E_MINE, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 32);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'timed'"), 32);
    cr_assert_eq(count_runners(), 2);
    e2e_script("log calls\nkernel copy_mine 64 refused code 2");
    tune(E2E_REAL, E2E_MINE "--force", 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE config = 'THREADS=64' AND "
                           "outcome = 'launch_failed' AND instr(log, 'CUDA_ERROR_OUT_OF_MEMORY') AND "
                           "instr(log, 'the second time, alone in a new process')"),
                 1);
    cr_assert_eq(count_runners(), 2);
}

/* Launches before the reference is checked, the last step before the warm-up; below zero: it is not. */
static long before_reference_check(void)
{
    char path[100], line[64];
    long launches = 0, before = -1;
    snprintf(path, sizeof path, "%s/calls", e2e_folder());
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    while (before < 0 && fscanf(file, "%63s", line) == 1) {
        if (strncmp(line, "cuMemcpyDtoH", 12) == 0)
            before = launches;
        launches += strcmp(line, "cuLaunchKernel") == 0;
    }
    fclose(file);
    return before;
}

/* Clocks rise while buffers are filled, over and over, before anything is timed; nothing is timed where that
 * fails. */
Test(loop, a_runner_that_cannot_warm_up_times_nothing)
{
    char script[200];
    e2e_script("log calls\nkernel copy_mine * refused"); /* which launches nothing */
    tune(E2E_QUICK, E2E_MINE "--max-trials 1", 1);
    long before = before_reference_check();
    cr_assert_gt(before, 0, "there was none");
    snprintf(script, sizeof script, "fail cuLaunchKernel %ld 719", before + 3);
    e2e_script(script);
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1 --force");
    e2e_expect(run.code == 1 && strstr(run.out, "CUDA_ERROR_LAUNCH_FAILED"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'timed'"), 0);
}

/* A geometry that a device does not take, it never takes. */
Test(loop, a_launch_that_always_fails_is_believed_at_once)
{
    e2e_script("log calls\nkernel copy_mine 64 refused\nkernel copy_mine 96 refused code 701\n"
               "kernel copy_mine 128 refused code 801");
    tune(E2E_REAL, E2E_MINE, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'launch_failed'"), 3);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE instr(log, 'second time')"), 0);
    cr_assert_eq(count_runners(), 1);
}

/* Where nothing ever can be launched, no more than a few are tried again. */
Test(loop, launches_that_all_fail_are_believed_after_some)
{
    e2e_script("log calls\nkernel copy_mine * refused code 2");
    tune(E2E_REAL, E2E_MINE, 1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'launch_failed'"), 32);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE instr(log, 'second time')"), 8);
    cr_assert_eq(count_runners(), 9);
}

Test(loop, what_failed_is_not_tried_again)
{
    char tries[100];
    snprintf(tries, sizeof tries, "%s/again", e2e_folder());
    e2e_script("kernel copy_mine 64 700\nkernel copy_mine 96 hang");
    tune(E2E_QUICK, E2E_MINE "--max-trials 30", 0);
    long trials = e2e_count("SELECT max(id) FROM trial");
    e2e_script("kernel copy_mine 64 700 create again\nkernel copy_mine 96 hang create again");
    tune(E2E_QUICK, E2E_MINE "--max-trials 30", 0);
    cr_assert_eq(e2e_count("SELECT max(id) FROM trial"), trials);
    cr_assert_neq(access(tries, F_OK), 0);
}

Test(loop, a_run_without_one_right_kernel_says_so)
{
    e2e_script("kernel copy_mine * wrong");
    tune(E2E_REAL, E2E_MINE, 1);
    e2e_expect(strstr(run.out, "none of 32 configurations tried gave a right result"), run);
}

/* ---- each driver call ---- */

enum { MAX_NAMES = 64 };

typedef struct call {
    char name[64];
    long count;
} call;

/* Which calls a run makes, and how often. */
static int list_calls(call *calls)
{
    char path[100], line[64];
    int count = 0;
    e2e_script("log calls");
    tune(E2E_QUICK, E2E_MINE "--max-trials 3", 0);
    snprintf(path, sizeof path, "%s/calls", e2e_folder());
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    while (fscanf(file, "%63s", line) == 1) {
        int i = 0;
        while (i < count && strcmp(calls[i].name, line) != 0)
            i++;
        if (i == count && count < MAX_NAMES)
            strcpy(calls[count++].name, line);
        if (i < count)
            calls[i].count++;
    }
    fclose(file);
    return count;
}

/* A message when it ends badly; a winner when it does not. */
static void expect_words(const char *script)
{
    bool words = strstr(run.err, "autotune: error: ") || strstr(run.out, "no winner: ");
    cr_assert(run.code == 0 ? strstr(run.out, "THREADS=") != NULL : words, "%s: exit %d\n%s%s", script,
              run.code, run.out, run.err);
    cr_assert(run.code == 0 || run.code == 1 || run.code == 3, "%s: exit %d\n%s", script, run.code, run.err);
}

/*
 * Through all processes: each call of the driver is the one that ends the context, at the middle of its
 * occurrences, in every runner ("always") or in one. test_driver_faults does this for every occurrence.
 */
static void fail_calls(bool always)
{
    static call calls[MAX_NAMES];
    int count = list_calls(calls);
    cr_assert_gt(count, 25);
    for (int i = 0; i < count; i += count / e2e_few(count)) {
        char script[200];
        e2e_write("token", "");
        snprintf(script, sizeof script, "fail %.63s %ld 700 sticky%s", calls[i].name,
                 (calls[i].count + 1) / 2, always ? "" : " once token");
        e2e_script(script);
        e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 3 --force");
        expect_words(script);
        e2e_expect_no_process();
        e2e_expect_whole();
    }
}

Test(loop, each_driver_call_fails_in_one_runner)
{
    fail_calls(false);
}

Test(loop, each_driver_call_fails_in_every_runner)
{
    fail_calls(true);
}

/* ---- drivers and devices ---- */

static const struct {
    const char *script, *args;
    int code;
    const char *says; /* on stdout or stderr */
} NONSENSE[] = {
    { "count 0", E2E_MINE, 3, "shows no device" },
    { "count 0", E2E_MINE "--device all", 3, "shows no device" },
    { "fail cuInit 1 999", E2E_MINE, 3, "does not start" },
    { "fail cuInit 1 100", E2E_MINE, 3, "no CUDA-capable device" },
    { "memory 0", E2E_MINE, 1, "does not fit" },
    { "free 0", E2E_MINE, 1, "does not fit" },
    { "l2 0", E2E_MINE "--max-trials 3", 0, "" },
    { "l2 -5", E2E_MINE "--max-trials 3", 0, "" },
    { "times nan", E2E_MINE "--max-trials 3", 1, "expected a positive time" },
    { "times zero", E2E_MINE "--max-trials 3", 1, "expected a positive time" },
    { "times negative", E2E_MINE "--max-trials 3", 1, "expected a positive time" },
    { "times endless", E2E_MINE "--max-trials 3", 1, "expected a positive time" },
    { "kernel copy_reference * 700", E2E_MINE, 1, "ILLEGAL_ADDRESS" },
    { "kernel verify_fill * 700", E2E_MINE, 1, "ILLEGAL_ADDRESS" },
};

Test(loop, a_driver_that_talks_nonsense_is_told)
{
    for (size_t i = 0; i < sizeof NONSENSE / sizeof *NONSENSE; i++) {
        char db[100];
        snprintf(db, sizeof db, "%s/db", e2e_folder());
        unlink(db);
        e2e_script(NONSENSE[i].script);
        e2e_tune(&run, E2E_QUICK, NONSENSE[i].args);
        cr_expect(run.code == NONSENSE[i].code, "%s: exit %d\n%s%s", NONSENSE[i].script, run.code, run.out,
                  run.err);
        cr_expect(strstr(run.out, NONSENSE[i].says) || strstr(run.err, NONSENSE[i].says), "%s:\n%s%s",
                  NONSENSE[i].script, run.out, run.err);
        e2e_expect_no_process();
    }
}

/* A hung kernel of one run holds the device until its deadline: no fault of the other run's trials. */
Test(loop, two_runs_take_turns)
{
    e2e_run other;
    e2e_script("pace 1\nkernel copy_mine 64 hang\ntime copy_mine 96 2000");
    e2e_start(&other, E2E_QUICK, E2E_MINE);
    e2e_tune(&run, E2E_QUICK, "tune transpose 30x30 f32 --only naive --jobs 1");
    e2e_wait(&other);
    e2e_expect(run.code == 0, run);
    e2e_expect(other.code == 0, other);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome != 'timed'"), 1);
    cr_assert_eq(
        e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'timed_out' AND template = 'mine'"), 1);
}

#define SHAPES "tune --shapes shapes --only mine --templates templates --jobs 1 "

/* What disappears within a run does not come back: it ends with the driver's words; all before it is kept. */
Test(loop, a_device_that_disappears)
{
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\n");
    e2e_script("fail cuStreamBeginCapture_v2 20 999 sticky create gone\ngone gone");
    tune(E2E_QUICK, SHAPES, 3);
    e2e_expect(strstr(run.err, "no CUDA-capable device is detected"), run);
    cr_assert_gt(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'timed'"), 0);
    e2e_script("fail cuStreamSynchronize 1 999 sticky create gone2\ngone gone2"); /* within the setup */
    tune(E2E_QUICK, SHAPES, 3);
    e2e_expect(strstr(run.err, "no CUDA-capable device is detected"), run);
    e2e_script("");
    tune(E2E_QUICK, SHAPES, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 64);
}

/* It was there when the first one counted the devices. */
Test(loop, a_device_that_is_gone_after_the_count)
{
    e2e_write("counted", "");
    e2e_script("count 2\ncounted counted");
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--device all");
    e2e_expect(run.code == 3 && strstr(run.err, "shows no device"), run);
    e2e_expect_no_process();
}

/* The bytes were free when the problem was laid out. */
Test(loop, memory_that_is_gone_when_it_is_asked_for)
{
    e2e_script("fail cuMemAlloc_v2 1 2");
    tune(E2E_QUICK, E2E_MINE, 1);
    e2e_expect(strstr(run.out, "CUDA_ERROR_OUT_OF_MEMORY"), run);
}

/* Told first, whatever its place in the list; the others are tuned. Known results need no memory. */
Test(loop, problems_that_do_not_fit_are_refused_before_anything_starts)
{
    e2e_write("shapes", "copy 1000 f32\ncopy 400000000 f32\ncopy 3000000000x1000000 f32\n");
    e2e_script("memory 2000000000\nfree 1500000000\nlog calls");
    tune(E2E_QUICK, SHAPES "--quiet", 1);
    const char *large = strstr(run.out, "400000000 f32"), *huge = strstr(run.out, "3000000000x1000000");
    const char *small = strstr(run.out, "THREADS=");
    e2e_expect(large && huge && small && large < small && huge < small, run);
    e2e_expect(
        strstr(
            large,
            "it needs 5070.8 MB on the device (buffers, the right answer, reserve), and 1500.0 MB are free"),
        run);
    e2e_script("free 1");
    e2e_write("shapes", "copy 1000 f32\n");
    tune(E2E_QUICK, "tune copy 1000 f32 --templates templates", 1);
    e2e_script("");
    tune(E2E_QUICK, "tune copy 1000 f32 --templates templates --max-trials 3", 0);
    e2e_script("free 1");
    tune(E2E_QUICK, "tune copy 1000 f32 --templates templates --max-trials 3", 0);
}
