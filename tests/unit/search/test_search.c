/* test_search.c - one index over several spaces, also where their sum is no number. */
#include "search/strategy.h"

#include "space_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char FOUR[] = "/*!autotune\ntemplate t\nparam A = 1 2 3 4\ndefault A=3\n"
                           "grid 1\nblock 1\n*/ mini_t";
static const char NONE[] =
    "/*!autotune\ntemplate t\nparam A = 1 2\nrequire A > 9\ngrid 1\nblock 1\n*/ mini_t";
static const char TEN[] = "/*!autotune\ntemplate t\nparam A = 1..10\ngrid 1\nblock 1\n*/ mini_t";

/* 10^`decades` configurations; its default is the last one. */
static const char *vast(int decades)
{
    static char source[2048];
    snprintf(source, sizeof source, "/*!autotune\ntemplate t\n");
    for (int i = 0; i < decades; i++)
        snprintf(source + strlen(source), 64, "param P%d = 1 2 3 4 5 6 7 8 9 10\n", i);
    strcat(source, "default");
    for (int i = 0; i < decades; i++)
        snprintf(source + strlen(source), 16, " P%d=10", i);
    return strcat(source, "\ngrid 1\nblock 1\n*/ mini_t");
}

enum { MOST = 4 };
typedef struct parts {
    fixture of[MOST];
    atx_space *spaces[MOST];
    atx_search search;
} parts;

static void parts_add(parts *p, const char *source)
{
    int i = p->search.space_count++;
    p->of[i] = open_space(source);
    p->spaces[i] = p->of[i].space;
    p->search.spaces = p->spaces;
    atx_search_count(&p->search);
    p->search.max_trials = p->search.total;
}

static void parts_close(parts *p)
{
    for (int i = 0; i < p->search.space_count; i++)
        close_space(&p->of[i]);
}

/* An index is some space's, and comes back from there. */
static void expect_round_trip(const atx_search *s, int64_t index)
{
    int which = -1;
    int64_t local = -1;
    atx_config config;
    const atx_space *space = atx_search_locate(s, index, &which, &local);
    cr_assert(space && space == s->spaces[which] && local >= 0 && local < atx_space_count(space));
    cr_assert_eq(atx_search_index(s, which, local), index);
    atx_space_config(&config, space, local);
    cr_assert_eq(atx_search_find(s, atx_space_template(space), &config), index);
}

static void expect_none(const atx_search *s, int64_t index)
{
    int which = 7;
    int64_t local = 7;
    cr_assert_null(atx_search_locate(s, index, &which, &local));
    cr_assert(which == 7 && local == 7, "outputs stay as they were");
}

Test(search, indices_run_through_all_spaces)
{
    parts p = { .search = { .seed = 1 } };
    atx_config config = { { 4 } };
    parts_add(&p, FOUR);
    parts_add(&p, NONE);
    parts_add(&p, TEN);
    cr_assert_eq(p.search.total, 14);
    for (int64_t i = 0; i < 14; i++)
        expect_round_trip(&p.search, i);
    expect_none(&p.search, -1);
    expect_none(&p.search, 14);
    cr_assert_eq(atx_search_index(&p.search, 2, 0), 4, "an empty space takes no index");
    cr_assert_eq(atx_search_index(&p.search, 2, -1), -1);
    cr_assert_eq(atx_search_find(&p.search, p.of[0].t, &config), 3);
    cr_assert_eq(atx_search_find(&p.search, p.of[2].t, &config), 7);
    cr_assert_eq(atx_search_find(&p.search, p.of[1].t, &config), -1, "not valid");
    cr_assert_eq(atx_search_find(&p.search, NULL, &config), -1, "no such template");
    cr_assert_eq(atx_search_default(&p.search, 0), 2);
    cr_assert_eq(atx_search_default(&p.search, 1), -1);
    cr_assert_eq(atx_search_default(&p.search, 2), 4);
    parts_close(&p);
}

Test(search, nothing_at_all)
{
    atx_search s = { .total = 5 };
    atx_search_count(&s);
    cr_assert_eq(s.total, 0);
    expect_none(&s, 0);
}

/* Of the second space only the beginning has indices, of the third nothing. */
Test(search, what_is_beyond_the_last_index_has_none)
{
    parts p = { .search = { .seed = 1 } };
    const int64_t each = 1000000000000000000;
    parts_add(&p, vast(18));
    cr_assert_eq(p.search.total, each);
    parts_add(&p, vast(19)); /* saturates by itself */
    parts_add(&p, TEN);
    cr_assert_eq(p.search.total, INT64_MAX);
    expect_round_trip(&p.search, 0);
    expect_round_trip(&p.search, each - 1);
    expect_round_trip(&p.search, each);
    expect_round_trip(&p.search, INT64_MAX - 1);
    expect_none(&p.search, INT64_MAX);
    cr_assert_eq(atx_search_index(&p.search, 1, INT64_MAX - each - 1), INT64_MAX - 1);
    cr_assert_eq(atx_search_index(&p.search, 1, INT64_MAX - each), -1);
    cr_assert_eq(atx_search_index(&p.search, 1, INT64_MAX), -1);
    cr_assert_eq(atx_search_index(&p.search, 2, 0), -1);
    cr_assert_eq(atx_search_default(&p.search, 0), each - 1);
    cr_assert_eq(atx_search_default(&p.search, 1), -1);
    cr_assert_eq(atx_search_default(&p.search, 2), -1);
    parts_close(&p);
}

/* Also near the last index: of a configuration there some neighbours have none. */
Test(search, strategies_propose_only_what_has_an_index)
{
    parts p = { .search = { .seed = 3 } };
    int64_t hints[] = { INT64_MAX - 1 };
    parts_add(&p, TEN);
    parts_add(&p, vast(18));
    parts_add(&p, vast(19));
    p.search.hints = hints;
    p.search.hint_count = 1;
    for (const atx_strategy *const *s = atx_strategies; *s; s++) {
        void *state = NULL;
        cr_assert_eq((*s)->open(&state, &p.search, NULL), AT_OK);
        for (int i = 0; i < 60; i++) {
            int64_t index = (*s)->propose(state);
            atx_finding finding = { .outcome = ATX_TIMED, .seconds = index == hints[0] ? 1e-6 : 2e-6 };
            if (index == ATX_BELOW_THRESHOLD)
                break;
            expect_round_trip(&p.search, index);
            (*s)->report(state, index, &finding);
        }
        (*s)->close(state);
    }
    parts_close(&p);
}
