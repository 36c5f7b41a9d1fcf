/*
 * declare_input.c - the contents of an operation's inputs, behind `input` or `inout`:
 *
 *     bits                 random bits; the default, and right for kernels that only move them
 *     uniform LOW HIGH     numbers of that interval
 *     normal MEAN SD       of a normal distribution
 *     range LOW HIGH       integers, both ends included (expressions)
 *     index N              integers from 0 to N - 1
 *     spread N             integers from 0 to N - 1, each as often as any other
 *     permutation          each integer from 0 to one less than there are elements once
 *     sorted ...           range, index or uniform, ascending
 *     prefix LOW HIGH      0, and the running sum of integers of that range
 *     offsets TOTAL [skew S]   where rows begin that share TOTAL elements: from 0 to TOTAL, one more than
 * rows columns N of ARG     column indices: below N, ascending within each row of the offsets ARG segments of
 * ARG      for each element the row of the offsets ARG that it is in constant VALUE file "NAME.npy"      an
 * array that numpy.save wrote; beside the op's file
 *
 * The numbers themselves are declare/data.h's. What does not suit the type of the buffer is refused when the
 * op is read; what may suit it, and proves nothing, when a problem is set up.
 */
#include "declare/declare.h"

#include <stdlib.h>
#include <string.h>

#include "declare/data.h"
#include "declare/declare_internal.h"
#include "util/chars.h"

typedef void reader(atx_input *input, atx_lines *lines);

enum { MOST_SKEW = 100 };

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

/* sorted range LOW HIGH, sorted index N, sorted uniform LOW HIGH */
static void read_sorted(atx_input *input, atx_lines *lines)
{
    input->how = ATX_SORTED;
    if (atx_lines_skip_word(lines, "range")) {
        read_range(input, lines);
    } else if (atx_lines_skip_word(lines, "index")) {
        read_index(input, lines);
    } else if (atx_lines_skip_word(lines, "uniform")) {
        input->how = ATX_SORTED_UNIFORM;
        read_uniform(input, lines);
    } else {
        atx_lines_expected(lines, "range LOW HIGH, index N or uniform LOW HIGH, as in sorted range 0 n");
    }
}

static void read_offsets(atx_input *input, atx_lines *lines)
{
    input->upto = atx_lines_expr(lines);
    input->low = 1;
    if (!atx_lines_skip_word(lines, "skew"))
        return;
    const char *at = lines->at;
    input->low = atx_lines_real(lines, "the deviation of a row's length, in units of the mean, as in skew 2");
    if (!(input->low >= 0 && input->low <= MOST_SKEW))
        atx_lines_fail(lines, at,
                       "found a skew that is not from 0 to %d; expected 0 (all rows alike), 1 or "
                       "more (few long ones)",
                       MOST_SKEW);
}

static void read_segments(atx_input *input, atx_lines *lines)
{
    atx_lines_take(lines, "of", "of ARG, an argument that holds offsets");
    atx_lines_name(input->of, lines, "an argument that holds offsets");
}

static void read_columns(atx_input *input, atx_lines *lines)
{
    input->upto = atx_lines_expr(lines);
    read_segments(input, lines);
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
    { "spread", ATX_SPREAD, read_index },         { "sorted", ATX_SORTED, read_sorted },
    { "prefix", ATX_PREFIX, read_range },         { "offsets", ATX_OFFSETS, read_offsets },
    { "columns", ATX_COLUMNS, read_columns },     { "segments", ATX_SEGMENTS, read_segments },
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
               "spread N, permutation, sorted ..., prefix LOW HIGH, offsets TOTAL, columns N of ARG, "
               "segments of ARG, constant VALUE, file \"x.npy\", into VARIABLE or the end of the line");
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

/* Integers, or numbers in an order. */
static bool is_ordered(int how)
{
    return how == ATX_RANGE || how == ATX_PERMUTATION || how == ATX_SPREAD || how == ATX_SORTED ||
           how == ATX_SORTED_UNIFORM;
}

/* Whether these are places, which only integers hold exactly. */
static bool counts(int how)
{
    return how == ATX_PREFIX || how == ATX_OFFSETS || how == ATX_SEGMENTS || how == ATX_COLUMNS;
}

