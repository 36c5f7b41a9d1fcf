/*
 * declare_source.c - the lines by which a template takes code that was not written for it: files as they are,
 * macros for their #if, the compiler's options, a kernel by a name expression, and which of the op's
 * arguments it takes in which order.
 *
 * Options reach the compiler from texts that others may have written, so only those that change code or
 * diagnostics are known here: none that names a file.
 */
#include <stdlib.h>
#include <string.h>

#include "declare/declare_parts.h"
#include "declare/option.h"

/* ---- source, include ---- */

static at_status read_path(atx_paths *paths, atx_lines *lines, const char *expected)
{
    const char *at = lines->at;
    char *path = NULL;
    at_status status = atx_lines_text(&path, lines, expected);
    if (status != AT_OK)
        return status;
    if (paths->count == ATX_MAX_FILES) {
        free(path);
        return atx_lines_fail(lines, at, "found more than %d of them; expected fewer", ATX_MAX_FILES);
    }
    paths->where[paths->count] = atx_lines_where(lines, at);
    paths->items[paths->count++] = path;
    return AT_OK;
}

at_status atx_read_source(atx_template *t, atx_lines *lines)
{
    return read_path(&t->build.sources, lines, "a file, from this one's folder");
}

at_status atx_read_include(atx_template *t, atx_lines *lines)
{
    return read_path(&t->build.includes, lines, "a folder, from this file's");
}

/* ---- define ---- */

static at_status add_define(atx_template *t, const char *name, int slot, const atx_lines *lines,
                            const char *at)
{
    for (int i = 0; i < t->build.define_count; i++)
        if (strcmp(t->build.defines[i].name, name) == 0)
            return atx_lines_fail(lines, at, "found '%s' a second time; expected each macro once", name);
    if (t->build.define_count == ATX_MAX_PARAMS)
        return atx_lines_fail(lines, at, "found more than %d macros; expected fewer", ATX_MAX_PARAMS);
    strcpy(t->build.defines[t->build.define_count].name, name);
    t->build.defines[t->build.define_count++].slot = slot;
    return AT_OK;
}

/* NAME = EXPR: a value like a const's, under a name of its own. */
static at_status read_new_define(atx_template *t, atx_lines *lines)
{
    at_status status =
        atx_read_let(&t->scope.lets, &t->scope.let_count, &t->scope.let_cap, &t->scope.symbols, true, lines);
    if (status == AT_OK)
        t->scope.lets[t->scope.let_count - 1].macro = true;
    return status;
}

/* A name that is known: a dimension, a let, a parameter; or T. */
static at_status read_known_define(atx_template *t, atx_lines *lines)
{
    char name[ATX_MAX_NAME];
    const char *at = lines->at;
    at_status status = atx_lines_name(name, lines, "the name of a macro, or 'all'");
    if (status != AT_OK)
        return status;
    int slot = atx_symbols_find(&t->scope.symbols, name, strlen(name));
    if (slot < 0 && strcmp(name, "T") != 0)
        return atx_lines_fail(
            lines, at, "found '%s', which nothing above declares; expected a known name, or '%s = EXPR'",
            name, name);
    return add_define(t, name, slot, lines, at);
}

at_status atx_read_define(atx_template *t, atx_lines *lines)
{
    atx_lines ahead = *lines;
    atx_lines_skip(&ahead, atx_lines_word(lines));
    if (atx_lines_sees_word(lines, "all")) {
        atx_lines_skip(lines, 3);
        t->build.define_all = true;
        return AT_OK;
    }
    if (atx_lines_sees(&ahead, "=") && !atx_lines_sees(&ahead, "=="))
        return read_new_define(t, lines);
    at_status status;
    do {
        status = read_known_define(t, lines);
    } while (status == AT_OK && !atx_lines_at_end(lines));
    return status;
}

/* ---- option ---- */

at_status atx_read_option(atx_template *t, atx_lines *lines)
{
    atx_compiler_option *o = &t->build.options[t->build.option_count];
    const char *at = lines->at;
    if (t->build.option_count == ATX_MAX_OPTIONS)
        return atx_lines_fail(lines, at, "found more than %d options; expected fewer", ATX_MAX_OPTIONS);
    at_status status = atx_lines_text(&o->text, lines, "an option of the compiler, as -use_fast_math");
    if (status != AT_OK)
        return status;
    t->build.option_count++; /* from here on atx_template_close frees it */
    o->where = atx_lines_where(lines, at);
    if (!atx_option_is_known(o->text))
        return atx_lines_fail(lines, at, "found the option '%.100s'; expected one of %s", o->text,
                              atx_known_options());
    if (atx_lines_at_end(lines))
        return AT_OK;
    status = atx_lines_take(lines, "=", "'= EXPR', which says when");
    return status == AT_OK ? atx_lines_expr(&o->when, lines, &t->scope.symbols) : status;
}

