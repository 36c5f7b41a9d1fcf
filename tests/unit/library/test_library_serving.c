/*
 * test_library_serving.c - the calls of <autotune/serving.h> launch what at_run does for the problem that a
 * text names and the buffers that the operation's arguments name.
 */
#include "fake_driver.h"
#include "library_support.h"

#include <autotune/serving.h>

TestSuite(library_serving, .init = set_up, .fini = tear_down);

/* Memory of the array that an operation calls by this letter, far from that of any other. */
#define AT(letter) ((void *)(((uintptr_t)(letter) << 32)))

static at_status group_quant(at_tuner *t, at_error *err)
{
    const at_group_quant_args args = { sizeof args, AT_TYPE_BF16, 64,     AT_SCALES_COLUMNS, 5, 256,
                                       AT('q'),     AT('s'),      AT('i') };
    return at_group_quant(t, &args, AT('S'), err);
}

static at_status silu_mul_quant(at_tuner *t, at_error *err)
{
    const at_group_quant_args args = { sizeof args, AT_TYPE_F16, 32,      AT_SCALES_BLOCKS, 5,
                                       256,         AT('q'),     AT('s'), AT('i') };
    return at_silu_mul_quant(t, &args, AT('S'), err);
}

static at_status norm(at_tuner *t, const void *residual, int group, at_scales layout, at_error *err)
{
    const at_rmsnorm_quant_args args = { .struct_bytes = sizeof args,
                                         .type = AT_TYPE_BF16,
                                         .group = group,
                                         .layout = layout,
                                         .tokens = 5,
                                         .hidden = 256,
                                         .eps = 1e-5f,
                                         .q = AT('q'),
                                         .scales = AT('s'),
                                         .in = AT('i'),
                                         .gamma = AT('g'),
                                         .residual = residual,
                                         .sum = residual ? AT('u') : NULL };
    return at_rmsnorm_quant(t, &args, AT('S'), err);
}

static at_status rmsnorm_quant(at_tuner *t, at_error *err)
{
    return norm(t, NULL, 0, AT_SCALES_ROWS, err);
}

static at_status add_rmsnorm_quant(at_tuner *t, at_error *err)
{
    return norm(t, AT('r'), 128, AT_SCALES_E8M0, err);
}

static at_status block_quant(at_tuner *t, at_error *err)
{
    const at_block_quant_args args = {
        sizeof args, AT_TYPE_BF16, 130, 300, AT('q'), AT('t'), AT('s'), AT('i')
    };
    return at_block_quant(t, &args, AT('S'), err);
}

static at_status rope(at_tuner *t, at_error *err)
{
    const at_rope_args args = { .struct_bytes = sizeof args,
                                .type = AT_TYPE_BF16,
                                .interleaved = 1,
                                .positions = 100,
                                .tokens = 5,
                                .q_heads = 4,
                                .k_heads = 2,
                                .head = 64,
                                .q = AT('q'),
                                .k = AT('k'),
                                .q_in = AT('Q'),
                                .k_in = AT('K'),
                                .table = AT('t'),
                                .position = AT('p') };
    return at_rope(t, &args, AT('S'), err);
}

static at_status moe_permute(at_tuner *t, at_error *err)
{
    const at_moe_permute_args args = { sizeof args, AT_TYPE_I64, 5,       3,       512,    8,
                                       AT('o'),     AT('O'),     AT('i'), AT('s'), AT('p') };
    return at_moe_permute(t, &args, AT('S'), err);
}

static at_status moe_unpermute(at_tuner *t, at_error *err)
{
    const at_moe_unpermute_args args = { sizeof args, AT_TYPE_BF16, 5,       3,      256,
                                         AT('o'),     AT('i'),      AT('p'), AT('w') };
    return at_moe_unpermute(t, &args, AT('S'), err);
}

static const at_kv_args KV = { .struct_bytes = sizeof KV,
                               .type = AT_TYPE_BF16,
                               .slots = 64,
                               .tokens = 5,
                               .width = 128,
                               .k_cache = AT('K'),
                               .v_cache = AT('V'),
                               .k = AT('k'),
                               .v = AT('v'),
                               .slot = AT('s') };

