/* test_outcome.c - what becomes of candidates: counted once, and one that fails later is no candidate any
 * more. */
#include "store_support.h"
#include "tune/search_run_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(outcome);

static void ignore(void *state, int64_t index, const atx_finding *finding)
{
    (void)state, (void)index, (void)finding;
}

static const atx_strategy STRATEGY = { .name = "stub", .report = ignore };

/* A search over copies, which are compared by time: three candidates of 3, 1 and 2 us. */
typedef struct search_run {
    atx_env env;
    atx_search_run c;
    atx_candidate a[3];
    atx_candidate *list[3];
    atx_template t;
} search_run;

static void begin(search_run *r)
{
    static const double TIMES[] = { 3e-6, 1e-6, 2e-6 };
    static char *const TEXTS[] = { (char *)"N=3", (char *)"N=1", (char *)"N=2" };
    *r = (search_run){ .env = { .store = memory_ok(), .fingerprint = H200 } };
    snprintf(r->t.name, sizeof r->t.name, "mine");
    snprintf(r->t.text.hash, sizeof r->t.text.hash, "of mine");
    r->c = (atx_search_run){ .env = &r->env,
                             .is_copy = true,
                             .key = KEY,
                             .proposals.strategy = &STRATEGY,
                             .candidates.candidates = r->list,
                             .candidates.candidate_count = 3,
                             .account.tally.converged = true };
    for (int i = 0; i < 3; i++) {
        r->list[i] = &r->a[i];
        r->a[i] = (atx_candidate){ .t = &r->t, .text = TEXTS[i], .build = { .ok = true } };
        r->a[i].m = (atx_measured){ .outcome = ATX_TIMED, .timing = { TIMES[i], TIMES[i], 0, 7, 0 } };
        atx_search_run_decide(&r->c, &r->a[i]);
    }
}

static void end(search_run *r)
{
    atx_store_close(r->env.store);
}

static void invalidate(search_run *r, int i, atx_outcome outcome)
{
    at_error err = { 0 };
    cr_assert_eq(atx_search_run_invalidate(&r->c, &r->a[i], outcome, "it is wrong", &err), AT_OK, "%s",
                 err.text);
}

Test(outcome, the_best_is_that_of_those_that_are_left)
{
    search_run r;
    begin(&r);
    cr_assert_eq(r.c.account.tally.best, &r.a[1]);
    invalidate(&r, 1, ATX_WRONG_RESULT);
    cr_assert_eq(r.c.account.tally.best, &r.a[2]);
    invalidate(&r, 2, ATX_CRASHED);
    cr_assert_eq(r.c.account.tally.best, &r.a[0]);
    invalidate(&r, 0, ATX_TIMED_OUT);
    cr_assert_null(r.c.account.tally.best);
    end(&r);
}

/* Counts are shown, and stored with the winner. */
Test(outcome, a_candidate_is_counted_once_whatever_becomes_of_it)
{
    search_run r;
    begin(&r);
    invalidate(&r, 1, ATX_WRONG_RESULT);
    const atx_search_run_count *t = &r.c.account.tally;
    cr_assert(t->decided == 3 && t->failed == 1 && t->outcomes[ATX_TIMED] == 2 &&
              t->outcomes[ATX_WRONG_RESULT] == 1);
    atx_candidate never = { .t = &r.t, .text = (char *)"N=9", .build = { .ok = true } };
    at_error err = { 0 };
    cr_assert_eq(atx_search_run_invalidate(&r.c, &never, ATX_WRONG_RESULT, "", &err), AT_OK);
    cr_assert(t->decided == 4 && t->failed == 2 && t->outcomes[ATX_TIMED] == 2 &&
              t->outcomes[ATX_WRONG_RESULT] == 2);
    end(&r);
}

/* It ended because nothing was expected to beat what turns out to be wrong. */
Test(outcome, a_search_that_ended_by_itself_has_not_when_its_best_is_wrong)
{
    search_run r;
    begin(&r);
    invalidate(&r, 1, ATX_WRONG_RESULT);
    cr_assert_not(r.c.account.tally.converged);
    end(&r);
}

/* ---- who is measured again ---- */

static int leaders_of(search_run *r, atx_candidate **out, int max, double within)
{
    at_error err = { 0 };
    int count = 0;
    for (int i = 0; i < 3; i++) /* a loser's kernel would be built again */
        r->a[i].build.done = r->a[i].build.ok = true;
    cr_assert_eq(atx_search_run_leaders(&r->c, out, &count, max, within, &err), AT_OK, "%s", err.text);
    return count;
}

Test(outcome, leaders_are_the_best_first_as_far_as_they_are_close)
{
    search_run r;
    atx_candidate *out[3];
    begin(&r);
    cr_assert_eq(leaders_of(&r, out, 3, 0.5), 1);
    cr_assert_eq(out[0], &r.a[1]);
    cr_assert_eq(leaders_of(&r, out, 3, 1.5), 2);
    cr_assert(out[0] == &r.a[1] && out[1] == &r.a[2]);
    cr_assert_eq(leaders_of(&r, out, 2, 5), 2, "not more than are asked for");
    end(&r);
}

Test(outcome, what_failed_leads_nothing_and_closeness_goes_by_the_best_that_is_left)
{
    search_run r;
    atx_candidate *out[3];
    begin(&r);
    invalidate(&r, 1, ATX_WRONG_RESULT);
    cr_assert_eq(leaders_of(&r, out, 3, 0.6), 2);
    cr_assert(out[0] == &r.a[2] && out[1] == &r.a[0]);
    invalidate(&r, 2, ATX_CRASHED);
    invalidate(&r, 0, ATX_CRASHED);
    cr_assert_eq(leaders_of(&r, out, 3, 5), 0);
    end(&r);
}

/* What another program is told of a search without a winner. */
Test(outcome, the_first_that_failed_with_words_of_why_tells_for_all)
{
    search_run r;
    begin(&r);
    cr_assert_null(atx_search_run_failure(&r.c));
    r.a[1].m.verdict = (atx_verdict){ .checked = 3, .buffer = "y", .element = 5 };
    invalidate(&r, 1, ATX_WRONG_RESULT);
    invalidate(&r, 2, ATX_CRASHED);
    const atx_candidate *failure = atx_search_run_failure(&r.c);
    cr_assert_eq(failure, &r.a[1]);
    cr_assert(failure->m.verdict.checked == 3 && failure->m.verdict.element == 5);
    end(&r);
}

Test(outcome, it_is_stored_at_once)
{
    search_run r;
    begin(&r);
    invalidate(&r, 1, ATX_WRONG_RESULT);
    cr_assert(r.a[1].stored && !isfinite(r.a[1].score));
    cr_assert_str_eq(scalar(r.env.store, "SELECT template || ' ' || config || ' ' || outcome || ': ' || log "
                                         "FROM trials_all")
                         .text,
                     "mine N=1 wrong_result: it is wrong");
    end(&r);
}
