/* adopt_find_launch.c - which of the file's launches of a kernel says most, also through variables and
 * parameters of functions. */
#include "exchange/adopt_host.h"

/* ---- components ---- */

/* Whether the name at token i is a dim3 that a function around it is given: nobody knows its parts. */
static bool is_given_dim3(const atx_draft *d, size_t i)
{
    const atx_draft_function *f = atx_host_function_around(d, i);
    size_t token;
    if (!f || atx_host_parameter(&token, d, f, i) < 0)
        return false;
    while (token > f->open && !atx_tokens_is(&d->code, token, ",") && !atx_tokens_is(&d->code, token, "dim3"))
        token--;
    return atx_tokens_is(&d->code, token, "dim3");
}

static bool has_members(const atx_draft *d, const char *name)
{
    atx_span value;
    for (int k = 0; k < 3; k++)
        if (atx_draft_member(&value, d, name, (char)('x' + k), d->launch.at) != ATX_DRAFT_NEVER)
            return true;
    return false;
}

/* "dim3 NAME(...)" or "NAME = dim3(...)", whose value begins at token i. */
static bool begins_dim3(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, atx_draft_declared_type(t, i - 2), "dim3") || atx_tokens_is(t, i, "dim3");
}

/* Whether the bracket at token `open` has one name alone, of a dim3: dim3(grid) is a copy of it. */
static bool is_copy(const atx_draft *d, size_t open)
{
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    atx_span value;
    if (atx_tokens_match(t, open) != open + 2 || !atx_tokens_is_word(t, open + 1))
        return false;
    atx_draft_word(name, t, open + 1);
    return !atx_draft_find_macro(d, name) &&
           (is_given_dim3(d, open + 1) || has_members(d, name) ||
            (atx_draft_definition(&value, d, name, d->launch.at) && begins_dim3(t, value.begin)));
}

bool atx_draft_component(atx_span *out, const atx_draft *d, atx_span from, int k)
{
    const atx_tokens *t = &d->code;
    atx_span value = from;
    for (int depth = 0; depth < 8 && value.begin < value.end; depth++) {
        size_t open = SIZE_MAX;
        if (atx_tokens_is(t, value.begin, "dim3") &&
            (atx_tokens_is(t, value.begin + 1, "(") || atx_tokens_is(t, value.begin + 1, "{")) &&
            atx_tokens_match(t, value.begin + 1) + 1 == value.end)
            open = value.begin + 1;
        else if (atx_tokens_is(t, value.begin, "{") && atx_tokens_match(t, value.begin) + 1 == value.end)
            open = value.begin;
        else if (depth && value.begin >= 2 &&
                 (atx_tokens_is(t, value.begin - 1, "(") || atx_tokens_is(t, value.begin - 1, "{")))
            open = value.begin - 1; /* dim3 name(a, b) */
        if (open != SIZE_MAX && is_copy(d, open)) {
            value = (atx_span){ open + 1, open + 2 };
            open = SIZE_MAX;
        }
        if (open != SIZE_MAX) {
            size_t at = open + 1;
            const size_t end = atx_tokens_match(t, open);
            for (int n = k; n > 0 && at < end; n--)
                at = atx_code_comma(t, at, end) + 1;
            *out = at < end ? (atx_span){ at, atx_code_comma(t, at, end) } : (atx_span){ 0, 0 };
            return true;
        }
        char name[ATX_MAX_WORD];
        atx_span next;
        atx_draft_word(name, t, value.begin);
        const bool one = value.end == value.begin + 1 && atx_tokens_is_word(t, value.begin);
        const atx_draft_set set =
            one ? atx_draft_member(out, d, name, (char)('x' + k), d->launch.at) : ATX_DRAFT_NEVER;
        if (set != ATX_DRAFT_NEVER)
            return set == ATX_DRAFT_SET;
        if (one && is_given_dim3(d, value.begin))
            return false;
        if (!one || atx_draft_find_macro(d, name) || !atx_draft_definition(&next, d, name, d->launch.at)) {
            *out = (atx_span){ 0, 0 };
            if (one && has_members(d, name)) /* dim3 grid; grid.y = n; the others are 1 */
                return true;
            break;
        }
        /* "int blocks = ...", no dim3: the component is its name */
        if (!begins_dim3(t, next.begin))
            break;
        value = next;
    }
    *out = k ? (atx_span){ 0, 0 } : value;
    return value.begin < value.end;
}

/* ---- which launch ---- */

/* The number of threads in x that a launch has as a number or a name of one; 0: not known, or of several,
 * such as BM * BN / TM, which is equal to one of these by chance. */
static long block_of(atx_draft *d, const atx_host_launch *l)
{
    enum { MOST_NAMES = 4 };
    const atx_host_launch before = d->launch;
    char name[ATX_MAX_WORD];
    atx_span part = { 0, 0 };
    long value = 0;
    d->launch = *l; /* definitions are those before it */
    if (atx_draft_component(&part, d, (atx_span){ l->config[1][0], l->config[1][1] }, 0))
        for (int i = 0; i < MOST_NAMES && part.end == part.begin + 1; i++) {
            atx_draft_word(name, &d->code, part.begin);
            if (!name[0] || !atx_draft_definition(&part, d, name, l->at))
                break;
        }
    if (part.end != part.begin + 1 || !atx_draft_number(&value, d, &d->code, part))
        value = 0;
    d->launch = before;
    return value;
}

