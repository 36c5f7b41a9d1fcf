/*
 * test_interrupts.c - how soon a run ends that is told to: by Ctrl-C, or by the end of --budget, wherever it
 * is just then. Measured trials are stored, and an unmeasured configuration is no winner.
 *
 * SOON_S is a wait that is no nuisance; what is interrupted here would go on for a minute or more.
 */
#include "e2e_support.h"

#include "util/clock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SOON_S 30.0 /* the machine may be busy, and sanitizers slow: a second is usual */

TestSuite(interrupts, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

#define COPIES "SELECT count(*) FROM trials_all WHERE op = 'copy'"

/* Seconds until it has ended; fails the test when it takes `limit_s`. */
static double expect_end(double limit_s)
{
    double start_s = atx_now_s();
    while (!e2e_has_ended(&run) && atx_now_s() - start_s < limit_s)
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    double took_s = atx_now_s() - start_s;
    if (!e2e_has_ended(&run))
        kill(run.pid, SIGKILL);
    e2e_reap(&run);
    e2e_expect(took_s < limit_s, run);
    e2e_expect_no_process();
    return took_s;
}

/* Ctrl-C: it ends soon, with the code for that. */
static void interrupt(void)
{
    kill(run.pid, SIGINT);
    double took_s = expect_end(SOON_S);
    fprintf(stderr, "%.2f s\n", took_s);
    e2e_expect(run.code == 130, run);
    if (e2e_has_file("db"))
        e2e_expect_whole();
}

/*
 * Each test has a device of its own, named after the line that asks for it: runs on one would take turns, and
 * that is another story.
 */
static void start_on(int device, e2e_program program, const char *script, const char *args)
{
    char text[1000], all[400];
    snprintf(text, sizeof text, "count 1000\n%s", script);
    snprintf(all, sizeof all, "%s --device %d", args, device);
    e2e_script(text);
    e2e_start(&run, program, all);
}
#define start(script, args) start_on(__LINE__ % 256, E2E_REAL, script, args)

#define WINNERS "SELECT count(*) FROM winner"

/* ---- while a problem is set up ---- */

Test(interrupts, while_devices_are_counted)
{
    e2e_script("slow cuInit 60000 create opens");
    e2e_start(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_wait_for_file(&run, "opens");
    interrupt();
}

Test(interrupts, while_the_device_opens)
{
    start("slow cuDevicePrimaryCtxRetain 60000 create opens", E2E_MINE);
    e2e_wait_for_file(&run, "opens");
    interrupt();
    e2e_expect(strstr(run.err, "interrupted"), run);
}

Test(interrupts, while_the_buffers_are_filled)
{
    start("kernel verify_fill * hang create fills", E2E_MINE);
    e2e_wait_for_file(&run, "fills");
    interrupt();
    e2e_expect(strstr(run.out, "no winner: interrupted while the problem was set up"), run);
}

/* Whether a runner waits for the device: it then holds its door; see device_lock.c. */
static bool one_waits(const char *door)
{
    int fd = open(door, O_RDONLY | O_CLOEXEC);
    bool waits = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return waits;
}

/* The runner of another run has the device. Where this test runs twice at once, they take turns too. */
Test(interrupts, while_another_run_has_the_device)
{
#define DEVICE "/tmp/autotune-GPU-5c5c5c5c-5c5c-5c5c-5c5c-5c5c5c5c5cfd"
    int fd = open(DEVICE ".lock", O_CREAT | O_RDONLY | O_CLOEXEC, 0666);
    cr_assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    start_on(253, E2E_REAL, "", E2E_MINE);
    while (!one_waits(DEVICE ".door")) {
        e2e_expect(!e2e_has_ended(&run), run);
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    interrupt();
    close(fd);
}

/* An op whose reference takes NVRTC a minute. */
static void write_slow_op(void)
{
    char path[200];
    snprintf(path, sizeof path, "%s/templates/slow", e2e_folder());
    mkdir(path, 0777);
    e2e_write(
        "templates/slow/op.cu",
        "/*!autotune\nop slow\nshape count\ntype T = f32\narg out T[count] output\narg in T[count] input "
        "bits\n"
        "reference slow_reference\nblock 32\ngrid 1\ncheck exact\ntraffic 8 * count\n*/\n"
        "template <int I, int D> struct Sum { static __device__ float of(const float *p) {\n"
        "    return Sum<2 * I, D - 1>::of(p) / (p[I] + Sum<2 * I + 1, D - 1>::of(p)); } };\n"
        "template <int I> struct Sum<I, 0> { static __device__ float of(const float *p) { return p[I]; } };\n"
        "extern \"C\" __global__ void slow_reference(T *out, const T *in)\n{\n"
        "    out[0] = Sum<1, 15>::of(in);\n}\n");
    e2e_write("templates/slow/one.cu",
              "/*!autotune\ntemplate one\nparam N = 1 2\ngrid 1\nblock 32\n*/\n"
              "extern \"C\" __global__ void slow_one(T *out, const T *in)\n{\n    out[0] = in[N];\n}\n");
}

#define SLOW_OP "tune slow 1000 f32 --templates templates --jobs 1 "

Test(interrupts, while_the_reference_compiles)
{
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1"); /* verify.cu comes from the cache from now on */
    write_slow_op();
    start("", SLOW_OP);
    e2e_wait_for_work(&run, 'w', 0.5); /* the reference takes a minute */
    interrupt();
    e2e_expect(strstr(run.out, "no winner: interrupted while the problem was set up"), run);
}

Test(interrupts, the_budget_ends_while_the_reference_compiles)
{
    write_slow_op();
    start("", SLOW_OP "--budget 2s");
    expect_end(2.0 + SOON_S);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "no winner: its --budget of 2 s ended while the problem was set up"), run);
}

/* A setup that the budget ended costs the next problem a new runner, nothing else. */
Test(interrupts, the_budget_ends_while_the_buffers_are_filled)
{
    e2e_write("once", "");
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\n");
    start("slow cuMemAlloc_v2 60000 once once",
          "tune --shapes shapes --only mine --templates templates --jobs 2 --max-trials 3 --budget 8s");
    expect_end(8.0 + SOON_S);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "no winner: its --budget of 8 s ended while the problem was set up"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best WHERE shape = '2000'"), 1);
}

/*
 * ---- while configurations are counted: 10^17, and each partial sum is another, so that nothing can be said
 * of them before the last parameter ----
 */

static void write_endless_template(void)
{
    char text[4000];
    int at = snprintf(text, sizeof text, "/*!autotune\ntemplate endless\n");
    for (int i = 0; i < 17; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "param P%d = 0 1 2 3 4 5 6 7 8 9\n", i);
    at += snprintf(text + at, sizeof text - (size_t)at, "require (P0");
    for (int i = 1; i < 17; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " + %.0f * P%d", pow(10, i), i);
    snprintf(
        text + at, sizeof text - (size_t)at,
        ") %% 1000000007 == 5\ngrid 1\nblock 32\n*/\n"
        "extern \"C\" __global__ void copy_endless(T *out, const T *in, long long batch, long long rows, "
        "long long cols)\n{\n    out[0] = in[0];\n}\n");
    e2e_write("templates/copy/endless.cu", text);
}

#define ENDLESS "copy 1000 f32 --only endless --templates templates "

Test(interrupts, while_configurations_are_counted)
{
    write_endless_template();
    start("", "tune " ENDLESS "--verbose");
    e2e_wait_for_said(&run, "set up: counting the configurations of endless");
    interrupt();
    e2e_expect(strstr(run.out, "no winner: interrupted while the problem was set up"), run);
}

Test(interrupts, the_budget_ends_while_configurations_are_counted)
{
    write_endless_template();
    start("", "tune " ENDLESS "--budget 1s");
    expect_end(1.0 + SOON_S);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "no winner: its --budget of 1 s ended while the problem was set up"), run);
}

