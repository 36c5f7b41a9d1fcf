/*
 * declare_launch.c - how a kernel is launched, besides its grid and block. The words after `block` in a line
 * `launch` are lines of their own in a template of one launch; one table has the words of both.
 */
#include <stddef.h>
#include <string.h>

#include "declare/declare_internal.h"

static const struct {
    const char *word;
    size_t at; /* of its expressions in an atx_launch */
    int most;
    bool flag; /* its expression may be missing: it holds always */
} PARTS[] = {
    { "shared", offsetof(atx_launch, shared), 1, false },
    { "cluster", offsetof(atx_launch, cluster), 3, false },
    { "cooperative", offsetof(atx_launch, cooperative), 1, true },
    { "programmatic", offsetof(atx_launch, programmatic), 1, true },
    { "carveout", offsetof(atx_launch, carveout), 1, false },
};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

static const char *const ENDS[] = { "block",        "shared",   "cluster", "cooperative",
                                    "programmatic", "carveout", "arg",     NULL };
static const char EXPECTED[] =
    "'block', 'shared', 'cluster', 'cooperative', 'programmatic', 'carveout', 'arg' or the end of the line";

static atx_expr *always(atx_lines *lines)
{
    const atx_scope scope = { .find = atx_symbols_find, .context = lines->in.symbols };
    atx_expr *expr = NULL;
    if (lines->status == AT_OK)
        atx_lines_note(
            lines, atx_expr_compile(&expr, "1", 1, &scope, atx_lines_where(lines, lines->line), lines->err));
    return expr;
}

static void read_part(atx_lines *lines, atx_launch *launch, int part)
{
    atx_expr **to = (atx_expr **)(void *)((char *)launch + PARTS[part].at);
    if (PARTS[part].flag && atx_lines_sees_one_of(lines, ENDS))
        *to = always(lines);
    else
        atx_read_exprs(lines, to, PARTS[part].most, ENDS, EXPECTED);
}

void atx_read_launch_part(atx_lines *lines, atx_launch *launch, const char *word)
{
    for (int i = 0; i < PART_COUNT; i++)
        if (strcmp(PARTS[i].word, word) == 0)
            read_part(lines, launch, i);
}

/* The word of one of them at the reader's place, which skips it; -1: there is none. */
static int skip_part(atx_lines *lines)
{
    for (int i = 0; i < PART_COUNT; i++)
        if (atx_lines_skip_word(lines, PARTS[i].word))
            return i;
    return -1;
}

/* grid EXPR... block EXPR..., then parts in any order, each once. */
void atx_read_launch_parts(atx_lines *lines, atx_launch *launch)
{
    unsigned seen = 0;
    atx_lines_take(lines, "grid", NULL);
    atx_read_exprs(lines, launch->grid, 3, ENDS, EXPECTED);
    atx_lines_take(lines, "block", NULL);
    atx_read_exprs(lines, launch->block, 3, ENDS, EXPECTED);
    while (lines->status == AT_OK) {
        const char *at = lines->at;
        const int part = skip_part(lines);
        if (part < 0)
            return;
        if (seen & 1u << part)
            atx_lines_fail(lines, at, "found a second '%s'; expected one", PARTS[part].word);
        seen |= 1u << part;
        if (lines->status == AT_OK)
            read_part(lines, launch, part);
    }
}