/* Why the buffer cannot have these contents; NULL: it can. */
static const char *unsuited(const atx_input *input, atx_dtype type, bool storage)
{
    int how = input->how;
    if (storage)
        return how == ATX_BITS ? NULL
                               : "its elements are opaque bits; expected bits, or a list of types for T";
    if (is_complex(type) && is_ordered(how))
        return "expected bits, uniform, normal or constant";
    if (is_float(type) && counts(how))
        return "expected a type of integers, as i32";
    if (!is_float(type) && (how == ATX_UNIFORM || how == ATX_NORMAL || how == ATX_SORTED_UNIFORM))
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

/* Fields hold what their own words say; of a struct without them all bytes are zero, or bits. */
static at_status check_struct(const atx_op *op, const atx_arg *arg, at_error *err)
{
    const atx_struct *s = atx_arg_struct(op, arg);
    const bool opaque = s->field_count == 0;
    at_status status = AT_OK;
    if (arg->input.stated && !(opaque && arg->input.how == ATX_BITS))
        return fail_at(arg->input.where, err,
                       opaque ? "expected bits, or nothing for zeros: its fields are not known"
                              : "expected nothing: its fields say what they hold",
                       arg->name, s->name);
    if (opaque && atx_role_is_output(arg->role) && unsuited_check(&arg->check, true))
        return fail_at(arg->check.where, err, unsuited_check(&arg->check, true), arg->name, s->name);
    for (int i = 0; i < s->field_count && status == AT_OK; i++) {
        const atx_field *f = &s->fields[i];
        const char *why = f->input.stated ? unsuited(&f->input, f->type, false) : NULL;
        if (f->pointer)
            status = fail_at(f->where, err, "a pointer; expected such a struct to be passed by value",
                             f->name, s->name);
        else if (f->input.file || f->input.of[0])
            why = "expected no file for a field, and no offsets of another array";
        if (why)
            status = fail_at(f->where, err, why, f->name, atx_dtype_name(f->type));
    }
    return status;
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

at_status atx_find_offsets(atx_op *op, at_error *err)
{
    for (int i = 0; i < op->arg_count; i++) {
        atx_input *input = &op->args[i].input;
        if (!input->of[0])
            continue;
        for (input->of_arg = 0; input->of_arg < op->arg_count; input->of_arg++)
            if (strcmp(op->args[input->of_arg].name, input->of) == 0)
                break;
        if (input->of_arg == op->arg_count || op->args[input->of_arg].input.how != ATX_OFFSETS)
            return atx_fail_at(err, input->where,
                               "found '%s'; expected an argument that holds offsets, as in 'arg "
                               "%s i32[rows + 1] input offsets total'",
                               input->of, input->of);
    }
    return AT_OK;
}

at_status atx_check_numbers(const atx_op *op, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < op->arg_count; i++)
        for (int type = 0; type < ATX_DTYPES && status == AT_OK; type++)
            if (op->args[i].role != ATX_SCALAR && op->args[i].structure && type == 0)
                status = check_struct(op, &op->args[i], err);
            else if (op->args[i].role != ATX_SCALAR && !op->args[i].structure && op->types & 1u << type)
                status = check_type(op, &op->args[i], atx_arg_type(&op->args[i], (atx_dtype)type), err);
    return status;
}

/* ---- can it prove anything? ---- */

/* A floating-point field without declared contents. */
static const atx_field *unsaid_field(const atx_op *op, const atx_arg *arg)
{
    const atx_struct *s = atx_arg_struct(op, arg);
    for (int i = 0; s && i < s->field_count; i++)
        if (is_float(s->fields[i].type) && !s->fields[i].input.stated)
            return &s->fields[i];
    return NULL;
}

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
        const atx_field *unsaid = read ? unsaid_field(op, arg) : NULL;
        if (unsaid)
            return fail_at(
                unsaid->where, err,
                "random bits are NaN, infinite or huge, which proves nothing; expected what it holds, as "
                "in 'f32 x uniform -1 1'",
                unsaid->name, atx_dtype_name(unsaid->type));
        if (!read || arg->structure || atx_arg_is_storage(op, arg) || !is_float(type) ||
            arg->input.how != ATX_BITS)
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
