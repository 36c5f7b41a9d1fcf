/*
 * adopt_reach.c - what a kernel's code reaches: the functions of the file that it names, what those name, and
 * the macros in all of that. By names alone, so an overload too many may be reached.
 */
#include "exchange/adopt_draft.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

/* Behind ")" of a function's parameters: const, noexcept, a list of initializers; "{" or not. */
static size_t find_body(const atx_tokens *t, size_t close)
{
    size_t i = close + 1;
    while (atx_tokens_is(t, i, "const") || atx_tokens_is(t, i, "noexcept") || atx_tokens_is(t, i, "override"))
        i++;
    if (atx_tokens_is(t, i, "->"))
        while (i < t->count && !atx_tokens_is(t, i, "{") && !atx_tokens_is(t, i, ";"))
            i++;
    return atx_tokens_is(t, i, "{") && atx_tokens_match(t, i) < t->count ? i : t->count;
}

static at_status add_function(atx_draft *d, atx_draft_function f)
{
    if (!atx_grow(&d->functions, &d->function_cap, d->function_count, sizeof f))
        return atx_no_memory(d->err);
    d->functions[d->function_count++] = f;
    return AT_OK;
}

static at_status find_functions(atx_draft *d)
{
    static const char *const NOT[] = { "if",     "for",   "while",     "switch", "return",
                                       "sizeof", "catch", "constexpr", NULL };
    const atx_tokens *t = &d->code;
    at_status status = AT_OK;
    for (size_t i = 0; i + 1 < t->count && status == AT_OK; i++) {
        if (!atx_tokens_is_word(t, i) || !atx_tokens_is(t, i + 1, "(") ||
            atx_token_is_one_of(t->text, &t->items[i], NOT))
            continue;
        const size_t close = atx_tokens_match(t, i + 1), body = find_body(t, close);
        if (body < t->count)
            status = add_function(d, (atx_draft_function){ i, i + 1, body, atx_tokens_match(t, body) });
    }
    return status;
}

static bool has_name(const atx_tokens *t, size_t a, const atx_tokens *u, size_t b)
{
    const atx_token *x = &t->items[a], *y = &u->items[b];
    return x->end - x->begin == y->end - y->begin &&
           memcmp(t->text + x->begin, u->text + y->begin, x->end - x->begin) == 0;
}

const atx_draft_function *atx_draft_find_function(const atx_draft *d, const char *name)
{
    for (size_t i = 0; i < d->function_count; i++)
        if (atx_tokens_is(&d->code, d->functions[i].name, name))
            return &d->functions[i];
    return NULL;
}

/* ---- macros ---- */

static size_t macro_bucket(const char *name)
{
    size_t hash = 0;
    while (*name)
        hash = hash * 31 + (unsigned char)*name++;
    return hash % ATX_DRAFT_BUCKETS;
}

/* In order: of two of a name the first one is found. */
static void fill_buckets(atx_draft *d)
{
    char name[ATX_MAX_WORD];
    for (size_t i = d->macro_count; i-- > 0;) {
        atx_draft_word(name, &d->all, d->macros[i].name);
        size_t *bucket = &d->macro_buckets[macro_bucket(name)];
        d->macros[i].next = *bucket;
        *bucket = i + 1;
    }
}

static at_status find_macros(atx_draft *d)
{
    const atx_tokens *t = &d->all;
    for (size_t i = 0; i + 2 < t->count; i++) {
        if (t->items[i].kind != ATX_TOKEN_DIRECTIVE || !atx_tokens_is(t, i + 1, "define") ||
            !atx_tokens_is_word(t, i + 2))
            continue;
        atx_draft_macro m = { .name = i + 2 };
        size_t end = i + 3;
        while (end < t->count && t->items[end].directive && t->items[end].kind != ATX_TOKEN_DIRECTIVE)
            end++;
        m.open = i + 3 < end && atx_tokens_is(t, i + 3, "(") && !t->items[i + 3].blank ? i + 3 : 0;
        m.body = (atx_span){ m.open ? atx_tokens_match(t, m.open) + 1 : i + 3, end };
        m.guarded = i > 2 && atx_tokens_is(t, i - 2, "ifndef") && has_name(t, i - 1, t, i + 2);
        if (m.body.begin > end)
            continue;
        if (!atx_grow(&d->macros, &d->macro_cap, d->macro_count, sizeof m))
            return atx_no_memory(d->err);
        d->macros[d->macro_count++] = m;
    }
    fill_buckets(d);
    return AT_OK;
}

