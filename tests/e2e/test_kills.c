/*
 * test_kills.c - processes that are killed, users who interrupt, disks that are full: what was
 * measured stays, the same command goes on, nothing is left behind.
 *
 * The device takes its time here ("pace"), so that there is something to interrupt.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLOW   "pace 3\nl2 20000\n"
#define WORK   E2E_MINE
#define TRIALS "SELECT count(*) FROM trials_all WHERE template = 'mine'"

static e2e_run run;

static void begin(void)
{
    e2e_begin();
    e2e_script(SLOW);
    e2e_own_cache("cache");
}

TestSuite(kills, .init = begin, .fini = e2e_end);

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* 's', 'w' or 'r': kills one such process of the test; false when there is none. */
static bool kill_one(char role, uint64_t *random)
{
    int list[64], found[64], count = e2e_processes(list, 64), matches = 0;
    for (int i = 0; i < count; i++)
        if (e2e_role(list[i]) == role)
            found[matches++] = list[i];
    return matches && kill(found[next_random(random) % (uint64_t)matches], SIGKILL) == 0;
}

static void run_to_the_end(void)
{
    e2e_tune(&run, E2E_QUICK, WORK);
    e2e_expect(run.code == 0, run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count(TRIALS), 32);
}

/*
 * A killed supervisor: its processes end with it; what it stored is there; the next run adds to that. Every
 * other one has a database when it is killed, however slow the machine is.
 */
static void kill_supervisors(uint64_t random, int times)
{
    long before = 0;
    for (int i = 0; i < times; i++) {
        e2e_own_cache("cache"); /* so that something is compiled */
        e2e_start(&run, E2E_QUICK, WORK);
        while (i % 2 && !e2e_has_table("trial") && !e2e_has_ended(&run))
            sleep_ms(2);
        sleep_ms((long)(next_random(&random) % (i % 2 ? 300 : 900)));
        kill(run.pid, SIGKILL);
        e2e_reap(&run);
        e2e_expect_no_process();
        if (!e2e_has_table("trial"))
            continue; /* killed before there was a database */
        e2e_expect_whole();
        long now = e2e_count("SELECT count(*) FROM trial");
        cr_assert_geq(now, before, "kill %d: %ld trials were stored, %ld are left", i, before, now);
        before = now;
    }
    long known = before, last = e2e_count("SELECT max(id) FROM trial");
    run_to_the_end();
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 32);
    /* Nothing known was tried again: that would have given its row another number. */
    if (known > 0)
        cr_assert_leq(e2e_count("SELECT max(id) FROM trial") - last, 32 - known);
}

Test(kills, supervisors)
{
    kill_supervisors(1, e2e_few(24));
}

/* The message of a run that lost too many helpers in a row. */
static bool says_so(const e2e_run *r)
{
    return r->code == 3 || r->code == 5
               ? strstr(r->err, "killed by signal 9") != NULL
               : r->code == 0 || (r->code == 1 && strstr(r->out, "killed by signal 9"));
}

/* Runs go on after each; one that is killed twice at the same thing may end, in words. */
static void kill_helpers(char role, uint64_t random, int times, long least_ms, long more_ms)
{
    int killed = 0;
    for (int round = 1; killed < times; round++) {
        char args[200];
        snprintf(args, sizeof args, WORK "--force --seed %d", round);
        e2e_own_cache("cache");
        e2e_start(&run, E2E_QUICK, args);
        while (killed < times && !e2e_has_ended(&run)) {
            sleep_ms(least_ms + (long)(next_random(&random) % (uint64_t)more_ms));
            killed += kill_one(role, &random);
        }
        e2e_wait(&run);
        e2e_expect(says_so(&run), run);
        e2e_expect_no_process();
        if (run.code != 3 || e2e_has_file("db")) /* a device that never started leaves none */
            e2e_expect_whole();
        cr_assert_lt(round, 60);
    }
    run_to_the_end();
}

Test(kills, workers)
{
    kill_helpers('w', 2, e2e_few(30), 100, 200);
}

Test(kills, runners)
{
    kill_helpers('r', 3, e2e_few(46), 0, 120);
}

/* ---- users ---- */

static void interrupt_once(int signal_number)
{
    e2e_script("pace 20\nl2 20000");
    e2e_start(&run, E2E_REAL, WORK);
    e2e_wait_for_rows(&run, TRIALS, 1);
    kill(run.pid, signal_number);
    e2e_wait(&run);
    e2e_expect(run.code == 128 + signal_number, run);
    e2e_expect_no_process();
    e2e_expect_whole();
    long trials = e2e_count(TRIALS);
    cr_assert(trials >= 1 && trials < 32, "%ld", trials);
}

Test(kills, interrupted_once_it_ends_in_order)
{
    interrupt_once(SIGINT);
    e2e_script(SLOW);
    run_to_the_end();
}

