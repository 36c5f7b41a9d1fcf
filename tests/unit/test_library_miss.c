/*
 * test_library_miss.c - problems that are tuned when they first run: at_run and at_prepare on a driver that
 * only takes notes, and `autotune` itself, in a process of its own, on the scripted one. A test's program is
 * a shell script, which counts how often it was started, and is the real one, or does something wrong.
 */
#include "fake_driver.h"
#include "library_support.h"

#include "util/clock.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LONG_S 400.0 /* what must not be waited for */
#define SOON_S 100.0 /* the machine may be busy     */

static const at_problem COPY = { .op = "copy", .type = AT_F32, .size_count = 1, .sizes = { 1000 } };
static char program[200], started[200];

static void write_script(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
    cr_assert_eq(chmod(path, mode), 0);
}

/* The shell's words, once it has written down that it was started. */
static void be_program(const char *words)
{
    char text[1200];
    snprintf(text, sizeof text, "#!/bin/sh\necho \"$$ $*\" >>'%s'\n%s\n", started, words);
    write_script(program, text, 0755);
}

/* Three trials are as good as all: what is found is not asked here. */
static void be_real_program(const char *before)
{
    char words[700];
    snprintf(
        words, sizeof words,
        "%s\nexport LD_LIBRARY_PATH='%s' AT_SCRIPT='%s/script'\nexec '%s' \"$@\" --max-trials 3 --jobs 2",
        before, AT_DRIVER_FOLDER, home.path, AT_REAL);
    be_program(words);
}

static int count_starts(void)
{
    int count = 0;
    FILE *file = fopen(started, "r");
    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static void set_up_tuning(void)
{
    char script[200];
    set_up();
    snprintf(program, sizeof program, "%s/program", home.path);
    snprintf(started, sizeof started, "%s/started", home.path);
    snprintf(script, sizeof script, "%s/script", home.path);
    write_script(script, "l2 100000\nnoise 0.005\n", 0644);
    umask(022);
    set_or_unset("AUTOTUNE_CACHE", AT_KERNEL_CACHE);
    fake_use_context(1);
}

TestSuite(library_miss, .init = set_up_tuning, .fini = tear_down);

static at_open_options options_of(double tune_s)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = home.db;
    options.tune_s = tune_s;
    options.program = program;
    return options;
}

static at_tuner *open_with(const at_open_options *options)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    cr_assert_eq(at_open(&tuner, options, &err), AT_OK, "%s", err.text);
    return tuner;
}

static at_tuner *open_tuning(double tune_s)
{
    const at_open_options options = options_of(tune_s);
    return open_with(&options);
}

static const at_found *prepare_ok(at_tuner *tuner)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    at_status status = at_prepare(&found, tuner, &COPY, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    return found;
}

