/*
 * declare_metric.c - the lines `metric` of an op: figures of the user's, made from what is measured.
 *
 * An expression is read once, with the names that are known at its line: the op's own first, then figures,
 * then the metrics above it. Limits of the device are none of them: a result is also shown where its device
 * is not.
 */
#include "lang/declare_parts.h"

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
};

static bool is_name(const char *known, const char *name, size_t len)
{
    return strlen(known) == len && memcmp(known, name, len) == 0;
}

static bool is_of_device(const at__op *op, int slot)
{
    return slot >= op->device_slot && slot < op->device_slot + AT__LIMIT_COUNT;
}

static int find(const void *context, const char *name, size_t len)
{
    const at__op *op = context;
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

/* Figures first: they are what is most often meant. */
static const char *known_name(const void *context, int i)
{
    const at__op *op = context;
    if (i < AT__FIGURES)
        return at__figure_names[i];
    i -= AT__FIGURES;
    if (i < op->metric_count)
        return op->metrics[i].name;
    i -= op->metric_count;
    return i < op->symbols.count ? op->symbols.names[i].name : NULL;
}

static at_status read_name(char out[AT__MAX_NAME], const at__op *op, at__lines *lines)
{
    const char *at = lines->at;
    at_status status = at__read_plain_name(out, lines);
    if (status != AT_OK)
        return status;
    if (strcmp(out, "time") == 0 || find(op, out, strlen(out)) >= 0)
        return at__lines_fail(lines, at, "found '%s', which is a name already; expected a new one", out);
    if (op->metric_count == AT__MAX_METRICS)
        return at__lines_fail(lines, at, "found more than %d metrics; expected fewer", AT__MAX_METRICS);
    return at__lines_take(lines, "=", NULL);
}

at_status at__read_metric(at__op *op, at__lines *lines)
{
    const at__scope scope = { .find = find, .context = op, .name = known_name };
    at__metric m = { 0 };
    at__where where = at__lines_where(lines, lines->at);
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

void at__metrics_clear(at__op *op)
{
    for (int i = 0; i < op->metric_count; i++) {
        at__expr_close(op->metrics[i].expr);
        free(op->metrics[i].meaning);
    }
}
