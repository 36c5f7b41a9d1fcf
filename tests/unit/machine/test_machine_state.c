/* test_machine_state.c - variables of a module: what one launch leaves in them and the next would find; and
 * blocks in another order; memory of the heap, and what orders threads that tell each other. */
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

#define HEAP                                                                                                 \
    ".extern .func (.param .b64 at) malloc(.param .b64 bytes)\n;\n.extern .func free(.param .b64 at)\n;\n"
#define TAKE                                                                                                 \
    "{\n.param .b64 given;\n.param .b64 got;\nmov.u64 %d1, 100; st.param.b64 [given], %d1;\n"                \
    "call (got), malloc, (given);\nld.param.b64 %d2, [got];\n}\nst.u32 [%d2], %r30; ld.u32 %r1, "            \
    "[%d2];\n" STORE
#define GIVE "{\n.param .b64 given;\nst.param.b64 [given], %d2;\ncall free, (given);\n}\n"

Test(machine_state, memory_of_the_heap_is_given_back)
{
    run r = { .inspected = true };
    run_text(&r, HEAP, TAKE GIVE);
    cr_assert(r.status == AT_OK && r.result.finding.kind == ATX_FINDING_NONE, "%s%s", r.err.text,
              r.result.finding.text);
    cr_expect_eq(r.flaws.count, 0);
    for (uint32_t t = 0; t < 32; t++)
        cr_expect_eq(r.out[t], t);
}

Test(machine_state, memory_that_is_kept_is_a_flaw)
{
    run r = { .inspected = true };
    run_text(&r, HEAP, TAKE);
    cr_assert_eq(r.flaws.count, 1);
    cr_expect_eq(r.flaws.items[0].kind, ATX_FLAW_KEPT_STATE);
    cr_expect(strstr(r.flaws.items[0].what, "3584 bytes of the device's heap"), "%s", r.flaws.items[0].what);
}

Test(machine_state, only_what_was_taken_can_be_given_back)
{
    run r = { .inspected = true };
    run_text(&r, HEAP, TAKE "add.u64 %d2, %d2, 16;\n" GIVE);
    cr_expect_eq(r.result.finding.kind, ATX_FINDING_INVALID);
    cr_expect(strstr(r.result.finding.text, "which malloc did not give"), "%s", r.result.finding.text);
}

/* ---- threads that tell each other ---- */

/* Thread 0 waits until thread 32 has written `data` and told so. */
#define TOLD(release, acquire)                                                                               \
    ".shared .b32 data;\nsetp.eq.u32 %p1, %r30, 0; setp.eq.u32 %p2, %r30, 32;\n@!%p2 bra A;\n"               \
    "st.shared.u32 [data], 7; red." release ".cta.global.add.u32 [%out+2000], 1;\nA: @!%p1 bra B;\n"         \
    "W: ld." acquire ".cta.global.u32 %r1, [%out+2000]; setp.eq.u32 %p3, %r1, 0; @%p3 bra W;\n"              \
    "ld.shared.u32 %r1, [data]; st.global.u32 [%out], %r1;\nB:"

static run of_two_warps(const char *body)
{
    run r = { .inspected = true, .block = 64 };
    run_text(&r, "", body);
    cr_assert(r.status == AT_OK && r.result.finding.kind == ATX_FINDING_NONE, "%s%s", r.err.text,
              r.result.finding.text);
    return r;
}

Test(machine_state, what_is_acquired_is_behind_its_release)
{
    const run r = of_two_warps(TOLD("release", "acquire"));
    cr_expect_eq(r.flaws.count, 0, "%s", r.flaws.items[0].what);
    cr_expect_eq(r.out[0], 7);
}

Test(machine_state, a_relaxed_flag_orders_nothing)
{
    const run r = of_two_warps(TOLD("relaxed", "relaxed"));
    cr_assert_eq(r.flaws.count, 1);
    cr_expect_eq(r.flaws.items[0].kind, ATX_FLAW_RACE_READ_WRITE);
}

Test(machine_state, what_a_cas_compares_with_may_be_loaded_before)
{
    const run r = of_two_warps("ld.global.u32 %r1, [%out+2000];\nL: add.u32 %r2, %r1, 1;\n"
                               "atom.global.cas.b32 %r3, [%out+2000], %r1, %r2; setp.ne.u32 %p1, %r3, %r1;\n"
                               "mov.u32 %r1, %r3; @%p1 bra L;");
    cr_expect_eq(r.flaws.count, 0, "%s", r.flaws.items[0].what);
    cr_expect_eq(r.out[500], 64);
}

Test(machine_state, another_load_of_what_atomics_change_is_a_race)
{
    const run r =
        of_two_warps("atom.global.add.u32 %r1, [%out+2000], 1; ld.global.u32 %r1, [%out+2000];\n" STORE);
    cr_expect(r.flaws.count > 0);
}
