/*
 * layout.c - the canonical form of two layouts, and the other op, if any, that it is a problem of.
 *
 * Dimensions are sorted by their stride in the output, the slowest first. Then neighbours are fused if the
 * slower one continues where the faster one ends, in both layouts: one pass is enough because the rest stays
 * sorted.
 */
#include "lang/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct axis {
    int64_t extent, in, out;
} axis;

at_status atx_layout_permuted(atx_layout_pair *out, int rank, const int64_t *extents, const int *permutation,
                              int *guilty, at_error *err)
{
    atx_layout_pair l = { .rank = rank };
    unsigned seen = 0;
    int64_t in = 1, to = 1;
    for (int i = 0; i < rank; i++) {
        int p = permutation[i];
        if (guilty)
            *guilty = i;
        if (p < 0 || p >= rank)
            return atx_fail(err, AT_ERR_INPUT, "found index %d; expected a permutation of 0 to %d", p,
                            rank - 1);
        if (seen & 1u << p)
            return atx_fail(err, AT_ERR_INPUT, "found index %d a second time; expected each of 0 to %d once",
                            p, rank - 1);
        seen |= 1u << p;
    }
    if (guilty)
        *guilty = -1;
    for (int i = rank - 1; i >= 0; i--) {
        int p = permutation[i];
        l.extents[i] = extents[i];
        l.in[i] = in;
        l.out[p] = to;
        if (__builtin_mul_overflow(in, extents[i], &in) || __builtin_mul_overflow(to, extents[p], &to))
            return atx_fail(err, AT_ERR_INPUT, "found more than %" PRId64 " elements; expected fewer",
                            INT64_MAX);
    }
    *out = l;
    return AT_OK;
}

/* ---- the canonical form ---- */

static int slower_first(const void *a, const void *b)
{
    const axis *x = a, *y = b;
    if (x->out != y->out)
        return x->out > y->out ? -1 : 1;
    return x->in != y->in ? (x->in > y->in ? -1 : 1) : 0;
}

static at_status take_axes(axis axes[ATX_MAX_RANK], int *count, const atx_layout_pair *l, at_error *err)
{
    *count = 0;
    for (int i = 0; i < l->rank; i++) {
        if (l->extents[i] < 1)
            return atx_fail(err, AT_ERR_INPUT,
                            "found an extent of %" PRId64 "; expected at least one element", l->extents[i]);
        if (l->extents[i] == 1)
            continue;
        if (l->in[i] < 1 || l->out[i] < 1)
            return atx_fail(err, AT_ERR_INPUT, "found a stride of %" PRId64 "; expected 1 or more",
                            l->in[i] < 1 ? l->in[i] : l->out[i]);
        axes[(*count)++] = (axis){ l->extents[i], l->in[i], l->out[i] };
    }
    return AT_OK;
}

/* Each output element is written once where every dimension steps over all that the faster ones reach. */
static at_status check_extents(const axis *axes, int count, atx_dtype type, at_error *err)
{
    int64_t in = 1, out = 1, bytes = 0, step = 0;
    for (int i = count - 1; i >= 0; i--) {
        const axis *a = &axes[i];
        if (a->out < out)
            return atx_fail(err, AT_ERR_INPUT,
                            "found an output stride of %" PRId64
                            " where faster dimensions reach over %" PRId64
                            " elements; expected an output that does not overlap itself",
                            a->out, out);
        if (__builtin_mul_overflow(a->extent - 1, a->out, &step) || __builtin_add_overflow(out, step, &out) ||
            __builtin_mul_overflow(a->extent - 1, a->in, &step) || __builtin_add_overflow(in, step, &in))
            return atx_fail(err, AT_ERR_INPUT,
                            "found a layout of more than %" PRId64 " elements; expected a smaller one",
                            INT64_MAX);
    }
    if (__builtin_mul_overflow(in > out ? in : out, 2 * atx_dtype_bytes(type), &bytes))
        return atx_fail(err, AT_ERR_INPUT,
                        "found a layout of more than %" PRId64 " bytes; expected a smaller one", INT64_MAX);
    return AT_OK;
}

static int fuse(axis *axes, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        axis *slow = kept ? &axes[kept - 1] : NULL;
        int64_t in, out;
        if (slow && !__builtin_mul_overflow(axes[i].in, axes[i].extent, &in) &&
            !__builtin_mul_overflow(axes[i].out, axes[i].extent, &out) && slow->in == in && slow->out == out)
            *slow = (axis){ slow->extent * axes[i].extent, axes[i].in, axes[i].out };
        else
            axes[kept++] = axes[i];
    }
    return kept;
}

