/* stop.c - see stop.h. */
#include "util/stop.h"

#include "util/clock.h"

#include <stddef.h>

bool at__stop_asked(const at__stop *stop)
{
    return stop && stop->flag && *stop->flag;
}

bool at__stop_now(at__stop *stop)
{
    if (!stop)
        return false;
    if (stop->tick)
        stop->tick(stop->context);
    double now_s = at__now_s();
    if (stop->until_s > 0 && now_s >= stop->until_s)
        return true;
    if (!at__stop_asked(stop))
        return false;
    if (stop->asked_s <= 0)
        stop->asked_s = now_s;
    return now_s - stop->asked_s >= stop->grace_s;
}
