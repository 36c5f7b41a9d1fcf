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

#include "declare/declare_internal.h"
#include "declare/option.h"

/* ---- source, include ---- */

static void read_path(atx_paths *paths, atx_lines *lines, const char *expected)
{
    const atx_where where = atx_lines_where(lines, lines->at);
    if (paths->count == ATX_MAX_FILES)
        atx_lines_fail(lines, lines->at, "found more than %d of them; expected fewer", ATX_MAX_FILES);
    char *path =
        *lines->at == '"' ? atx_lines_string(lines, "a path in quotes") : atx_lines_text(lines, expected);
    if (!path)
        return;
    paths->where[paths->count] = where;
    paths->items[paths->count++] = path;
}

/* Files of `device` stand behind each other: one view is made of them. */
void atx_read_source(atx_lines *lines, void *target)
{
    atx_paths *sources = &((atx_reading *)target)->t->build.sources;
    const int known = sources->count;
    const char *at = lines->at;
    read_path(sources, lines, "a file, from this one's folder");
    if (sources->count == known || !atx_lines_skip_word(lines, "device"))
        return;
    for (int i = 0; i + 1 < known; i++)
        if (sources->device[i] && !sources->device[i + 1])
            atx_lines_fail(lines, at,
                           "found a source for the device behind one that is not, and one before it; "
                           "expected those for the device behind each other");
    sources->device[known] = true;
}

bool atx_template_views(const atx_template *t)
{
    for (int i = 0; i < t->build.sources.count; i++)
        if (t->build.sources.device[i])
            return true;
    return false;
}

void atx_read_include(atx_lines *lines, void *target)
{
    read_path(&((atx_reading *)target)->t->build.includes, lines, "a folder, from this file's");
}

/* ---- define ---- */

/* A name that is known: a dimension, a let, a parameter; or T. */
static void read_known_define(atx_template *t, atx_lines *lines)
{
    char name[ATX_MAX_NAME];
    const char *at = atx_lines_name(name, lines, "the name of a macro, or 'all'");
    const int slot = atx_symbols_find(&t->scope.symbols, name, strlen(name));
    if (slot < 0 && strcmp(name, "T") != 0)
        atx_lines_fail(lines, at,
                       "found '%s', which nothing above declares; expected a known name, or '%s = EXPR'",
                       name, name);
    for (int i = 0; i < t->build.define_count; i++)
        if (strcmp(t->build.defines[i].name, name) == 0)
            atx_lines_fail(lines, at, "found '%s' a second time; expected each macro once", name);
    if (t->build.define_count == ATX_MAX_PARAMS)
        atx_lines_fail(lines, at, "found more than %d macros; expected fewer", ATX_MAX_PARAMS);
    if (lines->status != AT_OK)
        return;
    atx_define *define = &t->build.defines[t->build.define_count++];
    memcpy(define->name, name, sizeof name);
    define->slot = slot;
}

void atx_read_define(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    atx_lines ahead = *lines;
    atx_lines_skip(&ahead, atx_lines_word(lines));
    if (atx_lines_skip_word(lines, "all")) {
        t->build.define_all = true;
        return;
    }
    if (atx_lines_sees(&ahead, "=") && !atx_lines_sees(&ahead, "==")) {
        atx_read_any_let(lines, true, true); /* a value like a const's, under a name of its own */
        return;
    }
    do
        read_known_define(t, lines);
    while (!atx_lines_at_end(lines));
}

/* ---- option ---- */

void atx_read_option(atx_lines *lines, void *target)
{
    struct atx_template_build *build = &((atx_reading *)target)->t->build;
    const char *at = lines->at;
    if (build->option_count == ATX_MAX_OPTIONS) {
        atx_lines_fail(lines, at, "found more than %d options; expected fewer", ATX_MAX_OPTIONS);
        return;
    }
    atx_compiler_option *o = &build->options[build->option_count++]; /* atx_template_close frees it */
    o->where = atx_lines_where(lines, at);
    o->text = atx_lines_text(lines, "an option of the compiler, as -use_fast_math");
    if (o->text && !atx_option_is_known(o->text))
        atx_lines_fail(lines, at, "found the option '%.100s'; expected one of %s", o->text,
                       atx_known_options());
    if (atx_lines_at_end(lines))
        return;
    atx_lines_take(lines, "=", "'= EXPR', which says when");
    o->when = atx_lines_expr(lines);
}

