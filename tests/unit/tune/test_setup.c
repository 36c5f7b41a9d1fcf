/* test_setup.c - how much of its buffers a launch touches, from the declaration to the runner. */
#include "lang/catalog.h"
#include "device/layout.h"
#include "device/runner_wire.h"
#include "tune/setup.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* What the runner's layout counts of a problem's set of buffers. */
static atx_layout layout_of(const char *op, atx_dtype type, const int64_t *sizes, int count)
{
    static const atx_limits NO_DEVICE = { 0 };
    atx_catalog *catalog = NULL;
    atx_problem problem;
    atx_layout layout;
    atx_setup *sent = calloc(1, sizeof *sent), *got = calloc(1, sizeof *got);
    int64_t slots[ATX_MAX_SLOTS];
    ATX_LOCAL(atx_str) body = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, atx_catalog_find_op(catalog, op), type, sizes, count, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &NO_DEVICE, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_setup_describe(sent, &problem, slots, &err), AT_OK, "%s", err.text);
    atx_write_setup(&body, sent);
    atx_reader in = { body.data, body.data + body.len, false };
    cr_assert_eq(atx_read_setup(got, &in, &err), AT_OK, "%s", err.text);
    atx_layout_of(&layout, got);
    free(sent);
    free(got);
    atx_catalog_close(catalog);
    return layout;
}

Test(setup, a_gather_touches_the_rows_that_it_reads_and_not_the_whole_table)
{
    enum { SLOTS = 65536, TOKENS = 256, WIDTH = 1024, ES = 2 };
    const atx_layout l = layout_of("kv_gather", ATX_BF16, (int64_t[]){ 1, SLOTS, TOKENS, WIDTH }, 4);
    cr_expect_eq(l.traffic_bytes, 4 * TOKENS * WIDTH * ES + 8 * TOKENS);
    cr_expect_gt(l.set_bytes, 2 * SLOTS * WIDTH * ES);
}

Test(setup, a_transpose_touches_its_buffers)
{
    const atx_layout l = layout_of("transpose", ATX_F32, (int64_t[]){ 640, 480 }, 2);
    cr_expect_eq(l.traffic_bytes, 2 * 640 * 480 * 4);
}
