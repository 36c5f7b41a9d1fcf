/* patience.c - see patience.h. */
#include "util/patience.h"

#include "util/clock.h"

atx_patience atx_patience_begin(void)
{
    return (atx_patience){ .looked_s = atx_now_s() };
}

double atx_patience_waited_at(atx_patience *patience, double now_s)
{
    double passed_s = now_s - patience->looked_s;
    patience->looked_s = now_s;
    patience->waited_s += passed_s < ATX_LONGEST_LOOK_S ? passed_s : ATX_LONGEST_LOOK_S;
    return patience->waited_s;
}

double atx_patience_waited_s(atx_patience *patience)
{
    return atx_patience_waited_at(patience, atx_now_s());
}
