/* test_machine_bulk.c - bulk copies: what they bring, and who has not waited for it. */
#include "machine_support.h"

/* Thread 0 makes `bar`, which awaits `bytes`, and has them copied to `s`. */
#define BARRIER_MADE                                                                                         \
    ".shared .align 8 .b64 bar; .shared .align 16 .b8 s[4096];\n"                                            \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 0;\n"                            \
    "@!%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
#define FETCH_OF(bytes)                                                                                      \
    "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " #bytes ";\n"                                \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], " #bytes           \
    ", [bar];\n"
#define FETCH(bytes) FETCH_OF(bytes)
#define WAIT         "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"

/* Every thread writes its number to its place in `s`; thread 0 has so many bytes of it copied out. */
#define TILE                                                                                                 \
    ".shared .align 16 .b8 s[4096];\n"                                                                       \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 0;\n"                            \
    "st.shared.u32 [%d2], %r30; fence.proxy.async.shared::cta; bar.sync 0;\n"
#define PUT_OF(bytes) "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [s], " #bytes ";\n"
#define PUT(bytes)    PUT_OF(bytes) "@!%p1 cp.async.bulk.commit_group;\n"

#define WAIT_AGAIN "V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra V;\n"

static run *inspected(uint32_t block, const char *body)
{
    run *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->inspected = true;
    r->block = block;
    r->budget = 100000;
    for (uint32_t i = 0; i < WORDS; i++)
        r->out[i] = 1000 + i;
    run_body(r, body);
    return r;
}

static run *in_cluster(const char *body)
{
    run *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->inspected = true;
    r->grid = r->cluster = 2;
    run_body(r, body);
    return r;
}

/* Nothing is wrong with it. */
static void right(uint32_t block, const char *body)
{
    run *r = inspected(block, body);
    cr_expect_eq(r->flaws.count, 0, "%s", r->flaws.items[0].what);
    free(r);
}

/* The first flaw is of this kind and has these words. */
static void wrong(uint32_t block, const char *body, atx_flaw_kind kind, const char *words)
{
    run *r = inspected(block, body);
    cr_expect(r->flaws.count > 0, "nothing was found; expected: %s", words);
    if (r->flaws.count > 0) {
        cr_expect_eq((int)r->flaws.items[0].kind, (int)kind, "%s", r->flaws.items[0].what);
        cr_expect(strstr(r->flaws.items[0].what, words), "%s", r->flaws.items[0].what);
    }
    free(r);
}

/* ---- what a copy brings ---- */

/* The first, the last 4 bytes of a copy, and those behind it, which nobody wrote. */
#define READS_AT(at)             WAIT "ld.shared.u32 %r1, [s+" #at "];\n" STORE
#define COPY_AND_READ(bytes, at) BARRIER_MADE FETCH(bytes) READS_AT(at)

Test(machine_bulk, all_bytes_of_a_copy_are_written_and_no_others)
{
    right(32, COPY_AND_READ(16, 12));
    right(32, COPY_AND_READ(48, 16));
    right(32, COPY_AND_READ(48, 44));
    right(64, COPY_AND_READ(4096, 0));
    right(64, COPY_AND_READ(4096, 4092));
    wrong(32, COPY_AND_READ(16, 16), ATX_FLAW_UNWRITTEN,
          "byte 16 of shared 's' is read, and was never written");
    wrong(32, COPY_AND_READ(48, 48), ATX_FLAW_UNWRITTEN, "byte 48 of shared 's'");
}

Test(machine_bulk, all_bytes_of_a_copys_source_must_have_been_written)
{
    right(16, TILE PUT(64) "@!%p1 cp.async.bulk.wait_group.read 0;");
    wrong(16, TILE PUT(80) "@!%p1 cp.async.bulk.wait_group.read 0;", ATX_FLAW_UNWRITTEN,
          "byte 64 of shared 's' is read, and was never written");
}

