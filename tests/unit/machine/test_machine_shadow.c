/* test_machine_shadow.c - what races with what, and which reads see nothing that was written. */
#include <criterion/criterion.h>

#include "machine/shadow.h"

#include <stdlib.h>

enum { BYTES = 4096 };

typedef struct place {
    atx_shadow_order order;
    atx_shadow *shadow;
} place;

static place *begin(void)
{
    place *p = calloc(1, sizeof *p);
    cr_assert_not_null(p);
    p->shadow = atx_shadow_open(BYTES, false);
    cr_assert(p->shadow && atx_shadow_order_begin(&p->order, 0));
    return p;
}

static void end(place *p)
{
    atx_shadow_close(p->shadow);
    free(p);
}

/* The lanes of `mask` touch words of their own, lane i the word first + i * step. */
static atx_hazard touch(place *p, atx_touch_kind kind, int warp, uint32_t mask, int first, int step)
{
    atx_touch t = { .kind = kind, .warp = warp, .at = { .active = mask, .bytes = 4 } };
    for (int i = 0; i < ATX_LANES; i++)
        t.at.address[i] = 4 * (uint64_t)(first + i * step);
    return atx_shadow_touch(p->shadow, &p->order, &t, true);
}

#define ALL 0xffffffffu
#define ONE 1u

static atx_hazard_kind reads(place *p, int warp, uint32_t mask, int first, int step)
{
    return touch(p, ATX_TOUCH_READ, warp, mask, first, step).kind;
}

static atx_hazard_kind writes(place *p, int warp, uint32_t mask, int first, int step)
{
    return touch(p, ATX_TOUCH_WRITE, warp, mask, first, step).kind;
}

Test(machine_shadow, a_read_of_what_nobody_wrote_is_found)
{
    place *p = begin();
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_UNWRITTEN);
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    atx_shadow_order_warp(&p->order, 0);
    cr_expect_eq(reads(p, 0, ALL, 1, 1), ATX_HAZARD_UNWRITTEN, "the last lane reads one word more");
    end(p);
}

Test(machine_shadow, a_block_that_ends_takes_what_it_wrote_along)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_assert(atx_shadow_order_begin(&p->order, 0));
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_UNWRITTEN);
    end(p);
}

Test(machine_shadow, another_warp_may_read_after_a_barrier_and_not_before)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    const atx_hazard h = touch(p, ATX_TOUCH_READ, 1, ALL, 0, 1);
    cr_expect_eq(h.kind, ATX_HAZARD_WRITE_READ);
    cr_expect_eq(h.other, 0);
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

/* ld.global.nc: also where barriers order the two, and blocks; what earlier launches wrote is there. */
Test(machine_shadow, a_steady_read_of_what_the_launch_has_written_is_stale)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(touch(p, ATX_TOUCH_STEADY_READ, 1, ALL, 0, 1).kind, ATX_HAZARD_STALE);
    p->order.before_launch = atx_shadow_order_latest(&p->order);
    cr_expect_eq(touch(p, ATX_TOUCH_STEADY_READ, 1, ALL, 0, 1).kind, ATX_HAZARD_NONE);
    cr_expect_eq(touch(p, ATX_TOUCH_STEADY_READ, 1, ALL, 100, 1).kind, ATX_HAZARD_UNWRITTEN);
    end(p);
}

Test(machine_shadow, a_write_after_another_warps_read_needs_a_barrier_too)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_READ_WRITE);
    end(p);
}

/* Of two readers the writer has met one. */
Test(machine_shadow, the_last_two_readers_are_remembered)
{
    for (int met = 0; met < 2; met++) {
        place *p = begin();
        cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
        atx_shadow_order_barrier(&p->order, 7);
        cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
        cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
        atx_shadow_order_barrier(&p->order, 4u | 1u << met);
        cr_expect_eq(writes(p, 2, ALL, 0, 1), ATX_HAZARD_READ_WRITE, "warp %d has met it", met);
        end(p);
    }
}

