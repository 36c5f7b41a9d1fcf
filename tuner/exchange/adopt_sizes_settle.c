/*
 * adopt_sizes_settle.c - from how far a kernel reaches to what a draft says: which arguments are sizes of the
 * problem, a grid for unknown ones, and a number in place of a parameter that sizes depend on.
 */
#include "exchange/adopt_sizes.h"

#include "util/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the grid ---- */

typedef struct settled_axis {
    atx_poly blocks;
    bool known;
} settled_axis;

typedef struct settling {
    atx_draft *d;
    atx_sizing *z;
    settled_axis axes[3];
    bool fixed[ATX_POLY_SYMBOLS];               /* parameters that become numbers          */
    bool own[ATX_DRAFT_ARGS][ATX_POLY_SYMBOLS]; /* that are, in the size of that argument */
    int at;                                     /* which argument is settled               */
} settling;

/* Whether the kernel, or what it calls, reads blockIdx in that direction; -1: in any. */
static bool reads_axis(const atx_draft *d, int k)
{
    const atx_tokens *t = &d->code;
    const char axis[2] = { (char)('x' + k), '\0' };
    for (size_t i = 0; i + 2 < t->count; i++)
        if (d->reached[i] && atx_tokens_is(t, i, "blockIdx") && (k < 0 || atx_tokens_is(t, i + 2, axis)))
            return true;
    return false;
}

/* A size of the problem that the kernel is not told: how many blocks, or elements of them. */
static bool add_extra(char out[ATX_MAX_WORD], atx_draft *d, const char *name)
{
    if (d->extra_count == ATX_DRAFT_EXTRA)
        return false;
    char *new = d->extra_name[d->extra_count];
    atx_draft_free_name(new, d, name);
    d->extra[d->extra_count++][0] = '\0';
    memcpy(out, new, ATX_MAX_WORD);
    return true;
}

static void write_grid(settling *s, int k)
{
    atx_str text = { 0 };
    atx_poly_write(&text, &s->z->bounds.symbols, &s->axes[k].blocks);
    if (!text.failed && text.len < ATX_DRAFT_EXPR)
        snprintf(s->d->grid[k], ATX_DRAFT_EXPR, "%s", atx_str_text(&text));
    atx_str_clear(&text);
}

/* The kernel's only whole number, where it is compared with nothing: how many elements there are. -1: none.
 */
