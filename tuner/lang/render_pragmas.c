/*
 * render_pragmas.c - lines are read back from the comments at the very start of a text, so that nothing in a
 * template's own code is taken for one. A text may come from elsewhere: options are looked at again.
 */
#include "lang/render_pragmas.h"

#include "declare/option.h"
#include "source/lex.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char OPTION[] = "//!autotune option ";
static const char KERNEL[] = "//!autotune kernel ";
static const char HEADERS[] = "//!autotune headers ";
static const char TARGET[] = "//!autotune target ";

/* ---- macros ---- */

static bool is_rendered_let(const atx_template *t, const char *name, bool *macro)
{
    for (size_t i = 0; i < t->scope.let_count; i++)
        if (t->scope.lets[i].rendered && strcmp(t->scope.lets[i].name, name) == 0) {
            *macro = t->scope.lets[i].macro;
            return true;
        }
    return false;
}

static const atx_param *find_param(const atx_template *t, const char *name, size_t len)
{
    int i = atx_param_find(t, name, len);
    return i < 0 ? NULL : &t->scope.params[i];
}

bool atx_is_macro(const atx_template *t, const char *name)
{
    bool macro = false, rendered = is_rendered_let(t, name, &macro);
    for (int i = 0; i < t->build.define_count; i++)
        macro = macro || strcmp(t->build.defines[i].name, name) == 0;
    return macro || (t->build.define_all && (rendered || find_param(t, name, strlen(name))));
}

/* A word, but yes and no as 1 and 0, which #if understands. */
static void add_value(atx_str *out, const atx_template *t, const char *name, int64_t value)
{
    const atx_param *p = find_param(t, name, strlen(name));
    if (p && p->labels && !p->truth)
        atx_param_add_text(out, p, value);
    else if (value == INT64_MIN)
        atx_str_add(out, "(-9223372036854775807LL - 1)");
    else
        atx_str_addf(out, value < 0 ? "(%" PRId64 "%s)" : "%" PRId64 "%s", value,
                     value < INT32_MIN || value > INT32_MAX ? "LL" : "");
}

static void add_macro(atx_str *out, const atx_template *t, const char *name, int64_t value)
{
    atx_str_addf(out, "#define %s ", name);
    add_value(out, t, name, value);
    atx_str_add(out, "\n");
}

static bool is_defined_by_name(const atx_template *t, const char *name)
{
    for (int i = 0; i < t->build.define_count; i++)
        if (strcmp(t->build.defines[i].name, name) == 0)
            return true;
    return false;
}

void atx_render_macros(atx_str *out, const atx_template *t, const int64_t *slots, const char *type)
{
    for (int i = 0; i < t->scope.param_count; i++)
        if (t->build.define_all && !is_defined_by_name(t, t->scope.params[i].name))
            add_macro(out, t, t->scope.params[i].name, slots[t->scope.params[i].slot]);
    for (size_t i = 0; i < t->scope.let_count; i++)
        if (t->scope.lets[i].macro || (t->build.define_all && t->scope.lets[i].rendered &&
                                       !is_defined_by_name(t, t->scope.lets[i].name)))
            add_macro(out, t, t->scope.lets[i].name, slots[t->scope.lets[i].slot]);
    for (int i = 0; i < t->build.define_count; i++)
        if (t->build.defines[i].slot < 0)
            atx_str_addf(out, "#define %s %s\n", t->build.defines[i].name, type);
        else
            add_macro(out, t, t->build.defines[i].name, slots[t->build.defines[i].slot]);
}

/* ---- values in a text ---- */

/* Names from `from` on stand for their values: those of macros only, or every known one. */
static void add_substituted(atx_str *out, const atx_template *t, const int64_t *slots, const char *text,
                            size_t from, bool only_macros)
{
    atx_lexer lexer = { .text = text + from, .len = strlen(text + from) };
    size_t taken = 0;
    atx_str_add_bytes(out, text, from);
    for (atx_token token; atx_lexer_next(&token, &lexer);) {
        char name[ATX_MAX_NAME];
        const size_t n = atx_token_copy(name, sizeof name, lexer.text, &token);
        int slot = token.kind == ATX_TOKEN_WORD && n < sizeof name
                       ? atx_symbols_find(&t->scope.symbols, name, n)
                       : -1;
        if (slot < 0 || (only_macros && !atx_is_macro(t, name)))
            continue;
        atx_str_add_bytes(out, lexer.text + taken, token.begin - taken);
        add_value(out, t, name, slots[slot]);
        taken = token.end;
    }
    atx_str_add(out, lexer.text + taken);
}

