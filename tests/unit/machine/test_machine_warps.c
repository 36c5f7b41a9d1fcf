/* test_machine_warps.c - what warps, blocks and clusters do on the machine, and what they do wrong. */
#include "machine_support.h"

/* ---- warps ---- */

static run *new_run(void)
{
    return calloc(1, sizeof(run));
}

/* Runs a body for one warp that leaves a value a thread in %r1; out[thread] is that. */
static run *per_thread(const char *body)
{
    atx_str text = { 0 };
    run *r = new_run();
    atx_str_addf(&text, "%s\n%s", body, STORE);
    run_body(r, text.data);
    atx_str_clear(&text);
    return r;
}

/* Runs a body for two clusters of two blocks, a warp each; it finds nothing wrong. */
static run *in_clusters(const char *body)
{
    run *r = new_run();
    r->grid = 4;
    r->cluster = 2;
    run_body(r, body);
    cr_assert(r->result.finding.kind == ATX_FINDING_NONE, "%s", r->result.finding.text);
    return r;
}

#define assert_each(r, threads, expression)                                                                  \
    for (uint32_t t = 0; t < (threads); t++)                                                                 \
    cr_assert((r)->out[t] == (uint32_t)(expression), "thread %u: 0x%x, not 0x%x: %s", t, (r)->out[t],        \
              (uint32_t)(expression), (r)->result.finding.text)

Test(machine_warps, shuffles_stay_within_their_segment)
{
    run *r = per_thread("shfl.sync.down.b32 %r1, %r30, 2, 31, -1;");
    assert_each(r, 32, t < 30 ? t + 2 : t);
    free(r);
    r = per_thread("shfl.sync.up.b32 %r1, %r30, 3, 0x1800, -1;");
    assert_each(r, 32, t % 8 >= 3 ? t - 3 : t);
    free(r);
    r = per_thread("shfl.sync.bfly.b32 %r2|%p1, %r30, 5, 31, -1; selp.b32 %r1, %r2, 99, %p1;");
    assert_each(r, 32, t ^ 5);
    free(r);
    r = per_thread("shfl.sync.idx.b32 %r1, %r30, 9, 0x181f, -1;");
    assert_each(r, 32, (t & 24) | 1);
    free(r);
}

Test(machine_warps, votes_matches_and_reductions_are_of_the_lanes_that_take_part)
{
    run *r = per_thread("setp.lt.u32 %p1, %r30, 5; vote.sync.ballot.b32 %r1, %p1, -1;");
    assert_each(r, 32, 31);
    free(r);
    r = per_thread(
        "setp.lt.u32 %p1, %r30, 5; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, !%p1, -1;\n"
        "selp.b32 %r2, 1, 0, %p2; selp.b32 %r3, 2, 0, %p3; or.b32 %r1, %r2, %r3;");
    assert_each(r, 32, 1);
    free(r);
    r = per_thread("and.b32 %r2, %r30, 1; match.any.sync.b32 %r1, %r2, -1;");
    assert_each(r, 32, t & 1 ? 0xaaaaaaaa : 0x55555555);
    free(r);
    r = per_thread("match.all.sync.b32 %r1|%p1, 7, -1;");
    assert_each(r, 32, UINT32_MAX);
    free(r);
    r = per_thread("redux.sync.add.s32 %r1, %r30, -1;");
    assert_each(r, 32, 496);
    free(r);
    r = per_thread("elect.sync %r2|%p1, -1; selp.b32 %r1, 1, 0, %p1;");
    assert_each(r, 32, t == 0);
    free(r);
}

Test(machine_warps, ways_that_part_meet_again)
{
    run *r =
        per_thread("and.b32 %r2, %r30, 3; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1; mov.u32 %r1, 7;\n"
                   "@%p1 bra A; @%p2 bra B; add.u32 %r1, %r1, 10; bra.uni C;\n"
                   "A: mov.u32 %r1, 1; bra.uni C;\nB: mov.u32 %r1, 2;\nC: activemask.b32 %r3;\n"
                   "setp.ne.u32 %p3, %r3, -1; @%p3 mov.u32 %r1, 99;");
    assert_each(r, 32, t % 4 == 0 ? 1 : t % 4 == 1 ? 2 : 17);
    free(r);
}

