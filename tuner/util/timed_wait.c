/* timed_wait.c - see timed_wait.h. The clock is a property of the condition: that of atx_now_s(). */
#include "util/timed_wait.h"

#include <time.h>

void atx_timed_wait_init(pthread_cond_t *news)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(news, &attr);
    pthread_condattr_destroy(&attr);
}

bool atx_timed_wait(pthread_cond_t *news, pthread_mutex_t *lock, double until_s)
{
    struct timespec until = { .tv_sec = (time_t)until_s };
    until.tv_nsec = (long)(1e9 * (until_s - (double)until.tv_sec));
    return pthread_cond_timedwait(news, lock, &until) == 0;
}