Test(machine_bulk, a_copy_waits_for_those_who_write_its_source)
{
    wrong(64,
          ".shared .align 16 .b8 s[4096];\n"
          "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 63;\n"
          "st.shared.u32 [%d2], %r30; fence.proxy.async.shared::cta; bar.warp.sync -1;\n" PUT(
              256) "@!%p1 cp.async.bulk.wait_group.read 0;",
          ATX_FLAW_RACE_READ_WRITE, "byte 0 of shared 's' is read, and was written by thread 0,0,0");
}

/* Written by each thread, and known to thread 0. */
#define TILE_FENCED_OF(bytes, before, after)                                                                 \
    ".shared .align 16 .b8 s[4096];\n"                                                                       \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 0;\n"                            \
    "st.shared.u32 [%d2], %r30; " before "bar.sync 0; " after                                                \
    "\n" PUT(bytes) "@!%p1 cp.async.bulk.wait_group.read 0;\n"
#define TILE_FENCED(before, after) TILE_FENCED_OF(256, before, after)
#define PROXY_FENCE                "fence.proxy.async.shared::cta; "

Test(machine_bulk, a_fence_stands_between_what_threads_write_and_a_copy_of_it)
{
    right(64, TILE_FENCED(PROXY_FENCE, ""));
    right(64, TILE_FENCED("", PROXY_FENCE));
    right(64, TILE_FENCED("", "@!%p1 " PROXY_FENCE));
    wrong(64, TILE_FENCED("", ""), ATX_FLAW_RACE_READ_WRITE,
          "byte 0 of shared 's' is read by a bulk copy, and was written by thread 0,0,0 with no "
          "fence.proxy.async between");
    wrong(64, TILE_FENCED("fence.acq_rel.gpu; ", ""), ATX_FLAW_RACE_READ_WRITE, "no fence.proxy.async");
    wrong(64, TILE_FENCED(PROXY_FENCE "st.shared.u32 [%d2], 1; ", ""), ATX_FLAW_RACE_READ_WRITE,
          "no fence.proxy.async");
    wrong(64, TILE_FENCED("@!%p1 " PROXY_FENCE, ""), ATX_FLAW_RACE_READ_WRITE,
          "byte 128 of shared 's' is read by a bulk copy, and was written by thread 32,0,0");
}

/* Of global memory, too, but for a cluster, whose blocks may have fenced for each other; not of its own. */
Test(machine_bulk, a_fence_stands_between_what_threads_write_to_global_memory_and_a_copy_of_it)
{
#define WRITE_OUT "mad.wide.u32 %d3, %r30, 4, %out; add.u32 %r1, %r30, 7; st.global.u32 [%d3], %r1;\n"
    right(64, BARRIER_MADE WRITE_OUT PROXY_FENCE "bar.sync 0;\n" FETCH(256) WAIT);
    wrong(64, BARRIER_MADE WRITE_OUT "bar.sync 0;\n" FETCH(256) WAIT, ATX_FLAW_RACE_READ_WRITE,
          "byte 0 of 'out' is read by a bulk copy, and was written by thread 0,0,0 with no fence.proxy.async "
          "between");
    wrong(64, BARRIER_MADE WRITE_OUT "bar.sync 0;\n" FETCH(16) "@%p1 bra E;\n" WAIT "E:",
          ATX_FLAW_RACE_READ_WRITE, "no fence.proxy.async");
    run *r = in_cluster(BARRIER_MADE WRITE_OUT "bar.sync 0;\n" FETCH(128) WAIT);
    cr_expect_eq(r->flaws.count, 0, "%s", r->flaws.items[0].what);
    free(r);
    r = in_cluster(TILE_FENCED_OF(128, "", ""));
    cr_expect(r->flaws.count > 0 && strstr(r->flaws.items[0].what, "no fence.proxy.async"));
    free(r);
}

/* What a copy has brought another one may take on. */
Test(machine_bulk, no_fence_is_needed_between_two_copies)
{
    right(32, BARRIER_MADE FETCH(256) WAIT PUT(256) "@!%p1 cp.async.bulk.wait_group.read 0;");
}

/* ---- a barrier tells when it is there ---- */