/* ---- arg ---- */

static int find_arg(const atx_template *t, const char *name)
{
    for (int i = 0; i < t->op->arg_count + (int)t->call.own_count; i++)
        if (strcmp(atx_template_arg(t, i)->name, name) == 0)
            return i;
    return -1;
}

/* An argument may be taken twice: a kernel that works in place has one pointer for two. */
static void read_arg_names(int args[ATX_MAX_ARGS], int *count, atx_lines *lines, const atx_template *t)
{
    const atx_op *op = t->op;
    do {
        char name[ATX_MAX_NAME];
        const char *at = atx_lines_name(name, lines, "an argument of the operation");
        int i = find_arg(t, name);
        if (i < 0)
            atx_lines_fail(lines, at, "found '%s'; expected an argument of the operation %s (%s:%d)%s", name,
                           op->name, op->text.file, op->arg_count ? op->args[0].where.line : 1,
                           t->call.own_count ? ", or of a line above" : "");
        else if (*count == ATX_MAX_ARGS)
            atx_lines_fail(lines, at, "found more than %d arguments; expected fewer", ATX_MAX_ARGS);
        else
            args[(*count)++] = i;
    } while (!atx_lines_at_end(lines));
}

void atx_read_taken_args(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    read_arg_names(t->call.all_args, &t->call.all_arg_count, lines, t);
}

/* ---- kernel ---- */

/* f, ns::f or f<float, TILE>, up to `end`. It may be longer than names of ours are, and a namespace have any
 * name. */
static void read_expression(char out[ATX_MAX_KERNEL], bool *expression, atx_lines *lines, const char *end,
                            const char *expected)
{
    static const char WHAT[] = "the name of a kernel";
    char first[ATX_MAX_NAME];
    const char *begin = lines->at;
    atx_lines_skip_sign(lines, "::");
    const size_t word = atx_lines_word(lines);
    if (word >= ATX_MAX_NAME || (word && strncmp(lines->at + word, "::", 2) == 0))
        atx_lines_skip(lines, word);
    else
        atx_read_free_name(first, lines, WHAT);
    if (lines->status != AT_OK)
        return;
    while (end > begin && end[-1] == ' ')
        end--;
    size_t n = (size_t)(end - begin);
    if (n >= ATX_MAX_KERNEL)
        atx_lines_fail(lines, begin, "found a kernel's name of more than %d characters; expected less",
                       ATX_MAX_KERNEL - 1);
    for (const char *at = begin; at < end; at++)
        if ((unsigned char)*at < ' ' || *at == '\\' || *at == '"')
            atx_lines_fail(lines, at, "found a character that no kernel's name has; expected %s", WHAT);
    if (lines->status != AT_OK)
        return;
    memcpy(out, begin, n);
    out[n] = '\0';
    *expression = strcspn(out, "<:") < n;
    if (!*expression && n != word)
        atx_lines_expected(lines, expected);
    else if (end > lines->at) /* blanks behind a plain name are skipped already */
        atx_lines_skip(lines, (size_t)(end - lines->at));
}

