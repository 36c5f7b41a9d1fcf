/*
 * declare.c - the lines that ops and templates have in common: the table of keywords, and `language`, `use`,
 * `each`, `let`, `const` and `require`.
 *
 * A block is read line by line through a table of keywords, which says which lines may be repeated, which are
 * required, and which come after which.
 *
 * `let c[d] = EXPRESSION` is a family: a let for each value of the index d, c0, c1 ..., in that order, each
 * compiled from the same text with d bound. So code that reads lets does not handle indices.
 */
#include "declare/declare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare/declare_internal.h"
#include "util/str.h"

const char *const atx_limit_names[] = {
    "cc",
    "sms",
    "warp_size",
    "max_threads_per_block",
    "max_shared_bytes",
    "max_static_shared_bytes",
    "max_registers_per_block",
    "max_grid_x",
    "l2_bytes",
    "memory_bytes",
};

_Static_assert(sizeof atx_limit_names / sizeof *atx_limit_names == ATX_LIMIT_COUNT, "a name for each limit");
_Static_assert(sizeof(atx_limits) == ATX_LIMIT_COUNT * sizeof(int64_t),
               "atx_limits is ATX_LIMIT_COUNT integers");

/* ---- lines by their keyword ---- */

static const atx_keyword *find_keyword(const atx_keyword *keywords, const char *word, size_t len)
{
    for (; keywords->word; keywords++)
        if (strncmp(keywords->word, word, len) == 0 && keywords->word[len] == '\0')
            return keywords;
    return NULL;
}

static void fail_unknown_keyword(atx_lines *lines, const atx_keyword *keywords)
{
    char list[600] = "one of";
    for (; keywords->word; keywords++) {
        strcat(list, " "); /* the tables hold two dozen short words */
        strcat(list, keywords->word);
    }
    atx_lines_expected(lines, list);
}

/* One line; `seen` holds a bit for each row of the table. */
static void read_keyword(atx_lines *lines, const atx_keyword *keywords, unsigned *seen, void *target)
{
    size_t len = atx_lines_word(lines);
    const atx_keyword *k = find_keyword(keywords, lines->at, len);
    if (!k) {
        fail_unknown_keyword(lines, keywords);
        return;
    }
    unsigned bit = 1u << (k - keywords);
    if (k->once && (*seen & bit))
        atx_lines_fail(lines, lines->at, "found a second '%s' line; expected one", k->word);
    if (k->after && !(*seen & 1u << (find_keyword(keywords, k->after, strlen(k->after)) - keywords)))
        atx_lines_fail(lines, lines->at, "found '%s'; expected '%s' before it", k->word, k->after);
    if (lines->status != AT_OK)
        return;
    *seen |= bit;
    atx_lines_skip(lines, len);
    if (k->expr)
        *(atx_expr **)(void *)((char *)target + k->expr) = atx_lines_expr(lines);
    else
        k->read(lines, target);
    if (!atx_lines_at_end(lines))
        atx_lines_expected(lines, atx_lines_sees(lines, "=") ? "'==' to compare" : "the end of the line");
}

at_status atx_read_keywords(atx_lines *lines, const atx_keyword *keywords, const bool *without, void *target)
{
    unsigned seen = 0;
    while (atx_lines_next(lines))
        read_keyword(lines, keywords, &seen, target);
    for (int i = 0; keywords[i].word; i++)
        if (keywords[i].required && !(*without && keywords[i].of_kernels) && !(seen & 1u << i))
            atx_lines_fail(lines, lines->next, "found the end of the declaration; expected a line '%s' in it",
                           keywords[i].form);
    return lines->status;
}

/* ---- lines that both have ---- */

void atx_read_language(atx_lines *lines, void *target)
{
    (void)target;
    const char *at = lines->at;
    int64_t version = atx_lines_integer(lines, "the version of the language, as in language 1");
    if (version < 1)
        atx_lines_fail(lines, at, "found language %" PRId64 "; expected language 1", version);
    const atx_where w = atx_lines_where(lines, at);
    if (lines->status == AT_OK && version > ATX_LANGUAGE)
        atx_lines_note(lines, atx_fail(lines->err, AT_ERR_USAGE,
                                       "%s:%d:%d: found language %" PRId64 ", which needs a newer autotune; "
                                       "this is autotune " AT_VERSION " and reads language %d",
                                       w.file, w.line, w.column, version, ATX_LANGUAGE));
}

