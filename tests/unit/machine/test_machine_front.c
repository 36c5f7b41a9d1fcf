/* test_machine_front.c - buffers that begin off a multiple of 16 bytes are parts of larger ones, as on a
 * device. */
#include "machine_support.h"

static int flaw_count; /* of the run before */

/* Runs an access at `at` bytes from the beginning of a buffer that is aligned to 8 bytes alone, and watched.
 */
static atx_machine_finding_kind finding_of(const char *access, int at)
{
    atx_str text = { 0 };
    atx_ptx_module *m = NULL;
    atx_machine *machine = NULL;
    atx_inspector *inspector = NULL;
    atx_machine_result result = { 0 };
    at_error err = { 0 };
    int region = 0;
    atx_str_addf(
        &text,
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .b64 %%out;\n"
        ".reg .b32 %%r<4>;\n.reg .pred %%p;\nld.param.u64 %%out, [out];\nadd.s64 %%out, %%out, "
        "%d;\n%s;\nret;\n}\n",
        at, access);
    cr_assert(atx_ptx_parse(&m, text.data, text.len, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_machine_open(&machine, m, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_machine_add_buffer(&region, machine,
                                     &(atx_machine_buffer){ "view", 64, 8, ATX_REGION_INITIALISED, NULL },
                                     &err) == AT_OK,
              "%s", err.text);
    const uint64_t address = atx_machine_region_at(machine, region)->address;
    cr_assert(atx_inspector_open(&inspector, m, machine, &err) == AT_OK, "%s", err.text);
    atx_machine_launch l = { .function = atx_ptx_find_entry(m, "k"),
                             .grid = { 1, 1, 1 },
                             .block = { 1, 1, 1 },
                             .arguments = &address,
                             .argument_bytes = 8 };
    l.watch = atx_inspector_watch(inspector, &l);
    cr_assert(atx_machine_run(&result, machine, &l, &err) == AT_OK, "%s", err.text);
    const atx_flaws *flaws = atx_inspector_flaws(inspector);
    flaw_count = flaws->count;
    atx_inspector_close(inspector);
    atx_machine_close(machine);
    atx_ptx_close(m);
    atx_str_clear(&text);
    return result.finding.kind;
}

#define READ  "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out]"
#define WRITE "st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3}"

Test(machine_front, reads_of_the_piece_that_holds_a_views_first_byte_are_allowed)
{
    cr_expect_eq(finding_of(READ, -8), ATX_FINDING_NONE);
    cr_expect_eq(finding_of("ld.global.u32 %r0, [%out]", -8), ATX_FINDING_NONE);
    cr_expect_eq(finding_of(READ, 8), ATX_FINDING_NONE);
}

Test(machine_front, those_of_a_piece_before_and_writes_are_not)
{
    cr_expect_eq(finding_of(READ, -24), ATX_FINDING_BOUNDS);
    cr_expect_eq(finding_of(WRITE, -8), ATX_FINDING_BOUNDS);
}

Test(machine_front, nor_is_a_read_that_ends_behind_it)
{
    cr_expect_eq(finding_of(READ, 56), ATX_FINDING_BOUNDS);
}

/* 32 bytes. */
#define BULK                                                                                                 \
    ".shared .align 8 .b64 bar; .shared .align 16 .b8 s[64]; mbarrier.init.shared.b64 [bar], 1;\n"           \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;\n"                                              \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], 32, [bar];\n"            \
    "W: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W"

Test(machine_front, a_bulk_copy_reads_it_too)
{
    cr_expect_eq(finding_of(BULK, -8), ATX_FINDING_NONE);
    cr_expect_eq(flaw_count, 0);
    cr_expect_eq(finding_of(BULK, 8), ATX_FINDING_NONE);
    cr_expect_eq(flaw_count, 0);
    cr_expect_eq(finding_of(BULK, -24), ATX_FINDING_BOUNDS);
    cr_expect_eq(finding_of(BULK, 40), ATX_FINDING_BOUNDS);
}

/* Written by the thread and read by the copy, with no fence between. */
Test(machine_front, what_it_reads_behind_the_front_is_watched)
{
    cr_expect_eq(finding_of("st.global.u32 [%out+28], 1;\n" BULK, -8), ATX_FINDING_NONE);
    cr_expect_eq(flaw_count, 1);
    cr_expect_eq(finding_of("st.global.u32 [%out+32], 1;\n" BULK, -8), ATX_FINDING_NONE);
    cr_expect_eq(flaw_count, 0);
}
