/*
 * lint.c - the space reports requirements that refuse nothing. A conflict is found by removing each
 * requirement in turn, and restoring it if the space is then no longer empty; the rest is the conflict. Grids
 * are tried with the smallest shape that the op allows.
 */
#include "compile/lint.h"

#include "compile/connection.h"
#include "source/declarator.h"
#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_SAMPLES = 64, CONFLICT_S = 3 };

/* ---- requirements that refuse nothing ---- */

/* Directly, or through the names that it is computed from. */
static bool reads_problem(const atx_template *t, const atx_expr *expr)
{
    const int own = t->op->scope.symbols.count;
    for (int i = 0; i < own; i++)
        if (atx_expr_reads(expr, i))
            return true;
    for (size_t i = 0; i < t->scope.let_count; i++)
        if (atx_expr_reads(expr, t->scope.lets[i].slot) && reads_problem(t, t->scope.lets[i].expr))
            return true;
    return false;
}

/* A requirement on the shape or the device may refuse something elsewhere. */
static void tell_idle(const atx_lint_query *q, const atx_space *space)
{
    const atx_require *r;
    char text[400];
    for (int i = 0; (r = atx_space_idle(space, i)) != NULL; i++) {
        if (r->implied || reads_problem(q->t, r->expr))
            continue;
        snprintf(text, sizeof text, "%.150s:%d:%d: requirement '%.150s' refuses nothing: it always holds",
                 r->where.file, r->where.line, r->where.column, atx_expr_text(r->expr));
        q->warn(q->context, text);
    }
}

/* ---- grids ---- */

/* The shape of ones, if the op has it. */
static bool make_smallest(atx_problem *out, const atx_problem *like)
{
    int64_t ones[ATX_MAX_DIMS];
    for (int i = 0; i < ATX_MAX_DIMS; i++)
        ones[i] = 1;
    return atx_problem_init(out, like->op, like->type, ones, like->op->shape.dim_count, NULL) == AT_OK;
}

/* Is the launch of some configuration there impossible? *why says of one. */
static bool has_no_grid(at_error *why, const atx_space *space, const atx_template *t, const int64_t *slots)
{
    int64_t count = atx_space_count(space);
    for (int i = 0; i < GRID_SAMPLES && i < count; i++) {
        atx_config config;
        atx_geometry ignored[ATX_MAX_STEPS];
        int64_t own[ATX_MAX_SLOTS];
        atx_space_config(&config, space, count <= GRID_SAMPLES ? i : count / GRID_SAMPLES * i);
        memcpy(own, slots, (size_t)t->op->scope.symbols.count * sizeof *own);
        if (atx_config_bind(own, t, &config, why) == AT_OK &&
            atx_geometries_of(ignored, t, own, why) != AT_OK && strstr(why->text, "' is 0; expected"))
            return true;
    }
    return false;
}

static at_status tell_grids(const atx_lint_query *q, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_problem smallest;
    ATX_CLOSED(atx_space) *space = NULL;
    at_error why = { 0 };
    if (!make_smallest(&smallest, q->problem) || atx_problem_bind(slots, &smallest, q->limits, NULL) != AT_OK)
        return AT_OK;
    at_status status = atx_space_open_until(&space, q->t, slots, NULL, 0, q->cancel, err);
    if (status == AT_OK && has_no_grid(&why, space, q->t, slots)) {
        ATX_LOCAL(atx_str) text = { 0 }, shape = { 0 };
        atx_problem_shape(&shape, &smallest);
        atx_str_addf(&text, "%s. So it is for the smallest shape, %s: such configurations are left out there",
                     why.text, atx_str_text(&shape));
        q->warn(q->context, atx_str_text(&text));
    }
    return status == AT_ERR_INPUT ? AT_OK
                                  : status; /* an expression that has no value there is not checked here */
}

/* ---- the order of arguments ---- */

