/* lookup_reason.c - the sentence that says why an answer is not exact, or why there is none. */
#include "lookup/lookup_parts.h"

#include "util/clock.h"
#include "util/str.h"

static void add_type(atx_str *out, const atx_problem *p)
{
    if (p->op->storage)
        atx_str_addf(out, "%d-byte elements", atx_dtype_bytes(p->type));
    else
        atx_str_addf(out, "%s elements", atx_dtype_name(p->type));
}

/* Why the winner `e` is not used for this problem. `cc` and `sms` as in atx_entry_fits. */
static void add_refusal(atx_str *out, atx_lookup *l, atx_entry *e, const atx_question *q, int64_t cc,
                        int64_t sms)
{
    at_error cause = { 0 };
    atx_str why = { 0 };
    if (atx_entry_usable(&why, l, e, q, &cause) == AT_ERR_NOT_FOUND)
        atx_str_add(out, atx_str_text(&why));
    else if (atx_entry_refusal(e, e->shipped ? NULL : l->store, l->catalog, q->problem, cc, sms, &cause) !=
             AT_OK)
        atx_str_add(out, cause.text);
    atx_str_clear(&why);
}

/* Why the answer is not exact, to stand before a semicolon. */
static void add_reason(atx_str *out, atx_lookup *l, const atx_question *q, const atx_near_found *here,
                       atx_match match)
{
    if (q->outdated) {
        atx_str_add(out, "this shape's winner is out of date: ");
        add_refusal(out, l, q->outdated, q, 0, 0);
    } else if (match == ATX_MATCH_NEAR) {
        atx_str_add(out, "this shape was not tuned");
    } else if (here->count) {
        atx_str_addf(out, "nothing that was tuned on %s fits this shape", q->device);
    } else {
        atx_str_addf(out, "nothing was tuned on %s", q->device);
    }
}

static void explain_none(atx_str *out, atx_lookup *l, const atx_question *q, const atx_near_found *here,
                         const atx_near_found *there)
{
    atx_str shape = { 0 };
    size_t count = here->count + there->count;
    size_t closest = here->count ? here->closest : there->closest;
    atx_problem_shape(&shape, q->problem);
    if (count) {
        atx_str_addf(out, "none of the %zu stored winners of %s for ", count, q->problem->op->name);
        add_type(out, q->problem);
        atx_str_addf(out, " fits this shape; the nearest, %s, does not because ",
                     l->index.entries[closest].answer.shape);
        add_refusal(out, l, &l->index.entries[closest], q, q->cc, q->sms);
    } else {
        atx_str_addf(out, "the store has no winner of %s for ", q->problem->op->name);
        add_type(out, q->problem);
        atx_str_addf(out, "; find one with: autotune tune %s %s %s --device 0", q->problem->op->name,
                     atx_str_text(&shape), atx_dtype_name(q->problem->type));
    }
    out->failed |= shape.failed;
    atx_str_clear(&shape);
}

static void add_own(atx_str *out, const atx_answer *trial, const atx_entry *winner)
{
    char here[32], there[32];
    atx_time_text(here, sizeof here, trial->winner.timing.median_s);
    if (winner->answer.invalid) {
        atx_str_addf(out, "; the configuration is its runner-up, the %s trial that is left: %s",
                     winner->op->objective ? "best" : "fastest", here);
        return;
    }
    atx_time_text(there, sizeof there, winner->answer.winner.timing.median_s);
    atx_str_addf(out,
                 "; the configuration is its runner-up, the %s trial whose template is the same: %s, "
                 "the winner took %s",
                 winner->op->objective ? "best" : "fastest", here, there);
}

void atx_lookup_reason(atx_str *out, atx_lookup *l, const atx_question *q, atx_match match,
                       const atx_near_found *here, const atx_near_found *there)
{
    const atx_near_found *from = match == ATX_MATCH_NEAR ? here : there;
    if (match == ATX_MATCH_NONE || (!from->runner_up && !l->index.entries)) {
        explain_none(out, l, q, here, there);
        return;
    }
    const atx_answer *a = from->runner_up ? &from->runner_up->answer : &l->index.entries[from->entry].answer;
    add_reason(out, l, q, here, match);
    if (from->own) {
        add_own(out, a, q->outdated);
        return;
    }
    atx_str_addf(out,
                 from->runner_up ? "; the configuration is the best trial of %s that fits"
                                 : "; the configuration is that of %s",
                 a->shape);
    if (match == ATX_MATCH_OTHER_DEVICE)
        atx_str_addf(out, " on %s", a->fingerprint.device);
}
