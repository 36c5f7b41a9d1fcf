/*
 * declare_arg.c - the `arg` and `scratch` lines of an operation, and the names that it gives to types.
 *
 *     arg NAME TYPE[EXPR] output [zero] | input [DATA] [into VARIABLE] | inout [DATA]
 *     arg NAME TYPE [= VALUE]
 *     scratch NAME TYPE[EXPR]
 *
 * TYPE is T, a type's own name, or one that a line `type NAME = f32` declares. A scalar is of i32 or i64,
 * with an expression for its value, or of a floating type, with a number.
 */
#include "declare/declare.h"

#include <stdio.h>
#include <string.h>

#include "declare/declare_parts.h"

static const unsigned SCALARS =
    1u << ATX_I32 | 1u << ATX_I64 | 1u << ATX_F16 | 1u << ATX_BF16 | 1u << ATX_F32 | 1u << ATX_F64;
static const unsigned INTEGER_SCALARS = 1u << ATX_I32 | 1u << ATX_I64;

/* ---- types ---- */

at_status atx_read_named_type(atx_op *op, atx_lines *lines)
{
    atx_named_type *named = &op->scope.named[op->scope.named_count];
    char word[ATX_MAX_NAME], symbol[ATX_MAX_NAME + 8];
    at_error cause = { 0 };
    const char *at = lines->at;

    if (op->shape.dim_count == 0)
        return atx_lines_fail(lines, lines->line, "found a named type; expected 'shape' before it");
    if (op->scope.named_count == ATX_MAX_TYPES)
        return atx_lines_fail(lines, at, "found more than %d named types; expected fewer", ATX_MAX_TYPES);
    at_status status = atx_read_free_name(named->name, lines, "a name for the type");
    if (status == AT_OK)
        status = atx_lines_take(lines, "=", NULL);
    if (status != AT_OK)
        return status;
    if (atx_symbols_find(&op->scope.symbols, named->name, strlen(named->name)) >= 0)
        return atx_lines_fail(lines, at, "found '%s' a second time; expected a new name", named->name);
    snprintf(symbol, sizeof symbol, "sizeof(%s)", named->name);
    if ((status = atx_add_symbol(&named->slot, &op->scope.symbols, symbol, lines, at)) != AT_OK)
        return status;
    at = lines->at;
    if ((status = atx_lines_name(word, lines, "an element type")) != AT_OK)
        return status;
    if (atx_dtype_parse(&named->type, word, strlen(word), &cause) != AT_OK)
        return atx_lines_fail(lines, at, "found %s", cause.text);
    if (!atx_lines_at_end(lines))
        return atx_lines_fail(lines, lines->at,
                              "found another type for '%s'; expected one: only T may be a list of types",
                              named->name);
    op->scope.named_count++;
    return AT_OK;
}

/* The type at the reader's place. false: T, or nothing that is known. */
static bool find_type(atx_dtype *out, const atx_lines *lines, const atx_op *op)
{
    at_error unused = { 0 };
    size_t len = atx_lines_word(lines);
    for (int i = 0; i < op->scope.named_count; i++) {
        if (atx_lines_sees_word(lines, op->scope.named[i].name)) {
            *out = op->scope.named[i].type;
            return true;
        }
    }
    return len > 0 && atx_dtype_parse(out, lines->at, len, &unused) == AT_OK;
}

/* ---- buffers ---- */

static bool take_word(atx_lines *lines, const char *word)
{
    bool seen = atx_lines_sees_word(lines, word);
    if (seen)
        atx_lines_skip(lines, strlen(word));
    return seen;
}

/* [EXPR] */
static at_status read_elements(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    at_status status = atx_lines_take(lines, "[", NULL);
    if (status == AT_OK)
        status = atx_lines_expr(&arg->expr, lines, &op->scope.symbols);
    return status == AT_OK ? atx_lines_take(lines, "]", "an operator or ']'") : status;
}

/* f or ns::f, which no other argument goes into. */
static at_status read_variable(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    static const char EXPECTED[] =
        "a variable of the kernels' code, as in into c_filter or into ns::c_filter";
    const char *at = lines->at;
    size_t len = 0;
    do {
        size_t word = atx_lines_word(lines);
        if (!word)
            return atx_lines_expected(lines, EXPECTED);
        len = (size_t)(lines->at - at) + word;
        atx_lines_skip(lines, word);
    } while (atx_lines_sees(lines, "::") && (atx_lines_skip(lines, 2), true));
    if (len >= sizeof arg->variable)
        return atx_lines_fail(lines, at, "found a name of %zu characters; expected at most %d", len,
                              ATX_MAX_NAME - 1);
    memcpy(arg->variable, at, len);
    if (strpbrk(arg->variable, " \t\r\\"))
        return atx_lines_fail(lines, at, "found a blank within a name; expected %s", EXPECTED);
    for (const atx_arg *other = op->args; other < arg; other++)
        if (strcmp(other->variable, arg->variable) == 0)
            return atx_lines_fail(
                lines, at, "found '%s' a second time; expected a variable for each argument", arg->variable);
    return AT_OK;
}