Test(machine_warps, lanes_leave_a_loop_one_by_one)
{
    run *r = per_thread("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %r30; @%p1 bra L;\n"
                        "activemask.b32 %r3; setp.ne.u32 %p3, %r3, -1; @%p3 mov.u32 %r1, 99;");
    assert_each(r, 32, t + 1);
    free(r);
}

/* An early return inside of a branch: the others come together behind it. */
Test(machine_warps, an_early_return_does_not_keep_the_others_apart)
{
    run *r = per_thread("mov.u32 %r1, 5; setp.gt.u32 %p1, %r30, 7; @%p1 bra C;\n"
                        "setp.lt.u32 %p2, %r30, 2; @%p2 bra END; add.u32 %r1, %r1, 1;\n"
                        "C: activemask.b32 %r1;\n" STORE "END: ret;\n");
    assert_each(r, 32, t < 2 ? 0 : 0xfffffffc);
    free(r);
}

Test(machine_warps, a_table_of_branches_sends_each_lane_its_way)
{
    run *r = per_thread("and.b32 %r2, %r30, 3; T: .branchtargets A, B, C, A;\nbrx.idx %r2, T;\n"
                        "A: mov.u32 %r1, 1; bra E;\nB: mov.u32 %r1, 2; bra E;\nC: mov.u32 %r1, 3;\n"
                        "E: activemask.b32 %r3; setp.ne.u32 %p3, %r3, -1; @%p3 mov.u32 %r1, 99;");
    assert_each(r, 32, t % 4 == 1 ? 2 : t % 4 == 2 ? 3 : 1);
    free(r);
}

Test(machine_warps, functions_are_called_by_some_lanes_and_call_themselves)
{
    static const char FACTORIAL[] =
        ".func (.param .b32 result) factorial(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<6>;\n"
        "ld.param.u32 %r1, [n]; mov.u32 %r2, 1; setp.le.u32 %p1, %r1, 1; @%p1 bra DONE;\n"
        "sub.u32 %r3, %r1, 1;\n{ .param .b32 p0; st.param.b32 [p0], %r3; .param .b32 r0;\n"
        "call.uni (r0), factorial, (p0); ld.param.b32 %r4, [r0]; }\nmul.lo.u32 %r2, %r4, %r1;\n"
        "DONE: st.param.b32 [result], %r2; ret;\n}\n";
    run *r = new_run();
    run_text(r, FACTORIAL,
             "mov.u32 %r1, 77; and.b32 %r2, %r30, 7; setp.ge.u32 %p1, %r30, 24; @%p1 bra SKIP;\n"
             "{ .param .b32 p0; st.param.b32 [p0], %r2; .param .b32 r0;\ncall (r0), factorial, (p0);\n"
             "ld.param.b32 %r1, [r0]; }\nSKIP:\n" STORE);
    cr_assert(r->status == AT_OK, "%s", r->err.text);
    static const uint32_t FACTORIALS[8] = { 1, 1, 2, 6, 24, 120, 720, 5040 };
    assert_each(r, 32, t >= 24 ? 77 : FACTORIALS[t % 8]);
    free(r);
}

/* Halves of a warp that come to the same bar.warp.sync by ways of their own. */
Test(machine_warps, ways_of_a_warp_wait_for_each_other)
{
    run *r = per_thread(
        ".shared .b32 s[32];\nmov.u64 %d1, s; mad.wide.u32 %d1, %r30, 4, %d1;\n"
        "setp.lt.u32 %p1, %r30, 16; @%p1 bra A;\n"
        "bar.warp.sync -1; ld.shared.u32 %r1, [%d1+-64]; bra E;\n"
        "A: add.u32 %r2, %r30, 100; st.shared.u32 [%d1], %r2; bar.warp.sync -1; mov.u32 %r1, 1;\nE:");
    assert_each(r, 32, t < 16 ? 1 : 100 + t - 16);
    free(r);
}