static bool is_among(const atx_kernel_arg *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

/* The kernel has the same names in another order: it is likely given others than it means. */
static void tell_order(const atx_lint_query *q, const atx_step *step)
{
    atx_kernel_arg words[ATX_MAX_ARGS];
    int count = atx_code_args_of(words, ATX_MAX_ARGS, q->t->text.source, step->kernel);
    bool same = true;
    if (count != step->arg_count)
        return;
    for (int i = 0; i < count; i++) {
        const char *name = atx_template_arg(q->t, step->args[i])->name;
        if (!is_among(words, count, name))
            return;
        same = same && strcmp(words[i].name, name) == 0;
    }
    if (same)
        return;
    ATX_LOCAL(atx_str) text = { 0 };
    atx_str_addf(&text, "kernel '%s' is given", step->kernel);
    for (int i = 0; i < count; i++)
        atx_str_addf(&text, " %s", atx_template_arg(q->t, step->args[i])->name);
    atx_str_add(&text, ", by its own names as");
    for (int i = 0; i < count; i++)
        atx_str_addf(&text, " %s", words[i].name);
    atx_str_add(&text, ": is it the order that `arg` says?");
    q->warn(q->context, atx_str_text(&text));
}

/* ---- constant memory ---- */

/* The op fills it, as NAME or ns::NAME. */
static bool is_filled(const atx_op *op, const char *name)
{
    for (int i = 0; i < op->arg_count && *name; i++) { /* "": too long a name for any */
        const char *full = op->args[i].variable, *last = strrchr(full, ':');
        if (strcmp(last ? last + 1 : full, name) == 0)
            return true;
    }
    return false;
}

/* The host of another program fills it; here it stays empty. */
static void tell_constants(const atx_lint_query *q)
{
    atx_tokens code;
    atx_kernel_arg found;
    size_t behind;
    if (!atx_code_read(&code, q->t->text.source))
        return;
    for (size_t at = 0; atx_code_constant(&found, &behind, &code, &at);) {
        ATX_LOCAL(atx_str) text = { 0 };
        if (is_filled(q->t->op, found.name))
            continue;
        atx_str_addf(&text,
                     "'%.*s' is in __constant__ memory, which no launch fills: it is 0. Expected a value "
                     "of its own, or ",
                     (int)found.len, found.text);
        if (*found.name)
            atx_str_addf(&text, "an argument 'arg ... input ... into %s' of the operation", found.name);
        else
            atx_str_addf(&text, "a name of at most %d characters, which an argument can go into",
                         ATX_MAX_WORD - 1);
        q->warn(q->context, atx_str_text(&text));
    }
    atx_tokens_clear(&code);
}

at_status atx_lint_find(const atx_lint_query *q, at_error *err)
{
    const atx_template *t = q->t;
    int64_t slots[ATX_MAX_SLOTS];
    ATX_CLOSED(atx_space) *space = NULL;
    for (int i = 0; i < t->call.step_count && q->order; i++)
        tell_order(q, &t->call.steps[i]);
    tell_constants(q);
    at_status status = atx_problem_bind(slots, q->problem, q->limits, err);
    ATX_THEN(status, atx_space_open_until(&space, t, slots, NULL, 0, q->cancel, err));
    if (status == AT_OK)
        tell_idle(q, space);
    return status == AT_OK && q->grids ? tell_grids(q, err) : status;
}

/* ---- requirements that exclude each other ---- */

/* Is the space of these requirements empty? What takes too long, or cannot be evaluated, counts as not. */
static bool is_empty(const atx_template *t, const int64_t *slots, atx_cancel *cancel)
{
    ATX_CLOSED(atx_space) *space = NULL;
    bool empty =
        atx_space_open_until(&space, t, slots, NULL, 0, cancel, NULL) == AT_OK && atx_space_count(space) == 0;
    return empty;
}

at_status atx_lint_conflict(atx_str *out, const atx_template *t, const int64_t *slots, const atomic_int *flag,
                            at_error *err)
{
    atx_cancel cancel = { .flag = flag, .until_s = atx_now_s() + CONFLICT_S };
    atx_template some = *t; /* with requirements of its own, all else borrowed */
    some.scope.requires = malloc((t->scope.require_count + 1) * sizeof *some.scope.requires);
    if (!some.scope.requires)
        return atx_no_memory(err);
    memcpy(some.scope.requires, t->scope.requires, t->scope.require_count * sizeof *some.scope.requires);
    for (size_t i = 0; i < some.scope.require_count;) {
        atx_require without = some.scope.requires[i];
        size_t behind = --some.scope.require_count - i;
        memmove(some.scope.requires + i, some.scope.requires + i + 1, behind * sizeof *some.scope.requires);
        if (is_empty(&some, slots, &cancel))
            continue;
        memmove(some.scope.requires + i + 1, some.scope.requires + i, behind * sizeof *some.scope.requires);
        some.scope.requires[i++] = without;
        some.scope.require_count++;
    }
    for (size_t i = 0; i < some.scope.require_count; i++) {
        const atx_require *r = &some.scope.requires[i];
        atx_str_addf(out, "%s'%s'%s%s%s", i ? i + 1 < some.scope.require_count ? ", " : " and " : "",
                     atx_expr_text(r->expr), r->reason[0] ? " (" : "", r->reason, r->reason[0] ? ")" : "");
    }
    free(some.scope.requires);
    return atx_str_status(out, err);
}
