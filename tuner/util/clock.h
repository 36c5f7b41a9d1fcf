/* clock.h - wall time for people, monotonic time for intervals. */
#ifndef AUTOTUNE_UTIL_CLOCK_H
#define AUTOTUNE_UTIL_CLOCK_H

/* Seconds on a clock that never goes back; the zero is arbitrary. */
double at__now_s(void);

/* The current UTC time as "2026-11-20T21:52:57Z" (20 characters and the final zero). */
void at__utc_text(char out[21]);

#endif
