/* test_machine_counts.c - sectors and wavefronts of the accesses that every CUDA text has. */
#include <criterion/criterion.h>

#include "machine/counts.h"

#include <stdio.h>
#include <string.h>

#define ALL 0xffffffffu

/* Lane i begins at base + i * stride bytes. */
static atx_access strided(uint64_t base, uint64_t stride, int bytes)
{
    atx_access a = { .active = ALL, .bytes = bytes };
    for (unsigned i = 0; i < ATX_LANES; i++)
        a.address[i] = base + i * stride;
    return a;
}

static void expect(atx_cost cost, int is, int least)
{
    cr_expect_eq(cost.is, is, "found %d, expected %d", cost.is, is);
    cr_expect_eq(cost.least, least, "found at least %d, expected %d", cost.least, least);
}

static void expect_global(atx_access a, int is, int least)
{
    expect(atx_global_cost(&a), is, least);
}

static void expect_shared(atx_access a, int is, int least)
{
    expect(atx_shared_cost(&a), is, least);
}

Test(machine_counts, a_row_of_floats_is_four_sectors)
{
    expect_global(strided(4096, 4, 4), 4, 4);
}

Test(machine_counts, a_column_of_floats_is_a_sector_a_lane)
{
    expect_global(strided(4096, 4096, 4), 32, 4);
}

Test(machine_counts, a_row_that_begins_off_a_sector_needs_one_more)
{
    expect_global(strided(4096 + 4, 4, 4), 5, 4);
}

Test(machine_counts, a_row_of_float4_is_sixteen_sectors_as_is_the_least)
{
    expect_global(strided(4096, 16, 16), 16, 16);
}

Test(machine_counts, a_row_of_bytes_is_one_sector)
{
    expect_global(strided(4096, 1, 1), 1, 1);
}

Test(machine_counts, every_other_float_wastes_half)
{
    expect_global(strided(4096, 8, 4), 8, 4);
}

Test(machine_counts, all_lanes_at_one_address_are_one_sector)
{
    expect_global(strided(4096, 0, 4), 1, 1);
}

Test(machine_counts, lanes_that_are_idle_cost_nothing)
{
    atx_access a = strided(4096, 4096, 4);
    a.active = 0x00000101u;
    expect_global(a, 2, 1);
    a.active = 0;
    expect_global(a, 0, 0);
    expect_shared(a, 0, 0);
}

Test(machine_counts, a_misaligned_access_reaches_into_the_next_sector)
{
    atx_access a = strided(4096 + 28, 0, 8);
    expect_global(a, 2, 1);
}

Test(machine_counts, a_row_of_words_has_no_conflict)
{
    expect_shared(strided(0, 4, 4), 1, 1);
}

Test(machine_counts, a_column_of_a_tile_of_32_floats_is_a_32_way_conflict)
{
    expect_shared(strided(0, 32 * 4, 4), 32, 1);
}

Test(machine_counts, padding_by_one_float_takes_the_conflict_away)
{
    expect_shared(strided(0, 33 * 4, 4), 1, 1);
}

Test(machine_counts, padding_by_two_floats_leaves_a_two_way_conflict)
{
    expect_shared(strided(0, 34 * 4, 4), 2, 1);
}

Test(machine_counts, one_word_for_all_lanes_is_one_wavefront)
{
    expect_shared(strided(64, 0, 4), 1, 1);
}

Test(machine_counts, bytes_of_one_word_do_not_conflict)
{
    expect_shared(strided(0, 1, 1), 1, 1);
    expect_shared(strided(0, 2, 2), 1, 1);
}

Test(machine_counts, a_column_of_bytes_of_a_tile_of_32_meets_a_bank_four_times)
{
    expect_shared(strided(0, 32, 1), 8, 1);
}

Test(machine_counts, rows_of_wider_elements_take_as_many_turns_as_their_bytes_need)
{
    expect_shared(strided(0, 8, 8), 2, 2);
    expect_shared(strided(0, 16, 16), 4, 4);
}

Test(machine_counts, a_column_of_doubles_with_padding_of_one_is_free_of_conflicts)
{
    expect_shared(strided(0, 33 * 8, 8), 2, 2);
    expect_shared(strided(0, 32 * 8, 8), 32, 2);
}

Test(machine_counts, pairs_of_lanes_at_one_double_go_together)
{
    atx_access a = strided(0, 8, 8);
    for (unsigned i = 0; i < ATX_LANES; i++)
        a.address[i] = i / 2 * 8;
    expect_shared(a, 1, 1);
}

Test(machine_counts, halves_of_a_warp_that_want_the_same_doubles_go_together)
{
    atx_access a = strided(0, 8, 8);
    for (unsigned i = 0; i < ATX_LANES; i++)
        a.address[i] = i % 16 * 8;
    expect_shared(a, 1, 1);
}

/* ---- what a device counts ---- */

/* Lane i begins at (i / every) * far + (i % every) * near + from; the last three are written plus 1. */
static atx_access probed(int bytes, const int shape[4])
{
    atx_access a = { .active = ALL, .bytes = bytes };
    for (int i = 0; i < ATX_LANES; i++)
        a.address[i] =
            (uint64_t)(i / shape[0] * (shape[1] - 1) + i % shape[0] * (shape[2] - 1) + shape[3] - 1);
    return a;
}

static atx_cost cost_of(const char *kind, const atx_access *a)
{
    return strncmp(kind, "global", 6) == 0 ? atx_global_cost(a)
           : strcmp(kind, "matrix") == 0   ? atx_matrix_cost(a)
                                           : atx_shared_cost(a);
}

Test(machine_counts, costs_are_those_that_ncu_counts_on_an_h200)
{
    FILE *file = fopen(AT_SOURCE_DIR "/tests/data/machine/probe/h200.txt", "re");
    char kind[32];
    int bytes, shape[4], counted, cases = 0;
    cr_assert_not_null(file);
    while (fscanf(file, "%31s %d %dx%dx%dx%d %d", kind, &bytes, &shape[0], &shape[1], &shape[2], &shape[3],
                  &counted) == 7) {
        const atx_access a = probed(bytes, shape);
        const atx_cost c = cost_of(kind, &a);
        cr_expect_eq(c.is, counted, "%s of %d bytes at %dx%dx%dx%d: found %d, expected %d", kind, bytes,
                     shape[0], shape[1], shape[2], shape[3], c.is, counted);
        cases++;
    }
    fclose(file);
    cr_expect(cases > 130);
}
