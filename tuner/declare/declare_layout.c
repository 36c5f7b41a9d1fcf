/*
 * declare_layout.c - the lines of an op whose problems are layouts: `strides` and `same`.
 *
 * A layout is a stride for each dimension. Such an op has two, of its input and of its output; what they mean
 * is in layout.h.
 */
#include "declare/declare_parts.h"

#include <string.h>

static const char *const LAYOUTS[ATX_MAX_LAYOUTS] = { "in", "out" };

/* A name for the stride of each dimension, in the order of the shape. */
static at_status read_layout(atx_op *op, int layout, atx_lines *lines)
{
    char name[ATX_MAX_NAME];
    at_status status = atx_lines_take(lines, LAYOUTS[layout], NULL);
    for (int i = 0; i < op->shape.dim_count && status == AT_OK; i++) {
        const char *at = lines->at;
        status = atx_lines_name(name, lines, "a name for the stride of each dimension");
        if (status == AT_OK)
            status = atx_add_symbol(&op->shape.stride_slots[layout][i], &op->scope.symbols, name, lines, at);
    }
    return status;
}

/* in NAME... out NAME... */
at_status atx_read_strides(atx_op *op, atx_lines *lines)
{
    at_status status = AT_OK;
    for (int i = 0; i < ATX_MAX_LAYOUTS && status == AT_OK; i++)
        status = read_layout(op, i, lines);
    if (status == AT_OK)
        op->shape.layout_count = ATX_MAX_LAYOUTS;
    return status;
}

static at_status read_some(atx_expr **out, int *count, int max, const atx_op *op, atx_lines *lines)
{
    while (!atx_lines_at_end(lines) && !atx_lines_sees_word(lines, "pitch") &&
           !atx_lines_sees_word(lines, "when")) {
        if (*count == max)
            return atx_lines_fail(lines, lines->at, "found more than %d sizes; expected 'when'", max);
        at_status status = atx_lines_expr(&out[*count], lines, &op->scope.symbols);
        if (status != AT_OK)
            return status;
        ++*count;
    }
    return AT_OK;
}

/* OP EXPR... [pitch EXPR...] when EXPR */
at_status atx_read_same(atx_op *op, atx_lines *lines)
{
    atx_same *same = &op->shape.same[op->shape.same_count];
    if (op->shape.same_count == ATX_MAX_SAME)
        return atx_lines_fail(lines, lines->at, "found more than %d such lines; expected fewer",
                              ATX_MAX_SAME);
    op->shape.same_count++; /* also of a line that is wrong: atx_same_clear frees what was read of it */
    at_status status = atx_read_plain_name(same->op, lines);
    if (status == AT_OK)
        status = read_some(same->sizes, &same->size_count, ATX_MAX_DIMS, op, lines);
    if (status == AT_OK && atx_lines_sees_word(lines, "pitch")) {
        atx_lines_skip(lines, strlen("pitch"));
        status = read_some(same->pitches, &same->pitch_count, ATX_MAX_PITCHES, op, lines);
    }
    if (status == AT_OK)
        status = atx_lines_take(lines, "when", "'when' and a condition");
    return status == AT_OK ? atx_lines_expr(&same->when, lines, &op->scope.symbols) : status;
}

void atx_same_clear(atx_op *op)
{
    for (int i = 0; i < op->shape.same_count; i++) {
        atx_same *same = &op->shape.same[i];
        for (int k = 0; k < ATX_MAX_DIMS; k++)
            atx_expr_close(same->sizes[k]);
        for (int k = 0; k < ATX_MAX_PITCHES; k++)
            atx_expr_close(same->pitches[k]);
        atx_expr_close(same->when);
    }
}
