/*
 * adopt_sizes.c - how many elements a buffer has: the largest index that the kernel reaches, and one. y[i]
 * under i < n has n; c[row * n + col] under row < m, col < n has m * n. Pointers that are made of arguments
 * are followed, also into functions and macros of the file.
 */
#include "exchange/adopt_sizes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 3 };

typedef struct walk {
    atx_sizing *z;
    bool again;    /* pointers that are stepped are known, and those made of them within loops are not */
    bool record;   /* the last time: all are known */
    uint64_t only; /* a bit for each buffer that nothing but what the author's numbers leave out uses */
} walk;

static void walk_frame(walk *w, atx_frame *f);

/* ---- types ---- */

enum { UNKNOWN_BYTES = -1 };

/* Of TYPE in "(TYPE *)" or "<TYPE *>": tokens begin..end with a star; 0: it is no such. */
static long bytes_of_cast(const atx_draft *d, const atx_tokens *t, size_t begin, size_t end)
{
    atx_draft_type type;
    size_t star = begin;
    while (star < end && !atx_tokens_is(t, star, "*"))
        star = atx_tokens_is(t, star, "<") && atx_tokens_match(t, star) < end ? atx_tokens_match(t, star) + 1
                                                                              : star + 1;
    if (star == begin || star >= end || !atx_tokens_is_word(t, begin))
        return 0;
    for (size_t i = star; i < end; i++)
        if (!atx_tokens_is(t, i, "*") && !atx_tokens_is_word(t, i))
            return 0;
    if (!atx_tokens_is(t, end - 1, "*") && !atx_tokens_is(t, end - 2, "*")) /* a product */
        return 0;
    atx_draft_type_in(&type, d, t, (atx_span){ begin, star });
    const long bytes = atx_draft_bytes(d, &type);
    return bytes || strcmp(type.name, "void") == 0 ? bytes : UNKNOWN_BYTES;
}

/* Of what a macro makes of its argument p[i]: *(float4 *)&(p[i]). 0: of nothing else. */
static long bytes_in_macro(const atx_draft *d, const atx_tokens *t, size_t begin, size_t i, size_t end)
{
    char name[ATX_MAX_WORD];
    const size_t open = atx_guards_around(t, begin, i);
    if (open == SIZE_MAX || open + 1 != i || !atx_tokens_is(t, open, "(") || end != atx_tokens_match(t, open))
        return 0;
    atx_draft_word(name, t, open - 1);
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    bool address = false;
    long bytes = 0;
    for (size_t k = macro && macro->open ? macro->body.begin : SIZE_MAX; macro && k < macro->body.end; k++) {
        const size_t pair = atx_tokens_is(&d->all, k, "(") || atx_tokens_is(&d->all, k, "<")
                                ? atx_tokens_match(&d->all, k)
                                : k;
        const long one = pair > k && pair < macro->body.end ? bytes_of_cast(d, &d->all, k + 1, pair) : 0;
        bytes = one ? one : bytes;
        address = address || atx_tokens_is(&d->all, k, "&");
    }
    return address ? bytes : 0;
}

/* ---- accesses ---- */

static long own_bytes(const atx_sizing *z, int arg)
{
    const atx_draft *d = z->bounds.d;
    const int structure = arg == ATX_SHARED ? 0 : d->args[arg].structure;
    if (structure)
        return d->structs[structure - 1].sized ? d->structs[structure - 1].bytes : 0;
    return atx_draft_bytes(z->bounds.d, arg == ATX_SHARED ? &z->shared : &z->bounds.d->args[arg].type);
}

/* `index` elements of `bytes`, as elements of the buffer. */
static atx_range scaled(atx_sizing *z, int arg, atx_range index, long bytes)
{
    atx_bounding *b = &z->bounds;
    const long own = own_bytes(z, arg);
    if (!index.known || bytes <= 0 || !own || bytes == own)
        return index;
    const bool larger = bytes > own;
    const atx_poly by = atx_poly_number(larger ? bytes / own : own / bytes);
    index.most = larger ? atx_poly_multiply(&b->symbols, &index.most, &by)
                        : atx_poly_divide(&b->symbols, &index.most, &by);
    return index;
}