static int only_size(const settling *s)
{
    const atx_draft *d = s->d;
    int found = -1;
    for (int i = 0; i < d->arg_count; i++) {
        const atx_draft_arg *a = &d->args[i];
        if (a->stars || !a->type.dtype || !strchr("iu", a->type.dtype[0]) || a->value[0] || a->own ||
            atx_host_contains(a->name, "seed"))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    for (int k = 0; found >= 0 && k < s->z->guards.count; k++)
        for (size_t i = s->z->guards.items[k].than.begin; i < s->z->guards.items[k].than.end; i++)
            if (atx_tokens_is(s->z->frame.t, i, d->args[found].arg.name))
                return -1;
    return found;
}

/* The size that all tensors have: adopt_tensor.c. extra_count: there is none. */
static int extent(const atx_draft *d)
{
    int k = 0;
    while (k < d->extra_count && !d->extra_extent[k])
        k++;
    return k;
}

/* A size of its own for a direction; of tensors it is theirs. */
static bool add_axis(char out[ATX_MAX_WORD], int *extra, atx_draft *d, const char *name)
{
    *extra = extent(d);
    if (*extra < d->extra_count) {
        memcpy(out, d->extra_name[*extra], ATX_MAX_WORD);
        return true;
    }
    return add_extra(out, d, name);
}

/* Of a direction of unknown size: as many blocks as what the kernel compares its index with needs. */
static void settle_axis(settling *s, int k)
{
    static const char *const BLOCKS[] = { "blocks", "blocks_y", "blocks_z" };
    static const char *const COUNT[] = { "count", "count_y", "count_z" };
    atx_bounding *b = &s->z->bounds;
    atx_poly size, step = { 0 };
    char name[ATX_MAX_WORD];
    if (b->grid_known[k])
        return;
    if (!reads_axis(s->d, k)) {
        if (k == 0 && !reads_axis(s->d, -1) && !s->d->grid_sync && !s->d->launched)
            snprintf(s->d->grid[0], sizeof s->d->grid[0], "1");
        return;
    }
    if (atx_bounds_axis(&size, &step, b, &s->z->frame, k)) {
        s->axes[k] = (settled_axis){ atx_poly_divide_up(&b->symbols, &size, &step), true };
    } else {
        long number = 0;
        int extra = 0;
        const bool one = !step.count || (atx_poly_is_number(&number, &step) && number == 1);
        const int arg = k || one ? -1 : only_size(s);
        if (arg >= 0)
            size = atx_poly_symbol(atx_poly_named(&b->symbols, s->d->args[arg].name, ATX_TAG_ARG + arg));
        else if (add_axis(name, &extra, s->d, one ? BLOCKS[k] : COUNT[k]))
            size = atx_poly_symbol(atx_poly_named(&b->symbols, name, ATX_TAG_EXTRA + extra));
        else
            return;
        s->axes[k] = (settled_axis){ one ? size : atx_poly_divide_up(&b->symbols, &size, &step), true };
    }
    const bool has = s->d->launched && s->d->grid[k][0]; /* of sizeof, device.sms, ... */
    const bool sized = has && atx_draft_is_of_grid(s->d, s->z, k);
    if (s->axes[k].blocks.bad)
        s->axes[k].known = false;
    else if (!has || sized)
        write_grid(s, k);
    s->d->grid_guessed = s->d->grid_guessed || sized;
}

/* ---- which arguments are sizes ---- */

static uint64_t arguments_in(const atx_poly_table *s, const atx_poly *p)
{
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++)
        if (s->items[i].kind == ATX_SYMBOL_NAME && s->items[i].tag < ATX_TAG_EXTRA && atx_poly_has(s, p, i))
            all |= (uint64_t)1 << (s->items[i].tag - ATX_TAG_ARG);
    return all;
}

static uint64_t extras_in(const atx_poly_table *s, const atx_poly *p)
{
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++)
        if (s->items[i].kind == ATX_SYMBOL_NAME && s->items[i].tag >= ATX_TAG_EXTRA &&
            s->items[i].tag < ATX_TAG_PARAM && atx_poly_has(s, p, i))
            all |= (uint64_t)1 << (63 - (s->items[i].tag - ATX_TAG_EXTRA));
    return all;
}

/* Whether an argument is no size of the problem: an offset, or a number of elements that the launch passes as
 * a constant, where its grid of numbers has just as many threads; another one would leave some or reach too
 * far. */
static bool is_fixed(settling *s, int arg)
{
    enum { MOST_BLOCK = 1024 };
    const atx_draft *d = s->d;
    const atx_draft_arg *a = &d->args[arg];
    const long passed = a->stars || a->own ? 0 : strtol(a->value, NULL, 10);
    long reached;
    if (atx_draft_is_offset(a))
        return true;
    for (int k = 0; k < d->arg_count && passed > MOST_BLOCK; k++) {
        const atx_poly most = atx_draft_as_author(&s->z->bounds, &s->z->reach[k].most);
        if (d->args[k].stars && s->z->reach[k].any && atx_poly_is_number(&reached, &most) &&
            reached == passed)
            return true;
    }
    return false;
}

