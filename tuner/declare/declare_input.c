/*
 * declare_input.c - what the inputs of an operation hold, behind `input` or `inout`:
 *
 *     bits                 random bits; the default, and right for what only moves them
 *     uniform LOW HIGH     numbers of that interval
 *     normal MEAN SD       of a normal distribution
 *     range LOW HIGH       integers, both ends included (expressions)
 *     index N              integers from 0 to N - 1
 *     spread N             integers from 0 to N - 1, each as often as any other
 *     permutation          each integer from 0 to one less than there are elements once
 *     constant VALUE
 *     file "NAME.npy"      an array that numpy.save wrote; beside the op's file
 *
 * The numbers themselves are declare/data.h's. What does not suit the type of the buffer is refused when the
 * op is read; what may suit it, and proves nothing, when a problem is set up.
 */
#include "declare/declare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare/data.h"
#include "declare/declare_parts.h"

typedef at_status reader(at__input *input, at__lines *lines, const at__op *op);

static at_status read_nothing(at__input *input, at__lines *lines, const at__op *op)
{
    (void)input, (void)lines, (void)op;
    return AT_OK;
}

static at_status read_uniform(at__input *input, at__lines *lines, const at__op *op)
{
    (void)op;
    const char *at = lines->at;
    at_status status = at__lines_real(&input->low, lines, "two numbers, as in uniform -1 1");
    if (status == AT_OK)
        status = at__lines_real(&input->high, lines, "the upper end, as in uniform -1 1");
    if (status == AT_OK && !(input->low < input->high))
        status = at__lines_fail(lines, at, "found an interval without numbers; expected the lower end first");
    return status;
}

static at_status read_normal(at__input *input, at__lines *lines, const at__op *op)
{
    (void)op;
    at_status status = at__lines_real(&input->low, lines, "the mean, as in normal 0 1");
    const char *at = lines->at;
    if (status == AT_OK)
        status = at__lines_real(&input->high, lines, "the standard deviation, as in normal 0 1");
    if (status == AT_OK && !(input->high > 0))
        status = at__lines_fail(lines, at, "found a standard deviation that is not positive; expected one");
    return status;
}

static at_status read_range(at__input *input, at__lines *lines, const at__op *op)
{
    at_status status = at__lines_expr(&input->from, lines, &op->symbols);
    if (status == AT_OK && at__lines_at_end(lines))
        return at__lines_expected(lines, "the upper end, as in range 0 n - 1");
    return status == AT_OK ? at__lines_expr(&input->upto, lines, &op->symbols) : status;
}

static at_status read_index(at__input *input, at__lines *lines, const at__op *op)
{
    return at__lines_expr(&input->upto, lines, &op->symbols);
}

static at_status read_constant(at__input *input, at__lines *lines, const at__op *op)
{
    (void)op;
    return at__lines_real(&input->low, lines, "a number; data for a __constant__ variable goes 'into' it");
}

static at_status read_file(at__input *input, at__lines *lines, const at__op *op)
{
    (void)op;
    return at__lines_string(&input->file, lines, "a file, as in file \"x.npy\"");
}

