/*
 * adopt_template.c - how a kernel is called from outside: ns::f<T, TILE>. Braces before it tell its
 * namespaces; what stands between the end of the code before it and __global__ its template. Types become T,
 * numbers parameters of tuning. A template that has other things (packs, templates, enumerators) is asked
 * for.
 */
#include "exchange/adopt_draft.h"
#include "source/words.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

static bool is_word(const char *at, size_t len, const char *word)
{
    return len && strlen(word) == len && memcmp(at, word, len) == 0;
}

/* ---- namespaces ---- */

/* Adds "name::" of what stands behind the word `namespace`: nothing without a name; a::b is two. */
static void add_namespace(atx_str *out, const char *at, const char *end)
{
    size_t before = out->len;
    for (at = atx_skip_space(at); at < end && (atx_is_word_part(*at) || *at == ':'); at++)
        atx_str_add_bytes(out, at, 1);
    if (out->len > before)
        atx_str_add(out, "::");
}

/* "a::b::" of the braces that are open at `end`. */
static void read_namespaces(atx_str *out, const char *code, const char *end)
{
    static const char WORD[] = "namespace";
    size_t lengths[MAX_DEPTH];
    const char *pending = NULL;
    int depth = 0;
    for (const char *at = code; at < end; at++) {
        size_t n = atx_word_len(at);
        if (is_word(at, n, WORD))
            pending = at + n;
        if (*at == '{' && depth < MAX_DEPTH)
            lengths[depth] = out->len;
        if (*at == '{' && pending)
            add_namespace(out, pending, at);
        if (*at == '{')
            depth++;
        if (*at == '}' && depth > 0 && --depth < MAX_DEPTH && lengths[depth] < out->len) {
            out->len = lengths[depth];
            out->data[out->len] = '\0';
        }
        if (strchr("{};", *at))
            pending = NULL;
        at += n ? n - 1 : 0;
    }
}

/* ---- the template ---- */

/* Where the parameters of the kernel's own template begin; NULL: it is none. */
static const char *find_template(const char *code, const char *open)
{
    const char *from = open, *found = NULL;
    while (from > code && !strchr(";{}", from[-1]))
        from--;
    for (size_t n; from < open; from += n ? n : 1) {
        n = atx_word_len(from);
        const char *behind = atx_skip_space(from + n);
        if (is_word(from, n, "template") && *behind == '<')
            found = behind + 1;
    }
    return found;
}

typedef enum meaning { TYPE, NUMBER, TRUTH, OTHER } meaning;

/* One parameter, "int TILE = 16": what it is, and its last word before the '=' as its name. */
static meaning read_meaning(atx_draft_param *p, const char *at, const char *end)
{
    static const struct {
        const char *word;
        meaning meaning;
    } WORDS[] = { { "typename", TYPE },   { "class", TYPE },  { "bool", TRUTH },   { "int", NUMBER },
                  { "unsigned", NUMBER }, { "long", NUMBER }, { "size_t", NUMBER } };
    const char *equals = memchr(at, '=', (size_t)(end - at)), *last = NULL;
    const char *stop = equals ? equals : end;
    meaning found = OTHER;
    size_t words = 0;
    for (size_t n; at < stop; at += n ? n : 1) {
        n = atx_word_len(at);
        if (*at == '<' || *at == '.' || *at == '*' || *at == '&' || *at == ':' || n >= ATX_MAX_WORD)
            return OTHER;
        for (size_t i = 0; n && i < sizeof WORDS / sizeof *WORDS && found == OTHER; i++)
            if (is_word(at, n, WORDS[i].word))
                found = WORDS[i].meaning;
        if (n) {
            snprintf(p->name, sizeof p->name, "%.*s", (int)n, at);
            last = at;
            words++;
        }
    }
    p->value = 1;
    if (equals && sscanf(equals + 1, "%ld", &p->value) != 1)
        p->value = 1;
    return last && words > 1 ? found : OTHER;
}

/* Adds an argument to `called`. false: not understood. */
static bool add_argument(atx_draft *d, atx_str *called, const char *at, const char *end)
{
    atx_draft_param p = { .axis = -1, .argument = true };
    meaning kind = read_meaning(&p, at, end);
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

/* The list of the template at `at`. false, and nothing is added to the parameters: not understood. */
static bool read_list(atx_draft *d, atx_str *called, const char *at)
{
    const int before = d->param_count;
    const char *from = at;
    bool good = true;
    atx_str_add(called, "<");
    if (called->failed)
        return false;
    for (; good && *at && *at != '>' && *at != '{' && *at != ';'; at++)
        if (*at == ',') {
            good = add_argument(d, called, from, at);
            from = at + 1;
        }
    good = good && *at == '>' && add_argument(d, called, from, at);
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

void atx_draft_read_template(atx_draft *d, const char *open)
{
    atx_str called = { 0 };
    const char *code = atx_str_text(&d->code);
    const char *list = d->in->space ? NULL : find_template(code, open);
    read_namespaces(&called, code, open);
    atx_str_add(&called, d->kernel);
    size_t plain = called.len;
    if (list && !read_list(d, &called, list) && called.len > plain) {
        called.len = plain;
        called.data[plain] = '\0';
        d->asks_arguments = true;
    }
    if (d->in->space)
        d->asks_arguments = strstr(code, "template") != NULL;
    else if (list && !d->asks_arguments)
        name_scalars(d);
    bool fits = !called.failed && called.len < sizeof d->called;
    snprintf(d->called, sizeof d->called, "%s", fits ? called.data : d->kernel);
    atx_str_clear(&called);
}
