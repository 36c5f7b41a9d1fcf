/* test_arch.c - limits of architectures by name, without having one. */
#include "lang/arch.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arch, knows_its_spellings)
{
    static const char *const SPELLINGS[] = { "sm_90", "compute_90", "90", "9.0", "sm_9.0" };
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        atx_limits limits = { 0 };
        at_error err = { 0 };
        cr_assert_eq(atx_arch_parse(&limits, SPELLINGS[i], &err), AT_OK, "%s: %s", SPELLINGS[i], err.text);
        cr_assert_eq(limits.cc, 90, "%s", SPELLINGS[i]);
    }
}

static const struct {
    const char *name;
    int64_t cc, max_shared_bytes;
} KNOWN[] = {
    { "sm_75", 75, 65536 },    { "sm_80", 80, 166912 }, { "sm_86", 86, 101376 },   { "sm_87", 87, 166912 },
    { "sm_89", 89, 101376 },   { "sm_90", 90, 232448 }, { "sm_100", 100, 232448 }, { "10.3", 103, 232448 },
    { "sm_120", 120, 101376 }, { "12.1", 121, 101376 },
};

Test(arch, gives_every_limit)
{
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        atx_limits limits = { 0 };
        cr_assert_eq(atx_arch_parse(&limits, KNOWN[i].name, NULL), AT_OK, "%s", KNOWN[i].name);
        cr_assert_eq(limits.cc, KNOWN[i].cc);
        cr_assert_eq(limits.max_shared_bytes, KNOWN[i].max_shared_bytes, "%s", KNOWN[i].name);
        cr_assert_eq(limits.max_threads_per_block, 1024);
        cr_assert_eq(limits.max_registers_per_block, 65536);
        cr_assert_eq(limits.max_static_shared_bytes, 49152);
        cr_assert_eq(limits.max_grid_x, 2147483647);
        cr_assert_eq(limits.warp_size, 32);
        cr_assert(limits.sms > 0 && limits.l2_bytes > 0 && limits.memory_bytes > 0, "%s", KNOWN[i].name);
    }
}

Test(arch, lists_what_it_knows_and_leaves_the_limits_when_there_is_none)
{
    static const char *const WRONG[] = {
        "",    "sm_",   "sm_91", "sm_-90", "sm_+90",   " 90",    "9.",
        ".90", "9.0.0", "9.00",  "90a",    "sm_sm_90", "hopper", "99999999999999999999.5"
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        atx_limits limits = { .cc = 1 };
        at_error err = { 0 };
        cr_assert_eq(atx_arch_parse(&limits, WRONG[i], &err), AT_ERR_USAGE, "'%s'", WRONG[i]);
        cr_assert_eq(limits.cc, 1);
        cr_assert(strstr(err.text, "sm_75") && strstr(err.text, "sm_121"), "%s", err.text);
    }
}

Test(arch, a_capability_that_is_not_in_the_table_has_the_limits_of_the_one_before)
{
    atx_limits limits, older;
    atx_arch_limits(&older, 90);
    cr_assert_eq(older.sms, 132);
    atx_arch_limits(&limits, 95);
    cr_assert_eq(limits.cc, 95);
    cr_assert_eq(limits.max_shared_bytes, older.max_shared_bytes);
    atx_arch_limits(&limits, 60);
    cr_assert_eq(limits.cc, 60);
    cr_assert_eq(limits.max_shared_bytes, 64 * 1024, "those of the oldest that is known");
    atx_arch_limits(&limits, 990);
    cr_assert_eq(limits.max_shared_bytes, 99 * 1024);
}

/* A shifted number of that size would have been zero, or below. */
Test(arch, memory_that_no_device_has_is_still_a_size)
{
    static const int64_t CASES[][2] = {
        { 143155, 143155ll * 1024 * 1024 },
        { 0, 0 },
        { -1, 0 },
        { (1ll << 43) - 1, ((1ll << 43) - 1) * 1048576 },
        { 1ll << 43, INT64_MAX },
        { INT64_MAX, INT64_MAX },
        { INT64_MIN, 0 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        cr_assert_eq(atx_memory_bytes(CASES[i][0]), CASES[i][1], "case %zu", i);
}

/* As NVIDIA's occupancy calculator has them. */
Test(arch, occupancy_is_what_the_scarcest_resource_allows)
{
    static const struct {
        int cc, threads, registers, shared, blocks, warps, max;
        const char *limit;
    } CASES[] = {
        { 90, 256, 32, 0, 8, 64, 64, "threads" },
        { 90, 1024, 64, 0, 1, 32, 64, "registers" },
        { 90, 128, 32, 100 * 1024, 2, 8, 64, "shared memory" },
        { 90, 32, 16, 0, 32, 32, 64, "blocks" },
        { 90, 256, 255, 0, 1, 8, 64, "registers" },
        { 90, 33, 32, 0, 32, 64, 64, "threads" },
        { 86, 1024, 32, 0, 1, 32, 48, "threads" },
        { 75, 256, 32, 64 * 1024, 1, 8, 32, "shared memory" },
        { 90, 256, 32, 228 * 1024, 0, 0, 64, "shared memory" },
        { 90, 0, -1, -1, 32, 32, 64, "blocks" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_occupancy o =
            atx_arch_occupancy(CASES[i].cc, CASES[i].threads, CASES[i].registers, CASES[i].shared);
        cr_expect_eq(o.blocks, CASES[i].blocks, "case %zu", i);
        cr_expect_eq(o.warps, CASES[i].warps, "case %zu", i);
        cr_expect_eq(o.max_warps, CASES[i].max, "case %zu", i);
        cr_expect_str_eq(o.limit, CASES[i].limit, "case %zu", i);
    }
}

Test(arch, a_letter_names_a_variant_where_there_is_one)
{
    static const struct {
        const char *text;
        int64_t cc; /* 0: refused */
        char variant;
    } CASES[] = { { "sm_90a", 90, 'a' }, { "90", 90, 0 },    { "sm_100f", 100, 'f' }, { "sm_120a", 120, 'a' },
                  { "sm_80a", 0, 0 },    { "sm_90f", 0, 0 }, { "sm_91a", 0, 0 },      { "a", 0, 0 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_limits limits = { 0 };
        char variant = 'x', text[ATX_ARCH_TEXT];
        at_error err = { 0 };
        at_status status = atx_arch_parse_variant(&limits, &variant, CASES[i].text, &err);
        cr_expect_eq(status, CASES[i].cc ? AT_OK : AT_ERR_USAGE, "%s: %s", CASES[i].text, err.text);
        if (status != AT_OK)
            continue;
        cr_expect_eq(limits.cc, CASES[i].cc);
        cr_expect_eq(variant, CASES[i].variant);
        atx_arch_text(text, limits.cc, variant);
        cr_expect(strstr(text, CASES[i].text), "%s", text);
    }
}
