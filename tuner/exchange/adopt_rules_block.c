/*
 * adopt_rules_block.c - what a kernel takes for granted of its block, by the way it uses threadIdx: as many
 * threads in two directions, where an index has the block of one and the thread of the other, as transposes
 * do; and a thread for each of a size's elements, where one that has none is left out and no other is done
 * later.
 */
#include "exchange/adopt_sizes.h"

#include <stdlib.h>
#include <string.h>

/* "NAME.x" at token i: its axis; -1: it is something else. */
static int axis_of(const atx_tokens *t, size_t i, const char *name)
{
    char axis[ATX_MAX_WORD];
    if (!atx_tokens_is(t, i, name) || !atx_tokens_is(t, i + 1, "."))
        return -1;
    atx_draft_word(axis, t, i + 2);
    return axis[0] >= 'x' && axis[0] <= 'z' && !axis[1] ? axis[0] - 'x' : -1;
}

/* Whether a parameter decides the block in that direction. */
static bool is_tuned(const atx_draft *d, int axis)
{
    const char *block = d->block[axis];
    return d->block_param[axis][0] || atx_draft_names_param(d, block);
}

static void require_block(atx_draft *d, int axis, const char *sign, const char *other, const char *why)
{
    atx_str text = { 0 };
    if (strcmp(sign, "==") == 0)
        atx_str_addf(&text, "%s == %s", d->block[axis], other);
    else
        atx_str_addf(&text, "%s %s %s", other, sign, d->block[axis]);
    if (!text.failed)
        atx_draft_add_rule(d, text.data, why);
    atx_str_clear(&text);
}

/* blockIdx.y * blockDim.y + threadIdx.x at token i, in either order. */
static void read_exchange(atx_draft *d, const atx_tokens *t, size_t i)
{
    const int of = axis_of(t, i, "blockIdx") >= 0 ? axis_of(t, i, "blockIdx") : axis_of(t, i, "blockDim");
    const char *other = axis_of(t, i, "blockIdx") >= 0 ? "blockDim" : "blockIdx";
    if (of < 0 || !atx_tokens_is(t, i + 3, "*") || axis_of(t, i + 4, other) != of)
        return;
    int thread = atx_tokens_is(t, i + 7, "+") ? axis_of(t, i + 8, "threadIdx") : -1;
    if (thread < 0 && i >= 4 && atx_tokens_is(t, i - 1, "+"))
        thread = axis_of(t, i - 4, "threadIdx");
    if (thread >= 0 && thread != of && (is_tuned(d, of) || is_tuned(d, thread)) && d->block[of][0] &&
        d->block[thread][0] && strcmp(d->block[of], d->block[thread]) != 0)
        require_block(d, thread < of ? thread : of, "==", d->block[thread < of ? of : thread],
                      "an index has the block of one direction and the thread of another");
}

/* threadIdx.x, or a name that is given that and nothing else: the axis; -1: neither. */
static int thread_axis(const atx_frame *f, atx_span span)
{
    const atx_tokens *t = f->t;
    if (span.end == span.begin + 3)
        return axis_of(t, span.begin, "threadIdx");
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, span.begin);
    if (span.end != span.begin + 1 || !name[0])
        return -1;
    const size_t declared = atx_guards_declaration(t, f->body.begin, name, span.begin);
    if (declared == SIZE_MAX || !atx_tokens_is(t, declared + 1, "=") ||
        !atx_tokens_is(t, declared + 5, ";") || atx_guards_loop(t, f->body.begin, declared) != SIZE_MAX ||
        atx_guards_given(t, declared, declared + 1, f->body.end))
        return -1;
    return axis_of(t, declared + 2, "threadIdx");
}

/* if (threadIdx.x < n) here, which no loop comes back to. */
static void read_guard(atx_draft *d, atx_sizing *z, const atx_guard *g)
{
    const atx_tokens *t = z->frame.t;
    const int axis = g->inclusive ? -1 : thread_axis(&z->frame, g->less);
    const bool asks = atx_tokens_is(t, g->holds.end, ")") && /* t >= n || another question */
                      atx_tokens_find(t, g->holds.begin, g->holds.end, "||") < g->holds.end;
    if (axis < 0 || !is_tuned(d, axis) || g->than.end != g->than.begin + 1 || asks)
        return;
    for (size_t i = g->holds.begin; i < g->holds.end; i++) /* for (j = tid; j < n; j += blockDim.x) */
        if (atx_tokens_is(t, i, "+=") && axis_of(t, i + 1, "blockDim") == axis)
            return;
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].dim && atx_tokens_is(t, g->than.begin, d->args[k].arg.name))
            require_block(d, axis, "<=", d->args[k].name, "a thread for each");
}

