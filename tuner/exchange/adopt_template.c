/*
 * adopt_template.c - how a kernel is called from outside: ns::f<T, TILE>. Braces before it tell its
 * namespaces; what stands between the end of the code before it and __global__ its template. Types become T,
 * numbers parameters of tuning. A template that has other things (packs, templates, enumerators) is asked
 * for.
 */
#include "exchange/adopt_draft.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- namespaces ---- */

/* Adds "name::" of what follows the word `namespace`: nothing without a name; a::b is two. */
static void add_namespace(atx_str *out, const atx_tokens *t, size_t i)
{
    const size_t before = out->len;
    for (; atx_tokens_is_word(t, i) || atx_tokens_is(t, i, "::"); i++)
        atx_str_add_bytes(out, t->text + t->items[i].begin, t->items[i].end - t->items[i].begin);
    if (out->len > before)
        atx_str_add(out, "::");
}

/* "a::b::" of the braces that are open at token `end`. */
static void read_namespaces(atx_str *out, const atx_tokens *t, size_t end)
{
    size_t pending = 0; /* behind `namespace`; 0: none */
    for (size_t i = 0; i < end; i++) {
        if (atx_tokens_is(t, i, "namespace"))
            pending = i + 1;
        if (atx_tokens_is(t, i, "{") && atx_tokens_match(t, i) < end)
            i = atx_tokens_match(t, i);
        else if (atx_tokens_is(t, i, "{") && pending)
            add_namespace(out, t, pending);
        if (atx_tokens_is(t, i, "{") || atx_tokens_is(t, i, "}") || atx_tokens_is(t, i, ";"))
            pending = 0;
    }
}

/* ---- the template ---- */

/* The '<' of the kernel's own template; 0: it is none. */
static size_t find_template(const atx_tokens *t, const atx_kernel_text *k)
{
    size_t found = 0;
    for (size_t i = k->head; i < k->name; i++)
        if (atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<"))
            found = i + 1;
    return found;
}

typedef enum meaning { TYPE, NUMBER, TRUTH, OTHER } meaning;

/* One parameter, "int TILE = 16": what it is, and its last word before the '=' as its name. */
static meaning read_meaning(atx_draft_param *p, const atx_tokens *t, size_t i, size_t end)
{
    static const struct {
        const char *word;
        meaning meaning;
    } WORDS[] = { { "typename", TYPE },   { "class", TYPE },  { "bool", TRUTH },   { "int", NUMBER },
                  { "unsigned", NUMBER }, { "long", NUMBER }, { "size_t", NUMBER } };
    meaning found = OTHER;
    size_t words = 0;
    for (; i < end && !atx_tokens_is(t, i, "="); i++, words++) {
        if (!atx_tokens_is_word(t, i) ||
            atx_token_copy(p->name, sizeof p->name, t->text, &t->items[i]) >= sizeof p->name)
            return OTHER; /* a pack, a pointer, a type of a namespace */
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS && found == OTHER; k++)
            if (atx_tokens_is(t, i, WORDS[k].word))
                found = WORDS[k].meaning;
    }
    const bool negative = atx_tokens_is(t, i + 1, "-");
    i += 1 + negative;
    p->value = 1;
    if (i < end && t->items[i].kind == ATX_TOKEN_NUMBER)
        p->value = strtol(t->text + t->items[i].begin, NULL, 10) * (negative ? -1 : 1);
    return words > 1 ? found : OTHER;
}

/* Adds an argument to `called`. false: not understood. */
static bool add_argument(atx_draft *d, atx_str *called, size_t begin, size_t end)
{
    atx_draft_param p = { .axis = -1, .argument = true };
    meaning kind = read_meaning(&p, &d->code, begin, end);
    if (kind == OTHER || (kind != TYPE && d->param_count == ATX_DRAFT_PARAMS))
        return false;
    atx_str_addf(called, "%s%s", called->data[called->len - 1] == '<' ? "" : ", ",
                 kind == TYPE ? "T" : p.name);
    if (kind == TYPE)
        return true;
    p.axis = kind == NUMBER ? atx_draft_block_axis(p.name) : -1;
    p.boolean = kind == TRUTH;
    d->params[d->param_count++] = p;
    return true;
}

/* The list behind the '<' at `open`. false, and nothing is added to the parameters: not understood. */
static bool read_list(atx_draft *d, atx_str *called, size_t open)
{
    const int before = d->param_count;
    const size_t count = d->code.count, end = atx_tokens_match(&d->code, open);
    bool good = end < count;
    atx_str_add(called, "<");
    if (called->failed)
        return false;
    for (size_t at = open + 1, comma; good && at <= end; at = comma + 1) {
        comma = atx_code_comma(&d->code, at, end);
        good = add_argument(d, called, at, comma);
    }
    atx_str_add(called, ">");
    if (!good)
        d->param_count = before;
    return good;
}

/* A scalar of a type that the template has: the op can pass a float. */
static void name_scalars(atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (!d->args[i].pointer && !d->args[i].type)
            d->args[i].type = "f32";
}

void atx_draft_read_template(atx_draft *d, const atx_kernel_text *kernel)
{
    atx_str called = { 0 };
    const size_t list = d->in->space ? 0 : find_template(&d->code, kernel);
    read_namespaces(&called, &d->code, kernel->open);
    atx_str_add(&called, d->kernel);
    size_t plain = called.len;
    if (list && !read_list(d, &called, list) && called.len > plain) {
        called.len = plain;
        called.data[plain] = '\0';
        d->asks_arguments = true;
    }
    for (size_t i = 0; d->in->space && i < d->code.count; i++)
        d->asks_arguments = d->asks_arguments || atx_tokens_is(&d->code, i, "template");
    if (list && !d->asks_arguments)
        name_scalars(d);
    bool fits = !called.failed && called.len < sizeof d->called;
    snprintf(d->called, sizeof d->called, "%s", fits ? called.data : d->kernel);
    atx_str_clear(&called);
}
