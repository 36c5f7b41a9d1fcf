/* test_checks_needed.c - which parts of the kernels that fill and compare a problem's buffers want. */
#include "declare/data.h"
#include "device/columns.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* An exact output, and an input that holds this. */
static atx_setup *setup_of(int how)
{
    atx_setup *setup = calloc(1, sizeof *setup);
    cr_assert(setup);
    setup->buffer_count = 2;
    for (int i = 0; i < 2; i++)
        setup->buffers[i] = (atx_buffer){
            .role = i ? ATX_INPUT : ATX_OUTPUT, .bytes = 64, .element_bytes = 4, .number = ATX_FLOAT * 16 + 4
        };
    setup->buffers[0].check.rule = ATX_EXACT;
    setup->buffers[1].how = how;
    return setup;
}

static void expect(const atx_setup *setup, bool simple, bool rows, bool close)
{
    const int how = setup->buffers[1].how;
    for (int part = 0; part < ATX_CHECK_PARTS; part++) {
        const bool is_simple = part == ATX_CHECK_GENERATE || part == ATX_CHECK_GENERATED;
        const bool is_rows = part == ATX_CHECK_GENERATE_ROWS || part == ATX_CHECK_GENERATED_ROWS;
        const bool is_close = part == ATX_CHECK_CLOSE || part == ATX_CHECK_WORST;
        const bool wanted = is_simple ? simple : is_rows ? rows : !is_close || close;
        cr_expect_eq(atx_check_is_needed(setup, (atx_check_kind)part), wanted, "how %d, part %d", how, part);
    }
}

Test(checks_needed, random_bits_want_no_numbers)
{
    atx_setup *setup = setup_of(ATX_BITS);
    expect(setup, false, false, false);
    free(setup);
}

Test(checks_needed, sorted_numbers_and_rows_have_parts_of_their_own)
{
    static const int SIMPLE[] = { ATX_UNIFORM, ATX_NORMAL, ATX_RANGE, ATX_PERMUTATION, ATX_SPREAD };
    static const int ROWS[] = { ATX_SORTED,  ATX_SORTED_UNIFORM, ATX_PREFIX,
                                ATX_OFFSETS, ATX_SEGMENTS,       ATX_COLUMNS };
    for (size_t i = 0; i < sizeof SIMPLE / sizeof *SIMPLE; i++) {
        atx_setup *setup = setup_of(SIMPLE[i]);
        expect(setup, true, false, false);
        free(setup);
    }
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        atx_setup *setup = setup_of(ROWS[i]);
        expect(setup, false, true, false);
        free(setup);
    }
}

Test(checks_needed, a_field_of_rows_among_simple_ones_is_enough)
{
    atx_setup *setup = setup_of(ATX_BITS);
    setup->buffers[1].column_count = 2;
    for (int k = 0; k < 2; k++)
        setup->buffers[1].columns[k].how = (uint64_t)(ATX_FLOAT * 16 + 4) |
                                           (uint64_t)(k ? ATX_SORTED : ATX_UNIFORM) << 8 | (uint64_t)1 << 16;
    expect(setup, false, true, true);
    free(setup);
}

Test(checks_needed, a_tolerance_wants_more)
{
    atx_setup *setup = setup_of(ATX_UNIFORM);
    setup->buffers[0].check.rule = ATX_WITHIN;
    expect(setup, true, false, true);
    free(setup);
}