Test(machine_bulk, who_does_not_wait_for_the_barrier_may_not_look)
{
    right(64, BARRIER_MADE FETCH(256) WAIT "ld.shared.u32 %r1, [%d2];\n" STORE);
    wrong(32, BARRIER_MADE FETCH(128) "ld.shared.u32 %r1, [%d2];\n" WAIT STORE, ATX_FLAW_COPY_NOT_AWAITED,
          "byte 0 of shared 's' is used by a thread that has not waited for the mbarrier at byte 0 of shared "
          "'bar', which tells when a copy is done with it");
    wrong(64, BARRIER_MADE FETCH(256) "bar.sync 0; ld.shared.u32 %r1, [%d2];\n" WAIT STORE,
          ATX_FLAW_COPY_NOT_AWAITED, "of shared 's' is used");
    wrong(64, BARRIER_MADE FETCH(256) "bar.sync 0; st.shared.u32 [%d2], %r30;\n" WAIT,
          ATX_FLAW_COPY_NOT_AWAITED, "has not waited");
}

/* Whoever runs first here: on a device another thread may come before it is made. */
Test(machine_bulk, a_barrier_may_not_be_used_before_its_maker_has_met_the_others)
{
#define MAKE                                                                                                 \
    ".shared .align 8 .b64 bar; setp.ne.u32 %p1, %r30, 0; @!%p1 mbarrier.init.shared.b64 [bar], 64;\n"
#define ARRIVE "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT
    right(64, MAKE "bar.sync 0;\n" ARRIVE);
    wrong(64, MAKE "bar.warp.sync -1;\n" ARRIVE, ATX_FLAW_RACE_READ_WRITE,
          "byte 0 of shared 'bar' is read, and was written by thread 0,0,0 with no barrier between");
    right(64, MAKE "bar.sync 0;\n" ARRIVE "bar.sync 0; @!%p1 mbarrier.inval.shared.b64 [bar];\n");
    right(64, ".shared .align 8 .b64 bar; setp.gt.u32 %p1, %r30, 31;\n"
              "@!%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;\n" ARRIVE);
}

/* What each does before it arrives is there for who has waited; what it does later, while the other may look,
 * is not. */
Test(machine_bulk, an_arrival_tells_what_was_before_it_and_nothing_later)
{
#define PAIR                                                                                                 \
    ".shared .align 8 .b64 bar; .shared .align 16 .b8 s[4096];\n"                                            \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 0;\n"                            \
    "xor.b32 %r2, %r30, 32; mad.wide.u32 %d3, %r2, 4, %d1;\n"                                                \
    "@!%p1 mbarrier.init.shared.b64 [bar], 64; st.shared.u32 [%d2], %r30; bar.sync 0;\n"
#define CHANGE "st.shared.u32 [%d2], 1000;\n"
    right(64, PAIR CHANGE ARRIVE "ld.shared.u32 %r1, [%d3];\n" STORE);
    wrong(64, PAIR ARRIVE CHANGE "ld.shared.u32 %r1, [%d3];\n" STORE, ATX_FLAW_RACE_READ_WRITE,
          "with no barrier between");
    wrong(64, PAIR "mbarrier.arrive.shared.b64 _, [bar];\n" CHANGE WAIT "ld.shared.u32 %r1, [%d3];\n" STORE,
          ATX_FLAW_RACE_READ_WRITE, "with no barrier between");
}

/* Within a warp, too, those who arrived and nobody else. */
Test(machine_bulk, lanes_that_have_arrived_are_before_those_that_waited)
{
#define WARP(count)                                                                                          \
    ".shared .align 8 .b64 bar; .shared .align 16 .b8 s[4096];\n"                                            \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 0;\n"                            \
    "xor.b32 %r2, %r30, 1; mad.wide.u32 %d3, %r2, 4, %d1;\n"                                                 \
    "@!%p1 mbarrier.init.shared.b64 [bar], " count "; bar.warp.sync -1; st.shared.u32 [%d2], %r30;\n"
#define FIRST_ARRIVES "@!%p1 mbarrier.arrive.shared.b64 _, [bar];\n" WAIT
    right(32, WARP("32") ARRIVE "ld.shared.u32 %r1, [%d3];\n" STORE);
    right(32, WARP("1") FIRST_ARRIVES "ld.shared.u32 %r1, [s];\n" STORE);
    wrong(32, WARP("1") FIRST_ARRIVES "ld.shared.u32 %r1, [%d3];\n" STORE, ATX_FLAW_RACE_READ_WRITE,
          "byte 4 of shared 's' is read, and was written by thread 1,0,0 with no barrier between");
    wrong(32, WARP("1") FIRST_ARRIVES "@!%p1 st.shared.u32 [s], 7; ld.shared.u32 %r1, [s];\n" STORE,
          ATX_FLAW_RACE_READ_WRITE, "byte 0 of shared 's' is read, and was written by thread 0,0,0");
}