static void choose_dims(settling *s)
{
    atx_draft *d = s->d;
    uint64_t dims = 0, first = 0, fixed = 0;
    for (int i = 0; i < d->arg_count; i++)
        fixed |= (uint64_t)is_fixed(s, i) << i;
    for (int k = 0; k < d->arg_count; k++) {
        atx_reach *reach = &s->z->reach[k];
        if (!d->args[k].stars || !reach->any)
            continue;
        d->args[k].dims = arguments_in(&s->z->bounds.symbols, &reach->most) |
                          extras_in(&s->z->bounds.symbols, &reach->most);
        dims |= d->args[k].dims & (((uint64_t)1 << d->arg_count) - 1);
        if (s->z->hosts[k].sized && reach->most.count != 1) /* which may be plainer */
            dims |= arguments_in(&s->z->bounds.symbols, &s->z->hosts[k].elements);
    }
    for (int k = 0; k < d->arg_count; k++)
        if (!d->args[k].stars && !d->args[k].own && atx_draft_launches_with(d, d->args[k].name))
            first |= (uint64_t)1 << k;
    if (s->z->reach[ATX_SHARED].any && d->shared_guessed)
        dims |= arguments_in(&s->z->bounds.symbols, &s->z->reach[ATX_SHARED].most);
    for (int k = 0; k < d->arg_count; k++) /* unknown: as large as the grid's sizes make it */
        if (d->args[k].stars && (!s->z->reach[k].any || s->z->reach[k].unknown)) {
            d->args[k].dims = (s->z->reach[k].any ? d->args[k].dims : 0) | first;
            for (int i = 0; i < d->extra_count; i++)
                if (!d->extra_counts[i])
                    d->args[k].dims |= (uint64_t)1 << (63 - i);
        }
    atx_draft_choose_dims(d, dims & ~fixed, first & ~fixed);
}

/* ---- the text ---- */

/* The first size of the problem that a buffer's size is made of, or the problem's first. */
static atx_poly own_size(settling *s, int k)
{
    atx_draft *d = s->d;
    atx_poly_table *symbols = &s->z->bounds.symbols;
    for (int i = 0; i < d->extra_count; i++)
        if (d->args[k].dims >> (63 - i) & 1)
            return atx_poly_symbol(atx_poly_named(symbols, d->extra_name[i], ATX_TAG_EXTRA + i));
    for (int i = 0; i < d->arg_count; i++)
        if ((d->args[k].dims >> i & 1) && d->args[i].dim)
            return atx_poly_symbol(atx_poly_named(symbols, d->args[i].name, ATX_TAG_ARG + i));
    return atx_poly_symbol(atx_poly_named(symbols, atx_draft_first_dim(d), ATX_TAG_OTHER));
}

/* Whether the kernel reads elements i and i + 1 up to a size: where rows begin. */
static bool are_offsets(const atx_sizing *z, int k)
{
    const atx_poly *p = &z->reach[k].most;
    long ones = 0, sizes = 0;
    for (int i = 0; i < p->count; i++) {
        ones += p->terms[i].degree == 0 && p->terms[i].factor == 1;
        sizes += p->terms[i].degree == 1 && p->terms[i].factor == 1 &&
                 z->bounds.symbols.items[p->terms[i].of[0]].kind == ATX_SYMBOL_NAME;
    }
    return z->reach[k].any && p->count == 2 && ones == 1 && sizes == 1;
}

enum { ROW = 16 }; /* elements of a row, on average */

/* An integer of a buffer is below that. */
static atx_poly below(settling *s, int k)
{
    const char *type = s->d->args[k].type.dtype;
    const atx_poly one = atx_poly_number(1), none = atx_poly_number(0), row = atx_draft_row(s->d, s->z, k),
                   size = row.count ? row : own_size(s, k);
    if (type && strcmp(type, "u8") == 0)
        return atx_poly_number(256);
    if (type && (strcmp(type, "i8") == 0 || strcmp(type + 1, "16") == 0))
        return atx_poly_number(100);
    return are_offsets(s->z, k) ? atx_poly_add(&one, &size, ROW) : atx_poly_add(&size, &none, 1);
}