static void run_ok(at_tuner *tuner)
{
    at_error err = { 0 };
    void *const buffers[] = { (void *)(uintptr_t)0x10000000, (void *)(uintptr_t)0x20000000 };
    at_status status = at_run(tuner, &COPY, buffers, 2, NULL, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
}

static void expect_warning(const at_found *found, const char *text)
{
    cr_assert_eq(found->match, AT_MATCH_NONE, "%s", found->why);
    cr_assert(strstr(found->warning, text), "expected %s in: %s", text, found->warning);
}

/* ---- while its caller waits ---- */

Test(library_miss, what_is_not_known_is_tuned_when_it_first_runs)
{
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    run_ok(tuner);
    const at_found *found = prepare_ok(tuner);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s; %s", found->why, found->warning);
    cr_assert_str_eq(found->origin, "database");
    cr_assert_str_eq(found->warning, "");
    cr_assert_eq(count_starts(), 1);
    at_close(tuner);
}

Test(library_miss, what_was_tuned_is_known_to_the_next)
{
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    prepare_ok(tuner);
    at_close(tuner);
    tuner = open_tuning(LONG_S);
    cr_assert_eq(prepare_ok(tuner)->match, AT_MATCH_EXACT);
    cr_assert_eq(count_starts(), 1);
    at_close(tuner);
}

/* A database of old stays the one that is asked. */
Test(library_miss, what_is_found_is_seen_in_a_database_that_was_open)
{
    be_real_program("");
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    at_tuner *tuner = open_tuning(LONG_S);
    cr_assert_eq(prepare_ok(tuner)->match, AT_MATCH_EXACT);
    at_close(tuner);
}

Test(library_miss, nothing_is_tuned_unless_asked_for)
{
    at_open_options options = options_of(0);
    options.database = NULL;
    be_real_program("");
    at_tuner *tuner = open_with(&options);
    cr_assert_eq(prepare_ok(tuner)->match, AT_MATCH_NONE);
    cr_assert_eq(count_starts(), 0);
    at_close(tuner);
}

Test(library_miss, what_is_known_exactly_is_not_tuned)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    at_status status = at_prepare(&found, tuner, &TUNED, &err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(found->match, AT_MATCH_EXACT);
    cr_assert_eq(count_starts(), 0);
    at_close(tuner);
}

Test(library_miss, nothing_is_tuned_while_a_graph_is_captured)
{
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    fake_capture(1);
    run_ok(tuner);
    cr_assert_eq(count_starts(), 0);
    cr_assert_eq(fake_read().launches, 1);
    at_close(tuner);
}

/* ---- what goes wrong ---- */

Test(library_miss, a_tuner_that_crashes_leaves_what_is_known)
{
    be_program("kill -SEGV $$");
    at_tuner *tuner = open_tuning(LONG_S);
    run_ok(tuner);
    expect_warning(prepare_ok(tuner), "ended by signal 11");
    cr_assert_eq(count_starts(), 1, "and it is not tried again");
    at_close(tuner);
}

Test(library_miss, a_tuner_that_fails_says_why)
{
    be_program("echo 'autotune: error: the moon is full' >&2; exit 4");
    at_tuner *tuner = open_tuning(LONG_S);
    expect_warning(prepare_ok(tuner), "exit code 4: the moon is full");
    at_close(tuner);
}

/* The first number that it wrote down: of a process that must be gone. */
static pid_t pid_of_start(void)
{
    int pid = 0;
    FILE *file = fopen(started, "r");
    cr_assert(file && fscanf(file, "%d", &pid) == 1);
    fclose(file);
    return pid;
}

static void expect_ended_in_time(const char *words)
{
    be_program(words);
    at_tuner *tuner = open_tuning(1);
    double start_s = at__now_s();
    expect_warning(prepare_ok(tuner), "budget of 1 s");
    cr_assert_lt(at__now_s() - start_s, SOON_S);
    cr_assert_neq(kill(pid_of_start(), 0), 0, "it is gone");
    at_close(tuner);
}

Test(library_miss, a_tuner_that_hangs_is_ended_when_its_time_is_over)
{
    expect_ended_in_time("exec sleep 100000");
}

Test(library_miss, a_tuner_that_does_not_want_to_end_is_killed)
{
    expect_ended_in_time("trap '' TERM\nexec sleep 100000");
}

/* Also for root, who may write everywhere. */
Test(library_miss, where_nothing_can_be_written_nothing_is_started)
{
    char path[200];
    snprintf(path, sizeof path, "%s-tuning", home.db);
    cr_assert_eq(mkdir(path, 0777), 0);
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    expect_warning(prepare_ok(tuner), "-tuning: ");
    cr_assert_eq(count_starts(), 0);
    at_close(tuner);
}

Test(library_miss, without_a_gpu_for_the_tuner_what_is_known_runs)
{
    char script[200];
    snprintf(script, sizeof script, "%s/script", home.path);
    write_script(script, "count 0\n", 0644);
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    expect_warning(prepare_ok(tuner), "exit code 3");
    at_close(tuner);
}

/* So that the file is opened, and reading its winners fails. */
static void damage_winners(const char *path)
{
    static const char GARBAGE[512] = "no page of a table";
    at__store *store = open_ok(path, AT__STORE_READ);
    long page =
        strtol(scalar(store, "SELECT rootpage FROM sqlite_master WHERE name = 'winner'").text, NULL, 10);
    long size = strtol(scalar(store, "PRAGMA page_size").text, NULL, 10);
    at__store_close(store);
    FILE *file = fopen(path, "r+b");
    cr_assert(file && page > 1 && fseek(file, (page - 1) * size, SEEK_SET) == 0);
    cr_assert_eq(fwrite(GARBAGE, sizeof GARBAGE, 1, file), 1);
    cr_assert_eq(fclose(file), 0);
}

Test(library_miss, a_database_that_comes_damaged_is_told_of_each_time)
{
    char damaged[200], words[500];
    at_error err = { 0 };
    const at_found *found = NULL;
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    damage_winners(home.db);
    snprintf(damaged, sizeof damaged, "%s/damaged", home.path);
    cr_assert_eq(rename(home.db, damaged), 0);
    snprintf(words, sizeof words, "cp '%s' '%s'", damaged, home.db);
    be_program(words);
    at_tuner *tuner = open_tuning(LONG_S);
    expect_warning(prepare_ok(tuner), "not tuned at its first use");
    cr_assert_eq(at_prepare(&found, tuner, &TUNED, &err), AT_OK, "%s", err.text);
    expect_warning(found, "not tuned at its first use");
    at_close(tuner);
}

/* A daemon has none: what is opened then has their numbers. */
Test(library_miss, a_tuner_that_fails_says_why_also_where_standard_descriptors_are_closed)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    be_program("echo 'autotune: error: the moon is full' >&2; exit 4");
    at_tuner *tuner = open_tuning(LONG_S);
    int in = fcntl(0, F_DUPFD_CLOEXEC, 10), out = fcntl(1, F_DUPFD_CLOEXEC, 10);
    cr_assert(in >= 0 && out >= 0 && close(0) == 0 && close(1) == 0);
    at_status status = at_prepare(&found, tuner, &COPY, &err);
    cr_assert(dup2(in, 0) == 0 && dup2(out, 1) == 1);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    expect_warning(found, "exit code 4: the moon is full");
    at_close(tuner);
    cr_assert(close(in) == 0 && close(out) == 0);
}

