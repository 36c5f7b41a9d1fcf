/*
 * adopt_macro_launch.c - launches that a macro of the file makes: LAUNCH(k, grid, block, x, y) becomes
 * k<<<grid, block>>>(x, y) in the text that a draft is made of. It takes the place of the call, with as many
 * characters and lines, so all else stays where it was; a call that is too short for it stays.
 */
#include "exchange/adopt_draft.h"

enum { MOST_MACROS = 64, MOST_PARAMS = 16 };

typedef struct launcher {
    size_t name; /* tokens */
    size_t params[MOST_PARAMS];
    int count;
    bool rest;        /* the last parameter is ... */
    size_t from, end; /* the launch in its body: from the kernel's parameter to behind the last bracket */
} launcher;

typedef struct launchers {
    atx_tokens t;
    launcher items[MOST_MACROS];
    int count;
} launchers;

static int find_param(const launcher *l, const atx_tokens *t, size_t word)
{
    for (int i = 0; i < l->count; i++)
        if (atx_code_same(t, l->params[i], word))
            return i;
    return -1;
}

/* Behind the arguments of the launch whose "<<<" is at token i; 0: it is none. */
static size_t find_end(const atx_tokens *t, size_t i, size_t end)
{
    for (size_t k = i + 2; k + 2 < end; k++) {
        const bool closes = (atx_tokens_is(t, k, ">>") && atx_tokens_is(t, k + 1, ">")) ||
                            (atx_tokens_is(t, k, ">") && atx_tokens_is(t, k + 1, ">>"));
        const size_t close = closes && atx_tokens_is(t, k + 2, "(") ? atx_tokens_match(t, k + 2) : end;
        if (closes)
            return close < end ? close + 1 : 0;
        if (atx_tokens_opens(t, k))
            k = atx_tokens_match(t, k) < end ? atx_tokens_match(t, k) : k;
    }
    return 0;
}

/* The macro of a directive that begins at token i and ends before `end`. */
static bool read_macro(launcher *l, const atx_tokens *t, size_t i, size_t end)
{
    *l = (launcher){ .name = i + 2 };
    if (i + 4 >= end || !atx_tokens_is(t, i + 1, "define") || !atx_tokens_is(t, i + 3, "(") ||
        t->items[i + 3].blank)
        return false;
    const size_t close = atx_tokens_match(t, i + 3);
    for (size_t k = i + 4; k < close && close < end && l->count < MOST_PARAMS; k++) {
        l->rest = l->rest || atx_tokens_is(t, k, "...");
        if (atx_tokens_is_word(t, k))
            l->params[l->count++] = k;
    }
    for (size_t k = close + 1; k + 2 < end && close < end; k++) {
        size_t kernel = k - 1;
        if (!atx_tokens_is(t, k, "<<") || !atx_tokens_is(t, k + 1, "<"))
            continue;
        kernel -= atx_tokens_is(t, kernel, ")");
        l->from = kernel;
        l->end = find_end(t, k, end);
        return l->end && atx_tokens_is_word(t, kernel) && find_param(l, t, kernel) >= 0;
    }
    return false;
}

/* Argument n of a call, without brackets around all of it; of the rest all that follow. */
static atx_span argument(const atx_tokens *t, size_t open, int n, bool rest)
{
    const size_t end = atx_tokens_match(t, open);
    size_t at = open + 1;
    for (; n > 0 && at < end; n--)
        at = atx_code_comma(t, at, end) + 1;
    atx_span one = { at < end ? at : end, rest || at >= end ? end : atx_code_comma(t, at, end) };
    while (!rest && atx_tokens_is(t, one.begin, "(") && one.end > one.begin + 1 &&
           atx_tokens_match(t, one.begin) + 1 == one.end) {
        one.begin++;
        one.end--;
    }
    return one;
}

static void add_tokens(atx_str *out, const atx_tokens *t, atx_span span)
{
    if (span.begin < span.end)
        atx_str_add_bytes(out, t->text + t->items[span.begin].begin,
                          t->items[span.end - 1].end - t->items[span.begin].begin);
}

static void expand(atx_str *out, const atx_tokens *t, const launcher *l, size_t open)
{
    for (size_t i = l->from; i < l->end; i++) {
        const int param = atx_tokens_is_word(t, i) ? find_param(l, t, i) : -1;
        if (i > l->from && atx_tokens_is(t, i, ")") && i == l->from + 1)
            continue; /* of (kernel)<<< */
        if (param >= 0)
            add_tokens(out, t, argument(t, open, param, false));
        else if (atx_tokens_is(t, i, "__VA_ARGS__"))
            add_tokens(out, t, argument(t, open, l->count, true));
        else if (!atx_tokens_is(t, i, "##"))
            add_tokens(out, t, (atx_span){ i, i + 1 });
    }
}

static int newlines(const char *text, size_t len)
{
    int n = 0;
    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* In place of text[begin..end): with blanks, and then newlines, to fill it. */
static void replace(char *text, size_t begin, size_t end, const atx_str *by)
{
    const int lines = newlines(text + begin, end - begin) - newlines(by->data, by->len);
    if (!by->len || by->failed || lines < 0 || by->len + (size_t)lines > end - begin)
        return;
    memcpy(text + begin, by->data, by->len);
    memset(text + begin + by->len, ' ', end - begin - by->len);
    memset(text + end - lines, '\n', (size_t)lines);
}

static void expand_call(char *text, const launchers *all, size_t i)
{
    const atx_tokens *t = &all->t;
    const size_t close = atx_tokens_match(t, i + 1);
    for (int k = 0; k < all->count && close < t->count; k++) {
        atx_str by = { 0 };
        if (!atx_code_same(t, all->items[k].name, i))
            continue;
        expand(&by, t, &all->items[k], i + 1);
        replace(text, t->items[i].begin, t->items[close].end, &by);
        atx_str_clear(&by);
        return;
    }
}

bool atx_draft_expand_launches(char *text)
{
    launchers all = { .count = 0 };
    atx_str copy = { 0 }; /* as calls in calls are not expanded, all is read of what was there */
    atx_str_add(&copy, text);
    if (copy.failed ||
        !atx_tokens_read(&all.t, atx_str_text(&copy), copy.len, &(atx_lex_options){ .active = true })) {
        atx_str_clear(&copy);
        return false;
    }
    const atx_tokens *t = &all.t;
    for (size_t i = 0, end; i < t->count && all.count < MOST_MACROS; i = end) {
        end = i + 1;
        if (t->items[i].kind != ATX_TOKEN_DIRECTIVE)
            continue;
        while (end < t->count && t->items[end].directive && t->items[end].kind != ATX_TOKEN_DIRECTIVE)
            end++;
        all.count += read_macro(&all.items[all.count], t, i, end);
    }
    for (size_t i = 0; all.count && i + 1 < t->count; i++)
        if (!t->items[i].directive && atx_tokens_is_word(t, i) && atx_tokens_is(t, i + 1, "("))
            expand_call(text, &all, i);
    atx_tokens_clear(&all.t);
    atx_str_clear(&copy);
    return true;
}