static atx_poly of_name(void *context, int id)
{
    settling *s = context;
    const atx_poly_entry *symbol = &s->z->bounds.symbols.items[id];
    const int tag = symbol->tag;
    if (tag < ATX_TAG_EXTRA) {
        const atx_draft_arg *a = &s->d->args[tag - ATX_TAG_ARG];
        return a->dim ? atx_poly_symbol(id) : atx_poly_number(strtol(atx_draft_value(a), NULL, 10));
    }
    if (tag >= ATX_TAG_ELEMENT && tag < ATX_TAG_OTHER)
        return below(s, tag - ATX_TAG_ELEMENT);
    if (tag >= ATX_TAG_GRID && tag < ATX_TAG_ELEMENT) {
        const settled_axis *a = &s->axes[tag - ATX_TAG_GRID];
        return a->known ? atx_poly_replace(&s->z->bounds.symbols, &a->blocks, of_name, s)
                        : atx_poly_symbol(id);
    }
    return atx_poly_symbol(id);
}

/* As a size, which no parameter is in. */
static atx_poly as_number(void *context, int id)
{
    settling *s = context;
    const atx_poly_entry *symbol = &s->z->bounds.symbols.items[id];
    long value = 1;
    if (symbol->tag != ATX_TAG_PARAM || !atx_draft_param_value(&value, s->d, symbol->name))
        return atx_poly_symbol(id);
    return atx_poly_number(s->fixed[id] || s->own[s->at][id] ? value
                                                             : atx_draft_largest(s->d, symbol->name, value));
}

/* Whether all its terms are taken away: what was not understood. */
static bool is_below_zero(const atx_poly *p)
{
    bool below = true;
    for (int i = 0; i < p->count; i++)
        below = below && p->terms[i].factor < 0;
    return below;
}

/* a % b == 0, where blocks reach behind a size that they do not divide. */
static void add_require(settling *s, int symbol)
{
    atx_draft *d = s->d;
    atx_poly_table *symbols = &s->z->bounds.symbols;
    atx_str text = { 0 };
    const atx_poly a = atx_poly_replace(symbols, &symbols->items[symbol].a, of_name, s);
    const atx_poly b = atx_poly_replace(symbols, &symbols->items[symbol].b, of_name, s);
    long number;
    if (d->require_count == ATX_DRAFT_REQUIRE || atx_poly_is_number(&number, &a) ||
        (atx_poly_is_number(&number, &b) && number == 1) || is_below_zero(&a) ||
        atx_bounds_of_data(&s->z->bounds, &symbols->items[symbol].a))
        return;
    atx_str_add(&text, a.count > 1 ? "(" : "");
    atx_poly_write(&text, symbols, &a);
    atx_str_add(&text, a.count > 1 ? ") % " : " % ");
    const bool product =
        b.count > 1 || b.terms[0].degree > 1 || (b.terms[0].degree && b.terms[0].factor != 1);
    atx_str_add(&text, product ? "(" : "");
    atx_poly_write(&text, symbols, &b);
    atx_str_add(&text, product ? ")" : "");
    for (int i = 0; i < d->require_count && !text.failed; i++)
        if (strcmp(d->require[i], atx_str_text(&text)) == 0)
            text.failed = true;
    if (!text.failed && text.len < ATX_DRAFT_EXPR)
        snprintf(d->require[d->require_count++], ATX_DRAFT_EXPR, "%s", atx_str_text(&text));
    atx_str_clear(&text);
}

enum { MOST_TEXT = 120 };

static void write_poly(char out[ATX_DRAFT_EXPR], settling *s, const atx_poly *p)
{
    atx_str text = { 0 };
    out[0] = '\0';
    atx_poly_write(&text, &s->z->bounds.symbols, p);
    if (text.len >= MOST_TEXT) { /* something simple that is not less */
        const atx_poly over = atx_poly_over(&s->z->bounds.symbols, p);
        atx_str_reset(&text);
        atx_poly_write(&text, &s->z->bounds.symbols, &over);
    }
    if (!p->bad && p->count && !text.failed && text.len < ATX_DRAFT_EXPR && !strchr(text.data, '.'))
        snprintf(out, ATX_DRAFT_EXPR, "%s", text.data);
    atx_str_clear(&text);
}

/* width * height - width - 1, as of the inner part of a grid: the whole grid. */
static atx_poly whole(atx_poly p)
{
    atx_poly one = { 0 };
    memcpy(one.rounded, p.rounded, sizeof one.rounded);
    for (int i = 0; i < p.count; i++)
        if (p.terms[i].factor > 0)
            one.terms[one.count++] = p.terms[i];
    return one.count == 1 && one.terms[0].degree ? one : p;
}

