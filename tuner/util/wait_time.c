/* wait_time.c - see wait_time.h. */
#include "util/wait_time.h"

#include "util/clock.h"

atx_wait_time atx_wait_time_begin(void)
{
    return (atx_wait_time){ .looked_s = atx_now_s() };
}

double atx_wait_time_waited_at(atx_wait_time *wait_time, double now_s)
{
    double passed_s = now_s - wait_time->looked_s;
    wait_time->looked_s = now_s;
    wait_time->waited_s += passed_s < ATX_LONGEST_LOOK_S ? passed_s : ATX_LONGEST_LOOK_S;
    return wait_time->waited_s;
}

double atx_wait_time_waited_s(atx_wait_time *wait_time)
{
    return atx_wait_time_waited_at(wait_time, atx_now_s());
}
