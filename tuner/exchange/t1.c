/*
 * t1.c - see t1.h. A let that depends on parameters stands in each expression with its own text; any other is
 * a number. A parameter of words is a text in Python: where it is counted with, it is the sum of the values
 * of the words that it equals.
 */
#include "exchange/t1.h"

#include "exchange/adopt_space_internal.h"
#include "lang/launches.h"
#include "util/rows.h"

#include <inttypes.h>
#include <string.h>

typedef struct writer {
    const atx_problem *problem;
    const atx_template *t;
    int64_t slots[ATX_MAX_SLOTS]; /* with the default configuration bound */
    bool depends[ATX_MAX_SLOTS];  /* on parameters                        */
    atx_bounds bounds[ATX_MAX_SLOTS];
    atx_expr_names names;
    at_status status; /* of a let within an expression */
    at_error *err;
} writer;

/* ---- expressions ---- */

static const atx_param *param_at(const writer *w, int slot)
{
    for (int i = 0; i < w->t->scope.param_count; i++)
        if (w->t->scope.params[i].slot == slot)
            return &w->t->scope.params[i];
    return NULL;
}

static const atx_let *let_at(const writer *w, int slot)
{
    for (size_t i = 0; i < w->t->scope.let_count; i++)
        if (w->t->scope.lets[i].slot == slot)
            return &w->t->scope.lets[i];
    return NULL;
}

static void add_word_value(atx_str *out, const atx_param *p)
{
    const char *plus = "";
    atx_str_add(out, "(");
    for (int i = 0; i < p->count; i++) {
        if (!p->values[i])
            continue;
        atx_str_addf(out, "%s%" PRId64 " * (%s == '%s')", plus, p->values[i], p->name, p->labels[i]);
        plus = " + ";
    }
    atx_str_add(out, *plus ? ")" : "0)");
}

/* The first failure stays, that of a let within the expression too. */
static void add_python(atx_str *out, writer *w, const atx_expr *expr)
{
    if (w->status != AT_OK)
        return;
    const at_status status = atx_expr_add_python(out, expr, &w->names, w->err);
    w->status = w->status == AT_OK ? status : w->status;
}

static void add_let(atx_str *out, writer *w, const atx_let *let)
{
    const bool logic = atx_expr_is_logic(let->expr);
    atx_str_add(out, logic ? "(1 if " : "");
    add_python(out, w, let->expr);
    atx_str_add(out, logic ? " else 0)" : "");
}

/* Lets name earlier ones: the depth is theirs. */
static void add_name(atx_str *out, void *context, int slot)
{
    writer *w = context;
    const atx_param *p = param_at(w, slot);
    if (!w->depends[slot])
        atx_str_add_int(out, w->slots[slot]);
    else if (p && p->labels)
        add_word_value(out, p);
    else if (p)
        atx_str_add(out, p->name);
    else
        add_let(out, w, let_at(w, slot));
}

/* ORDER == ORDER_fast: ORDER == 'fast'. */
static bool add_pair(atx_str *out, void *context, int a, int b, bool differ)
{
    const atx_param *p = param_at(context, a);
    const int word = p && p->labels ? b - p->label_slot : -1;
    if (word < 0 || word >= p->count)
        return false;
    atx_str_addf(out, "(%s %s '%s')", p->name, differ ? "!=" : "==", p->labels[word]);
    return true;
}

static atx_bounds bounds_of(void *context, int slot)
{
    return ((writer *)context)->bounds[slot];
}

static void bound_param(writer *w, const atx_param *p)
{
    atx_bounds *b = &w->bounds[p->slot];
    *b = (atx_bounds){ p->values[0], p->values[0] };
    for (int i = 1; i < p->count; i++) {
        b->low = p->values[i] < b->low ? p->values[i] : b->low;
        b->high = p->values[i] > b->high ? p->values[i] : b->high;
    }
}

static void mark_depending(writer *w)
{
    const struct atx_template_scope *scope = &w->t->scope;
    for (int i = 0; i < ATX_MAX_SLOTS; i++)
        w->bounds[i] = (atx_bounds){ w->slots[i], w->slots[i] };
    for (int i = 0; i < scope->param_count; i++) {
        w->depends[scope->params[i].slot] = true;
        bound_param(w, &scope->params[i]);
    }
    for (size_t i = 0; i < scope->let_count; i++) {
        const atx_let *let = &scope->lets[i];
        w->depends[let->slot] = atx_expr_reads_any(let->expr, w->depends);
        if (w->depends[let->slot] && !atx_expr_bounds(&w->bounds[let->slot], let->expr, w->bounds))
            w->bounds[let->slot] = (atx_bounds){ INT64_MIN, INT64_MAX };
    }
}