static at_kv_args with_scales(void)
{
    at_kv_args args = KV;
    args.e4m3 = 1;
    args.k_scale = AT('1');
    args.v_scale = AT('2');
    return args;
}

static at_status kv_write(at_tuner *t, at_error *err)
{
    const at_kv_args args = with_scales();
    return at_kv_write(t, &args, AT('S'), err);
}

static at_status kv_write_same(at_tuner *t, at_error *err)
{
    return at_kv_write(t, &KV, AT('S'), err);
}

static at_status kv_gather(at_tuner *t, at_error *err)
{
    const at_kv_args args = with_scales();
    return at_kv_gather(t, &args, AT('S'), err);
}

/* `arrays`: the letter of each buffer that the operation declares, by its name. */
static const struct {
    at_status (*call)(at_tuner *, at_error *);
    const char *problem, *arrays;
} CASES[] = {
    { group_quant, "group_quant layout=columns group=g64 5x256 bf16", "q=q scales=s in=i " },
    { silu_mul_quant, "silu_mul_quant layout=blocks group=g32 5x256 f16", "q=q scales=s in=i " },
    { rmsnorm_quant, "rmsnorm_quant 5x256 bf16", "q=q scales=s sum=- in=i residual=- gamma=g " },
    { add_rmsnorm_quant, "rmsnorm_quant add=yes layout=e8m0 group=g128 5x256 bf16",
      "q=q scales=s sum=u in=i residual=r gamma=g " },
    { block_quant, "block_quant 130x300 bf16", "q=q turned=t scales=s in=i " },
    { rope, "rope style=interleaved positions=100 5x4x2x64 bf16",
      "q=q k=k q_in=Q k_in=K table=t position=p " },
    { moe_permute, "moe_permute 5x3x512x8 i64", "out=o out_scales=O in=i scales=s place=p " },
    { moe_unpermute, "moe_unpermute 5x3x256 bf16", "out=o in=i place=p weight=w " },
    { kv_write, "kv_write to=e4m3 64x5x128 bf16", "k_cache=K v_cache=V k=k v=v slot=s k_scale=1 v_scale=2 " },
    { kv_write_same, "kv_write 64x5x128 bf16", "k_cache=K v_cache=V k=k v=v slot=s k_scale=s v_scale=s " },
    { kv_gather, "kv_gather from=e4m3 64x5x128 bf16",
      "k_cache=K v_cache=V k=k v=v slot=s k_scale=1 v_scale=2 " },
};

static const void *array_of(const char *arrays, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = arrays; *at; at = strchr(at, ' ') + 1)
        if (strncmp(at, name, len) == 0 && at[len] == '=')
            return at[len + 1] == '-' ? NULL : AT(at[len + 1]);
    cr_assert_fail("no array '%s' in '%s'", name, arrays);
    return NULL;
}