static atx_range plus(atx_range a, atx_range b)
{
    if (!a.known || !b.known)
        return (atx_range){ .known = false };
    return atx_range_up_to(atx_poly_add(&a.most, &b.most, 1));
}

/* `bytes`: of what is touched there; 0: of what p points to. */
static void record(walk *w, const atx_bound_name *p, atx_range index, long bytes)
{
    atx_bounding *b = &w->z->bounds;
    atx_reach *reach = &w->z->reach[p->arg];
    if (!w->record)
        return;
    const long own = own_bytes(w->z, p->arg);
    bytes = bytes ? bytes : p->bytes;
    reach->doubtful = reach->doubtful || (bytes == UNKNOWN_BYTES && own_bytes(w->z, p->arg));
    const long each = bytes > own && own ? bytes / own : 1;
    atx_range all = plus(p->from, scaled(w->z, p->arg, index, p->bytes));
    all = plus(all, atx_range_exactly(atx_poly_number(each)));
    if (!all.known) {
        reach->unknown = true;
        return;
    }
    reach->most = reach->any ? atx_poly_most(&b->symbols, &reach->most, &all.most) : all.most;
    reach->any = true;
}

/* ---- pointers ---- */

/* Whether the bracket belongs to a call of an unknown function: it reads or writes where it points.
 */
static bool is_call(const atx_tokens *t, size_t open)
{
    static const char *const NOT[] = { "if", "for", "while", "switch", "return", "sizeof", NULL };
    size_t at = open;
    if (at && atx_tokens_is(t, at - 1, ">") && t->items[at - 1].pair < at)
        at = t->items[at - 1].pair;
    return at && atx_tokens_is_word(t, at - 1) && !atx_token_is_one_of(t->text, &t->items[at - 1], NOT);
}

/* What an expression of tokens span points to; arg -1: nothing that is known. */
static atx_bound_name pointer_of(walk *w, const atx_frame *f, atx_span span)
{
    const atx_tokens *t = f->t;
    atx_bounding *b = &w->z->bounds;
    atx_bound_name p = { .arg = -1 };
    span = atx_draft_not_null(t, span);
    size_t at = span.begin;
    for (; at < span.end && p.arg < 0; at += p.arg < 0) {
        const atx_bound_name *known =
            atx_tokens_is_word(t, at) && !atx_guards_member(t, at) ? atx_bounds_name(f, t, at) : NULL;
        if (atx_tokens_is(t, at, "["))
            at = atx_tokens_match(t, at);
        else if (known && known->arg >= 0)
            p = *known;
    }
    if (p.arg < 0)
        return p;
    for (size_t k = atx_tokens_find(t, span.begin, span.end, "?"); k < span.end; k++) { /* here ? a : b */
        const atx_bound_name *other = atx_tokens_is_word(t, k) ? atx_bounds_name(f, t, k) : NULL;
        if (other && other->arg >= 0 && other->arg != p.arg && !atx_tokens_is(t, k + 1, "["))
            w->z->reach[other->arg].doubtful = w->z->reach[p.arg].doubtful = true;
    }
    size_t begin = at, end = at + 1;
    bool address = begin > span.begin && atx_tokens_is(t, begin - 1, "&");
    if (atx_tokens_is(t, end, "[") && address) {
        const size_t close = atx_tokens_match(t, end);
        p.from =
            plus(p.from, scaled(w->z, p.arg, atx_bounds_of(b, f, (atx_span){ end + 1, close }), p.bytes));
        end = close + 1;
    } else if (end < span.end && atx_tokens_is(t, end, "[")) {
        p.arg = -1; /* an element, no pointer */
        return p;
    }
    begin -= address;
    for (int level = 0; level < 6; level++) {
        size_t open = atx_guards_around(t, span.begin, begin);
        const size_t left = open == SIZE_MAX ? span.begin : open + 1;
        const size_t right = open == SIZE_MAX ? span.end : atx_tokens_match(t, open);
        size_t first = begin;
        if (first >= left + 3 && atx_tokens_is(t, first - 1, ")") && t->items[first - 1].pair >= left &&
            t->items[first - 1].pair < first) { /* (float4 *)p */
            const long bytes = bytes_of_cast(b->d, t, t->items[first - 1].pair + 1, first - 1);
            p.bytes = bytes ? bytes : p.bytes;
            first = t->items[first - 1].pair;
        }
        if (first > left && atx_tokens_is(t, first - 1, "*")) { /* *(p + j): an element, too */
            p.arg = -1;
            return p;
        }
        if (end < right && atx_tokens_is(t, end, "?"))
            end = right;
        if (end < right && (atx_tokens_is(t, end, "+") || atx_tokens_is(t, end, "-"))) {
            const atx_range more = atx_bounds_of(b, f, (atx_span){ end + 1, right });
            if (atx_tokens_is(t, end, "+"))
                p.from = plus(p.from, scaled(w->z, p.arg, more, p.bytes));
        }
        if (first > left + 1 && atx_tokens_is(t, first - 1, "+"))
            p.from = plus(p.from,
                          scaled(w->z, p.arg, atx_bounds_of(b, f, (atx_span){ left, first - 1 }), p.bytes));
        if (open == SIZE_MAX)
            break;
        begin = open;
        end = right + 1;
        if (begin > span.begin && atx_tokens_is(t, begin - 1, ">") && t->items[begin - 1].pair < begin) {
            const size_t angle = t->items[begin - 1].pair;
            const long bytes = bytes_of_cast(b->d, t, angle + 1, begin - 1);
            p.bytes = bytes ? bytes : p.bytes;
            begin = angle - 1; /* reinterpret_cast<float4 *>(...) */
        } else if (is_call(t, open)) {
            p.arg = -1;
            break;
        }
        if (end < span.end && atx_tokens_is(t, end, "[")) {
            p.arg = -1;
            break;
        }
    }
    return p;
}