void atx_read_kernel(atx_lines *lines, void *target)
{
    atx_reading *r = target;
    r->name_where = atx_lines_where(lines, lines->at);
    r->kernel_line = true;
    read_expression(r->t->call.steps[0].kernel, &r->t->call.steps[0].expression, lines, lines->line_end,
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

static bool has_parts(const atx_launch *launch)
{
    static const atx_launch NOTHING = { .shared = NULL };
    return memcmp(launch, &NOTHING, sizeof NOTHING) != 0;
}

/* `arg` lines say what all launches take that do not say it themselves; `kernel` would be one of them. */
void atx_read_launch(atx_lines *lines, void *target)
{
    atx_reading *r = target;
    struct atx_template_call *call = &r->t->call;
    const atx_launch *first = &call->steps[0].launch;
    const char *at = lines->at;
    r->launches = true;
    r->name_where = atx_lines_where(lines, at);
    if (r->kernel_line)
        atx_lines_fail(lines, at, "found a launch beside a 'kernel' line; expected one of them");
    if (call->step_count == 0 && has_parts(first))
        atx_lines_fail(lines, at, "found a launch beside a 'grid' line; expected one of them");
    if (call->step_count == ATX_MAX_STEPS)
        atx_lines_fail(lines, at, "found more than %d launches; expected fewer", ATX_MAX_STEPS);
    if (lines->status != AT_OK)
        return;
    atx_step *s = &call->steps[call->step_count++];
    read_expression(s->kernel, &s->expression, lines, find_grid(lines), "'grid'");
    atx_read_launch_parts(lines, &s->launch);
    if (s->launch.programmatic && call->step_count == 1)
        atx_lines_fail(lines, at,
                       "found 'programmatic' in the first launch; expected it in one that follows another, "
                       "whose end it does not wait for");
    if (atx_lines_skip_word(lines, "arg"))
        read_arg_names(s->args, &s->arg_count, lines, r->t);
}

void atx_complete_args(atx_template *t)
{
    struct atx_template_call *call = &t->call;
    if (!call->all_arg_count)
        for (int i = 0; i < t->op->arg_count; i++)
            if (!t->op->args[i].variable[0] && !atx_arg_is_pointed_at(t->op, i))
                call->all_args[call->all_arg_count++] = i;
    if (!call->step_count)
        call->step_count = 1; /* the lines kernel, grid and block are of it */
    for (int i = 0; i < call->step_count; i++) {
        if (call->steps[i].arg_count)
            continue;
        memcpy(call->steps[i].args, call->all_args, sizeof call->all_args);
        call->steps[i].arg_count = call->all_arg_count;
    }
}

static bool takes(const int *args, int count, int arg)
{
    for (int i = 0; i < count; i++)
        if (args[i] == arg)
            return true;
    return false;
}

bool atx_template_takes(const atx_template *t, int arg)
{
    bool taken = false;
    for (int i = 0; i < t->call.step_count; i++)
        taken = taken || takes(t->call.steps[i].args, t->call.steps[i].arg_count, arg);
    return taken;
}

bool atx_template_fills(const atx_template *t, int arg)
{
    return t->op->args[arg].variable[0] && !atx_template_takes(t, arg);
}

static bool is_swapped(const atx_loops *loops, int arg)
{
    bool swapped = false;
    for (int i = 0; i < loops->count; i++)
        for (int k = 0; k < loops->items[i].swap_count; k++) {
            const atx_swap *s = &loops->items[i].swaps[k];
            swapped = swapped || s->a == arg || s->b == arg || s->from == arg;
        }
    return swapped;
}

at_status atx_check_own_args(const atx_template *t, at_error *err)
{
    for (int i = 0; i < t->call.map_count; i++)
        if (is_swapped(&t->call.loops, t->call.maps[i].arg))
            return atx_fail_at(err, t->call.maps[i].where,
                               "found a tensor map of '%s', which a loop swaps; expected another buffer",
                               t->op->args[t->call.maps[i].arg].name);
    for (int i = 0; i < (int)t->call.own_count; i++)
        if (!atx_template_takes(t, t->op->arg_count + i))
            return atx_fail_at(err, t->call.own[i].where,
                               "found '%s', which no launch takes; expected its name in a line 'arg NAME...'",
                               t->call.own[i].name);
    return AT_OK;
}

void atx_template_sources_clear(atx_template *t)
{
    for (int i = 0; i < t->build.sources.count; i++)
        free(t->build.sources.items[i]);
    for (int i = 0; i < t->build.includes.count; i++)
        free(t->build.includes.items[i]);
    for (int i = 0; i < ATX_MAX_STEPS; i++)
        atx_launch_clear(&t->call.steps[i].launch);
    for (int i = 0; i < t->call.map_count; i++)
        atx_tensor_map_clear(&t->call.maps[i]);
    atx_loops_clear(&t->call.loops);
    for (size_t i = 0; i < t->call.own_count; i++)
        atx_expr_close(t->call.own[i].expr);
    free(t->call.own);
    for (int i = 0; i < t->build.option_count; i++) {
        free(t->build.options[i].text);
        atx_expr_close(t->build.options[i].when);
    }
}