static void run_as_text(at_tuner *tuner, const char *text, const char *arrays)
{
    at_error err = { 0 };
    at_problem problem = AT_PROBLEM_INIT;
    const at_found *found = NULL;
    at_buffer buffers[16] = { 0 };
    cr_assert_eq(at_problem_parse(&problem, tuner, text, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_prepare(&found, tuner, &problem, NULL, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < found->buffer_count; i++)
        buffers[i].address = array_of(arrays, found->buffers[i]->name);
    cr_assert_eq(at_run(tuner, &problem, buffers, found->buffer_count, AT('S'), NULL, &err), AT_OK, "%s",
                 err.text);
}

Test(library_serving, each_call_launches_what_the_operation_does)
{
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_status status = CASES[i].call(tuner, &err);
        if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
            cr_skip_test("NVRTC is not installed");
        cr_assert_eq(status, AT_OK, "%s: %s", CASES[i].problem, err.text);
        fake_record given = fake_read();
        run_as_text(tuner, CASES[i].problem, CASES[i].arrays);
        fake_record expected = fake_read();
        cr_expect_eq(given.stream, expected.stream, "%s", CASES[i].problem);
        cr_expect_eq(memcmp(given.grid, expected.grid, sizeof given.grid), 0, "%s", CASES[i].problem);
        cr_expect_eq(memcmp(given.params, expected.params, sizeof given.params), 0, "%s", CASES[i].problem);
        cr_expect_eq(memcmp(given.later, expected.later, sizeof given.later), 0, "%s", CASES[i].problem);
        cr_expect_eq(expected.launches, 2 * (int)i + 2, "%s", CASES[i].problem);
        cr_expect_eq(expected.loads, (int)i + 1, "%s: two problems where one was meant", CASES[i].problem);
    }
    at_close(tuner);
}

/* Of a tensor with the scales of all layers, each layer has one element. */
Test(library_serving, a_single_number_may_begin_where_its_type_may)
{
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    at_kv_args args = with_scales();
    args.k_scale = (const float *)AT('1') + 3;
    args.v_scale = (const float *)AT('2') + 5;
    at_status status = at_kv_write(tuner, &args, AT('S'), &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    cr_expect_eq(fake_read().launches, 1);

    args.k_scale = (const void *)((uintptr_t)AT('1') + 2);
    cr_expect_eq(at_kv_write(tuner, &args, AT('S'), &err), AT_ERR_USAGE);
    cr_expect(
        strstr(
            err.text,
            "begins at a multiple of 2 bytes and no more; expected device memory that is aligned to 4 bytes"),
        "%s", err.text);
    args = with_scales();
    args.slot = (const int64_t *)AT('s') + 1;
    cr_expect_eq(at_kv_write(tuner, &args, AT('S'), &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "aligned to 256 bytes"), "an array of several: %s", err.text);
    cr_expect_eq(fake_read().launches, 1);
    at_close(tuner);
}

static bool has_parameter(const fake_record *r, float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 7; i++)
        if ((int32_t)r->later[i] == bits)
            return true;
    return false;
}

Test(library_serving, epsilon_is_that_of_the_call)
{
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    const float values[] = { 1e-6f, 1e-5f, 0.25f };
    for (int i = 0; i < 3; i++) {
        const at_rmsnorm_quant_args args = { sizeof args, AT_TYPE_BF16, 0,       AT_SCALES_ROWS, 5,
                                             256,         values[i],    AT('q'), AT('s'),        AT('i'),
                                             AT('g'),     NULL,         NULL };
        at_status status = at_rmsnorm_quant(tuner, &args, NULL, &err);
        if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
            cr_skip_test("NVRTC is not installed");
        cr_assert_eq(status, AT_OK, "%s", err.text);
        fake_record r = fake_read();
        for (int k = 0; k < 3; k++)
            cr_expect_eq(has_parameter(&r, values[k]), k == i, "%g of %g", (double)values[k],
                         (double)values[i]);
    }
    at_close(tuner);
}

Test(library_serving, what_does_not_suit_an_operation_is_refused)
{
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    at_group_quant_args args = { sizeof args, AT_TYPE_BF16, 100,     AT_SCALES_ROWS, 5,
                                 256,         AT('q'),      AT('s'), AT('i') };
    cr_expect_eq(at_group_quant(tuner, &args, NULL, &err), AT_ERR_INPUT);
    cr_expect_str_eq(err.text, "group_quant: found groups of 100 elements; expected 128, 64 or 32");
    args.group = 128;
    args.hidden = 200;
    cr_expect_eq(at_group_quant(tuner, &args, NULL, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "rows are whole groups"), "%s", err.text);
    args.hidden = 256;
    args.layout = (at_scales)5;
    cr_expect_eq(at_silu_mul_quant(tuner, &args, NULL, &err), AT_ERR_INPUT, "%s", err.text);
    args.struct_bytes = 0;
    cr_expect_eq(at_group_quant(tuner, &args, NULL, &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "expected sizeof(at_group_quant_args)"), "%s", err.text);
    cr_expect_eq(at_rope(tuner, NULL, NULL, &err), AT_ERR_USAGE);
    cr_expect_eq(fake_read().launches, 0);
    at_close(tuner);
}
