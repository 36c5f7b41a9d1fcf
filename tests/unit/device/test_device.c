/* test_device.c - what names a device, when a trial is taken for hung, and how long one has been waited for.
 */
#include "device/device.h"
#include "device/pace.h"
#include "util/clock.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(device);

Test(device, is_a_number_or_a_recording)
{
    static const struct {
        const char *spec;
        at_status status;
    } CASES[] = { { "0", AT_OK },
                  { "1023", AT_OK },
                  { "1024", AT_ERR_USAGE },
                  { "-1", AT_ERR_USAGE },
                  { "01", AT_ERR_USAGE },
                  { " 1", AT_ERR_USAGE },
                  { "1x", AT_ERR_USAGE },
                  { "", AT_ERR_USAGE },
                  { "replay:a.db", AT_OK },
                  { "replay:", AT_ERR_USAGE },
                  { "replay:a.db?pace=1", AT_OK },
                  { "replay:a.db?pace=0.5", AT_OK },
                  { "replay:a.db?pace=0", AT_ERR_USAGE },
                  { "replay:a.db?pace=-1", AT_ERR_USAGE },
                  { "replay:a.db?pace=nan", AT_ERR_USAGE },
                  { "replay:a.db?pace=", AT_ERR_USAGE },
                  { "replay:a.db?pace=1x", AT_ERR_USAGE },
                  { "replay:?pace=1", AT_ERR_USAGE },
                  { "replay:is it?", AT_OK } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_error err = { 0 };
        cr_assert_eq(atx_device_spec_parse(CASES[i].spec, &err), CASES[i].status, "'%s': %s", CASES[i].spec,
                     err.text);
    }
}

Test(device, a_trial_has_four_seconds_and_one_more_for_each_gigabyte)
{
    atx_setup setup = { .buffer_count = 0 };
    cr_assert_float_eq(atx_trial_deadline_s(&setup), 4.0, 1e-9);
    setup.buffers[0].bytes = setup.buffers[1].bytes = 4000000000;
    setup.buffer_count = 2;
    cr_assert_float_eq(atx_trial_deadline_s(&setup), 12.0, 1e-9);
}

Test(device, a_wait_is_the_time_in_which_somebody_looked)
{
    atx_wait_time wait_time = { .looked_s = 100 };
    for (int i = 1; i <= 30; i++)
        atx_wait_time_waited_at(&wait_time, 100 + 0.1 * i);
    cr_assert_float_eq(wait_time.waited_s, 3.0, 1e-6);
    cr_assert_float_eq(atx_wait_time_waited_at(&wait_time, 9103), 4.0, 1e-6,
                       "two hours in which this process was frozen are no time of the other one");
    cr_assert_float_eq(atx_wait_time_waited_at(&wait_time, 9103.5), 4.5, 1e-6);
}

