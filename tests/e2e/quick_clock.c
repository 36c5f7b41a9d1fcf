/*
 * quick_clock.c - a monotonic clock that runs ten times as fast, linked (ld --wrap) into autotune_quick,
 * which is otherwise autotune: its deadlines and its warm-up are over before a test gives up.
 */
#include <time.h>

enum { FACTOR = 10 };

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int code = __real_clock_gettime(clock, now);
    if (code == 0 && clock == CLOCK_MONOTONIC) {
        long ns = now->tv_nsec * FACTOR;
        now->tv_sec = now->tv_sec * FACTOR + ns / 1000000000;
        now->tv_nsec = ns % 1000000000;
    }
    return code;
}
