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

void atx_read_named_type(atx_lines *lines, atx_op *op)
{
    atx_named_type *named = &op->scope.named[op->scope.named_count];
    char word[ATX_MAX_NAME], symbol[ATX_MAX_NAME + 8];
    at_error cause = { 0 };
    if (op->shape.dim_count == 0)
        atx_lines_fail(lines, lines->line, "found a named type; expected 'shape' before it");
    if (op->scope.named_count == ATX_MAX_TYPES)
        atx_lines_fail(lines, lines->at, "found more than %d named types; expected fewer", ATX_MAX_TYPES);
    if (lines->status != AT_OK)
        return;
    const char *at = atx_read_free_name(named->name, lines, "a name for the type");
    atx_lines_take(lines, "=", NULL);
    if (atx_symbols_find(&op->scope.symbols, named->name, strlen(named->name)) >= 0)
        atx_lines_fail(lines, at, "found '%s' a second time; expected a new name", named->name);
    snprintf(symbol, sizeof symbol, "sizeof(%s)", named->name);
    named->slot = atx_add_symbol(lines, symbol, at);
    at = atx_lines_name(word, lines, "an element type");
    if (atx_dtype_parse(&named->type, word, strlen(word), &cause) != AT_OK)
        atx_lines_fail(lines, at, "found %s", cause.text);
    if (!atx_lines_at_end(lines))
        atx_lines_fail(lines, lines->at,
                       "found another type for '%s'; expected one: only T may be a list of types",
                       named->name);
    op->scope.named_count++;
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

/* [EXPR] */
static void read_elements(atx_lines *lines, atx_arg *arg)
{
    atx_lines_take(lines, "[", NULL);
    arg->expr = atx_lines_expr(lines);
    atx_lines_take(lines, "]", "an operator or ']'");
}

/* f or ns::f, which no other argument goes into. */
static void read_variable(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    static const char EXPECTED[] =
        "a variable of the kernels' code, as in into c_filter or into ns::c_filter";
    const char *at = lines->at;
    size_t len = 0;
    do {
        size_t word = atx_lines_word(lines);
        if (!word)
            atx_lines_expected(lines, EXPECTED);
        len = (size_t)(lines->at - at) + word;
        atx_lines_skip(lines, word);
    } while (atx_lines_skip_sign(lines, "::"));
    if (len >= sizeof arg->variable)
        atx_lines_fail(lines, at, "found a name of %zu characters; expected at most %d", len,
                       ATX_MAX_NAME - 1);
    if (lines->status != AT_OK)
        return;
    memcpy(arg->variable, at, len);
    if (strpbrk(arg->variable, " \t\r\\"))
        atx_lines_fail(lines, at, "found a blank within a name; expected %s", EXPECTED);
    for (const atx_arg *other = op->args; other < arg; other++)
        if (strcmp(other->variable, arg->variable) == 0)
            atx_lines_fail(lines, at, "found '%s' a second time; expected a variable for each argument",
                           arg->variable);
}

/* [EXPR] output */
static void read_buffer(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    read_elements(lines, arg);
    if (atx_lines_skip_word(lines, "output")) {
        arg->role = ATX_OUTPUT;
        arg->zero = atx_lines_skip_word(lines, "zero");
        return;
    }
    arg->role = atx_lines_skip_word(lines, "input") ? ATX_INPUT : ATX_INOUT;
    if (arg->role == ATX_INOUT && !atx_lines_skip_word(lines, "inout"))
        atx_lines_expected(lines, "output, input or inout");
    atx_read_input(lines, &arg->input);
    if (arg->role == ATX_INPUT && atx_lines_skip_word(lines, "into"))
        read_variable(lines, op, arg);
}

/* ---- scalars ---- */

/* After the type: the value is that of the same name, or = EXPR. */
static void read_integer(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    const atx_scope scope = { .find = atx_symbols_find, .context = &op->scope.symbols };
    if (atx_lines_skip_sign(lines, "="))
        arg->expr = atx_lines_expr(lines);
    else if (atx_symbols_find(&op->scope.symbols, arg->name, strlen(arg->name)) < 0)
        atx_lines_fail(lines, lines->at, "found no dimension or let called '%s'; expected '= EXPR'",
                       arg->name);
    else
        atx_lines_note(lines, atx_expr_compile(&arg->expr, arg->name, strlen(arg->name), &scope, arg->where,
                                               lines->err));
}

static void read_scalar(atx_lines *lines, const atx_op *op, atx_arg *arg)
{
    arg->scalar_bytes = atx_dtype_bytes(arg->type);
    if (INTEGER_SCALARS & 1u << arg->type) {
        read_integer(lines, op, arg);
        return;
    }
    atx_lines_take(lines, "=", "'= NUMBER'");
    arg->real = atx_lines_real(lines, "a number, as in 1e-5");
}

/* ---- the line ---- */

/* T, or a type of its own. */
static void read_element_type(atx_lines *lines, const atx_op *op, atx_arg *arg, const char *expected)
{
    if (atx_lines_skip_word(lines, "T"))
        return;
    arg->own_type = find_type(&arg->type, lines, op);
    if (!arg->own_type)
        atx_lines_expected(lines, expected);
    atx_lines_skip(lines, atx_lines_word(lines));
}

/* The name of a new argument; NULL: there are too many. It is counted as the op's from here on, and
 * atx_op_close frees it. */
static atx_arg *begin_arg(atx_op *op, atx_lines *lines)
{
    if (op->arg_count == ATX_MAX_ARGS) {
        atx_lines_fail(lines, lines->at, "found more than %d arguments; expected fewer", ATX_MAX_ARGS);
        return NULL;
    }
    atx_arg *arg = &op->args[op->arg_count];
    const char *at = atx_read_free_name(arg->name, lines, "the name of an argument");
    arg->where = atx_lines_where(lines, at);
    for (int i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].name, arg->name) == 0)
            atx_lines_fail(lines, at, "found argument '%s' a second time; expected a new name", arg->name);
    op->arg_count++;
    return arg;
}

void atx_read_arg(atx_lines *lines, void *target)
{
    static const char EXPECTED[] =
        "T[EXPR], i32 or i64, f16 bf16 f32 f64 with '= NUMBER', or another type with [EXPR]";
    atx_op *op = target;
    atx_arg *arg = begin_arg(op, lines);
    if (!arg)
        return;
    const char *type = lines->at;
    read_element_type(lines, op, arg, EXPECTED);
    if (!arg->own_type || atx_lines_sees(lines, "["))
        read_buffer(lines, op, arg);
    else if (SCALARS & 1u << arg->type)
        read_scalar(lines, op, arg);
    else if (lines->status == AT_OK) {
        lines->at = type;
        atx_lines_expected(lines, EXPECTED);
    }
}

void atx_read_scratch(atx_lines *lines, void *target)
{
    atx_arg *arg = begin_arg(target, lines);
    if (!arg)
        return;
    arg->role = ATX_SCRATCH;
    read_element_type(lines, target, arg, "T[EXPR], or another type with [EXPR]");
    read_elements(lines, arg);
}
