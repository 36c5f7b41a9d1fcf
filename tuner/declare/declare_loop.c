/*
 * declare_loop.c - loops of the host around launches:
 *
 *     repeat EXPR ...                 so often; `iteration` counts from 0
 *     repeat NAME = FIRST..LAST ...   NAME from FIRST to LAST; none where LAST is less
 *     repeat NAME = FIRST..LAST down ...
 *     end                             of the innermost loop; at the end of the declaration all loops end
 *
 * behind which `swap A B` exchanges two buffers after each iteration, and `swap A B from C` the same so that
 * the last iteration has A and B as written, and the first reads C in the place of B. An op has such lines
 * for its reference.
 *
 * The names are for what is different in each launch: its sizes, and a template's own arguments. Anything
 * else is the same for all of a configuration's launches, so nothing else may read them.
 */
#include "declare/declare.h"

#include <string.h>

#include "declare/declare_internal.h"

/* A name that another loop has, which is over, or the op's own loop, is the same one. */
static int slot_of(atx_lines *lines, const atx_loops *loops, const atx_loops *of_op, const char *name,
                   const char *at)
{
    for (int i = 0; i < loops->count; i++)
        if (strcmp(loops->items[i].name, name) == 0 && loops->items[i].end >= 0)
            return loops->items[i].slot;
    for (int i = 0; of_op && i < of_op->count; i++)
        if (strcmp(of_op->items[i].name, name) == 0)
            return of_op->items[i].slot;
    return atx_add_symbol(lines, name, at);
}

static bool sees_assignment(const atx_lines *lines)
{
    atx_lines ahead = *lines;
    const size_t n = atx_lines_word(&ahead);
    if (!n)
        return false;
    atx_lines_skip(&ahead, n);
    return atx_lines_sees(&ahead, "=") && !atx_lines_sees(&ahead, "==");
}

static void read_range(atx_lines *lines, atx_loop *loop)
{
    loop->first = atx_lines_expr(lines);
    atx_lines_take(lines, "..", "'..', as in repeat i = 0..n - 1");
    loop->last = atx_lines_expr(lines);
    loop->down = atx_lines_skip_word(lines, "down");
}

static int read_buffer(atx_lines *lines, const atx_op *op, bool may_be_input)
{
    char name[ATX_MAX_NAME];
    const char *at = atx_lines_name(name, lines, "a buffer of the operation");
    for (int i = 0; i < op->arg_count; i++) {
        const atx_role role = op->args[i].role;
        if (strcmp(op->args[i].name, name) != 0 || role == ATX_SCALAR)
            continue;
        if (role == ATX_INPUT && !may_be_input)
            atx_lines_fail(
                lines, at,
                "found the input '%s', which no kernel may write; expected an output, inout or scratch "
                "buffer, as in swap out tmp from %s",
                name, name);
        return i;
    }
    atx_lines_fail(lines, at, "found '%s'; expected a buffer of the operation %s", name, op->name);
    return 0;
}

static bool are_alike(const atx_op *op, int a, int b)
{
    const atx_arg *x = &op->args[a], *y = &op->args[b];
    return x->own_type == y->own_type && (!x->own_type || x->type == y->type);
}

static void read_swap(atx_lines *lines, const atx_op *op, atx_loop *loop)
{
    const char *at = lines->at;
    atx_swap swap = { .from = -1 };
    swap.a = read_buffer(lines, op, false);
    swap.b = read_buffer(lines, op, false);
    if (atx_lines_skip_word(lines, "from"))
        swap.from = read_buffer(lines, op, true);
    if (lines->status != AT_OK)
        return;
    if (swap.a == swap.b)
        atx_lines_fail(lines, at, "found one buffer; expected two that are exchanged");
    if (!are_alike(op, swap.a, swap.b) || (swap.from >= 0 && !are_alike(op, swap.a, swap.from)))
        atx_lines_fail(lines, at, "found buffers of other types; expected elements of one type");
    if (loop->swap_count == ATX_MAX_LOOP_SWAPS)
        atx_lines_fail(lines, at, "found more than %d pairs; expected fewer", ATX_MAX_LOOP_SWAPS);
    else
        loop->swaps[loop->swap_count++] = swap;
}