/* Whoever waits for long is told what for. */
Test(interrupts, while_space_counts)
{
    write_endless_template();
    e2e_start(&run, E2E_QUICK, "space " ENDLESS);
    e2e_wait_for_said(&run,
                      "autotune: counting the configurations of endless, 1e+17 before its requirements");
    interrupt();
    e2e_expect(strstr(run.err, "autotune: interrupted while"), run);
}

Test(interrupts, while_space_is_measured)
{
    write_endless_template();
    e2e_start(&run, E2E_REAL, "space " ENDLESS "--bench");
    e2e_wait_for_work(&run, 's', 0.3);
    interrupt();
}

/* ---- while copies are tried ---- */

#define TRANSPOSE "tune transpose 33x47 f32 --jobs 2 "

static void expect_some_copies(void)
{
    long copies = e2e_count(COPIES);
    cr_assert(copies >= 2 && copies < 80, "%ld copies", copies);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE op = 'transpose'"), 0);
    cr_assert_eq(e2e_count(WINNERS), 0);
}

Test(interrupts, while_copies_are_tried)
{
    start("pace 200\nl2 20000", TRANSPOSE);
    e2e_wait_for_rows(&run, COPIES, 2);
    interrupt();
    expect_some_copies();
    e2e_expect(strstr(run.out, "no winner: interrupted before the first trial ended"), run);
}

