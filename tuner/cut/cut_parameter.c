/*
 * cut_parameter.c - the pointers that a kernel takes: between the bracket behind its name and the one that
 * closes it, from comma to comma; a type ends at its last '*', and __restrict__ is no part of it.
 */
#include "cut/cut.h"
#include "cut/cut_lex.h"

#include <string.h>

static size_t find_kernel(const atx_tokens *t, const char *kernel)
{
    size_t i = 0;
    while (i < t->count && !(atx_tokens_is(t, i, kernel) && atx_tokens_is(t, i + 1, "(")))
        i++;
    return i;
}

/* Where the type of [begin, end) ends: of a pointer behind its last '*'; of a value before its name. */
static size_t end_of_type(const atx_tokens *t, size_t begin, size_t end, bool pointer)
{
    if (!pointer)
        return end > begin + 1 && t->items[end - 1].kind == ATX_TOKEN_WORD && !atx_tokens_is(t, end - 2, "::")
                   ? end - 1
                   : end;
    while (end > begin && !atx_tokens_is(t, end - 1, "*"))
        end--;
    return end;
}

static void add_type(atx_str *out, const atx_tokens *t, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        bool glued = i == begin || atx_tokens_is(t, i, ":") || atx_tokens_is(t, i - 1, ":") ||
                     atx_tokens_is(t, i, "::") || atx_tokens_is(t, i - 1, "::") ||
                     (atx_tokens_is(t, i, "*") && atx_tokens_is(t, i - 1, "*"));
        if (t->items[i].kind == ATX_TOKEN_COMMENT || atx_tokens_is(t, i, "__restrict__"))
            continue;
        atx_str_add(out, glued ? "" : " ");
        atx_str_add_bytes(out, t->text + t->items[i].begin, t->items[i].end - t->items[i].begin);
    }
}

static void cut_type(atx_str *out, const char *text, const char *kernel, int index, bool pointer)
{
    ATX_LOCAL(atx_tokens) t = { 0 };
    if (atx_cut_lex(&t, text, strlen(text), false)) {
        size_t open = find_kernel(&t, kernel),
               close = open < t.count ? atx_tokens_match(&t, open + 1) : t.count;
        size_t begin = open + 2, end = begin;
        for (int i = 0; i <= index && close < t.count; i++) {
            begin = i ? end + 1 : begin;
            end = begin < close ? atx_tokens_find(&t, begin, close, ",") : close;
        }
        if (close < t.count && begin < close)
            add_type(out, &t, begin, end_of_type(&t, begin, end, pointer));
    }
}

void atx_cut_parameter(atx_str *out, const char *text, const char *kernel, int index)
{
    cut_type(out, text, kernel, index, true);
}

void atx_cut_value(atx_str *out, const char *text, const char *kernel, int index)
{
    cut_type(out, text, kernel, index, false);
}