/* One thread has waited for the copy, and tells all others by another barrier. */
Test(machine_bulk, who_has_seen_a_copy_tells_those_who_wait_for_it)
{
    right(64, BARRIER_MADE
          ".shared .align 8 .b64 told; @!%p1 mbarrier.init.shared.b64 [told], 1; bar.sync 0;\n" FETCH(
              256) "@%p1 bra N;\n" WAIT "mbarrier.arrive.shared.b64 _, [told];\n"
                   "N: mbarrier.try_wait.parity.shared.b64 %p2, [told], 0; @!%p2 bra N;\n"
                   "ld.shared.u32 %r1, [%d2];\n" STORE);
}

Test(machine_bulk, a_fence_before_an_arrival_counts_for_who_waits)
{
#define HANDED_OVER(fence) PAIR CHANGE fence ARRIVE PUT(256) "@!%p1 cp.async.bulk.wait_group.read 0;\n"
    right(64, HANDED_OVER(PROXY_FENCE));
    wrong(64, HANDED_OVER(""), ATX_FLAW_RACE_READ_WRITE, "no fence.proxy.async");
}

/* Their number is of a block, not of a launch. */
Test(machine_bulk, barriers_of_every_block_are_followed)
{
    run *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->inspected = true;
    r->grid = 200;
    run_body(r, BARRIER_MADE FETCH(128) "setp.eq.u32 %p3, %r31, 199; @%p3 bra L;\n" WAIT
                                        "L: ld.shared.u32 %r1, [%d2];\n" WAIT_AGAIN);
    cr_expect(r->flaws.count > 0 && r->flaws.items[0].block[0] == 199);
    free(r);
}

Test(machine_bulk, the_barriers_phase_before_tells_nothing)
{
    wrong(64,
          BARRIER_MADE FETCH(
              256) "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; bar.sync 0;\n"
                   "@!%p1 mbarrier.arrive.shared.b64 _, [bar]; @!%p1 cp.async.bulk.shared::cluster.global"
                   ".mbarrier::complete_tx::bytes [s], [%out+16], 256, [bar];\n"
                   "V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1; @!%p2 bra V;\n"
                   "ld.shared.u32 %r1, [%d2];\n" STORE,
          ATX_FLAW_COPY_NOT_AWAITED, "has not waited");
}

Test(machine_bulk, one_thread_may_wait_for_all_if_a_barrier_follows)
{
#define ONE_WAITS "@%p1 bra N;\n" WAIT "N: bar.warp.sync -1;\n"
    right(64, BARRIER_MADE FETCH(256) ONE_WAITS "bar.sync 0; ld.shared.u32 %r1, [%d2];\n" STORE);
    wrong(64, BARRIER_MADE FETCH(256) "bar.sync 0;\n" ONE_WAITS "ld.shared.u32 %r1, [%d2];\n" STORE,
          ATX_FLAW_COPY_NOT_AWAITED, "byte 128 of shared 's'");
}

Test(machine_bulk, one_lane_may_wait_for_its_warp_if_the_warp_synchronises)
{
    right(32, BARRIER_MADE FETCH(128) ONE_WAITS "ld.shared.u32 %r1, [%d2];\n" STORE);
    wrong(32, BARRIER_MADE FETCH(128) "@%p1 bra N;\n" WAIT "N: ld.shared.u32 %r1, [%d2];\n" STORE,
          ATX_FLAW_COPY_NOT_AWAITED, "byte 4 of shared 's'");
}