const atx_draft_macro *atx_draft_find_macro(const atx_draft *d, const char *name)
{
    for (size_t i = d->macro_buckets[macro_bucket(name)]; i; i = d->macros[i - 1].next)
        if (atx_tokens_is(&d->all, d->macros[i - 1].name, name))
            return &d->macros[i - 1];
    return NULL;
}

/* ---- what is reached ---- */

/* Whether a word that is not called is a member, or a parameter of the kernel: no function of that name. */
static bool is_variable(const atx_draft *d, const atx_tokens *t, size_t word)
{
    const size_t open = d->kernel_text.open, close = atx_tokens_match(&d->code, open);
    bool found = word && (atx_tokens_is(t, word - 1, ".") || atx_tokens_is(t, word - 1, "->")) &&
                 !atx_tokens_is(t, word + 1, "<");
    for (size_t i = open + 1; i < close && !found; i++)
        found = has_name(t, word, &d->code, i) && (atx_tokens_is(&d->code, i + 1, ",") || i + 1 == close ||
                                                   atx_tokens_is(&d->code, i + 1, "["));
    return found && !atx_tokens_is(t, word + 1, "(");
}

/* Marks the functions and macros that a word names. Whether one is new. */
static bool follow(atx_draft *d, const atx_tokens *t, size_t word)
{
    bool more = false;
    const size_t count = is_variable(d, t, word) ? 0 : d->function_count;
    for (size_t i = 0; i < count; i++) {
        const atx_draft_function *f = &d->functions[i];
        if (!d->reached[f->end] && has_name(t, word, &d->code, f->name)) {
            memset(d->reached + f->name, 1, f->end + 1 - f->name);
            more = true;
        }
    }
    for (size_t i = 0; i < d->macro_count; i++)
        if (!d->macros[i].reached && has_name(t, word, &d->all, d->macros[i].name))
            more = d->macros[i].reached = true;
    return more;
}

/* Follows what is reached and was not followed yet. Whether there was any. */
static bool spread(atx_draft *d)
{
    bool more = false;
    for (size_t i = 0; i < d->code.count; i++)
        if (d->reached[i] == 1) {
            d->reached[i] = 2;
            more = (d->code.items[i].kind == ATX_TOKEN_WORD && follow(d, &d->code, i)) || more;
        }
    for (size_t m = 0; m < d->macro_count; m++) {
        if (!d->macros[m].reached || d->macros[m].followed)
            continue;
        d->macros[m].followed = true;
        for (size_t i = d->macros[m].body.begin; i < d->macros[m].body.end; i++)
            if (d->all.items[i].kind == ATX_TOKEN_WORD)
                more = follow(d, &d->all, i) || more;
    }
    return more;
}

bool atx_draft_uses(const atx_draft *d, const char *name)
{
    for (size_t i = 0; i < d->code.count; i++)
        if (d->reached[i] && atx_tokens_is(&d->code, i, name))
            return true;
    for (size_t m = 0; m < d->macro_count; m++)
        for (size_t i = d->macros[m].body.begin; d->macros[m].reached && i < d->macros[m].body.end; i++)
            if (atx_tokens_is(&d->all, i, name))
                return true;
    return false;
}

/* Whether the kernel has an array of its own with that name: __shared__ float NAME[32]. */
static bool has_own_shared(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = 1; i < t->count; i++) {
        const size_t end =
            d->reached[i] && atx_tokens_is(t, i, "__shared__") && !atx_tokens_is(t, i - 1, "extern")
                ? atx_tokens_find(t, i, t->count, ";")
                : i;
        for (size_t k = i; k < end; k++)
            if (atx_tokens_is(t, k, name) && atx_tokens_is(t, k + 1, "["))
                return true;
    }
    return false;
}

/* `extern __shared__`, or with an alignment between: its size is said at the launch. One of the whole file
 * counts where the kernel names it. */
