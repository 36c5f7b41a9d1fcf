/*
 * declare_let.c - the lines `each`, `let` and `const`.
 *
 * `let c[d] = EXPRESSION` is a family: a let for each value of the index d, c0, c1 ..., in that order, each
 * compiled from the same text with d bound. So whatever reads lets knows nothing of indices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare/declare_parts.h"
#include "util/str.h"

/* ---- indices ---- */

static at_status read_index_name(atx_symbols *symbols, atx_lines *lines)
{
    atx_indices *indices = &symbols->indices;
    char name[ATX_MAX_NAME];
    const char *at = lines->at;
    at_status status = atx_read_free_name(name, lines, "the name of an index");
    if (status != AT_OK)
        return status;
    if (strlen(name) >= ATX_MAX_INDEX_NAME)
        return atx_lines_fail(lines, at, "found an index of %zu characters; expected at most %d",
                              strlen(name), ATX_MAX_INDEX_NAME - 1);
    if (atx_symbols_find(symbols, name, strlen(name)) >= 0 || atx_index_find(indices, name, strlen(name)))
        return atx_lines_fail(lines, at, "found '%s' a second time; expected a new name", name);
    if (indices->count == ATX_MAX_INDICES)
        return atx_lines_fail(lines, at, "found more than %d indices; expected fewer", ATX_MAX_INDICES);
    strcpy(indices->items[indices->count++].name, name);
    return AT_OK;
}

static at_status read_values(int64_t *first, int64_t *last, atx_lines *lines)
{
    at_status status = atx_lines_take(lines, "=", "another index, or '=' and their values");
    const char *at = lines->at;
    if (status == AT_OK)
        status = atx_lines_integer(first, lines, "values, as in 0..7");
    if (status == AT_OK)
        status = atx_lines_take(lines, "..", "'..' and the last value");
    if (status == AT_OK)
        status = atx_lines_integer(last, lines, "the last value");
    if (status == AT_OK && (*first < 0 || *first >= ATX_MAX_SLOTS || *last < 0 || *last >= ATX_MAX_SLOTS))
        status = atx_lines_fail(lines, at, "found the values %lld to %lld; expected them from 0 to %d",
                                (long long)*first, (long long)*last, ATX_MAX_SLOTS - 1);
    return status;
}

at_status atx_read_each(atx_symbols *symbols, atx_lines *lines)
{
    atx_indices *indices = &symbols->indices;
    const int known = indices->count;
    int64_t first = 0, last = 0;
    at_status status;
    do
        status = read_index_name(symbols, lines);
    while (status == AT_OK && atx_lines_word(lines));
    if (status == AT_OK)
        status = read_values(&first, &last, lines);
    for (int i = known; i < indices->count; i++) {
        indices->items[i].first = (int)first;
        indices->items[i].last = (int)last;
    }
    return status;
}

/* ---- lets ---- */

/* Where lets are kept. */
typedef struct place {
    atx_let **lets;
    size_t *count, *cap;
    atx_symbols *symbols;
} place;

/* A let with this name. The reader is in front of its expression; `at` is its name. */
static at_status add_let(const place *to, const atx_let *named, atx_lines *lines, const char *at)
{
    atx_let let = *named;
    /* The expression first: a value cannot depend on itself. */
    at_status status = atx_lines_expr(&let.expr, lines, to->symbols);
    if (status != AT_OK)
        goto done;
    if ((status = atx_add_symbol(&let.slot, to->symbols, let.name, lines, at)) != AT_OK)
        goto done;
    if ((status = atx_lines_comment(&let.meaning, lines)) != AT_OK)
        goto done;
    if (!atx_grow(to->lets, to->cap, *to->count, sizeof **to->lets)) {
        status = atx_no_memory(lines->err);
        goto done;
    }
    (*to->lets)[(*to->count)++] = let;
    let = (atx_let){ 0 };
done:
    atx_expr_close(let.expr);
    free(let.meaning);
    return status;
}

/* NAME and the index's value. */
static at_status add_member(const place *to, const atx_let *named, int value, atx_lines *lines,
                            const char *at)
{
    atx_let let = *named;
    const int room = ATX_MAX_NAME - snprintf(NULL, 0, "%d", value);
    if ((int)strlen(named->name) >= room)
        return atx_lines_fail(lines, at,
                              "found a name of %zu characters; expected at most %d before an index",
                              strlen(named->name), room - 1);
    snprintf(let.name + strlen(let.name), sizeof let.name - strlen(let.name), "%d", value);
    return add_let(to, &let, lines, at);
}

static at_status add_family(const place *to, const atx_let *named, atx_index *index, atx_lines *lines,
                            const char *at)
{
    const char *expression = lines->at;
    const int step = index->first <= index->last ? 1 : -1;
    at_status status = AT_OK;
    index->bound = true;
    for (int value = index->first; status == AT_OK && value != index->last + step; value += step) {
        lines->at = expression;
        index->value = value;
        status = add_member(to, named, value, lines, at);
    }
    index->bound = false;
    return status;
}

/* After a name: `[INDEX]`. *index is NULL where it is not there. */
static at_status read_index(atx_index **index, atx_symbols *symbols, atx_lines *lines)
{
    char name[ATX_MAX_NAME];
    *index = NULL;
    if (!atx_lines_sees(lines, "["))
        return AT_OK;
    atx_lines_skip(lines, 1);
    const char *at = lines->at;
    at_status status = atx_lines_name(name, lines, "an index");
    if (status != AT_OK)
        return status;
    const atx_index *found = atx_index_find(&symbols->indices, name, strlen(name));
    if (!found)
        return atx_lines_fail(lines, at, "found '%s'; expected an index of a line 'each' above", name);
    *index = &symbols->indices.items[found - symbols->indices.items];
    return atx_lines_take(lines, "]", NULL);
}

at_status atx_read_let(atx_let **lets, size_t *count, size_t *cap, atx_symbols *symbols, bool rendered,
                       atx_lines *lines)
{
    const place to = { lets, count, cap, symbols };
    const char *at = lines->at;
    atx_let let = { .rendered = rendered, .where = atx_lines_where(lines, at) };
    atx_index *index = NULL;
    at_status status = atx_lines_name(let.name, lines, "a name");
    if (status == AT_OK)
        status = read_index(&index, symbols, lines);
    if (status == AT_OK)
        status = atx_lines_take(lines, "=", NULL);
    if (status != AT_OK)
        return status;
    return index ? add_family(&to, &let, index, lines, at) : add_let(&to, &let, lines, at);
}

void atx_lets_clear(atx_let *lets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(lets[i].meaning);
        atx_expr_close(lets[i].expr);
    }
    free(lets);
}