/* What is there already may be written again: by each lane for itself. */
Test(machine_shadow, one_lane_that_changes_what_another_warp_wrote_is_found)
{
    place *p = begin();
    unsigned char values[ATX_LANES][16] = { { 0 } }, before[ATX_LANES][16] = { { 0 } };
    atx_touch t = { .kind = ATX_TOUCH_WRITE,
                    .warp = 1,
                    .at = { .active = ALL, .bytes = 4 },
                    .values = values[0],
                    .before = before[0] };
    for (int i = 0; i < ATX_LANES; i++)
        t.at.address[i] = 4 * (uint64_t)i;
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(atx_shadow_touch(p->shadow, &p->order, &t, true).kind, ATX_HAZARD_NONE);
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    values[5][3] = 1;
    const atx_hazard h = atx_shadow_touch(p->shadow, &p->order, &t, true);
    cr_expect(h.kind == ATX_HAZARD_WRITE_WRITE && h.lane == 5 && h.offset == 23, "lane %d", h.lane);
    end(p);
}

Test(machine_shadow, a_lane_that_takes_no_part_writes_nothing)
{
    place *p = begin();
    unsigned char values[ATX_LANES][16] = { { 5 }, { 5 } }, before[ATX_LANES][16] = { { 0 } };
    atx_touch t = {
        .kind = ATX_TOUCH_WRITE, .at = { .active = ONE, .bytes = 4 }, .values = values[0], .before = before[0]
    };
    cr_expect_eq(atx_shadow_touch(p->shadow, &p->order, &t, true).kind, ATX_HAZARD_NONE);
    t.at.active = ONE << 1;
    before[1][0] = 5;
    values[0][0] = 9;
    cr_expect_eq(atx_shadow_touch(p->shadow, &p->order, &t, true).kind, ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, a_barrier_of_other_warps_orders_nothing)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    atx_shadow_order_barrier(&p->order, 6); /* warps 1 and 2 */
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_WRITE_READ);
    end(p);
}

Test(machine_shadow, what_a_barrier_tells_is_passed_on)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    atx_shadow_order_barrier(&p->order, 3);
    atx_shadow_order_barrier(&p->order, 6);
    cr_expect_eq(reads(p, 2, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, lanes_of_a_warp_are_ordered_by_a_sync_of_the_warp_only)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 0, ALL, 31, -1), ATX_HAZARD_WRITE_READ);
    atx_shadow_order_warp(&p->order, 0);
    cr_expect_eq(reads(p, 0, ALL, 31, -1), ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, a_lane_sees_its_own_writes)
{
    place *p = begin();
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, lanes_of_one_instruction_may_write_one_word_if_they_agree)
{
    place *p = begin();
    unsigned char values[ATX_LANES][16] = { { 0 } }, before[ATX_LANES][16] = { { 0 } };
    atx_touch t = {
        .kind = ATX_TOUCH_WRITE, .at = { .active = ALL, .bytes = 4 }, .values = values[0], .before = before[0]
    };
    cr_expect_eq(atx_shadow_touch(p->shadow, &p->order, &t, true).kind, ATX_HAZARD_NONE);
    values[7][2] = 1;
    cr_expect_eq(atx_shadow_touch(p->shadow, &p->order, &t, true).kind, ATX_HAZARD_WRITE_WRITE);
    end(p);
}

