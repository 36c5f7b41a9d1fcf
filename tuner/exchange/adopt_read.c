/*
 * adopt_read.c - the file is read without comments and strings, so that words mean code. A kernel is what
 * stands between __global__ and its brace; a parameter of tuning is a #define behind an #ifndef of the same
 * name, or an argument of the kernel's template that is a number. What a program copies into __constant__
 * arrays is an argument, too.
 */
#include "exchange/adopt_draft.h"
#include "source/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel ---- */

enum { MOST_SHOWN = 200 }; /* characters of a name, and of a list of them */

static at_status too_long(const atx_draft *d, const char *what, const char *name, size_t len)
{
    return at_fail(d->err, AT_ERR_INPUT,
                   "%s: found the %s '%.*s' with a name of %zu characters; expected at most %d", d->in->path,
                   what, (int)(len < MOST_SHOWN ? len : MOST_SHOWN), name, len, ATX_MAX_WORD - 1);
}

static bool is_asked_for(const atx_draft *d, const atx_kernel_text *k)
{
    const char *asked = d->in->kernel;
    return !asked || (strlen(asked) == k->len && memcmp(asked, k->name, k->len) == 0);
}

/* None, or several. */
static at_status not_one(const atx_draft *d, int count, const atx_str *names)
{
    if (count)
        return at_fail(d->err, AT_ERR_INPUT, "%s: found %d kernels:%s; expected --kernel NAME", d->in->path,
                       count, atx_str_text(names));
    return at_fail(d->err, AT_ERR_INPUT, "%s: found no kernel%s%s; expected __global__ void NAME(...)",
                   d->in->path, d->in->kernel ? " " : "", d->in->kernel ? d->in->kernel : "");
}

static at_status find_kernel(atx_draft *d, const char **params)
{
    atx_str names = { 0 };
    atx_kernel_text k, found = { 0 };
    at_status status = AT_OK;
    int count = 0;
    for (const char *at = atx_str_text(&d->code); atx_code_kernel(&k, &at);) {
        if (!is_asked_for(d, &k))
            continue;
        found = k;
        count++;
        if (names.len < MOST_SHOWN)
            atx_str_addf(&names, " %.*s", (int)(k.len < MOST_SHOWN ? k.len : MOST_SHOWN), k.name);
    }
    if (count != 1)
        status = not_one(d, count, &names);
    else if (found.len >= ATX_MAX_WORD)
        status = too_long(d, "kernel", found.name, found.len);
    atx_str_clear(&names);
    if (status != AT_OK)
        return status;
    atx_copy_word(d->kernel, found.name, found.len);
    *params = found.open;
    return AT_OK;
}

static at_status read_arguments(atx_draft *d, const char *at)
{
    d->arg_count = atx_code_args(d->args, ATX_DRAFT_ARGS, at);
    if (d->arg_count < 0)
        return at_fail(d->err, AT_ERR_INPUT, "%s: found more than %d parameters of %s; expected fewer",
                       d->in->path, ATX_DRAFT_ARGS, d->kernel);
    for (int i = 0; i < d->arg_count; i++)
        if (!d->args[i].name[0])
            return too_long(d, "parameter", d->args[i].text, d->args[i].len);
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].pointer)
            return AT_OK;
    return at_fail(d->err, AT_ERR_INPUT, "%s: found no pointer among the parameters of %s; expected one",
                   d->in->path, d->kernel);
}

/* ---- variables ---- */

/* [9], or [3][3] as 3 * 3; "" where it is not made of numbers. */
static void read_size(char out[ATX_MAX_WORD], const char *at)
{
    size_t n = 0;
    for (; *at == '['; at = atx_skip_space(at)) {
        size_t digits = strspn(at = atx_skip_space(at + 1), "0123456789");
        const char *end = atx_skip_space(at + digits);
        if (!digits || *end != ']' || n + digits + 4 > ATX_MAX_WORD) {
            out[0] = '\0';
            return;
        }
        n += (size_t)snprintf(out + n, ATX_MAX_WORD - n, "%s%.*s", n ? " * " : "", (int)digits, at);
        at = end + 1;
    }
}

/* "float c_filter[9];" behind __constant__. Others than arrays of known types stay as they are. */
static at_status read_variables(atx_draft *d)
{
    const char *at = atx_str_text(&d->code), *behind;
    while (d->arg_count + d->variable_count < ATX_DRAFT_ARGS) {
        atx_draft_variable *v = &d->variables[d->variable_count];
        *v = (atx_draft_variable){ .size = "" };
        if (!atx_code_constant(&v->arg, &behind, &at))
            break;
        bool taken = !v->arg.pointer || !v->arg.type;
        if (!taken && !v->arg.name[0])
            return too_long(d, "variable", v->arg.text, v->arg.len);
        for (int i = 0; i < d->arg_count; i++)
            taken = taken || strcmp(d->args[i].name, v->arg.name) == 0;
        read_size(v->size, behind);
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

/* 4, (4), 4u: behind the name of a macro. */
static bool read_number(long *out, const char *at)
{
    char *end;
    at += strspn(at, " \t(");
    *out = strtol(at, &end, 10);
    if (end == at)
        return false;
    end += strspn(end, "uUlL");
    return !atx_is_word_part(*end) && *end != '.';
}

static bool is_known(const atx_draft *d, const char *name)
{
    for (int i = 0; i < d->param_count; i++)
        if (strcmp(d->params[i].name, name) == 0)
            return true;
    return false;
}

/* "#ifndef X", then "#define X NUMBER"; the first one, where an #if has several. */
static void read_parameter(atx_draft *d, const char *at)
{
    atx_draft_param *p = &d->params[d->param_count];
    size_t n = atx_word_len(at);
    const char *next = strchr(at, '\n');
    if (!n || n >= ATX_MAX_WORD || !next || d->param_count == ATX_DRAFT_PARAMS)
        return;
    atx_copy_word(p->name, at, n);
    next = atx_skip_space(next);
    if (*next != '#')
        return;
    next = atx_skip_space(next + 1);
    if (strncmp(next, "define", 6) != 0)
        return;
    next = atx_skip_space(next + 6);
    if (atx_word_len(next) != n || memcmp(next, at, n) != 0 || (next[n] != ' ' && next[n] != '\t'))
        return;
    if (!read_number(&p->value, next + n) || is_known(d, p->name))
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

static void read_parameters(atx_draft *d)
{
    for (const char *at = atx_str_text(&d->code); (at = strchr(at, '#')) != NULL; at++) {
        const char *word = at + 1 + strspn(at + 1, " \t");
        if (strncmp(word, "ifndef", 6) == 0)
            read_parameter(d, word + 6 + strspn(word + 6, " \t"));
    }
    add_undefined(d);
}

/* `extern __shared__`, or with an alignment between: its size is said at the launch. */
static bool has_dynamic_shared(const char *code)
{
    static const char EXTERN[] = "extern", SHARED[] = "__shared__";
    for (const char *at = code; (at = strstr(at, EXTERN)) != NULL;) {
        at += sizeof EXTERN - 1;
        if (memmem(at, strcspn(at, ";{}"), SHARED, sizeof SHARED - 1))
            return true;
    }
    return false;
}

at_status atx_draft_read(atx_draft *d)
{
    const char *open = NULL;
    at_status status = find_kernel(d, &open);
    if (status == AT_OK)
        status = read_arguments(d, open);
    if (status == AT_OK)
        status = read_variables(d);
    if (status != AT_OK)
        return status;
    d->shared = has_dynamic_shared(atx_str_text(&d->code));
    atx_draft_read_template(d, open);
    read_parameters(d);
    return AT_OK;
}
