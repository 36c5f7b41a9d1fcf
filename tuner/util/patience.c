/* patience.c - see patience.h. */
#include "util/patience.h"

#include "util/clock.h"

at__patience at__patience_begin(void)
{
    return (at__patience){ .looked_s = at__now_s() };
}

double at__patience_waited_at(at__patience *patience, double now_s)
{
    double passed_s = now_s - patience->looked_s;
    patience->looked_s = now_s;
    patience->waited_s += passed_s < AT__LONGEST_LOOK_S ? passed_s : AT__LONGEST_LOOK_S;
    return patience->waited_s;
}

double at__patience_waited_s(at__patience *patience)
{
    return at__patience_waited_at(patience, at__now_s());
}
