/* test_machine_state.c - variables of a module: what one launch leaves in them and the next would find; and
 * blocks in another order. */
#include "machine_support.h"

#define CALLS    ".global .align 4 .u32 calls;\n"
#define IF_FIRST "setp.ne.u32 %p1, %r30, 0;\n"
#define ONE_MORE                                                                                             \
    "@!%p1 ld.global.u32 %r1, [calls];\n@!%p1 add.u32 %r1, %r1, 1;\n@!%p1 st.global.u32 [calls], %r1;\n"
#define NONE_AT_END "@!%p1 mov.u32 %r1, 0;\n@!%p1 st.global.u32 [calls], %r1;\n"

static const atx_flaws *flaws_of(run *r, const char *body)
{
    *r = (run){ .inspected = true };
    run_text(r, CALLS, body);
    cr_assert(r->status == AT_OK, "%s: %s", body, r->err.text);
    return &r->flaws;
}

Test(machine_state, a_counter_of_launches_is_a_flaw)
{
    run r;
    const atx_flaws *flaws = flaws_of(&r, IF_FIRST ONE_MORE);
    cr_assert_eq(flaws->count, 1);
    cr_expect_eq(flaws->items[0].kind, ATX_FLAW_KEPT_STATE);
    cr_expect(strstr(flaws->items[0].what, "byte 0 of variable 'calls' is read before the launch writes it"),
              "%s", flaws->items[0].what);
}

Test(machine_state, an_atomic_counter_is_one_too)
{
    run r;
    const atx_flaws *flaws = flaws_of(&r, "atom.global.add.u32 %r1, [calls], 1;\n");
    cr_assert_eq(flaws->count, 1);
    cr_expect_eq(flaws->items[0].kind, ATX_FLAW_KEPT_STATE);
}

Test(machine_state, one_that_is_set_back_is_none)
{
    run r;
    cr_expect_eq(flaws_of(&r, IF_FIRST ONE_MORE NONE_AT_END)->count, 0);
}

Test(machine_state, what_a_launch_writes_before_it_reads_is_its_own)
{
    run r;
    cr_expect_eq(flaws_of(&r, IF_FIRST NONE_AT_END ONE_MORE)->count, 0);
}

Test(machine_state, a_table_that_is_only_read_keeps_nothing)
{
    run r;
    cr_expect_eq(flaws_of(&r, "ld.global.u32 %r1, [calls];\n" STORE)->count, 0);
}
