/*
 * declare_dim.c - a dimension of an operation's `shape` line:
 *
 *     NAME                    a size
 *     NAME=N                  one that may be left out of a shape
 *     NAME=WORD|WORD|...      a choice; the default is the first word
 *
 * A choice is a size from 1 to the number of its words, so all code that tells problems apart by sizes also
 * handles choices. Expressions know the words as constants NAME_WORD.
 */
#include "declare/declare.h"

#include <stdio.h>
#include <string.h>

#include "declare/declare_internal.h"

/* WORD|WORD|..., up to the next blank. */
static void read_words(atx_lines *lines, atx_dim *dim)
{
    dim->value = 1;
    do {
        char *word = dim->words[dim->word_count];
        if (dim->word_count == ATX_MAX_CHOICES) {
            atx_lines_fail(lines, lines->at, "found more than %d words; expected fewer", ATX_MAX_CHOICES);
            return;
        }
        const char *at = atx_lines_name(word, lines, "a word, as in to=near|far");
        for (int i = 0; i < dim->word_count; i++)
            if (strcmp(dim->words[i], word) == 0)
                atx_lines_fail(lines, at, "found '%s' a second time; expected each word once", word);
        dim->word_count++;
    } while (atx_lines_skip_sign(lines, "|"));
}

/* Behind the =. */
static void read_default(atx_lines *lines, atx_dim *dim)
{
    const char *at = lines->at;
    if (atx_lines_word(lines) > 0) {
        read_words(lines, dim);
        return;
    }
    dim->value = atx_lines_integer(lines, "a size");
    if (dim->value < 1)
        atx_lines_fail(lines, at, "found a default below 1; expected a size");
}

/* A dimension with a default may be left out of a shape, so it cannot follow one without. */
void atx_read_dim(atx_lines *lines, atx_op *op)
{
    atx_dim *dim = &op->shape.dims[op->shape.dim_count];
    const char *at = atx_lines_name(dim->name, lines, "the name of a dimension");
    atx_add_symbol(lines, dim->name, at);
    dim->optional = atx_lines_sees(lines, "=");
    if (dim->optional) {
        if (op->shape.dim_count && !dim[-1].optional)
            atx_lines_fail(lines, at,
                           "found a default for '%s' after '%s' without one; expected defaults in front",
                           dim->name, dim[-1].name);
        atx_lines_skip_sign(lines, "=");
        read_default(lines, dim);
    }
    op->shape.dim_count++;
}

void atx_add_dim_words(atx_lines *lines, atx_op *op)
{
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_dim *dim = &op->shape.dims[i];
        dim->word_slot = op->scope.symbols.count;
        for (int k = 0; k < dim->word_count; k++) {
            char symbol[2 * ATX_MAX_NAME];
            snprintf(symbol, sizeof symbol, "%s_%s", dim->name, dim->words[k]);
            atx_add_symbol(lines, symbol, lines->line);
        }
    }
}
