/* test_strategy_model.c - the strategy that learns, on spaces whose best configuration is known. */
#include "search_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(strategy_model, finds_the_best_in_a_handful_of_trials)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        b.search.seed = seed;
        search_with(&o, &b, smooth, 80, 1, false);
        cr_assert_float_eq(o.best, 1, 1e-9, "seed %d: %g", (int)seed, o.best);
        assert_distinct(&o, b.search.total);
    }
    bench_close(&b);
}

Test(strategy_model, failures_lead_it_away)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, NULL);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int failed = 0;
        b.search.seed = seed;
        search_with(&o, &b, failing, 100, 1, false);
        cr_assert_float_eq(o.best, 1, 1e-9, "seed %d: %g", (int)seed, o.best);
        for (int i = 50; i < 100; i++)
            failed += failing(&b, o.order[i]).outcome != ATX_TIMED;
        cr_assert_lt(failed, 20, "%d of the last 50; of all, 46 %% do", failed);
    }
    bench_close(&b);
}

static int failed_of(const bench *b, finding_of *find, const outcome *o)
{
    int failed = 0;
    for (int i = 0; i < o->count; i++)
        failed += find(b, o->order[i]).outcome != ATX_TIMED;
    return failed;
}

/* A crash costs a new process, a wrong result one launch. */
Test(strategy_model, crashes_lead_it_away_further_than_wrong_results)
{
    bench b;
    outcome o;
    int crashed = 0, were_wrong = 0;
    bench_open(&b, TILES, NULL);
    for (uint64_t seed = 1; seed <= 4 * SEEDS; seed++) {
        b.search.seed = seed;
        search_with(&o, &b, wrong, 100, 1, false);
        were_wrong += failed_of(&b, wrong, &o);
        search_with(&o, &b, crashing, 100, 1, false);
        crashed += failed_of(&b, crashing, &o);
    }
    cr_assert_lt(crashed, were_wrong * 9 / 10, "%d crashes, %d wrong results", crashed, were_wrong);
    bench_close(&b);
}

Test(strategy_model, equal_seeds_repeat)
{
    bench b;
    static outcome a, same, other;
    bench_open(&b, TILES, OTHER);
    search_with(&a, &b, smooth, 100, 4, false);
    search_with(&same, &b, smooth, 100, 4, false);
    b.search.seed = 2;
    search_with(&other, &b, smooth, 100, 4, false);
    cr_assert_eq(memcmp(a.order, same.order, sizeof a.order), 0);
    cr_assert_neq(memcmp(a.order, other.order, sizeof a.order), 0);
    bench_close(&b);
}

/* Without a limit every configuration is tried once, however many the model itself can hold. */
Test(strategy_model, the_whole_space_comes_once)
{
    bench b;
    static outcome o;
    bench_open(&b, TILES, OTHER);
    search_with(&o, &b, smooth, 4096, 8, false);
    cr_assert_eq(o.count, b.search.total, "%d of %d", o.count, (int)b.search.total);
    cr_assert_eq(o.end, ATX_NO_MORE);
    assert_distinct(&o, b.search.total);
    bench_close(&b);
}

Test(strategy_model, a_space_of_one_has_one_proposal)
{
    bench b;
    outcome o;
    bench_open(&b, SINGLE, NULL);
    search_with(&o, &b, all_equal, 10, 4, false);
    cr_assert(o.count == 1 && o.order[0] == 0 && o.end == ATX_NO_MORE);
    bench_close(&b);
}

/* Trials of an elsewhere where all takes seven times as long, but configuration k what `find` says of k + by.
 */
static void fill_elsewhere(atx_elsewhere *out, int count, const bench *b, finding_of *find, int64_t by)
{
    for (int i = 0; i < count; i++) {
        int64_t index = i * b->search.total / count;
        out[i] = (atx_elsewhere){ index, 7 * find(b, (index + by) % b->search.total).seconds };
    }
}

/* Trials until the best is found, over all seeds. */
static int trials_to_best(bench *b, finding_of *find, double best)
{
    outcome o;
    int sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int count = 0;
        b->search.seed = seed;
        search_with(&o, b, find, 100, 4, false);
        assert_distinct(&o, b->search.total);
        while (count < o.count && find(b, o.order[count]).seconds > best * (1 + 1e-9))
            count++;
        cr_expect_lt(count, o.count, "seed %d: the best is not found", (int)seed);
        sum += count;
    }
    return sum;
}