Test(machine_bulk, a_copy_may_not_overwrite_what_others_still_read)
{
#define AGAIN                                                                                                \
    "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"                                       \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out+16], 256, [bar];\n"  \
    "V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1; @!%p2 bra V;\n"
    right(64, BARRIER_MADE FETCH(256) WAIT "ld.shared.u32 %r1, [%d2]; bar.sync 0;\n" AGAIN);
    wrong(32, BARRIER_MADE FETCH(256) WAIT "ld.shared.u32 %r1, [%d2];\n" AGAIN, ATX_FLAW_RACE_READ_WRITE,
          "byte 4 of shared 's' is written, and was read by thread 1,0,0 with no barrier between");
}

Test(machine_bulk, a_block_does_not_end_before_its_copies)
{
    wrong(64, BARRIER_MADE FETCH(256), ATX_FLAW_COPY_NOT_AWAITED, "no thread has waited for the mbarrier");
    right(64, BARRIER_MADE FETCH(256) "@%p1 bra E;\n" WAIT "E:");
    wrong(64,
          BARRIER_MADE
          ".shared .align 8 .b64 more; @!%p1 mbarrier.init.shared.b64 [more], 1; bar.sync 0;\n" FETCH(
              256) "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [more], 16;\n"
                   "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+1024], "
                   "[%out], 16, "
                   "[more];\n" WAIT,
          ATX_FLAW_COPY_NOT_AWAITED, "no thread has waited for the mbarrier at byte 0 of shared 'more'");
}

/* The copy has read what it copies, too. */
Test(machine_bulk, who_does_not_wait_for_the_barrier_may_not_change_the_source)
{
    right(64, BARRIER_MADE FETCH(256) WAIT STORE);
    wrong(64, BARRIER_MADE FETCH(256) "bar.sync 0; mov.u32 %r1, 7;\n" STORE WAIT, ATX_FLAW_COPY_NOT_AWAITED,
          "of 'out' is used by a thread that has not waited for the mbarrier");
}

/* ---- a group is awaited by its thread ---- */

Test(machine_bulk, what_a_copy_reads_may_be_overwritten_when_its_thread_has_waited)
{
#define OVERWRITE "add.u32 %r1, %r30, 1; st.shared.u32 [%d2], %r1;\n"
    right(64, TILE PUT(256) "@!%p1 cp.async.bulk.wait_group.read 0; bar.sync 0;\n" OVERWRITE);
    right(64, TILE PUT(256) "@!%p1 cp.async.bulk.wait_group 0; bar.sync 0;\n" OVERWRITE);
    wrong(64, TILE PUT(256) "bar.sync 0;\n" OVERWRITE "@!%p1 cp.async.bulk.wait_group.read 0;\n",
          ATX_FLAW_COPY_NOT_AWAITED, "is written while a bulk copy");
    wrong(64,
          TILE PUT(256) "bar.sync 0; @!%p1 cp.async.bulk.wait_group.read 1;\n" OVERWRITE
                        "@!%p1 cp.async.bulk.wait_group 0;",
          ATX_FLAW_COPY_NOT_AWAITED, "is written while a bulk copy");
    wrong(32, TILE PUT(128) "@!%p1 cp.async.bulk.wait_group.read 0;\n" OVERWRITE, ATX_FLAW_RACE_READ_WRITE,
          "byte 4 of shared 's' is written, and was read by thread 0,0,0 with no barrier between");
    right(64,
          TILE PUT(256) "bar.sync 0; st.shared.u32 [%d2+256], 1;\n@!%p1 cp.async.bulk.wait_group.read 0;");
}

/* However it is written, and if it becomes another one. */
Test(machine_bulk, what_a_copy_reads_may_not_be_changed_by_vectors_atomics_or_copies)
{
#define SOURCE BARRIER_MADE "st.shared.u32 [%d2], %r30; fence.proxy.async.shared::cta; bar.sync 0;\n" PUT(256)
#define ELSEWHERE                                                                                            \
    "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"                                       \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out+1024], 256, "        \
    "[bar];\n"