static bool has_dynamic_shared(const atx_draft *d)
{
    const atx_tokens *t = &d->code;
    bool is_extern = false;
    for (size_t i = 0; i < t->count; i++) {
        char name[ATX_MAX_WORD];
        if (d->reached[i] && atx_tokens_is(t, i, "HIP_DYNAMIC_SHARED"))
            return true;
        const size_t open = is_extern && atx_tokens_is(t, i, "__shared__")
                                ? atx_tokens_find(t, i, atx_tokens_find(t, i, t->count, ";"), "[")
                                : 0;
        if (open)
            atx_draft_word(name, t, open - 1);
        if (open && (d->reached[i] || (name[0] && atx_draft_uses(d, name) && !has_own_shared(d, name))))
            return true;
        is_extern = (is_extern || atx_tokens_is(t, i, "extern")) && !atx_tokens_is(t, i, ";") &&
                    !atx_tokens_is(t, i, "{") && !atx_tokens_is(t, i, "}");
    }
    return false;
}

/* threadIdx.y, blockDim.z: 2 and 3. */
static int highest_axis(const atx_draft *d)
{
    const atx_tokens *t = &d->code;
    int most = 1;
    for (size_t i = 0; i + 2 < t->count; i++) {
        if (!d->reached[i] || !(atx_tokens_is(t, i, "threadIdx") || atx_tokens_is(t, i, "blockDim")))
            continue;
        if (atx_tokens_is(t, i + 1, ".") && atx_tokens_is(t, i + 2, "z"))
            return 3;
        if (atx_tokens_is(t, i + 1, ".") && atx_tokens_is(t, i + 2, "y"))
            most = 2;
    }
    return most;
}

/* A kernel may have the grid's group for its ranks alone, which needs no cooperative launch. */
static bool waits_for_grid(const atx_draft *d)
{
    return (atx_draft_uses(d, "this_grid") || atx_draft_uses(d, "grid_group")) &&
           (atx_draft_uses(d, "sync") || atx_draft_uses(d, "barrier_arrive") ||
            atx_draft_uses(d, "barrier_wait"));
}

static void read_traits(atx_draft *d)
{
    d->shared = has_dynamic_shared(d);
    d->axes = highest_axis(d);
    d->grid_sync = waits_for_grid(d);
    static const char *const BLOCK[] = { "blockDim", "thread_rank", "group_dim", "dim_threads",
                                         "num_threads" };
    for (size_t i = 0; i < sizeof BLOCK / sizeof *BLOCK; i++)
        d->reads_block = d->reads_block || atx_draft_uses(d, BLOCK[i]);
}

static size_t bucket_of(const atx_tokens *t, size_t i, size_t mask)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t at = t->items[i].begin; at < t->items[i].end; at++)
        hash = (hash ^ (unsigned char)t->text[at]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32) & mask;
}

/* Rings of equal tokens: calls of a function are looked for very often. */
static at_status link_same(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    size_t size = 16;
    while (size < 2 * t->count)
        size *= 2;
    size_t *last = calloc(size, sizeof *last); /* 1 + a token: the last one of its text so far */
    d->next_same = calloc(t->count + 1, sizeof *d->next_same);
    for (size_t i = 0; last && d->next_same && i < t->count; i++) {
        size_t at = bucket_of(t, i, size - 1);
        while (last[at] && !atx_code_same(t, last[at] - 1, i))
            at = (at + 1) & (size - 1);
        const size_t before = last[at] ? last[at] - 1 : i;
        d->next_same[i] = last[at] ? d->next_same[before] : i;
        d->next_same[before] = i;
        last[at] = i + 1;
    }
    const bool good = last && d->next_same;
    free(last);
    return good ? AT_OK : atx_no_memory(d->err);
}

at_status atx_draft_reach(atx_draft *d)
{
    at_status status = find_functions(d);
    if (status == AT_OK)
        status = find_macros(d);
    if (status != AT_OK)
        return status;
    if ((status = link_same(d)) != AT_OK)
        return status;
    d->reached = calloc(d->code.count + 1, sizeof *d->reached);
    if (!d->reached)
        return atx_no_memory(d->err);
    memset(d->reached + d->kernel_text.head, 1, d->body_end + 1 - d->kernel_text.head);
    d->reached[d->kernel_text.name] = 2; /* a function of the host may have that name, too */
    while (spread(d))
        ;
    read_traits(d);
    return AT_OK;
}
