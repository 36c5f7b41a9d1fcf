/* executed.c - see executed.h. A line for each template; below it what is wrong, the first place of each. */
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

static void print_flaw(const at__executed_flaw *f)
{
    at__str text = { 0 };
    at__flaw_text(&text, &f->flaw);
    at__print(stdout, "  %s\n    of %s%s%s", at__whole(&text), f->problem, f->config[0] ? " " : "",
              f->config);
    if (f->configs > 1)
        at__print(stdout, ", and %" PRId64 " more", f->configs - 1);
    at__print(stdout, "\n");
    at__str_clear(&text);
}

/* `tell_shapes`: nobody named them. */
static void print_text(const at__executed *x, bool tell_shapes)
{
    at__print(stdout, "%s/%s: %" PRId64 " configuration%s of %" PRId64 " problem%s", x->t->op->name,
              x->t->name, x->configs, plural(x->configs), x->problems, plural(x->problems));
    if (x->wrong)
        at__print(stdout, ", %" PRId64 " wrong", x->wrong);
    else if (x->configs)
        at__print(stdout, ", nothing found");
    else if (!x->refused)
        at__print(stdout, ", as none suits it: not checked; name others");
    if (x->refused)
        at__print(stdout, ", %" PRId64 " not run: %s", x->refused, x->why);
    at__print(stdout, "\n");
    if (tell_shapes && x->problems)
        at__print(stdout, "  on %s\n", at__whole(&x->ran));
    for (int i = 0; i < x->flaw_count; i++)
        print_flaw(&x->flaws[i]);
    fflush(stdout);
}

static void add_flaw(at__str *o, const at__executed_flaw *x)
{
    const at__flaw *f = &x->flaw;
    at__str_add(o, "{");
    at__member_text(o, "kind", at__flaw_name(f->kind));
    at__member_text(o, "file", f->file[0] ? f->file : NULL);
    at__member_int(o, "line", f->line);
    at__member_ints(o, "block", f->block, 3);
    at__member_ints(o, "thread", f->thread, 3);
    at__member_text(o, "text", f->what);
    at__member_int(o, "count", f->count);
    at__member_int(o, "configs", x->configs);
    at__member_text(o, "problem", x->problem);
    at__member_text(o, "config", x->config);
    at__str_add(o, "}");
}

static void print_json(const at__executed *x)
{
    at__str o = { 0 };
    at__str_add(&o, "{");
    at__member_text(&o, "op", x->t->op->name);
    at__member_text(&o, "template", x->t->name);
    at__member_int(&o, "configs", x->configs);
    at__member_int(&o, "problems", x->problems);
    at__member_text(&o, "ran", at__whole(&x->ran));
    at__member_int(&o, "wrong", x->wrong);
    at__member_int(&o, "not_run", x->refused);
    at__member_text(&o, "why", x->refused ? x->why : NULL);
    at__member_name(&o, "findings");
    at__str_add(&o, "[");
    for (int i = 0; i < x->flaw_count; i++) {
        at__str_add(&o, i ? "," : "");
        add_flaw(&o, &x->flaws[i]);
    }
    at__str_add(&o, "]}");
    at__print(stdout, "%s\n", at__whole(&o));
    fflush(stdout);
    at__str_clear(&o);
}

static void print_left_out(const at__op *op, const at__execute *e)
{
    at__str text = { 0 };
    at__execute_left_out(&text, e);
    if (text.len)
        at__print(stdout, "%s: left out %s\n", op->name, at__whole(&text));
    at__str_clear(&text);
}

/* ---- what is run ---- */

/* One that is another op's problem as well is left to that. */
static at_status add_problem(at__execute *e, const at__executing *w, const at__op *op, const char *shape,
                             const char *type, at_error *err)
{
    const at__words line = { .items = { op->name, shape, type }, .count = 3 };
    at__problem problem;
    bool is_ops = at__problem_from_words(&problem, &line, w->catalog, NULL) == AT_OK && problem.op == op;
    return is_ops ? at__execute_add(e, &problem, w->shapes->count > 0, err) : AT_OK;
}

/* Shapes of the table go with one type after the other, named ones with all. */
static at_status add_problems(at__execute *e, const at__executing *w, const at__op *op, at_error *err)
{
    const char *types[AT__MAX_WORDS], *shape = NULL;
    const int type_count = at__types_to_check(types, w->types, op);
    at_status status = AT_OK;
    for (int s = 0; s < w->shapes->count; s++)
        for (int k = 0; k < type_count && status == AT_OK; k++)
            status = add_problem(e, w, op, w->shapes->items[s], types[k], err);
    for (int s = 0; !w->shapes->count && type_count && status == AT_OK && at__execute_shape(&shape, s); s++)
        status = add_problem(e, w, op, shape, types[s % type_count], err);
    return status;
}

static at_status execute_op(at__executed_total *total, const at__executing *w, const at__op *op,
                            at_error *err)
{
    const at__execute_options o = { .catalog = w->catalog,
                                    .nvrtc = w->nvrtc,
                                    .cancel = &at__cancel_requested,
                                    .cc = w->cc,
                                    .seed = (uint64_t)w->seed,
                                    .configs = w->configs };
    at__execute *e = NULL;
    at_status status = at__execute_open(&e, &o, err);
    if (status == AT_OK)
        status = add_problems(e, w, op, err);
    for (int i = 0; i < at__catalog_template_count(w->catalog, op) && status == AT_OK; i++) {
        at__executed x = { .t = NULL };
        const at__template *t = at__catalog_template(w->catalog, op, i);
        if (!at__words_choose(w->templates, t->name) || at__cancel_requested ||
            (w->added_only && !at__catalog_is_added(w->catalog, t)))
            continue;
        status = at__execute_template(&x, e, t, err);
        if (status == AT_OK && w->format == AT__JSON)
            print_json(&x);
        else if (status == AT_OK)
            print_text(&x, !w->shapes->count);
        total->wrong += x.wrong > 0;
        total->run += x.configs;
        total->not_run += x.refused;
        at__executed_clear(&x);
    }
    if (status == AT_OK && w->format == AT__TEXT)
        print_left_out(op, e);
    at__execute_close(e);
    return status;
}

/* What did not run is not proven, and must not read as if it were: also where no line is of it. */
static void warn_of_not_run(const at__executed_total *total)
{
    char text[160];
    if (total->not_run)
        snprintf(text, sizeof text,
                 "%" PRId64 " configuration%s not run: whether %s right is not known. `tune` proves on a GPU",
                 total->not_run, plural(total->not_run), total->not_run == 1 ? "it is" : "they are");
    else
        snprintf(text, sizeof text, "nothing was run: no template suits these shapes and types; name others");
    if (total->not_run || (!total->run && !total->wrong))
        at__warn(text);
}

int at__executed_code(const at__executed_total *total)
{
    return total->wrong ? AT__EXIT_UNSOUND : total->not_run || !total->run ? AT__EXIT_NOTHING : AT__EXIT_OK;
}

at_status at__execute_and_print(at__executed_total *total, const at__executing *w, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < at__catalog_op_count(w->catalog) && status == AT_OK; i++) {
        const at__op *op = at__catalog_op(w->catalog, i);
        if (at__words_choose(w->ops, op->name) && !op->recorded &&
            (!w->added_only || at__catalog_has_added(w->catalog, op)))
            status = execute_op(total, w, op, err);
    }
    if (status == AT_OK && !at__cancel_requested)
        warn_of_not_run(total);
    return status;
}
