/*
 * adopt_read.c - a parameter of tuning is a #define behind an #ifndef of the same name, or an argument of the
 * kernel's template that is a number. What a program copies into __constant__ arrays is an argument, too.
 *
 * How a kernel is called from outside (ns::f<T, TILE>): braces before it tell its namespaces; what stands
 * between the end of the code before it and __global__ its template. Types become T, numbers parameters. A
 * template that has other things (packs, templates, enumerators) is asked for.
 */
#include "exchange/adopt_draft.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel ---- */

enum { MOST_SHOWN = 200 }; /* characters of a name, and of a list of them */

static at_status too_long(const atx_draft *d, const char *what, const char *name, size_t len)
{
    return atx_fail(d->err, AT_ERR_INPUT,
                    "%s: found the %s '%.*s' with a name of %zu characters; expected at most %d", d->in->path,
                    what, (int)(len < MOST_SHOWN ? len : MOST_SHOWN), name, len, ATX_MAX_WORD - 1);
}

static bool is_asked_for(const atx_draft *d, const atx_kernel_text *k)
{
    return !d->in->kernel || atx_tokens_is(&d->code, k->name, d->in->kernel);
}

/* None, or several. */
static at_status not_one(const atx_draft *d, int count, const atx_str *names)
{
    if (count)
        return atx_fail(d->err, AT_ERR_INPUT, "%s: found %d kernels:%s; expected --kernel NAME", d->in->path,
                        count, atx_str_text(names));
    return atx_fail(d->err, AT_ERR_INPUT, "%s: found no kernel%s%s; expected __global__ void NAME(...)",
                    d->in->path, d->in->kernel ? " " : "", d->in->kernel ? d->in->kernel : "");
}

static at_status find_kernel(atx_draft *d, atx_kernel_text *found)
{
    atx_str names = { 0 };
    atx_kernel_text k;
    at_status status = AT_OK;
    int count = 0;
    for (size_t at = 0; atx_code_kernel(&k, &d->code, &at);) {
        const atx_token *name = &d->code.items[k.name];
        const size_t len = name->end - name->begin;
        if (!is_asked_for(d, &k))
            continue;
        *found = k;
        count++;
        if (names.len < MOST_SHOWN)
            atx_str_addf(&names, " %.*s", (int)(len < MOST_SHOWN ? len : MOST_SHOWN),
                         d->in->text + name->begin);
    }
    if (count != 1) {
        status = not_one(d, count, &names);
    } else {
        const atx_token *name = &d->code.items[found->name];
        size_t len = atx_token_copy(d->kernel, sizeof d->kernel, d->in->text, name);
        if (len >= sizeof d->kernel)
            status = too_long(d, "kernel", d->in->text + name->begin, len);
    }
    atx_str_clear(&names);
    return status;
}

static at_status read_arguments(atx_draft *d, size_t open)
{
    d->arg_count = atx_code_args(d->args, ATX_DRAFT_ARGS, &d->code, open);
    if (d->arg_count < 0)
        return atx_fail(d->err, AT_ERR_INPUT, "%s: found more than %d parameters of %s; expected fewer",
                        d->in->path, ATX_DRAFT_ARGS, d->kernel);
    for (int i = 0; i < d->arg_count; i++)
        if (!d->args[i].name[0])
            return too_long(d, "parameter", d->args[i].text, d->args[i].len);
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].pointer)
            return AT_OK;
    return atx_fail(d->err, AT_ERR_INPUT, "%s: found no pointer among the parameters of %s; expected one",
                    d->in->path, d->kernel);
}

/* ---- variables ---- */

/* [9], or [3][3] as 3 * 3; "" where it is not made of numbers. */
static void read_size(char out[ATX_MAX_WORD], const atx_tokens *t, size_t i)
{
    size_t n = 0;
    for (; atx_tokens_is(t, i, "["); i += 3) {
        char digits[ATX_MAX_WORD] = "";
        if (i + 2 < t->count)
            atx_token_copy(digits, sizeof digits, t->text, &t->items[i + 1]);
        const size_t len = strlen(digits);
        if (!len || digits[strspn(digits, "0123456789")] || !atx_tokens_is(t, i + 2, "]") ||
            n + len + 4 > ATX_MAX_WORD) {
            out[0] = '\0';
            return;
        }
        n += (size_t)snprintf(out + n, ATX_MAX_WORD - n, "%s%s", n ? " * " : "", digits);
    }
}

/* "float c_filter[9];" behind __constant__. Others than arrays of known types stay as they are. */
static at_status read_variables(atx_draft *d)
{
    size_t at = 0, behind;
    while (d->arg_count + d->variable_count < ATX_DRAFT_ARGS) {
        atx_draft_variable *v = &d->variables[d->variable_count];
        *v = (atx_draft_variable){ .size = "" };
        if (!atx_code_constant(&v->arg, &behind, &d->code, &at))
            break;
        bool taken = !v->arg.pointer || !v->arg.type;
        if (!taken && !v->arg.name[0])
            return too_long(d, "variable", v->arg.text, v->arg.len);
        for (int i = 0; i < d->arg_count; i++)
            taken = taken || strcmp(d->args[i].name, v->arg.name) == 0;
        read_size(v->size, &d->code, behind);
        d->variable_count += !taken;
    }
    return AT_OK;
}

