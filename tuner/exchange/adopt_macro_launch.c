/*
 * adopt_macro_launch.c - launches that macros of the file make, also through other macros, and loops whose
 * head is a macro: KERNEL_LOOP(i, n) { ... }. A call of such a macro is replaced by what it stands for, in
 * the text that a draft is made of. That has as many lines as before; where it has more characters is kept,
 * so that places are those of the file.
 */
#include "exchange/adopt_draft.h"

enum { MOST_MACROS = 64, MOST_PARAMS = 32, MOST_DEPTH = 4, MOST_TEXT = 1 << 16 /* of one call */ };

typedef struct macro {
    size_t name; /* tokens */
    size_t params[MOST_PARAMS];
    int count;
    bool rest;         /* the last parameter takes all arguments that are left */
    size_t begin, end; /* its text */
} macro;

typedef struct macros {
    const atx_tokens *t;
    macro items[MOST_MACROS];
    int count;
} macros;

/* A text with calls, whose tokens are `t`. */
typedef struct calls {
    const macros *all;
    const atx_tokens *t;
} calls;

static const macro *find_macro(const calls *c, size_t i)
{
    const size_t len = c->t->items[i].end - c->t->items[i].begin;
    for (int k = 0; k < c->all->count && atx_tokens_is_word(c->t, i) && atx_tokens_is(c->t, i + 1, "(");
         k++) {
        const atx_token *name = &c->all->t->items[c->all->items[k].name];
        if (name->end - name->begin == len &&
            memcmp(c->all->t->text + name->begin, c->t->text + c->t->items[i].begin, len) == 0 &&
            atx_tokens_match(c->t, i + 1) < c->t->count)
            return &c->all->items[k];
    }
    return NULL;
}

/* ---- which macros ---- */

/* The macro with parameters of a directive that begins at token i and ends before `end`. */
static bool read_macro(macro *m, const atx_tokens *t, size_t i, size_t end)
{
    *m = (macro){ .name = i + 2 };
    if (i + 4 >= end || !atx_tokens_is(t, i + 1, "define") || !atx_tokens_is(t, i + 3, "(") ||
        t->items[i + 3].blank)
        return false;
    const size_t close = atx_tokens_match(t, i + 3);
    for (size_t k = i + 4; k < close && close < end && m->count < MOST_PARAMS; k++) {
        const bool rest = atx_tokens_is(t, k, "...");
        m->rest = m->rest || rest;
        if (atx_tokens_is_word(t, k) || (rest && !atx_tokens_is_word(t, k - 1)))
            m->params[m->count++] = k;
    }
    m->begin = close + 1;
    m->end = end;
    return close < end;
}

static bool is_followed(const macros *all, const macro *m)
{
    const calls c = { all, all->t };
    if (m->begin < m->end && atx_tokens_is(c.t, m->begin, "for"))
        return true;
    for (size_t i = m->begin; i + 1 < m->end; i++)
        if ((atx_tokens_is(c.t, i, "<<") && atx_tokens_is(c.t, i + 1, "<")) || find_macro(&c, i))
            return true;
    return false;
}

/* true: there are new ones, which others may call. */
static bool add_macros(macros *all)
{
    const int before = all->count;
    const atx_tokens *t = all->t;
    for (size_t i = 0, end; i < t->count && all->count < MOST_MACROS; i = end) {
        macro *m = &all->items[all->count];
        bool known = false;
        end = i + 1;
        if (t->items[i].kind != ATX_TOKEN_DIRECTIVE)
            continue;
        while (end < t->count && t->items[end].directive && t->items[end].kind != ATX_TOKEN_DIRECTIVE)
            end++;
        for (int k = 0; k < all->count; k++)
            known = known || all->items[k].name == i + 2;
        all->count += !known && read_macro(m, t, i, end) && is_followed(all, m);
    }
    return all->count > before;
}

/* ---- what a call stands for ---- */

/* `apart`: it is not one token with what stands before it, as is the first of an argument and the one behind
 * it: "- x" of -1 is - -1. */
static void add_token(atx_str *out, const atx_tokens *t, size_t i, bool glued, bool apart)
{
    const bool gap = i && t->items[i].begin > t->items[i - 1].end;
    if (out->len && (gap || apart) && !glued)
        atx_str_add(out, " ");
    atx_str_add_bytes(out, t->text + t->items[i].begin, t->items[i].end - t->items[i].begin);
}

/* Argument n of a call; of the rest all that follow. */
static atx_span argument(const atx_tokens *t, size_t open, int n, bool rest)
{
    const size_t end = atx_tokens_match(t, open);
    size_t at = open + 1;
    for (; n > 0 && at < end; n--)
        at = atx_code_comma(t, at, end) + 1;
    return (atx_span){ at < end ? at : end, rest || at >= end ? end : atx_code_comma(t, at, end) };
}

/* The argument of a parameter that stands at token i; false: that is none. */
static bool find_argument(atx_span *out, const calls *c, const macro *m, size_t open, size_t i)
{
    const atx_tokens *t = c->all->t;
    for (int k = 0; k < m->count && atx_tokens_is_word(t, i); k++) {
        const bool unnamed = atx_tokens_is(t, m->params[k], "...");
        if (!(unnamed ? atx_tokens_is(t, i, "__VA_ARGS__") : atx_code_same(t, m->params[k], i)))
            continue;
        *out = argument(c->t, open, k, m->rest && k + 1 == m->count);
        return true;
    }
    return false;
}

