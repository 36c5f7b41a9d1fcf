/*
 * adopt_sizes.c - how many elements a buffer has, as its index says: the sizes that the index is made of, and
 * those that its variables are compared with. y[i] under i < n has n; c[row * n + col] under row < m, col < n
 * has m * n. A guess, which is asked about; too large does no harm.
 */
#include "exchange/adopt_draft.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 6, MOST_NAMES = 64, MOST_SEEN = 32 };

/* What an index is made of. */
typedef struct measure {
    const atx_draft *d;
    uint64_t dims;
    long factor;
    unsigned free_axes; /* of blockIdx that no comparison bounds */
    char seen[MOST_SEEN][ATX_MAX_WORD];
    int seen_count;
} measure;

static bool is_integer(const atx_draft_arg *a)
{
    const char *type = a->type.dtype;
    return !a->stars && a->type.lanes == 1 && type && (type[0] == 'i' || type[0] == 'u') &&
           (strcmp(type + 1, "32") == 0 || strcmp(type + 1, "64") == 0);
}

static int find_scalar(const atx_draft *d, const char *name)
{
    for (int i = 0; i < d->arg_count; i++)
        if (is_integer(&d->args[i]) && strcmp(d->args[i].arg.name, name) == 0)
            return i;
    return -1;
}

static bool is_member(const atx_tokens *t, size_t i)
{
    return i && (atx_tokens_is(t, i - 1, ".") || atx_tokens_is(t, i - 1, "->"));
}

static void measure_span(measure *m, atx_span span, int depth);

/* The tokens behind a comparison that end with it. */
static atx_span bound_behind(const atx_tokens *t, size_t sign, size_t end)
{
    static const char *const ENDS[] = { ")", "&&", "||", ";", ",", "?", "{", NULL };
    size_t i = sign + 1;
    while (i < end && !atx_token_is_one_of(t->text, &t->items[i], ENDS))
        i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1;
    return (atx_span){ sign + 1, i < end ? i : end };
}

/* i < n, i + 1 < n, i >= n: sizes on the other side. false: it is compared with nothing. */
static bool measure_bounds(measure *m, const char *name, int depth)
{
    static const char *const SIGNS[] = { "<", "<=", ">", ">=", NULL };
    const atx_tokens *t = &m->d->code;
    bool any = false;
    for (size_t i = m->d->kernel_text.open; i < m->d->body_end; i++) {
        if (!atx_tokens_is(t, i, name) || is_member(t, i))
            continue;
        size_t sign = i + 1;
        while (sign + 1 < m->d->body_end &&
               (atx_tokens_is(t, sign, "+") || atx_tokens_is(t, sign, "-") || atx_tokens_is(t, sign, "*")))
            sign += 2; /* i + 1 < n, i * 4 + 3 < n */
        while (atx_tokens_is(t, sign, ")"))
            sign++;
        if (!atx_token_is_one_of(t->text, &t->items[sign], SIGNS))
            continue;
        any = true;
        measure_span(m, bound_behind(t, sign, m->d->body_end), depth + 1);
    }
    return any;
}

/* "int i = blockIdx.x * ...;", "i = ..." in the kernel: everything that it is given. */
static void measure_values(measure *m, const char *name, int depth)
{
    const atx_tokens *t = &m->d->code;
    for (size_t i = m->d->kernel_text.open; i < m->d->body_end; i++) {
        if (!atx_tokens_is(t, i, name) || is_member(t, i))
            continue;
        const bool plus = atx_tokens_is(t, i + 1, "+=");
        if (!atx_tokens_is(t, i + 1, "=") && !plus)
            continue;
        const size_t end = atx_tokens_find(t, i + 2, m->d->body_end, ";");
        measure_span(m, (atx_span){ i + 2, atx_code_comma(t, i + 2, end) }, depth + 1);
    }
}

static bool is_seen(measure *m, const char *name)
{
    for (int i = 0; i < m->seen_count; i++)
        if (strcmp(m->seen[i], name) == 0)
            return true;
    if (m->seen_count == MOST_SEEN)
        return true;
    memcpy(m->seen[m->seen_count++], name, ATX_MAX_WORD);
    return false;
}

