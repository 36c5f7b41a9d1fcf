/*
 * cut_clean.c - removes from a rendered source the text for the renderer, the catalog and editors: #line, the
 * declaration, `#ifndef AUTOTUNE_RENDERED` sections, AUTOTUNE_ARG. One pass over the tokens copies the rest
 * unchanged, so lines keep their form. It also renames the kernel.
 */
#include <string.h>

#include "cut/cut_items.h"

typedef struct cleaning {
    atx_str *out;
    const atx_tokens *t;
    const atx_cutting *c;
    size_t from;     /* what of the text was not copied yet */
    int depth, ours; /* of #if; the depth of our section, 0: none */
    bool hidden;     /* in a part of our section that is not compiled */
    bool named, odd; /* AUTOTUNE_ARG(name) is `name` */
} cleaning;

static void copy_to(cleaning *k, size_t to)
{
    if (!k->hidden && to > k->from)
        atx_str_add_bytes(k->out, k->t->text + k->from, to - k->from);
    k->from = to;
}

/* The token goes, and its line end when nothing else is on the line. */
static void leave_out(cleaning *k, size_t i)
{
    const atx_token *token = &k->t->items[i];
    copy_to(k, token->begin);
    k->from = token->end;
    if (token->begin == 0 || k->t->text[token->begin - 1] == '\n')
        k->from += strspn(k->t->text + k->from, " \t") == 0 && k->from < k->t->len;
}

static bool is_about(const cleaning *k, size_t i, const char *what)
{
    size_t n;
    const char *rest = atx_cut_directive_rest(k->t, i, &n);
    size_t m = strlen(what);
    return n >= m && memcmp(rest, what, m) == 0 && (n == m || strchr(" \t(/", rest[m]));
}

static void clean_condition(cleaning *k, size_t i)
{
    const bool without = atx_cut_directive_is(k->t, i, "ifndef"),
               with = atx_cut_directive_is(k->t, i, "ifdef");
    if (without || with || atx_cut_directive_is(k->t, i, "if")) {
        k->depth++;
        if (k->ours || !(without || with) || !is_about(k, i, "AUTOTUNE_RENDERED"))
            return;
        leave_out(k, i);
        k->ours = k->depth;
        k->hidden = without;
    } else if (atx_cut_directive_is(k->t, i, "endif")) {
        if (k->ours == k->depth) {
            leave_out(k, i);
            k->hidden = false;
            k->ours = 0;
        }
        k->depth--;
    } else if (k->ours == k->depth) {
        k->odd |= atx_cut_directive_is(k->t, i, "elif");
        leave_out(k, i);
        k->hidden = !k->hidden;
    }
}

static bool is_condition(const atx_tokens *t, size_t i)
{
    static const char *const NAMES[] = { "if", "ifdef", "ifndef", "else", "elif", "endif" };
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
        if (atx_cut_directive_is(t, i, NAMES[k]))
            return true;
    return false;
}

static void clean_directive(cleaning *k, size_t i)
{
    if (is_condition(k->t, i)) {
        clean_condition(k, i);
    } else if (k->hidden) {
        return;
    } else if (atx_cut_directive_is(k->t, i, "line")) {
        leave_out(k, i);
        atx_str_add(k->out, "\n"); /* another file: apart from what is before it */
    } else if (atx_cut_directive_is(k->t, i, "pragma") && is_about(k, i, "once")) {
        leave_out(k, i);
    } else if (atx_cut_directive_is(k->t, i, "define") && is_about(k, i, "AUTOTUNE_ARG")) {
        size_t n;
        const char *rest = atx_cut_directive_rest(k->t, i, &n);
        k->named = n > 4 && memcmp(rest + n - 4, "name", 4) == 0;
        leave_out(k, i);
    }
}

static void clean_word(cleaning *k, size_t i)
{
    const atx_tokens *t = k->t;
    if (atx_tokens_is(t, i, k->c->kernel)) {
        copy_to(k, t->items[i].begin);
        atx_str_add(k->out, k->c->name);
        k->from = t->items[i].end;
    } else if (atx_tokens_is(t, i, "AUTOTUNE_ARG") && atx_tokens_is(t, i + 1, "(") &&
               atx_tokens_is_word(t, i + 2) && atx_tokens_is(t, i + 3, ")")) {
        const atx_token *arg = &t->items[i + 2];
        copy_to(k, t->items[i].begin);
        atx_str_addf(k->out, k->named ? "%.*s" : "/* %.*s */", (int)(arg->end - arg->begin),
                     t->text + arg->begin);
        k->from = t->items[i + 3].end;
    }
}

bool atx_cut_clean(atx_str *out, bool *odd, const atx_cutting *c)
{
    atx_tokens t;
    if (!atx_cut_lex(&t, c->rendered, strlen(c->rendered), true))
        return false;
    cleaning k = { .out = out, .t = &t, .c = c };
    for (size_t i = 0; i < t.count; i++) {
        const char *text = t.text + t.items[i].begin;
        if (t.items[i].kind == ATX_TOKEN_DIRECTIVE)
            clean_directive(&k, i);
        else if (k.hidden)
            continue;
        else if (t.items[i].kind == ATX_TOKEN_COMMENT && strncmp(text, "/*!autotune", 11) == 0)
            leave_out(&k, i);
        else if (t.items[i].kind == ATX_TOKEN_WORD)
            clean_word(&k, i);
    }
    copy_to(&k, t.len);
    *odd = t.open || k.depth != 0 || k.odd;
    atx_tokens_clear(&t);
    return !out->failed;
}