/* ---- memory ---- */

Test(machine_warps, memory_is_read_as_its_type_says)
{
    run *r = new_run();
    r->out[0] = 0x8899aabb;
    r->out[1] = 0x44556677;
    run_body(r, "setp.ne.u32 %p1, %r30, 0; @%p1 bra E;\n"
                "ld.global.s8 %r1, [%out]; ld.global.u8 %h2, [%out+1]; ld.global.v2.u16 {%r3, %r4}, [%out];\n"
                "ld.global.s16 %d5, [%out+2]; ld.global.u64 %d6, [%out]; cvt.u32.u16 %r2, %h2;\n"
                "st.global.v4.u32 [%out+16], {%r1, %r2, %r3, %r4}; st.global.v2.u64 [%out+32], {%d5, %d6};\n"
                "st.global.u8 [%out+48], %r3; st.global.b16 [%out+52], %h2; E:");
    cr_assert(r->result.finding.kind == ATX_FINDING_NONE, "%s", r->result.finding.text);
    cr_assert(r->out[4] == 0xffffffbb && r->out[5] == 0xaa && r->out[6] == 0xaabb && r->out[7] == 0x8899);
    cr_assert(r->out[8] == 0xffff8899 && r->out[9] == 0xffffffff && r->out[10] == 0x8899aabb);
    cr_assert(r->out[11] == 0x44556677 && r->out[12] == 0xbb && r->out[13] == 0xaa);
    free(r);
}

Test(machine_warps, generic_addresses_lead_to_every_space)
{
    run *r = per_thread(".shared .b32 s[32];\n.local .b32 l;\n"
                        "mov.u64 %d1, s; mad.wide.u32 %d1, %r30, 4, %d1; cvta.shared.u64 %d2, %d1;\n"
                        "mov.u64 %d3, l; cvta.local.u64 %d4, %d3; st.local.u32 [l], 9; st.u32 [%d2], %r30;\n"
                        "setp.lt.u32 %p1, %r30, 16; selp.b64 %d5, %d2, %d4, %p1; ld.u32 %r1, [%d5];\n"
                        "isspacep.shared %p2, %d5; @%p2 add.u32 %r1, %r1, 1000;");
    assert_each(r, 32, t < 16 ? 1000 + t : 9);
    free(r);
}

Test(machine_warps, variables_hold_what_they_begin_with)
{
    run *r = new_run();
    run_text(r, ".const .b32 c[4] = {5, 6, 7, 8};\n.global .u64 p = c;\n",
             "ld.global.u64 %d1, [p]; and.b32 %r2, %r30, 3; mad.wide.u32 %d2, %r2, 4, %d1;\n"
             "ld.const.u32 %r1, [%d2];\n" STORE);
    cr_assert(r->status == AT_OK, "%s", r->err.text);
    assert_each(r, 32, 5 + t % 4);
    free(r);
}

Test(machine_warps, atomics_see_each_other)
{
    run *r = new_run();
    r->block = 64;
    r->grid = 2;
    run_body(r, "atom.global.add.u32 %r1, [%out], 1; red.global.max.s32 [%out+4], %r1;\n"
                "atom.global.inc.u32 %r2, [%out+8], 9; red.global.add.f32 [%out+12], 0f3F800000;\n"
                "atom.global.cas.b32 %r3, [%out+16], 0, 42; atom.global.exch.b64 %d1, [%out+24], 7;\n"
                "red.global.add.noftz.f16x2 [%out+32], 0x3c003c00;");
    cr_assert(r->out[0] == 128 && r->out[1] == 127 && r->out[2] == 8 && r->out[3] == 0x43000000);
    cr_assert(r->out[4] == 42 && r->out[6] == 7 && r->out[8] == 0x58005800, "%x", r->out[8]);
    free(r);
}