/* ---- arg ---- */

static int find_arg(const atx_op *op, const char *name)
{
    for (int i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].name, name) == 0)
            return i;
    return -1;
}

/* An argument may be taken twice: a kernel that works in place has one pointer for two. */
static at_status read_arg_names(int args[ATX_MAX_ARGS], int *count, atx_lines *lines, const atx_op *op)
{
    do {
        char name[ATX_MAX_NAME];
        const char *at = lines->at;
        at_status status = atx_lines_name(name, lines, "an argument of the operation");
        if (status != AT_OK)
            return status;
        int i = find_arg(op, name);
        if (i < 0)
            return atx_lines_fail(lines, at, "found '%s'; expected an argument of the operation %s (%s:%d)",
                                  name, op->name, op->text.file, op->arg_count ? op->args[0].where.line : 1);
        if (*count == ATX_MAX_ARGS)
            return atx_lines_fail(lines, at, "found more than %d arguments; expected fewer", ATX_MAX_ARGS);
        args[(*count)++] = i;
    } while (!atx_lines_at_end(lines));
    return AT_OK;
}

at_status atx_read_taken_args(atx_template *t, atx_lines *lines)
{
    return read_arg_names(t->call.all_args, &t->call.all_arg_count, lines, t->op);
}

/* ---- kernel ---- */

/* f, ns::f or f<float, TILE>, up to `end`. */
static at_status read_expression(char out[ATX_MAX_KERNEL], bool *expression, atx_lines *lines,
                                 const char *end, const char *expected)
{
    static const char WHAT[] = "the name of a kernel";
    char first[ATX_MAX_NAME];
    atx_lines ahead = *lines;
    size_t n = 0;

    if (atx_lines_sees(lines, "::"))
        atx_lines_skip(&ahead, 2);
    at_status status = atx_read_free_name(first, &ahead, WHAT);
    if (status != AT_OK)
        return status;
    while (end > lines->at && end[-1] == ' ')
        end--;
    for (const char *at = lines->at; at < end; at++) {
        if (n + 1 == ATX_MAX_KERNEL)
            return atx_lines_fail(lines, lines->at,
                                  "found a kernel's name of more than %d characters; expected less",
                                  ATX_MAX_KERNEL - 1);
        if ((unsigned char)*at < ' ' || *at == '\\' || *at == '"')
            return atx_lines_fail(lines, at, "found a character that no kernel's name has; expected %s",
                                  WHAT);
        out[n++] = *at;
    }
    out[n] = '\0';
    *expression = strcspn(out, "<:") < n;
    if (!*expression && strcmp(out, first) != 0) {
        lines->at = ahead.at;
        return atx_lines_expected(lines, expected);
    }
    atx_lines_skip(lines, (size_t)(end - lines->at));
    return AT_OK;
}

at_status atx_read_kernel_expression(atx_template *t, atx_lines *lines)
{
    return read_expression(t->call.kernel, &t->call.expression, lines, lines->line_end,
                           "the end of the line");
}

/* ---- launch ---- */

/* Where the word `grid` stands, outside of the name's arguments; without one the end of the line. */
static const char *find_grid(const atx_lines *lines)
{
    atx_lines ahead = *lines;
    int angles = 0, parens = 0;
    while (!atx_lines_at_end(&ahead)) {
        char c = *ahead.at;
        size_t n = atx_lines_word(&ahead);
        if (angles <= 0 && parens == 0 && atx_lines_sees_word(&ahead, "grid"))
            return ahead.at;
        parens += c == '(' ? 1 : c == ')' ? -1 : 0;
        angles += parens ? 0 : c == '<' ? 1 : c == '>' ? -1 : 0;
        atx_lines_skip(&ahead, n ? n : 1);
    }
    return lines->line_end;
}

static bool sees_part(const atx_lines *lines)
{
    return atx_lines_at_end(lines) || atx_lines_sees_word(lines, "block") ||
           atx_lines_sees_word(lines, "shared") || atx_lines_sees_word(lines, "arg");
}

