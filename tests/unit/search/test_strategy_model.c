/* test_strategy_model.c - the strategy that learns, on spaces whose best configuration is known. */
#include "search/strategy.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OP[] = "/*!autotune\n"
                         "op        fill\n"
                         "shape     n\n"
                         "type      T = storage\n"
                         "arg       out T[n] output\n"
                         "reference fill_reference\n"
                         "grid      1\n"
                         "block     32\n"
                         "check     exact\n"
                         "traffic   n * sizeof(T)\n"
                         "*/\n"
                         "extern \"C\" __global__ void fill_reference(T *out) {}\n";

#define KERNEL(name) "*/\nextern \"C\" __global__ void fill_" name "(T *out) {}\n"

/* 8 x 6 x 4 x 4 x 2 less what the requirement refuses: 1376. */
static const char TILES[] = "/*!autotune\n"
                            "template  tiles\n"
                            "param     TILE   = 1 2 4 8 16 32 64 128\n"
                            "param     BLOCK  = 32 64 128 256 512 1024\n"
                            "param     VEC    = 1 2 4 8\n"
                            "param     UNROLL = 1..4\n"
                            "param     ORDER  = rows columns\n"
                            "require   TILE * VEC < 1024\n"
                            "grid      1\n"
                            "block     BLOCK\n" KERNEL("tiles");

static const char OTHER[] = "/*!autotune\n"
                            "template  other\n"
                            "param     BLOCK = 32 64 128 256 512 1024\n"
                            "param     DEPTH = 0..15\n"
                            "grid      1\n"
                            "block     BLOCK\n" KERNEL("other");

/* 64^5: more than 10^9. */
static const char HUGE_SPACE[] = "/*!autotune\n"
                                 "template  huge\n"
                                 "param     A = 1..64\n"
                                 "param     B = 1..64\n"
                                 "param     C = 1..64\n"
                                 "param     D = 1..64\n"
                                 "param     E = 1..64\n"
                                 "require   (A + B) % 2 == 0\n"
                                 "grid      1\n"
                                 "block     32\n" KERNEL("huge");

static const char SINGLE[] = "/*!autotune\n"
                             "template  single\n"
                             "param     A = 1\n"
                             "grid      1\n"
                             "block     32\n" KERNEL("single");

typedef struct bench {
    atx_op *op;
    atx_template *templates[2];
    atx_space *spaces[2];
    int64_t slots[ATX_MAX_SLOTS];
    atx_search search;
} bench;

