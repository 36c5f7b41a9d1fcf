/*
 * cut.c - the parts of a rendered source that a kernel needs.
 *
 * 1. Clean (cut_clean.c): remove the text that the tuner added. 2. Split (cut_split.c) into items: top-level
 * definitions and preprocessor lines. 3. Reach: beginning with the kernel's unit, each unit that declares a
 * word of a reached unit is reached. Names decide, not scopes or overloads: too much may be kept, never too
 * little. A name that a unit first mentions in the declaration of a number is local to it. Items of an
 * unknown form are kept. 4. Write the reached units in their order, with the original spacing.
 */
#include "cut/cut.h"

#include <stdlib.h>
#include <string.h>

#include "cut/cut_items.h"

/* ---- reach ---- */

static int compare(const atx_unit_name *a, const char *text, size_t len)
{
    int order = memcmp(a->text, text, a->len < len ? a->len : len);
    return order ? order : a->len < len ? -1 : a->len > len;
}

static int compare_names(const void *a, const void *b)
{
    const atx_unit_name *y = b;
    return compare(a, y->text, y->len);
}

static void reach(atx_cut_state *c, size_t k)
{
    if (c->units[k].reached)
        return;
    c->units[k].reached = true;
    c->items[c->units[k].item].kept = true;
    if (!atx_grow(&c->open, &c->open_cap, c->open_count, sizeof *c->open))
        c->failed = true;
    else
        c->open[c->open_count++] = k;
}

static void reach_word(void *context, const char *word, size_t len)
{
    atx_cut_state *c = context;
    size_t low = 0, high = c->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&c->names[middle], word, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->name_count && compare(&c->names[low], word, len) == 0; low++)
        reach(c, c->names[low].unit);
}

/* `unsigned NAME =`, `int NAME,`: token i is the name of a number that is declared there. */
static bool declares_number(const atx_tokens *t, size_t i)
{
    static const char *const TYPES[] = {
        "int", "unsigned", "long", "short", "char", "float", "double", "bool"
    };
    static const char *const ENDS[] = { "=", ",", ";", ")" };
    bool type = false, end = false;
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
        type = type || atx_tokens_is(t, i - 1, TYPES[k]);
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++)
        end = end || atx_tokens_is(t, i + 1, ENDS[k]);
    return type && end;
}

/* A word, and where it is first seen. */
typedef struct mention {
    const char *word;
    size_t len, count;
} mention;

static void count_mention(void *context, const char *word, size_t len)
{
    mention *m = context;
    m->count += len == m->len && memcmp(word, m->word, len) == 0;
}

/* Whether all mentions of token i's word are of what the unit itself declares. */
static bool is_own(const atx_tokens *t, size_t i)
{
    const atx_token *token = &t->items[i];
    mention m = { t->text + token->begin, token->end - token->begin, 0 };
    for (size_t k = 1; k <= i; k++) {
        if (!atx_tokens_is_word(t, k) || !declares_number(t, k) ||
            t->items[k].end - t->items[k].begin != m.len ||
            memcmp(t->text + t->items[k].begin, m.word, m.len) != 0)
            continue;
        atx_cut_each_word(t, 0, k, count_mention, &m);
        return m.count == 0;
    }
    return false;
}

static void reach_words(atx_cut_state *c, const atx_str *text)
{
    atx_tokens t;
    if (!atx_cut_lex(&t, atx_str_text(text), text->len, false)) {
        c->failed = true;
        return;
    }
    for (size_t i = 0; i < t.count; i++)
        if (t.items[i].kind != ATX_TOKEN_WORD || !is_own(&t, i))
            atx_cut_each_word(&t, i, i + 1, reach_word, c);
    atx_tokens_clear(&t);
}

/* The #if around a reached item, its turns and its end. */
static void reach_group(atx_cut_state *c, size_t i)
{
    size_t group = c->items[i].group;
    for (size_t k = group; group != SIZE_MAX && k < c->item_count; k++) {
        bool of_it =
            k == group || ((c->items[k].kind == ATX_ITEM_TURNS || c->items[k].kind == ATX_ITEM_CLOSES) &&
                           c->items[k].group == group);
        if (of_it && !c->items[k].kept)
            reach(c, c->items[k].unit);
        if (of_it && c->items[k].kind == ATX_ITEM_CLOSES)
            return;
    }
}

static void reach_all(atx_cut_state *c, const char *kernel)
{
    if (c->name_count)
        qsort(c->names, c->name_count, sizeof *c->names, compare_names);
    reach_word(c, kernel, strlen(kernel));
    for (size_t i = 0; i < c->item_count; i++)
        if (c->items[i].kind == ATX_ITEM_ALWAYS)
            reach(c, c->items[i].unit);
    while (c->open_count && !c->failed) {
        size_t k = c->open[--c->open_count], i = c->units[k].item;
        reach_words(c, &c->units[k].text);
        reach_words(c, &c->items[i].prefix);
        reach_group(c, i);
    }
}

/* ---- write ---- */