#define AWAIT "@!%p1 cp.async.bulk.wait_group.read 0;\n"
    right(64, SOURCE "mov.u32 %r5, 1; @!%p1 st.shared.v2.u32 [s], {%r30, %r5};\n" AWAIT);
    wrong(64, SOURCE "mov.u32 %r5, 2; @!%p1 st.shared.v2.u32 [s], {%r30, %r5};\n" AWAIT,
          ATX_FLAW_COPY_NOT_AWAITED, "is written while a bulk copy");
    wrong(64, SOURCE "@!%p1 atom.shared.add.u32 %r5, [s], 1;\n" AWAIT, ATX_FLAW_COPY_NOT_AWAITED,
          "is written while a bulk copy");
    right(64, SOURCE AWAIT ELSEWHERE WAIT);
    wrong(64, SOURCE ELSEWHERE WAIT AWAIT, ATX_FLAW_COPY_NOT_AWAITED, "is written while a bulk copy");
}

Test(machine_bulk, a_copy_that_was_committed_to_no_group_is_not_awaited)
{
    wrong(64, TILE PUT_OF(256) "@!%p1 cp.async.bulk.wait_group.read 0; bar.sync 0;\n" OVERWRITE,
          ATX_FLAW_COPY_NOT_AWAITED, "is written while a bulk copy");
}

Test(machine_bulk, what_a_copy_writes_may_be_read_when_its_thread_has_waited_for_that_too)
{
#define READ_BACK "ld.global.u32 %r1, [%out+252];\n"
    right(64, TILE PUT(256) "@!%p1 cp.async.bulk.wait_group 0; bar.sync 0;\n" READ_BACK);
    wrong(64,
          TILE PUT(256) "@!%p1 cp.async.bulk.wait_group.read 0; @!%p1 cp.async.bulk.wait_group 1; bar.sync "
                        "0;\n" READ_BACK,
          ATX_FLAW_COPY_NOT_AWAITED, "may not have brought it");
    wrong(64, TILE PUT(256) "@!%p1 cp.async.bulk.wait_group.read 0; bar.sync 0;\n" READ_BACK,
          ATX_FLAW_COPY_NOT_AWAITED,
          "byte 252 of 'out' is used while an asynchronous copy by thread 0,0,0 may not have brought it");
}

Test(machine_bulk, a_thread_does_not_end_before_its_copies_have_read)
{
    wrong(64, TILE PUT(256), ATX_FLAW_COPY_NOT_AWAITED,
          "a thread ends while a bulk copy of it may still read");
    wrong(64, TILE PUT_OF(256) "@!%p1 cp.async.bulk.wait_group.read 0;", ATX_FLAW_COPY_NOT_AWAITED,
          "byte 0 of shared 's'");
}

/* ---- copies of single elements ---- */

/* Every thread has its word of `out` copied. */
#define FETCH_WORDS                                                                                          \
    ".shared .align 16 .b8 s[4096];\n"                                                                       \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; mad.wide.u32 %d3, %r30, 4, %out;\n"                     \
    "xor.b32 %r2, %r30, 32; mad.wide.u32 %d4, %r2, 4, %d1; setp.lt.u32 %p3, %r30, 16;\n"                     \
    "cp.async.ca.shared.global [%d2], [%d3], 4; cp.async.commit_group;\n"
#define READ_OWN   "ld.shared.u32 %r1, [%d2];\n"
#define READ_OTHER "ld.shared.u32 %r1, [%d4];\n"

Test(machine_bulk, each_lane_awaits_its_own_copies_of_its_own_groups)
{
    right(64, FETCH_WORDS "cp.async.wait_group 0;\n" READ_OWN);
    wrong(64, FETCH_WORDS "cp.async.wait_group 1;\n" READ_OWN, ATX_FLAW_COPY_NOT_AWAITED,
          "byte 0 of shared 's'");
    wrong(64, FETCH_WORDS "@%p3 cp.async.wait_group 0;\n" READ_OWN, ATX_FLAW_COPY_NOT_AWAITED,
          "byte 64 of shared 's'");
    right(64, FETCH_WORDS "cp.async.wait_group 0; bar.sync 0;\n" READ_OTHER);
    wrong(64,
          FETCH_WORDS "setp.gt.u32 %p4, %r30, 31; @%p4 bra W;\nbra M;\nW: cp.async.wait_group 0;\n"
                      "M: bar.sync 0;\n" READ_OTHER,
          ATX_FLAW_COPY_NOT_AWAITED, "by thread 0,0,0 may not have brought it");
}

