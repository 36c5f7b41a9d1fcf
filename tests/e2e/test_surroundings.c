/*
 * test_surroundings.c - what a program is started into: descriptors that are closed, processes that are
 * frozen for a while, signals that are blocked.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

TestSuite(surroundings, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* The runner of the run; there is one. */
static int runner_of_run(void)
{
    int list[64], count = e2e_processes(list, 64);
    for (int i = 0; i < count; i++)
        if (e2e_role(list[i]) == 'r')
            return list[i];
    cr_assert_fail("there is no runner");
    return 0;
}

/* ---- closed descriptors: whatever is opened first must not take their place ---- */

static void tune_without(int fd)
{
    e2e_start_without(&run, fd, E2E_QUICK, E2E_MINE "--max-trials 4");
    e2e_wait(&run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 1);
}

Test(surroundings, without_stdin_a_run_is_as_ever)
{
    tune_without(0);
    e2e_expect(run.code == 0 && strstr(run.out, "THREADS="), run);
}

/* The results went into the socket of the device's runner, and nobody was told. */
Test(surroundings, without_stdout_the_exit_code_tells_that_results_were_lost)
{
    tune_without(1);
    e2e_expect(run.code == 5, run);
    e2e_expect(strstr(run.err, "error: the output could not be written: stdout is closed"), run);
}

Test(surroundings, without_stderr_a_run_is_as_ever)
{
    tune_without(2);
    e2e_expect(run.code == 0 && strstr(run.out, "THREADS="), run);
}

/* ---- a driver that is older than the compiler ---- */

Test(surroundings, a_driver_that_loads_nothing_of_this_nvrtc_is_named_before_anything_is_tuned)
{
    e2e_script("cuda 11070");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--max-trials 4");
    e2e_expect(run.code == 3, run);
    e2e_expect(strstr(run.err, "a driver for CUDA 11.7, which loads no kernel that a compiler of CUDA 1"),
               run);
    e2e_expect(strstr(run.err, "expected NVRTC of CUDA 11: "), run);
}

/* ---- folders ---- */

/* Where a batch system gives one /tmp may be full. */
Test(surroundings, a_run_keeps_to_its_folder_for_temporary_files_however_long_its_name_is)
{
    static const char FOLDER[] = "/nowhere/of_a_batch_system/of_a_user/of_a_job/of_a_node";
    setenv("TMPDIR", FOLDER, 1);
    e2e_start(&run, E2E_REAL, "run copy 1000 f32 --config mine --templates templates");
    unsetenv("TMPDIR");
    e2e_wait(&run);
    e2e_expect(run.code == 5 && strstr(run.err, FOLDER) && strstr(run.err, "No such file"), run);
}

Test(surroundings, a_run_with_a_folder_for_temporary_files_leaves_nothing_there)
{
    char name[300];
    snprintf(name, sizeof name, "%s/of_a_batch_system_and_a_user", e2e_folder());
    cr_assert_eq(mkdir(name, 0700), 0);
    setenv("TMPDIR", name, 1);
    e2e_start(&run, E2E_REAL, "run copy 1000 f32 --config mine --templates templates");
    unsetenv("TMPDIR");
    e2e_wait(&run);
    e2e_expect(run.code == 0, run);
    cr_assert_eq(rmdir(name), 0, "it is empty");
}

/* ---- signals that whoever starts the program has blocked or ignored, for reasons of its own ---- */

static void start_among(int blocked, const char *args)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, blocked);
    sigprocmask(SIG_BLOCK, &set, &before);
    e2e_start(&run, E2E_REAL, args);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void expect_interrupted_by(int signal_number)
{
    e2e_script("slow cuDevicePrimaryCtxRetain 600000 create opens");
    start_among(signal_number, E2E_MINE);
    e2e_wait_for_file(&run, "opens");
    kill(run.pid, signal_number);
    e2e_wait(&run);
    e2e_expect(run.code == 128 + signal_number, run);
    e2e_expect_no_process();
}

Test(surroundings, an_interrupt_that_was_blocked_is_heard)
{
    expect_interrupted_by(SIGINT);
}

Test(surroundings, an_end_that_was_blocked_is_heard)
{
    expect_interrupted_by(SIGTERM);
}

/* The system then forgets how a child ended: each seems to have ended well. */
Test(surroundings, how_a_runner_ended_is_known_where_ends_of_children_were_ignored)
{
    setenv("AUTOTUNE_EXE", "/bin/false", 1); /* for the helpers */
    signal(SIGCHLD, SIG_IGN);
    e2e_start(&run, E2E_REAL, E2E_MINE);
    signal(SIGCHLD, SIG_DFL);
    e2e_wait(&run);
    e2e_expect(strstr(run.err, "ended with exit code 1"), run);
}

