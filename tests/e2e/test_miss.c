/*
 * test_miss.c - `autotune query --budget`: what the database does not know is tuned first, once, within its
 * time, and whatever goes wrong then, there is an answer as without it.
 */
#include "e2e_support.h"

#include "util/clock.h"

#include <criterion/criterion.h>
#include <string.h>

#define SOON_S 100.0 /* the machine may be busy */

/* One template has 32 configurations, the others a few hundred: the time is over before all were tried. */
#define QUERY "query copy 1000 f32 --templates templates"

TestSuite(miss, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

static void query(const char *args, int code)
{
    e2e_tune(&run, E2E_REAL, args);
    e2e_expect(run.code == code, run);
    e2e_expect_no_process();
}

static void know_another_shape(void)
{
    e2e_tune(&run, E2E_REAL, "tune copy 2000 f32 --max-trials 3 --jobs 2");
    e2e_expect(run.code == 0, run);
}

/* A search that ended by itself adds a row of its own. */
#define STARTS "SELECT count(*) FROM run WHERE strategy NOT LIKE '%settled'"

Test(miss, a_query_tunes_what_is_not_known)
{
    query(QUERY " --budget 20s", 0);
    e2e_expect(strstr(run.out, "exact match"), run);
    e2e_expect(!strstr(run.err, "warning"), run);
    cr_assert_eq(e2e_count(STARTS), 1);
    query(QUERY " --budget 20s", 0);
    e2e_expect(strstr(run.out, "exact match"), run);
    cr_assert_eq(e2e_count(STARTS), 1, "it is known now");
}

Test(miss, a_query_tunes_what_is_known_of_another_shape_only)
{
    know_another_shape();
    query(QUERY, 0);
    e2e_expect(strstr(run.out, "near match"), run);
    query(QUERY " --budget 20s", 0);
    e2e_expect(strstr(run.out, "exact match"), run);
}

Test(miss, without_a_gpu_a_query_answers_with_a_warning)
{
    know_another_shape();
    e2e_script("count 0");
    query(QUERY " --budget 100s", 0);
    e2e_expect(strstr(run.out, "near match"), run);
    e2e_expect(strstr(run.err, "warning: not tuned: autotune tune ended with exit code 3"), run);
}

Test(miss, a_device_that_hangs_costs_a_query_its_time_and_no_more)
{
    know_another_shape();
    e2e_script("slow cuInit 100000000");
    double start_s = atx_now_s();
    query(QUERY " --budget 2s", 0);
    cr_assert_lt(atx_now_s() - start_s, SOON_S);
    e2e_expect(strstr(run.out, "near match"), run);
    e2e_expect(strstr(run.err, "warning: not tuned:"), run);
}

Test(miss, two_queries_at_once_tune_a_problem_once)
{
    static e2e_run other;
    e2e_start(&run, E2E_REAL, QUERY " --budget 30s");
    e2e_start(&other, E2E_REAL, QUERY " --budget 30s");
    e2e_wait(&run);
    e2e_wait(&other);
    e2e_expect(run.code == 0 && strstr(run.out, "exact match"), run);
    e2e_expect(other.code == 0 && strstr(other.out, "exact match"), other);
    cr_assert_eq(e2e_count(STARTS), 1);
    e2e_expect_no_process();
    e2e_expect_whole();
}
