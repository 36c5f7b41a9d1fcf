/*
 * clock.c - time for measuring never jumps (CLOCK_MONOTONIC); time for people and the database is UTC, in the
 * form whose texts sort as the times do.
 */
#include "util/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double atx_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void utc_text(char out[21], time_t when)
{
    struct tm utc;
    if (!gmtime_r(&when, &utc) || !strftime(out, 21, "%Y-%m-%dT%H:%M:%SZ", &utc))
        snprintf(out, 21, "1970-01-01T00:00:00Z");
}

void atx_utc_text(char out[21])
{
    utc_text(out, time(NULL));
}

void atx_utc_latest(char out[21])
{
    utc_text(out, time(NULL) + 24 * 3600);
}

bool atx_utc_is_future(const char *utc)
{
    char latest[21];
    atx_utc_latest(latest);
    return strcmp(utc, latest) > 0;
}

void atx_time_text(char *out, size_t size, double seconds)
{
    if (seconds < 1e-3)
        snprintf(out, size, "%.2f us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(out, size, "%.3f ms", 1e3 * seconds);
    else
        snprintf(out, size, "%.2f s", seconds);
}

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

atx_wait_time atx_wait_time_begin(void)
{
    return (atx_wait_time){ .looked_s = atx_now_s() };
}

double atx_wait_time_waited_at(atx_wait_time *wait_time, double now_s)
{
    double passed_s = now_s - wait_time->looked_s;
    wait_time->looked_s = now_s;
    wait_time->waited_s += passed_s < ATX_LONGEST_LOOK_S ? passed_s : ATX_LONGEST_LOOK_S;
    return wait_time->waited_s;
}

double atx_wait_time_waited_s(atx_wait_time *wait_time)
{
    return atx_wait_time_waited_at(wait_time, atx_now_s());
}