/* ---- blocks and clusters ---- */

#define SHARED_PLACE ".shared .align 16 .b32 s[64];\nmov.u64 %d1, s; mad.wide.u32 %d2, %r30, 4, %d1;\n"

Test(machine_warps, a_barrier_holds_all_warps)
{
    run *r = new_run();
    r->block = 64;
    run_body(r, SHARED_PLACE "st.shared.u32 [%d2], %r30; bar.sync 0; xor.b32 %r2, %r30, 63;\n"
                             "mad.wide.u32 %d3, %r2, 4, %d1; ld.shared.u32 %r1, [%d3];\n" STORE);
    assert_each(r, 64, 63 - t);
    free(r);
}

Test(machine_warps, a_barrier_can_count_vote_and_have_a_number)
{
    run *r = new_run();
    r->block = 64;
    run_body(r,
             "setp.lt.u32 %p1, %r30, 10; bar.red.popc.u32 %r1, 0, %p1; bar.red.or.pred %p2, 0, %p1;\n"
             "@%p2 add.u32 %r1, %r1, 100; setp.lt.u32 %p3, %r30, 32; @%p3 bra A; bar.arrive 3, 64; bra E;\n"
             "A: bar.sync 3, 64; E:\n" STORE);
    cr_assert(r->result.finding.kind == ATX_FINDING_NONE, "%s", r->result.finding.text);
    assert_each(r, 64, 110);
    free(r);
}

Test(machine_warps, asynchronous_copies_are_there_when_they_were_awaited_and_not_before)
{
    run *r = new_run();
    for (uint32_t i = 0; i < 32; i++)
        r->out[i] = 1000 + i;
    run_body(r, SHARED_PLACE
             "mad.wide.u32 %d5, %r30, 4, %out; st.shared.u32 [%d2], 5;\n"
             "cvt.u32.u64 %r5, %d2; cp.async.ca.shared.global [%r5], [%d5], 4, 4; cp.async.commit_group;\n"
             "ld.shared.u32 %r2, [%d2]; cp.async.wait_group 0; ld.shared.u32 %r1, [%d2];\n"
             "mad.lo.u32 %r1, %r2, 10000, %r1;\n" STORE);
    assert_each(r, 32, 50000 + 1000 + t);
    free(r);
}

Test(machine_warps, of_asynchronous_copies_those_of_later_groups_are_not_there)
{
    run *r = new_run();
    for (uint32_t i = 0; i < 64; i++)
        r->out[i] = 1000 + i;
    run_body(
        r, SHARED_PLACE
        "mad.wide.u32 %d5, %r30, 4, %out; st.shared.u32 [%d2], 5; st.shared.u32 [%d2+128], 6;\n"
        "cp.async.ca.shared.global [%d2], [%d5], 4; cp.async.commit_group;\n"
        "cp.async.ca.shared.global [%d2+128], [%d5+128], 4; cp.async.commit_group; cp.async.wait_group 1;\n"
        "ld.shared.u32 %r2, [%d2]; ld.shared.u32 %r1, [%d2+128]; mad.lo.u32 %r1, %r2, 10, %r1;\n" STORE);
    assert_each(r, 32, 10 * (1000 + t) + 6);
    free(r);
}

Test(machine_warps, an_asynchronous_copy_of_fewer_bytes_is_filled_with_zeroes)
{
    run *r = new_run();
    r->out[0] = 1;
    r->out[1] = 2;
    r->block = 1;
    run_body(r,
             ".shared .align 16 .b8 t[16]; mov.u32 %r5, t; mov.u32 %r6, 4;\nst.shared.v2.u32 [t], {9, 9};\n"
             "cp.async.cg.shared.global.L2::128B [%r5], [%out], 16, %r6; cp.async.wait_all;\n"
             "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [t]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};");
    cr_assert(r->out[0] == 1 && r->out[1] == 0 && r->out[2] == 0);
    free(r);
}