/* Whether threads go on to further elements: a loop by gridDim. */
static bool strides(const atx_draft *d)
{
    return atx_draft_uses(d, "gridDim");
}

/* A number of elements that is none of the problem's sizes: what the launch passes. */
static atx_poly as_passed(void *context, int id)
{
    const atx_sizing *z = context;
    const int tag = z->bounds.symbols.items[id].tag;
    const atx_draft_arg *a = tag >= 0 && tag < z->bounds.d->arg_count ? &z->bounds.d->args[tag] : NULL;
    char *end = NULL;
    const long value = a && !a->stars && !a->dim ? strtol(a->value, &end, 10) : 0;
    return value > 0 && !*end ? atx_poly_number(value) : atx_poly_symbol(id);
}

/* Whether blocks of other sizes may do less than `size`, while the author's do all of it. */
static bool may_cover(atx_sizing *z, const atx_poly *size, const atx_poly *all)
{
    const atx_poly authored = atx_draft_as_author(&z->bounds, all);
    long number, most;
    return atx_poly_is_number(&number, size) ? atx_poly_is_number(&most, &authored) && number <= most
                                             : atx_draft_has_sizes(z, size);
}

/* As many blocks as a number says, of so many elements each: no more are done. */
static void read_cover(atx_draft *d, atx_sizing *z, int axis)
{
    atx_bounding *b = &z->bounds;
    atx_poly size, step;
    long blocks = 0;
    if (!b->grid_known[axis] || !atx_poly_is_number(&blocks, &b->grid[axis]) || strides(d) || d->loop_count ||
        !atx_bounds_axis(&size, &step, b, &z->frame, axis))
        return;
    size = atx_poly_replace(&b->symbols, &size, as_passed, z);
    const atx_poly number = atx_poly_number(blocks), all = atx_poly_multiply(&b->symbols, &step, &number);
    atx_str text = { 0 };
    atx_poly_write(&text, &b->symbols, &size);
    atx_str_add(&text, " <= ");
    atx_poly_write(&text, &b->symbols, &all);
    if (!text.failed && !all.bad && all.count && !strchr(text.data, '.') && may_cover(z, &size, &all))
        atx_draft_add_rule(d, text.data, "what its blocks cover");
    atx_str_clear(&text);
}

/* cub::BlockReduce<float, 32, ALGORITHM, 8> of a block of 32 x 8: it is for no other one. */
static void fix_collective(atx_draft *d)
{
    static const char *const NAMES[] = { "BlockReduce",    "BlockScan",          "BlockLoad",
                                         "BlockStore",     "BlockRadixSort",     "BlockExchange",
                                         "BlockMergeSort", "BlockShuffle",       "BlockHistogram",
                                         "BlockRadixRank", "BlockDiscontinuity", NULL };
    static const int AXIS_OF[] = { -1, 0, -1, 1, 2 }; /* by argument */
    const atx_tokens *t = &d->code;
    for (size_t i = 0; i + 1 < t->count; i++) {
        char name[ATX_MAX_WORD];
        long threads = 0;
        if (!d->reached[i] || !atx_token_is_one_of(t->text, &t->items[i], NAMES) ||
            !atx_tokens_is(t, i + 1, "<") || atx_tokens_match(t, i + 1) >= t->count)
            continue;
        const size_t end = atx_tokens_match(t, i + 1);
        size_t at = i + 2;
        for (int n = 0; n < 5 && at < end; n++, at = atx_code_comma(t, at, end) + 1) {
            const atx_span given = { at, atx_code_comma(t, at, end) };
            const int k = AXIS_OF[n];
            atx_draft_word(name, t, at);
            if (k >= 0 && d->block_param[k][0] && !atx_draft_find_param(d, name) &&
                atx_draft_number(&threads, d, t, given) && threads == d->block_value[k])
                atx_draft_fix_param(d, d->block_param[k]);
        }
    }
}

void atx_draft_read_block(atx_draft *d, atx_sizing *z)
{
    fix_collective(d);
    for (int axis = 0; axis < ATX_ALL_AXES; axis++)
        read_cover(d, z, axis);
    for (size_t i = 0; i < d->code.count; i++)
        if (d->reached[i])
            read_exchange(d, &d->code, i);
    for (int k = 0; k < z->guards.count; k++)
        read_guard(d, z, &z->guards.items[k]);
}
