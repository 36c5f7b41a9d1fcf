/*
 * declare_metric.c - the lines `metric` and `objective` of an op: figures of the user's, made from what is
 * measured.
 *
 * An expression is read once, with the names that are known at its line: the op's own first, then figures,
 * then the metrics above it. Limits of the device are none of them: a result is also shown where its device
 * is not. `param.NAME` is a parameter of templates, which are read later: the catalog looks for it in them.
 */
#include "declare/declare_parts.h"

#include <stdlib.h>
#include <string.h>

#include "util/str.h"

const char *const at__figure_names[AT__FIGURES] = {
    [AT__FIGURE_SECONDS] = "seconds",
    [AT__FIGURE_REGISTERS] = "registers",
    [AT__FIGURE_SHARED_BYTES] = "shared_bytes",
    [AT__FIGURE_SPILLED_BYTES] = "spilled_bytes",
    [AT__FIGURE_OPS] = "ops",
    [AT__FIGURE_TRAFFIC] = "traffic",
    [AT__FIGURE_JOULES] = "joules",
};

static bool is_name(const char *known, const char *name, size_t len)
{
    return strlen(known) == len && memcmp(known, name, len) == 0;
}

static bool is_of_device(const at__op *op, int slot)
{
    return slot >= op->device_slot && slot < op->device_slot + AT__LIMIT_COUNT;
}

/* A parameter is taken down when it is first named; there are slots for a few. -1: for no more. */
static int find_param(at__op *op, const at__where *where, const char *name, size_t len)
{
    for (int i = 0; i < op->metric_param_count; i++)
        if (is_name(op->metric_params[i].name, name, len))
            return AT__METRIC_PARAM_SLOT + i;
    if (len == 0 || len >= AT__MAX_NAME || op->metric_param_count == AT__MAX_METRIC_PARAMS)
        return -1;
    at__metric_param *p = &op->metric_params[op->metric_param_count];
    *p = (at__metric_param){ .where = *where };
    memcpy(p->name, name, len);
    return AT__METRIC_PARAM_SLOT + op->metric_param_count++;
}

/* What an expression of a metric is read with: the op, which takes parameters down, and the line. */
typedef struct reading {
    at__op *op;
    at__where where;
} reading;

static int find_known(const at__op *op, const char *name, size_t len)
{
    int slot = at__symbols_find(&op->symbols, name, len);
    if (slot >= 0)
        return is_of_device(op, slot) ? -1 : slot;
    for (int i = 0; i < AT__FIGURES; i++)
        if (is_name(at__figure_names[i], name, len))
            return AT__FIGURE_SLOT + i;
    for (int i = 0; i < op->metric_count; i++)
        if (is_name(op->metrics[i].name, name, len))
            return AT__METRIC_SLOT + i;
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

/* Figures first: they are what is most often meant. */
static const char *known_name(const void *context, int i)
{
    const at__op *op = ((const reading *)context)->op;
    if (i < AT__FIGURES)
        return at__figure_names[i];
    i -= AT__FIGURES;
    if (i < op->metric_count)
        return op->metrics[i].name;
    i -= op->metric_count;
    return i < op->symbols.count ? at__symbol_name(&op->symbols, i) : NULL;
}

static at_status read_name(char out[AT__MAX_NAME], const at__op *op, at__lines *lines)
{
    const char *at = lines->at;
    at_status status = at__read_plain_name(out, lines);
    if (status != AT_OK)
        return status;
    if (strcmp(out, "time") == 0 || find_known(op, out, strlen(out)) >= 0)
        return at__lines_fail(lines, at, "found '%s', which is a name already; expected a new one", out);
    if (op->metric_count == AT__MAX_METRICS)
        return at__lines_fail(lines, at, "found more than %d metrics; expected fewer", AT__MAX_METRICS);
    return at__lines_take(lines, "=", NULL);
}

at_status at__read_metric(at__op *op, at__lines *lines)
{
    at__metric m = { 0 };
    at__where where = at__lines_where(lines, lines->at);
    const reading r = { .op = op, .where = where };
    const at__scope scope = { .find = find, .context = &r, .name = known_name };
    at_status status = read_name(m.name, op, lines);
    if (status == AT_OK)
        status = at__lines_expr_of(&m.expr, lines, &scope);
    if (status == AT_OK)
        status = at__lines_comment(&m.meaning, lines);
    if (status != AT_OK) {
        at__expr_close(m.expr);
        return status;
    }
    m.where = where;
    op->metrics[op->metric_count++] = m;
    return AT_OK;
}

at_status at__read_objective(at__op *op, at__lines *lines)
{
    char name[AT__MAX_NAME];
    const char *at = lines->at;
    at_status status = at__read_plain_name(name, lines);
    if (status != AT_OK || strcmp(name, "time") == 0)
        return status;
    for (int i = 0; i < op->metric_count; i++)
        if (strcmp(op->metrics[i].name, name) == 0)
            op->objective = i + 1;
    if (!op->objective)
        return at__lines_fail(lines, at, "found '%s'; expected time, or the name of a metric above", name);
    if (at__lines_sees_word(lines, "max")) {
        at__lines_skip(lines, 3);
        op->objective_max = true;
    }
    return AT_OK;
}

/* What it is made of, in the order of the lines: a metric that it does not read may change. */
at_status at__write_objective(at__op *op, at_error *err)
{
    bool reads[AT__MAX_METRICS] = { false };
    at__str out = { 0 };
    const char *separator = "";
    int chosen = op->objective - 1;
    at__str_add(&out, "");
    if (chosen >= 0) {
        reads[chosen] = true;
        at__str_addf(&out, "%s %s (", op->objective_max ? "max" : "min", op->metrics[chosen].name);
    }
    for (int i = chosen; i > 0; i--)
        for (int k = 0; k < i && reads[i]; k++)
            reads[k] |= at__expr_reads(op->metrics[i].expr, AT__METRIC_SLOT + k);
    for (int i = 0; i <= chosen; i++)
        if (reads[i]) {
            at__str_addf(&out, "%s%s = %s", separator, op->metrics[i].name,
                         at__expr_text(op->metrics[i].expr));
            separator = ", ";
        }
    at__str_add(&out, chosen >= 0 ? ")" : "");
    op->objective_text = at__text_copy(at__str_text(&out), out.len);
    bool whole = !out.failed && op->objective_text;
    at__str_clear(&out);
    return whole ? AT_OK : at_fail(err, AT_ERR_MEMORY, "out of memory");
}

void at__metrics_clear(at__op *op)
{
    free(op->objective_text);
    for (int i = 0; i < op->metric_count; i++) {
        at__expr_close(op->metrics[i].expr);
        free(op->metrics[i].meaning);
    }
}