Test(machine_warps, barriers_in_memory_count_arrivals_and_bytes)
{
    run *r = new_run();
    r->block = 64;
    for (uint32_t i = 0; i < 64; i++)
        r->out[i] = 7 * i;
    run_body(r, ".shared .align 8 .b64 bar;\n" SHARED_PLACE
                "setp.ne.u32 %p1, %r30, 0; @!%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0; @%p1 bra W;\n"
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], 256, [bar];\n"
                "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
                "ld.shared.u32 %r1, [%d2]; add.u32 %r1, %r1, 1;\nbar.sync 0;\n" STORE);
    cr_assert(r->result.finding.kind == ATX_FINDING_NONE, "%s", r->result.finding.text);
    assert_each(r, 64, 7 * t + 1);
    free(r);
}

/* Of two blocks each stores into the other's memory, whose barrier awaits all of it and nothing else. */
Test(machine_warps, stores_to_another_block_are_awaited_by_its_barrier)
{
    run *r = in_clusters(
        ".shared .align 8 .b64 bar;\n" SHARED_PLACE
        "mov.u32 %r1, 0; st.shared.u32 [%d2], %r1; setp.ne.u32 %p1, %r30, 0;\n"
        "@!%p1 mbarrier.init.shared.b64 [bar], 1; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        "mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1; mapa.shared::cluster.u64 %d3, %d2, %r4;\n"
        "mov.u64 %d4, bar; mapa.shared::cluster.u64 %d5, %d4, %r4; mad.lo.u32 %r2, %r31, 100, %r30;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%d3], %r2, [%d5];\n"
        "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;\n"
        "ld.shared.u32 %r1, [%d2]; mad.lo.u32 %r6, %r31, 32, %r30; mad.wide.u32 %d6, %r6, 4, %out;\n"
        "st.global.u32 [%d6], %r1;");
    assert_each(r, 128, 100 * ((t / 32) ^ 1) + t % 32);
    free(r);
}

Test(machine_warps, blocks_of_a_cluster_reach_into_each_others_memory)
{
    run *r = in_clusters(
        SHARED_PLACE
        "mad.lo.u32 %r2, %r31, 100, %r30; st.shared.u32 [%d2], %r2;\n"
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        "mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1; mapa.shared::cluster.u64 %d3, %d2, %r4;\n"
        "ld.shared::cluster.u32 %r1, [%d3]; barrier.cluster.arrive; barrier.cluster.wait;\n"
        "mad.lo.u32 %r6, %r31, 32, %r30; mad.wide.u32 %d6, %r6, 4, %out; st.global.u32 [%d6], %r1;");
    assert_each(r, 128, 100 * ((t / 32) ^ 1) + t % 32);
    free(r);
}

/* Each eight lanes name themselves and no others, as tiles do. */
Test(machine_warps, lanes_that_name_other_members_do_not_count)
{
    static const char MEMBERS[] = "and.b32 %r2, %r30, 24; mov.u32 %r3, 255; shl.b32 %r3, %r3, %r2;\n"
                                  "and.b32 %r4, %r30, 1; setp.ne.u32 %p1, %r4, 0;\n";
    char body[400];
    snprintf(body, sizeof body, "%svote.sync.ballot.b32 %%r1, %%p1, %%r3;", MEMBERS);
    run *r = per_thread(body);
    assert_each(r, 32, 0xaau << (t & 24));
    free(r);
    snprintf(body, sizeof body, "%sredux.sync.max.u32 %%r1, %%r30, %%r3;", MEMBERS);
    r = per_thread(body);
    assert_each(r, 32, t | 7);
    free(r);
    snprintf(body, sizeof body, "%smatch.any.sync.b32 %%r1, %%r4, %%r3;", MEMBERS);
    r = per_thread(body);
    assert_each(r, 32, (t & 1 ? 0xaau : 0x55u) << (t & 24));
    free(r);
    /* The lanes of the first eight that come later wait for each other, and the others do not wait for them.
     */
    snprintf(body, sizeof body,
             "%smov.u32 %%r1, 0; setp.lt.u32 %%p2, %%r30, 4; @%%p2 bra L;\n"
             "vote.sync.ballot.b32 %%r1, %%p1, %%r3; bra M;\nL: vote.sync.ballot.b32 %%r1, %%p1, %%r3;\nM:",
             MEMBERS);
    r = new_run();
    run_text(r, "", body);
    cr_expect(r->status == AT_OK && r->result.finding.kind == ATX_FINDING_BARRIER, "%s",
              r->result.finding.text);
    free(r);
}