at_status atx_layout_problem(atx_problem *out, const atx_op *op, atx_dtype type,
                             const atx_layout_pair *layout, at_error *err)
{
    axis axes[ATX_MAX_RANK] = { { 0 } };
    int64_t sizes[ATX_MAX_DIMS];
    atx_problem problem;
    int count = 0;
    at_status status = take_axes(axes, &count, layout, err);
    if (status != AT_OK)
        return status;
    qsort(axes, (size_t)count, sizeof *axes, slower_first);
    if ((status = check_extents(axes, count, type, err)) != AT_OK)
        return status;
    count = fuse(axes, count);
    if (count == 0)
        axes[count++] = (axis){ 1, 1, 1 };
    int missing = op->shape.dim_count - count;
    if (missing < 0)
        return atx_fail(err, AT_ERR_INPUT,
                        "found %d dimensions of which no two are one in both layouts; %s takes %d", count,
                        op->name, op->shape.dim_count);
    for (int i = 0; i < op->shape.dim_count; i++)
        sizes[i] = i < missing ? 1 : axes[i - missing].extent;
    if ((status = atx_problem_init(&problem, op, type, sizes, op->shape.dim_count, err)) != AT_OK)
        return status;
    for (int i = 0; i < op->shape.dim_count; i++) {
        problem.dims[atx_problem_first_stride(op, 0) + i] = i < missing ? 0 : axes[i - missing].in;
        problem.dims[atx_problem_first_stride(op, 1) + i] = i < missing ? 0 : axes[i - missing].out;
    }
    *out = problem;
    return AT_OK;
}

/* ---- orders ---- */

int atx_layout_moved(const atx_op *op, const int64_t *a, const int64_t *b)
{
    int order_a[ATX_MAX_RANK], order_b[ATX_MAX_RANK], moved = 0;
    int rank_a = atx_problem_input_order(order_a, op, a), rank_b = atx_problem_input_order(order_b, op, b);
    for (int i = 1; i <= rank_a || i <= rank_b; i++)
        moved += i > rank_a || i > rank_b || order_a[rank_a - i] != order_b[rank_b - i];
    return moved;
}

/* ---- other ops ---- */

static at_status eval_all(int64_t *out, atx_expr *const *exprs, int count, const int64_t *slots,
                          at_error *err)
{
    for (int i = 0; i < count; i++)
        ATX_TRY(atx_expr_eval(&out[i], exprs[i], slots, err));
    return AT_OK;
}

static void take_aligns(int64_t aligns[ATX_MAX_ALIGNS], const atx_op *to, const atx_problem *from)
{
    for (int i = 0; i < to->shape.align_count; i++)
        for (int k = 0; k < from->op->arg_count; k++)
            if (strcmp(from->op->args[k].name, to->args[to->shape.aligns[i].arg].name) == 0)
                aligns[i] = atx_problem_align_of(from, k);
}

static at_status become(atx_problem *problem, const atx_op *op, const atx_same *same, const int64_t *slots,
                        at_error *err)
{
    int64_t sizes[ATX_MAX_DIMS], pitches[ATX_MAX_PITCHES] = { 0 }, aligns[ATX_MAX_ALIGNS] = { 0 };
    atx_problem other;
    at_status status = eval_all(sizes, same->sizes, same->size_count, slots, err);
    ATX_THEN(status, eval_all(pitches, same->pitches, same->pitch_count, slots, err));
    ATX_THEN(status, atx_problem_init(&other, op, problem->type, sizes, same->size_count, err));
    ATX_THEN(status, atx_problem_set_pitches(&other, pitches, same->pitch_count, err));
    if (status != AT_OK)
        return status;
    take_aligns(aligns, op, problem);
    if ((status = atx_problem_set_aligns(&other, aligns, op->shape.align_count, err)) == AT_OK)
        *problem = other;
    return status;
}

at_status atx_layout_reduce(atx_problem *problem, const atx_catalog *catalog, at_error *err)
{
    static const atx_limits NO_DEVICE = { 0 };
    const atx_op *op = problem->op;
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    at_status status = op->shape.same_count ? atx_problem_bind(slots, problem, &NO_DEVICE, err) : AT_OK;
    for (int i = 0; i < op->shape.same_count && status == AT_OK; i++) {
        const atx_op *other = atx_catalog_find_op(catalog, op->shape.same[i].op);
        int64_t holds = 0;
        status = atx_expr_eval(&holds, op->shape.same[i].when, slots, err);
        if (status == AT_OK && holds && other)
            return become(problem, other, &op->shape.same[i], slots, err);
    }
    return status;
}
