/* problem_data.c - the contents of a problem's buffers and its scalars, as numbers of their types. */
#include "lang/problem.h"

#include "declare/data.h"

#include <string.h>

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

static at_status refuse(const atx_held *h, const char *what, int64_t from, int64_t upto, at_error *err)
{
    return atx_fail_at(err, h->arg->input.where,
                       "found %s from %lld to %lld for '%s'; expected some, and such as its type has", what,
                       (long long)from, (long long)upto, h->arg->name);
}

/* range FROM UPTO, or index UPTO, which ends one before; sorted or not. */
static at_status range_numbers(atx_filling *out, const atx_held *h, const int64_t *slots, at_error *err)
{
    const atx_input *in = &h->arg->input;
    int64_t from, upto;
    at_status status = eval_end(&from, in->from, slots, err);
    ATX_THEN(status, eval_end(&upto, in->upto, slots, err));
    if (status != AT_OK)
        return status;
    if (!in->from && upto > INT64_MIN)
        upto--;
    out->a = (uint64_t)from;
    out->b = (uint64_t)upto - (uint64_t)from + 1;
    const bool too_many = in->how == ATX_SORTED && (out->b == 0 || out->b > INT64_MAX);
    return from > upto || too_many || !fits_number(from, h->number) || !fits_number(upto, h->number)
               ? refuse(h, "integers", from, upto, err)
               : AT_OK;
}

/* prefix LOW HIGH: of so many lengths the last sum must be a number. */
static at_status prefix_numbers(atx_filling *out, const atx_held *h, const int64_t *slots, at_error *err)
{
    int64_t last = 0;
    ATX_TRY(eval_end((int64_t *)&out->a, h->arg->input.from, slots, err));
    ATX_TRY(eval_end((int64_t *)&out->b, h->arg->input.upto, slots, err));
    const int64_t low = (int64_t)out->a, high = (int64_t)out->b, rows = h->numbers > 0 ? h->numbers - 1 : 0;
    if (low < 0 || low > high)
        return refuse(h, "lengths", low, high, err);
    if (__builtin_mul_overflow(high, rows, &last) || !fits_number(last, h->number))
        return refuse(h, "sums of lengths", 0, __builtin_mul_overflow(high, rows, &last) ? INT64_MAX : last,
                      err);
    return AT_OK;
}

/* spread N, columns N of ARG */
static at_status count_numbers(atx_filling *out, const atx_held *h, const int64_t *slots, at_error *err)
{
    int64_t many = 0;
    at_status status = atx_expr_eval(&many, h->arg->input.upto, slots, err);
    if (status == AT_OK && (many < 1 || !fits_number(many - 1, h->number)))
        return atx_fail_at(err, h->arg->input.where,
                           "found %lld integers for '%s'; expected at least one, and such as its type has",
                           (long long)many, h->arg->name);
    out->a = (uint64_t)many;
    return status;
}

/* offsets TOTAL skew S: of `rows` rows. */
static at_status offset_numbers(atx_filling *out, const atx_arg *arg, int64_t rows, const int64_t *slots,
                                at_error *err)
{
    int64_t total = 0;
    at_status status = atx_expr_eval(&total, arg->input.upto, slots, err);
    if (status == AT_OK && (total < 0 || (total > 0 && rows < 1)))
        status = atx_fail_at(err, arg->input.where,
                             "found offsets of %lld rows, with %lld elements together; expected a row for "
                             "them, and one more offset than rows",
                             (long long)rows, (long long)total);
    out->rows = (uint64_t)rows;
    out->total = (uint64_t)total;
    out->variance = atx_bits_of_double(arg->input.low * arg->input.low);
    return status;
}

/* An argument that follows the offsets of another one has as many elements as these share. */
static at_status member_numbers(atx_filling *out, const atx_held *h, const int64_t *slots, at_error *err)
{
    int64_t count = 0;
    if (!h->op)
        return atx_fail_at(err, h->arg->input.where, "'%s' is a field, which goes with no other array",
                           h->arg->name);
    const atx_arg *offsets = &h->op->args[h->arg->input.of_arg];
    at_status status = atx_expr_eval(&count, offsets->expr, slots, err);
    ATX_THEN(status, offset_numbers(out, offsets, count > 0 ? count - 1 : 0, slots, err));
    if (status == AT_OK && out->total != (uint64_t)h->numbers)
        status =
            atx_fail_at(err, h->arg->input.where,
                        "found %lld elements for '%s'; expected %lld, as many as the offsets '%s' end with",
                        (long long)h->numbers, h->arg->name, (long long)out->total, offsets->name);
    if (status == AT_OK && h->arg->input.how == ATX_COLUMNS)
        return count_numbers(out, h, slots, err);
    return status == AT_OK && out->rows > 0 && !fits_number((int64_t)out->rows - 1, h->number)
               ? refuse(h, "rows", 0, (int64_t)out->rows - 1, err)
               : status;
}