/* ---- matrices ---- */

Test(machine_warps, matrices_of_16_bits_are_loaded_stored_and_swapped)
{
    run *r = per_thread(
        ".shared .align 16 .b8 m[128];\nmov.u32 %r5, m; mad.lo.u32 %r6, %r30, 4, %r5;\n"
        "shl.b32 %r7, %r30, 17; shl.b32 %r8, %r30, 1; or.b32 %r7, %r7, %r8; or.b32 %r7, %r7, 0x10000;\n"
        "st.shared.u32 [%r6], %r7; and.b32 %r8, %r30, 7; mad.lo.u32 %r9, %r8, 16, %r5; bar.sync 0;\n"
        "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%r9];");
    /* Element e of the 64 is e; lane t has (2 (t mod 4) + k, t / 4) turned. */
    assert_each(r, 32, (2 * (t % 4) * 8 + t / 4) | ((2 * (t % 4) + 1) * 8 + t / 4) << 16);
    free(r);
    r = per_thread("mad.lo.u32 %r7, %r30, 0x20002, 0x10000; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r7;");
    assert_each(r, 32, (2 * (t % 4) * 8 + t / 4) | ((2 * (t % 4) + 1) * 8 + t / 4) << 16);
    free(r);
}

/* A is 16 rows of ones in f16, times the row's number in column 0; B has the column's number in row 0. */
Test(machine_warps, matrices_are_multiplied)
{
    run *r = per_thread(
        "shr.u32 %r2, %r30, 2; and.b32 %r3, %r30, 3; add.u32 %r4, %r2, 8;\n"
        "setp.eq.u32 %p1, %r3, 0; cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r4;\n"
        "cvt.rn.f16x2.f32 %r5, 0f00000000, %f1; cvt.rn.f16x2.f32 %r6, 0f00000000, %f2;\n"
        "selp.b32 %r5, %r5, 0, %p1; selp.b32 %r6, %r6, 0, %p1;\n"
        "mov.f32 %f4, 0f3F800000; mov.f32 %f5, %f4; mov.f32 %f6, %f4; mov.f32 %f7, %f4;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r5, %r6, 0, 0},\n"
        "{%r5, 0}, {%f4, %f5, %f6, %f7};\ncvt.rzi.u32.f32 %r7, %f5; cvt.rzi.u32.f32 %r8, %f7;\n"
        "shl.b32 %r8, %r8, 16; or.b32 %r1, %r7, %r8;");
    assert_each(r, 32, (1 + (t / 4) * (2 * (t % 4) + 1)) | (1 + (t / 4 + 8) * (2 * (t % 4) + 1)) << 16);
    cr_assert(r->result.inexact);
    free(r);
}

/* ---- what goes wrong ---- */

static run *finding(uint32_t block, const char *body, atx_machine_finding_kind kind, const char *words)
{
    run *r = new_run();
    r->block = block;
    r->budget = 10000;
    run_body(r, body);
    cr_assert(r->result.finding.kind == kind, "%d: %s", r->result.finding.kind, r->result.finding.text);
    cr_assert(strstr(r->result.finding.text, words), "%s", r->result.finding.text);
    return r;
}

