/* test_device.c - what names a device, when a trial is taken for hung, and how long one has been waited for.
 */
#include "device/device.h"
#include "util/patience.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(device);

Test(device, is_a_number_or_a_recording)
{
    static const struct {
        const char *spec;
        at_status status;
    } CASES[] = { { "0", AT_OK },           { "1023", AT_OK },          { "1024", AT_ERR_USAGE },
                  { "-1", AT_ERR_USAGE },   { "1x", AT_ERR_USAGE },     { "", AT_ERR_USAGE },
                  { "replay:a.db", AT_OK }, { "replay:", AT_ERR_USAGE } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_error err = { 0 };
        cr_assert_eq(at__device_spec_parse(CASES[i].spec, &err), CASES[i].status, "'%s': %s", CASES[i].spec,
                     err.text);
    }
}

Test(device, a_trial_has_four_seconds_and_one_more_for_each_gigabyte)
{
    at__setup setup = { .buffer_count = 0 };
    cr_assert_float_eq(at__trial_deadline_s(&setup), 4.0, 1e-9);
    setup.buffers[0].bytes = setup.buffers[1].bytes = 4000000000;
    setup.buffer_count = 2;
    cr_assert_float_eq(at__trial_deadline_s(&setup), 12.0, 1e-9);
}

Test(device, a_wait_is_the_time_in_which_somebody_looked)
{
    at__patience patience = { .looked_s = 100 };
    for (int i = 1; i <= 30; i++)
        at__patience_waited_at(&patience, 100 + 0.1 * i);
    cr_assert_float_eq(patience.waited_s, 3.0, 1e-6);
    cr_assert_float_eq(at__patience_waited_at(&patience, 9103), 4.0, 1e-6,
                       "two hours in which this process was frozen are no time of the other one");
    cr_assert_float_eq(at__patience_waited_at(&patience, 9103.5), 4.5, 1e-6);
}
