/* test_library_device.c - what a program may write for a device: a number, a name, or one that nobody
 * measured. */
#include "library_support.h"

#include <math.h>

TestSuite(library_device, .init = set_up, .fini = tear_down);

static const at_problem SHIPPED = { .struct_bytes = sizeof(at_problem),
                                    .op = "transpose",
                                    .type = AT_TYPE_F32,
                                    .size_count = 2,
                                    .sizes = { 4096, 4096 } };

static at_tuner *open_with_shipped(void)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    unsetenv("AUTOTUNE_NO_SHIPPED");
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    return tuner;
}

/* The driver that is linked has an H200 and an H100. */
Test(library_device, a_number_is_a_gpu_of_this_machine)
{
    static const struct {
        const char *number, *device;
    } GPUS[] = { { "0", "NVIDIA H200" }, { "1", "NVIDIA H100 80GB HBM3" } };
    at_tuner *tuner = open_with_shipped();
    for (int i = 0; i < 4; i++) {
        const at_target target = { sizeof(at_target), GPUS[i % 2].number, NULL, 0 };
        at_found *found = find_ok(tuner, SHIPPED, &target);
        cr_expect_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
        cr_expect_str_eq(found->device, GPUS[i % 2].device);
        cr_expect_str_eq(found->measured_device, GPUS[i % 2].device);
        cr_expect_eq(found->sms, 132);
        at_found_close(found);
    }
    const at_target third = { sizeof(at_target), "2", NULL, 0 };
    at_found *found = NULL;
    at_error err = { 0 };
    cr_expect_eq(at_find(&found, tuner, &SHIPPED, &third, &err), AT_ERR_DEVICE);
    cr_expect(strstr(err.text, "2"), "%s", err.text);
    at_close(tuner);
}

Test(library_device, a_name_is_refused_where_it_means_no_device_or_several)
{
    static const struct {
        const char *name, *part;
    } NAMES[] = { { "H20", "one of these devices" }, { "nvidia", "which several devices have" } };
    at_error err = { 0 };
    at_found *found = NULL;
    at_tuner *tuner = open_with_shipped();
    for (int i = 0; i < 2; i++) {
        const at_target target = { sizeof(at_target), NAMES[i].name, NULL, 0 };
        cr_expect_eq(at_find(&found, tuner, &SHIPPED, &target, &err), AT_ERR_USAGE);
        cr_expect(strstr(err.text, NAMES[i].part) && strstr(err.text, "'NVIDIA H200'"), "%s", err.text);
    }
    at_close(tuner);
}

Test(library_device, nothing_is_expected_of_a_device_that_no_model_knows)
{
    at_tuner *tuner = open_with_shipped();
    const at_target target = { sizeof(at_target), "Tesla T4", "sm_75", 40 };
    at_problem problem = SHIPPED;
    problem.sizes[0] = 3000;
    problem.sizes[1] = 5000;
    at_found *found = find_ok(tuner, problem, &target);
    cr_expect_eq(found->match, AT_MATCH_OTHER_DEVICE, "%s", found->why);
    cr_expect(strstr(found->why, "nothing was tuned on Tesla T4"), "%s", found->why);
    cr_expect(isnan(found->expected_s));
    cr_expect(isnan(found->expected_loss));
    cr_expect(isnan(found->median_s));
    cr_expect_str_eq(found->measured_device, "");
    cr_expect_str_eq(found->device, "Tesla T4");
    cr_expect_str_eq(found->arch, "sm_75");
    at_found_close(found);
    at_close(tuner);
}