static void write_item(atx_str *out, const atx_cut_state *c, const atx_item *it)
{
    bool all = it->kind == ATX_ITEM_LIST, first = true;
    for (size_t k = it->unit; k < it->unit + it->unit_count; k++)
        all = all && c->units[k].reached;
    if (all) { /* as it was written */
        atx_str_add_bytes(out, atx_str_text(&it->text), it->text.len);
        return;
    }
    atx_str_add_bytes(out, atx_str_text(&it->prefix), it->prefix.len);
    for (size_t k = it->unit; k < it->unit + it->unit_count; k++) {
        if (!c->units[k].reached)
            continue;
        atx_str_add(out, first ? "" : ", ");
        atx_str_add_bytes(out, atx_str_text(&c->units[k].text), c->units[k].text.len);
        first = false;
    }
    atx_str_add_bytes(out, atx_str_text(&it->suffix), it->suffix.len);
}

/* #else with nothing before the #endif. */
static bool is_idle(const atx_cut_state *c, size_t i)
{
    for (size_t k = i + 1; k < c->item_count; k++) {
        if (c->items[k].group == c->items[i].group && c->items[k].kind == ATX_ITEM_CLOSES)
            return true;
        if (c->items[k].kept)
            return false;
    }
    return true;
}

/* Whether the line at `at` is within an #if of the text, which may leave it out. */
static bool is_conditional(const char *text, const char *at)
{
    atx_token t;
    atx_lexer lexer = { .text = text, .len = (size_t)(at - text) };
    while (atx_lexer_next(&t, &lexer))
        ;
    return lexer.depth > 0;
}

/* Does the text stand in `before` on lines of its own? */
static bool is_there(const char *before, const atx_str *text)
{
    const char *what = atx_str_text(text);
    for (const char *at = before; at && text->len && (at = strstr(at, what)) != NULL; at++)
        if ((at == before || at[-1] == '\n') && (at[text->len] == '\n' || !at[text->len]) &&
            !is_conditional(before, at))
            return true;
    return false;
}

static void write_all(atx_str *out, const atx_cut_state *c, const char *before)
{
    bool gap = false, first = true;
    for (size_t i = 0; i < c->item_count; i++) {
        const atx_item *it = &c->items[i];
        ATX_LOCAL(atx_str) one = { 0 };
        gap |= it->gap;
        if (!it->kept || (it->kind == ATX_ITEM_TURNS && is_idle(c, i)))
            continue;
        write_item(&one, c, it);
        if (!(before && it->group == SIZE_MAX && it->kind < ATX_ITEM_OPENS && is_there(before, &one))) {
            atx_str_add(out, gap && !first ? "\n" : "");
            atx_str_add_bytes(out, atx_str_text(&one), one.len);
            atx_str_add(out, "\n");
            gap = first = false;
        }
        out->failed |= one.failed;
    }
}

/* Has every text all that was added to it? One that is not asked for may have made another go. */
static bool is_whole(const atx_cut_state *c)
{
    bool whole = true;
    for (size_t i = 0; i < c->item_count; i++)
        whole = whole && !c->items[i].text.failed && !c->items[i].prefix.failed && !c->items[i].suffix.failed;
    for (size_t i = 0; i < c->unit_count; i++)
        whole = whole && !c->units[i].text.failed;
    return whole;
}

static void cut_clear(atx_cut_state *c)
{
    for (size_t i = 0; i < c->item_count; i++) {
        atx_str_clear(&c->items[i].text);
        atx_str_clear(&c->items[i].prefix);
        atx_str_clear(&c->items[i].suffix);
    }
    for (size_t i = 0; i < c->unit_count; i++)
        atx_str_clear(&c->units[i].text);
    free(c->items);
    free(c->units);
    free(c->names);
    free(c->open);
    atx_tokens_clear(&c->tokens);
    atx_str_clear(&c->clean);
}

/* What cannot be taken apart: as it is, under the kernel's other name. */
static void write_whole(atx_str *out, const atx_cutting *cutting)
{
    if (strcmp(cutting->kernel, cutting->name) != 0)
        atx_str_addf(out, "#define %s %s\n", cutting->kernel, cutting->name);
    atx_str_add(out, cutting->rendered);
    atx_str_add(out, "\n");
}

at_status atx_cut(atx_str *out, const atx_cutting *cutting, at_error *err)
{
    atx_cut_state c = { 0 };
    c.failed = !atx_cut_clean(&c.clean, &c.odd, cutting);
    if (!c.failed)
        c.failed = !atx_cut_lex(&c.tokens, atx_str_text(&c.clean), c.clean.len, true);
    if (!c.failed && !c.odd)
        atx_cut_split(&c);
    c.failed = c.failed || !is_whole(&c);
    if (!c.failed && !c.odd)
        reach_all(&c, cutting->name);
    if (!c.failed && c.odd)
        write_whole(out, cutting);
    else if (!c.failed)
        write_all(out, &c, cutting->before);
    bool failed = c.failed || out->failed;
    cut_clear(&c);
    return failed ? atx_no_memory(err) : AT_OK;
}
