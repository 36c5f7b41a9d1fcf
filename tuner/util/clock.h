/* clock.h - wall time for people, monotonic time for intervals. */
#ifndef AUTOTUNE_UTIL_CLOCK_H
#define AUTOTUNE_UTIL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds on a clock that never goes back; the zero is arbitrary. */
double at__now_s(void);

/* The current UTC time as "2026-11-20T21:52:57Z" (20 characters and the final zero). */
void at__utc_text(char out[21]);

/* The last time of day that is believed of others, in that form: a day from now, since clocks differ. */
void at__utc_latest(char out[21]);

/* Is it later than that? */
bool at__utc_is_future(const char *utc);

/* Seconds as people read them: "34.82 us", "1.250 ms", "12.30 s". */
void at__time_text(char *out, size_t size, double seconds);

#endif