/* Whether a pointer's name at token i is stepped anywhere: p += n. */
static bool is_stepped(const atx_frame *f, size_t i)
{
    for (size_t k = f->body.begin; k < f->body.end; k++)
        if (atx_code_same(f->t, k, i) &&
            (atx_tokens_is(f->t, k + 1, "+=") || atx_tokens_is(f->t, k + 1, "++")))
            return true;
    return false;
}

/* Whether within a loop a pointer, at token `name`, is made of one that is stepped there, behind it maybe. */
static bool is_of_stepped(const atx_frame *f, size_t name, size_t of)
{
    return atx_guards_loop(f->t, f->body.begin, name) != SIZE_MAX && is_stepped(f, of) &&
           !is_stepped(f, name);
}

/* "const float *x = inp + idx * C;", "inp += b * n;": a pointer that is made of another. */
static void make_pointer(walk *w, atx_frame *f, size_t i)
{
    const atx_tokens *t = f->t;
    atx_bounding *b = &w->z->bounds;
    char name[ATX_MAX_WORD];
    const size_t end = atx_tokens_find(t, i, f->body.end, ";");
    atx_bound_name *known = atx_bounds_name(f, t, i);
    const bool steps = atx_tokens_is(t, i + 1, "++");
    if (w->again && (steps || atx_tokens_is(t, i + 1, "+=")))
        return;
    if (atx_tokens_is(t, i + 1, "+=") || steps) {
        size_t stop = i + 2; /* for (...; p += n) */
        while (stop < end && !atx_tokens_is(t, stop, ")") && !atx_tokens_is(t, stop, ","))
            stop = atx_tokens_opens(t, stop) ? atx_tokens_match(t, stop) + 1 : stop + 1;
        atx_range times = atx_bounds_trips(b, f, i, known->declared);
        if (times.known && atx_tokens_is(t, stop, ";") &&
            !atx_guards_uses(t, i, (atx_span){ end, f->body.end }))
            times = atx_range_below(times.most); /* the last step is behind the last use */
        atx_range by =
            steps ? atx_range_exactly(atx_poly_number(1)) : atx_bounds_of(b, f, (atx_span){ i + 2, stop });
        by = scaled(w->z, known->arg, by, known->bytes);
        by.known = by.known && times.known;
        by.most = by.known ? atx_poly_multiply(&b->symbols, &by.most, &times.most) : by.most;
        if (!w->record)
            atx_bounds_step(b, f, known, i, plus(known->from, by), plus(known->before, by));
        return;
    }
    size_t begin = i;
    while (begin > f->body.begin && !atx_tokens_is(t, begin - 1, ";") && !atx_tokens_is(t, begin - 1, "{") &&
           !atx_tokens_is(t, begin - 1, "}"))
        begin--;
    size_t equal = i; /* the last one before the name that no bracket encloses */
    while (equal > begin && !atx_tokens_is(t, equal, "="))
        equal--;
    if (w->record || equal <= begin || !atx_tokens_is_word(t, equal - 1) || end >= f->body.end)
        return;
    const bool star = atx_guards_points(t, begin, equal - 1);
    atx_bound_name *target = atx_bounds_name(f, t, equal - 1);
    if (!star && equal - 1 != begin)
        return;
    if (w->again && !(star && is_of_stepped(f, equal - 1, i)))
        return;
    const size_t comma = atx_code_comma(t, equal + 1, end);
    atx_bound_name p = pointer_of(w, f, (atx_span){ equal + 1, comma });
    if (p.arg < 0)
        return;
    atx_draft_word(name, t, equal - 1);
    p.declared = equal - 1;
    const size_t around = atx_guards_around(t, f->body.begin, begin);
    const bool always = around == SIZE_MAX || around == f->body.begin;
    if (target && target->arg == p.arg && !star) { /* A = &A[row * K]; */
        target->from = always ? p.from : atx_range_larger(&b->symbols, target->from, p.from);
        return;
    }
    if (target && target->arg >= 0 && target->arg != p.arg && !star) /* x = here ? a : b, by statements */
        w->z->reach[target->arg].doubtful = w->z->reach[p.arg].doubtful = true;
    target = target && target->arg >= 0 ? target : atx_bounds_add(f, name);
    if (target) {
        *target = p;
        memcpy(target->name, name, sizeof name);
    }
}

