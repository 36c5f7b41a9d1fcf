/*
 * test_helper_pool.c - several devices of one model and one problem: they share its configurations, and what
 * happens to one of them does not stop the others.
 *
 * Which one begins is not said, and how soon the other comes depends on the machine: where both must take
 * part, kernels are held until they do.
 */
#include "e2e_support.h"

#include "util/clock.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(helper_pool, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

#define TWO "count 2\ntime copy_mine 224 5000\n"
/* A kernel that one device is to measure waits until the other has one, too. */
#define BOTH(kernel)                                                                                         \
    "on 0\nhold " kernel " came1 create came0\n"                                                             \
    "on 1\nhold " kernel " came0 create came1\n"

#define TRIALS "SELECT count(*) FROM trial WHERE outcome = 'timed'"

/* Devices that measured trials of the op itself. */
#define DEVICES                                                                                              \
    "SELECT count(DISTINCT r.device_uuid) FROM trial t JOIN run r ON r.id = t.run_id WHERE outcome = "       \
    "'timed'"

static void tune(const char *script, const char *args, int code)
{
    e2e_script(script);
    e2e_tune(&run, E2E_REAL, args);
    e2e_expect(run.code == code, run);
    e2e_expect_no_process();
    e2e_expect_whole();
}

/* Cards are compared with a kernel of the op, as there is no other copy: time must be left after that. */
#define TAKES_TIME "slow cuModuleLoadData 60\n"

Test(helper_pool, two_devices_share_one_problem_and_find_what_one_finds)
{
    tune(TWO TAKES_TIME BOTH("copy_mine"), E2E_MINE "--device all", 0);
    e2e_expect(strstr(run.out, "THREADS=224"), run);
    cr_assert_eq(e2e_count(TRIALS), 32, "each once");
    cr_assert_eq(e2e_count(DEVICES), 2);
    tune(TWO, E2E_MINE "--device 0 --force", 0);
    e2e_expect(strstr(run.out, "THREADS=224"), run);
    cr_assert_eq(e2e_count(DEVICES), 1, "who measured it last is stored");
}

/* There are copies, which tell cards apart. */
Test(helper_pool, a_transpose_is_shared_too)
{
    tune("count 2\n" BOTH("transpose_tile"),
         "tune transpose 300x500 f32 --device all --jobs 2 --only tile --max-trials 60 "
         "--strategy random",
         0);
    e2e_expect(!strstr(run.err, "does not take part"), run);
    cr_assert_eq(e2e_count(DEVICES " AND template_id IN (SELECT id FROM template WHERE name = 'tile')"), 2);
}

Test(helper_pool, cards_that_are_further_apart_than_the_noise_are_not_mixed)
{
    e2e_script("count 2\nhold copy_mine told\non 1\ntime * * 40000");
    e2e_start(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_wait_for_said(&run, " does not take part in 1000");
    e2e_write("told", "");
    e2e_wait(&run);
    e2e_expect(run.code == 0, run);
    e2e_expect_no_process();
    cr_assert_eq(e2e_count(TRIALS), 32);
    cr_assert_eq(e2e_count(DEVICES), 1);
}

/* It measures a few and is gone for good, as a helper or with the problem as its own. */
Test(helper_pool, a_device_that_dies_loses_only_its_own_trial)
{
    tune(TWO "on 0\nhold copy_mine gone\n"
             "on 1\nfail cuStreamBeginCapture_v2 12 999 sticky create gone\ngone gone",
         E2E_MINE "--device all --verbose", 3);
    e2e_expect(strstr(run.out, "THREADS=224"), run);
    e2e_expect(strstr(run.err, "GPU 1, which took part in 1000, is lost") || strstr(run.err, "GPU 1  1/1"),
               run);
    cr_assert_eq(e2e_count(TRIALS), 32, "others tried what it had");
}

Test(helper_pool, the_problem_of_a_device_that_dies_is_done_by_another)
{
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\ncopy 3000 f32\n");
    tune(TWO "on 1\nhold copy_mine gone\n"
             "on 0\nfail cuStreamBeginCapture_v2 12 999 sticky create gone\ngone gone",
         "tune --shapes shapes --only mine --templates templates --jobs 2 --device all", 3);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 3);
    cr_assert_eq(e2e_count(TRIALS), 3 * 32);
}

/* It has drawn its next problem already, as that is compiled while the device re-measures. The other one is
 * setting up its first problem until then.
 */
Test(helper_pool, the_next_problem_of_a_device_that_dies_is_done_by_another)
{
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\ncopy 3000 f32\ncopy 4000 f32\n");
    e2e_write("there", "");
    tune(TWO "on 1\nslow cuMemAlloc_v2 10000000 while there\n"
             "on 0\nfail cuEventElapsedTime 22 999 sticky once there create gone\ngone gone",
         "tune --shapes shapes --only mine --templates templates --jobs 2 --device all --max-trials 2", 3);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 4);
}

