/*
 * bench_verify.c - is a launch right? To verify, outputs begin wrong in every byte, so a byte that is not
 * written is wrong; the kernel runs once; then outputs are compared with the answer, inputs with what they
 * held, and the guard zones around both with theirs, all on the device. Launches that are timed are compared
 * as they are: their outputs held something else before.
 *
 * Invariant: a kernel is validated on undamaged data. `suspect` is set before each launch and cleared only
 * once everything was found right or has been renewed; while it is set, the next verification renews first.
 */
#include "runner/bench_internal.h"

#include <stdio.h>
#include <string.h>

atx_checked atx_bench_checked(const atx_bench *b, atx_sets sets, bool is_copy)
{
    const int answer = b->answer_of[sets.in];
    return (
        atx_checked){ .sets = sets, .is_copy = is_copy, .answer = answer ? &b->answers[answer - 1] : NULL };
}

/* Compares, and reports the findings. */
static at_status look(atx_seen *seen, atx_bench *b, const atx_checked *c, bool thorough, at_error *err)
{
    uint64_t found[ATX_FOUND_WORDS];
    ATX_TRY(atx_contents_compare(b, c, thorough, err));
    ATX_TRY(atx_gpu_read(b->gpu, found, b->found, sizeof found, err));
    return atx_verdict_describe(seen, b, found, c, err);
}

static void conclude(atx_seen *seen, atx_loaded *what, int set)
{
    what->checked++;
    seen->verdict.checked = what->checked;
    if (seen->right)
        return;
    seen->verdict.set = set;
    seen->verdict.launch = what->launches;
}

void atx_seen_name_launch(atx_seen *seen)
{
    const atx_verdict *v = &seen->verdict;
    const size_t len = strlen(seen->log);
    snprintf(seen->log + len, sizeof seen->log - len, "; launch %lld, %s, inputs %lld", (long long)v->launch,
             v->timed ? "one that was timed" : "to verify", (long long)v->set);
}

at_status atx_bench_verify(atx_seen *out, atx_bench *b, atx_loaded *what, at_error *err)
{
    atx_seen seen = { .right = true, .verdict = ATX_NO_VERDICT };
    at_status status = b->suspect ? atx_bench_renew(b, err) : AT_OK;
    ATX_THEN(status, atx_bench_fill_variables(b, what, err));
    if (status != AT_OK)
        return status;
    const atx_sets sets = { atx_bench_choose_inputs(b, what), atx_bench_random(b, b->sets) };
    const atx_checked c = atx_bench_checked(b, sets, what->is_copy);
    status = atx_contents_poison(b, &c, err);
    ATX_THEN(status, atx_gpu_timer_start(b->gpu, err));
    b->suspect = true;
    atx_bench_note(b, what, sets);
    ATX_THEN(status, atx_bench_launch(b, what, sets, err));
    ATX_THEN(status, atx_gpu_timer_stop(b->gpu, err));
    ATX_THEN(status, look(&seen, b, &c, true, err));
    ATX_THEN(status, atx_gpu_timer_read(&seen.seconds, b->gpu, err));
    if (status != AT_OK)
        return status;
    conclude(&seen, what, sets.in);
    if (!seen.right)
        atx_seen_name_launch(&seen);
    b->suspect = !seen.right;
    *out = seen;
    return status;
}

at_status atx_bench_compare(atx_seen *out, atx_bench *b, atx_loaded *what, atx_sets sets, bool thorough,
                            at_error *err)
{
    atx_seen seen = { .right = true, .verdict = ATX_NO_VERDICT };
    atx_checked c = atx_bench_checked(b, sets, what->is_copy);
    c.timed = true;
    ATX_TRY(atx_gpu_zero(b->gpu, b->found, ATX_FOUND_WORDS * 8, err));
    ATX_TRY(look(&seen, b, &c, thorough, err));
    conclude(&seen, what, sets.in);
    seen.verdict.timed = true;
    b->suspect = b->suspect || !seen.right;
    *out = seen;
    return AT_OK;
}