static void measure_word(measure *m, const atx_tokens *t, size_t i, int depth)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, i);
    const int scalar = find_scalar(m->d, name);
    if (scalar >= 0) {
        m->dims |= (uint64_t)1 << scalar;
        return;
    }
    if (strcmp(name, "blockIdx") == 0 && atx_tokens_is(t, i + 1, ".")) {
        char axis[ATX_MAX_WORD];
        atx_draft_word(axis, t, i + 2);
        m->free_axes |= axis[0] >= 'x' && axis[0] <= 'z' ? 1U << (axis[0] - 'x') : 0;
        return;
    }
    const atx_draft_macro *macro = atx_draft_find_macro(m->d, name);
    if (depth >= MOST_DEPTH || !name[0] || is_seen(m, name))
        return;
    if (macro) {
        for (size_t k = macro->body.begin; k < macro->body.end; k++)
            if (atx_tokens_is_word(&m->d->all, k))
                measure_word(m, &m->d->all, k, depth + 1);
        return;
    }
    const unsigned before = m->free_axes;
    measure_values(m, name, depth);
    if (measure_bounds(m, name, depth))
        m->free_axes = before;
}

/* 4 * i, i * 3 + k: a number that an index is multiplied with. */
static void measure_number(measure *m, const atx_tokens *t, size_t i, atx_span span)
{
    long value = 0;
    const bool times = (i > span.begin && atx_tokens_is(t, i - 1, "*")) || atx_tokens_is(t, i + 1, "*");
    if (times && atx_draft_number(&value, m->d, t, (atx_span){ i, i + 1 }) && value > 1 && value <= 1024 &&
        m->factor * value <= 1 << 16)
        m->factor *= value;
}

static void measure_span(measure *m, atx_span span, int depth)
{
    const atx_tokens *t = &m->d->code;
    for (size_t i = span.begin; i < span.end; i++)
        if (t->items[i].kind == ATX_TOKEN_NUMBER && depth == 0)
            measure_number(m, t, i, span);
        else if (atx_tokens_is_word(t, i) && !is_member(t, i))
            measure_word(m, t, i, depth);
}

/* A pointer, and how far the ones that it was made of go. */
typedef struct pointer {
    char name[ATX_MAX_WORD];
    int arg;
    uint64_t dims;
    long factor;
} pointer;

typedef struct pointers {
    pointer items[MOST_NAMES];
    int count;
} pointers;

static pointer *find_pointer(pointers *p, const atx_tokens *t, size_t i)
{
    for (int k = p->count; k-- > 0;)
        if (atx_tokens_is(t, i, p->items[k].name))
            return &p->items[k];
    return NULL;
}

static void add_grid(measure *m)
{
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < m->d->extra_count && (m->free_axes >> axis & 1); i++)
            if (atx_draft_names_word(m->d->grid[axis], m->d->extra_name[i]))
                m->dims |= (uint64_t)1 << (63 - i);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < m->d->arg_count && (m->free_axes >> axis & 1); i++)
            if (is_integer(&m->d->args[i]) && atx_draft_names_word(m->d->grid[axis], m->d->args[i].name))
                m->dims |= (uint64_t)1 << i;
}

/* An access p[index]: of all the largest counts. */
static void note_access(atx_draft *d, const pointer *p, atx_span index)
{
    atx_draft_arg *a = &d->args[p->arg];
    measure m = { .d = d, .dims = p->dims, .factor = p->factor };
    measure_span(&m, index, 0);
    add_grid(&m);
    a->dims |= m.dims;
    a->factor = m.factor > a->factor ? m.factor : a->factor;
}

/* "const float *x = inp + idx * C;", "inp += b * n;", "x = &inp[i * C]": a pointer that is made of another.
 */
static void note_pointer(atx_draft *d, pointers *all, size_t i)
{
    const atx_tokens *t = &d->code;
    const pointer from = *find_pointer(all, t, i);
    size_t begin = i;
    while (begin > d->kernel_text.open && !atx_tokens_is(t, begin - 1, ";") &&
           !atx_tokens_is(t, begin - 1, "{") && !atx_tokens_is(t, begin - 1, "}"))
        begin--;
    const size_t end = atx_tokens_find(t, i, d->body_end, ";");
    size_t equal = begin;
    while (equal < end && !atx_tokens_is(t, equal, "=") && !atx_tokens_is(t, equal, "+="))
        equal++;
    if (equal >= end || equal == begin || !atx_tokens_is_word(t, equal - 1))
        return;
    const bool itself = i == equal - 1 && atx_tokens_is(t, equal, "+=");
    if (!itself && i < equal)
        return;
    measure m = { .d = d, .dims = from.dims, .factor = from.factor };
    for (size_t k = equal + 1; k < end; k++) /* all but the pointer's own name */
        if (k != i)
            measure_span(&m, (atx_span){ k, k + 1 }, 1);
    add_grid(&m);
    pointer *known = itself ? find_pointer(all, t, i) : find_pointer(all, t, equal - 1);
    if (!known && all->count < MOST_NAMES) {
        known = &all->items[all->count++];
        *known = from;
        atx_draft_word(known->name, t, equal - 1);
    }
    if (known) {
        known->dims |= m.dims;
        known->factor = m.factor;
    }
}

