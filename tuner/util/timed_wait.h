/*
 * timed_wait.h - waiting on a condition for news, or for so long: on the clock that never jumps. A wait on
 * the time of day lasts for hours when somebody sets the clock back, and ends at once when he sets it
 * forward.
 */
#ifndef AUTOTUNE_UTIL_TIMED_WAIT_H
#define AUTOTUNE_UTIL_TIMED_WAIT_H

#include <pthread.h>
#include <stdbool.h>

/* In place of pthread_cond_init(). */
void atx_timed_wait_init(pthread_cond_t *news);

/* Like pthread_cond_timedwait(), on a condition that atx_timed_wait_init() made, until `until_s` on
 * atx_now_s(); false: it is that late. May also end without news. */
bool atx_timed_wait(pthread_cond_t *news, pthread_mutex_t *lock, double until_s);

#endif