at_status atx_input_numbers(atx_filling *out, const atx_held *h, const int64_t *slots, at_error *err)
{
    const atx_input *in = &h->arg->input;
    at_status status;
    *out = (atx_filling){ .a = 0 };
    switch (in->how) {
    case ATX_RANGE:
    case ATX_SORTED:
        return range_numbers(out, h, slots, err);
    case ATX_SPREAD:
        return count_numbers(out, h, slots, err);
    case ATX_PREFIX:
        return prefix_numbers(out, h, slots, err);
    case ATX_COLUMNS:
    case ATX_SEGMENTS:
        return member_numbers(out, h, slots, err);
    case ATX_OFFSETS:
        status = offset_numbers(out, h->arg, h->numbers > 0 ? h->numbers - 1 : 0, slots, err);
        return status == AT_OK && !fits_number((int64_t)out->total, h->number)
                   ? refuse(h, "offsets", 0, (int64_t)out->total, err)
                   : status;
    case ATX_PERMUTATION:
        return h->numbers > 0 && !fits_number(h->numbers - 1, h->number)
                   ? refuse(h, "integers", 0, h->numbers - 1, err)
                   : AT_OK;
    default:
        out->a =
            atx_bits_of_double(in->how == ATX_UNIFORM || in->how == ATX_SORTED_UNIFORM ? in->high - in->low
                               : in->how == ATX_NORMAL                                 ? in->high
                                                                                       : in->low);
        out->b = atx_bits_of_double(in->low);
        return AT_OK;
    }
}

at_status atx_field_numbers(int *how, atx_filling *out, const atx_field *field, int64_t numbers,
                            const int64_t *slots, at_error *err)
{
    atx_arg like = { .input = field->input, .type = field->type, .own_type = true }; /* borrows */
    const atx_held held = { NULL, &like, atx_dtype_number(field->type, 0), numbers };
    memcpy(like.name, field->name, sizeof like.name);
    *how = field->input.how;
    if (field->type != ATX_BOOLEAN || *how != ATX_BITS)
        return atx_input_numbers(out, &held, slots, err);
    *how = ATX_RANGE;
    *out = (atx_filling){ .b = 2 }; /* 0 and 1 */
    return AT_OK;
}

/* An expression of integers that counts with real numbers: 1 / n. */
static at_status eval_real(double *out, const atx_expr *expr, const int64_t *slots, at_error *err)
{
    double reals[ATX_MAX_SLOTS];
    bool reads[ATX_MAX_SLOTS] = { false };
    atx_expr_mark_reads(reads, expr);
    for (int i = 0; i < ATX_MAX_SLOTS; i++)
        reals[i] = reads[i] ? (double)slots[i] : 0;
    return atx_expr_eval_real(out, expr, reals, err);
}

/* A number of a type, as bits. */
static at_status value_bits(int64_t *out, const atx_value *value, atx_dtype type, const int64_t *slots,
                            at_error *err)
{
    const atx_arg like = { .expr = value->expr,
                           .real = value->real,
                           .type = type,
                           .scalar_bytes = 1,
                           .where = value->expr ? atx_expr_where(value->expr) : (atx_where){ "", 0, 0 } };
    int64_t least, most;
    at_status status = atx_scalar_value(out, &like, slots, err);
    if (status != AT_OK || atx_dtype_is_real(type))
        return status;
    atx_dtype_range(&least, &most, type);
    return *out >= least && *out <= most
               ? AT_OK
               : atx_fail_at(err, like.where, "found %lld; expected %lld to %lld, as %s has", (long long)*out,
                             (long long)least, (long long)most, atx_dtype_name(type));
}

/* Numbers of a field: its values, or, if it has none, what a generator makes; complex ones of values are
 * real. */
