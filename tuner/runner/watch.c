/*
 * watch.c - conditions are read when timing begins, and after each round compared with that:
 * throttling by heat or by the hardware, or a clock below CLOCK_FELL of it, is a disturbance. The
 * highest clock that was seen is what others are compared with, so a slow decline is no new normal.
 * A pause follows.
 */
#include "runner/watch.h"

#include <unistd.h>

/* Bits of nvmlDeviceGetCurrentClocksThrottleReasons. */
#define HW_SLOWDOWN    0x08
#define SW_THERMAL     0x20
#define HW_THERMAL     0x40
#define HW_POWER_BRAKE 0x80

#define CLOCK_FELL 0.9
#define PAUSE_US   20000

const char *atx_disturbance(const atx_conditions *calm, const atx_conditions *now)
{
    int64_t reasons = now->throttle_reasons > 0 ? now->throttle_reasons : 0;
    if (reasons & (SW_THERMAL | HW_THERMAL))
        return "thermal slowdown";
    if (reasons & HW_POWER_BRAKE)
        return "power brake";
    if (reasons & HW_SLOWDOWN)
        return "hardware slowdown";
    if (calm->sm_clock_mhz > 0 && now->sm_clock_mhz > 0 &&
        (double)now->sm_clock_mhz < CLOCK_FELL * (double)calm->sm_clock_mhz)
        return "the clock fell";
    return NULL;
}

void atx_watch_begin(atx_watch *watch, const atx_nvml *nvml)
{
    const atx_conditions now = atx_nvml_read(nvml);
    *watch = (atx_watch){ .nvml = nvml, .calm = now, .now = now };
}

void atx_watch_go_on(atx_watch *watch)
{
    *watch = (atx_watch){ .nvml = watch->nvml, .calm = watch->now, .now = watch->now };
}

void atx_watch_look(atx_watch *watch)
{
    watch->now = atx_nvml_read(watch->nvml);
}

bool atx_watch_disturbed(atx_watch *w)
{
    if (!w->nvml)
        return false;
    w->now = atx_nvml_read(w->nvml);
    const char *what = atx_disturbance(&w->calm, &w->now);
    if (w->now.sm_clock_mhz > w->calm.sm_clock_mhz)
        w->calm.sm_clock_mhz = w->now.sm_clock_mhz; /* it began before the clock was up */
    if (!what)
        return false;
    w->what = what;
    w->discarded++;
    usleep(PAUSE_US);
    return true;
}
