/*
 * problem_layout.c - the shape of a problem of two layouts, as it is stored: the input's extents in its own
 * order, and where its dimensions are in the output, "8x2048x3x4096:2.0.1.3". How such a text is read:
 * layout_text.c.
 */
#include "lang/problem.h"

int atx_problem_first_stride(const atx_op *op, int layout)
{
    return op->shape.dim_count * (1 + layout) + op->shape.pitch_count;
}

static int first_dim(const atx_op *op, const int64_t *dims)
{
    int first = 0;
    while (first < op->shape.dim_count - 1 && dims[first] == 1)
        first++;
    return first;
}

int atx_problem_input_order(int order[ATX_MAX_DIMS], const atx_op *op, const int64_t *dims)
{
    const int64_t *in = dims + atx_problem_first_stride(op, 0);
    int count = 0;
    for (int i = first_dim(op, dims); i < op->shape.dim_count; i++) {
        int k = count++;
        for (; k > 0 && in[order[k - 1]] < in[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return count;
}

static void add_list(atx_str *out, const char *before, const int64_t *numbers, int count, const char *joiner)
{
    atx_str_add(out, before);
    for (int i = 0; i < count; i++) {
        atx_str_add(out, i ? joiner : "");
        atx_str_add_int(out, numbers[i]);
    }
}

static bool is_row_major(const int64_t *strides, const int64_t *extents, int rank)
{
    int64_t stride = 1;
    bool dense = true;
    for (int i = rank - 1; i >= 0; i--) {
        dense = dense && strides[i] == stride;
        if (__builtin_mul_overflow(stride, extents[i], &stride))
            stride = 0;
    }
    return dense;
}

void atx_problem_layout(atx_str *out, const atx_problem *problem)
{
    const atx_op *op = problem->op;
    const int64_t *in = problem->dims + atx_problem_first_stride(op, 0);
    const int64_t *to = problem->dims + atx_problem_first_stride(op, 1);
    int order[ATX_MAX_DIMS], rank = atx_problem_input_order(order, op, problem->dims);
    int first = op->shape.dim_count - rank;
    int64_t extents[ATX_MAX_DIMS] = { 0 }, strides[ATX_MAX_DIMS] = { 0 }, permutation[ATX_MAX_DIMS] = { 0 };
    for (int i = 0; i < rank; i++) {
        extents[i] = problem->dims[order[i]];
        strides[i] = in[order[i]];
        permutation[order[i] - first] = i;
    }
    add_list(out, "", extents, rank, "x");
    add_list(out, ":", permutation, rank, ".");
    if (!is_row_major(strides, extents, rank))
        add_list(out, "/in=", strides, rank, "x");
    if (!is_row_major(to + first, problem->dims + first, rank))
        add_list(out, "/out=", to + first, rank, "x");
}
