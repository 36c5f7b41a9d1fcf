/*
 * test_objective.c - an op that is tuned for something else than time: one configuration is fast and takes
 * much shared memory, one is slower and takes little.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(objective, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

#define FOOTPRINT "metric footprint = median_s * 1000000 * shared_bytes\n"
#define MATMUL    "matmul 24x16x40 f32 --templates templates"

/* `lines` are of the op; 32 threads take 20 us and 4096 bytes, 64 take 40 us and 128 bytes. */
static void write_op(const char *lines)
{
    char path[200], text[1500];
    snprintf(path, sizeof path, "%s/templates/matmul", e2e_folder());
    mkdir(path, 0777);
    snprintf(text, sizeof text,
             "/*!autotune\nop matmul\nshape m n k\ntype T = f32\narg C T[m * n] output\n"
             "arg A T[m * k] input uniform -1 1\narg B T[k * n] input normal 0 1\narg m i64\narg n i64\n"
             "arg k i64\ncheck within 1e-4 relative 1e-5 absolute\nreference matmul_reference\ngrid 1\n"
             "block 32\ntraffic (m * n + m * k + k * n) * sizeof(T)\n%s*/\n"
             "extern \"C\" __global__ void matmul_reference(T *C, const T *A, const T *B, long long m, "
             "long long n, long long k) {}\n",
             lines);
    e2e_write("templates/matmul/op.cu", text);
    e2e_write("templates/matmul/good.cu",
              "/*!autotune\ntemplate good\nparam THREADS = 32 64\ngrid 1\nblock THREADS\n"
              "shared THREADS == 32 ? 4096 : 128\n*/\n"
              "extern \"C\" __global__ void matmul_good(T *C, const T *A, const T *B, long long m, "
              "long long n, long long k) {}\n");
    e2e_script("noise 0\ntime matmul_good 32 20000\ntime matmul_good 64 40000\ntime * * 30000");
}

static void tune(void)
{
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --jobs 2");
}

static void expect_winner(const char *config)
{
    tune();
    e2e_expect(run.code == 0 && strstr(run.out, config), run);
}