Test(strategy_model, trials_from_elsewhere_save_trials_and_do_not_mislead)
{
    bench b;
    atx_elsewhere elsewhere[96];
    bench_open(&b, TILES, NULL);
    int alone = trials_to_best(&b, smooth, 1);
    b.search.elsewhere = elsewhere;
    b.search.elsewhere_count = 96;
    fill_elsewhere(elsewhere, 96, &b, smooth, 0);
    int alike = trials_to_best(&b, smooth, 1);
    cr_expect_lt(4 * alike, 3 * alone, "%d trials with those from elsewhere, %d without", alike, alone);
    fill_elsewhere(elsewhere, 96, &b, smooth, b.search.total / 2);
    int unlike = trials_to_best(&b, smooth, 1);
    cr_expect_lt(unlike, 2 * alone, "%d trials with those of something else, %d without", unlike, alone);
    bench_close(&b);
}

Test(strategy_model, hints_come_first_then_defaults)
{
    bench b;
    outcome o;
    int64_t hints[] = { 700, 3, 700 };
    bench_open(&b, TILES, OTHER);
    b.search.hints = hints;
    b.search.hint_count = 3;
    search_with(&o, &b, smooth, 4, 1, false);
    cr_assert(o.order[0] == 700 && o.order[1] == 3 && o.order[2] == 0);
    cr_assert_eq(o.order[3], atx_space_count(b.spaces[0]));
    bench_close(&b);
}

Test(strategy_model, the_limit_holds)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    b.search.max_trials = 30;
    search_with(&o, &b, smooth, 100, 8, false);
    cr_assert(o.count == 30 && o.end == ATX_NO_MORE);
    bench_close(&b);
}

/* Where all are equal there is nothing to be gained; where one is best it has been found by then. */
Test(strategy_model, ends_by_itself_when_little_is_to_be_gained)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    b.search.worth = 0.005;
    search_with(&o, &b, all_equal, 4096, 4, false);
    cr_assert(o.end == ATX_BELOW_THRESHOLD && o.count < 80, "%d trials", o.count);
    search_with(&o, &b, smooth, 4096, 4, false);
    cr_assert(o.end == ATX_BELOW_THRESHOLD && o.count < 400, "%d trials", o.count);
    cr_assert_float_eq(o.best, 1, 1e-9);
    bench_close(&b);
}

/* A model that learns nothing hopes for something better behind every configuration. */
Test(strategy_model, ends_where_it_has_found_nothing_better_for_long)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    b.search.worth = 0.005;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int better = 0; /* the last trial that was by 0.3 % */
        double best = INFINITY;
        b.search.seed = seed;
        search_with(&o, &b, no_pattern, 4096, 4, false);
        cr_assert_eq(o.end, ATX_BELOW_THRESHOLD);
        for (int i = 0; i < o.count; i++) {
            double seconds = no_pattern(&b, o.order[i]).seconds;
            better = seconds < 0.997 * best ? i + 1 : better;
            best = fmin(best, seconds);
        }
        cr_assert_leq(o.count, better + better / 3 + 130, "seed %d: %d trials, the last better one was %d",
                      (int)seed, o.count, better);
    }
    bench_close(&b);
}

/* There is no reason to end before anything was right. */
Test(strategy_model, failures_alone_do_not_end_it)
{
    bench b;
    static outcome o;
    bench_open(&b, TILES, OTHER);
    b.search.worth = 0.005;
    search_with(&o, &b, all_fail, 4096, 4, false);
    cr_assert(o.count == b.search.total && o.end == ATX_NO_MORE);
    bench_close(&b);
}

/*
 * One that looked at all of them at each proposal would take hours, which the suite's limit ends. A sample of
 * them has no neighbour of the best: the search climbs, from a proposal to its neighbours.
 */
Test(strategy_model, finds_the_best_of_a_billion)
{
    bench b;
    outcome o;
    bench_open(&b, HUGE_SPACE, NULL);
    cr_assert_gt(b.search.total, 500000000);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        b.search.seed = seed;
        search_with(&o, &b, bowl, 180, 1, false);
        cr_assert_float_eq(o.best, 1, 1e-9, "seed %d: %g; a random sample of 300 has 1.35", (int)seed,
                           o.best);
        assert_distinct(&o, b.search.total);
    }
    bench_close(&b);
}
