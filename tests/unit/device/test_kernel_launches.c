/* test_kernel_launches.c - the launches of a candidate: each step once, or those of its loops, also behind a
 * pipe; and what is no list of launches. */
#include "device/runner_wire.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static atx_kernel_launch launch_of(int step, int args, int64_t value)
{
    atx_kernel_launch t = { .step = step, .arg_count = args, .geometry = { .grid = { value, 1, 1 } } };
    for (int i = 0; i < args; i++)
        t.args[i] = (struct atx_kernel_arg){ .buffer = i % 2 ? -1 : i, .bytes = 4, .value = value + i };
    return t;
}

static atx_kernel looped(atx_str *launches)
{
    for (int i = 0; i < 5; i++) {
        const atx_kernel_launch t = launch_of(i % 2, i, 100 * i);
        atx_launches_add(launches, &t);
    }
    return (atx_kernel){ .identity = "x",
                         .name = "f",
                         .more_count = 1,
                         .more = { { .name = "g" } },
                         .launches = launches->data,
                         .launches_len = launches->len,
                         .launch_count = 5 };
}

static void expect_looped(const atx_kernel *k)
{
    atx_kernel_launch t;
    size_t at = 0;
    for (int i = 0; i < 5; i++) {
        const atx_kernel_launch right = launch_of(i % 2, i, 100 * i);
        cr_assert(atx_kernel_next(&t, k, &at), "%d", i);
        cr_assert(t.step == right.step && t.arg_count == i && t.geometry.grid[0] == 100 * i);
        cr_assert_arr_eq(t.args, right.args, (size_t)i * sizeof *t.args);
    }
    cr_assert_not(atx_kernel_next(&t, k, &at));
    cr_assert_eq(atx_kernel_launches(k), 5);
}

Test(kernel_launches, without_a_loop_each_step_is_launched_once)
{
    const atx_kernel k = { .arg_count = 1,
                           .geometry = { .grid = { 7, 1, 1 } },
                           .more_count = 1,
                           .more = { { .arg_count = 2, .geometry = { .grid = { 8, 1, 1 } } } } };
    atx_kernel_launch t;
    size_t at = 0;
    cr_assert(atx_kernel_next(&t, &k, &at) && t.step == 0 && t.arg_count == 1 && t.geometry.grid[0] == 7);
    cr_assert(atx_kernel_next(&t, &k, &at) && t.step == 1 && t.arg_count == 2 && t.geometry.grid[0] == 8);
    cr_assert_not(atx_kernel_next(&t, &k, &at));
    cr_assert_eq(atx_kernel_launches(&k), 2);
}

Test(kernel_launches, a_loop_has_each_of_its_launches)
{
    atx_str launches = { 0 };
    const atx_kernel k = looped(&launches);
    expect_looped(&k);
    atx_str_clear(&launches);
}

/* In a frame they begin anywhere. */
Test(kernel_launches, they_reach_another_process)
{
    at_error err = { 0 };
    atx_str launches = { 0 }, body = { 0 };
    const atx_trial sent = { .tag = 3, .kernel = looped(&launches) };
    atx_trial got;
    atx_write_trial(&body, &sent);
    char *moved = malloc(body.len + 1);
    cr_assert(moved);
    memcpy(moved + 1, body.data, body.len);
    atx_reader in = { .at = moved + 1, .end = moved + 1 + body.len };
    cr_assert_eq(atx_read_trial(&got, &in, &err), AT_OK, "%s", err.text);
    expect_looped(&got.kernel);
    free(moved);
    atx_str_clear(&body);
    atx_str_clear(&launches);
}

Test(kernel_launches, what_is_no_list_ends)
{
    atx_str launches = { 0 };
    atx_kernel k = looped(&launches);
    atx_kernel_launch t;
    for (size_t len = 0; len < launches.len; len++) {
        size_t at = 0;
        int count = 0;
        k.launches_len = len;
        while (atx_kernel_next(&t, &k, &at))
            count++;
        cr_assert(count < 5 && at <= len, "%zu: %d", len, count);
    }
    k.launches_len = launches.len;
    for (int bad = -1; bad <= ATX_MAX_ARGS + 1; bad += ATX_MAX_ARGS + 2) {
        size_t at = 0;
        memcpy(launches.data + offsetof(atx_kernel_launch, arg_count), &bad, sizeof bad);
        cr_assert_not(atx_kernel_next(&t, &k, &at), "%d arguments", bad);
    }
    atx_str_clear(&launches);
}
