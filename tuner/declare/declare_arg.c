/*
 * declare_arg.c - the `arg` and `scratch` lines of an operation.
 *
 *     arg NAME TYPE[EXPR] output [zero] | input [DATA] [into VARIABLE] | inout [DATA]
 *     arg NAME TYPE [= VALUE]
 *     scratch NAME TYPE[EXPR]
 *
 * TYPE is T, a type's own name, or one that a line `type NAME = f32` declares. A scalar's value is that of
 * its name, or of an expression; of floating types also a number. A template's line `scalar` is one of its
 * own.
 */
#include "declare/declare.h"

#include <string.h>

#include "declare/declare_internal.h"

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

/* The value of the same name. */
static void read_same_name(atx_lines *lines, atx_arg *arg)
{
    const atx_symbols *symbols = lines->in.symbols;
    const atx_scope scope = { .find = atx_symbols_find, .context = symbols };
    if (atx_symbols_find(symbols, arg->name, strlen(arg->name)) < 0)
        atx_lines_fail(lines, lines->at, "found no dimension or let called '%s'; expected '= EXPR'%s",
                       arg->name, atx_dtype_is_real(arg->type) ? " or '= NUMBER'" : "");
    else
        atx_lines_note(lines, atx_expr_compile(&arg->expr, arg->name, strlen(arg->name), &scope, arg->where,
                                               lines->err));
}

/* After the type. */
static void read_scalar(atx_lines *lines, atx_arg *arg)
{
    atx_value value = { 0 };
    arg->scalar_bytes = atx_dtype_bytes(arg->type);
    if (!atx_lines_skip_sign(lines, "=")) {
        read_same_name(lines, arg);
        return;
    }
    atx_read_value(lines, arg->type, &value);
    arg->expr = value.expr;
    arg->real = value.real;
}

/* ---- the line ---- */

/* T, or a type of its own. */
static void read_element_type(atx_lines *lines, const atx_op *op, atx_arg *arg, const char *expected)
{
    const atx_struct *s = atx_struct_find(op, lines->at, atx_lines_word(lines));
    if (s) { /* its type is a byte, of which elements have several */
        arg->own_type = true;
        arg->structure = (int)(s - op->scope.structs) + 1;
        atx_lines_skip(lines, atx_lines_word(lines));
        return;
    }
    if (atx_lines_skip_word(lines, "T"))
        return;
    arg->own_type = atx_find_type(&arg->type, lines, op);
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

/* Complex numbers are passed as structs. */
static bool is_scalar_type(atx_dtype type)
{
    return type != ATX_C64 && type != ATX_C128;
}

void atx_read_arg(atx_lines *lines, void *target)
{
    static const char EXPECTED[] = "T[EXPR], another type with [EXPR], or the type of a scalar";
    atx_op *op = target;
    atx_arg *arg = begin_arg(op, lines);
    if (!arg)
        return;
    const char *type = lines->at;
    read_element_type(lines, op, arg, EXPECTED);
    if (!arg->own_type || atx_lines_sees(lines, "["))
        read_buffer(lines, op, arg);
    else if (arg->structure)
        atx_read_struct_value(lines, op, arg);
    else if (is_scalar_type(arg->type))
        read_scalar(lines, arg);
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

/* ---- of a template ---- */

/* The name of an argument of the template's own, which launches take by it; NULL: something failed. */
atx_arg *atx_begin_own_arg(atx_lines *lines, atx_template *t)
{
    struct atx_template_call *call = &t->call;
    if (call->own_count == ATX_MAX_OWN)
        atx_lines_fail(lines, lines->at, "found more than %d arguments of a template; expected fewer",
                       ATX_MAX_OWN);
    if (!atx_lines_grow(lines, &call->own, &call->own_cap, call->own_count, sizeof *call->own))
        return NULL;
    atx_arg *arg = &call->own[call->own_count];
    *arg = (atx_arg){ .role = ATX_SCALAR, .own_type = true };
    const char *at = atx_read_free_name(arg->name, lines, "the name of an argument");
    arg->where = atx_lines_where(lines, at);
    for (int i = 0; i < t->op->arg_count + (int)call->own_count; i++)
        if (strcmp(atx_template_arg(t, i)->name, arg->name) == 0)
            atx_lines_fail(lines, at, "found argument '%s' a second time; expected a new name", arg->name);
    call->own_count++;
    return arg;
}

void atx_read_own_scalar(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    atx_arg *arg = atx_begin_own_arg(lines, t);
    const char *type = lines->at;
    if (!arg)
        return;
    if (!atx_find_type(&arg->type, lines, t->op) || !is_scalar_type(arg->type)) {
        lines->at = type;
        atx_lines_expected(lines,
                           "the type of a scalar: bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64");
        return;
    }
    atx_lines_skip(lines, atx_lines_word(lines));
    read_scalar(lines, arg);
}