static at_status put_field(unsigned char *out, const atx_field *f, int field, const int64_t *slots,
                           at_error *err)
{
    const int number = atx_dtype_number(f->type, 0), bytes = atx_number_bytes(number);
    const int parts = atx_dtype_bytes(f->type) / bytes;
    atx_filling filling = { .a = 0 };
    int how = ATX_BITS;
    at_status status =
        f->input.stated ? atx_field_numbers(&how, &filling, f, f->count * parts, slots, err) : AT_OK;
    for (int64_t i = 0; i < f->count * parts && status == AT_OK; i++) {
        int64_t bits = 0;
        const atx_value *value = f->value_count ? &f->values[f->value_count > 1 ? i / parts : 0] : NULL;
        if (f->input.stated)
            bits = (int64_t)atx_generate((atx_u64)i, (atx_u64)(f->count * parts), number, how, &filling,
                                         (atx_u64)field + 1);
        else if (value && i % parts == 0)
            status = value_bits(&bits, value, f->type, slots, err);
        atx_set_bits(out + f->offset, (atx_u64)i, bytes, (atx_u64)bits);
    }
    return status;
}

at_status atx_struct_value(unsigned char *out, const atx_struct *s, const int64_t *slots, at_error *err)
{
    memset(out, 0, (size_t)s->bytes);
    for (int i = 0; i < s->field_count; i++)
        if (!s->fields[i].pointer)
            ATX_TRY(put_field(out, &s->fields[i], i, slots, err));
    return AT_OK;
}

at_status atx_scalar_value(int64_t *out, const atx_arg *arg, const int64_t *slots, at_error *err)
{
    double real = arg->real;
    if (!atx_dtype_is_real(arg->type))
        return atx_expr_eval(out, arg->expr, slots, err);
    at_status status = arg->expr ? eval_real(&real, arg->expr, slots, err) : AT_OK;
    if (status == AT_OK && !atx_dtype_reaches(arg->type, real))
        status = atx_fail_at(err, arg->where, "found %s = %g; expected a number that %s has", arg->name, real,
                             atx_dtype_name(arg->type));
    *out = (int64_t)atx_number_bits(real, atx_dtype_number(arg->type, 0));
    return status;
}

double atx_scalar_real(const atx_arg *arg, int64_t bits)
{
    const int number = atx_dtype_number(arg->type, 0);
    return atx_number_value((atx_u64)bits & atx_number_mask(number), number);
}

at_status atx_scalar_check(const atx_arg *arg, const int64_t *slots, at_error *err)
{
    int64_t value, least, most;
    const atx_where w = arg->where;
    if (arg->role != ATX_SCALAR || !arg->expr || atx_dtype_is_real(arg->type) ||
        atx_expr_eval(&value, arg->expr, slots, NULL) != AT_OK)
        return AT_OK;
    atx_dtype_range(&least, &most, arg->type);
    if (value >= least && value <= most)
        return AT_OK;
    return atx_fail(err, AT_ERR_INPUT, "found %s = %lld; expected %lld to %lld, as %s:%d:%d declares it %s%s",
                    arg->name, (long long)value, (long long)least, (long long)most, w.file, w.line, w.column,
                    atx_dtype_name(arg->type), arg->type == ATX_U64 ? "" : ": i64 has more");
}

double atx_gflop_per_s(int64_t ops_count, double seconds)
{
    return ops_count > 0 && seconds > 0 ? 1e-9 * (double)ops_count / seconds : 0;
}

at_status atx_arg_bytes(int64_t *out, const atx_op *op, int arg, const int64_t *slots, at_error *err)
{
    const atx_arg *a = &op->args[arg];
    const atx_struct *s = atx_arg_struct(op, a);
    int64_t elements = 0, each = s             ? s->bytes
                                 : a->own_type ? atx_dtype_bytes(a->type)
                                               : slots[op->scope.sizeof_slot];
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
    ATX_TRY(atx_expr_eval(gflops, op->goal.peak, slots, err));
    ATX_TRY(atx_expr_eval(&ops, op->goal.ops, slots, err));
    if (*gflops < 1 || ops < 1)
        return atx_fail_at(err, atx_expr_where(op->goal.peak),
                           "found a ceiling of %lld GFLOP/s for %lld operations; expected 1 or more of both",
                           (long long)*gflops, (long long)ops);
    *seconds = 1e-9 * (double)ops / (double)*gflops;
    return AT_OK;
}