/* [EXPR] output */
static at_status read_buffer(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    at_status status = read_elements(lines, op, arg);
    if (status != AT_OK)
        return status;
    if (take_word(lines, "output")) {
        arg->role = ATX_OUTPUT;
        arg->zero = take_word(lines, "zero");
        return AT_OK;
    }
    bool input = take_word(lines, "input");
    if (!input && !take_word(lines, "inout"))
        return atx_lines_expected(lines, "output, input or inout");
    arg->role = input ? ATX_INPUT : ATX_INOUT;
    status = atx_read_input(&arg->input, lines, op);
    return status == AT_OK && input && take_word(lines, "into") ? read_variable(lines, op, arg) : status;
}

/* ---- scalars ---- */

/* After the type: the value is that of the same name, or = EXPR. */
static at_status read_integer(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    atx_scope scope = { .find = atx_symbols_find, .context = &op->scope.symbols };
    if (atx_lines_sees(lines, "=")) {
        atx_lines_skip(lines, 1);
        return atx_lines_expr(&arg->expr, lines, &op->scope.symbols);
    }
    if (atx_symbols_find(&op->scope.symbols, arg->name, strlen(arg->name)) < 0)
        return atx_lines_fail(lines, lines->at, "found no dimension or let called '%s'; expected '= EXPR'",
                              arg->name);
    return atx_expr_compile(&arg->expr, arg->name, strlen(arg->name), &scope, arg->where, lines->err);
}

static at_status read_real(atx_lines *lines, atx_arg *arg)
{
    at_status status = atx_lines_take(lines, "=", "'= NUMBER'");
    return status == AT_OK ? atx_lines_real(&arg->real, lines, "a number, as in 1e-5") : status;
}

static at_status read_scalar(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    arg->scalar_bytes = atx_dtype_bytes(arg->type);
    return INTEGER_SCALARS & 1u << arg->type ? read_integer(lines, op, arg) : read_real(lines, arg);
}

/* ---- the line ---- */

static at_status read_arg_type(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    static const char EXPECTED[] =
        "T[EXPR], i32 or i64, f16 bf16 f32 f64 with '= NUMBER', or another type with [EXPR]";
    if (take_word(lines, "T"))
        return read_buffer(lines, op, arg);
    atx_lines at_type = *lines;
    arg->own_type = find_type(&arg->type, lines, op);
    if (!arg->own_type)
        return atx_lines_expected(lines, EXPECTED);
    atx_lines_skip(lines, atx_lines_word(lines));
    if (atx_lines_sees(lines, "["))
        return read_buffer(lines, op, arg);
    if (!(SCALARS & 1u << arg->type))
        return atx_lines_expected(&at_type, EXPECTED);
    return read_scalar(lines, op, arg);
}

/* The name; *out is counted as the op's from here on, and atx_op_close frees it. */
static at_status begin_arg(atx_arg **out, atx_op *op, atx_lines *lines)
{
    const char *at = lines->at;

    if (op->arg_count == ATX_MAX_ARGS) {
        atx_lines_fail(lines, at, "found more than %d arguments; expected fewer", ATX_MAX_ARGS);
        return AT_ERR_INPUT;
    }
    atx_arg *arg = *out = &op->args[op->arg_count];
    arg->where = atx_lines_where(lines, at);
    at_status status = atx_read_free_name(arg->name, lines, "the name of an argument");
    if (status != AT_OK)
        return status;
    for (int i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].name, arg->name) == 0)
            return atx_lines_fail(lines, at, "found argument '%s' a second time; expected a new name",
                                  arg->name);
    op->arg_count++;
    return AT_OK;
}

at_status atx_read_arg(atx_op *op, atx_lines *lines)
{
    atx_arg *arg = NULL;
    at_status status = begin_arg(&arg, op, lines);
    return status == AT_OK ? read_arg_type(lines, op, arg) : status;
}

at_status atx_read_scratch(atx_op *op, atx_lines *lines)
{
    atx_arg *arg = NULL;
    at_status status = begin_arg(&arg, op, lines);
    if (status != AT_OK)
        return status;
    arg->role = ATX_SCRATCH;
    if (!take_word(lines, "T")) {
        arg->own_type = find_type(&arg->type, lines, op);
        if (!arg->own_type)
            return atx_lines_expected(lines, "T[EXPR], or another type with [EXPR]");
        atx_lines_skip(lines, atx_lines_word(lines));
    }
    return read_elements(lines, op, arg);
}