void atx_render_kernel(atx_str *out, const atx_template *t, const char *kernel, const int64_t *slots)
{
    add_substituted(out, t, slots, kernel, strcspn(kernel, "<"), true);
}

void atx_render_note(atx_str *out, const char *headers)
{
    if (headers)
        atx_str_addf(out, "%s%s\n", HEADERS, headers);
}

void atx_render_target(atx_str *out, const char *words)
{
    if (words[0])
        atx_str_addf(out, "%s%s\n", TARGET, words);
}

static bool has_option(const atx_template *t, const char *name)
{
    for (int i = 0; i < t->build.option_count; i++) {
        const char *text = t->build.options[i].text;
        if (strcmp(text + strspn(text, "-"), name) == 0)
            return true;
    }
    return false;
}

/* Functions of classes that stay in a view of the device need no __device__, as constexpr ones do not. */
at_status atx_render_pragmas(atx_str *out, const atx_template *t, const int64_t *slots, at_error *err)
{
    for (int i = 0; i < t->build.option_count; i++) {
        const atx_compiler_option *o = &t->build.options[i];
        int64_t holds = 1;
        ATX_TRY(o->when ? atx_expr_eval(&holds, o->when, slots, err) : AT_OK);
        if (!holds)
            continue;
        atx_str_add(out, OPTION);
        add_substituted(out, t, slots, o->text, strcspn(o->text, "="), false);
        atx_str_add(out, "\n");
    }
    if (atx_template_views(t) && !has_option(t, "default-device"))
        atx_str_addf(out, "%s-default-device\n", OPTION);
    atx_render_target(out, t->build.target);
    atx_render_note(out, t->text.headers);
    for (int i = 0; i < t->call.step_count; i++)
        if ((t->call.steps[i].expression || t->build.sources.count) &&
            strncmp(t->call.steps[i].kernel, "_Z", 2) != 0) { /* a symbol as it is */
            atx_str_add(out, KERNEL);
            atx_render_kernel(out, t, t->call.steps[i].kernel, slots);
            atx_str_add(out, "\n");
        }
    return AT_OK;
}

/* ---- reading ---- */

static at_status keep(char **list, int *count, int max, const char *at, size_t len, at_error *err)
{
    if (*count == max)
        return AT_OK;
    list[*count] = atx_text_copy(at, len);
    if (!list[*count])
        return atx_no_memory(err);
    ++*count;
    return AT_OK;
}

/* What follows `word` on a line, of the first such line. */
static at_status keep_first(char **out, const char *word, const char *at, size_t len, at_error *err)
{
    const size_t n = strlen(word);
    if (*out || len <= n || memcmp(at, word, n) != 0)
        return AT_OK;
    *out = atx_text_copy(at + n, len - n);
    return *out ? AT_OK : atx_no_memory(err);
}

static at_status read_line(atx_pragmas *out, const char *at, size_t len, at_error *err)
{
    if (len > sizeof OPTION && memcmp(at, OPTION, sizeof OPTION - 1) == 0) {
        at_status status = keep(out->options, &out->option_count, ATX_MAX_OPTIONS, at + sizeof OPTION - 1,
                                len - (sizeof OPTION - 1), err);
        if (status == AT_OK && out->option_count && !atx_option_is_known(out->options[out->option_count - 1]))
            free(out->options[--out->option_count]);
        return status;
    }
    if (len > sizeof KERNEL && memcmp(at, KERNEL, sizeof KERNEL - 1) == 0)
        return keep(out->kernels, &out->kernel_count, ATX_MAX_KERNELS, at + sizeof KERNEL - 1,
                    len - (sizeof KERNEL - 1), err);
    at_status status = keep_first(&out->headers, HEADERS, at, len, err);
    return status == AT_OK ? keep_first(&out->target, TARGET, at, len, err) : status;
}

at_status atx_pragmas_read(atx_pragmas *out, const char *rendered, at_error *err)
{
    at_status status = AT_OK;
    *out = (atx_pragmas){ 0 };
    for (const char *at = rendered; status == AT_OK && strncmp(at, "//", 2) == 0;) {
        size_t len = strcspn(at, "\n");
        status = read_line(out, at, len, err);
        at += len + (at[len] == '\n');
    }
    if (status != AT_OK)
        atx_pragmas_clear(out);
    return status;
}

void atx_pragmas_clear(atx_pragmas *pragmas)
{
    for (int i = 0; i < pragmas->option_count; i++)
        free(pragmas->options[i]);
    for (int i = 0; i < pragmas->kernel_count; i++)
        free(pragmas->kernels[i]);
    free(pragmas->headers);
    free(pragmas->target);
    *pragmas = (atx_pragmas){ 0 };
}