/* Of each word that follows this option the tuner must know what to make. */
Test(library_miss, a_time_without_end_is_one_that_the_tuner_takes)
{
    const double LONG[] = { 2e6, 1e18, 1e300 };
    for (int i = 0; i < 3; i++) {
        be_real_program("");
        unlink(home.db);
        at_tuner *tuner = open_tuning(LONG[i]);
        const at_found *found = prepare_ok(tuner);
        cr_assert_eq(found->match, AT_MATCH_EXACT, "%g s: %s", LONG[i], found->warning);
        at_close(tuner);
    }
}

/* As daemons do. */
Test(library_miss, what_is_found_is_seen_by_a_program_that_has_left_the_folder_of_its_database)
{
    char sub[200];
    at_open_options options = options_of(LONG_S);
    snprintf(sub, sizeof sub, "%s/sub", home.path);
    cr_assert(mkdir(sub, 0777) == 0 && chdir(sub) == 0);
    options.database = "../relative.db";
    options.program = "../program";
    be_real_program("");
    at_tuner *tuner = open_with(&options);
    cr_assert_eq(chdir("/"), 0);
    const at_found *found = prepare_ok(tuner);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s; %s", found->why, found->warning);
    at_close(tuner);
}

Test(library_miss, a_program_that_is_not_there_is_named)
{
    at_open_options options = options_of(LONG_S);
    options.program = "/nowhere/autotune";
    at_tuner *tuner = open_with(&options);
    expect_warning(prepare_ok(tuner), "/nowhere/autotune: cannot be started");
    at_close(tuner);
}

Test(library_miss, a_time_that_is_none_is_refused)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    const double BAD[] = { -1, NAN, INFINITY };
    for (int i = 0; i < 3; i++) {
        const at_open_options options = options_of(BAD[i]);
        cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_USAGE);
        cr_assert(strstr(err.text, "tune_s"), "%s", err.text);
    }
}

/* ---- several at once ---- */

static void wait_for_starts(int count)
{
    for (double start_s = at__now_s(); count_starts() < count; usleep(2000))
        cr_assert_lt(at__now_s() - start_s, LONG_S);
}