/* Parameters, but for the block's size, in the tokens of an index. */
static void note_factors(atx_draft *d, atx_span span, int axis)
{
    for (int p = 0; p < d->param_count; p++) {
        const char *name = d->params[p].line[0] ? d->params[p].line : d->params[p].name;
        char *out = d->axis_factor[axis];
        const size_t n = strlen(out);
        for (size_t i = span.begin; i < span.end && d->params[p].axis < 0; i++)
            if (atx_tokens_is(&d->code, i, d->params[p].name) && !atx_draft_names_word(out, name)) {
                snprintf(out + n, ATX_DRAFT_EXPR - n, " * %s", name);
                break;
            }
    }
}

/* "x = blockIdx.x * ...", and then x < width: the sizes of a grid that nobody says. */
static void note_axes(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->kernel_text.open; i + 2 < d->body_end; i++) {
        if (!atx_tokens_is(t, i, "blockIdx") || !atx_tokens_is(t, i + 1, "."))
            continue;
        char name[ATX_MAX_WORD], axis[ATX_MAX_WORD];
        atx_draft_word(axis, t, i + 2);
        size_t equal = i;
        while (equal > d->kernel_text.open && !atx_tokens_is(t, equal, "=") &&
               !atx_tokens_is(t, equal, ";") && !atx_tokens_is(t, equal, "{"))
            equal--;
        if (!atx_tokens_is(t, equal, "=") || axis[0] < 'x' || axis[0] > 'z' || d->axis_dims[axis[0] - 'x'])
            continue;
        measure m = { .d = d, .factor = 1 };
        const size_t end = atx_tokens_find(t, equal + 1, d->body_end, ";");
        atx_draft_word(name, t, equal - 1);
        if (!measure_bounds(&m, name, MOST_DEPTH - 2))
            continue;
        d->axis_dims[axis[0] - 'x'] = m.dims;
        note_factors(d, (atx_span){ equal + 1, atx_code_comma(t, equal + 1, end) }, axis[0] - 'x');
    }
}

void atx_draft_sizes(atx_draft *d)
{
    pointers all = { .count = 0 };
    const atx_tokens *t = &d->code;
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].stars && all.count < MOST_NAMES) {
            pointer *p = &all.items[all.count++];
            *p = (pointer){ .arg = k, .factor = 1 };
            memcpy(p->name, d->args[k].arg.name, sizeof p->name);
        }
    for (size_t i = atx_tokens_match(t, d->kernel_text.open); i < d->body_end; i++) {
        if (!atx_tokens_is_word(t, i) || is_member(t, i) || !find_pointer(&all, t, i))
            continue;
        const bool address = i && atx_tokens_is(t, i - 1, "&");
        const pointer *p = find_pointer(&all, t, i);
        if (atx_tokens_is(t, i + 1, "["))
            note_access(d, p, (atx_span){ i + 2, atx_tokens_match(t, i + 1) });
        else if (i > 1 && atx_tokens_is(t, i - 1, "(") &&
                 atx_tokens_is(t, i + 1, "+")) /* *(p + i), f(p + i) */
            note_access(d, p, (atx_span){ i + 2, atx_tokens_match(t, i - 1) });
        if (!atx_tokens_is(t, i + 1, "[") || address)
            note_pointer(d, &all, i);
    }
    uint64_t dims = 0, first = 0;
    for (int k = 0; k < d->arg_count; k++)
        dims |= d->args[k].dims;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < d->arg_count; k++)
            if (is_integer(&d->args[k]) && (atx_draft_names_word(d->grid[axis], d->args[k].name) ||
                                            atx_draft_names_word(d->block[axis], d->args[k].name) ||
                                            atx_draft_names_word(d->shared_bytes, d->args[k].name)))
                first |= (uint64_t)1 << k;
    note_axes(d);
    atx_draft_choose_dims(d, dims, first);
}