/* On a busy machine the setting up alone takes the first budgets. */
Test(interrupts, the_budget_ends_while_copies_are_tried)
{
    char args[200], said[200];
    for (int budget_s = 5; budget_s <= 80; budget_s *= 2) {
        snprintf(args, sizeof args, TRANSPOSE "--budget %ds", budget_s);
        snprintf(said, sizeof said, "no winner: its --budget of %d s ended before the first trial did",
                 budget_s);
        start("pace 200\nl2 20000", args);
        expect_end(budget_s + SOON_S);
        e2e_expect(run.code == 1, run);
        if (e2e_has_table("trial") && e2e_count(COPIES) >= 2)
            break;
    }
    e2e_expect(strstr(run.out, said), run);
    expect_some_copies();
}

/* ---- during the re-measurement ---- */

/* Only a re-measurement has the driver copy anything. */
#define REMEASURE "slow cuMemcpyDtoDAsync_v2 1 create remeasure\n"

#define SAMPLES "SELECT samples FROM best WHERE op = 'copy'"

#define TRIES 10 /* the second that a re-measurement has may be too short on a busy machine */

static void remove_file(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", e2e_folder(), name);
    unlink(path);
}

/*
 * It has as many rounds as a re-measurement must have, no more; 15 of them are the fewest when nobody is in a
 * hurry. They have a second: the driver stops at its first copy until the signal is there, and then takes no
 * time.
 */
Test(interrupts, a_final_ends_with_the_fewest_rounds_that_are_honest)
{
    e2e_write("token", "");
    start("slow cuMemcpyDtoDAsync_v2 2000 once token create remeasure\nl2 20000", E2E_MINE "--max-trials 8");
    e2e_wait_for_file(&run, "remeasure");
    interrupt();
    e2e_expect(strstr(run.out, "THREADS=") && strstr(run.out, "[interrupted]"), run);
    cr_assert_eq(e2e_count(SAMPLES), 5);
}

Test(interrupts, a_final_that_has_too_few_rounds_gives_no_winner)
{
    start(REMEASURE "pace 60\nl2 20000", E2E_MINE "--max-trials 8");
    e2e_wait_for_file(&run, "remeasure");
    interrupt();
    e2e_expect(strstr(run.out, "no winner: interrupted in the re-measurement"), run);
    e2e_expect(strstr(run.out, "the fastest of 8 trials"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 8);
    cr_assert_eq(e2e_count(WINNERS), 0);

    /* The same command goes on with the re-measurement. */
    long last = e2e_count("SELECT max(id) FROM trial");
    e2e_script("");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--max-trials 8");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT max(id) FROM trial"), last);
    cr_assert_eq(e2e_count(WINNERS), 1);
}

/* Its runner is killed once it has been silent for as long as a trial may be. */
Test(interrupts, a_final_that_hangs)
{
    start_on(254, E2E_QUICK, "slow cuMemcpyDtoDAsync_v2 60000 create remeasure", E2E_MINE "--max-trials 8");
    e2e_wait_for_file(&run, "remeasure");
    interrupt();
    e2e_expect(strstr(run.out, "no winner: interrupted in the re-measurement"), run);
    cr_assert_eq(e2e_count(WINNERS), 0);
}

