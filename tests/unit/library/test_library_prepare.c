/* test_library_prepare.c - at_prepare_start and what follows it, with a driver that only takes notes. */
#include "fake_driver.h"
#include "library_support.h"

#include "library/library.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(library_prepare, .init = set_up, .fini = tear_down);

enum { OUT = 0x10000000, IN = 0x20000000 };

/* The tuner calls this in the thread that prepares: it stands still there until the gate opens. */
typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool reached, open;
} gate;

static void wait_at(void *context, const char *text)
{
    gate *g = context;
    (void)text;
    pthread_mutex_lock(&g->mutex);
    g->reached = true;
    while (!g->open)
        pthread_cond_wait(&g->opened, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
}

static bool is_reached(gate *g)
{
    pthread_mutex_lock(&g->mutex);
    bool reached = g->reached;
    pthread_mutex_unlock(&g->mutex);
    return reached;
}

static void open_gate(gate *g)
{
    pthread_mutex_lock(&g->mutex);
    g->open = true;
    pthread_cond_broadcast(&g->opened);
    pthread_mutex_unlock(&g->mutex);
}

/* The warning about an unusable cache is in each preparation. */
static at_tuner *tuner_with_gate(gate *g)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    options.database = home.db;
    options.cache = home.path; /* a folder */
    options.log = wait_at;
    options.log_context = g;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    return tuner;
}

static at_preparation *start_ok(at_tuner *tuner, at_problem problem, const at_run_options *options)
{
    at_error err = { 0 };
    at_preparation *p = NULL;
    char op[20];
    snprintf(op, sizeof op, "%s", problem.op);
    problem.op = op;
    cr_assert_eq(at_prepare_start(&p, tuner, &problem, options, &err), AT_OK, "%s", err.text);
    memset(op, 'x', sizeof op - 1); /* the caller's memory is its own again */
    return p;
}

static const at_found *finish_or_skip(at_preparation *p)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    at_status status = at_prepare_finish(&found, p, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    return found;
}

/* Only kernels that are prepared for the thread's context are launched. */
static void expect_prepared(at_tuner *tuner, at_problem problem)
{
    const at_buffer buffers[] = { { (void *)(uintptr_t)OUT, 0 }, { (void *)(uintptr_t)IN, 0 } };
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_error err = { 0 };
    options.no_compile = 1;
    cr_assert_eq(at_run(tuner, &problem, buffers, 2, NULL, &options, &err), AT_OK, "%s", err.text);
}

Test(library_prepare, the_caller_goes_on_while_problems_are_prepared_in_their_order)
{
    gate g = { .mutex = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER };
    at_tuner *tuner = tuner_with_gate(&g);
    at_problem other = TUNED;
    other.sizes[0] = 96;
    fake_use_context(1);
    at_preparation *first = start_ok(tuner, TUNED, NULL);
    fake_use_context(2);
    at_preparation *second = start_ok(tuner, other, NULL);
    while (!is_reached(&g) && !at_prepare_is_done(first)) /* without NVRTC it fails before it gets there */
        sched_yield();
    if (!is_reached(&g))
        finish_or_skip(first);
    cr_assert_eq(at_prepare_is_done(first), 0);
    cr_assert_eq(at_prepare_is_done(second), 0);
    cr_assert_eq(fake_read().launches, 0);
    open_gate(&g);
    cr_assert_str_eq(finish_or_skip(second)->shape, "96x2048");
    cr_assert_eq(at_prepare_is_done(first), 1, "it came before");
    cr_assert_eq(finish_or_skip(first)->match, AT_MATCH_EXACT);
    cr_assert_eq((uintptr_t)fake_read().current, 2u, "this thread's context is its own");
    expect_prepared(tuner, other);
    fake_use_context(1);
    expect_prepared(tuner, TUNED);
    cr_assert_eq(fake_read().launches, 2);
    at_close(tuner);
}

Test(library_prepare, after_a_pause_more_can_be_started)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    fake_use_context(1);
    for (int i = 0; i < 3; i++) {
        problem.sizes[0] = 1024 + 1024 * i;
        cr_assert_eq(finish_or_skip(start_ok(tuner, problem, NULL))->launch_count, 1);
        expect_prepared(tuner, problem);
    }
    at_close(tuner);
}