/* 0, 1 or 2 for what people call the sizes of a block; -1: something else. */
static int block_axis(const char *name)
{
    char low[ATX_MAX_WORD];
    size_t n = strlen(name);
    for (size_t i = 0; i <= n; i++)
        low[i] = (char)tolower((unsigned char)name[i]);
    bool block =
        strstr(low, "block") || strstr(low, "threads") || strcmp(low, "tpb") == 0 || strstr(low, "bdim");
    bool other = strstr(low, "per_thread") || strstr(low, "blocks") || strstr(low, "grid");
    if (!block || other)
        return -1;
    char axis = n ? low[n - 1] : '\0';
    return axis == 'y' ? 1 : axis == 'z' ? 2 : 0;
}

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
    p.axis = kind == NUMBER ? block_axis(p.name) : -1;
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

static void read_template(atx_draft *d, const atx_kernel_text *kernel)
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

/* ---- parameters ---- */

/* 4, (4), -4u: the value of a macro. */
static bool read_number(long *out, const atx_tokens *t, size_t i)
{
    char text[ATX_MAX_WORD], *end = text;
    while (atx_tokens_is(t, i, "("))
        i++;
    const bool negative = atx_tokens_is(t, i, "-");
    i += negative;
    if (i >= t->count || t->items[i].kind != ATX_TOKEN_NUMBER || !t->items[i].directive ||
        atx_token_copy(text, sizeof text, t->text, &t->items[i]) >= sizeof text)
        return false;
    *out = strtol(text, &end, 10);
    *out = negative ? -*out : *out;
    return end != text && !end[strspn(end, "uUlL")];
}

static bool is_known(const atx_draft *d, const char *name)
{
    for (int i = 0; i < d->param_count; i++)
        if (strcmp(d->params[i].name, name) == 0)
            return true;
    return false;
}

/* "#ifndef X", then "#define X NUMBER"; the first one, where an #if has several. */
static void read_parameter(atx_draft *d, const atx_tokens *t, size_t i)
{
    atx_draft_param *p = &d->params[d->param_count];
    if (!atx_tokens_is(t, i + 1, "ifndef") || !atx_tokens_is_word(t, i + 2) ||
        d->param_count == ATX_DRAFT_PARAMS ||
        atx_token_copy(p->name, sizeof p->name, t->text, &t->items[i + 2]) >= sizeof p->name)
        return;
    do
        i++;
    while (i < t->count && t->items[i].directive && t->items[i].kind != ATX_TOKEN_DIRECTIVE);
    if (i + 3 >= t->count || t->items[i].kind != ATX_TOKEN_DIRECTIVE || !atx_tokens_is(t, i + 1, "define") ||
        !atx_tokens_is(t, i + 2, p->name) || !t->items[i + 3].blank || /* a macro with arguments */
        !read_number(&p->value, t, i + 3) || is_known(d, p->name))
        return;
    p->axis = block_axis(p->name);
    d->param_count++;
}

/* Names that code uses and nothing defines. */
static void add_undefined(atx_draft *d)
{
    for (const char *const *name = d->in->undefined; name && *name && d->param_count < ATX_DRAFT_PARAMS;
         name++) {
        if (strlen(*name) >= ATX_MAX_WORD || is_known(d, *name))
            continue;
        atx_draft_param *p = &d->params[d->param_count++];
        *p = (atx_draft_param){ .value = 1, .axis = block_axis(*name), .undefined = true };
        strcpy(p->name, *name);
    }
}

static at_status read_parameters(atx_draft *d)
{
    static const atx_lex_options ACTIVE = { .active = true };
    atx_tokens t;
    if (!atx_tokens_read(&t, d->in->text, strlen(d->in->text), &ACTIVE))
        return atx_no_memory(d->err);
    for (size_t i = 0; i < t.count; i++)
        if (t.items[i].kind == ATX_TOKEN_DIRECTIVE)
            read_parameter(d, &t, i);
    atx_tokens_clear(&t);
    add_undefined(d);
    return AT_OK;
}

/* `extern __shared__`, or with an alignment between: its size is said at the launch. */
static bool has_dynamic_shared(const atx_tokens *t)
{
    bool is_extern = false;
    for (size_t i = 0; i < t->count; i++) {
        if (is_extern && atx_tokens_is(t, i, "__shared__"))
            return true;
        is_extern = (is_extern || atx_tokens_is(t, i, "extern")) && !atx_tokens_is(t, i, ";") &&
                    !atx_tokens_is(t, i, "{") && !atx_tokens_is(t, i, "}");
    }
    return false;
}

at_status atx_draft_read(atx_draft *d)
{
    atx_kernel_text kernel = { 0 };
    at_status status = find_kernel(d, &kernel);
    if (status == AT_OK)
        status = read_arguments(d, kernel.open);
    if (status == AT_OK)
        status = read_variables(d);
    if (status != AT_OK)
        return status;
    d->shared = has_dynamic_shared(&d->code);
    read_template(d, &kernel);
    return read_parameters(d);
}