/* A search that was interrupted still has its re-measurement, a short one. */
Test(interrupts, in_the_search_a_short_final_follows)
{
    bool played = false;
    for (int i = 0; i < TRIES && !played; i++) {
        remove_file("db");
        start("pace 2\nl2 20000", E2E_MINE);
        e2e_wait_for_rows(&run, COPIES, 3);
        interrupt();
        played = strstr(run.out, "THREADS=") && strstr(run.out, "[interrupted]");
    }
    e2e_expect(played, run);
    cr_assert_eq(e2e_count(SAMPLES), 5);
}

/*
 * What the re-measurement needs is compiled in a second of its own, however long the search took to end: the
 * fastest is known from before and no kernel of this run.
 */
Test(interrupts, a_final_that_has_to_compile_has_a_second_for_it)
{
    bool played = false;
    for (int i = 0; i < TRIES && !played; i++) {
        char args[200];
        remove_file("db");
        remove_file("timing");
        start("time copy_mine 224 5000", E2E_MINE "--max-trials 32");
        e2e_wait(&run);
        e2e_expect(strstr(run.out, "THREADS=224"), run);
        cr_assert_eq(e2e_count("DELETE FROM winner"), -1);
        cr_assert_eq(e2e_count("DELETE FROM trial WHERE config = 'THREADS=96'"), -1);
        e2e_write("token", "");
        snprintf(args, sizeof args, E2E_MINE "--max-trials 32 --no-cache");
        start("time copy_mine 224 5000\nslow cuEventElapsedTime 1500 once token create timing", args);
        e2e_wait_for_file(&run, "timing");
        interrupt();
        played = strstr(run.out, "THREADS=224") != NULL;
    }
    e2e_expect(played && strstr(run.out, "[interrupted]"), run);
}

/* The end of the budget ends the search; the re-measurement is then as short as one is that nobody
 * interrupts. On a busy machine the setting up alone takes the first budgets. */
Test(interrupts, the_budget_ends_and_a_final_follows)
{
    run.code = 1;
    for (int budget_s = 6; budget_s <= 48 && run.code != 0; budget_s *= 2) {
        char args[200];
        snprintf(args, sizeof args, E2E_MINE "--budget %ds", budget_s);
        start("pace 0.2\nnoise 0.3\nl2 20000\nslow cuModuleLoadData 400", args);
        expect_end(budget_s + SOON_S);
    }
    e2e_expect(run.code == 0 && strstr(run.out, "[interrupted]"), run);
    cr_assert_eq(e2e_count(SAMPLES), 15);
}

/* The next problem is begun when the budget of the one before has ended already: it has one of its own. */
Test(interrupts, the_budget_of_a_problem_is_not_that_of_the_next)
{
    const char *first = NULL;
    run.code = 1;
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\n");
    for (int budget_s = 6; budget_s <= 48 && run.code != 0; budget_s *= 2) {
        char args[200];
        snprintf(args, sizeof args,
                 "tune --shapes shapes --only mine --templates templates --jobs 2 --force --budget %ds",
                 budget_s);
        start("pace 0.2\nnoise 0.3\nl2 20000\nslow cuModuleLoadData 400", args);
        expect_end(2 * (budget_s + SOON_S));
    }
    first = strstr(run.out, "[interrupted]");
    e2e_expect(run.code == 0 && first && strstr(first + 1, "[interrupted]"), run);
}

/*
 * ---- every other command ends within a second of the first signal: in order where it can, else by force
 * ----
 */

static const int SIGNALS[] = { SIGINT, SIGTERM, SIGHUP };

/* Whoever waits for a pipe, a lock or a compiler has begun to; the other end is ours. */
static void expect_interrupted(int signal_number)
{
    kill(run.pid, signal_number);
    double took_s = expect_end(SOON_S);
    fprintf(stderr, "%.2f s\n", took_s);
    e2e_expect(run.code == 128 + signal_number, run);
    e2e_expect(strstr(run.err, "autotune: interrupted"), run);
    cr_assert_not(strstr(run.err, "error"), "%s", run.err);
}

static void make_pipe(char path[200], const char *name)
{
    snprintf(path, 200, "%s/%s", e2e_folder(), name);
    cr_assert_eq(mkfifo(path, 0600), 0);
}

