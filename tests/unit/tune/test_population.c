/* test_population.c - which problems of a list are tuned: times follow a law that a model can learn. */
#include "model_support.h"

#include "tune/population.h"
#include "util/clock.h"

TestSuite(population, .init = begin, .fini = end);

#define SIDE  18
#define COUNT (SIDE * SIDE)

enum { LONG = 4000 };

static atx_problem problems[COUNT], long_list[LONG];

/* A grid of sizes: rows and columns, every second of which is a multiple of 32. */
static void make_problems(void)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    for (int i = 0; i < COUNT; i++) {
        const int64_t rows = 400 + 160 * (i / SIDE), cols = 512 + 160 * (i % SIDE) + i % 2;
        cr_assert_eq(atx_problem_init(&problems[i], op, ATX_F32, (int64_t[]){ rows, cols }, 2, &err), AT_OK);
    }
}

static atx_population *open_list(const atx_problem *list, size_t count, atx_population_plan plan)
{
    at_error err = { 0 };
    atx_population *p = NULL;
    const atx_population_of of = { .problems = list,
                                   .count = count,
                                   .catalog = w.catalog,
                                   .db = w.path,
                                   .target = { .name = "NVIDIA H200", .cc = 90, .sms = 132, .full = true },
                                   .alone = true };
    cr_assert_eq(atx_population_open(&p, &of, &plan, &err), AT_OK, "%s", err.text);
    return p;
}

static atx_population *open_with(atx_population_plan plan)
{
    make_problems();
    return open_list(problems, COUNT, plan);
}

static size_t next(atx_population *p)
{
    at_error err = { 0 };
    size_t place = 0;
    cr_assert_eq(atx_population_next(&place, p, &err), AT_OK, "%s", err.text);
    return place;
}

static double factors_apart(size_t a, size_t b)
{
    return fabs(log2((double)problems[a].dims[1] / (double)problems[b].dims[1])) +
           fabs(log2((double)problems[a].dims[2] / (double)problems[b].dims[2]));
}

/* Trials, and the winner that the law says. */
static void tune(size_t place)
{
    const int64_t rows = problems[place].dims[1], cols = problems[place].dims[2];
    char shape[64], config[128];
    put_law(rows, cols);
    snprintf(shape, sizeof shape, "%lldx%lld", (long long)rows, (long long)cols);
    snprintf(config, sizeof config, "%s BLOCK_ROWS=8 PAD=0 UNROLL=yes ORDER=in_fast", best_tile(cols));
    put(shape, "tile_rows", config, "NVIDIA H200");
}

Test(population, tunes_few_problems_where_few_tell_of_all)
{
    at_error err = { 0 };
    atx_population_loss loss;
    size_t tuned = 0, place;
    atx_population *p = open_with((atx_population_plan){ .within = 0.02 });
    for (; (place = next(p)) < COUNT; tuned++)
        tune(place);
    cr_assert(tuned >= 8 && tuned < COUNT / 4, "%zu", tuned);
    cr_assert_eq(atx_population_state(&loss, p, &err), AT_OK, "%s", err.text);
    cr_assert_eq(loss.tuned, tuned);
    cr_assert_eq(loss.others, COUNT - tuned);
    cr_assert_eq(loss.answered, loss.others);
    cr_assert(loss.mean >= 0 && loss.mean <= 0.03, "%g", loss.mean);
    cr_assert(loss.checked >= 1 && loss.checked < tuned, "%zu of %zu", loss.checked, tuned);
    cr_assert(loss.checked_mean >= 0 && loss.checked_mean <= loss.checked_most, "%g %g", loss.checked_mean,
              loss.checked_most);
    atx_population_close(p);
    p = open_with((atx_population_plan){ .within = 0.02 });
    cr_assert_eq(next(p), COUNT, "a second run knows what the first one has tuned");
    cr_assert_eq(atx_population_state(&loss, p, &err), AT_OK, "%s", err.text);
    cr_assert_eq(loss.tuned, tuned);
    cr_assert_eq(loss.answered, loss.others);
    atx_population_close(p);
}

Test(population, tunes_again_what_is_tuned_where_it_is_forced)
{
    make_problems();
    tune(9);
    at_error err = { 0 };
    atx_population *p = NULL;
    bool again = false;
    const atx_population_of of = { .problems = problems,
                                   .count = COUNT,
                                   .catalog = w.catalog,
                                   .db = w.path,
                                   .target = { .name = "NVIDIA H200", .cc = 90, .sms = 132, .full = true },
                                   .alone = true,
                                   .force = true };
    cr_assert_eq(atx_population_open(&p, &of, &(atx_population_plan){ .within = 0 }, &err), AT_OK);
    for (int i = 0; i < COUNT; i++)
        again |= next(p) == 9;
    cr_assert(again);
    atx_population_close(p);
}

/* While nothing is known: the first eight of a list are all neighbours. */
Test(population, spreads_the_first_problems_over_the_list)
{
    size_t chosen[8];
    atx_population *p = open_with((atx_population_plan){ .within = 0.02 });
    for (int i = 0; i < 8; i++) {
        chosen[i] = next(p);
        for (int k = 0; k < i; k++)
            cr_assert(factors_apart(chosen[i], chosen[k]) > 0.6, "%zu and %zu", chosen[i], chosen[k]);
    }
    atx_population_close(p);
}

Test(population, names_each_problem_once_and_then_none)
{
    bool seen[COUNT] = { false };
    atx_population *p = open_with((atx_population_plan){ .within = 0 });
    for (int i = 0; i < COUNT; i++) {
        const size_t place = next(p);
        cr_assert(place < COUNT && !seen[place], "%zu", place);
        seen[place] = true;
    }
    cr_assert_eq(next(p), COUNT);
    atx_population_close(p);
}

/* More are chosen between two samples than a sample has. */
Test(population, names_each_problem_of_a_long_list)
{
    at_error err = { 0 };
    static bool seen[LONG];
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    for (int i = 0; i < LONG; i++)
        cr_assert_eq(atx_problem_init(&long_list[i], op, ATX_F32, (int64_t[]){ 3000 + i, 64 }, 2, &err),
                     AT_OK);
    atx_population *p = open_list(long_list, LONG, (atx_population_plan){ .within = 0 });
    for (int i = 0; i < LONG; i++) {
        const size_t place = next(p);
        cr_assert(place < LONG && !seen[place], "the %d. is %zu", i + 1, place);
        seen[place] = true;
    }
    cr_assert_eq(next(p), (size_t)LONG);
    atx_population_close(p);
}

Test(population, begins_none_when_the_time_is_over)
{
    atx_population *p = open_with((atx_population_plan){ .until_s = atx_now_s() - 1 });
    cr_assert_eq(next(p), COUNT);
    atx_population_close(p);
}
