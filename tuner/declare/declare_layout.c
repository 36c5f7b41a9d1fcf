/*
 * declare_layout.c - the lines of an op whose problems are layouts: `strides` and `same`.
 *
 * A layout is a stride for each dimension. Such an op has two, of its input and of its output; layout.h
 * describes them.
 */
#include "declare/declare_internal.h"

static const char *const LAYOUTS[ATX_MAX_LAYOUTS] = { "in", "out" };

/* in NAME... out NAME...: a name for the stride of each dimension, in the order of the shape. */
void atx_read_strides(atx_lines *lines, void *target)
{
    struct atx_op_shape *shape = &((atx_op *)target)->shape;
    for (int layout = 0; layout < ATX_MAX_LAYOUTS; layout++) {
        atx_lines_take(lines, LAYOUTS[layout], NULL);
        for (int i = 0; i < shape->dim_count; i++) {
            char name[ATX_MAX_NAME];
            const char *at = atx_lines_name(name, lines, "a name for the stride of each dimension");
            shape->stride_slots[layout][i] = atx_add_symbol(lines, name, at);
        }
    }
    shape->layout_count = ATX_MAX_LAYOUTS;
}

/* OP EXPR... [pitch EXPR...] when EXPR */
void atx_read_same(atx_lines *lines, void *target)
{
    static const char *const ENDS[] = { "pitch", "when", NULL };
    atx_op *op = target;
    atx_same *same = &op->shape.same[op->shape.same_count];
    if (op->shape.same_count == ATX_MAX_SAME) {
        atx_lines_fail(lines, lines->at, "found more than %d such lines; expected fewer", ATX_MAX_SAME);
        return;
    }
    op->shape.same_count++; /* also of a line that is wrong: atx_same_clear frees its fields */
    atx_read_plain_name(same->op, lines);
    if (!atx_lines_sees_one_of(lines, ENDS))
        same->size_count = atx_read_exprs(lines, same->sizes, ATX_MAX_DIMS, ENDS, "'pitch' or 'when'");
    if (atx_lines_skip_word(lines, "pitch") && !atx_lines_sees_one_of(lines, ENDS))
        same->pitch_count = atx_read_exprs(lines, same->pitches, ATX_MAX_PITCHES, ENDS, "'when'");
    atx_lines_take(lines, "when", "'when' and a condition");
    same->when = atx_lines_expr(lines);
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
