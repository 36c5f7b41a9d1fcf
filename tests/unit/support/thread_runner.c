/*
 * thread_runner.c - runs Criterion's tests without Criterion's library, for the thread sanitizer.
 *
 * The library cannot run under it: it maps shared memory where the sanitizer keeps its own (issue 274 of
 * Criterion). The tests are compiled with Criterion's headers, unchanged; this file stands in for what they
 * call. Every test is a process that is forked before any thread exists. Covers what our tests use: fixtures
 * of tests and suites, parameters, timeouts, expected signals and exit codes, skipping.
 */
#include "hangs.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 177 /* exit code of a test that skipped itself */
#define FAILED  1

/* Where the linker has gathered the tests and the suites; a program may have none of the latter. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

struct criterion_options criterion_options; /* read by the assertions */

/* The test that this process runs: Criterion's hooks take no argument. */
static struct criterion_test *current;
static void *parameter;
static bool expectation_failed;

/* ---- what assertions call ---- */

int cr_asprintf(char **out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int count = vasprintf(out, format, args);
    va_end(args);
    return count;
}

void cr_asprintf_free(char *text)
{
    free(text);
}

char *cr_translate_assert_msg(int index, ...)
{
    va_list args;
    (void)index;
    va_start(args, index);
    char *text = strdup(va_arg(args, const char *)); /* the expression; what follows are its values */
    va_end(args);
    return text;
}

void cri_asserts_passed_incr(void)
{
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!stats->passed)
        printf("%s:%u: %s/%s: %s\n", stats->file, stats->line, current->category, current->name,
               stats->message);
}

void criterion_continue_test(void)
{
    expectation_failed = true;
}

void criterion_abort_test(void)
{
    fflush(NULL);
    _exit(FAILED);
}

void criterion_skip_test(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%s/%s: skipped: ", current->category, current->name);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(NULL);
    _exit(SKIPPED);
}

/* ---- one test ---- */

static const struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    static const struct criterion_test_extra_data none;
    for (struct criterion_suite **s = __start_cr_sts; s && s < __stop_cr_sts; s++)
        if (strcmp((*s)->name, test->category) == 0)
            return (*s)->data;
    return &none;
}

void criterion_internal_test_setup(void)
{
    if (suite_of(current)->init)
        suite_of(current)->init();
    if (current->data->init)
        current->data->init();
}

void criterion_internal_test_main(void (*function)(void))
{
    if (current->data->kind_ == CR_TEST_PARAMETERIZED)
        ((void (*)(void *))function)(parameter);
    else
        function();
}

void criterion_internal_test_teardown(void)
{
    if (current->data->fini)
        current->data->fini();
    if (suite_of(current)->fini)
        suite_of(current)->fini();
}

/* Its wait status. Exits through exit(), where the sanitizer turns a report into an exit code. */
static int run_in_child(void)
{
    double suite_s = suite_of(current)->timeout, test_s = current->data->timeout;
    double timeout_s = test_s > 0 ? test_s : suite_s;
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        limit_this_process();
        alarm(timeout_s > 0 ? (unsigned)(timeout_s + 1) : TEST_LIMIT_S);
        current->test();
        exit(expectation_failed ? FAILED : 0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("cannot run a test");
        exit(1);
    }
    return status;
}

typedef struct tally {
    int tested, passed, skipped;
} tally;

static void run_one(tally *t)
{
    const struct criterion_test_extra_data *data = current->data;
    int status = run_in_child();
    bool passed = data->signal ? WIFSIGNALED(status) && WTERMSIG(status) == data->signal
                               : WIFEXITED(status) && WEXITSTATUS(status) == data->exit_code;
    t->tested++;
    if (passed)
        t->passed++;
    else if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        t->skipped++;
    else
        printf("[FAIL] %s::%s (wait status 0x%x)\n", current->category, current->name, (unsigned)status);
}

/* ---- all tests ---- */

struct criterion_test_set *criterion_initialize(void)
{
    return NULL;
}

void criterion_finalize(struct criterion_test_set *tests)
{
    (void)tests;
}

int criterion_handle_args(int argc, char **argv, bool handle_unknown)
{
    (void)argc, (void)argv, (void)handle_unknown; /* -j and the like change no verdict */
    return 1;
}

int criterion_run_all_tests(struct criterion_test_set *tests)
{
    tally t = { 0 };
    (void)tests;
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++) {
        struct criterion_test_params params = { .length = 1 };
        current = *test;
        if (current->data->disabled)
            continue;
        if (current->data->kind_ == CR_TEST_PARAMETERIZED)
            params = current->data->param_();
        for (size_t i = 0; i < params.length; i++) {
            parameter = (char *)params.params + i * params.size;
            run_one(&t);
        }
    }
    printf("Tested: %d | Passing: %d | Skipped: %d\n", t.tested, t.passed, t.skipped);
    return t.passed + t.skipped == t.tested;
}

__attribute__((weak)) int main(void)
{
    return !criterion_run_all_tests(NULL);
}
