/*
 * cancel.c - two reasons to end early: the deadline, which holds at once, and the user's request, which gives
 * work in progress `grace_s`. The grace begins when the request is first seen, not when it was made: the flag
 * carries no time, and a signal handler can only set a flag.
 */
#include "util/cancel.h"

#include "util/clock.h"

bool atx_cancel_asked(const atx_cancel *cancel)
{
    return cancel && cancel->flag && *cancel->flag;
}

bool atx_cancel_due(atx_cancel *cancel)
{
    if (!cancel)
        return false;
    if (cancel->tick)
        cancel->tick(cancel->context);
    double now_s = atx_now_s();
    if (cancel->until_s > 0 && now_s >= cancel->until_s)
        return true;
    if (!atx_cancel_asked(cancel))
        return false;
    if (cancel->asked_s <= 0)
        cancel->asked_s = now_s;
    return now_s - cancel->asked_s >= cancel->grace_s;
}
