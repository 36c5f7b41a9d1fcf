/*
 * test_library_miss.c - problems that are tuned when they first run: at_run and at_prepare on a driver that
 * only takes notes, and `autotune` itself, in a process of its own, on the scripted one. A test's program is
 * a shell script, which counts how often it was started, and is the real one, or does something wrong.
 */
#include "library_miss_support.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>

TestSuite(library_miss, .init = set_up_tuning, .fini = tear_down);

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
    at_status status = at_prepare(&found, tuner, &TUNED, NULL, &err);
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

/* ---- failures ---- */

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

static void expect_ended_in_time(const char *words)
{
    be_program(words);
    at_tuner *tuner = open_tuning(1);
    double start_s = atx_now_s();
    expect_warning(prepare_ok(tuner), "budget of 1 s");
    cr_assert_lt(atx_now_s() - start_s, SOON_S);
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
    atx_store *store = open_ok(path, ATX_STORE_READ);
    long page =
        strtol(scalar(store, "SELECT rootpage FROM sqlite_master WHERE name = 'winner'").text, NULL, 10);
    long size = strtol(scalar(store, "PRAGMA page_size").text, NULL, 10);
    atx_store_close(store);
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
    cr_assert_eq(at_prepare(&found, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    expect_warning(found, "not tuned at its first use");
    at_close(tuner);
}

/* A daemon has none: files opened then have their numbers. */
Test(library_miss, a_tuner_that_fails_says_why_also_where_standard_descriptors_are_closed)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    be_program("echo 'autotune: error: the moon is full' >&2; exit 4");
    at_tuner *tuner = open_tuning(LONG_S);
    int in = fcntl(0, F_DUPFD_CLOEXEC, 10), out = fcntl(1, F_DUPFD_CLOEXEC, 10);
    cr_assert(in >= 0 && out >= 0 && close(0) == 0 && close(1) == 0);
    at_status status = at_prepare(&found, tuner, &COPY, NULL, &err);
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

/* In its environment: a name may have a comma, and "" is none, whatever the program's own variable says. */
Test(library_miss, the_tuner_is_told_of_the_folders_of_headers)
{
    char text[600], line[500], folder_path[300];
    at_open_options options = options_of(LONG_S);
    snprintf(folder_path, sizeof folder_path, "%s/a,b", home.path);
    cr_assert_eq(mkdir(folder_path, 0777), 0);
    snprintf(text, sizeof text, "echo \"<$AUTOTUNE_HEADERS>\" >>'%s/told'; exit 1", home.path);
    be_program(text);
    setenv("AUTOTUNE_HEADERS", home.path, 1);
    const char *const NAMED[] = { folder_path, "", NULL }, *const TOLD[] = { folder_path, "", home.path };
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) {
        options.headers = NAMED[i];
        at_tuner *tuner = open_with(&options);
        prepare_ok(tuner);
        at_close(tuner);
    }
    snprintf(line, sizeof line, "%s/told", home.path);
    FILE *file = fopen(line, "r");
    cr_assert_not_null(file);
    for (size_t i = 0; i < sizeof TOLD / sizeof *TOLD; i++) {
        snprintf(text, sizeof text, "<%s>\n", TOLD[i]);
        cr_assert_not_null(fgets(line, sizeof line, file));
        cr_expect_str_eq(line, text);
    }
    fclose(file);
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
                     at_prepare(&found, tuner, &COPY, NULL, NULL) == AT_OK && found->match == AT_MATCH_EXACT;
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