/* Without the parentheses around all of it. */
static void write_expression(atx_str *out, writer *w, const atx_expr *expr)
{
    size_t depth = 0, closes = 0;
    add_python(out, w, expr);
    for (size_t i = 0; i < out->len && !closes; i++) {
        depth += out->data[i] == '(';
        depth -= out->data[i] == ')';
        closes = depth ? 0 : i + 1;
    }
    if (out->len && out->data[0] == '(' && closes == out->len) {
        memmove(out->data, out->data + 1, out->len -= 2);
        out->data[out->len] = '\0';
    }
}

static void add_expression(atx_str *out, writer *w, const char *name, const atx_expr *expr)
{
    ATX_LOCAL(atx_str) text = { 0 };
    write_expression(&text, w, expr);
    atx_member_text(out, name, atx_str_text(&text));
}

/* ---- the space ---- */

/* [32, 64] or ['in_fast', 'out_fast'], as a text. */
static void add_values(atx_str *out, const atx_param *p)
{
    ATX_LOCAL(atx_str) list = { 0 };
    const char *quote = p->labels ? "'" : "";
    for (int i = 0; i < p->count; i++) {
        atx_str_addf(&list, "%s%s", i ? ", " : "[", quote);
        atx_param_add_text(&list, p, p->values[i]);
        atx_str_add(&list, quote);
    }
    atx_str_add(&list, "]");
    atx_member_text(out, "Values", atx_str_text(&list));
    out->failed |= list.failed;
}

static void add_params(atx_str *out, const atx_template *t)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *p = &t->scope.params[i];
        ATX_LOCAL(atx_str) word = { 0 };
        atx_str_add(out, i ? ",\n{" : "\n{");
        atx_member_text(out, "Name", p->name);
        atx_member_text(out, "Type", p->labels ? "string" : "int");
        add_values(out, p);
        atx_param_add_text(&word, p, t->scope.defaults[i]);
        if (p->labels)
            atx_member_text(out, "Default", atx_str_text(&word));
        else
            atx_member_int(out, "Default", t->scope.defaults[i]);
        atx_str_add(out, "}");
        out->failed |= word.failed;
    }
}

/* The parameters that an expression depends on, through any number of lets. */
static void mark_params(bool *marks, const atx_template *t, const atx_expr *expr)
{
    atx_expr_mark_reads(marks, expr);
    for (size_t i = t->scope.let_count; i-- > 0;)
        if (marks[t->scope.lets[i].slot])
            atx_expr_mark_reads(marks, t->scope.lets[i].expr);
}

static void add_condition(atx_str *out, const atx_template *t, const char *text, const atx_expr *expr)
{
    bool marks[ATX_MAX_SLOTS] = { false };
    const char *comma = "";
    mark_params(marks, t, expr);
    atx_str_add(out, "{");
    atx_member_text(out, "Expression", text);
    atx_member_name(out, "Parameters");
    atx_str_add(out, "[");
    for (int i = 0; i < t->scope.param_count; i++) {
        if (!marks[t->scope.params[i].slot])
            continue;
        atx_str_addf(out, "%s\"%s\"", comma, t->scope.params[i].name);
        comma = ",";
    }
    atx_str_add(out, "]}");
}

/* One that is a number holds always or never. */
static void add_conditions(atx_str *out, writer *w)
{
    const char *comma = "\n";
    for (size_t i = 0; i < w->t->scope.require_count && w->status == AT_OK; i++) {
        const atx_expr *expr = w->t->scope.requires[i].expr;
        ATX_LOCAL(atx_str) text = { 0 };
        write_expression(&text, w, expr);
        const char *is = atx_str_text(&text);
        if (w->status == AT_OK && strcmp(is, "0") == 0) {
            w->status = atx_fail(w->err, AT_ERR_INPUT, "%s has no configuration here; none satisfies: %s",
                                 w->t->name, atx_expr_text(expr));
        } else if (is[strspn(is, "-0123456789")]) {
            atx_str_add(out, comma);
            add_condition(out, w->t, is, expr);
            comma = ",\n";
        }
    }
}

/* ---- the kernel ---- */

static void add_sizes(atx_str *out, writer *w, const char *name, atx_expr *const *sizes)
{
    static const char *const AXES[] = { "X", "Y", "Z" };
    atx_member_name(out, name);
    atx_str_add(out, "{");
    for (int i = 0; i < 3; i++) {
        if (sizes[i])
            add_expression(out, w, AXES[i], sizes[i]);
        else
            atx_member_text(out, AXES[i], "1");
    }
    atx_str_add(out, "}");
}