/* Whether a number of a buffer with one, or one that the file does not say, decides it. */
static bool is_open(const settling *s, const atx_poly *p)
{
    const atx_poly_table *symbols = &s->z->bounds.symbols;
    long number = 0;
    for (int i = 0; i < symbols->count; i++) {
        const int tag = symbols->items[i].tag, of = tag - ATX_TAG_ELEMENT;
        if (symbols->items[i].kind != ATX_SYMBOL_NAME || !atx_poly_has(symbols, p, i))
            continue;
        if (tag < ATX_TAG_EXTRA && !s->d->args[tag].dim && !s->d->args[tag].value[0] &&
            !atx_draft_is_offset(&s->d->args[tag]))
            return true;
        if (of >= 0 && of < ATX_DRAFT_ARGS && atx_poly_is_number(&number, &s->z->reach[of].most) &&
            number == 1)
            return true;
    }
    return false;
}

enum { TRIALS = 7 };

/* What the host allocates for it, where that is less than what the kernel may reach, or something else. */
static void compare_with_host(settling *s, int k, const atx_poly *size)
{
    atx_draft_arg *a = &s->d->args[k];
    atx_poly_table *symbols = &s->z->bounds.symbols;
    const atx_host_buffer *host = &s->z->hosts[k];
    long number, own;
    if (!host->sized || a->allocated || is_open(s, &host->elements))
        return;
    atx_poly has = atx_poly_replace(symbols, &host->elements, of_name, s);
    has = atx_poly_replace(symbols, &has, as_number, s);
    const atx_poly lanes = atx_poly_number(a->type.lanes);
    has = atx_poly_multiply(symbols, &has, &lanes);
    const bool numbers = atx_poly_is_number(&number, &has), both = numbers && atx_poly_is_number(&own, size);
    if (has.bad || (a->size[0] && ((numbers && !both) || atx_poly_within(size, &has))))
        return;
    bool less = true, plain = size->count == 1 && size->terms[0].factor > 0;
    for (int trial = 0; trial < TRIALS; trial++)
        less = less && atx_poly_at(symbols, size, trial) <= atx_poly_at(symbols, &has, trial);
    if (a->size[0] && plain && !atx_poly_within(&has, size)) /* other sizes, of which the kernel is certain */
        return;
    a->allocated = host->allocated;
    write_poly(less ? a->size : a->host_size, s, &has);
}

/* Whether a parameter that the file does not define is left in it. */
static bool has_guessed(const settling *s, const atx_poly *p)
{
    const atx_poly_table *symbols = &s->z->bounds.symbols;
    for (int i = 0; i < symbols->count; i++)
        if (symbols->items[i].tag == ATX_TAG_PARAM && atx_draft_guesses_param(s->d, symbols->items[i].name) &&
            atx_poly_has(symbols, p, i))
            return true;
    return false;
}

/* k<<<grid, block>>>(x + 4), of a kernel that reads x[i - 4]. */
static bool begins_inside(const settling *s, int k)
{
    const atx_host_launch *l = &s->d->launch;
    return s->d->launched && k < l->arg_count && s->z->reach[k].before &&
           atx_tokens_find(&s->d->code, l->args[k][0], l->args[k][1], "+") < l->args[k][1];
}

/* const void *, State *: the type of its elements is unknown. */
static bool is_of_anything(const atx_draft *d, const atx_draft_arg *a)
{
    const atx_draft_targ *targ = a->type.targ >= 0 ? &d->targs[a->type.targ] : NULL;
    return !a->type.dtype && !a->structure && !(targ && (targ->dtype || strcmp(targ->text, "T") == 0));
}

