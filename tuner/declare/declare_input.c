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
#include "util/chars.h"

typedef void reader(atx_input *input, atx_lines *lines);

static void read_nothing(atx_input *input, atx_lines *lines)
{
    (void)input, (void)lines;
}

static void read_uniform(atx_input *input, atx_lines *lines)
{
    const char *at = lines->at;
    input->low = atx_lines_real(lines, "two numbers, as in uniform -1 1");
    atx_lines_skip_sign(lines, ",");
    input->high = atx_lines_real(lines, "the upper end, as in uniform -1 1");
    if (!(input->low < input->high))
        atx_lines_fail(lines, at, "found an interval without numbers; expected the lower end first");
}

static void read_normal(atx_input *input, atx_lines *lines)
{
    input->low = atx_lines_real(lines, "the mean, as in normal 0 1");
    atx_lines_skip_sign(lines, ",");
    const char *at = lines->at;
    input->high = atx_lines_real(lines, "the standard deviation, as in normal 0 1");
    if (!(input->high > 0))
        atx_lines_fail(lines, at, "found a standard deviation that is not positive; expected one");
}

/* Where "-5 -1" is two numbers: before the last minus that has a blank before it and none behind. NULL: it is
 * none. */
static const char *second_of_two(const char *begin, const char *end)
{
    for (const char *at = end - 2; at > begin; at--)
        if (*at == '-' && atx_is_blank(at[-1]) && !atx_is_blank(at[1]))
            return at;
    return NULL;
}

/* Two expressions. One that has the whole line, as "-5 -1" has, may have been meant as two. */
static void read_range(atx_input *input, atx_lines *lines)
{
    const char *begin = lines->at, *end = lines->line_end;
    input->from = atx_lines_expr(lines);
    const bool comma = atx_lines_skip_sign(lines, ",");
    const char *second = atx_lines_at_end(lines) && !comma ? second_of_two(begin, end) : NULL;
    if (input->from && second) {
        atx_expr_close(input->from);
        lines->at = begin;
        lines->line_end = second;
        input->from = atx_lines_expr(lines);
        lines->line_end = end;
    } else if (atx_lines_at_end(lines)) {
        atx_lines_expected(lines, "the upper end, as in range 0 n - 1");
    }
    input->upto = atx_lines_expr(lines);
}

static void read_index(atx_input *input, atx_lines *lines)
{
    input->upto = atx_lines_expr(lines);
}

static void read_constant(atx_input *input, atx_lines *lines)
{
    input->low = atx_lines_real(lines, "a number; data for a __constant__ variable goes 'into' it");
}

static void read_file(atx_input *input, atx_lines *lines)
{
    input->file = atx_lines_string(lines, "a file, as in file \"x.npy\"");
}