/* ---- frozen processes: nothing that was slow for that alone may be remembered as such ---- */

#define OUTCOMES(what) "SELECT count(*) FROM trials_all WHERE template = 'mine' AND outcome = '" what "'"

static void expect_all_timed(long trials)
{
    e2e_wait(&run);
    e2e_expect(run.code == 0, run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count(OUTCOMES("timed_out")), 0);
    cr_assert_eq(e2e_count(OUTCOMES("timed")), trials);
}

/* Each test has a device of its own: a runner that is frozen keeps its turn. */
static void start_on(const char *device, e2e_program program, const char *script, const char *more)
{
    char text[500], args[300];
    snprintf(text, sizeof text, "count 1000\n%s", script);
    snprintf(args, sizeof args, E2E_MINE "--device %s %s", device, more);
    e2e_script(text);
    e2e_start(&run, program, args);
}

/* Frozen for good: another runner takes its place, and the trial another chance. */
Test(surroundings, a_runner_that_is_frozen_costs_no_trial)
{
    e2e_write("hang", "");
    start_on("240", E2E_QUICK, "time copy_mine 64 1000\nkernel copy_mine 64 hang once hang create hangs", "");
    e2e_wait_for_file(&run, "hangs");
    kill(runner_of_run(), SIGSTOP);
    expect_all_timed(32);
}

/* All of it, for longer than a trial may take: the runner is the same afterwards. */
Test(surroundings, a_run_that_is_frozen_goes_on_as_if_nothing_had_been)
{
    start_on("241", E2E_REAL, "hold copy_mine thawed", "");
    e2e_wait_for_rows(&run, OUTCOMES("timed"), 1);
    int runner = runner_of_run();
    kill(run.pid, SIGSTOP);
    kill(runner, SIGSTOP);
    sleep_ms(6000);
    kill(run.pid, SIGCONT);
    sleep_ms(200); /* it looks before the runner can answer */
    cr_assert(runner_of_run() == runner, "the runner was blamed for the time in which nothing ran");
    kill(runner, SIGCONT);
    e2e_write("thawed", "");
    expect_all_timed(32);
}

/* Only a re-measurement has the driver copy anything. */
Test(surroundings, a_final_whose_runner_is_frozen_is_played_again)
{
    e2e_write("wait", "");
    start_on("242", E2E_QUICK, "slow cuMemcpyDtoDAsync_v2 60000 once wait create remeasure",
             "--max-trials 4");
    e2e_wait_for_file(&run, "remeasure");
    kill(runner_of_run(), SIGSTOP);
    expect_all_timed(4);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 1);
}

/* What waits behind a kernel that hangs is more than a socket holds: nobody may wait for room. */
Test(surroundings, large_kernels_behind_one_that_hangs)
{
    e2e_write("templates/copy/mine.cu",
              "/*!autotune\ntemplate mine\nparam THREADS = 32 64 96 128 160 192\n"
              "grid ceil_div(count, THREADS)\nblock THREADS\n*/\n"
              "__device__ int ballast[100000] = { THREADS };\n"
              "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch, long long rows, "
              "long long cols)\n{\n"
              "    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;\n"
              "    if (i < batch * rows * cols)\n"
              "        out[i] = ballast[0] == THREADS ? in[i] : 0;\n}\n");
    start_on("243", E2E_QUICK, "kernel copy_mine 96 hang\ntime copy_mine 160 1000", "");
    e2e_wait(&run);
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count(OUTCOMES("timed")), 5);
    cr_assert_eq(e2e_count(OUTCOMES("timed_out")), 1);
}

/* ---- turns ---- */

/* Figures that two runs take at once are none: whoever cannot be kept from it is told. */
Test(surroundings, a_run_that_cannot_take_turns_says_so)
{
    const char *path = "/tmp/autotune-GPU-5c5c5c5c-5c5c-5c5c-5c5c-5c5c5c5c5cfb.lock";
    unlink(path);
    cr_assert_eq(symlink("/nowhere", path), 0);
    e2e_script("count 1000");
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1 --device 251");
    unlink(path);
    e2e_expect(run.code == 0, run);
    e2e_expect(strstr(run.err, "warning: GPU 251: other runs of autotune on it are not kept from disturbing"),
               run);
    e2e_expect(strstr(run.err, ".lock: is a symbolic link"), run);
}
