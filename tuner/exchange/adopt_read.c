/*
 * adopt_read.c - a parameter of tuning is a #define behind an #ifndef of the same name, or an argument of the
 * kernel's template that is a number. What a program copies into __constant__ arrays is an argument, too.
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

/* ---- parameters ---- */

/* 0, 1 or 2 for what people call the sizes of a block; -1: something else. */
int atx_draft_block_axis(const char *name)
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
    p->axis = atx_draft_block_axis(p->name);
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
        *p = (atx_draft_param){ .value = 1, .axis = atx_draft_block_axis(*name), .undefined = true };
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
    atx_draft_read_template(d, &kernel);
    return read_parameters(d);
}