/* One to three sizes. */
static at_status read_sizes(atx_expr *out[3], atx_lines *lines, const atx_symbols *symbols)
{
    int count = 0;
    do {
        if (count == 3)
            return atx_lines_expected(lines, "'block', 'shared', 'arg' or the end of the line");
        at_status status = atx_lines_expr(&out[count++], lines, symbols);
        if (status != AT_OK)
            return status;
    } while (!sees_part(lines));
    return AT_OK;
}

/* grid EXPR... block EXPR... [shared EXPR] [arg NAME...] */
static at_status read_geometry(atx_step *s, const atx_template *t, atx_lines *lines)
{
    at_status status = atx_lines_take(lines, "grid", NULL);
    if (status == AT_OK)
        status = read_sizes(s->launch.grid, lines, &t->scope.symbols);
    if (status == AT_OK)
        status = atx_lines_take(lines, "block", NULL);
    if (status == AT_OK)
        status = read_sizes(s->launch.block, lines, &t->scope.symbols);
    if (status == AT_OK && atx_lines_sees_word(lines, "shared")) {
        atx_lines_skip(lines, 6);
        status = atx_lines_expr(&s->launch.shared, lines, &t->scope.symbols);
    }
    if (status == AT_OK && atx_lines_sees_word(lines, "arg")) {
        atx_lines_skip(lines, 3);
        status = read_arg_names(s->args, &s->arg_count, lines, t->op);
    }
    return status;
}

/* The first one stands where `kernel`, `grid` and `block` would. */
static void place(atx_template *t, const atx_step *s)
{
    if (t->call.kernel[0]) {
        t->call.more[t->call.more_count++] = *s;
        return;
    }
    memcpy(t->call.kernel, s->kernel, sizeof t->call.kernel);
    t->call.expression = s->expression;
    t->call.launch = s->launch;
    t->call.arg_count = s->arg_count;
    memcpy(t->call.args, s->args, sizeof t->call.args);
}

at_status atx_read_launch(atx_template *t, atx_lines *lines)
{
    atx_step s = { 0 };
    const char *at = lines->at;
    if ((t->call.launch.grid[0] || t->call.launch.block[0] || t->call.launch.shared) && !t->call.kernel[0])
        return atx_lines_fail(lines, at, "found a launch beside a 'grid' line; expected one of them");
    if (t->call.more_count == ATX_MAX_STEPS - 1)
        return atx_lines_fail(lines, at, "found more than %d launches; expected fewer", ATX_MAX_STEPS);
    at_status status = read_expression(s.kernel, &s.expression, lines, find_grid(lines), "'grid'");
    if (status == AT_OK)
        status = read_geometry(&s, t, lines);
    if (status == AT_OK)
        place(t, &s);
    else
        atx_launch_clear(&s.launch);
    return status;
}

void atx_complete_args(atx_template *t)
{
    if (!t->call.all_arg_count)
        for (int i = 0; i < t->op->arg_count; i++)
            if (!t->op->args[i].variable[0])
                t->call.all_args[t->call.all_arg_count++] = i;
    if (!t->call.arg_count) {
        memcpy(t->call.args, t->call.all_args, sizeof t->call.args);
        t->call.arg_count = t->call.all_arg_count;
    }
    for (int i = 0; i < t->call.more_count; i++) {
        if (t->call.more[i].arg_count)
            continue;
        memcpy(t->call.more[i].args, t->call.all_args, sizeof t->call.all_args);
        t->call.more[i].arg_count = t->call.all_arg_count;
    }
}

static bool takes(const int *args, int count, int arg)
{
    for (int i = 0; i < count; i++)
        if (args[i] == arg)
            return true;
    return false;
}

bool atx_template_fills(const atx_template *t, int arg)
{
    bool taken = takes(t->call.args, t->call.arg_count, arg);
    for (int i = 0; i < t->call.more_count; i++)
        taken = taken || takes(t->call.more[i].args, t->call.more[i].arg_count, arg);
    return t->op->args[arg].variable[0] && !taken;
}

void atx_template_sources_clear(atx_template *t)
{
    for (int i = 0; i < t->build.sources.count; i++)
        free(t->build.sources.items[i]);
    for (int i = 0; i < t->build.includes.count; i++)
        free(t->build.includes.items[i]);
    for (int i = 0; i < t->call.more_count; i++)
        atx_launch_clear(&t->call.more[i].launch);
    for (int i = 0; i < t->build.option_count; i++) {
        free(t->build.options[i].text);
        atx_expr_close(t->build.options[i].when);
    }
}
