/* problem_key.c - what a problem is stored under: its op, shape and type as text, and what it moves and
 * computes. */
#include "lang/problem.h"

#include "util/chars.h"

#include <inttypes.h>
#include <stdlib.h>

/* What counts as operations: none where the op does not say. */
static at_status eval_ops(int64_t *out, const atx_expr *ops, const int64_t *slots, at_error *err)
{
    at_status status = ops ? atx_expr_eval(out, ops, slots, err) : AT_OK;
    if (status != AT_OK || *out >= 0)
        return status;
    return atx_fail_at(err, atx_expr_where(ops), "ops '%s' is %" PRId64 "; expected 0 or more",
                       atx_expr_text(ops), *out);
}

at_status atx_problem_key_of(atx_problem_key *out, atx_str *shape, const atx_problem *problem, at_error *err)
{
    static const atx_limits NO_DEVICE = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_problem_key key = { .op = problem->op->name, .elements = 1 };

    at_status status = atx_problem_bind(slots, problem, &NO_DEVICE, err);
    if (status == AT_OK && problem->op->goal.traffic)
        status = atx_expr_eval(&key.traffic_bytes, problem->op->goal.traffic, slots, err);
    ATX_THEN(status, eval_ops(&key.ops_count, problem->op->goal.ops, slots, err));
    if (status != AT_OK)
        return status;
    atx_str_reset(shape);
    atx_problem_shape(shape, problem);
    for (int i = 0; i < problem->op->shape.dim_count; i++)
        if (__builtin_mul_overflow(key.elements, problem->dims[i], &key.elements))
            key.elements = INT64_MAX;
    key.shape = atx_str_text(shape);
    key.type_key = atx_dtype_key(problem->type, problem->op->storage);
    *out = key;
    return atx_str_status(shape, err);
}

int atx_sizes_read(int64_t *out, int most, const char **text)
{
    int count = 0;
    while (count < most) {
        char *end;
        if (!atx_is_digit(**text))
            return -1;
        out[count++] = strtoll(*text, &end, 10);
        *text = end;
        if (*end != 'x')
            return count;
        ++*text;
    }
    return -1;
}
