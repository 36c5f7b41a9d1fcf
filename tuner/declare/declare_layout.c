/*
 * declare_layout.c - the lines of an op whose problems are layouts: `strides` and `same`.
 *
 * A layout is a stride for each dimension. Such an op has two, of its input and of its output; what they mean
 * is in layout.h.
 */
#include "declare/declare_parts.h"

#include <string.h>

static const char *const LAYOUTS[AT__MAX_LAYOUTS] = { "in", "out" };

/* A name for the stride of each dimension, in the order of the shape. */
static at_status read_layout(at__op *op, int layout, at__lines *lines)
{
    char name[AT__MAX_NAME];
    at_status status = at__lines_take(lines, LAYOUTS[layout], NULL);
    for (int i = 0; i < op->dim_count && status == AT_OK; i++) {
        const char *at = lines->at;
        status = at__lines_name(name, lines, "a name for the stride of each dimension");
        if (status == AT_OK)
            status = at__add_symbol(&op->stride_slots[layout][i], &op->symbols, name, lines, at);
    }
    return status;
}

/* in NAME... out NAME... */
at_status at__read_strides(at__op *op, at__lines *lines)
{
    at_status status = AT_OK;
    for (int i = 0; i < AT__MAX_LAYOUTS && status == AT_OK; i++)
        status = read_layout(op, i, lines);
    if (status == AT_OK)
        op->layout_count = AT__MAX_LAYOUTS;
    return status;
}

static at_status read_some(at__expr **out, int *count, int max, const at__op *op, at__lines *lines)
{
    while (!at__lines_at_end(lines) && !at__lines_sees_word(lines, "pitch") &&
           !at__lines_sees_word(lines, "when")) {
        if (*count == max)
            return at__lines_fail(lines, lines->at, "found more than %d sizes; expected 'when'", max);
        at_status status = at__lines_expr(&out[*count], lines, &op->symbols);
        if (status != AT_OK)
            return status;
        ++*count;
    }
    return AT_OK;
}

/* OP EXPR... [pitch EXPR...] when EXPR */
at_status at__read_same(at__op *op, at__lines *lines)
{
    at__same *same = &op->same[op->same_count];
    if (op->same_count == AT__MAX_SAME)
        return at__lines_fail(lines, lines->at, "found more than %d such lines; expected fewer",
                              AT__MAX_SAME);
    op->same_count++; /* also of a line that is wrong: at__same_clear frees what was read of it */
    at_status status = at__read_plain_name(same->op, lines);
    if (status == AT_OK)
        status = read_some(same->sizes, &same->size_count, AT__MAX_DIMS, op, lines);
    if (status == AT_OK && at__lines_sees_word(lines, "pitch")) {
        at__lines_skip(lines, strlen("pitch"));
        status = read_some(same->pitches, &same->pitch_count, AT__MAX_PITCHES, op, lines);
    }
    if (status == AT_OK)
        status = at__lines_take(lines, "when", "'when' and a condition");
    return status == AT_OK ? at__lines_expr(&same->when, lines, &op->symbols) : status;
}

void at__same_clear(at__op *op)
{
    for (int i = 0; i < op->same_count; i++) {
        at__same *same = &op->same[i];
        for (int k = 0; k < AT__MAX_DIMS; k++)
            at__expr_close(same->sizes[k]);
        for (int k = 0; k < AT__MAX_PITCHES; k++)
            at__expr_close(same->pitches[k]);
        at__expr_close(same->when);
    }
}
