/*
 * executed.c - see executed.h. Prints a line for each template, and below it the first place of each fault.
 */
#include "cli/executed.h"

#include "explain/execute.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- printing ---- */

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_flaw(const atx_executed_flaw *f)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_flaw_text(&text, &f->flaw);
    atx_print(stdout, "  %s\n    of %s%s%s", atx_whole(&text), f->problem, f->config[0] ? " " : "",
              f->config);
    if (f->configs > 1)
        atx_print(stdout, ", and %" PRId64 " more", f->configs - 1);
    atx_print(stdout, "\n");
}

/* `tell_shapes`: they were not named. */
static void print_text(const atx_executed *x, bool tell_shapes)
{
    atx_print(stdout, "%s/%s: %" PRId64 " configuration%s of %" PRId64 " problem%s", x->t->op->name,
              x->t->name, x->configs, plural(x->configs), x->problems, plural(x->problems));
    if (x->wrong)
        atx_print(stdout, ", %" PRId64 " wrong", x->wrong);
    else if (x->configs)
        atx_print(stdout, ", nothing found");
    else if (x->left_out)
        atx_print(stdout, ", as those that suit it take too much: not checked; name a smaller one");
    else if (!x->refused)
        atx_print(stdout, ", as none suits it: not checked; name others");
    if (x->refused)
        atx_print(stdout, ", %" PRId64 " not run: %s", x->refused, x->why);
    atx_print(stdout, "\n");
    if (tell_shapes && x->problems)
        atx_print(stdout, "  on %s\n", atx_whole(&x->ran));
    for (int i = 0; i < x->flaw_count; i++)
        print_flaw(&x->flaws[i]);
    fflush(stdout);
}

static void add_flaw(atx_str *o, const atx_executed_flaw *x)
{
    const atx_flaw *f = &x->flaw;
    atx_str_add(o, "{");
    atx_member_text(o, "kind", atx_flaw_name(f->kind));
    atx_member_text(o, "file", f->file[0] ? f->file : NULL);
    atx_member_int(o, "line", f->line);
    atx_member_ints(o, "block", f->block, 3);
    atx_member_ints(o, "thread", f->thread, 3);
    atx_member_text(o, "text", f->what);
    atx_member_text(o, "buffer", f->buffer[0] ? f->buffer : NULL);
    atx_member_int(o, "count", f->count);
    atx_member_int(o, "configs", x->configs);
    atx_member_text(o, "problem", x->problem);
    atx_member_text(o, "config", x->config);
    atx_str_add(o, "}");
}

static void print_json(const atx_executed *x)
{
    ATX_LOCAL(atx_str) o = { 0 };
    atx_verdict verdict;
    const atx_executed_flaw *first = atx_executed_first(x);
    atx_str_add(&o, "{");
    atx_member_text(&o, "schema", "autotune.check_execute/1");
    atx_member_text(&o, "op", x->t->op->name);
    atx_member_text(&o, "template", x->t->name);
    if (atx_executed_verdict(&verdict, x))
        atx_verdict_member(&o, &verdict, verdict.outcome);
    else
        atx_member_text(&o, "verdict", NULL);
    atx_member_text(&o, "problem", first ? first->problem : NULL);
    atx_member_text(&o, "config", first ? first->config : NULL);
    atx_member_int(&o, "configs", x->configs);
    atx_member_int(&o, "problems", x->problems);
    atx_member_text(&o, "ran", atx_whole(&x->ran));
    atx_member_int(&o, "wrong", x->wrong);
    atx_member_int(&o, "not_run", x->refused);
    atx_member_text(&o, "why", x->refused ? x->why : NULL);
    atx_member_name(&o, "findings");
    atx_str_add(&o, "[");
    for (int i = 0; i < x->flaw_count; i++) {
        atx_str_add(&o, i ? "," : "");
        add_flaw(&o, &x->flaws[i]);
    }
    atx_str_add(&o, "]}");
    atx_print(stdout, "%s\n", atx_whole(&o));
    fflush(stdout);
}

static void print_left_out(const atx_op *op, const atx_execute *e)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_execute_left_out(&text, e);
    if (text.len)
        atx_print(stdout, "%s: left out %s\n", op->name, atx_whole(&text));
}

/* ---- running ---- */