Test(machine_shadow, atomics_race_with_no_atomic_but_want_something_written)
{
    place *p = begin();
    cr_expect_eq(touch(p, ATX_TOUCH_ATOMIC, 0, ONE, 0, 1).kind, ATX_HAZARD_UNWRITTEN);
    cr_expect_eq(touch(p, ATX_TOUCH_ATOMIC, 1, ONE, 0, 1).kind, ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, an_asynchronous_copy_must_be_awaited_before_its_bytes_are_read)
{
    place *p = begin();
    atx_access a = { .active = ALL, .bytes = 4 };
    for (int i = 0; i < ATX_LANES; i++)
        a.address[i] = 4 * (uint64_t)i;
    cr_expect_eq(touch(p, ATX_TOUCH_COPY, 0, ALL, 0, 1).kind, ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NOT_AWAITED);
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NOT_AWAITED, "a barrier alone brings nothing");
    atx_shadow_await(p->shadow, &p->order, &a, 0);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE, "its own lanes may look");
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_WRITE_READ, "other warps not before a barrier");
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, who_awaits_its_copies_has_not_awaited_those_of_others)
{
    place *p = begin();
    const atx_range copied = { .engine = -1, .at = 64, .bytes = 16 },
                    awaited = { .thread = 1, .engine = -1, .at = 64, .bytes = 16 };
    atx_access a = { .active = ONE << 1, .bytes = 4 };
    cr_expect_eq(touch(p, ATX_TOUCH_COPY, 0, ONE, 0, 1).kind, ATX_HAZARD_NONE);
    atx_shadow_await(p->shadow, &p->order, &a, 0);
    cr_expect_eq(reads(p, 0, ONE, 0, 1), ATX_HAZARD_NOT_AWAITED);
    cr_expect_eq(atx_shadow_write_range(p->shadow, &p->order, &copied).kind, ATX_HAZARD_NONE);
    atx_shadow_await_range(p->shadow, &p->order, &awaited);
    cr_expect_eq(reads(p, 0, ONE, 16, 1), ATX_HAZARD_NOT_AWAITED);
    end(p);
}

/* What a copy changes is compared with what others did there; all of it is on its way. */
Test(machine_shadow, a_copy_is_compared_where_it_changes_something)
{
    for (int changed = 0; changed < 16; changed++) {
        place *p = begin();
        unsigned char values[16] = { 0 }, before[16] = { 0 };
        const atx_range r = { .engine = -1, .bytes = 16, .values = values, .before = before };
        values[changed] = 1;
        cr_expect_eq(writes(p, 1, ONE, 2, 1), ATX_HAZARD_NONE); /* bytes 8 to 11 */
        const atx_hazard h = atx_shadow_write_range(p->shadow, &p->order, &r);
        cr_expect_eq(h.kind, changed / 4 == 2 ? ATX_HAZARD_WRITE_WRITE : ATX_HAZARD_NONE, "byte %d", changed);
        for (int word = 0; word < 4; word++)
            cr_expect_eq(reads(p, 0, ONE, word, 1), ATX_HAZARD_NOT_AWAITED, "byte %d", changed);
        end(p);
    }
}

Test(machine_shadow, what_another_block_of_the_cluster_brought_counts_as_written)
{
    place *p = begin();
    atx_shadow_set(p->shadow, &p->order, 0, 128);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

/* And before they are: the last block that begins has room for many barriers. */
Test(machine_shadow, clocks_that_are_full_say_so)
{
    place *p = begin();
    int blocks = 0;
    while (atx_shadow_order_begin(&p->order, 0) && blocks < 10000000)
        blocks++;
    cr_expect(blocks > 100000 && blocks < 10000000);
    for (int i = 0; i < 300000; i++)
        atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_WRITE_READ);
    end(p);
}

/* ---- what writes by itself ---- */

static atx_hazard_kind engine_writes(place *p, int engine)
{
    const atx_range r = { .engine = engine, .bytes = 128 };
    return atx_shadow_write_range(p->shadow, &p->order, &r).kind;
}

Test(machine_shadow, what_an_engine_writes_is_there_for_who_sees_its_phase_end)
{
    place *p = begin();
    const int e = atx_shadow_order_engine(&p->order);
    cr_expect_eq(engine_writes(p, e), ATX_HAZARD_NONE);
    atx_shadow_order_see(&p->order, e, 0, ALL);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NOT_AWAITED, "the phase is not over");
    atx_shadow_order_phase(&p->order, e);
    atx_shadow_order_see(&p->order, e, 0, ALL);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NOT_AWAITED, "this warp has not looked");
    atx_shadow_order_barrier(&p->order, 3);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NONE, "a barrier tells it");
    end(p);
}