static void settle_buffer(settling *s, int k)
{
    atx_draft_arg *a = &s->d->args[k];
    atx_poly_table *symbols = &s->z->bounds.symbols;
    const atx_reach *reach = &s->z->reach[k];
    s->at = k;
    a->size_guessed = !reach->any || reach->unknown;
    a->before = begins_inside(s, k);
    if (a->size_guessed)
        return;
    const atx_poly size = atx_poly_replace(symbols, &reach->most, of_name, s);
    const atx_poly fixed = whole(atx_poly_replace(symbols, &size, as_number, s));
    const atx_poly lanes = atx_poly_number(a->type.lanes);
    const atx_poly all = atx_poly_multiply(symbols, &fixed, &lanes);
    for (int i = 0; i < ATX_POLY_ROUNDED && all.rounded[i] && !all.bad; i++)
        if (!atx_draft_may_round(symbols, &all, all.rounded[i] - 1))
            add_require(s, all.rounded[i] - 1);
        else if (atx_bounds_of_sizes(&s->z->bounds,
                                     &symbols->items[all.rounded[i] - 1].b)) /* i / w * w + i % w */
            a->zeroed = a->zeroed || (a->written && !a->read);
    write_poly(a->size, s, &all);
    if (a->written && !a->read && (all.count > 1 || strpbrk(a->size, "+-")))
        a->zeroed = true; /* rows with gaps, a bound that is too large */
    compare_with_host(s, k, &all);
    a->size_guessed = (!a->size[0] && !a->host_size[0]) || reach->doubtful || is_open(s, &reach->most) ||
                      has_guessed(s, &size) || is_of_anything(s->d, a);
    if (!a->size[0]) {
        memcpy(a->size, a->host_size, sizeof a->size);
        a->host_size[0] = '\0';
    }
}

/* A guess: no less than what of the kernel's accesses is understood. */
static void guess_size(settling *s, int k)
{
    atx_draft_arg *a = &s->d->args[k];
    atx_poly_table *symbols = &s->z->bounds.symbols;
    const atx_reach *reach = &s->z->reach[k];
    atx_draft_take_largest(s->d, k);
    if (!reach->any || !reach->unknown)
        return;
    const atx_poly size = atx_poly_replace(symbols, &reach->most, of_name, s);
    const atx_poly fixed = atx_poly_replace(symbols, &size, as_number, s);
    const atx_poly lanes = atx_poly_number(a->type.lanes);
    const atx_poly all = atx_poly_multiply(symbols, &fixed, &lanes);
    const uint64_t dims = arguments_in(symbols, &all) | extras_in(symbols, &all);
    if (!all.bad && dims && atx_draft_count_dims(dims) >= atx_draft_count_dims(a->dims))
        write_poly(a->size, s, &all);
}

static void write_holds(settling *s, int k)
{
    char text[ATX_DRAFT_EXPR];
    const bool offsets = are_offsets(s->z, k);
    const atx_poly one = atx_poly_number(1), limit = below(s, k),
                   p = atx_poly_add(&limit, &one, offsets ? -1 : 0);
    write_poly(text, s, &p);
    if (text[0])
        snprintf(s->d->args[k].holds, ATX_DRAFT_EXPR, offsets ? "offsets %.170s" : "index %.170s", text);
}

/* Whether the integers of a buffer are in an index, also as the end of a loop. */
static bool chooses(const atx_sizing *z, int k)
{
    for (int i = 0; i < z->bounds.symbols.count; i++)
        if (z->bounds.symbols.items[i].kind == ATX_SYMBOL_NAME &&
            z->bounds.symbols.items[i].tag == ATX_TAG_ELEMENT + k)
            return true;
    return false;
}

/* n / BLOCK blocks in each direction: what is left of n is done in none, or in some of these blocks. */
static void require_whole_grid(settling *s)
{
    const atx_bounding *b = &s->z->bounds;
    for (int k = 0; k < 3; k++) {
        const atx_poly_term *term = &b->grid[k].terms[0];
        const int id = term->of[0];
        if (b->grid_known[k] && b->grid[k].count == 1 && term->degree == 1 && term->factor == 1 &&
            b->symbols.items[id].kind == ATX_SYMBOL_FLOOR)
            add_require(s, id);
    }
}

