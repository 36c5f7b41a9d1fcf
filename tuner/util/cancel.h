/*
 * cancel.h - when work that takes long is to end early: its user asked for it, or its time is over.
 *
 * Code that waits or computes for long checks a few times a second, ends with AT_ERR_CANCELLED and leaves
 * everything as it was. One thread uses an atx_cancel; the flag may be everybody's.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

typedef struct atx_cancel {
    const atomic_int *flag;      /* becomes non-zero when the user cancels; NULL: never            */
    double until_s;              /* on atx_now_s(); 0: for as long as it takes                     */
    double grace_s;              /* that running work still has once the user has asked            */
    double asked_s;              /* when that was seen first; 0: not yet                           */
    void (*tick)(void *context); /* called at every check: the way to show that work goes on;
                                    NULL: nothing is                                               */
    void *context;
} atx_cancel;

/* Has the user cancelled? NULL: never. */
bool atx_cancel_asked(const atx_cancel *cancel);

/* Is it time to end? NULL: never. */
bool atx_cancel_due(atx_cancel *cancel);