Test(kills, terminated_it_ends_in_order)
{
    interrupt_once(SIGTERM);
}

/* All kernels come from the cache, so that every configuration waits for the device at once. */
Test(kills, interrupted_when_all_is_proposed_it_ends_in_order)
{
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--db first"); /* fills the cache */
    e2e_expect(run.code == 0, run);
    e2e_script("pace 20\nl2 20000");
    e2e_start(&run, E2E_REAL, E2E_MINE);
    e2e_wait_for_rows(&run, TRIALS, 1);
    kill(run.pid, SIGINT);
    e2e_wait(&run);
    e2e_expect(run.code == 130, run);
    e2e_expect(strstr(run.out, "interrupted"), run);
    e2e_expect_no_process();
}

/* The second time at once, also while a kernel hangs. */
Test(kills, interrupted_twice_it_ends_at_once)
{
    e2e_script("pace 3\nl2 20000\nkernel copy_mine 512 hang create hangs");
    e2e_start(&run, E2E_REAL, WORK);
    e2e_wait_for_file(&run, "hangs");
    e2e_signal(&run, SIGINT);
    sleep_ms(100); /* so that it would have ended, if it did */
    cr_assert(!e2e_has_ended(&run), "the first time it waits for the trial");
    kill(run.pid, SIGINT);
    e2e_wait(&run);
    e2e_expect(run.code == 130, run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count(TRIALS " AND config LIKE '%=512%'"), 0, "it did not wait for the watchdog");
}

/* Nor does it wait for a kernel that compiles for minutes. */
Test(kills, interrupted_while_compiling_it_ends_in_order)
{
    e2e_script(SLOW);
    e2e_write(
        "templates/copy/slow.cu",
        "/*!autotune\ntemplate slow\nparam N = 1 2 3 4\ngrid 1\nblock 32\n*/\n"
        "template <int I, int D> struct Sum { static __device__ float of(const float *p) {\n"
        "    return Sum<2 * I, D - 1>::of(p) / (p[I] + Sum<2 * I + 1, D - 1>::of(p)); } };\n"
        "template <int I> struct Sum<I, 0> { static __device__ float of(const float *p) { return p[I]; } };\n"
        "extern \"C\" __global__ void copy_slow(T *out, const T *in, long long batch, long long rows, "
        "long long cols)\n{\n    out[0] = Sum<N, 15>::of(in);\n}\n");
    e2e_start(&run, E2E_REAL, "tune copy 1000 f32 --only slow --templates templates --jobs 2");
    e2e_wait_for_work(&run, 'w', 0.5);
    kill(run.pid, SIGINT);
    e2e_wait(&run);
    /* Where that is depends: the problem is set up while its first candidates are compiled. */
    e2e_expect(run.code == 130 && strstr(run.out, "no winner: interrupted "), run);
    e2e_expect_no_process();
}

/* ---- two at once ---- */

Test(kills, two_runs_at_once_on_one_database)
{
    e2e_run other;
    e2e_start(&run, E2E_QUICK, WORK "--seed 1");
    e2e_start(&other, E2E_QUICK, WORK "--seed 2");
    e2e_wait(&run);
    e2e_wait(&other);
    e2e_expect(run.code == 0, run);
    e2e_expect(other.code == 0, other);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count(TRIALS " AND outcome = 'timed'"), 32);
}

/* ---- full disks ---- */

static void fill_up(const char *path)
{
    static char block[4096];
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    while (fwrite(block, 1, sizeof block, file) == sizeof block && fflush(file) == 0)
        ;
    fclose(file);
}

/* A small file system, for root: what is stored stays, and the run says why it ends. With room it goes on. */
Test(kills, a_full_disk)
{
    char disk[200], path[240], args[400];
    snprintf(disk, sizeof disk, "%s/disk", e2e_folder());
    mkdir(disk, 0777);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=512k") != 0)
        cr_skip_test("no file system of its own: %s", strerror(errno));
    snprintf(path, sizeof path, "%s/db", disk);
    setenv("AUTOTUNE_DB", path, 1);
    snprintf(args, sizeof args, WORK "--db %s --max-trials 4", path);
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == 0, run);
    snprintf(path, sizeof path, "%s/filler", disk);
    fill_up(path);
    snprintf(args, sizeof args, WORK "--db %s/db", disk);
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == 4 && strstr(run.err, "full"), run);
    e2e_expect_no_process();
    unlink(path);
    e2e_tune(&run, E2E_QUICK, args);
    int code = run.code;
    snprintf(args, sizeof args, "cp %s/db* %s/", disk, e2e_folder());
    bool copied = system(args) == 0;
    umount2(disk, MNT_DETACH);
    cr_assert(copied);
    e2e_expect(code == 0, run);
    e2e_expect_whole();
    cr_assert_eq(e2e_count(TRIALS), 32);
}