Test(objective, without_one_the_fastest_wins)
{
    write_op(FOOTPRINT);
    expect_winner("good THREADS=32");
    e2e_expect(!strstr(run.out, "[footprint"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner WHERE objective = ''"), 1);
}

Test(objective, the_least_value_wins_and_stands_beside_the_time)
{
    write_op(FOOTPRINT "objective footprint\n");
    expect_winner("good THREADS=64  [footprint 5120]");
    e2e_expect(strstr(run.out, "40.00 us"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
    e2e_tune(&run, E2E_QUICK, "query " MATMUL);
    e2e_expect(strstr(run.out, "THREADS=64\n"), run);
    e2e_expect(
        strstr(run.out, "\n  objective      min footprint (footprint = median_s * 1000000 * shared_bytes)\n"),
        run);
    e2e_tune(&run, E2E_QUICK, "query " MATMUL " --format json");
    e2e_expect(strstr(run.out, "\"objective\":\"min footprint ("), run);
    e2e_tune(&run, E2E_QUICK, "show " MATMUL);
    const char *first = strstr(run.out, "THREADS=64"), *second = strstr(run.out, "THREADS=32");
    e2e_expect(first && second && first < second, run);
    e2e_expect(strstr(run.out, "100.0 %") && strstr(run.out, "  6.2 %"), run);
    e2e_tune(&run, E2E_QUICK, "list matmul --templates templates");
    e2e_expect(
        strstr(run.out, "\n  metric footprint = median_s * 1000000 * shared_bytes\n  objective: min footp"),
        run);
    e2e_tune(&run, E2E_QUICK, "list matmul --templates templates --format json");
    e2e_expect(
        strstr(run.out, ",\"metrics\":{\"footprint\":\"median_s * 1000000 * shared_bytes\"},\"objective\":"),
        run);
    e2e_tune(&run, E2E_QUICK, "report --templates templates");
    e2e_expect(strstr(run.out, "; chosen by min footprint ("), run);
    e2e_tune(&run, E2E_QUICK, "dump -o all.jsonl");
    e2e_tune(&run, E2E_QUICK, "merge copy.db all.jsonl");
    e2e_tune(&run, E2E_QUICK, "query " MATMUL " --db copy.db");
    e2e_expect(strstr(run.out, "\n  objective      min footprint ("), run);
    e2e_tune(&run, E2E_QUICK, "export " MATMUL);
    e2e_expect(strstr(run.out, "// objective      min footprint ("), run);
}

Test(objective, max_means_that_more_is_better)
{
    write_op(FOOTPRINT "objective footprint max\n");
    expect_winner("good THREADS=32  [footprint 81920]");
    write_op("metric rate = 1 / median_s\nobjective rate max\n");
    expect_winner("good THREADS=32  [rate 50000]");
}

/* Trials are not measured again: the other order is made of the same ones. */
Test(objective, another_one_puts_the_winner_out_of_date_and_measures_no_trial_again)
{
    write_op(FOOTPRINT);
    expect_winner("good THREADS=32");
    write_op(FOOTPRINT "objective footprint\n");
    e2e_tune(&run, E2E_QUICK, "query " MATMUL);
    e2e_expect(run.code == 0 && strstr(run.out, "it was chosen by time, and now min footprint ("), run);
    e2e_expect(strstr(run.out, "THREADS=64") && strstr(run.out, "its runner-up, the best trial"), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x48 f32 --templates templates");
    e2e_expect(run.code == 0 && strstr(run.out, "THREADS=64"), run);
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --jobs 2 --format json");
    e2e_expect(strstr(run.out, "\"known\":2") && strstr(run.out, "THREADS=64"), run);
    expect_winner("[from the store]");
    e2e_expect(strstr(run.out, "good THREADS=64"), run);
    write_op(FOOTPRINT "metric more = footprint * 2\nobjective footprint\n");
    e2e_tune(&run, E2E_QUICK, "query " MATMUL);
    e2e_expect(strstr(run.out, "(exact match)"), run);
}

Test(objective, a_configuration_without_a_value_is_no_candidate)
{
    write_op("metric left = shared_bytes - 128\nobjective left\n");
    expect_winner("good THREADS=32  [left 3968]");
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed' AND log LIKE "
                           "'%the objective left is 0; expected a value above zero'"),
                 1);
    write_op("metric left = 0 * shared_bytes\nobjective left\n");
    tune();
    e2e_expect(strstr(run.out, "none of 2 configurations tried gave a right result"), run);
    e2e_expect(strstr(run.out, "the objective left is 0; expected a value above zero"), run);
}

/* 32 threads: 20 us times 32; 64 threads: 40 us times 64. */
Test(objective, it_may_be_made_of_parameters)
{
    write_op("metric work = median_s * 1000000 * param.THREADS\nobjective work max\n");
    expect_winner("good THREADS=64  [work 2560]");
    e2e_tune(&run, E2E_QUICK, "show " MATMUL " --format csv");
    e2e_expect(strstr(run.out, ",outdated,metrics\n") && strstr(run.out, ",work=640\n"), run);
    e2e_tune(&run, E2E_QUICK, "verify --templates templates");
    e2e_expect(run.code == 0 && strstr(run.out, "holds"), run);
    write_op("metric work = median_s * param.THREAD\n");
    tune();
    e2e_expect(run.code == 0 && strstr(run.err, "warning: templates/matmul/op.cu:16:8: found param.THREAD; "
                                                "expected a parameter that a template of"),
               run);
}

Test(objective, verify_goes_by_it)
{
    write_op(FOOTPRINT "objective footprint\n");
    expect_winner("good THREADS=64");
    e2e_tune(&run, E2E_QUICK, "verify --templates templates");
    e2e_expect(run.code == 0 && strstr(run.out, "holds"), run);
    e2e_script("noise 0\ntime matmul_good 32 1000\ntime matmul_good 64 40000\ntime * * 30000");
    e2e_tune(&run, E2E_QUICK, "verify --templates templates");
    e2e_expect(strstr(run.out, "lost_title") && strstr(run.out, "good THREADS=32 is 25.0 % better now"), run);
    write_op(FOOTPRINT);
    e2e_tune(&run, E2E_QUICK, "verify --templates templates");
    e2e_expect(strstr(run.out, "it was chosen by another objective"), run);
}

/* ---- several figures ---- */

Test(objective, front_has_what_is_fast_and_what_takes_little)
{
    write_op("");
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --front time,shared_bytes");
    e2e_expect(run.code == 0 && strstr(run.out, "    front: 20.00 us, 4096 shared_bytes  good THREADS=32\n"),
               run);
    e2e_expect(strstr(run.out, "    front: 40.00 us, 128 shared_bytes  good THREADS=64\n"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner WHERE config = 'THREADS=32'"), 1);
    /* Two searches for the front know both trials of the search for the time. */
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --front time,shared_bytes --force --json");
    e2e_expect(strstr(run.out, "\"timed\":6") && strstr(run.out, "\"known\":4"), run);
    e2e_tune(&run, E2E_QUICK, "show " MATMUL " --front time,shared_bytes");
    e2e_expect(strstr(run.out, "THREADS=32") && strstr(run.out, "THREADS=64"), run);
    e2e_tune(&run, E2E_QUICK, "show " MATMUL " --front time,registers");
    e2e_expect(strstr(run.out, "THREADS=32") && !strstr(run.out, "THREADS=64"), run);
    e2e_tune(&run, E2E_QUICK, "show " MATMUL " --front time,energy_j");
    e2e_expect(run.code == 1 && strstr(run.err, "`autotune tune --front time,energy_j` measures energy"),
               run);
}

/* ---- energy ---- */

#define ENERGY "metric energy = energy_j * 1000\n"

static void connect_counter(void)
{
    char all[2048];
    snprintf(all, sizeof all, "%s:%s", AT_NVML_FOLDER, getenv("LD_LIBRARY_PATH"));
    setenv("LD_LIBRARY_PATH", all, 1);
    e2e_script("noise 0\ntime matmul_good 32 20000\ntime matmul_good 64 40000\ntime * * 30000\n"
               "energy matmul_good 32 4000\nenergy matmul_good 64 1000\nenergy * * 2000");
}

/* Of the op's own kernels: 4 and 1 mJ a launch. */
Test(objective, energy_is_counted_over_many_launches_and_may_be_what_counts)
{
    write_op(ENERGY "objective energy\n");
    connect_counter();
    expect_winner("good THREADS=64  [energy ");
    cr_assert_eq(
        e2e_count("SELECT count(*) FROM trial WHERE config = 'THREADS=32' AND joules BETWEEN 0.0036 AND "
                  "0.0044"),
        1);
    cr_assert_eq(
        e2e_count("SELECT count(*) FROM trial WHERE config = 'THREADS=64' AND joules BETWEEN 0.0009 AND "
                  "0.0011"),
        1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winners_all WHERE energy_j BETWEEN 0.0009 AND 0.0011"), 1);
    cr_assert_eq(e2e_count("SELECT power_limit_w FROM winners_all"), 700);
    e2e_tune(&run, E2E_QUICK, "dump -o all.jsonl");
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --device replay:all.jsonl --db replayed.db");
    e2e_expect(run.code == 0 && strstr(run.out, "good THREADS=64  [energy "), run);
}

Test(objective, trials_that_were_not_weighed_are_measured_again_when_a_metric_wants_it)
{
    write_op("");
    connect_counter();
    expect_winner("good THREADS=32");
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE joules IS NOT NULL"), 0);
    write_op(ENERGY);
    connect_counter();
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --jobs 2 --format json");
    e2e_expect(strstr(run.out, "THREADS=32") && strstr(run.out, "\"known\":0"), run);
    e2e_expect(e2e_count("SELECT count(*) FROM trial WHERE joules > 0") == 2, run);
}

/* Trials that were made for the time alone are measured again. */
Test(objective, front_of_energy_measures_it_without_a_metric)
{
    write_op("");
    connect_counter();
    tune();
    e2e_tune(&run, E2E_QUICK, "tune " MATMUL " --front time,energy_j");
    e2e_expect(run.code == 0 && strstr(run.out, "    front: 20.00 us, "), run);
    e2e_expect(strstr(run.out, "mJ  good THREADS=32\n") && strstr(run.out, "mJ  good THREADS=64\n"), run);
    e2e_tune(&run, E2E_QUICK, "show " MATMUL " --front time,energy_j");
    e2e_expect(strstr(run.out, " energy") && strstr(run.out, " mJ"), run);
}

Test(objective, without_a_counter_the_problem_says_what_is_missing)
{
    write_op(ENERGY);
    tune();
    e2e_expect(
        strstr(run.out, "a metric reads energy_j, and found no NVML for this device; expected NVML's energy"),
        run);
}

Test(objective, a_counter_that_stands_still_is_no_energy)
{
    write_op(ENERGY);
    connect_counter();
    e2e_script("noise 0\ntime * * 30000");
    tune();
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'launch_failed' AND log LIKE "
                           "'%energy counter does not change%'"),
                 2);
}
