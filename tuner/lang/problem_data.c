/* problem_data.c - what a problem's buffers hold and its scalars are, as numbers of their types. */
#include "lang/problem.h"

#include "declare/data.h"

/* One end of a range; without an expression it is 0. */
static at_status eval_end(int64_t *out, const atx_expr *expr, const int64_t *slots, at_error *err)
{
    *out = 0;
    return expr ? atx_expr_eval(out, expr, slots, err) : AT_OK;
}

/* Whether an integer is a number of that type. Floats hold whichever they can. */
static bool fits_number(int64_t value, int number)
{
    int bits = 8 * atx_number_bytes(number);
    if (atx_number_class(number) == ATX_UNSIGNED)
        return value >= 0 && (bits == 64 || value >> bits == 0);
    return atx_number_class(number) != ATX_SIGNED || bits == 64 ||
           (value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1));
}

/* range FROM UPTO, or index UPTO, which ends one before. */
static at_status range_numbers(uint64_t *a, uint64_t *b, const atx_arg *arg, int number, const int64_t *slots,
                               at_error *err)
{
    const atx_input *in = &arg->input;
    int64_t from, upto;
    at_status status = eval_end(&from, in->from, slots, err);
    if (status == AT_OK)
        status = eval_end(&upto, in->upto, slots, err);
    if (status != AT_OK)
        return status;
    if (!in->from && upto > INT64_MIN)
        upto--;
    if (from > upto || !fits_number(from, number) || !fits_number(upto, number))
        return atx_fail_at(err, in->where,
                           "found integers from %lld to %lld for '%s'; expected some, and such as its "
                           "type has",
                           (long long)from, (long long)upto, arg->name);
    *a = (uint64_t)from;
    *b = (uint64_t)upto - (uint64_t)from + 1;
    return AT_OK;
}

/* spread N */
static at_status spread_numbers(uint64_t *a, const atx_arg *arg, int number, const int64_t *slots,
                                at_error *err)
{
    int64_t many = 0;
    at_status status = atx_expr_eval(&many, arg->input.upto, slots, err);
    if (status == AT_OK && (many < 1 || !fits_number(many - 1, number)))
        return atx_fail_at(err, arg->input.where,
                           "found %lld integers for '%s'; expected at least one, and such as its type "
                           "has",
                           (long long)many, arg->name);
    *a = (uint64_t)many;
    return status;
}

at_status atx_input_numbers(uint64_t *a, uint64_t *b, const atx_arg *arg, int number, int64_t numbers,
                            const int64_t *slots, at_error *err)
{
    const atx_input *in = &arg->input;
    if (in->how == ATX_RANGE)
        return range_numbers(a, b, arg, number, slots, err);
    if (in->how == ATX_SPREAD)
        return spread_numbers(a, arg, number, slots, err);
    if (in->how == ATX_PERMUTATION && numbers > 0 && !fits_number(numbers - 1, number))
        return atx_fail_at(err, in->where,
                           "found a permutation of %lld elements for '%s'; expected a type that has as "
                           "many integers",
                           (long long)numbers, arg->name);
    *a = atx_bits_of_double(in->how == ATX_UNIFORM  ? in->high - in->low
                            : in->how == ATX_NORMAL ? in->high
                                                    : in->low);
    *b = atx_bits_of_double(in->low);
    return AT_OK;
}

at_status atx_scalar_value(int64_t *out, const atx_arg *arg, const int64_t *slots, at_error *err)
{
    if (arg->expr)
        return atx_expr_eval(out, arg->expr, slots, err);
    *out = (int64_t)atx_number_bits(arg->real, atx_dtype_number(arg->type, 0));
    return AT_OK;
}

at_status atx_scalar_check(const atx_arg *arg, const int64_t *slots, at_error *err)
{
    int64_t value;
    const atx_where w = arg->where;
    if (arg->role != ATX_SCALAR || arg->scalar_bytes != 4 || !arg->expr ||
        atx_expr_eval(&value, arg->expr, slots, NULL) != AT_OK || (value >= INT32_MIN && value <= INT32_MAX))
        return AT_OK;
    return atx_fail(err, AT_ERR_INPUT,
                    "found %s = %lld; expected %d to %d, as %s:%d:%d declares it i32: i64 has more",
                    arg->name, (long long)value, INT32_MIN, INT32_MAX, w.file, w.line, w.column);
}

double atx_gflop_per_s(int64_t ops_count, double seconds)
{
    return ops_count > 0 && seconds > 0 ? 1e-9 * (double)ops_count / seconds : 0;
}

at_status atx_arg_bytes(int64_t *out, const atx_op *op, int arg, const int64_t *slots, at_error *err)
{
    const atx_arg *a = &op->args[arg];
    int64_t elements = 0, each = a->own_type ? atx_dtype_bytes(a->type) : slots[op->scope.sizeof_slot];
    at_status status = atx_expr_eval(&elements, a->expr, slots, err);
    if (status == AT_OK && (elements < 0 || __builtin_mul_overflow(elements, each, out)))
        status = atx_fail(err, AT_ERR_INPUT, "%s: found %lld elements for '%s'; expected fewer",
                          op->text.file, (long long)elements, a->name);
    return status;
}

at_status atx_problem_peak(double *seconds, int64_t *gflops, const atx_op *op, const int64_t *slots,
                           at_error *err)
{
    int64_t ops = 0;
    *seconds = 0;
    *gflops = 0;
    if (!op->goal.peak)
        return AT_OK;
    at_status status = atx_expr_eval(gflops, op->goal.peak, slots, err);
    if (status == AT_OK)
        status = atx_expr_eval(&ops, op->goal.ops, slots, err);
    if (status == AT_OK && (*gflops < 1 || ops < 1))
        return atx_fail_at(err, atx_expr_where(op->goal.peak),
                           "found a ceiling of %lld GFLOP/s for %lld operations; expected 1 or more of both",
                           (long long)*gflops, (long long)ops);
    if (status == AT_OK)
        *seconds = 1e-9 * (double)ops / (double)*gflops;
    return status;
}