static const struct {
    const char *word;
    int how;
    reader *read;
} KINDS[] = {
    { "bits", ATX_BITS, read_nothing },           { "uniform", ATX_UNIFORM, read_uniform },
    { "normal", ATX_NORMAL, read_normal },        { "range", ATX_RANGE, read_range },
    { "index", ATX_RANGE, read_index },           { "permutation", ATX_PERMUTATION, read_nothing },
    { "constant", ATX_ONE_VALUE, read_constant }, { "file", ATX_FILE, read_file },
    { "spread", ATX_SPREAD, read_index },
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

void atx_read_input(atx_lines *lines, atx_input *input)
{
    input->where = atx_lines_where(lines, lines->at);
    if (atx_lines_at_end(lines) || atx_lines_sees_word(lines, "into"))
        return;
    for (int i = 0; i < KIND_COUNT; i++) {
        if (!atx_lines_skip_word(lines, KINDS[i].word))
            continue;
        input->stated = true;
        input->how = KINDS[i].how;
        KINDS[i].read(input, lines);
        return;
    }
    atx_lines_expected(
        lines, "bits, uniform LOW HIGH, normal MEAN SD, range LOW HIGH, index N, "
               "spread N, permutation, constant VALUE, file \"x.npy\", into VARIABLE or the end of the line");
}

void atx_input_clear(atx_input *input)
{
    atx_expr_close(input->from);
    atx_expr_close(input->upto);
    free(input->file);
}

/* ---- does it suit the types? ---- */

static at_status fail_at(atx_where w, at_error *err, const char *text, const char *name, const char *type)
{
    return atx_fail_at(err, w, "'%s' is of %s: %s", name, type, text);
}

static bool is_complex(atx_dtype type)
{
    return type == ATX_C64 || type == ATX_C128;
}

static bool is_float(atx_dtype type)
{
    return atx_number_class(atx_dtype_number(type, 0)) >= ATX_FLOAT;
}

/* Why this cannot be what the buffer holds; NULL: it can. */
static const char *unsuited(const atx_input *input, atx_dtype type, bool storage)
{
    int how = input->how;
    if (storage)
        return how == ATX_BITS ? NULL
                               : "its elements are opaque bits; expected bits, or a list of types for T";
    if (is_complex(type) && (how == ATX_RANGE || how == ATX_PERMUTATION || how == ATX_SPREAD))
        return "expected bits, uniform, normal or constant";
    if (!is_float(type) && (how == ATX_UNIFORM || how == ATX_NORMAL))
        return "expected range LOW HIGH, index N, spread N, permutation, constant or bits for integers";
    if (!is_float(type) && how == ATX_ONE_VALUE && (double)(int64_t)input->low != input->low)
        return "expected a constant that is an integer";
    return NULL;
}

static const char *unsuited_check(const atx_check *check, bool storage)
{
    return storage && check->rule != ATX_EXACT && check->rule != ATX_BY
               ? "its elements are opaque bits; expected check exact, or a list of types for T"
               : NULL;
}

static at_status check_type(const atx_op *op, const atx_arg *arg, atx_dtype type, at_error *err)
{
    bool storage = atx_arg_is_storage(op, arg);
    const char *why = arg->input.stated ? unsuited(&arg->input, type, storage) : NULL;
    const char *name = storage ? "storage" : atx_dtype_name(type);
    if (why)
        return fail_at(arg->input.where, err, why, arg->name, name);
    why = atx_role_is_output(arg->role) ? unsuited_check(&arg->check, storage) : NULL;
    return why ? fail_at(arg->check.where, err, why, arg->name, name) : AT_OK;
}

at_status atx_check_numbers(const atx_op *op, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < op->arg_count; i++)
        for (int type = 0; type < ATX_DTYPES && status == AT_OK; type++)
            if (op->args[i].role != ATX_SCALAR && op->types & 1u << type)
                status = check_type(op, &op->args[i], atx_arg_type(&op->args[i], (atx_dtype)type), err);
    return status;
}

/* ---- can it prove anything? ---- */

static bool is_tolerant(const atx_op *op)
{
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].check.rule != ATX_EXACT && op->args[i].check.rule != ATX_BY)
            return true;
    return false;
}

at_status atx_op_check_inputs(const atx_op *op, atx_dtype t, at_error *err)
{
    for (int i = 0; i < op->arg_count; i++) {
        const atx_arg *arg = &op->args[i];
        atx_dtype type = atx_arg_type(arg, t);
        bool read = arg->role == ATX_INPUT || arg->role == ATX_INOUT;
        if (!read || atx_arg_is_storage(op, arg) || !is_float(type) || arg->input.how != ATX_BITS)
            continue;
        if (!arg->input.stated)
            return fail_at(arg->input.where, err,
                           "random bits are NaN, infinite or huge, and so is what is computed of them, which "
                           "proves nothing; expected what it holds, as in 'input uniform -1 1' (or 'input "
                           "bits' where they are only moved)",
                           arg->name, atx_dtype_name(type));
        if (is_tolerant(op))
            return fail_at(
                arg->input.where, err,
                "random bits are NaN, infinite or huge, and no tolerance suits them; expected what "
                "it holds, as in 'input uniform -1 1', or check exact",
                arg->name, atx_dtype_name(type));
    }
    return AT_OK;
}