static const struct {
    const char *word;
    int how;
    reader *read;
} KINDS[] = {
    { "bits", AT__BITS, read_nothing },           { "uniform", AT__UNIFORM, read_uniform },
    { "normal", AT__NORMAL, read_normal },        { "range", AT__RANGE, read_range },
    { "index", AT__RANGE, read_index },           { "permutation", AT__PERMUTATION, read_nothing },
    { "constant", AT__ONE_VALUE, read_constant }, { "file", AT__FILE, read_file },
    { "spread", AT__SPREAD, read_index },
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

at_status at__read_input(at__input *input, at__lines *lines, const at__op *op)
{
    input->where = at__lines_where(lines, lines->at);
    if (at__lines_at_end(lines) || at__lines_sees_word(lines, "into"))
        return AT_OK;
    for (int i = 0; i < KIND_COUNT; i++) {
        if (!at__lines_sees_word(lines, KINDS[i].word))
            continue;
        at__lines_skip(lines, strlen(KINDS[i].word));
        input->stated = true;
        input->how = KINDS[i].how;
        return KINDS[i].read(input, lines, op);
    }
    return at__lines_expected(
        lines, "bits, uniform LOW HIGH, normal MEAN SD, range LOW HIGH, index N, "
               "spread N, permutation, constant VALUE, file \"x.npy\", into VARIABLE or the end of the line");
}

void at__input_clear(at__input *input)
{
    at__expr_close(input->from);
    at__expr_close(input->upto);
    free(input->file);
}

/* ---- does it suit the types? ---- */

static at_status fail_at(at__where w, at_error *err, const char *text, const char *name, const char *type)
{
    return at_fail(err, AT_ERR_INPUT, "%s:%d:%d: '%s' is of %s: %s", w.file, w.line, w.column, name, type,
                   text);
}

static bool is_complex(at__dtype type)
{
    return type == AT__C64 || type == AT__C128;
}

static bool is_float(at__dtype type)
{
    return at__number_class(at__dtype_number(type, 0)) >= AT__FLOAT;
}

/* Why this cannot be what the buffer holds; NULL: it can. */
static const char *unsuited(const at__input *input, at__dtype type, bool storage)
{
    int how = input->how;
    if (storage)
        return how == AT__BITS ? NULL
                               : "its elements are opaque bits; expected bits, or a list of types for T";
    if (is_complex(type) && (how == AT__RANGE || how == AT__PERMUTATION || how == AT__SPREAD))
        return "expected bits, uniform, normal or constant";
    if (!is_float(type) && (how == AT__UNIFORM || how == AT__NORMAL))
        return "expected range LOW HIGH, index N, spread N, permutation, constant or bits for integers";
    if (!is_float(type) && how == AT__ONE_VALUE && (double)(int64_t)input->low != input->low)
        return "expected a constant that is an integer";
    return NULL;
}

static const char *unsuited_check(const at__check *check, bool storage)
{
    return storage && check->rule != AT__EXACT && check->rule != AT__BY
               ? "its elements are opaque bits; expected check exact, or a list of types for T"
               : NULL;
}

static at_status check_type(const at__op *op, const at__arg *arg, at__dtype type, at_error *err)
{
    bool storage = at__arg_is_storage(op, arg);
    const char *why = arg->input.stated ? unsuited(&arg->input, type, storage) : NULL;
    const char *name = storage ? "storage" : at__dtype_name(type);
    if (why)
        return fail_at(arg->input.where, err, why, arg->name, name);
    why = at__role_is_output(arg->role) ? unsuited_check(&arg->check, storage) : NULL;
    return why ? fail_at(arg->check.where, err, why, arg->name, name) : AT_OK;
}

at_status at__check_numbers(const at__op *op, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < op->arg_count; i++)
        for (int type = 0; type < AT__DTYPES && status == AT_OK; type++)
            if (op->args[i].role != AT__SCALAR && op->types & 1u << type)
                status = check_type(op, &op->args[i], at__arg_type(&op->args[i], (at__dtype)type), err);
    return status;
}

/* ---- can it prove anything? ---- */

static bool is_tolerant(const at__op *op)
{
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].check.rule != AT__EXACT && op->args[i].check.rule != AT__BY)
            return true;
    return false;
}

at_status at__op_check_inputs(const at__op *op, at__dtype t, at_error *err)
{
    for (int i = 0; i < op->arg_count; i++) {
        const at__arg *arg = &op->args[i];
        at__dtype type = at__arg_type(arg, t);
        bool read = arg->role == AT__INPUT || arg->role == AT__INOUT;
        if (!read || at__arg_is_storage(op, arg) || !is_float(type) || arg->input.how != AT__BITS)
            continue;
        if (!arg->input.stated)
            return fail_at(arg->input.where, err,
                           "random bits are NaN, infinite or huge, and so is what is computed of them, which "
                           "proves nothing; expected what it holds, as in 'input uniform -1 1' (or 'input "
                           "bits' where they are only moved)",
                           arg->name, at__dtype_name(type));
        if (is_tolerant(op))
            return fail_at(
                arg->input.where, err,
                "random bits are NaN, infinite or huge, and no tolerance suits them; expected what "
                "it holds, as in 'input uniform -1 1', or check exact",
                arg->name, at__dtype_name(type));
    }
    return AT_OK;
}
