/*
 * cut_locals.c - local constants that nothing reads once branches are gone. Only "const TYPE name = value"
 * whose value calls nothing and assigns nothing; one goes after the other, since each may have been all that
 * reads another.
 */
#include <string.h>

#include "cut/cut_edit.h"
#include "cut/cut_fold.h"

/* Computing it does nothing else: no call, no assignment. */
static bool is_pure(const atx_tokens *t, size_t begin, size_t end)
{
    static const char *const NO[] = { "++", "--", "=",  "+=", "-=", "*=", "/=",
                                      "%=", "^=", "|=", "&=", "{",  "asm" };
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < sizeof NO / sizeof *NO; k++)
            if (atx_tokens_is(t, i, NO[k]))
                return false;
        if (t->items[i].kind == ATX_TOKEN_DIRECTIVE ||
            (atx_tokens_is_word(t, i) && atx_tokens_is(t, i + 1, "(") && !atx_tokens_is(t, i, "sizeof") &&
             !atx_tokens_is(t, i, "min") && !atx_tokens_is(t, i, "max")))
            return false;
    }
    return true;
}

typedef struct counting {
    const char *word;
    size_t len;
    int count;
} counting;

static void count_word(void *context, const char *word, size_t len)
{
    counting *c = context;
    c->count += c->len == len && memcmp(word, c->word, len) == 0;
}

static bool is_read(const atx_tokens *t, size_t name)
{
    counting c = { t->text + t->items[name].begin, t->items[name].end - t->items[name].begin, 0 };
    atx_cut_each_word(t, 0, t->count, count_word, &c);
    return c.count > 1;
}

/* Are all declarators from `first` up to the ';' of the form "name = value"? */
static bool is_plain_list(const atx_tokens *t, size_t first, size_t last)
{
    for (; first < last; first = atx_tokens_find(t, first, last, ",") + 1)
        if (!atx_tokens_is_word(t, first) || !atx_tokens_is(t, first + 1, "="))
            return false;
    return last < t->count;
}

/* "const int a = x, b = y;" at i: takes away the first declarator that nothing reads, or the whole. */
static bool drop_local(atx_str *text, const atx_tokens *t, size_t i)
{
    size_t first = i + 1;
    if ((!atx_tokens_is(t, i, "const") && !atx_tokens_is(t, i, "constexpr")) ||
        !atx_cut_starts_statement(t, i))
        return false;
    while (atx_tokens_is_word(t, first + 1))
        first++;
    size_t last = atx_tokens_find(t, first, t->count, ";");
    if (first == i + 1 || !is_plain_list(t, first, last))
        return false;
    for (size_t at = first; at < last;) {
        size_t stop = atx_tokens_find(t, at, last, ",");
        if (!is_read(t, at) && is_pure(t, at + 2, stop)) {
            atx_cut_span s = { t->items[at].begin, t->items[stop].begin };
            if (at == first && stop == last)
                s = (atx_cut_span){ atx_cut_comments_above(text, t->items[i].begin),
                                    atx_cut_comment_behind(text, t->items[last].end) };
            else if (stop == last)
                s.begin = t->items[at - 1].begin; /* with the comma before it */
            else
                s.end = t->items[stop + 1].begin;
            atx_cut_splice(text, s, "");
            return true;
        }
        at = stop + 1;
    }
    return false;
}

bool atx_cut_unused_locals(atx_str *text)
{
    atx_tokens t = { 0 };
    bool more = true;
    for (int n = 0; more && n < ATX_CUT_ROUNDS; n++) {
        more = false;
        if (text->failed || !atx_cut_lex(&t, atx_str_text(text), text->len, false))
            return false;
        for (size_t i = 1; i < t.count && !t.open && !more; i++)
            more = drop_local(text, &t, i);
        atx_tokens_clear(&t);
    }
    return !text->failed;
}