Test(machine_warps, an_access_beyond_a_buffer_is_found_with_buffer_thread_and_line)
{
    run *r = finding(32, ".loc 1 17 3\nmad.wide.u32 %d1, %r30, 4, %out; st.global.u32 [%d1+4000], 1;",
                     ATX_FINDING_BOUNDS, "4 bytes at offset 4096 of buffer 'out' of 4096 bytes are written");
    cr_assert(r->result.finding.line == 17 && r->result.finding.thread_at[0] == 24);
    free(r);
    free(finding(32, "ld.global.u32 %r1, [%out+-4];", ATX_FINDING_BOUNDS, "offset -4 of buffer 'out'"));
    free(finding(32, "mov.u64 %d1, 16; ld.global.u32 %r1, [%d1];", ATX_FINDING_BOUNDS, "no buffer"));
    free(finding(32, ".shared .b32 s[4]; ld.shared.u32 %r1, [s+16];", ATX_FINDING_BOUNDS, "shared memory"));
    free(finding(32, ".local .b32 l; ld.local.u32 %r1, [l+4];", ATX_FINDING_BOUNDS, "local memory"));
    free(finding(32, "ld.global.u32 %r1, [%out+2];", ATX_FINDING_MISALIGNED, "no multiple of 4"));
    free(finding(32, "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out+8];", ATX_FINDING_MISALIGNED, "16"));
}

/* PTX truncates addresses to the width of the space that an instruction names. */
Test(machine_warps, bits_above_the_width_of_a_named_space_do_not_count)
{
    static const char *const BODIES[] = {
        ".shared .b32 s[32]; mov.u64 %d1, s; mad.wide.u32 %d1, %r30, 4, %d1; st.shared.u32 [%d1], %r30;\n"
        "add.u64 %d2, %d1, 0x700000000; ld.shared.u32 %r1, [%d2];",
        ".local .b32 l; mov.u64 %d1, l; st.local.u32 [%d1], %r30;\n"
        "add.u64 %d2, %d1, 0x100000000; ld.local.u32 %r1, [%d2];",
        ".shared .b32 s[32]; mov.u32 %r2, s; mad.lo.u32 %r2, %r30, 4, %r2; st.shared.u32 [%r2], %r30;\n"
        "sub.u32 %r3, %r2, 0x10000; ld.shared.u32 %r1, [%r3+0x10000];",
        ".shared .b32 s[32]; mov.u64 %d1, s; mad.wide.u32 %d1, %r30, 4, %d1; st.shared.u32 [%d1], %r30;\n"
        "add.u64 %d2, %d1, 0x700000000; cvta.shared.u64 %d3, %d2; ld.u32 %r1, [%d3];",
        ".shared .b32 s[32]; mov.u64 %d1, s; mad.wide.u32 %d1, %r30, 4, %d1; st.shared.u32 [%d1], 0;\n"
        "add.u64 %d2, %d1, 0x700000000; atom.shared.add.u32 %r2, [%d2], %r30; ld.shared.u32 %r1, [%d1];",
    };
    for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
        run *r = per_thread(BODIES[i]);
        assert_each(r, 32, t);
        free(r);
    }
}