static long kernels_compiled(void)
{
    const char *end = strstr(run.err, " kernels compiled");
    e2e_expect(end != NULL, run);
    while (end > run.err && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return strtol(end, NULL, 10);
}

/* Who has waited for another search's compiler for so long compiles for itself. */
#define ELSEWHERE_S 10

/* These problems have the same kernels, as sizes are arguments: all searches ask for them at the same time.
 * Nobody has waited for long in a run that was shorter.
 */
Test(helper_pool, a_kernel_that_several_searches_ask_for_is_compiled_once)
{
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\ncopy 3000 f32\n");
    e2e_own_cache("db");
    const long before = e2e_count("SELECT count(*) FROM cubin");
    const double start_s = atx_now_s();
    tune("count 3", "tune --shapes shapes --only mine --templates templates --jobs 6 --device all", 0);
    cr_assert_eq(e2e_count(TRIALS), 3 * 32);
    const long kept = e2e_count("SELECT count(*) FROM cubin") - before;
    cr_assert(kernels_compiled() <= kept || atx_now_s() - start_s > ELSEWHERE_S, "%ld compiled, %ld kept",
              kernels_compiled(), kept);
}

/* Which they begin with is said on stderr, with the number of problems begun so far. */
Test(helper_pool, several_devices_begin_with_the_most_expensive_problem_and_one_with_the_first)
{
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\ncopy 300000 f32\n");
    tune(TWO,
         "tune --shapes shapes --only mine --templates templates --jobs 2 --device all --max-trials 2 "
         "--verbose",
         0);
    e2e_expect(strstr(run.err, "  1/3 300000 "), run);
    tune(TWO,
         "tune --shapes shapes --only mine --templates templates --jobs 2 --device 0 --max-trials 2 "
         "--force --verbose",
         0);
    e2e_expect(strstr(run.err, "  1/3 1000 ") && strstr(run.err, "  3/3 300000 "), run);
}

/* With time for all of them each is tuned by one device, and the same command knows them again. */
Test(helper_pool, several_devices_choose_from_a_list_together)
{
    static const char ARGS[] = "tune --shapes shapes --only mine --templates templates --jobs 2 --device all "
                               "--max-trials 2 --tune-for 10m";
    static const char ALL[] =
        "12 problems are tuned; `autotune query --shapes` answers for 0 of the 0 others";
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\ncopy 3000 f32\ncopy 4000 f32\ncopy 5000 f32\n"
                        "copy 6000 f32\ncopy 7000 f32\ncopy 8000 f32\ncopy 9000 f32\ncopy 10000 f32\n"
                        "copy 11000 f32\ncopy 12000 f32\n");
    tune("count 2", ARGS, 0);
    e2e_expect(strstr(run.err, ALL), run);
    cr_assert_eq(e2e_count(TRIALS), 24, "each once");
    tune("count 2", ARGS, 0);
    e2e_expect(strstr(run.err, ALL), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 12);
    cr_assert_eq(e2e_count(TRIALS), 24);
}

Test(helper_pool, a_runner_that_is_killed_starts_again_and_nobody_waits_for_it)
{
    int list[64], killed = 0;
    e2e_script(TWO "hold copy_mine killed");
    e2e_start(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_wait_for_rows(&run, TRIALS, 1);
    int count = e2e_processes(list, 64);
    for (int i = 0; i < count; i++)
        if (e2e_role(list[i]) == 'r')
            killed += kill(list[i], SIGKILL) == 0;
    e2e_write("killed", "");
    e2e_wait(&run);
    e2e_expect(run.code == 0, run);
    cr_assert_gt(killed, 0);
    e2e_expect(strstr(run.out, "THREADS=224"), run);
    cr_assert_eq(e2e_count(TRIALS), 32);
}

Test(helper_pool, a_kernel_that_hangs_costs_one_trial)
{
    e2e_script(TWO "kernel copy_mine 64 hang\n");
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--device all");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count(TRIALS), 31);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed_out'"), 1);
    e2e_expect_no_process();
}

/* As a scheduler or taskset binds it. */
Test(helper_pool, there_is_a_compile_worker_for_each_core_that_the_run_may_use)
{
    cpu_set_t one;
    int list[64], workers = 0;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    e2e_script(TWO "hold copy_mine counted");
    e2e_start(&run, E2E_REAL, "tune copy 1000 f32 --only mine --templates templates --device 0");
    e2e_wait_for_rows(&run, TRIALS, 1);
    int count = e2e_processes(list, 64);
    for (int i = 0; i < count; i++)
        workers += e2e_role(list[i]) == 'w';
    e2e_write("counted", "");
    e2e_wait(&run);
    cr_assert_eq(workers, 1);
}

Test(helper_pool, interrupted_it_ends_in_order)
{
    e2e_script(TWO "hold copy_mine never");
    e2e_start(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_wait_for_rows(&run, TRIALS, 2);
    kill(run.pid, SIGINT);
    e2e_wait(&run);
    e2e_expect(run.code == 130, run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_lt(e2e_count(TRIALS), 32);
}
