/*
 * test_library_background.c - problems that are tuned in the background while the known kernel runs, and who
 * waits for that. Part of test_library_miss, whose comment says how.
 */
#include "library_miss_support.h"
#include "pack_support.h"

#include <dirent.h>
#include <fcntl.h>

TestSuite(library_background, .init = set_up_tuning, .fini = tear_down);

static at_tuner *open_background(void)
{
    at_open_options options = options_of(LONG_S);
    options.tune_in_background = 1;
    return open_with(&options);
}

Test(library_background, what_is_known_runs_until_the_background_is_ready)
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
    for (double start_s = atx_now_s(); prepare_ok(tuner)->match != AT_MATCH_EXACT; usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
    cr_assert_eq(first->match, AT_MATCH_NONE, "what was given away stays as it was");
    run_ok(tuner);
    at_close(tuner);
}

/* In the place of a kernel that would have to be compiled in the call. */
Test(library_background, a_packs_kernel_runs_until_the_background_is_ready)
{
    static const char *const SIZES[] = { "batch=1", "rows=1", "cols=1..1000000" };
    char wait[200], path[600];
    atx_pack_files files = { 0 };
    packed p = make("copy", ATX_F32, SIZES, 3, 2, 0);
    write_files(&files, (const atx_pack *[]){ p.pack }, 1);
    snprintf(path, sizeof path, "%s/packed.json", home.path);
    put_text(path, atx_str_text(&files.description));
    atx_pack_files_clear(&files);
    clear(&p);
    snprintf(wait, sizeof wait, "until [ -e '%s/go' ]; do sleep 0.05; done", home.path);
    be_real_program(wait);
    at_open_options options = options_of(LONG_S);
    options.tune_in_background = 1;
    options.packs = path;
    at_tuner *tuner = open_with(&options);
    cr_assert_str_eq(prepare_ok(tuner)->origin, "pack packed");
    wait_for_starts(1);
    run_ok(tuner);
    make_file("go");
    for (double start_s = atx_now_s(); prepare_ok(tuner)->match != AT_MATCH_EXACT; usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
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
Test(library_background, what_the_background_found_is_not_loaded_while_a_graph_is_captured)
{
    be_real_program("");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    int loads = fake_read().loads;
    fake_capture(1);
    wait_for_starts(1);
    for (double start_s = atx_now_s(); kill(pid_of_start(), 0) == 0; usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
    cr_assert(is_known());
    for (int i = 0; i < 100; i++, usleep(2000)) /* the background marks it in one of these moments */
        run_ok(tuner);
    cr_assert_eq(fake_read().loads, loads);
    cr_assert_eq(prepare_ok(tuner)->match, AT_MATCH_NONE);
    fake_capture(0);
    for (double start_s = atx_now_s(); prepare_ok(tuner)->match != AT_MATCH_EXACT; usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
    at_close(tuner);
}

/* As nine problems leave it; the tenth is "tuned", and the program is started once more, to learn. */
static void put_training_samples(void)
{
    at_error err = { 0 };
    atx_store *store = NULL;
    const atx_fingerprint on = { .device = "NVIDIA H200", .cc = 90, .sms = 132, .tool = "1", .cold = true };
    cr_assert_eq(atx_store_open(&store, home.db, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 9; i++) {
        char shape[32], configs[14][32];
        atx_trial_row rows[14];
        snprintf(shape, sizeof shape, "%d", 1001 + i);
        const atx_problem_key key = { .op = "copy", .shape = shape, .type_key = "b4", .traffic_bytes = 8 };
        for (int k = 0; k < 14; k++) {
            snprintf(configs[k], sizeof configs[k], "THREADS=%d", 32 * k + 32);
            rows[k] = (atx_trial_row){ .template_name = "linear",
                                       .template_hash = "1",
                                       .config = configs[k],
                                       .outcome = ATX_TIMED,
                                       .timing = { 1e-5, 1e-5, 0, 3, 0 },
                                       .log = "",
                                       .source_hash = "1",
                                       .resources = ATX_RESOURCES_UNKNOWN };
        }
        cr_assert_eq(atx_store_put_trials(store, 0, &key, &on, rows, 14, &err), AT_OK, "%s", err.text);
    }
    atx_store_close(store);
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

Test(library_background, the_background_has_the_model_learn_from_what_was_tuned_where_that_pays)
{
    put_training_samples();
    be_program("[ \"$1\" = learn ] || exit 0\nexec sleep 100000");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    for (double start_s = atx_now_s(); !was_started_to("learn"); usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
    cr_assert_eq(count_starts(), 2);
    run_ok(tuner);
    double start_s = atx_now_s();
    at_close(tuner);
    cr_assert_lt(atx_now_s() - start_s, SOON_S, "closing ends it");
}

Test(library_background, closing_ends_the_background)
{
    be_program("exec sleep 100000");
    at_tuner *tuner = open_background();
    run_ok(tuner);
    wait_for_starts(1);
    double start_s = atx_now_s();
    at_close(tuner);
    cr_assert_lt(atx_now_s() - start_s, SOON_S);
    cr_assert_neq(kill(pid_of_start(), 0), 0, "it is gone");
}

/* A handler of exit() may do so in a process that was forked for something else, and has none of the threads.
 */
Test(library_background, closing_in_a_fork_ends)
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

Test(library_background, who_waits_for_another_waits_no_longer_than_its_time)
{
    be_program("exec sleep 100000");
    at_tuner *hanging = open_background();
    run_ok(hanging);
    wait_for_starts(1);
    at_tuner *tuner = open_tuning(0.5);
    double start_s = atx_now_s();
    expect_warning(prepare_ok(tuner), "another process tunes it");
    cr_assert_lt(atx_now_s() - start_s, SOON_S);
    cr_assert_eq(count_starts(), 1);
    at_close(tuner);
    at_close(hanging);
}

/* A lock of this very file: it holds against this process too, which has the database open itself. */
static int lock_database(void)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512 };
    int fd = open(home.db, O_RDWR | O_CLOEXEC);
    cr_assert(fd >= 0 && fcntl(fd, F_OFD_SETLK, &all) == 0);
    return fd;
}

/* How many descriptors of the database this process has. */
static int count_open(void)
{
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    cr_assert_not_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        char found[300];
        ssize_t len = readlinkat(dirfd(all), entry->d_name, found, sizeof found - 1);
        found[len > 0 ? len : 0] = '\0';
        count += strcmp(found, home.db) == 0;
    }
    closedir(all);
    return count;
}

/* An opening has 30 s of wait time with a lock. */
Test(library_background, closing_waits_for_no_lock_of_the_database)
{
    at_tuner *tuner = open_background(); /* there is none yet */
    be_program("exit 0");
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    int fd = lock_database();
    run_ok(tuner);
    for (double start_s = atx_now_s(); count_open() < 2; usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
    double start_s = atx_now_s();
    at_close(tuner);
    cr_assert_lt(atx_now_s() - start_s, 20);
    close(fd);
}