/* A writer that does not write, once there is a reader. */
static int open_pipe(const char *path)
{
    int fd;
    while ((fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        e2e_expect(errno == ENXIO && !e2e_has_ended(&run), run);
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    return fd;
}

static const char *const READERS[] = {
    "import pipe --db new",      "import pipe --print",  "merge new pipe",
    "dump -o new --shapes pipe", "verify --shapes pipe", "tune --shapes pipe --db new",
};
enum { READER_COUNT = sizeof READERS / sizeof *READERS };

/* SIGTERM and the end of a terminal end a command as Ctrl-C does, but for its exit code. */
Test(interrupts, commands_that_read_what_never_comes)
{
    char path[200];
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1");
    make_pipe(path, "pipe");
    for (int i = 0; i < READER_COUNT; i++) {
        e2e_start(&run, E2E_REAL, READERS[i]);
        int other = open_pipe(path);
        expect_interrupted(SIGNALS[i % 3]);
        cr_assert_not(e2e_has_file("new"), "%s: left a file", READERS[i]);
        close(other);
    }
}

static const char *const WAITERS[] = {
    "query copy 1000 f32", "show copy 1000 f32", "export copy 1000 f32 -o new",  "dump -o new",
    "report -o new",       "merge db db",        "verify --templates templates", "compare db db",
};
enum { WAITER_COUNT = sizeof WAITERS / sizeof *WAITERS };

enum { LAST_FD = 64 }; /* of those that a program has */

static bool has_open(int pid, const char *name)
{
    char link[64], wanted[200], found[300];
    snprintf(wanted, sizeof wanted, "%s/%s", e2e_folder(), name);
    for (int fd = 3; fd < LAST_FD; fd++) {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
        ssize_t len = readlink(link, found, sizeof found - 1);
        found[len > 0 ? len : 0] = '\0';
        if (strcmp(found, wanted) == 0)
            return true;
    }
    return false;
}

/* A database that somebody else has for himself, as SQLite locks it: its pending, reserved and shared bytes.
 */
static int lock_database(const char *name)
{
    char path[200];
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512 };
    snprintf(path, sizeof path, "%s/%s", e2e_folder(), name);
    int low = open(path, O_RDWR | O_CLOEXEC), fd = fcntl(low, F_DUPFD_CLOEXEC, LAST_FD);
    close(low); /* children have ours until they are the program */
    cr_assert(fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0);
    return fd;
}

static void wait_for_open(const char *name)
{
    while (!has_open(run.pid, name)) {
        e2e_expect(!e2e_has_ended(&run), run);
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
}

Test(interrupts, commands_that_wait_for_a_database)
{
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1");
    int fd = lock_database("db");
    for (int i = 0; i < WAITER_COUNT; i++) {
        e2e_start(&run, E2E_REAL, WAITERS[i]);
        wait_for_open("db");
        expect_interrupted(SIGNALS[i % 3]);
        cr_assert_not(e2e_has_file("new"), "%s: left a file", WAITERS[i]);
    }
    close(fd);
    e2e_expect_whole();
}

/* A run has all the time that it takes, but not for what others have locked: for that it has 30 s. */
static void interrupt_waiting_for(int device, const char *name)
{
    int fd = lock_database(name);
    start_on(device, E2E_REAL, "", E2E_MINE "--max-trials 2 --force");
    wait_for_open(name);
    kill(run.pid, SIGINT);
    expect_end(20);
    e2e_expect(run.code == 130, run);
    close(fd);
}

Test(interrupts, a_run_that_waits_for_its_database)
{
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1");
    interrupt_waiting_for(251, "db");
    e2e_expect(strstr(run.err, "interrupted"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 1);
    e2e_expect_whole();
}

Test(interrupts, a_run_that_waits_for_its_cache_of_kernels)
{
    char path[200];
    snprintf(path, sizeof path, "%s/kernels", e2e_folder());
    setenv("AUTOTUNE_CACHE", path, 1);
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1");
    interrupt_waiting_for(252, "kernels");
}

/* A kernel that compiles for a minute. */
Test(interrupts, while_kernels_are_checked)
{
    write_slow_op();
    e2e_start(&run, E2E_REAL,
              "check slow --templates templates --only one --shape 1000 --dtype f32 --jobs 1");
    e2e_wait_for_work(&run, 'w', 0.5);
    interrupt();
}