static void note_pointer(walk *w, atx_frame *f, size_t i)
{
    atx_guards *const own = f->guards;
    atx_guards earlier;
    if (own && atx_guards_of_uses(&earlier, own, f->t, f->body, i))
        f->guards = &earlier;
    make_pointer(w, f, i);
    f->guards = own;
}

/* ---- calls ---- */

/* template <int N> f(...), called as f<8>(...): N is 8 in its body. */
static void bind_template(walk *w, const atx_frame *f, atx_frame *inner, size_t list, size_t name)
{
    const atx_tokens *t = inner->t;
    size_t head = name;
    while (head > 0 && !atx_tokens_is(t, head, "template") && !atx_tokens_is(t, head, ";") &&
           !atx_tokens_is(t, head, "}"))
        head--;
    if (!atx_tokens_is(t, head, "template") || !atx_tokens_is(t, head + 1, "<") ||
        !atx_tokens_is(f->t, list, "<"))
        return;
    const size_t end = atx_tokens_match(t, head + 1), stop = atx_tokens_match(f->t, list);
    for (size_t at = head + 2, given = list + 1; at < end && given < stop;) {
        char word[ATX_MAX_WORD];
        const size_t comma = atx_code_comma(t, at, end), next = atx_code_comma(f->t, given, stop);
        atx_draft_word(word, t, atx_tokens_find(t, at, comma, "=") - 1);
        atx_bound_name *new = atx_bounds_add(inner, word);
        if (new)
            new->value = atx_bounds_of(&w->z->bounds, f, (atx_span){ given, next });
        at = comma + 1;
        given = next + 1;
    }
}