/* Is token i a bracket of (kernel)<<<, where `kernel` is a parameter? */
static bool is_around_kernel(const atx_tokens *t, size_t i)
{
    const size_t close = atx_tokens_is(t, i, "(") ? i + 2 : i;
    return close >= 2 && atx_tokens_is(t, close, ")") && atx_tokens_is(t, close - 2, "(") &&
           atx_tokens_is(t, close + 1, "<<") && atx_tokens_is(t, close + 2, "<");
}

static void add_body(atx_str *out, const calls *c, const macro *m, size_t open)
{
    const atx_tokens *t = c->all->t;
    bool behind = false; /* an argument */
    for (size_t i = m->begin; i < m->end && out->len <= MOST_TEXT; i++) {
        atx_span given;
        const bool glued = atx_tokens_is(t, i - 1, "##");
        if (atx_tokens_is(t, i, "##") || atx_tokens_is(t, i, "#") || is_around_kernel(t, i))
            continue;
        if (!find_argument(&given, c, m, open, i)) {
            add_token(out, t, i, glued, behind);
            behind = false;
            continue;
        }
        const size_t next = i + 1 + is_around_kernel(t, i + 1);
        while (atx_tokens_is(t, next, "<<") && atx_tokens_is(c->t, given.begin, "(") &&
               atx_tokens_match(c->t, given.begin) + 1 == given.end) { /* the kernel, as (k<4, 2>) */
            given.begin++;
            given.end--;
        }
        for (size_t k = given.begin; k < given.end; k++)
            add_token(out, c->t, k, k == given.begin && glued, k == given.begin);
        behind = true;
    }
}

/* The text of a call, without those in it. false: no memory, or too much text. */
static bool add_call(atx_str *out, const calls *c, size_t i, int depth)
{
    atx_str body = { 0 };
    atx_tokens t = { 0 };
    add_body(&body, c, find_macro(c, i), i + 1);
    bool good = !body.failed && body.len <= MOST_TEXT &&
                atx_tokens_read(&t, atx_str_text(&body), body.len, &(atx_lex_options){ 0 });
    const calls inner = { c->all, &t };
    for (size_t k = 0; k < t.count && good; k++) {
        if (depth > 1 && find_macro(&inner, k)) {
            good = add_call(out, &inner, k, depth - 1);
            k = atx_tokens_match(&t, k + 1);
        } else {
            add_token(out, &t, k, false, false);
        }
    }
    atx_tokens_clear(&t);
    atx_str_clear(&body);
    return good && !out->failed && out->len <= MOST_TEXT;
}

/* In place of bytes begin..end of the text that was: blanks fill it up, its lines stay. */
static void replace(atx_str *out, atx_draft_grown *grown, const char *text, size_t begin, size_t end,
                    const atx_str *by)
{
    size_t lines = 0;
    for (size_t i = begin; i < end; i++)
        lines += text[i] == '\n';
    const size_t len = end - begin, need = by->len + lines;
    if (need > len && grown->count == ATX_DRAFT_GROWN) {
        atx_str_add_bytes(out, text + begin, len);
        return;
    }
    atx_str_add_bytes(out, atx_str_text(by), by->len);
    for (size_t i = need; i < len; i++)
        atx_str_add(out, " ");
    for (; lines > 0; lines--)
        atx_str_add(out, "\n");
    if (need > len) {
        grown->at[grown->count] = begin;
        grown->by[grown->count++] = need - len;
    }
}

static bool expand_all(atx_str *out, atx_draft_grown *grown, const macros *all)
{
    const atx_tokens *t = all->t;
    const calls c = { all, t };
    size_t copied = 0;
    for (size_t i = 0; i + 1 < t->count; i++) {
        atx_str by = { 0 };
        if (t->items[i].directive || !find_macro(&c, i))
            continue;
        const size_t close = atx_tokens_match(t, i + 1);
        if (add_call(&by, &c, i, MOST_DEPTH)) {
            atx_str_add_bytes(out, t->text + copied, t->items[i].begin - copied);
            copied = t->items[close].end;
            replace(out, grown, t->text, t->items[i].begin, copied, &by);
            i = close;
        }
        atx_str_clear(&by);
    }
    atx_str_add(out, t->text + copied);
    return !out->failed;
}

bool atx_draft_expand_launches(atx_str *text, atx_draft_grown *grown)
{
    atx_tokens t = { 0 };
    atx_str out = { 0 };
    macros all = { .t = &t };
    grown->count = 0;
    bool good = !text->failed &&
                atx_tokens_read(&t, atx_str_text(text), text->len, &(atx_lex_options){ .active = true });
    for (int i = 0; good && i < MOST_DEPTH && add_macros(&all); i++)
        ;
    if (good && all.count) {
        good = expand_all(&out, grown, &all);
        if (good) {
            atx_str_reset(text);
            atx_str_add_bytes(text, out.data, out.len);
            good = !text->failed;
        }
    }
    atx_tokens_clear(&t);
    atx_str_clear(&out);
    return good;
}
