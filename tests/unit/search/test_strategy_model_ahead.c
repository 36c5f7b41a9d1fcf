/*
 * test_strategy_model_ahead.c - the strategy that learns, while its proposals are compiled: how many are
 * under way, and which of them are deferred.
 */
#include "search_bench.h"

#include <criterion/criterion.h>

static int spills_of(const bench *b, const outcome *o)
{
    int spills = 0;
    for (int i = 40; i < o->count; i++)
        spills += spilling(b, o->order[i]).resources.local_bytes > 0;
    return spills;
}

/* What the compiler says of a kernel counts before any device time is spent on it. */
Test(strategy_model_ahead, kernels_that_spill_are_deferred)
{
    bench b;
    outcome o;
    int seen = 0, unseen = 0;
    bench_open(&b, TILES, OTHER);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        b.search.seed = seed;
        search_with(&o, &b, spilling, 100, 1, false);
        cr_assert_eq(o.count, 100);
        assert_distinct(&o, b.search.total);
        seen += spills_of(&b, &o);
        search_with(&o, &b, spilling_unseen, 100, 1, false);
        unseen += spills_of(&b, &o);
    }
    cr_assert_lt(seen, unseen * SPILLS_PERCENT / 100, "%d trials spilled, %d when nothing was known of it",
                 seen, unseen);
    bench_close(&b);
}

/* With many under way, newer results show that some of them are not worth the device's time any more. */
Test(strategy_model_ahead, late_proposals_are_deferred_but_not_many)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    b.pace = 15;
    search_with(&o, &b, smooth, 120, 16, false);
    cr_assert(o.count == 120 && o.proposed > 120 && o.proposed <= 150, "%d timed of %d proposed", o.count,
              o.proposed);
    bench_close(&b);
}

/* Each was compiled in vain, and the device would wait for the next. */
Test(strategy_model_ahead, no_late_proposal_is_deferred_where_compilers_are_the_bottleneck)
{
    const double paces[] = { 16, 100, -1 }; /* of 16 compilers; not known yet */
    for (int i = 0; i < 3; i++) {
        bench b;
        outcome o;
        bench_open(&b, TILES, OTHER);
        b.pace = paces[i];
        search_with(&o, &b, smooth, 120, 16, false);
        cr_expect(o.count == 120 && o.proposed == 120, "%g: %d timed of %d proposed", b.pace, o.count,
                  o.proposed);
        bench_close(&b);
    }
}

Test(strategy_model_ahead, results_may_come_late_and_in_any_order)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    for (uint64_t seed = 1; seed <= (SEEDS + 1) / 2; seed++) {
        b.search.seed = seed;
        search_with(&o, &b, smooth, 120, 16, seed % 2 == 0);
        cr_assert_float_eq(o.best, 1, 1e-9, "seed %d: %g", (int)seed, o.best);
        assert_distinct(&o, b.search.total);
    }
    bench_close(&b);
}

/* Proposals until it wants a result. */
static int proposed_in_a_row(void *state, int64_t *list, int max)
{
    int count = 0;
    while (count < max && (list[count] = atx_strategy_model.propose(state)) >= 0)
        count++;
    return count;
}

/* Late results cost quality, idle compilers cost time: with little known, few are under way, unless compiling
 * takes as long as measuring many. */
Test(strategy_model_ahead, where_compiling_takes_long_all_compilers_work)
{
    enum { WORKERS = 16, MOST = 100 };
    static const struct {
        double ahead; /* told; 0: nothing is */
        int least, most;
    } PACES[] = { { 0, 1, 6 }, { 1, 1, 6 }, { 30, WORKERS, WORKERS + 4 } };
    for (size_t k = 0; k < sizeof PACES / sizeof *PACES; k++) {
        bench b;
        void *state = NULL;
        int64_t list[MOST];
        at_error err = { 0 };
        bench_open(&b, TILES, OTHER);
        b.search.ahead = WORKERS;
        cr_assert_eq(atx_strategy_model.open(&state, &b.search, &err), AT_OK, "%s", err.text);
        int count = proposed_in_a_row(state, list, MOST);
        for (int i = 0; i < count; i++) {
            atx_finding f = smooth(&b, list[i]);
            atx_strategy_model.report(state, list[i], &f);
        }
        if (PACES[k].ahead > 0)
            atx_strategy_model.pace(state, PACES[k].ahead);
        count = proposed_in_a_row(state, list, MOST);
        cr_expect(count >= PACES[k].least && count <= PACES[k].most, "%g: %d under way", PACES[k].ahead,
                  count);
        atx_strategy_model.close(state);
        bench_close(&b);
    }
}

/* So many are under way once something is known, `devices` measure, and compilers have enough to do. */
static int under_way_of(int devices, int ahead, double pace)
{
    enum { MOST = 500 };
    bench b;
    void *state = NULL;
    int64_t list[MOST];
    at_error err = { 0 };
    bench_open(&b, TILES, OTHER);
    b.search.ahead = 1;
    cr_assert_eq(atx_strategy_model.open(&state, &b.search, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 8; i++) {
        int64_t index = atx_strategy_model.propose(state);
        atx_finding f = smooth(&b, index);
        atx_strategy_model.report(state, index, &f);
    }
    if (devices > 1)
        atx_strategy_model.widen(state, devices, ahead);
    if (pace > 0)
        atx_strategy_model.pace(state, pace);
    int count = proposed_in_a_row(state, list, MOST);
    atx_strategy_model.close(state);
    bench_close(&b);
    return count;
}

Test(strategy_model_ahead, every_device_has_a_proposal_and_the_next_one)
{
    cr_expect_eq(under_way_of(1, 1, 0), 1);
    for (int devices = 2; devices <= 8; devices++) {
        int count = under_way_of(devices, 2 * devices, 0);
        cr_expect(count >= 2 * devices, "%d devices: %d under way", devices, count);
    }
}

/* Their results come too late to learn from: more of them make a search longer, not shorter. */
Test(strategy_model_ahead, no_number_of_devices_has_hundreds_under_way)
{
    int count = under_way_of(64, 1000, 500);
    cr_expect(count >= 16 && count <= 40, "%d under way", count);
}

/* As the winner of a problem that ended when this search was open. */
Test(strategy_model_ahead, a_late_hint_comes_next_unless_it_was_proposed)
{
    bench b;
    void *state = NULL;
    at_error err = { 0 };
    bench_open(&b, TILES, OTHER);
    b.search.ahead = 8;
    cr_assert_eq(atx_strategy_model.open(&state, &b.search, &err), AT_OK, "%s", err.text);
    const int64_t first = atx_strategy_model.propose(state), second = atx_strategy_model.propose(state);
    atx_strategy_model.hint(state, second);
    atx_strategy_model.hint(state, 700);
    cr_assert(first >= 0 && second >= 0 && first != 700 && second != 700);
    cr_assert_eq(atx_strategy_model.propose(state), 700);
    for (int i = 0; i < 5; i++) {
        const int64_t next = atx_strategy_model.propose(state);
        cr_assert(next >= 0 && next != first && next != second && next != 700, "%lld", (long long)next);
    }
    atx_strategy_model.close(state);
    bench_close(&b);
}