static void expect_failure(at_tuner *tuner, at_problem problem, const at_run_options *options,
                           at_status expected, const char *text)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    cr_assert_eq(at_prepare_finish(&found, start_ok(tuner, problem, options), &err), expected, "%s",
                 err.text);
    cr_assert(strstr(err.text, text), "%s", err.text);
    cr_assert_null(found);
}

Test(library_prepare, what_at_prepare_refuses_the_end_of_it_does)
{
    int cancelled = 1;
    at_problem unknown = TUNED, none = TUNED;
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_tuner *tuner = tuner_with_winner();
    unknown.op = "transport";
    none.sizes[0] = 0;
    options.cancel = &cancelled;
    fake_use_context(1);
    expect_failure(tuner, unknown, NULL, AT_ERR_INPUT, "transport");
    expect_failure(tuner, none, NULL, AT_ERR_INPUT, "0");
    expect_failure(tuner, TUNED, &options, AT_ERR_CANCELLED, "before the problem was prepared");
    cr_assert_eq(fake_read().loads, 0);
    at_close(tuner);
}

Test(library_prepare, what_cannot_be_started_is_refused_at_once)
{
    at_error err = { 0 };
    at_preparation *p = NULL;
    at_problem old = TUNED;
    at_tuner *tuner = tuner_with_winner();
    old.struct_bytes = 0;
    fake_use_context(0);
    cr_assert_eq(at_prepare_start(&p, tuner, &TUNED, NULL, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "no CUDA context is current"), "%s", err.text);
    cr_assert_eq(at_prepare_start(&p, tuner, &old, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_prepare_start(&p, NULL, &TUNED, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_prepare_start(&p, tuner, NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_prepare_finish(NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert_null(p);
    at_close(tuner);
}

/* ---- the program's end ---- */

enum { PROBLEMS = 40 };

static at_tuner *ending;
static at_preparation *running[PROBLEMS];

/* The last that exit() calls: a program need not do it, but what is left over is a leak for sanitizers. */
static void clean_up(void)
{
    const at_found *ignored = NULL;
    at_error err = { 0 };
    for (int i = 0; i < PROBLEMS; i++)
        if (at_prepare_finish(&ignored, running[i], &err) == AT_ERR_USAGE)
            _exit(7);
    at_close(ending);
}

/* exit() calls it before NVRTC takes its data away, if it was registered after that was made. */
static void expect_the_end(void)
{
    if (!ending->ends)
        _exit(3);
}

/* exit() takes NVRTC's data away, which a thread that compiles uses. */
Test(library_prepare, a_program_may_end_while_problems_are_prepared)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        at_problem problem = TUNED;
        atexit(clean_up);
        make_nvrtcs_data();
        ending = tuner_with_winner();
        atexit(expect_the_end);
        fake_use_context(1);
        (void)finish_or_skip(start_ok(ending, TUNED, NULL));
        for (int i = 0; i < PROBLEMS; i++) {
            problem.sizes[0] = 7 + i;
            running[i] = start_ok(ending, problem, NULL);
        }
        exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == WITHOUT_NVRTC)
        cr_skip_test("NVRTC is not installed");
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}

static void end_program(void *context, const char *text)
{
    (void)context;
    (void)text;
    exit(0);
}

/* The library calls it while it holds what exit() would wait for. */
Test(library_prepare, a_log_may_end_the_program)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        at_open_options options = AT_OPEN_OPTIONS_INIT;
        at_error err = { 0 };
        options.cache = home.path; /* a folder: each kernel has a warning */
        options.log = end_program;
        alarm(60); /* ends it if it waits for itself */
        make_nvrtcs_data();
        if (at_open(&ending, &options, &err) != AT_OK)
            _exit(5);
        fake_use_context(1);
        (void)finish_or_skip(start_ok(ending, TUNED, NULL));
        _exit(6);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == WITHOUT_NVRTC)
        cr_skip_test("NVRTC is not installed");
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}
