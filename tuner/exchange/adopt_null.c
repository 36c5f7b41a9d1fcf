/* adopt_null.c - pointers that the host passes as null, by itself or through all calls of the function that
 * launches: no buffers, but the number 0. */
#include "exchange/adopt_host.h"

enum { MOST_DEPTH = 4 };

static bool is_cast_word(const atx_tokens *t, size_t i)
{
    static const char *const CASTS[] = { "static_cast", "reinterpret_cast", "const_cast", NULL };
    return atx_token_is_one_of(t->text, &t->items[i], CASTS);
}

/* Without casts: (float *)0, static_cast<float *>(nullptr). */
static atx_span without_casts(const atx_tokens *t, atx_span span)
{
    while (span.begin + 1 < span.end) {
        const size_t close = atx_tokens_match(t, span.begin);
        const bool bracket = atx_tokens_is(t, span.begin, "(");
        if (bracket && close + 1 == span.end)
            span = (atx_span){ span.begin + 1, close };
        else if (bracket && close < span.end)
            span.begin = close + 1;
        else if (is_cast_word(t, span.begin) && atx_tokens_match(t, span.begin + 1) < span.end)
            span.begin = atx_tokens_match(t, span.begin + 1) + 1;
        else
            break;
    }
    return span;
}

static bool is_null_word(const atx_tokens *t, atx_span span)
{
    static const char *const NULLS[] = { "nullptr", "NULL", "0", NULL };
    const atx_span bare = without_casts(t, span);
    return bare.end == bare.begin + 1 && atx_token_is_one_of(t->text, &t->items[bare.begin], NULLS);
}

atx_span atx_draft_not_null(const atx_tokens *t, atx_span span)
{
    const size_t ask = atx_tokens_find(t, span.begin, span.end, "?");
    const size_t colon = atx_tokens_find(t, ask, span.end, ":");
    if (colon >= span.end)
        return span;
    const atx_span yes = { ask + 1, colon }, no = { colon + 1, span.end };
    return is_null_word(t, yes) ? no : is_null_word(t, no) ? yes : span;
}

/* Whether a local name is null from its declaration on: nothing else is done with it before the launch, nor
 * behind it for the next iteration: float *last = nullptr; for (...) { k<<<1, 1>>>(last, y); last = y; } */
static bool is_local_null(const atx_draft *d, const atx_draft_function *f, size_t name)
{
    const atx_tokens *t = &d->code;
    char word[ATX_MAX_WORD];
    atx_draft_word(word, t, name);
    const size_t declared = atx_guards_declaration(t, f->body + 1, word, name - 1);
    if (declared == SIZE_MAX || !atx_tokens_is(t, declared + 1, "=") ||
        !(atx_tokens_is(t, declared + 2, "nullptr") || atx_tokens_is(t, declared + 2, "NULL")))
        return false;
    for (size_t i = declared + 1; i < name; i++)
        if (atx_code_same(t, i, declared))
            return false;
    return atx_guards_loop(t, f->body + 1, name) == SIZE_MAX || !atx_guards_given(t, declared, name, f->end);
}

static bool is_null(const atx_draft *d, const atx_draft_function *f, atx_span span, int depth)
{
    const atx_tokens *t = &d->code;
    const atx_span bare = without_casts(t, span);
    if (bare.end != bare.begin + 1 || depth > MOST_DEPTH)
        return false;
    if (is_null_word(t, bare))
        return true;
    if (!f || !atx_tokens_is_word(t, bare.begin))
        return false;
    size_t token, at = 0;
    bool any = false;
    const int n = atx_host_parameter(&token, d, f, bare.begin);
    atx_host_frame outside;
    if (n < 0)
        return is_local_null(d, f, bare.begin);
    while (atx_host_next_call(&outside, d, f, &at)) {
        if (!is_null(d, outside.f, atx_host_nth(t, outside.open, n), depth + 1))
            return false;
        any = true;
    }
    return any;
}

/* Whether the kernel asks if it is null, or reads nothing of it by itself. */
static bool may_be_null(const atx_draft *d, const atx_draft_arg *a)
{
    static const char *const AFTER[] = { "!=", "==", "?", "&&", "||", ")", NULL };
    static const char *const BEFORE[] = { "if", "while", NULL }, *const JOINS[] = { "&&", "||", "!", NULL };
    const atx_tokens *t = &d->code;
    bool reads = false;
    for (size_t i = atx_tokens_match(t, d->kernel_text.open) + 1; i < d->body_end; i++) {
        if (!atx_code_same(t, i, a->token) || atx_guards_member(t, i))
            continue;
        const bool joined =
            atx_token_is_one_of(t->text, &t->items[i - 1], JOINS) ||
            (atx_tokens_is(t, i - 1, "(") && atx_token_is_one_of(t->text, &t->items[i - 2], BEFORE));
        const bool ends = atx_token_is_one_of(t->text, &t->items[i + 1], AFTER);
        if (ends && (joined || !atx_tokens_is(t, i + 1, ")")))
            return true;
        reads = reads || atx_tokens_is(t, i + 1, "[") || atx_tokens_is(t, i - 1, "*");
    }
    return !reads;
}

void atx_draft_nulls(atx_draft *d)
{
    const atx_draft_function *f = d->launched ? atx_host_function_around(d, d->launch.at) : NULL;
    int written = 0;
    for (int k = 0; k < d->arg_count; k++)
        written += d->args[k].stars && d->args[k].written;
    for (int k = 0; k < d->arg_count && k < d->launch.arg_count && d->launched; k++) {
        atx_draft_arg *a = &d->args[k];
        if (!a->stars || a->field || (a->written && written == 1) || !may_be_null(d, a) ||
            !is_null(d, f, (atx_span){ d->launch.args[k][0], d->launch.args[k][1] }, 0))
            continue;
        written -= a->written;
        a->null = true;
        a->stars = a->structure = 0;
        a->type = (atx_draft_type){ .dtype = "i64", .lanes = 1, .targ = -1 };
        memcpy(a->value, "0", 2);
    }
}
