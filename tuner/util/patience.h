/*
 * patience.h - how long another process has been waited for, by somebody who looks again and again.
 *
 * A gap between two looks in which nobody looked (this process was stopped, its container suspended, the
 * machine asleep) is no time that the other one has used: it may have been frozen as well. Of a gap only
 * AT__LONGEST_LOOK_S count.
 */
#ifndef AUTOTUNE_PATIENCE_H
#define AUTOTUNE_PATIENCE_H

#define AT__LONGEST_LOOK_S 1.0

typedef struct at__patience {
    double looked_s, waited_s;
} at__patience;

at__patience at__patience_begin(void);

/* Looks, and says how long it has been. */
double at__patience_waited_s(at__patience *patience);

/* The same at a time on at__now_s(). */
double at__patience_waited_at(at__patience *patience, double now_s);

#endif
