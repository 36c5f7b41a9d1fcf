/*
 * cut_choice.c - "condition ? a : b" with a condition that constants decide.
 *
 * Such an expression has the common type of a and b, which may not be that of the one that is taken. So it is
 * replaced only where that cannot matter: as the whole value of an `unsigned`, `int` or `bool` that is
 * computed from integers (each conversion keeps the low 32 bits), or where every name in a and b is a local
 * `unsigned`.
 */
#include <string.h>

#include "cut/cut_edit.h"
#include "cut/cut_fold.h"

typedef struct choice {
    size_t begin, mark, colon, end; /* of the condition, '?', ':', past b */
} choice;

/* The ':' of the '?' at i, before `end`. */
static size_t find_colon(const atx_tokens *t, size_t i, size_t end)
{
    int depth = 0;
    for (; i < end; i++) {
        if (atx_tokens_is(t, i, "(") || atx_tokens_is(t, i, "[") || atx_tokens_is(t, i, "{"))
            i = atx_tokens_match(t, i);
        else if (atx_tokens_is(t, i, "?"))
            depth++;
        else if (atx_tokens_is(t, i, ":") && --depth == 0)
            return i;
    }
    return end;
}

static bool is_index(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, i, "threadIdx") || atx_tokens_is(t, i, "blockIdx") ||
           atx_tokens_is(t, i, "blockDim") || atx_tokens_is(t, i, "gridDim");
}

static bool is_one_of(const atx_tokens *t, size_t i, const char *const *words)
{
    while (*words && !atx_tokens_is(t, i, *words))
        words++;
    return *words != NULL;
}

/* Does the definition declare it as "unsigned NAME", and as nothing else? */
static bool is_unsigned(const atx_tokens *t, size_t name)
{
    static const char *const TYPES[] = { "int",  "long", "short", "char", "signed", "unsigned",
                                         "bool", "true", "false", "T",    NULL };
    bool is = false;
    if (is_one_of(t, name, TYPES)) /* of a cast */
        return false;
    const size_t n = t->items[name].end - t->items[name].begin;
    for (size_t i = 1; i < t->count; i++) {
        if (!atx_tokens_is_word(t, i) || t->items[i].end - t->items[i].begin != n ||
            memcmp(t->text + t->items[i].begin, t->text + t->items[name].begin, n) != 0)
            continue;
        if (atx_tokens_is(t, i - 1, "unsigned"))
            is = true;
        else if (atx_tokens_is_word(t, i - 1) && !atx_tokens_is(t, i - 1, "return"))
            return false;
    }
    return is;
}

/* Integers and operators alone: no call, no member but an index's. */
static bool is_plain(const atx_tokens *t, size_t begin, size_t end, bool only_unsigned)
{
    static const char *const TESTS[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!", "-", "~", NULL };
    bool any = false;
    for (size_t i = begin; i < end; i++) {
        if (only_unsigned && is_one_of(t, i, TESTS)) /* of type bool; or not worth a thought */
            return false;
        const bool member = atx_tokens_is(t, i + 1, ".");
        if (t->items[i].kind == ATX_TOKEN_NUMBER) {
            if (only_unsigned ||
                memchr(t->text + t->items[i].begin, '.', t->items[i].end - t->items[i].begin))
                return false;
        } else if (atx_tokens_is_word(t, i)) {
            if (atx_tokens_is(t, i + 1, "(") || (member && !is_index(t, i)) ||
                (only_unsigned && !member && !is_unsigned(t, i)))
                return false;
            any = true;
            i += member ? 2 : 0;
        } else if (t->items[i].kind != ATX_TOKEN_SIGN || atx_tokens_is(t, i, "->") ||
                   atx_tokens_is(t, i, "::") || atx_tokens_is(t, i, "[")) {
            return false;
        }
    }
    return any || !only_unsigned;
}

static bool has_real_type(const atx_tokens *t)
{
    static const char *const WORDS[] = { "float", "double", "__half", "half", "__nv_bfloat16", "auto", NULL };
    for (size_t i = 0; i < t->count; i++)
        if (is_one_of(t, i, WORDS))
            return true;
    return false;
}

/* "unsigned NAME = CONDITION ? a : b;" with i at '='. */
static bool is_value(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, i, "=") && i >= 2 && atx_tokens_is_word(t, i - 1) &&
           (atx_tokens_is(t, i - 2, "unsigned") || atx_tokens_is(t, i - 2, "int") ||
            atx_tokens_is(t, i - 2, "bool"));
}

static bool read_choice(choice *c, const atx_tokens *t, size_t i)
{
    const bool value = is_value(t, i), group = atx_tokens_is(t, i, "(");
    if (!value && !group)
        return false;
    c->begin = i + 1;
    c->end = group ? atx_tokens_match(t, i) : atx_tokens_find(t, i + 1, t->count, ";");
    size_t comma = atx_tokens_find(t, c->begin, c->end, ",");
    c->end = value && comma < c->end ? comma : c->end;
    c->mark = atx_tokens_find(t, c->begin, c->end, "?");
    c->colon = find_colon(t, c->mark, c->end);
    if (c->end == t->count || c->colon == c->end || comma < c->end)
        return false;
    return is_plain(t, c->mark + 1, c->colon, group) && is_plain(t, c->colon + 1, c->end, group);
}

bool atx_cut_choose(atx_str *text, const atx_tokens *t, size_t i, const atx_cut_constants *known)
{
    choice c;
    int64_t value;
    atx_str taken = { 0 };
    if (!read_choice(&c, t, i) || has_real_type(t) ||
        !atx_cut_value(&value, &text->failed, t, c.begin, c.mark, known))
        return false;
    const size_t first = value ? c.mark + 1 : c.colon + 1, end = value ? c.colon : c.end;
    if (first == end)
        return false;
    atx_str_add_bytes(&taken, t->text + t->items[first].begin, t->items[end - 1].end - t->items[first].begin);
    text->failed |= taken.failed;
    atx_cut_splice(text, (atx_cut_span){ t->items[c.begin].begin, t->items[c.end - 1].end },
                   atx_str_text(&taken));
    atx_str_clear(&taken);
    return true;
}