void atx_read_uses(atx_lines *lines, atx_used *uses)
{
    do {
        char name[ATX_MAX_NAME];
        const char *at = atx_read_plain_name(name, lines);
        for (int i = 0; i < uses->count; i++)
            if (strcmp(uses->names[i], name) == 0)
                atx_lines_fail(lines, at, "found '%s' a second time; expected each name once", name);
        if (uses->count == ATX_MAX_USES)
            atx_lines_fail(lines, at, "found more than %d names; expected fewer", ATX_MAX_USES);
        if (lines->status != AT_OK)
            return;
        strcpy(uses->names[uses->count], name);
        uses->where[uses->count++] = atx_lines_where(lines, at);
    } while (!atx_lines_at_end(lines));
}

static void read_condition(atx_lines *lines, bool prefers)
{
    const atx_declaring *in = &lines->in;
    atx_require require = { .prefers = prefers, .where = atx_lines_where(lines, lines->at) };
    if (*in->require_count == ATX_MAX_REQUIRES)
        atx_lines_fail(lines, lines->at, "found more than %d requirements; expected fewer", ATX_MAX_REQUIRES);
    require.expr = atx_lines_expr(lines);
    require.reason = atx_lines_comment(lines);
    if (lines->status == AT_OK &&
        atx_lines_grow(lines, in->requires, in->require_cap, *in->require_count, sizeof require))
        (*in->requires)[(*in->require_count)++] = require;
    else
        atx_requires_clear(&require, 1);
}

void atx_read_require(atx_lines *lines, void *target)
{
    (void)target;
    read_condition(lines, false);
}

void atx_read_prefer(atx_lines *lines, void *target)
{
    (void)target;
    read_condition(lines, true);
}

void atx_read_grid(atx_lines *lines, atx_expr *out[3])
{
    static const char *const ENDS[] = { NULL };
    atx_read_exprs(lines, out, 3, ENDS, "the end of the line");
}

/* ---- each ---- */

static void read_index_name(atx_lines *lines)
{
    const atx_symbols *symbols = lines->in.symbols;
    atx_indices *indices = &lines->in.symbols->indices;
    char name[ATX_MAX_NAME];
    const char *at = atx_read_free_name(name, lines, "the name of an index");
    if (strlen(name) >= ATX_MAX_INDEX_NAME)
        atx_lines_fail(lines, at, "found an index of %zu characters; expected at most %d", strlen(name),
                       ATX_MAX_INDEX_NAME - 1);
    else if (atx_symbols_find(symbols, name, strlen(name)) >= 0 ||
             atx_index_find(indices, name, strlen(name)))
        atx_lines_fail(lines, at, "found '%s' a second time; expected a new name", name);
    else if (indices->count == ATX_MAX_INDICES)
        atx_lines_fail(lines, at, "found more than %d indices; expected fewer", ATX_MAX_INDICES);
    else
        strcpy(indices->items[indices->count++].name, name);
}

void atx_read_each(atx_lines *lines, void *target)
{
    (void)target;
    atx_indices *indices = &lines->in.symbols->indices;
    const int known = indices->count;
    do
        read_index_name(lines);
    while (atx_lines_word(lines));
    atx_lines_take(lines, "=", "another index, or '=' and their values");
    const char *at = lines->at;
    const int64_t first = atx_lines_integer(lines, "values, as in 0..7");
    atx_lines_take(lines, "..", "'..' and the last value");
    const int64_t last = atx_lines_integer(lines, "the last value");
    if (first < 0 || first >= ATX_MAX_SLOTS || last < 0 || last >= ATX_MAX_SLOTS)
        atx_lines_fail(lines, at, "found the values %lld to %lld; expected them from 0 to %d",
                       (long long)first, (long long)last, ATX_MAX_SLOTS - 1);
    for (int i = known; i < indices->count && lines->status == AT_OK; i++) {
        indices->items[i].first = (int)first;
        indices->items[i].last = (int)last;
    }
}

/* ---- let, const ---- */

/* A let with this name. The reader is in front of its expression; `at` is its name. */
static void add_let(atx_lines *lines, const atx_let *named, const char *at)
{
    const atx_declaring *in = &lines->in;
    atx_let let = *named;
    let.expr = atx_lines_expr(lines); /* first: a value cannot depend on itself */
    let.slot = atx_add_symbol(lines, let.name, at);
    let.meaning = atx_lines_comment(lines);
    if (lines->status == AT_OK && atx_lines_grow(lines, in->lets, in->let_cap, *in->let_count, sizeof let)) {
        (*in->lets)[(*in->let_count)++] = let;
    } else {
        atx_expr_close(let.expr);
        free(let.meaning);
    }
}