static void add_argument(atx_str *out, writer *w, int index)
{
    static const char *const ACCESS[] = { [ATX_SCALAR] = "ReadOnly",
                                          [ATX_INPUT] = "ReadOnly",
                                          [ATX_OUTPUT] = "WriteOnly",
                                          [ATX_INOUT] = "ReadWrite",
                                          [ATX_SCRATCH] = "ReadWrite" };
    const atx_arg *arg = atx_template_arg(w->t, index);
    atx_arg_value v = { 0 };
    if (w->status == AT_OK)
        w->status = atx_arg_value_of(&v, w->problem, w->t, index, w->slots, w->err);
    atx_str_add(out, "{");
    atx_member_text(out, "Name", arg->name);
    atx_member_text(out, "Type", atx_space_type_word(atx_arg_type(arg, w->problem->type)));
    atx_member_text(out, "MemoryType", arg->role == ATX_SCALAR ? "Scalar" : "Vector");
    atx_member_text(out, "AccessType", ACCESS[arg->role]);
    if (arg->role != ATX_SCALAR) {
        atx_member_int(out, "Size", v.elements);
        atx_member_text(out, "FillType", atx_role_is_output(arg->role) ? "Constant" : "Random");
        atx_member_int(out, "FillValue", !atx_role_is_output(arg->role));
        atx_member_int(out, "Output", atx_role_is_output(arg->role));
    } else if (atx_dtype_is_real(arg->type)) {
        atx_member_name(out, "FillValue");
        atx_str_addf(out, "%.17g", arg->expr ? atx_scalar_real(arg, v.value) : arg->real);
    } else {
        atx_member_int(out, "FillValue", v.value);
    }
    atx_str_add(out, "}");
}

static void add_kernel(atx_str *out, writer *w)
{
    const atx_step *step = &w->t->call.steps[0];
    atx_member_text(out, "Language", "CUDA");
    atx_member_text(out, "KernelName", step->kernel);
    atx_member_text(out, "KernelFile", w->t->text.file);
    atx_member_name(out, "ProblemSize");
    atx_str_add(out, "[");
    for (int i = 0; i < w->problem->op->shape.dim_count; i++)
        atx_str_addf(out, "%s%" PRId64, i ? "," : "", w->problem->dims[i]);
    atx_str_add(out, "]");
    atx_member_text(out, "GlobalSizeType", "CUDA");
    add_sizes(out, w, "GlobalSize", step->launch.grid);
    add_sizes(out, w, "LocalSize", step->launch.block);
    if (step->launch.shared)
        add_expression(out, w, "SharedMemory", step->launch.shared);
    atx_member_name(out, "Arguments");
    atx_str_add(out, "[");
    for (int i = 0; i < step->arg_count; i++) {
        atx_str_add(out, i ? ",\n" : "\n");
        add_argument(out, w, step->args[i]);
    }
    atx_str_add(out, "]");
}

/* ---- all of it ---- */

static at_status bind_defaults(writer *w, const int64_t *slots)
{
    atx_config config;
    memcpy(w->slots, slots, sizeof w->slots);
    memcpy(config.values, w->t->scope.defaults, sizeof config.values);
    return atx_config_bind(w->slots, w->t, &config, w->err);
}

static void add_all(atx_str *out, writer *w)
{
    atx_str_add(out, "{\"General\":{");
    atx_member_text(out, "BenchmarkName", w->problem->op->name);
    atx_member_text(out, "Template", w->t->name);
    atx_str_add(out, "},\n\"ConfigurationSpace\":{\"TuningParameters\":[");
    add_params(out, w->t);
    atx_str_add(out, "],\n\"Conditions\":[");
    add_conditions(out, w);
    atx_str_add(out, "]},\n\"KernelSpecification\":{");
    add_kernel(out, w);
    atx_str_add(out, "}}\n");
}

at_status atx_t1_add(atx_str *out, const atx_problem *problem, const atx_template *t, const int64_t *slots,
                     at_error *err)
{
    writer w = { .problem = problem, .t = t, .err = err };
    ATX_LOCAL(atx_str) text = { 0 };
    w.names = (atx_expr_names){ .add = add_name, .context = &w, .pair = add_pair, .bounds = bounds_of };
    if (t->call.step_count != 1)
        return atx_fail(err, AT_ERR_INPUT, "%s: found %d kernels; T1 has a place for one", t->name,
                        t->call.step_count);
    w.status = bind_defaults(&w, slots);
    mark_depending(&w);
    if (w.status == AT_OK)
        add_all(&text, &w);
    ATX_THEN(w.status, atx_str_status(&text, err));
    if (w.status == AT_OK)
        atx_str_add(out, atx_str_text(&text));
    return w.status == AT_OK ? atx_str_status(out, err) : w.status;
}
