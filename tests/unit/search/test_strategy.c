/* test_strategy.c - how spaces are walked, and the permutation below. */
#include "search/strategy.h"
#include "util/permute.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the permutation ---- */

Test(permute, every_number_comes_exactly_once)
{
    static const uint64_t COUNTS[] = { 1, 2, 3, 4, 5, 7, 16, 17, 63, 64, 65, 1000, 4096, 4097, 100003 };
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            atx_permutation p = atx_permute(COUNTS[c], seed);
            char *seen = calloc(COUNTS[c], 1);
            for (uint64_t i = 0; i < COUNTS[c]; i++) {
                uint64_t number = atx_permute_at(&p, i);
                cr_assert(number < COUNTS[c] && !seen[number], "%lu of %lu", (unsigned long)i,
                          (unsigned long)COUNTS[c]);
                seen[number] = 1;
            }
            free(seen);
        }
    }
}

Test(permute, the_largest_count_works)
{
    atx_permutation p = atx_permute(INT64_MAX, 1);
    uint64_t a = atx_permute_at(&p, 0), b = atx_permute_at(&p, INT64_MAX - 1);
    cr_assert(a < INT64_MAX && b < INT64_MAX && a != b);
}

/* The first place holds each of five numbers a fifth of the time; chi-square, 4 degrees, 0.1 %: 18.5. */
Test(permute, places_are_fair)
{
    enum { COUNT = 5, SEEDS = 20000 };
    for (uint64_t place = 0; place < COUNT; place++) {
        int hits[COUNT] = { 0 };
        double chi = 0, expect = (double)SEEDS / COUNT;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            atx_permutation p = atx_permute(COUNT, seed);
            hits[atx_permute_at(&p, place)]++;
        }
        for (int i = 0; i < COUNT; i++)
            chi += (hits[i] - expect) * (hits[i] - expect) / expect;
        cr_assert_lt(chi, 18.5, "place %d: %g", (int)place, chi);
    }
}

/* An early part of the order is spread over the whole range: each tenth gets about a tenth. */
Test(permute, a_beginning_is_a_fair_sample)
{
    enum { COUNT = 1000000, TAKEN = 10000 };
    int hits[10] = { 0 };
    atx_permutation p = atx_permute(COUNT, 3);
    for (uint64_t i = 0; i < TAKEN; i++)
        hits[atx_permute_at(&p, i) * 10 / COUNT]++;
    for (int i = 0; i < 10; i++)
        cr_assert(hits[i] > 850 && hits[i] < 1150, "%d: %d", i, hits[i]);
}

/* ---- the strategies ---- */

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

/* Its default breaks a rule when n is odd. */
static const char WIDE[] = "/*!autotune\n"
                           "template  wide\n"
                           "param     A = 1 2 3 4 5 6 7 8 9 10\n"
                           "param     B = 1 2 3 4 5 6 7 8 9 10\n"
                           "require   n % 2 == 0 || B < 5\n"
                           "grid      1\n"
                           "block     32\n"
                           "default   A=3 B=7\n"
                           "*/\n"
                           "extern \"C\" __global__ void fill_wide(T *out) {}\n";

static const char SMALL[] = "/*!autotune\n"
                            "template  small\n"
                            "param     A = 1 2 3\n"
                            "grid      1\n"
                            "block     32\n"
                            "default   A=2\n"
                            "*/\n"
                            "extern \"C\" __global__ void fill_small(T *out) {}\n";

/* Nothing is valid. */
static const char EMPTY[] = "/*!autotune\n"
                            "template  empty\n"
                            "param     A = 1 2 3\n"
                            "require   A > n * 1000\n"
                            "grid      1\n"
                            "block     32\n"
                            "*/\n"
                            "extern \"C\" __global__ void fill_empty(T *out) {}\n";

typedef struct bench {
    atx_op *op;
    atx_template *templates[3];
    atx_space *spaces[3];
    atx_search search;
} bench;