/* What it leaves out, another thread may write. */
Test(machine_bulk, a_short_copy_reads_what_it_reads)
{
    right(32, ".shared .align 16 .b8 s[64]; setp.ne.u32 %p1, %r30, 0; setp.ne.u32 %p3, %r30, 1;\n"
              "@!%p3 st.global.u32 [%out+4], 7; @!%p1 cp.async.cg.shared.global [s], [%out], 16, 4;\n"
              "cp.async.wait_all;\n");
}

/* ---- barriers of the block ---- */

/* Who has arrived at one before has not arrived at the next; who has ended has, at all. */
Test(machine_bulk, a_barrier_orders_those_who_meet_at_it)
{
#define FIRST_WARP_WRITES                                                                                    \
    ".shared .align 16 .b8 s[64]; setp.lt.u32 %p3, %r30, 32;\n"                                              \
    "@%p3 st.shared.u32 [s], 1; bar.sync 1; @!%p3 bra B; st.shared.u32 [s], 5;\n"
    wrong(96, FIRST_WARP_WRITES "bra E;\nB: bar.sync 1, 64; ld.shared.u32 %r1, [s];\nE: bar.sync 0;",
          ATX_FLAW_RACE_READ_WRITE, "byte 0 of shared 's' is read, and was written by thread");
    right(96, FIRST_WARP_WRITES "bra E;\nB: bar.sync 0; ld.shared.u32 %r1, [s];\nE:");
}

/* Warps that have ended in one block take part in the next. */
Test(machine_bulk, a_block_begins_with_all_of_its_warps)
{
    run *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->inspected = true;
    r->block = 96;
    r->grid = 2;
    run_body(r, ".shared .align 16 .b8 s[64]; setp.lt.u32 %p3, %r30, 32; setp.eq.u32 %p4, %r31, 1;\n"
                "@%p3 st.shared.u32 [s], 1; bar.sync 1; @!%p3 bra B; @%p4 st.shared.u32 [s], 5; bra E;\n"
                "B: bar.sync 1, 64; ld.shared.u32 %r1, [s];\nE: bar.sync 0;");
    cr_expect(r->flaws.count > 0 && r->flaws.items[0].block[0] == 1);
    free(r);
}

/* After so many blocks clocks are full. */
Test(machine_bulk, all_is_still_watched_after_very_many_blocks)
{
#define LAST_BLOCK "setp.lt.u32 %p3, %r31, 299999; @%p3 bra E;\n"
    run *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->inspected = true;
    r->grid = 300000;
    run_body(r, LAST_BLOCK TILE_FENCED_OF(128, "", "") "E:");
    cr_expect(r->flaws.count > 0 && strstr(r->flaws.items[0].what, "no fence.proxy.async"));
    run_body(r, LAST_BLOCK ".shared .align 16 .b8 t[64]; ld.shared.u32 %r1, [t];\nE:");
    cr_expect(r->flaws.count > 0 && strstr(r->flaws.items[0].what, "was never written"));
    free(r);
}

/* ---- what a barrier never hears of ---- */

Test(machine_bulk, a_wait_that_never_ends_says_what_it_lacks)
{
    wrong(32, BARRIER_MADE "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n" WAIT,
          ATX_FLAW_ENDLESS, "lacks 0 arrivals and 64 bytes");
    wrong(32, BARRIER_MADE WAIT, ATX_FLAW_ENDLESS, "lacks 1 arrivals and 0 bytes");
    wrong(32,
          BARRIER_MADE "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
                       "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], "
                       "48, [bar];\n" WAIT,
          ATX_FLAW_ENDLESS, "-32 bytes: more have come than were announced");
}