/* A function or macro of the file that is given a pointer: its parameters, and then its body. */
static void walk_call(walk *w, const atx_frame *f, size_t open, const atx_tokens *t, size_t params,
                      atx_span body)
{
    atx_bound_name *names = calloc(ATX_BOUND_NAMES, sizeof *names);
    atx_guards *guards = calloc(1, sizeof *guards);
    atx_frame inner = { .t = t, .body = body, .names = names, .depth = f->depth + 1, .guards = guards };
    const size_t end = atx_tokens_match(t, params), stop = atx_tokens_match(f->t, open);
    bool any = false;
    for (size_t at = params + 1, given = open + 1; names && at < end && given < stop;) {
        char name[ATX_MAX_WORD];
        const size_t comma = atx_code_comma(t, at, end), next = atx_code_comma(f->t, given, stop);
        size_t word = atx_tokens_find(t, at, comma, "=");
        word = atx_tokens_find(t, at, word, "[");
        atx_draft_word(name, t, word - 1);
        atx_bound_name p = pointer_of(w, f, (atx_span){ given, next }), *new = atx_bounds_add(&inner, name);
        if (new &&p.arg >= 0) {
            *new = p;
            memcpy(new->name, name, sizeof name);
            any = true;
        } else if (new) {
            new->value = atx_bounds_of(&w->z->bounds, f, (atx_span){ given, next });
        }
        at = comma + 1;
        given = next + 1;
    }
    const bool macro = t != &w->z->bounds.d->code;
    if (!macro && names && atx_tokens_is(f->t, open - 1, ">"))
        bind_template(w, f, &inner, f->t->items[open - 1].pair, params - 1);
    if (macro) {
        inner.outer = f;
        inner.outer_at = open;
        for (int k = 0; k < f->count && names; k++) { /* its body names the kernel's own pointers */
            atx_bound_name *new =
                atx_bounds_name(&inner, f->t, SIZE_MAX) ? NULL : atx_bounds_add(&inner, f->names[k].name);
            if (new)
                *new = f->names[k];
        }
    }
    if (names && guards && (any || macro)) {
        walk inside = { .z = w->z };
        atx_guards_read(guards, t, body);
        walk_frame(&inside, &inner);
        inside.record = w->record;
        inside.only = w->only;
        if (w->record)
            walk_frame(&inside, &inner);
    }
    free(names);
    free(guards);
}

static bool note_call(walk *w, atx_frame *f, size_t i)
{
    const atx_draft *d = w->z->bounds.d;
    const atx_tokens *t = f->t;
    char name[ATX_MAX_WORD];
    size_t open = i + 1;
    if (atx_tokens_is(t, open, "<") && atx_tokens_match(t, open) < f->body.end)
        open = atx_tokens_match(t, open) + 1;
    if (!atx_tokens_is(t, open, "(") || f->depth >= MOST_CALLS)
        return false;
    atx_draft_word(name, t, i);
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    const atx_draft_function *called = atx_draft_find_function(d, name);
    if (macro && macro->open)
        walk_call(w, f, open, &d->all, macro->open, macro->body);
    else if (called && called->open != d->kernel_text.open)
        walk_call(w, f, open, &d->code, called->open, (atx_span){ called->body + 1, called->end });
    else
        return false;
    return true;
}

/* The name of the function that is called with the bracket. */
static size_t called_at(const atx_tokens *t, size_t open)
{
    return open && atx_tokens_is(t, open - 1, ">") && t->items[open - 1].pair < open
               ? t->items[open - 1].pair - 1
               : open - 1;
}

/* Functions that touch one element: atomics, loads and stores. */
static bool is_access(const atx_tokens *t, size_t open)
{
    static const char *const BEGIN[] = { "atomic", "__ld", "ld", "__st", "st_", "load", "store", NULL };
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, called_at(t, open));
    for (int i = 0; BEGIN[i]; i++)
        if (strncmp(name, BEGIN[i], strlen(BEGIN[i])) == 0)
            return true;
    return false;
}

