/*
 * declare_dim.c - a dimension of an operation's `shape` line:
 *
 *     NAME                    a size
 *     NAME=N                  one that may be left out of a shape
 *     NAME=WORD|WORD|...      a choice, which has the first word when it is left out
 *
 * A choice is a size from 1 to the number of its words: everything that tells problems apart by sizes does so
 * by choices too. Expressions know the words as constants NAME_WORD.
 */
#include "declare/declare.h"

#include <stdio.h>
#include <string.h>

#include "declare/declare_parts.h"

/* WORD|WORD|..., up to the next blank. */
static at_status read_words(atx_lines *lines, atx_dim *dim)
{
    bool more = true;
    for (dim->value = 1; more; more = atx_lines_sees(lines, "|") && (atx_lines_skip(lines, 1), true)) {
        const char *at = lines->at;
        if (dim->word_count == ATX_MAX_CHOICES)
            return atx_lines_fail(lines, at, "found more than %d words; expected fewer", ATX_MAX_CHOICES);
        at_status status = atx_lines_name(dim->words[dim->word_count], lines, "a word, as in to=near|far");
        if (status != AT_OK)
            return status;
        for (int i = 0; i < dim->word_count; i++)
            if (strcmp(dim->words[i], dim->words[dim->word_count]) == 0)
                return atx_lines_fail(lines, at, "found '%s' a second time; expected each word once",
                                      dim->words[i]);
        dim->word_count++;
    }
    return AT_OK;
}

/* Behind the =. */
static at_status read_default(atx_lines *lines, atx_dim *dim)
{
    const char *at = lines->at;
    if (atx_lines_word(lines) > 0)
        return read_words(lines, dim);
    at_status status = atx_lines_integer(&dim->value, lines, "a size");
    if (status != AT_OK)
        return status;
    if (dim->value < 1)
        return atx_lines_fail(lines, at, "found a default below 1; expected a size");
    return AT_OK;
}

/* A dimension with a default may be left out of a shape, so it cannot follow one without. */
at_status atx_read_dim(atx_lines *lines, atx_op *op)
{
    atx_dim *dim = &op->shape.dims[op->shape.dim_count];
    const char *at = lines->at;
    int slot;

    at_status status = atx_lines_name(dim->name, lines, "the name of a dimension");
    if (status != AT_OK ||
        (status = atx_add_symbol(&slot, &op->scope.symbols, dim->name, lines, at)) != AT_OK)
        return status;
    dim->optional = atx_lines_sees(lines, "=");
    if (dim->optional) {
        if (op->shape.dim_count && !dim[-1].optional)
            return atx_lines_fail(
                lines, at, "found a default for '%s' after '%s' without one; expected defaults in front",
                dim->name, dim[-1].name);
        atx_lines_skip(lines, 1);
        if ((status = read_default(lines, dim)) != AT_OK)
            return status;
    }
    op->shape.dim_count++;
    return AT_OK;
}

at_status atx_add_dim_words(atx_lines *lines, atx_op *op)
{
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_dim *dim = &op->shape.dims[i];
        dim->word_slot = op->scope.symbols.count;
        for (int k = 0; k < dim->word_count; k++) {
            char symbol[2 * ATX_MAX_NAME];
            int slot;
            snprintf(symbol, sizeof symbol, "%s_%s", dim->name, dim->words[k]);
            at_status status = atx_add_symbol(&slot, &op->scope.symbols, symbol, lines, lines->line);
            if (status != AT_OK)
                return status;
        }
    }
    return AT_OK;
}
