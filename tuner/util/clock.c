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
