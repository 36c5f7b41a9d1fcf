/* test_watch.c - which samples are thrown away because the device was not itself. */
#include "runner/watch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(watch);

static const atx_conditions CALM = { 1980, 3201, 45, 320, 700, 0 };

static const char *seen(int64_t sm_clock_mhz, int64_t reasons)
{
    atx_conditions now = CALM;
    now.sm_clock_mhz = sm_clock_mhz;
    now.throttle_reasons = reasons;
    const char *what = atx_disturbance(&CALM, &now);
    return what ? what : "";
}

Test(watch, heat_and_brakes_disturb)
{
    cr_assert_str_eq(seen(1980, 0x40), "thermal slowdown");
    cr_assert_str_eq(seen(1980, 0x20), "thermal slowdown");
    cr_assert_str_eq(seen(1980, 0x80), "power brake");
    cr_assert_str_eq(seen(1980, 0x08), "hardware slowdown");
    cr_assert_str_eq(seen(1980, 0x48 | 0x04), "thermal slowdown", "the reason, not its consequence");
}

Test(watch, a_power_limit_or_an_idle_device_is_normal)
{
    cr_assert_str_eq(seen(1980, 0x00), "");
    cr_assert_str_eq(seen(1900, 0x04), "");
    cr_assert_str_eq(seen(1980, 0x01), "");
}

Test(watch, a_clock_that_fell_by_more_than_a_tenth_disturbs)
{
    cr_assert_str_eq(seen(1783, 0), "");
    cr_assert_str_eq(seen(1780, 0), "the clock fell");
}

Test(watch, what_is_unknown_does_not_disturb)
{
    const atx_conditions unknown = ATX_CONDITIONS_UNKNOWN;
    atx_watch w;
    cr_assert_null(atx_disturbance(&unknown, &unknown));
    cr_assert_null(atx_disturbance(&CALM, &unknown));
    cr_assert_str_eq(seen(-1, -1), "");
    atx_watch_begin(&w, NULL);
    cr_assert_not(atx_watch_disturbed(&w));
    cr_assert_eq(w.discarded, 0);
}