/* NAME and the index's value. */
static void add_member(atx_lines *lines, const atx_let *named, int value, const char *at)
{
    atx_let let = *named;
    const int room = ATX_MAX_NAME - snprintf(NULL, 0, "%d", value);
    if ((int)strlen(named->name) >= room)
        atx_lines_fail(lines, at, "found a name of %zu characters; expected at most %d before an index",
                       strlen(named->name), room - 1);
    else
        snprintf(let.name + strlen(let.name), sizeof let.name - strlen(let.name), "%d", value);
    add_let(lines, &let, at);
}

static void add_family(atx_lines *lines, const atx_let *named, atx_index *index, const char *at)
{
    const char *expression = lines->at;
    const int step = index->first <= index->last ? 1 : -1;
    index->bound = true;
    for (int value = index->first; lines->status == AT_OK && value != index->last + step; value += step) {
        lines->at = expression;
        index->value = value;
        add_member(lines, named, value, at);
    }
    index->bound = false;
}

/* After a name: `[INDEX]`. NULL where it is not there. */
static atx_index *read_index(atx_lines *lines)
{
    atx_indices *indices = &lines->in.symbols->indices;
    char name[ATX_MAX_NAME];
    if (!atx_lines_skip_sign(lines, "["))
        return NULL;
    const char *at = atx_lines_name(name, lines, "an index");
    const atx_index *found = atx_index_find(indices, name, strlen(name));
    if (!found)
        atx_lines_fail(lines, at, "found '%s'; expected an index of a line 'each' above", name);
    atx_lines_take(lines, "]", NULL);
    return found ? &indices->items[found - indices->items] : NULL;
}

void atx_read_any_let(atx_lines *lines, bool rendered, bool macro)
{
    atx_let let = { .rendered = rendered, .macro = macro, .where = atx_lines_where(lines, lines->at) };
    const char *at = atx_lines_name(let.name, lines, "a name");
    atx_index *index = read_index(lines);
    atx_lines_take(lines, "=", NULL);
    if (index)
        add_family(lines, &let, index, at);
    else
        add_let(lines, &let, at);
}

void atx_read_let(atx_lines *lines, void *target)
{
    (void)target;
    atx_read_any_let(lines, false, false);
}

void atx_read_const(atx_lines *lines, void *target)
{
    (void)target;
    atx_read_any_let(lines, true, false);
}

/* ---- the end ---- */

void atx_lets_clear(atx_let *lets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(lets[i].meaning);
        atx_expr_close(lets[i].expr);
    }
    free(lets);
}

void atx_requires_clear(atx_require *requires, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(requires[i].reason);
        atx_expr_close(requires[i].expr);
    }
}

void atx_launch_exprs(atx_expr **out[ATX_LAUNCH_EXPRS], atx_launch *l)
{
    atx_expr **const all[ATX_LAUNCH_EXPRS] = {
        &l->grid[0],     &l->grid[1],      &l->grid[2],    &l->block[0],   &l->block[1],
        &l->block[2],    &l->shared,       &l->cluster[0], &l->cluster[1], &l->cluster[2],
        &l->cooperative, &l->programmatic, &l->carveout,
    };
    memcpy(out, all, sizeof all);
}

void atx_launch_clear(atx_launch *launch)
{
    atx_expr **all[ATX_LAUNCH_EXPRS];
    atx_launch_exprs(all, launch);
    for (int i = 0; i < ATX_LAUNCH_EXPRS; i++)
        atx_expr_close(*all[i]);
}

void atx_tensor_map_exprs(atx_expr **out[ATX_TENSOR_MAP_EXPRS], atx_tensor_map *m)
{
    int count = 0;
    for (int i = 0; i < ATX_MAX_TENSOR_DIMS; i++) {
        out[count++] = &m->dims[i];
        out[count++] = &m->strides[i];
        out[count++] = &m->box[i];
        out[count++] = &m->steps[i];
    }
    out[count++] = &m->swizzle;
    out[count++] = &m->interleave;
    out[count] = &m->l2;
}

void atx_tensor_map_clear(atx_tensor_map *map)
{
    atx_expr **all[ATX_TENSOR_MAP_EXPRS];
    atx_tensor_map_exprs(all, map);
    for (int i = 0; i < ATX_TENSOR_MAP_EXPRS; i++)
        atx_expr_close(*all[i]);
}

bool atx_template_has_hash(const atx_template *t, const char *hash)
{
    return strcmp(t->text.hash, hash) == 0;
}
