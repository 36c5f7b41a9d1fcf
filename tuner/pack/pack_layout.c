/*
 * pack_layout.c - problems of operations that take two layouts, as packs have them: both are dense, so that a
 * problem is its extents, in the input's order, and of each of the output's dimensions which of the input's
 * it is. pack_layout.inc is what the written C does with these.
 */
#include "pack/pack_internal.h"

#include "lang/layout.h"

static bool are_dense(const atx_problem *p, int layout, const int *order, int rank)
{
    const int64_t *strides = p->dims + atx_problem_first_stride(p->op, layout);
    int64_t stride = 1;
    bool dense = true;
    for (int i = rank - 1; i >= 0; i--) {
        dense = dense && (p->dims[order[i]] == 1 || strides[order[i]] == stride);
        stride *= p->dims[order[i]];
    }
    return dense;
}

bool atx_pack_is_dense(const atx_problem *problem)
{
    int in[ATX_MAX_DIMS], out[ATX_MAX_DIMS];
    if (!problem->op->shape.layout_count)
        return atx_problem_is_dense(problem);
    const int rank = atx_problem_input_order(in, problem->op, problem->dims);
    for (int i = 0; i < rank; i++)
        out[i] = problem->op->shape.dim_count - rank + i;
    return are_dense(problem, 0, in, rank) && are_dense(problem, 1, out, rank);
}

int atx_pack_number_count(const atx_op *op)
{
    return op->shape.dim_count * (op->shape.layout_count ? 2 : 1);
}

const char *atx_pack_number_name(const atx_op *op, int which)
{
    const int count = op->shape.dim_count;
    return which < count ? op->shape.dims[which].name
                         : atx_symbol_name(&op->scope.symbols, op->shape.stride_slots[0][which - count]);
}

int atx_pack_permutation(int64_t extents[ATX_MAX_DIMS], int order[ATX_MAX_DIMS], const atx_problem *problem)
{
    int in[ATX_MAX_DIMS];
    const int rank = atx_problem_input_order(in, problem->op, problem->dims);
    for (int i = 0; i < rank; i++) {
        extents[i] = problem->dims[in[i]];
        order[in[i] - (problem->op->shape.dim_count - rank)] = i;
    }
    return rank;
}

bool atx_pack_with_size(atx_problem *out, const atx_problem *from, int dim, int64_t size)
{
    const atx_op *op = from->op;
    int64_t sizes[ATX_MAX_DIMS];
    int order[ATX_MAX_DIMS];
    atx_layout_pair layout;
    if (!op->shape.layout_count) {
        for (int i = 0; i < op->shape.dim_count; i++)
            sizes[i] = i == dim ? size : from->dims[i];
        return atx_problem_init(out, op, from->type, sizes, op->shape.dim_count, NULL) == AT_OK;
    }
    const int rank = atx_pack_permutation(sizes, order, from), place = dim - (op->shape.dim_count - rank);
    if (place < 0)
        return false;
    sizes[order[place]] = size;
    return atx_layout_permuted(&layout, rank, sizes, order, NULL, NULL) == AT_OK &&
           atx_layout_problem(out, op, from->type, &layout, NULL) == AT_OK;
}
