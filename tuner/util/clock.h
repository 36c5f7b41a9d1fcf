/* clock.h - wall time for people, monotonic time for intervals. */
#ifndef AUTOTUNE_UTIL_CLOCK_H
#define AUTOTUNE_UTIL_CLOCK_H

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

#endif