/* `of_op`: the loops of the op that a template's are for; NULL: these are they. */
static void read_loop(atx_lines *lines, atx_loops *loops, const atx_loops *of_op, const atx_op *op, int begin)
{
    char name[ATX_MAX_NAME] = "iteration";
    const char *at = lines->at;
    atx_loop *loop = &loops->items[loops->count];
    if (loops->count == ATX_MAX_LOOPS) {
        atx_lines_fail(lines, at, "found more than %d loops; expected fewer", ATX_MAX_LOOPS);
        return;
    }
    *loop = (atx_loop){ .begin = begin, .end = -1, .where = atx_lines_where(lines, at) };
    const bool named = sees_assignment(lines);
    if (named)
        at = atx_read_assigned_name(name, lines);
    loops->count++; /* its expressions are freed from here on */
    if (named)
        read_range(lines, loop);
    else
        loop->last = atx_lines_expr(lines);
    while (atx_lines_skip_word(lines, "swap"))
        read_swap(lines, op, loop);
    loop->slot = slot_of(lines, loops, of_op, name, at);
    memcpy(loop->name, name, sizeof name);
}

void atx_read_repeat(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    read_loop(lines, &t->call.loops, &t->op->expected.loops, t->op, t->call.step_count);
}

/* The innermost one that is open, -1: none. */
static int innermost(const atx_loops *loops)
{
    int i = loops->count - 1;
    while (i >= 0 && loops->items[i].end >= 0)
        i--;
    return i;
}

static void end_loop(atx_lines *lines, atx_loop *loop, int steps)
{
    loop->end = steps;
    if (loop->begin == steps)
        atx_lines_fail(lines, lines->line,
                       "found the end of a loop without a launch (line %d); expected one in it",
                       loop->where.line);
}

void atx_read_end(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    const int i = innermost(&t->call.loops);
    if (i < 0)
        atx_lines_fail(lines, lines->line,
                       "found the end of no loop; expected a line 'repeat EXPR' above it");
    else
        end_loop(lines, &t->call.loops.items[i], t->call.step_count);
}

void atx_read_op_repeat(atx_lines *lines, void *target)
{
    atx_op *op = target;
    read_loop(lines, &op->expected.loops, NULL, op, 0);
}

void atx_loops_complete(atx_loops *loops, int steps, atx_lines *lines)
{
    for (int i = innermost(loops); i >= 0; i = innermost(loops))
        end_loop(lines, &loops->items[i], steps);
}

void atx_loops_clear(atx_loops *loops)
{
    for (int i = 0; i < loops->count; i++) {
        atx_expr_close(loops->items[i].first);
        atx_expr_close(loops->items[i].last);
    }
}

bool atx_loops_read_by(const atx_loops *loops, const atx_expr *expr)
{
    bool reads = false;
    for (int i = 0; i < loops->count && expr; i++)
        reads = reads || atx_expr_reads(expr, loops->items[i].slot);
    return reads;
}

static at_status refuse(const atx_expr *expr, at_error *err)
{
    return atx_fail_at(
        err, atx_expr_where(expr),
        "found '%s', which names a loop's iteration; expected that in a launch's sizes, or in an "
        "argument of the template's own",
        atx_expr_text(expr));
}

at_status atx_loops_check(const atx_loops *loops, const atx_let *lets, size_t let_count,
                          const atx_require *requires, size_t require_count, at_error *err)
{
    for (size_t i = 0; i < let_count; i++)
        if (atx_loops_read_by(loops, lets[i].expr))
            return refuse(lets[i].expr, err);
    for (size_t i = 0; i < require_count; i++)
        if (atx_loops_read_by(loops, requires[i].expr))
            return refuse(requires[i].expr, err);
    return AT_OK;
}
