/*
 * wait_time.h - how long another process has been waited for, by somebody who looks again and again.
 *
 * A gap between two looks in which nobody looked (this process was stopped, its container suspended, the
 * machine asleep) is no time that the other one has used: it may have been frozen as well. Of a gap only
 * ATX_LONGEST_LOOK_S count.
 */
#ifndef AUTOTUNE_WAIT_TIME_H
#define AUTOTUNE_WAIT_TIME_H

#define ATX_LONGEST_LOOK_S 1.0

typedef struct atx_wait_time {
    double looked_s, waited_s;
} atx_wait_time;

atx_wait_time atx_wait_time_begin(void);

/* Looks, and says how long it has been. */
double atx_wait_time_waited_s(atx_wait_time *wait_time);

/* The same at a time on atx_now_s(). */
double atx_wait_time_waited_at(atx_wait_time *wait_time, double now_s);

#endif
