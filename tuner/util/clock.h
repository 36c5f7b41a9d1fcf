/*
 * clock.h - wall time for people, monotonic time for intervals, and waiting on it.
 *
 * All waiting is on the clock that never jumps: a wait on the time of day lasts for hours when a user sets
 * the clock back, and ends at once when he sets it forward.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Seconds on a clock that never goes back; the zero is arbitrary. */
double atx_now_s(void);

/* The current UTC time as "2026-11-20T21:52:57Z" (20 characters and the final zero). */
void atx_utc_text(char out[21]);

/* The last time of day that is believed of others, in that form: a day from now, since clocks differ. */
void atx_utc_latest(char out[21]);

/* Is it later than that? */
bool atx_utc_is_future(const char *utc);

/* Seconds as people read them: "34.82 us", "1.250 ms", "12.30 s". */
void atx_time_text(char *out, size_t size, double seconds);

/* In place of pthread_cond_init(). */
void atx_timed_wait_init(pthread_cond_t *news);

/* Like pthread_cond_timedwait(), on a condition that atx_timed_wait_init() made, until `until_s` on
 * atx_now_s(); false: it is that late. May also end without news. */
bool atx_timed_wait(pthread_cond_t *news, pthread_mutex_t *lock, double until_s);

/*
 * How long another process has been waited for, by a caller that looks again and again. A gap between two
 * looks (this process was stopped, its container suspended, the machine asleep) is no time that the other one
 * has used: it may have been frozen as well. Of a gap only ATX_LONGEST_LOOK_S count.
 */
#define ATX_LONGEST_LOOK_S 1.0

typedef struct atx_wait_time {
    double looked_s, waited_s;
} atx_wait_time;

atx_wait_time atx_wait_time_begin(void);

/* Looks, and says how long it has been. */
double atx_wait_time_waited_s(atx_wait_time *wait_time);

/* The same at a time on atx_now_s(). */
double atx_wait_time_waited_at(atx_wait_time *wait_time, double now_s);
