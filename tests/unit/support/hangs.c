/*
 * hangs.c - part of every test program: no test hangs, none is left behind, none leaks.
 *
 * Criterion's runner starts the program once more for each test; in that other process, the worker, the
 * environment has BXFI_MAP. A worker that ctest no longer waits for would loop on for ever: it ends with
 * its runner.
 *
 * Criterion leaks a few bytes of its own in the runner now and then, so leaks are looked for in workers
 * alone. It also takes a test whose process ends with an exit code at its very end for passed: a sanitizer's
 * report is an abort here.
 */
#include "hangs.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Several threads may work; the limit is of their sum. */
#define PROCESSOR_LIMIT_S (2 * TEST_LIMIT_S)

void limit_this_process(void)
{
    struct rlimit most = { .rlim_cur = PROCESSOR_LIMIT_S, .rlim_max = PROCESSOR_LIMIT_S + 5 };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &most);
}

#ifndef AT_THREAD_RUNNER /* thread_runner.c has no other process than its tests' */

static bool is_worker;

__attribute__((constructor)) static void find_role(void)
{
    is_worker = getenv("BXFI_MAP") != NULL;
    if (is_worker)
        limit_this_process();
}

/* What sanitizers ask for, by these names. */
int __lsan_is_turned_off(void);
const char *__asan_default_options(void);

__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return !is_worker;
}

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}

/* Of the runner, before the first test. Its option --timeout changes nothing where no test has one. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    FOREACH_SET(struct criterion_suite_set * suite, tests->suites)
    {
        bool has_limit = suite->suite.data && suite->suite.data->timeout > 0;
        FOREACH_SET(struct criterion_test * test, suite->tests)
        if (!has_limit && test->data->timeout <= 0)
            test->data->timeout = TEST_LIMIT_S;
    }
}

#endif