/* How much of a launch can be understood: the arguments of its template, of which one may be its block. */
static int score(atx_draft *d, const atx_host_launch *l)
{
    const atx_host_launch before = d->launch;
    int points = 0;
    long value;
    const long block = l->list < l->list_end && l->config_count > 1 ? block_of(d, l) : 0;
    d->launch = *l; /* definitions are those before it */
    for (size_t at = l->list; at < l->list_end;) {
        const size_t comma = atx_code_comma(&d->code, at, l->list_end);
        const bool number = atx_draft_number(&value, d, &d->code, (atx_span){ at, comma });
        points += number + (number && value == block);
        at = comma + 1;
    }
    for (int k = 0; k < 2 && k < l->config_count; k++) /* one block is the last step of something */
        points += atx_draft_number(&value, d, &d->code, (atx_span){ l->config[k][0], l->config[k][1] }) &&
                  (k || value > 1);
    points += l->arg_count == d->arg_count;
    points *= ATX_HOST_ARGS + 1;
    for (int k = 0; k < l->arg_count; k++) { /* k<<<grid, block>>>(x, 1, 1) warms up, nulls are left out */
        const atx_token *first = &d->code.items[l->args[k][0]];
        points += !(l->args[k][1] == l->args[k][0] + 1 &&
                    (first->kind == ATX_TOKEN_NUMBER || atx_token_is(d->code.text, first, "NULL") ||
                     atx_token_is(d->code.text, first, "nullptr")));
    }
    d->launch = before;
    return points;
}

/* Takes a launch of what is called `name`, between tokens begin and end, that says more than the one it has.
 */
static void take_launches(atx_draft *d, const char *name, size_t begin, size_t end, int *best)
{
    atx_host_launch one;
    for (size_t at = begin; at < end && atx_host_launch_next(&one, &d->code, name, &at);)
        if (one.config_count >= 2 && one.at < end &&
            (d->wanted_launch ? one.at == d->wanted_launch
                              : score(d, &one) > *best && atx_draft_is_of_kernel(d, &one))) {
            *best = score(d, &one);
            d->launch = one;
            d->launched = true;
        }
}

/* ---- through a variable ---- */

/* The pointer to a function that is given what begins at token i: f = &k; void (*f)(int) = k. 0: none is. */
static size_t find_pointer(const atx_tokens *t, size_t i)
{
    const size_t sign = i - 1 - atx_tokens_is(t, i - 1, "&");
    if (i < 6 || !atx_tokens_is(t, sign, "="))
        return 0;
    const size_t open = atx_tokens_is(t, sign - 1, ")") ? t->items[sign - 1].pair : 0;
    const size_t name = open && atx_tokens_is(t, open - 1, ")") ? open - 2 : sign - 1;
    return atx_tokens_is_word(t, name) ? name : 0;
}

/* The parameter of a function that is given it in a call: run(k, n). NULL: there is none. */
static const atx_draft_function *find_callee(size_t *name, const atx_draft *d, size_t i)
{
    const atx_tokens *t = &d->code;
    const size_t open = atx_guards_around(t, 0, i);
    char word[ATX_MAX_WORD];
    if (open == SIZE_MAX || !open || !atx_tokens_is(t, open, "("))
        return NULL;
    atx_draft_word(word, t, open - 1);
    const atx_draft_function *f = word[0] ? atx_draft_find_function(d, word) : NULL;
    for (size_t at = open + 1, to = f ? f->open + 1 : 0; f && to < atx_tokens_match(t, f->open);) {
        const size_t comma = atx_code_comma(t, at, atx_tokens_match(t, open));
        const size_t end = atx_code_comma(t, to, atx_tokens_match(t, f->open));
        *name = end - 1;
        if (i < comma)
            return atx_tokens_is_word(t, *name) ? f : NULL;
        at = comma + 1;
        to = end + 1;
    }
    return NULL;
}

/* Where a variable is given something else for all that follows, behind token i that gives it: f = a; f = b;
 * not in a branch. */
static size_t end_of_value(const atx_tokens *t, const char *name, size_t i, size_t end)
{
    int depth = 0, least = 0;
    for (i++; i + 1 < end; i++) {
        depth += atx_tokens_is(t, i, "{") - atx_tokens_is(t, i, "}");
        least = depth < least ? depth : least;
        if (depth == least && atx_tokens_is(t, i, name) && atx_tokens_is(t, i + 1, "=") &&
            (atx_tokens_is(t, i - 1, ";") || atx_tokens_is(t, i - 1, "}") || atx_tokens_is(t, i - 1, "{")))
            return i;
    }
    return end;
}

/* Launches of what the host calls otherwise: in the function that has the variable, or the parameter. */
static void find_renamed(atx_draft *d, int *best)
{
    const atx_tokens *t = &d->code;
    for (size_t i = 1; i + 1 < t->count; i++) {
        char name[ATX_MAX_WORD];
        size_t to = 0;
        if (!atx_tokens_is(t, i, d->kernel) || i == d->kernel_text.name)
            continue;
        const int before = *best;
        const atx_draft_function *f = atx_host_function_around(d, i);
        const size_t pointer = find_pointer(t, i), begin = pointer ? i : 0;
        if (pointer)
            to = pointer;
        else
            f = find_callee(&to, d, i);
        atx_draft_word(name, t, to);
        if (f && to && name[0])
            take_launches(d, name, begin ? begin : f->body,
                          pointer ? end_of_value(t, name, i, f->end) : f->end, best);
        if (*best > before && !d->launch.list && atx_tokens_is(t, i + 1, "<")) { /* f = k<4> */
            d->launch.list = i + 2;
            d->launch.list_end = atx_tokens_match(t, i + 1);
        }
    }
}

void atx_draft_find_launch(atx_draft *d)
{
    int best = -1;
    take_launches(d, d->kernel, 0, d->code.count, &best);
    if (!d->launched)
        find_renamed(d, &best);
}