Test(device, a_replay_is_a_file_and_may_have_a_name_and_a_pace)
{
    static const struct {
        const char *spec, *file, *name;
        double pace;
    } CASES[] = { { "replay:a.db", "a.db", "", 0 },
                  { "replay:a.db@H200", "a.db", "H200", 0 },
                  { "replay:a.db?pace=2", "a.db", "", 2 },
                  { "replay:a.db@H200?pace=0.5", "a.db", "H200", 0.5 },
                  { "replay:is it?", "is it?", "", 0 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_error err = { 0 };
        atx_replay_spec got;
        cr_assert_eq(atx_device_replay_parse(&got, CASES[i].spec, &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(atx_str_text(&got.file), CASES[i].file);
        cr_assert_str_eq(got.name, CASES[i].name);
        cr_assert_float_eq(got.pace, CASES[i].pace, 0);
        atx_str_clear(&got.file);
    }
}

Test(device, a_sign_in_the_name_of_a_file_that_is_there_is_no_pace)
{
    char spec[80], file[64];
    at_error err = { 0 };
    atx_replay_spec got;
    TEMPORARY(file, "device");
    strcat(file, "?pace=3");
    int fd = mkstemps(file, 7);
    cr_assert_geq(fd, 0);
    close(fd);
    snprintf(spec, sizeof spec, "replay:%s", file);
    at_status status = atx_device_replay_parse(&got, spec, &err);
    unlink(file);
    cr_assert_eq(status, AT_OK, "%s", err.text);
    cr_assert_str_eq(atx_str_text(&got.file), file);
    cr_assert_float_eq(got.pace, 0, 0);
    atx_str_clear(&got.file);
}

/* Cut, it would be a part of another name. */
Test(device, a_replay_of_a_device_with_a_name_that_none_can_have_is_refused)
{
    char spec[400] = "replay:none.db@";
    atx_replay_spec got;
    at_error err = { 0 };
    for (int len = 127; len <= 128; len++) {
        memset(spec + strlen("replay:none.db@"), 'H', (size_t)len);
        cr_expect_eq(atx_device_replay_parse(&got, spec, &err), len < 128 ? AT_OK : AT_ERR_USAGE, "%d", len);
        atx_str_clear(&got.file);
    }
}

/* Of an H200, as runner/README.md has it: 5.4 ms a trial, with re-measurements. */
Test(device, a_trial_is_expected_to_take_milliseconds_and_a_crash_a_runner)
{
    atx_measured m = { .outcome = ATX_TIMED, .timing = { .median_s = 33e-6, .samples = 7 } };
    double timed_s = atx_pace_trial_s(&m);
    cr_assert(timed_s > 2e-3 && timed_s < 8e-3, "%g", timed_s);
    m.timing.samples = 2;
    cr_assert_lt(atx_pace_trial_s(&m), timed_s, "a race that was lost early ended early");
    m.timing.median_s = 1e-2;
    cr_assert_gt(atx_pace_trial_s(&m), 7e-2, "seven launches, one after the other");
    m.outcome = ATX_CRASHED;
    cr_assert_geq(atx_pace_trial_s(&m), 0.5);
    m.outcome = ATX_COMPILE_FAILED;
    cr_assert_float_eq(atx_pace_trial_s(&m), 0, 0, "the device never saw it");
}

/* The first that is recorded. */
static void take_identity(void *context, const char *name, const char *hash, const char *config)
{
    char **out = context;
    (void)hash;
    if (!*out && asprintf(out, "transpose 4096x4096 b4 %s %s", name, config) < 0)
        *out = NULL;
}

/* Seconds until the device has answered as many trials of one configuration. */
static double answer_trials(const char *spec, int count)
{
    at_error err = { 0 };
    atx_device *device = NULL;
    atx_problem_key key = { .op = "transpose", .shape = "4096x4096", .type_key = "b4" };
    atx_trial trial = { .kernel.identity = NULL };
    atx_measured m;
    bool got = false;
    cr_assert_eq(atx_device_open(&device, spec, NULL, &err), AT_OK, "%s", err.text);
    char *identity = NULL;
    cr_assert_eq(atx_device_recorded(device, &key, false, take_identity, &identity, &err), AT_OK);
    trial.kernel.identity = identity;
    double begun_s = atx_now_s();
    for (int i = 0; i < count; i++)
        cr_assert_eq(atx_device_submit(device, &trial, &err), AT_OK, "%s", err.text);
    for (int answered = 0; answered < count; answered += got) {
        struct pollfd fd = atx_device_fd(device);
        cr_assert_eq(atx_device_pump(device, &m, &got, &err), AT_OK, "%s", err.text);
        if (!got)
            cr_assert_eq(poll(&fd, 1, 300000), 1, "the descriptor says when there is something");
    }
    double took_s = atx_now_s() - begun_s;
    free(identity);
    atx_device_close(device);
    return took_s;
}

#define RECORDING "replay:" AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz"

/* Of the recorded time a trial needs at least 2 ms and three samples. What is told to be fast has as long as
 * a slow one takes at least, which is thousands of times as long as it needs. */
Test(device, a_replay_with_a_pace_takes_as_long_as_the_device_did)
{
    static const double LEAST_S = 2.6e-3 / 0.001;
    cr_assert_geq(answer_trials(RECORDING "?pace=0.001", 1), LEAST_S);
    cr_assert_lt(answer_trials(RECORDING "?pace=100000", 1), LEAST_S, "it is told how fast");
}

Test(device, a_recording_is_read_no_longer_than_its_user_wants)
{
    const atomic_int asked = 1;
    atx_cancel cancel = { .flag = &asked };
    atx_device *device = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_device_open(&device, RECORDING, &cancel, &err), AT_ERR_CANCELLED, "%s", err.text);
    cr_assert_null(device);
    cr_assert(strstr(err.text, "interrupted while ") && strstr(err.text, "h200.jsonl.gz was read"), "%s",
              err.text);
}
