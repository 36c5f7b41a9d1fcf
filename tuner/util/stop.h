/*
 * stop.h - when work that takes long is to end early: its user asked for it, or its time is over.
 *
 * Whoever waits or computes for long asks a few times a second, ends with AT_ERR_STOPPED and leaves
 * everything as it was. One thread uses an at__stop; the flag may be everybody's.
 */
#ifndef AUTOTUNE_STOP_H
#define AUTOTUNE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct at__stop {
    const atomic_int *flag;      /* becomes non-zero when the user asks; NULL: nobody asks         */
    double until_s;              /* on at__now_s(); 0: for as long as it takes                     */
    double grace_s;              /* that what is under way still has once the user has asked       */
    double asked_s;              /* when that was seen first; 0: not yet                           */
    void (*tick)(void *context); /* called whenever somebody asks: the way to show that work goes on;
                                    NULL: nothing is                                               */
    void *context;
} at__stop;

/* Has the user asked? NULL: nobody can. */
bool at__stop_asked(const at__stop *stop);

/* Is it time to end? NULL: never. */
bool at__stop_now(at__stop *stop);

#endif