/* What a function that touches memory reaches behind its pointer. */
static atx_range of_tile(walk *w, const atx_frame *f, size_t open)
{
    const atx_tokens *t = f->t;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, called_at(t, open));
    const size_t end = atx_tokens_match(t, open), one = atx_code_comma(t, open + 1, end);
    if (!strstr(name, "matrix_sync") || atx_code_comma(t, one + 1, end) >= end)
        return atx_range_exactly(atx_poly_number(0));
    return atx_draft_fragment(&w->z->bounds, f, open);
}

/* Functions of the file, which are walked. */
static bool is_known(const walk *w, const atx_tokens *t, size_t open)
{
    char name[ATX_MAX_WORD];
    const atx_draft *d = w->z->bounds.d;
    atx_draft_word(name, t, called_at(t, open));
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    return atx_draft_find_function(d, name) || (macro && macro->open);
}

/* A pointer at token i that no bracket follows: *(p + j), ((float4 *)p)[j], f(p + j), p->x. */
static void note_use(walk *w, atx_frame *f, size_t i)
{
    const atx_tokens *t = f->t;
    const atx_range zero = atx_range_exactly(atx_poly_number(0));
    size_t begin = i;
    if (atx_tokens_is(t, i + 1, "->") || (atx_tokens_is(t, i - 1, "*") && !atx_tokens_is_word(t, i - 2))) {
        record(w, atx_bounds_name(f, t, i), zero, 0);
        return;
    }
    if (w->record && atx_guards_kept(t, f->body.begin, i))
        w->z->reach[atx_bounds_name(f, t, i)->arg].unknown = true;
    for (int level = 0; level < 5; level++) {
        const size_t open = atx_guards_around(t, f->body.begin, begin);
        if (open == SIZE_MAX || !atx_tokens_is(t, open, "("))
            return;
        const size_t close = atx_tokens_match(t, open);
        size_t before = open, cast = 0;
        if (before && atx_tokens_is(t, before - 1, ">") && t->items[before - 1].pair < before)
            before = cast = t->items[before - 1].pair - 1;
        const bool is_cast =
            cast && strstr(t->text + t->items[cast].begin, "_cast") == t->text + t->items[cast].end - 5;
        if (before && atx_tokens_is(t, before - 1, ")") && !is_cast) {
            const size_t pair = t->items[before - 1].pair;
            if (pair < before && bytes_of_cast(w->z->bounds.d, t, pair + 1, before - 1))
                before = pair; /* (float4 *)(p + j) */
        }
        const bool star = before && atx_tokens_is(t, before - 1, "*") && !is_call(t, open);
        atx_bound_name p = { .arg = -1 };
        if (atx_tokens_is(t, close + 1, "[") || star || (is_call(t, open) && !is_cast)) {
            const size_t comma_end = close;
            size_t from = open + 1;
            while (atx_code_comma(t, from, comma_end) < i)
                from = atx_code_comma(t, from, comma_end) + 1;
            const bool whole = is_call(t, open) && !is_cast;
            p = pointer_of(w, f,
                           whole ? (atx_span){ from, atx_code_comma(t, from, comma_end) }
                                 : (atx_span){ before, close + 1 });
        }
        if (p.arg >= 0 && atx_tokens_is(t, close + 1, "[")) {
            record(w, &p,
                   atx_bounds_of(&w->z->bounds, f, (atx_span){ close + 2, atx_tokens_match(t, close + 1) }),
                   0);
            return;
        }
        if (p.arg >= 0) {
            if (star)
                record(w, &p, zero, 0);
            else if (is_access(t, open))
                record(w, &p, of_tile(w, f, open), 0);
            else if (w->record && !is_known(w, t, open))
                w->z->reach[p.arg].unknown = true;
            return;
        }
        begin = before;
    }
}

/* "v.y[i]" of a pointer in a struct by value. */
static void note_field(walk *w, const atx_frame *f, size_t i)
{
    const atx_draft_field *field = atx_draft_find_field(w->z->bounds.d, f->t, i);
    if (!field || field->buffer < 0)
        return;
    const atx_bound_name p = { .arg = field->buffer, .from = atx_range_exactly(atx_poly_number(0)) };
    if (atx_tokens_is(f->t, i + 3, "["))
        record(w, &p, atx_bounds_of(&w->z->bounds, f, (atx_span){ i + 4, atx_tokens_match(f->t, i + 3) }), 0);
    else
        w->z->reach[p.arg].unknown = true;
}