/* Templates wide, empty, small for `n` elements. */
static bench bench_open(int64_t n)
{
    static const char *const TEXTS[] = { WIDE, EMPTY, SMALL };
    const atx_limits limits = {
        .cc = 90, .sms = 132, .max_threads_per_block = 1024, .max_grid_x = 2147483647
    };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_problem problem;
    at_error err = { 0 };
    bench b = { 0 };

    cr_assert_eq(atx_op_read(&b.op, OP, sizeof OP - 1, "op.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, b.op, ATX_F32, &n, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 3; i++) {
        at_status status =
            atx_template_read(&b.templates[i], b.op, TEXTS[i], strlen(TEXTS[i]), "template.cu", &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        status = atx_space_open(&b.spaces[i], b.templates[i], slots, NULL, 0, &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        b.search.total += atx_space_count(b.spaces[i]);
    }
    b.search.space_count = 3;
    b.search.max_trials = b.search.total;
    b.search.seed = 1;
    return b;
}

static void bench_close(bench *b)
{
    for (int i = 0; i < 3; i++) {
        atx_space_close(b->spaces[i]);
        atx_template_close(b->templates[i]);
    }
    atx_op_close(b->op);
}

/* All proposals, up to `max`; returns how many. */
static int walk(int64_t *out, int max, const bench *b, const atx_strategy *strategy, uint64_t seed,
                int64_t max_trials)
{
    void *state = NULL;
    int count = 0;
    atx_search search = b->search;
    search.spaces = b->spaces;
    search.seed = seed;
    search.max_trials = max_trials;
    cr_assert_eq(strategy->open(&state, &search, NULL), AT_OK);
    for (int64_t index; count < max && (index = strategy->propose(state)) >= 0; count++) {
        out[count] = index;
        strategy->report(state, index,
                         &(atx_finding){ .outcome = index % 3 ? ATX_TIMED : ATX_CRASHED, .seconds = 1e-6 });
    }
    cr_assert(count == max || strategy->propose(state) == ATX_NO_MORE); /* still over */
    strategy->close(state);
    return count;
}

Test(strategy, all_are_listed_and_found)
{
    int count = 0;
    for (const atx_strategy *const *s = atx_strategies; *s; s++, count++) {
        cr_assert_eq(atx_strategy_find((*s)->name), *s);
        cr_assert((*s)->about[0] && (*s)->open && (*s)->propose && (*s)->report && (*s)->close);
    }
    cr_assert_geq(count, 2);
    cr_assert_eq(atx_strategy_find("exhaustive"), &atx_strategy_exhaustive);
    cr_assert_null(atx_strategy_find("no such"));
    cr_assert_null(atx_strategy_find(""));
}

Test(strategy, exhaustive_and_random_propose_everything_once)
{
    static const atx_strategy *const BOTH[] = { &atx_strategy_exhaustive, &atx_strategy_random };
    bench b = bench_open(64);
    cr_assert_eq(b.search.total, 103);
    for (int k = 0; k < 2; k++) {
        int64_t order[200];
        bool seen[103] = { false };
        cr_assert_eq(walk(order, 200, &b, BOTH[k], 9, 103), 103);
        for (int i = 0; i < 103; i++) {
            cr_assert(order[i] >= 0 && order[i] < 103 && !seen[order[i]], "%s", BOTH[k]->name);
            seen[order[i]] = true;
        }
    }
    bench_close(&b);
}

Test(strategy, exhaustive_begins_with_the_defaults)
{
    bench b = bench_open(64);
    int64_t order[2];
    atx_config config;
    cr_assert_eq(walk(order, 2, &b, &atx_strategy_exhaustive, 4, 103), 2);
    atx_space_config(&config, b.spaces[0], order[0]);
    cr_assert(config.values[0] == 3 && config.values[1] == 7);
    atx_space_config(&config, b.spaces[2], order[1] - 100);
    cr_assert_eq(config.values[0], 2);
    bench_close(&b);
}

Test(strategy, a_default_that_breaks_a_rule_is_passed_over)
{
    bench b = bench_open(63);
    int64_t order[100];
    atx_config config;
    cr_assert_eq(b.search.total, 43);
    cr_assert_eq(walk(order, 100, &b, &atx_strategy_exhaustive, 4, 43), 43);
    atx_space_config(&config, b.spaces[2], order[0] - 40);
    cr_assert_eq(config.values[0], 2);
    bench_close(&b);
}

Test(strategy, seeds_repeat_and_differ)
{
    static const atx_strategy *const BOTH[] = { &atx_strategy_exhaustive, &atx_strategy_random };
    bench b = bench_open(64);
    for (int k = 0; k < 2; k++) {
        int64_t first[103], same[103], other[103];
        walk(first, 103, &b, BOTH[k], 7, 103);
        walk(same, 103, &b, BOTH[k], 7, 103);
        walk(other, 103, &b, BOTH[k], 8, 103);
        cr_assert(memcmp(first, same, sizeof first) == 0);
        cr_assert(memcmp(first, other, sizeof first) != 0);
    }
    bench_close(&b);
}

Test(strategy, the_limit_of_trials_holds)
{
    static const atx_strategy *const BOTH[] = { &atx_strategy_exhaustive, &atx_strategy_random };
    static const struct {
        int64_t limit;
        int count;
    } CASES[] = { { 0, 0 }, { 1, 1 }, { 10, 10 }, { 102, 102 }, { 103, 103 }, { 1000, 103 } };
    bench b = bench_open(64);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
            int64_t order[200];
            cr_assert_eq(walk(order, 200, &b, BOTH[k], 1, CASES[i].limit), CASES[i].count);
        }
    bench_close(&b);
}

Test(strategy, an_empty_search_ends_at_once)
{
    bench b = bench_open(64);
    atx_search nothing = { .spaces = &b.spaces[1], .space_count = 1 };
    for (const atx_strategy *const *s = atx_strategies; *s; s++) {
        void *state = NULL;
        cr_assert_eq((*s)->open(&state, &nothing, NULL), AT_OK);
        cr_assert_eq((*s)->propose(state), ATX_NO_MORE);
        (*s)->close(state);
    }
    bench_close(&b);
}
