/* launches.c - see launches.h. */
#include "lang/launches.h"

int atx_arg_buffer(const atx_op *op, int arg)
{
    int count = 0;
    for (int i = 0; i < arg; i++)
        count += op->args[i].role != ATX_SCALAR;
    return count;
}

at_status atx_arg_value_of(atx_arg_value *out, const atx_problem *problem, const atx_template *t, int index,
                           const int64_t *slots, at_error *err)
{
    const atx_arg *arg = atx_template_arg(t, index);
    atx_arg_value v = { .buffer = -1, .elements = 1, .bytes = arg->scalar_bytes };
    at_status status;
    if (arg->role == ATX_SCALAR) {
        status = arg->structure ? AT_OK : atx_scalar_value(&v.value, arg, slots, err);
    } else {
        v.buffer = atx_arg_buffer(problem->op, index);
        v.align = atx_problem_align_of(problem, index);
        status = atx_arg_bytes(&v.bytes, problem->op, index, slots, err);
        v.elements = v.bytes / atx_arg_element_bytes(problem->op, arg, problem->type);
    }
    if (status == AT_OK)
        *out = v;
    return status;
}