Test(machine_shadow, a_lane_that_looks_tells_its_warp_when_that_synchronises)
{
    place *p = begin();
    const int e = atx_shadow_order_engine(&p->order);
    cr_expect_eq(engine_writes(p, e), ATX_HAZARD_NONE);
    atx_shadow_order_phase(&p->order, e);
    atx_shadow_order_see(&p->order, e, 0, ONE);
    cr_expect_eq(reads(p, 0, ONE, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NOT_AWAITED);
    atx_shadow_order_warp(&p->order, 0);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, who_saw_a_phase_end_still_has_when_another_lane_sees_the_next)
{
    place *p = begin();
    const int e = atx_shadow_order_engine(&p->order);
    cr_expect_eq(engine_writes(p, e), ATX_HAZARD_NONE);
    atx_shadow_order_phase(&p->order, e);
    atx_shadow_order_see(&p->order, e, 0, ONE);
    atx_shadow_order_phase(&p->order, e);
    atx_shadow_order_see(&p->order, e, 0, ONE << 1);
    cr_expect_eq(reads(p, 0, ONE, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(engine_writes(p, e), ATX_HAZARD_NONE);
    atx_shadow_order_phase(&p->order, e);
    atx_shadow_order_see(&p->order, e, 0, ONE);
    atx_shadow_order_see(&p->order, e, 0, ONE << 1);
    cr_expect_eq(reads(p, 0, ONE, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, an_engine_does_not_write_what_others_may_still_read)
{
    place *p = begin();
    const int e = atx_shadow_order_engine(&p->order);
    cr_expect_eq(writes(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(engine_writes(p, e), ATX_HAZARD_WRITE_WRITE);
    end(p);
}

/* Who read it before is known to the other block, not to this one. */
Test(machine_shadow, what_another_block_writes_is_not_compared_with_who_read_before)
{
    place *p = begin();
    const int e = atx_shadow_order_engine(&p->order);
    const atx_range r = { .engine = e, .bytes = 128 };
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_expect_eq(reads(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    atx_shadow_set_range(p->shadow, &p->order, &r);
    cr_expect_eq(reads(p, 1, ALL, 0, 1), ATX_HAZARD_NOT_AWAITED);
    atx_shadow_order_phase(&p->order, e);
    atx_shadow_order_see(&p->order, e, 1, ALL);
    cr_expect_eq(writes(p, 1, ALL, 0, 1), ATX_HAZARD_NONE);
    end(p);
}

/* Blocks of a cluster have orders of their own: what one leaves behind is old for all that come later. */
Test(machine_shadow, a_block_knows_what_others_did_until_it_began)
{
    place *p = begin();
    atx_shadow_order other = { .base = 0 };
    for (int i = 0; i < 50; i++)
        atx_shadow_order_warp(&p->order, 0);
    cr_expect_eq(writes(p, 0, ALL, 0, 1), ATX_HAZARD_NONE);
    cr_assert(atx_shadow_order_begin(&other, atx_shadow_order_latest(&p->order)));
    const atx_touch t = { .kind = ATX_TOUCH_READ, .warp = 1, .at = { .active = ONE, .bytes = 4 } };
    cr_expect_eq(atx_shadow_touch(p->shadow, &other, &t, false).kind, ATX_HAZARD_NONE);
    end(p);
}

Test(machine_shadow, engines_are_counted)
{
    place *p = begin();
    for (int i = 0; i < ATX_MAX_ENGINES; i++)
        cr_expect_eq(atx_shadow_order_engine(&p->order), i);
    cr_expect_eq(atx_shadow_order_engine(&p->order), -1);
    end(p);
}