static void bench_open(bench *b, const char *first, const char *second)
{
    const atx_limits limits = {
        .cc = 90, .sms = 132, .max_threads_per_block = 1024, .max_grid_x = 2147483647
    };
    const char *const texts[] = { first, second };
    int64_t n = 64;
    atx_problem problem;
    at_error err = { 0 };

    *b = (bench){ .op = NULL };
    cr_assert_eq(atx_op_read(&b->op, OP, sizeof OP - 1, "op.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, b->op, ATX_F32, &n, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(b->slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 2 && texts[i]; i++) {
        at_status status =
            atx_template_read(&b->templates[i], b->op, texts[i], strlen(texts[i]), "template.cu", &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        status = atx_space_open(&b->spaces[i], b->templates[i], b->slots, NULL, 0, &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        b->search.space_count++;
    }
    b->search.spaces = b->spaces;
    atx_search_count(&b->search);
    b->search.slots = b->slots;
    b->search.max_trials = b->search.total;
    b->search.seed = 1;
}

static void bench_close(bench *b)
{
    for (int i = 0; i < 2; i++) {
        atx_space_close(b->spaces[i]);
        atx_template_close(b->templates[i]);
    }
    atx_op_close(b->op);
}

/* ---- what trials come to ---- */

typedef atx_finding finding_of(const bench *b, int64_t index);

static atx_finding timed(double seconds)
{
    return (atx_finding){ .outcome = ATX_TIMED, .seconds = seconds, .resources = ATX_RESOURCES_UNKNOWN };
}

static double octaves(int64_t a, int64_t b)
{
    return fabs(log2((double)a / (double)b));
}

/* The best of `tiles` takes 1: TILE=32 BLOCK=256 VEC=4 UNROLL=2 ORDER=columns. Blocks suit tiles. */
static double tiles_time(const int64_t *v)
{
    return (1 + 0.3 * octaves(v[0], 32)) * (1 + 0.2 * octaves(v[1], v[0] * 8)) *
           (1 + 0.1 * octaves(v[2], 4)) * (1 + 0.05 * fabs((double)v[3] - 2)) * (v[4] == 1 ? 1 : 1.4);
}

/* The first template's configurations as above; of the second 1.5 at best, with BLOCK=512 DEPTH=7. */
static atx_finding smooth(const bench *b, int64_t index)
{
    atx_config config;
    int64_t count = atx_space_count(b->spaces[0]);
    if (index < count) {
        atx_space_config(&config, b->spaces[0], index);
        return timed(tiles_time(config.values));
    }
    atx_space_config(&config, b->spaces[1], index - count);
    return timed((1.5 + octaves(config.values[0], 512)) * (1 + 0.1 * fabs((double)config.values[1] - 7)));
}

/* The same, but nothing with blocks of 512 and more compiles, and wide accesses of wide tiles crash. */
static atx_finding failing(const bench *b, int64_t index)
{
    atx_config config;
    atx_space_config(&config, b->spaces[0], index);
    atx_finding f = timed(tiles_time(config.values));
    if (config.values[1] >= 512)
        f = (atx_finding){ .outcome = ATX_COMPILE_FAILED };
    if (config.values[2] * config.values[0] >= 256)
        f = (atx_finding){ .outcome = ATX_CRASHED };
    return f;
}

static atx_finding all_fail(const bench *b, int64_t index)
{
    (void)b, (void)index;
    return (atx_finding){ .outcome = ATX_WRONG_RESULT };
}

static bool at_random(int64_t index)
{
    return (uint64_t)(index + 1) * 0x9e3779b97f4a7c15u >> 63;
}

/* The tiles again, but of every second kernel, which no parameter tells, the compiler spills registers. */
static atx_finding spilling(const bench *b, int64_t index)
{
    atx_finding f = smooth(b, index);
    bool spills = at_random(index) && f.seconds > 1; /* not the best */
    f.seconds *= spills ? 3 : 1;
    f.resources = (atx_resources){ .registers = spills ? 255 : 64,
                                   .shared_bytes = 0,
                                   .stack_bytes = -1,
                                   .spill_bytes = -1,
                                   .local_bytes = spills ? 512 : 0 };
    return f;
}

static atx_finding spilling_unseen(const bench *b, int64_t index)
{
    atx_finding f = spilling(b, index);
    f.resources = ATX_RESOURCES_UNKNOWN;
    return f;
}

/* Wide accesses of wide tiles give wrong results, or crash: at random, so that some are always tried. */
static atx_finding wrong(const bench *b, int64_t index)
{
    atx_config config;
    atx_space_config(&config, b->spaces[0], index);
    bool fails = config.values[2] * config.values[0] >= 64 && at_random(index);
    return fails ? (atx_finding){ .outcome = ATX_WRONG_RESULT } : timed(tiles_time(config.values));
}

static atx_finding crashing(const bench *b, int64_t index)
{
    atx_finding f = wrong(b, index);
    f.outcome = f.outcome == ATX_TIMED ? ATX_TIMED : ATX_CRASHED;
    return f;
}

static atx_finding all_equal(const bench *b, int64_t index)
{
    (void)b, (void)index;
    return timed(1e-5);
}

/* A bowl with its bottom, 1, in one corner of five dimensions. */
static atx_finding bowl(const bench *b, int64_t index)
{
    static const double BOTTOM[] = { 40, 20, 50, 10, 33 };
    atx_config config;
    double sum = 0;
    atx_space_config(&config, b->spaces[0], index);
    for (int i = 0; i < 5; i++)
        sum += fabs((double)config.values[i] - BOTTOM[i]) / 64;
    return timed(1 + sum);
}

/* ---- a search ---- */

/*
 * How many seeds: what is claimed holds for each, and of sums for ten. Sanitizers look at the code, which is
 * the same for each seed, and make it slow.
 */
#ifdef AT_SANITIZED
enum { SEEDS = 2, SPILLS_PERCENT = 100 }; /* too few for more than a direction */
#else
enum { SEEDS = 10, SPILLS_PERCENT = 25 };
#endif

typedef struct outcome {
    int count;
    int64_t end, order[4096]; /* what propose said at the end; what was timed or failed */
    int proposed;
    double best; /* INFINITY: none was right                   */
} outcome;

/* Up to `max` trials with `lag` of them under way; the newest or the oldest is reported first. */
static void search_with(outcome *o, const bench *b, finding_of *find, int max, int lag, bool newest_first)
{
    void *state = NULL;
    int64_t pending[64];
    int waiting = 0;
    atx_search search = b->search;
    search.ahead = lag;
    *o = (outcome){ .best = INFINITY };
    cr_assert_eq(atx_strategy_model.open(&state, &search, NULL), AT_OK);
    for (;;) {
        o->end = ATX_NOT_YET;
        while (waiting < lag && o->count + waiting < max &&
               (o->end = atx_strategy_model.propose(state)) >= 0) {
            pending[waiting++] = o->end;
            o->proposed++;
        }
        if (!waiting)
            break;
        int64_t index = pending[newest_first ? waiting - 1 : 0];
        if (!newest_first)
            memmove(pending, pending + 1, (size_t)(waiting - 1) * sizeof *pending);
        waiting--;
        atx_finding f = find(b, index);
        if (f.outcome != ATX_COMPILE_FAILED && !atx_strategy_model.consider(state, index, &f.resources))
            continue;
        o->order[o->count++] = index;
        if (f.outcome == ATX_TIMED)
            o->best = fmin(o->best, f.seconds);
        atx_strategy_model.report(state, index, &f);
    }
    atx_strategy_model.close(state);
}

static void assert_distinct(const outcome *o, int64_t total)
{
    for (int i = 0; i < o->count; i++) {
        cr_assert(o->order[i] >= 0 && o->order[i] < total);
        for (int k = 0; k < i; k++)
            cr_assert_neq(o->order[i], o->order[k], "trials %d and %d", k, i);
    }
}

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

static int spills_of(const bench *b, const outcome *o)
{
    int spills = 0;
    for (int i = 40; i < o->count; i++)
        spills += spilling(b, o->order[i]).resources.local_bytes > 0;
    return spills;
}

/* What the compiler says of a kernel counts before any device time is spent on it. */
Test(strategy_model, kernels_that_spill_are_deferred)
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

/* With many under way, newer results show that some of them are not worth their time any more. */
Test(strategy_model, late_proposals_are_deferred_but_not_many)
{
    bench b;
    outcome o;
    bench_open(&b, TILES, OTHER);
    search_with(&o, &b, smooth, 120, 16, false);
    cr_assert(o.count == 120 && o.proposed > 120 && o.proposed <= 150, "%d timed of %d proposed", o.count,
              o.proposed);
    bench_close(&b);
}

Test(strategy_model, results_may_come_late_and_in_any_order)
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
Test(strategy_model, where_compiling_takes_long_all_compilers_work)
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

Test(strategy_model, every_device_has_a_proposal_and_the_next_one)
{
    cr_expect_eq(under_way_of(1, 1, 0), 1);
    for (int devices = 2; devices <= 8; devices++) {
        int count = under_way_of(devices, 2 * devices, 0);
        cr_expect(count >= 2 * devices, "%d devices: %d under way", devices, count);
    }
}

/* Their results come too late to learn from: more of them make a search longer, not shorter. */
Test(strategy_model, no_number_of_devices_has_hundreds_under_way)
{
    int count = under_way_of(64, 1000, 500);
    cr_expect(count >= 16 && count <= 40, "%d under way", count);
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

/* As the winner of a problem that ended when this search was open. */
Test(strategy_model, a_late_hint_comes_next_unless_it_was_proposed)
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