/* Dynamic shared memory that the launch does not say: as far as the kernel reaches. */
static void settle_shared(settling *s)
{
    atx_draft *d = s->d;
    const atx_reach *reach = &s->z->reach[ATX_SHARED];
    const long bytes = atx_draft_bytes(d, &s->z->shared);
    char text[ATX_DRAFT_EXPR];
    if (!d->shared || !d->shared_guessed || d->shared_bytes[0] || !reach->any || !bytes)
        return;
    const atx_poly size = atx_poly_replace(&s->z->bounds.symbols, &reach->most, of_name, s);
    write_poly(text, s, &size);
    if (text[0] && strlen(text) < 170)
        snprintf(d->shared_bytes, sizeof d->shared_bytes,
                 strpbrk(text, "+-") ? "(%.170s) * %ld" : "%.170s * %ld", text, bytes);
}

/* A grid of sizes that the kernel is not told, where its own comparisons say how many blocks it needs. */
void atx_draft_forget_extras(atx_draft *d, atx_sizing *z)
{
    atx_bounding *b = &z->bounds;
    bool all = d->extra_count > 0;
    for (int i = 0; i < d->extra_count; i++) /* of a loop, of a struct's field: others have it */
        all = all && !d->extra_counts[i] && d->extra[i][0];
    for (int k = 0; k < 3; k++) {
        bool has = false;
        atx_poly size, step;
        for (int i = 0; i < d->extra_count; i++)
            has = has || atx_draft_names_word(d->grid[k], d->extra_name[i]);
        if (has && !(atx_bounds_axis(&size, &step, b, &z->frame, k) && !extras_in(&b->symbols, &size)))
            all = false;
    }
    for (int k = 0; k < 3 && all; k++)
        for (int i = 0; i < d->extra_count; i++)
            if (atx_draft_names_word(d->grid[k], d->extra_name[i])) {
                d->grid[k][0] = '\0';
                d->grid_guessed = d->grid_guessed || k;
            }
    d->extra_count = all ? 0 : d->extra_count;
}

/* Whether anything that is written names a size of the draft's own. */
static bool is_used(const atx_draft *d, int extra)
{
    const char *name = d->extra_name[extra];
    bool used = atx_draft_launches_with(d, name) || !d->launched || d->struct_count > 0;
    for (int k = 0; k < d->require_count; k++)
        used = used || atx_draft_names_word(d->require[k], name);
    for (int k = 0; k < d->arg_count; k++) {
        const atx_draft_arg *a = &d->args[k];
        used = used || atx_draft_names_word(a->size, name) || atx_draft_names_word(a->holds, name) ||
               (a->stars && !a->size[0]);
    }
    return used;
}

void atx_draft_settle_sizes(atx_draft *d, atx_sizing *z)
{
    settling s = { .d = d, .z = z };
    for (int k = 0; k < 3; k++)
        settle_axis(&s, k);
    choose_dims(&s);
    atx_draft_host_values(d);
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].stars && z->reach[k].any && !z->reach[k].unknown) {
            const atx_poly size = atx_poly_replace(&z->bounds.symbols, &z->reach[k].most, of_name, &s);
            atx_draft_keep_params(s.own[k], s.fixed, d, &z->bounds.symbols, &size, d->args[k].written);
        }
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].stars)
            settle_buffer(&s, k);
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].stars && (d->args[k].index || chooses(z, k))) {
            write_holds(&s, k);
        }
    require_whole_grid(&s);
    settle_shared(&s);
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].stars && !d->args[k].size[0])
            guess_size(&s, k);
    for (int i = 0; i < z->bounds.symbols.count; i++)
        if (s.fixed[i] && !atx_draft_guesses_param(d, z->bounds.symbols.items[i].name))
            atx_draft_fix_param(d, z->bounds.symbols.items[i].name);
    atx_draft_drop_rules(d);
    bool sized = false;
    for (int k = 0; k < d->arg_count; k++)
        sized = sized || d->args[k].dim;
    for (int i = 0; i < d->extra_count && sized; i++)
        d->extra_unused[i] = !d->extra[i][0] && !is_used(d, i);
}
