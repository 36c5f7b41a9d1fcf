/* adopt_overload.c - which of several kernels of a name a launch is of: by the number and the types of its
 * arguments, by those of a template, and by namespaces. */
#include "exchange/adopt_host.h"

#include <limits.h>

enum { NEVER = -1000 };

/* The type of an argument, as far as it is known. */
typedef struct given {
    atx_draft_type type;
    int stars;
    bool known;
} given;

static given type_at(const atx_draft *d, size_t begin, size_t end)
{
    given g = { .known = true };
    size_t last = begin;
    while (last < end && !atx_tokens_is(&d->code, last, "*") && !atx_tokens_is(&d->code, last, "["))
        last++;
    for (size_t i = last; i < end; i++)
        g.stars += atx_tokens_is(&d->code, i, "*");
    atx_draft_type_of(&g.type, d, begin, last);
    g.known = (g.type.dtype || g.type.structure) && g.type.targ < 0;
    return g;
}

/* Of a name that is declared at token i: "float *a, *b" is of both. */
static given type_declared(const atx_draft *d, size_t i)
{
    static const char *const ENDS[] = { ";", "{", "}", "(", NULL };
    const atx_tokens *t = &d->code;
    size_t begin = i, stars = i;
    while (stars && atx_tokens_is(t, stars - 1, "*"))
        stars--;
    while (begin && !atx_token_is_one_of(t->text, &t->items[begin - 1], ENDS))
        begin--;
    if (!atx_tokens_is(t, stars - 1, ","))
        return type_at(d, begin, i);
    given g =
        type_at(d, begin, begin + 1 + atx_tokens_is(t, begin, "unsigned") + atx_tokens_is(t, begin, "const"));
    g.stars = (int)(i - stars);
    return g;
}

/* Of an argument of a launch: a name, or a cast. */
static given type_of(const atx_draft *d, const atx_host_launch *l, int k)
{
    const atx_tokens *t = &d->code;
    const size_t begin = l->args[k][0], end = l->args[k][1];
    const size_t close = atx_tokens_is(t, begin, "(") ? atx_tokens_match(t, begin) : end;
    const atx_draft_function *f = atx_host_function_around(d, l->at);
    const given unknown = { .known = false };
    size_t token;
    char name[ATX_MAX_WORD];
    if (close + 1 < end && atx_tokens_is(t, close - 1, "*") &&
        (atx_tokens_is_word(t, close + 1) || atx_tokens_is(t, close + 1, "(") ||
         atx_tokens_is(t, close + 1, "&")))
        return type_at(d, begin + 1, close);
    if (end != begin + 1 || !atx_tokens_is_word(t, begin) || !f)
        return unknown;
    if (atx_host_parameter(&token, d, f, begin) >= 0) {
        size_t from = token;
        while (from > f->open + 1 && atx_code_comma(t, from - 1, token) == token)
            from--;
        return type_at(d, from, token);
    }
    atx_draft_word(name, t, begin);
    token = atx_guards_declaration(t, f->body + 1, name, begin - 1);
    return token == SIZE_MAX || atx_tokens_is(t, token + 1, "[") ? unknown : type_declared(d, token);
}

static int compare(const given *is, const given *wanted)
{
    if (!is->known || !wanted->known)
        return is->known && wanted->stars != is->stars ? NEVER : 0;
    const bool same =
        is->type.structure == wanted->type.structure && is->type.lanes == wanted->type.lanes &&
        (is->type.structure ? is->type.body == wanted->type.body
                            : is->type.dtype == wanted->type.dtype ||
                                  (wanted->type.dtype && strcmp(is->type.dtype, wanted->type.dtype) == 0));
    if (is->stars != wanted->stars || (!same && wanted->stars))
        return NEVER;
    return same;
}

/* A launch with what all kernels of the name are compared with: the types of its arguments, and the
 * namespaces that it is in. */
typedef struct launched {
    const atx_host_launch *l;
    given args[ATX_HOST_ARGS];
    atx_str in;
} launched;

static int compare_arguments(const atx_draft *d, const atx_kernel_text *k, const launched *x)
{
    const atx_host_launch *l = x->l;
    const atx_tokens *t = &d->code;
    const size_t end = atx_tokens_match(t, k->open);
    int points = 0, n = 0;
    for (size_t at = k->open + 1, comma; at < end; at = comma + 1, n++) {
        comma = atx_code_comma(t, at, end);
        const size_t preset = atx_tokens_find(t, at, comma, "=");
        if (n >= l->arg_count) {
            points += preset < comma ? 0 : NEVER;
            continue;
        }
        if (!x->args[n].known)
            continue;
        size_t name = preset;
        while (name > at && !atx_tokens_is_word(t, name - 1))
            name--;
        given wanted = type_at(d, at, name > at ? name - 1 : at);
        wanted.stars += atx_tokens_is(t, name, "[");
        points += compare(&x->args[n], &wanted);
    }
    return n < l->arg_count ? NEVER : points;
}

/* More for the namespace that the launch names, or is in. */
static int compare_namespaces(const atx_draft *d, const atx_kernel_text *k, const launched *x)
{
    const atx_host_launch *l = x->l;
    const atx_tokens *t = &d->code;
    atx_str of = { 0 };
    atx_draft_namespaces(&of, d, k->name, "::");
    const char *inner = atx_str_text(&of), *outer = atx_str_text(&x->in);
    int points = strncmp(outer, inner, strlen(inner)) == 0 ? 1 + (int)strlen(inner) : 0;
    if (l->at > 2 && atx_tokens_is(t, l->at - 1, "::") && atx_tokens_is_word(t, l->at - 2)) {
        char word[ATX_MAX_WORD];
        atx_draft_word(word, t, l->at - 2);
        points = atx_draft_names_word(inner, word) ? 1 : NEVER;
    }
    atx_str_clear(&of);
    return points;
}

/* How well a kernel fits. Namespaces take a scan of the file: not where they cannot make it more than
 * `least`.
 */
static int fit(const atx_draft *d, const atx_kernel_text *k, const launched *x, int least)
{
    const bool is_template = atx_tokens_is(&d->code, k->head, "template");
    if (x->l->list < x->l->list_end && !is_template)
        return NEVER;
    const int points = x->l->arg_count < 0 ? 0 : compare_arguments(d, k, x);
    const int most = 1 + (int)strlen(atx_str_text(&x->in));
    return points + most <= least ? points : points + compare_namespaces(d, k, x);
}

bool atx_draft_is_of_kernel(const atx_draft *d, const atx_host_launch *l)
{
    launched x = { .l = l };
    atx_kernel_text k;
    if (d->overloads <= 1)
        return true;
    for (int i = 0; i < l->arg_count; i++)
        x.args[i] = type_of(d, l, i);
    atx_draft_namespaces(&x.in, d, l->at, "::");
    const int own = fit(d, &d->kernel_text, &x, INT_MIN);
    bool is = true;
    for (size_t at = 0; is && atx_code_kernel(&k, &d->code, &at);)
        is = k.name == d->kernel_text.name || !atx_tokens_is(&d->code, k.name, d->kernel) ||
             !atx_tokens_is(&d->code, atx_tokens_match(&d->code, k.open) + 1, "{") ||
             fit(d, &k, &x, own) <= own;
    atx_str_clear(&x.in);
    return is;
}