Test(machine_bulk, sizes_and_addresses_are_multiples_of_16)
{
    wrong(32, BARRIER_MADE FETCH(24), ATX_FLAW_UNDEFINED, "24 bytes; expected a multiple of 16");
    wrong(32, TILE "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%out+8], [s], 16;",
          ATX_FLAW_MISALIGNED, "no multiple of 16");
    wrong(32, TILE "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [s+4], 16;",
          ATX_FLAW_MISALIGNED, "no multiple of 16");
    wrong(32, TILE PUT(8192), ATX_FLAW_OUT_OF_BOUNDS, "8192 bytes at offset 0 of shared memory");
}

/* Arriving gives the state that the phase's end is known by. */
Test(machine_bulk, a_wait_may_be_for_the_phase_of_a_state)
{
#define BY_STATE                                                                                             \
    "mbarrier.arrive.shared.b64 %d5, [bar];\nV: mbarrier.test_wait.shared.b64 %p2, [bar], %d5; @!%p2 bra "   \
    "V;\n"
    right(64, PAIR CHANGE BY_STATE "ld.shared.u32 %r1, [%d3];\n" STORE);
    wrong(32, MAKE "bar.sync 0;\n" BY_STATE, ATX_FLAW_ENDLESS, "lacks 32 arrivals");
}

Test(machine_bulk, a_barrier_takes_no_more_arrivals_than_it_expects)
{
    wrong(32, ".shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 0;\n", ATX_FLAW_UNDEFINED,
          "mbarrier.init of 0 arrivals");
    wrong(32, BARRIER_MADE "@!%p1 mbarrier.arrive.shared.b64 _, [bar], 2;\n", ATX_FLAW_UNDEFINED,
          "2 arrivals at a barrier that expects 1 more");
}

Test(machine_bulk, a_barrier_awaits_fewer_than_2_to_the_20_bytes)
{
    wrong(32, BARRIER_MADE "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;\n",
          ATX_FLAW_UNDEFINED, "awaits 1048576 bytes");
}

/* ---- clusters ---- */

/* Each of two blocks stores into the other's memory. */
#define SEND                                                                                                 \
    ".shared .align 8 .b64 bar; .shared .align 16 .b8 s[128];\n"                                             \
    "mov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1; setp.ne.u32 %p1, %r30, 0;\n"                            \
    "@!%p1 mbarrier.init.shared.b64 [bar], 1; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"   \
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"                                        \
    "mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1; mapa.shared::cluster.u64 %d3, %d2, %r4;\n"          \
    "mov.u64 %d4, bar; mapa.shared::cluster.u64 %d5, %d4, %r4;\n"                                            \
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%d3], %r30, [%d5];\n"

Test(machine_bulk, what_another_block_stores_is_awaited_at_the_barrier_too)
{
    run *r = in_cluster(SEND WAIT "ld.shared.u32 %r1, [%d2];");
    cr_expect_eq(r->flaws.count, 0, "%s", r->flaws.items[0].what);
    free(r);
    r = in_cluster(SEND "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r1, [%d2];\n" WAIT);
    cr_expect(r->flaws.count > 0 && strstr(r->flaws.items[0].what, "has not waited for the mbarrier"));
    free(r);
    r = in_cluster(SEND);
    cr_expect(r->flaws.count > 0 && strstr(r->flaws.items[0].what, "a block ends while"));
    free(r);
}

Test(machine_bulk, a_copy_tells_a_barrier_of_the_block_that_it_writes)
{
    run *r = in_cluster(
        ".shared .align 8 .b64 bar; .shared .align 16 .b8 s[128]; mov.u64 %d1, s;\n"
        "mbarrier.init.shared.b64 [bar], 32; mov.u32 %r4, 1;\n"
        "mapa.shared::cluster.u64 %d3, %d1, %r4; bar.sync 0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d3], [%out], 16, [bar];");
    cr_expect(strstr(r->result.finding.text, "expected the same block"), "%s", r->result.finding.text);
    free(r);
}