/* A message names an offset that does lie outside. */
Test(machine_warps, an_access_far_outside_of_a_space_is_told_with_its_true_offset)
{
    static const char *const CASES[][2] = {
        { ".shared .b32 s[4]; mov.u64 %d1, s; ld.shared.u32 %r1, [%d1+-4000];",
          "offset -4000 of shared memory of 16 bytes" },
        { ".shared .b32 s[4]; mov.u64 %d1, s; ld.shared.u32 %r1, [%d1+0x5000000];",
          "offset 83886080 of shared memory of 16 bytes" },
        { ".local .b32 l; mov.u64 %d1, l; ld.local.u32 %r1, [%d1+-4000];",
          "offset -4000 of local memory of " },
        { ".shared .b32 s[4]; mov.u64 %d1, s; cvta.shared.u64 %d1, %d1; ld.u32 %r1, [%d1+0x700000000];",
          "offset 30064771072 of shared memory of 16 bytes" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        free(finding(32, CASES[i][0], ATX_FINDING_BOUNDS, CASES[i][1]));
}

/* What is stored asynchronously by too few lanes never ends the wait. */
Test(machine_warps, a_barrier_that_awaits_more_bytes_than_are_stored_is_never_passed)
{
    free(finding(
        32,
        ".shared .align 8 .b64 bar; .shared .b32 s; mbarrier.init.shared.b64 [bar], 32;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8; mov.u64 %d2, s; mov.u64 %d3, bar;\n"
        "mov.u32 %r2, 0; mapa.shared::cluster.u64 %d4, %d2, %r2; mapa.shared::cluster.u64 %d5, %d3, %r2;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%d4], 1, [%d5];\n"
        "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;",
        ATX_FINDING_ENDLESS, ""));
}

Test(machine_warps, endless_loops_and_barriers_that_some_never_reach_are_found)
{
    free(finding(32, "L: add.u32 %r1, %r1, 1; bra L;", ATX_FINDING_ENDLESS, "not ended"));
    free(finding(64, "setp.lt.u32 %p1, %r30, 32; @%p1 bra A; bar.sync 1; bra E; A: bar.sync 2; E:",
                 ATX_FINDING_BARRIER, "not all threads"));
    free(finding(32, "setp.lt.u32 %p1, %r30, 3; @%p1 bra A; bar.warp.sync -1; bra E; A: bar.sync 2; E:",
                 ATX_FINDING_BARRIER, "barrier"));
    free(finding(
        32, "setp.lt.u32 %p1, %r30, 3; @%p1 bra A; bar.warp.sync -1; bra E; A: bar.warp.sync -1; trap; E:",
        ATX_FINDING_TRAP, "trap"));
    free(finding(32, "setp.lt.u32 %p1, %r30, 3; @%p1 shfl.sync.idx.b32 %r1, %r30, 0, 31, -1;",
                 ATX_FINDING_INVALID, "do not take part"));
    free(finding(32, "mbarrier.test_wait.parity.shared.b64 %p1, [1024], 0;", ATX_FINDING_BOUNDS, "shared"));
}

/* Threads that have ended are not waited for. */
Test(machine_warps, a_barrier_does_not_wait_for_threads_that_have_ended)
{
    run *r = new_run();
    r->block = 64;
    run_body(r, "setp.gt.u32 %p1, %r30, 40; @%p1 exit; bar.sync 0; mov.u32 %r1, 3;\n" STORE);
    cr_assert(r->result.finding.kind == ATX_FINDING_NONE, "%s", r->result.finding.text);
    assert_each(r, 64, t <= 40 ? 3 : 0);
    free(r);
}

Test(machine_warps, what_it_cannot_execute_is_refused_before_anything_runs)
{
    run *r = new_run();
    run_text(r, "", "add.f32 %f1, %f2;");
    cr_assert(r->status == AT_ERR_INPUT && strstr(r->err.text, "add.f32"), "%s", r->err.text);
    run_text(r, "", "add.relu.f32 %f1, %f2, %f3;");
    cr_assert(r->status == AT_ERR_INPUT && strstr(r->err.text, "add.f32"), "%s", r->err.text);
    run_text(r, "", "mov.u64 %d1, %nowhere;");
    cr_assert(r->status == AT_ERR_INPUT);
    run_text(r, "", "bra 9;");
    cr_assert(r->status == AT_ERR_INPUT && strstr(r->err.text, "no place in the code"), "%s", r->err.text);
    free(r);
}

Test(machine_warps, a_launch_that_does_not_fit_is_refused)
{
    run *r = new_run();
    r->block = 2000;
    run_text(r, "", "");
    cr_assert(r->status == AT_ERR_USAGE && strstr(r->err.text, "2000"), "%s", r->err.text);
    r->block = 32;
    r->grid = 3;
    r->cluster = 2;
    run_text(r, "", "");
    cr_assert(r->status == AT_ERR_USAGE && strstr(r->err.text, "cluster"), "%s", r->err.text);
    free(r);
}
