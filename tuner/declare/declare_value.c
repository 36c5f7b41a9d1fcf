/*
 * declare_value.c - element types by the names that an operation knows, and numbers of a type: an expression,
 * or, for a floating type, also a literal.
 */
#include "declare/declare.h"

#include <stdio.h>
#include <string.h>

#include "declare/declare_internal.h"

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
bool atx_find_type(atx_dtype *out, const atx_lines *lines, const atx_op *op)
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

/* ---- numbers ---- */

/* Whether a number stands here and nothing else does up to the end of the line, or of its place in a list. */
static bool sees_number(const atx_lines *lines)
{
    atx_lines after = *lines;
    at_error unused;
    after.err = &unused;
    atx_lines_real(&after, "");
    return after.status == AT_OK &&
           (atx_lines_at_end(&after) || atx_lines_sees(&after, ",") || atx_lines_sees(&after, "}"));
}

void atx_read_value(atx_lines *lines, atx_dtype type, atx_value *value)
{
    const char *at = lines->at;
    if (!atx_dtype_is_real(type) || !sees_number(lines)) {
        value->expr = atx_lines_expr(lines);
        return;
    }
    value->real = atx_lines_real(lines, "a number, as in 1e-5");
    if (!atx_dtype_reaches(type, value->real))
        atx_lines_fail(lines, at, "found %g, which %s does not have; expected a smaller number", value->real,
                       atx_dtype_name(type));
}
