/* test_clock.c - waits for news are on the clock that nobody sets. */
#include "tune/helper_pool.h"
#include "util/clock.h"

#include <criterion/criterion.h>
#include <time.h>

#define WAIT_S 0.05

static double asked_until_s;

int __real_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int __wrap_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *until)
{
    asked_until_s = (double)until->tv_sec + 1e-9 * (double)until->tv_nsec;
    return __real_pthread_cond_timedwait(cond, lock, until);
}

/* A condition on another clock would end at once: the time of day is far above the monotonic one. */
static void check_wait(double begun_s)
{
    cr_assert_float_eq(asked_until_s, begun_s + WAIT_S, 10);
    cr_assert_geq(atx_now_s() - begun_s, 0.9 * WAIT_S);
}

Test(clock, ends_at_a_time_on_the_clock_that_never_jumps)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t news;
    atx_timed_wait_init(&news);
    double begun_s = atx_now_s();
    pthread_mutex_lock(&lock);
    while (atx_timed_wait(&news, &lock, begun_s + WAIT_S))
        ;
    pthread_mutex_unlock(&lock);
    check_wait(begun_s);
    pthread_cond_destroy(&news);
}

Test(clock, a_device_without_a_problem_waits_on_it)
{
    atx_helper_pool *helper_pool = atx_helper_pool_open();
    atx_helped helped = { 0 };
    const atx_problem *problem = NULL;
    int64_t id = 0;
    atx_helper_pool_begin(helper_pool);
    double begun_s = atx_now_s();
    cr_assert_not(atx_helper_pool_find(helper_pool, &id, &problem, &helped));
    check_wait(begun_s);
    atx_helper_pool_close(helper_pool);
}
