/*
 * declare_metric.c - the lines `metric` and `objective` of an op: the user's figures, computed from measured
 * ones.
 *
 * An expression is read once, with the names that are known at its line: the op's own first, then figures,
 * then the metrics above it. Device limits are not among them, since a result is also shown on machines
 * without its device. `param.NAME` is a parameter of templates, which are read later; the catalog checks it
 * then.
 */
#include "declare/declare_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/str.h"

const char *const atx_figure_names[ATX_FIGURES] = {
    [ATX_FIGURE_SECONDS] = "median_s",
    [ATX_FIGURE_REGISTERS] = "registers",
    [ATX_FIGURE_SHARED_BYTES] = "shared_bytes",
    [ATX_FIGURE_SPILLED_BYTES] = "spill_bytes",
    [ATX_FIGURE_OPS] = "ops",
    [ATX_FIGURE_TRAFFIC] = "traffic",
    [ATX_FIGURE_JOULES] = "energy_j",
};

static bool is_name(const char *known, const char *name, size_t len)
{
    return strlen(known) == len && memcmp(known, name, len) == 0;
}

static bool is_of_device(const atx_op *op, int slot)
{
    return slot >= op->scope.device_slot && slot < op->scope.device_slot + ATX_LIMIT_COUNT;
}

/* A parameter is taken down when it is first named; there are slots for a few. -1: for no more. */
static int find_param(atx_op *op, const atx_where *where, const char *name, size_t len)
{
    for (int i = 0; i < op->goal.metric_param_count; i++)
        if (is_name(op->goal.metric_params[i].name, name, len))
            return ATX_METRIC_PARAM_SLOT + i;
    if (len == 0 || len >= ATX_MAX_NAME || op->goal.metric_param_count == ATX_MAX_METRIC_PARAMS)
        return -1;
    atx_metric_param *p = &op->goal.metric_params[op->goal.metric_param_count];
    *p = (atx_metric_param){ .where = *where };
    memcpy(p->name, name, len);
    return ATX_METRIC_PARAM_SLOT + op->goal.metric_param_count++;
}

/* The context of a metric's expression: the op, which notes parameters, and the line. */
typedef struct reading {
    atx_op *op;
    atx_where where;
} reading;

static int find_known(const atx_op *op, const char *name, size_t len)
{
    int slot = atx_symbols_find(&op->scope.symbols, name, len);
    if (slot >= 0)
        return is_of_device(op, slot) ? -1 : slot;
    for (int i = 0; i < ATX_FIGURES; i++)
        if (is_name(atx_figure_names[i], name, len))
            return ATX_FIGURE_SLOT + i;
    for (int i = 0; i < op->goal.metric_count; i++)
        if (is_name(op->goal.metrics[i].name, name, len))
            return ATX_METRIC_SLOT + i;
    return -1;
}

static int find(const void *context, const char *name, size_t len)
{
    static const char PREFIX[] = "param.";
    const reading *r = context;
    size_t n = sizeof PREFIX - 1;
    int slot = find_known(r->op, name, len);
    if (slot < 0 && len > n && memcmp(name, PREFIX, n) == 0)
        return find_param(r->op, &r->where, name + n, len - n);
    return slot;
}

/* Figures first: they are meant most often. */
static const char *known_name(const void *context, int i)
{
    const atx_op *op = ((const reading *)context)->op;
    if (i < ATX_FIGURES)
        return atx_figure_names[i];
    i -= ATX_FIGURES;
    if (i < op->goal.metric_count)
        return op->goal.metrics[i].name;
    i -= op->goal.metric_count;
    return i < op->scope.symbols.count ? atx_symbol_name(&op->scope.symbols, i) : NULL;
}

static const char *read_name(char out[ATX_MAX_NAME], const atx_op *op, atx_lines *lines)
{
    const char *at = atx_read_plain_name(out, lines);
    if (strcmp(out, "time") == 0 || find_known(op, out, strlen(out)) >= 0)
        atx_lines_fail(lines, at, "found '%s', which is a name already; expected a new one", out);
    if (op->goal.metric_count == ATX_MAX_METRICS)
        atx_lines_fail(lines, at, "found more than %d metrics; expected fewer", ATX_MAX_METRICS);
    atx_lines_take(lines, "=", NULL);
    return at;
}

void atx_read_metric(atx_lines *lines, void *target)
{
    atx_op *op = target;
    atx_metric m = { 0 };
    m.where = atx_lines_where(lines, read_name(m.name, op, lines));
    const reading r = { .op = op, .where = m.where };
    m.expr = atx_lines_expr_of(lines, &(atx_scope){ .find = find, .context = &r, .name = known_name });
    m.meaning = atx_lines_comment(lines);
    if (m.expr && m.meaning) {
        op->goal.metrics[op->goal.metric_count++] = m;
        return;
    }
    atx_expr_close(m.expr);
    free(m.meaning);
}

void atx_read_objective(atx_lines *lines, void *target)
{
    atx_op *op = target;
    char name[ATX_MAX_NAME];
    const char *at = atx_read_plain_name(name, lines);
    if (strcmp(name, "time") == 0)
        return;
    for (int i = 0; i < op->goal.metric_count; i++)
        if (strcmp(op->goal.metrics[i].name, name) == 0)
            op->goal.objective = i + 1;
    if (!op->goal.objective)
        atx_lines_fail(lines, at, "found '%s'; expected time, or the name of a metric above", name);
    op->goal.objective_max = atx_lines_skip_word(lines, "max");
}

/* Its sources, in the order of the lines: a metric that it does not read may change. */
at_status atx_write_objective(atx_op *op, at_error *err)
{
    bool reads[ATX_MAX_METRICS] = { false };
    ATX_LOCAL(atx_str) out = { 0 };
    const char *separator = "";
    int chosen = op->goal.objective - 1;
    atx_str_add(&out, "");
    if (chosen >= 0) {
        reads[chosen] = true;
        atx_str_addf(&out, "%s %s (", op->goal.objective_max ? "max" : "min", op->goal.metrics[chosen].name);
    }
    for (int i = chosen; i > 0; i--)
        for (int k = 0; k < i && reads[i]; k++)
            reads[k] |= atx_expr_reads(op->goal.metrics[i].expr, ATX_METRIC_SLOT + k);
    for (int i = 0; i <= chosen; i++)
        if (reads[i]) {
            atx_str_addf(&out, "%s%s = %s", separator, op->goal.metrics[i].name,
                         atx_expr_text(op->goal.metrics[i].expr));
            separator = ", ";
        }
    atx_str_add(&out, chosen >= 0 ? ")" : "");
    op->goal.objective_text = atx_text_copy(atx_str_text(&out), out.len);
    bool whole = !out.failed && op->goal.objective_text;
    return whole ? AT_OK : atx_no_memory(err);
}

void atx_metrics_clear(atx_op *op)
{
    free(op->goal.objective_text);
    for (int i = 0; i < op->goal.metric_count; i++) {
        atx_expr_close(op->goal.metrics[i].expr);
        free(op->goal.metrics[i].meaning);
    }
}