/* y[i] = 1, y[i].x = 1, *y = 1: whether that leaves some of it. */
static void note_write(walk *w, const atx_frame *f, size_t i, int arg)
{
    const atx_tokens *t = f->t;
    const bool element = atx_tokens_is(t, i + 1, "[");
    size_t end = element ? atx_tokens_match(t, i + 1) + 1 : i + 1;
    while (element && atx_tokens_is(t, end, "."))
        end += 2;
    if (!w->record || !atx_tokens_is(t, end, "=") ||
        (!element && !(i && atx_tokens_is(t, i - 1, "*") && !atx_tokens_is_word(t, i - 2))))
        return;
    const char *value = t->text + t->items[end + 1].begin; /* = 0; = 0.0f; */
    w->z->reach[arg].writes++;
    w->z->reach[arg].nulls += value[0] == '0' && atx_tokens_is(t, end + 2, ";") &&
                              strspn(value, "0.fFuUlL") == t->items[end + 1].end - t->items[end + 1].begin;
    w->z->reach[arg].partial += atx_draft_leaves_some(&w->z->bounds, f, i);
}

static bool leaves_out(const walk *w, const atx_frame *f, size_t i, int arg)
{
    const atx_draft *d = w->z->bounds.d;
    if (w->only)
        return arg >= ATX_DRAFT_ARGS || !(w->only >> arg & 1);
    return f->t == &d->code && atx_draft_is_off(d, f->t, f->body, i);
}

static void walk_frame(walk *w, atx_frame *f)
{
    const atx_tokens *t = f->t;
    for (size_t i = f->body.begin; i < f->body.end; i++) {
        if (!atx_tokens_is_word(t, i) || atx_guards_member(t, i))
            continue;
        const atx_bound_name *p = atx_bounds_name(f, t, i);
        if (!p || atx_tokens_is(t, i + 1, "(")) { /* a macro may have the name of what it indexes */
            (void)note_call(w, f, i);
            note_field(w, f, i);
            continue;
        }
        if (p->arg < 0 || (p->declared == i && t == &w->z->bounds.d->code))
            continue;
        if (w->record && leaves_out(w, f, i, p->arg))
            continue;
        const bool element = atx_tokens_is(t, i + 1, "["), address = i && atx_tokens_is(t, i - 1, "&");
        const bool moves = address && i > 3 && atx_tokens_is(t, i - 2, "=") && atx_code_same(t, i - 3, i);
        note_write(w, f, i, p->arg);
        if (moves && w->record)
            continue; /* A = &A[row * K]: no access */
        if (element && !(address && !w->record)) {
            const size_t close = atx_tokens_match(t, i + 1);
            w->z->reach[p->arg].before |= atx_tokens_find(t, i + 2, close, "-") < close;
            record(w, p, atx_bounds_of(&w->z->bounds, f, (atx_span){ i + 2, close }),
                   bytes_in_macro(w->z->bounds.d, t, f->body.begin, i, close + 1));
        } else if (!element && !w->record) {
            note_pointer(w, f, i);
        } else if (!element) {
            note_use(w, f, i);
        }
        if (element && address && w->record)
            note_use(w, f, i);
        else if (element && address)
            note_pointer(w, f, i);
    }
}

void atx_draft_walk(atx_sizing *z)
{
    walk w = { .z = z };
    const int budget = z->bounds.budget; /* for each time: a large kernel needs most of it */
    walk_frame(&w, &z->frame);
    w.again = true;
    z->bounds.budget = budget;
    walk_frame(&w, &z->frame);
    w.record = true;
    z->bounds.budget = budget;
    walk_frame(&w, &z->frame);
    z->bounds.budget = budget;
    for (int k = 0; k < z->bounds.d->arg_count; k++)
        w.only |= (uint64_t)(!z->reach[k].any && !z->reach[k].unknown) << k;
    if (w.only)
        walk_frame(&w, &z->frame);
}