static void make_file(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    write_script(path, "", 0644);
}

/* A process that prepares the problem: 0 when it then has an exact answer. */
static pid_t start_process(void)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        at_tuner *tuner = NULL;
        const at_found *found = NULL;
        const at_open_options options = options_of(LONG_S);
        fake_use_context(1);
        bool exact = at_open(&tuner, &options, NULL) == AT_OK &&
                     at_prepare(&found, tuner, &COPY, NULL) == AT_OK && found->match == AT_MATCH_EXACT;
        at_close(tuner);
        _exit(exact ? 0 : 1);
    }
    return pid;
}

Test(library_miss, two_processes_tune_a_problem_once)
{
    int status[2] = { 1, 1 };
    char wait[200];
    at_tuner *tuner = open_tuning(0.001); /* skips where there is no NVRTC */
    be_program("exit 1");
    prepare_ok(tuner);
    at_close(tuner);
    unlink(started);
    snprintf(wait, sizeof wait, "until [ -e '%s/go' ]; do sleep 0.05; done", home.path);
    be_real_program(wait);
    pid_t one = start_process();
    wait_for_starts(1);
    pid_t other = start_process();
    usleep(200000); /* so that it most often waits: when it comes later it finds the result, which is right,
                       too */
    make_file("go");
    cr_assert_eq(waitpid(one, &status[0], 0), one);
    cr_assert_eq(waitpid(other, &status[1], 0), other);
    cr_assert_eq(status[0], 0);
    cr_assert_eq(status[1], 0);
    cr_assert_eq(count_starts(), 1);
}

static void *run_in_thread(void *context)
{
    fake_use_context(1);
    run_ok(context);
    return NULL;
}

Test(library_miss, threads_tune_a_problem_once)
{
    pthread_t threads[4];
    be_real_program("");
    at_tuner *tuner = open_tuning(LONG_S);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run_in_thread, tuner), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(count_starts(), 1);
    cr_assert_eq(prepare_ok(tuner)->match, AT_MATCH_EXACT);
    at_close(tuner);
}

/* ---- in the background ---- */

static at_tuner *open_background(void)
{
    at_open_options options = options_of(LONG_S);
    options.tune_in_background = 1;
    return open_with(&options);
}

Test(library_miss, what_is_known_runs_until_the_background_is_ready)
{
    char wait[200];
    snprintf(wait, sizeof wait, "until [ -e '%s/go' ]; do sleep 0.05; done", home.path);
    be_real_program(wait);
    at_tuner *tuner = open_background();
    const at_found *first = prepare_ok(tuner);
    cr_assert_eq(first->match, AT_MATCH_NONE);
    wait_for_starts(1);
    run_ok(tuner);
    make_file("go");
    for (double start_s = at__now_s(); prepare_ok(tuner)->match != AT_MATCH_EXACT; usleep(2000))
        cr_assert_lt(at__now_s() - start_s, LONG_S);
    cr_assert_eq(first->match, AT_MATCH_NONE, "what was given away stays as it was");
    run_ok(tuner);
    at_close(tuner);
}

/* Is the winner in the database? */
static bool is_known(void)
{
    at_found *found = NULL;
    at_tuner *tuner = NULL;
    at_open_options options = options_of(0);
    if (at_open(&tuner, &options, NULL) != AT_OK)
        return false;
    bool known = at_find(&found, tuner, &COPY, &ON_H200, NULL) == AT_OK && found->match == AT_MATCH_EXACT;
    at_found_close(found);
    at_close(tuner);
    return known;
}

/* The kernel is loaded by a call that may do so. */
Test(library_miss, what_the_background_found_is_not_loaded_while_a_graph_is_captured)
{
    be_real_program("");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    int loads = fake_read().loads;
    fake_capture(1);
    wait_for_starts(1);
    for (double start_s = at__now_s(); kill(pid_of_start(), 0) == 0; usleep(2000))
        cr_assert_lt(at__now_s() - start_s, LONG_S);
    cr_assert(is_known());
    for (int i = 0; i < 100; i++, usleep(2000)) /* the background marks it in one of these moments */
        run_ok(tuner);
    cr_assert_eq(fake_read().loads, loads);
    cr_assert_eq(prepare_ok(tuner)->match, AT_MATCH_NONE);
    fake_capture(0);
    for (double start_s = at__now_s(); prepare_ok(tuner)->match != AT_MATCH_EXACT; usleep(2000))
        cr_assert_lt(at__now_s() - start_s, LONG_S);
    at_close(tuner);
}