/* One that is another op's problem as well is left to that. */
static at_status add_problem(atx_execute *e, const atx_executing *w, const atx_op *op, const char *shape,
                             const char *type, at_error *err)
{
    const atx_words line = { .items = { op->name, shape, type }, .count = 3 };
    atx_problem problem;
    bool is_ops = atx_problem_of_words(&problem, &line, w->catalog, NULL) == AT_OK && problem.op == op;
    return is_ops ? atx_execute_add(e, &problem, w->shapes->count > 0, err) : AT_OK;
}

/* Shapes of the table go with one type after the other, named ones with all. */
static at_status add_problems(atx_execute *e, const atx_executing *w, const atx_op *op, at_error *err)
{
    const char *types[ATX_MAX_WORDS], *shape = NULL;
    const int type_count = atx_types_to_check(types, w->types, op);
    at_status status = AT_OK;
    for (int s = 0; s < w->shapes->count; s++)
        for (int k = 0; k < type_count && status == AT_OK; k++)
            status = add_problem(e, w, op, w->shapes->items[s], types[k], err);
    for (int s = 0; !w->shapes->count && type_count && status == AT_OK && atx_execute_shape(&shape, s); s++)
        status = add_problem(e, w, op, shape, types[s % type_count], err);
    return status;
}

static at_status execute_op(atx_executed_total *total, const atx_executing *w, const atx_op *op,
                            at_error *err)
{
    const atx_execute_options o = { .catalog = w->catalog,
                                    .nvrtc = w->nvrtc,
                                    .cancel = &atx_cancel_requested,
                                    .cc = w->cc,
                                    .seed = (uint64_t)w->seed,
                                    .configs = w->configs };
    atx_execute *e = NULL;
    at_status status = atx_execute_open(&e, &o, err);
    ATX_THEN(status, add_problems(e, w, op, err));
    for (int i = 0; i < atx_catalog_template_count(w->catalog, op) && status == AT_OK; i++) {
        ATX_LOCAL(atx_executed) x = { .t = NULL };
        const atx_template *t = atx_catalog_template(w->catalog, op, i);
        if (!atx_words_choose(w->templates, t->name) || atx_cancel_requested ||
            (w->added_only && !atx_catalog_is_added(w->catalog, t)))
            continue;
        status = atx_execute_template(&x, e, t, err);
        if (status == AT_OK && w->format == ATX_JSON)
            print_json(&x);
        else if (status == AT_OK)
            print_text(&x, !w->shapes->count);
        total->wrong += x.wrong > 0;
        total->run += x.configs;
        total->not_run += x.refused;
        total->left_out += x.left_out;
    }
    if (status == AT_OK && w->format == ATX_TEXT)
        print_left_out(op, e);
    atx_execute_close(e);
    return status;
}

/* A configuration that did not run is not proven, and the output must say so. */
static void warn_of_not_run(const atx_executed_total *total)
{
    char text[160];
    if (total->not_run)
        snprintf(text, sizeof text,
                 "%" PRId64 " configuration%s not run: whether %s right is not known. `tune` proves on a GPU",
                 total->not_run, plural(total->not_run), total->not_run == 1 ? "it is" : "they are");
    else if (total->left_out)
        snprintf(text, sizeof text,
                 "nothing was run: the problems that suit take too much; name smaller ones");
    else
        snprintf(text, sizeof text, "nothing was run: no template suits these shapes and types; name others");
    if (total->not_run || (!total->run && !total->wrong))
        atx_warn(text);
}

int atx_executed_code(const atx_executed_total *total)
{
    return total->wrong ? ATX_EXIT_UNSOUND : total->not_run || !total->run ? ATX_EXIT_UNCHECKED : ATX_EXIT_OK;
}

at_status atx_execute_and_print(atx_executed_total *total, const atx_executing *w, at_error *err)
{
    for (int i = 0; i < atx_catalog_op_count(w->catalog); i++) {
        const atx_op *op = atx_catalog_op(w->catalog, i);
        if (atx_words_choose(w->ops, op->name) && !op->recorded &&
            (!w->added_only || atx_catalog_has_added(w->catalog, op)))
            ATX_TRY(execute_op(total, w, op, err));
    }
    if (!atx_cancel_requested)
        warn_of_not_run(total);
    return AT_OK;
}