/* As nine problems leave it; the tenth is "tuned", and the program is started once more, to learn. */
static void put_lessons(void)
{
    at_error err = { 0 };
    at__store *store = NULL;
    const at__fingerprint on = { .device = "NVIDIA H200", .cc = 90, .sms = 132, .tool = "1", .cold = true };
    cr_assert_eq(at__store_open(&store, home.db, AT__STORE_WRITE, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 9; i++) {
        char shape[32], configs[14][32];
        at__trial_row rows[14];
        snprintf(shape, sizeof shape, "%d", 1001 + i);
        const at__problem_key key = { .op = "copy", .shape = shape, .type_key = "b4", .traffic_bytes = 8 };
        for (int k = 0; k < 14; k++) {
            snprintf(configs[k], sizeof configs[k], "THREADS=%d", 32 * k + 32);
            rows[k] = (at__trial_row){ .template_name = "linear",
                                       .template_hash = "1",
                                       .config = configs[k],
                                       .outcome = AT__TIMED,
                                       .timing = { 1e-5, 1e-5, 0, 3, 0 },
                                       .log = "",
                                       .source_hash = "1",
                                       .resources = AT__RESOURCES_UNKNOWN };
        }
        cr_assert_eq(at__store_put_trials(store, 0, &key, &on, rows, 14, &err), AT_OK, "%s", err.text);
    }
    at__store_close(store);
}

static bool was_started_to(const char *word)
{
    char line[600], text[32];
    bool found = false;
    FILE *file = fopen(started, "r");
    snprintf(text, sizeof text, " %s ", word);
    while (file && fgets(line, sizeof line, file))
        found = found || strstr(line, text);
    if (file)
        fclose(file);
    return found;
}

Test(library_miss, the_background_has_the_model_learn_from_what_was_tuned_where_that_pays)
{
    put_lessons();
    be_program("[ \"$1\" = learn ] || exit 0\nexec sleep 100000");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    for (double start_s = at__now_s(); !was_started_to("learn"); usleep(2000))
        cr_assert_lt(at__now_s() - start_s, LONG_S);
    cr_assert_eq(count_starts(), 2);
    run_ok(tuner);
    double start_s = at__now_s();
    at_close(tuner);
    cr_assert_lt(at__now_s() - start_s, SOON_S, "closing ends it");
}

Test(library_miss, closing_ends_the_background)
{
    be_program("exec sleep 100000");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    wait_for_starts(1);
    double start_s = at__now_s();
    at_close(tuner);
    cr_assert_lt(at__now_s() - start_s, SOON_S);
    cr_assert_neq(kill(pid_of_start(), 0), 0, "it is gone");
}

/* A handler of exit() may do so in a process that was forked for something else, and has none of the threads.
 */
Test(library_miss, closing_in_a_fork_ends)
{
    int status = 1;
    be_program("exit 1");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    wait_for_starts(1);
    usleep(200000); /* so that the background most often waits for the next by then; else it is right, too */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm((unsigned)SOON_S);
        at_close(tuner);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "it has ended by itself");
    at_close(tuner);
}

Test(library_miss, who_waits_for_another_waits_no_longer_than_its_time)
{
    be_program("exec sleep 100000");
    at_tuner *hanging = open_background();
    run_ok(hanging);
    wait_for_starts(1);
    at_tuner *tuner = open_tuning(0.5);
    double start_s = at__now_s();
    expect_warning(prepare_ok(tuner), "another process tunes it");
    cr_assert_lt(at__now_s() - start_s, SOON_S);
    cr_assert_eq(count_starts(), 1);
    at_close(tuner);
    at_close(hanging);
}
