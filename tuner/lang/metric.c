/*
 * metric.c - slots of real numbers: the op's, bound for the problem without a device; then the figures; then
 * the metrics above, of which those without a value are unknown; then parameters, read from the text of the
 * configuration, since a stored result may be of a template that is no longer here.
 */
#include "lang/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double known(int64_t count)
{
    return count >= 0 ? (double)count : NAN;
}

/* A number of the declaration; not known where it does not say it. */
static at_status declared(double *out, const atx_expr *expr, const int64_t *slots, at_error *err)
{
    int64_t value = -1;
    at_status status = expr ? atx_expr_eval(&value, expr, slots, err) : AT_OK;
    *out = known(value);
    return status;
}

/* A number, or the word for one; of other words only their template knows the numbers. */
static double number_of(const char *text, size_t len)
{
    char *end = NULL;
    long long value = strtoll(text, &end, 10);
    if (len && end == text + len)
        return (double)value;
    bool yes = len == 4 && memcmp(text, "true", len) == 0, no = len == 5 && memcmp(text, "false", len) == 0;
    return yes ? 1 : no ? 0 : NAN;
}

/* Of "TILE=32 ROWS=8"; NaN: it is not there. */
static double parameter(const char *config, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = config; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        if (len > n && at[n] == '=' && memcmp(at, name, n) == 0)
            return number_of(at + n + 1, len - n - 1);
        at += len;
    }
    return NAN;
}

static at_status bind(double *real, const atx_problem *problem, const atx_record *record, at_error *err)
{
    const atx_timing *timing = record->timing;
    const atx_resources *r = record->resources;
    const atx_op *op = problem->op;
    static const atx_limits NO_DEVICE = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    double *figures = real + ATX_FIGURE_SLOT;
    ATX_TRY(atx_problem_bind(slots, problem, &NO_DEVICE, err));
    ATX_TRY(declared(&figures[ATX_FIGURE_OPS], op->goal.ops, slots, err));
    ATX_TRY(declared(&figures[ATX_FIGURE_TRAFFIC], op->goal.traffic, slots, err));
    for (int i = 0; i < op->scope.symbols.count; i++)
        real[i] = (double)slots[i];
    for (int i = 0; i < op->goal.metric_param_count; i++)
        real[ATX_METRIC_PARAM_SLOT + i] = parameter(record->config, op->goal.metric_params[i].name);
    figures[ATX_FIGURE_SECONDS] = timing->median_s > 0 ? timing->median_s : NAN;
    figures[ATX_FIGURE_JOULES] = timing->joules > 0 ? timing->joules : NAN;
    figures[ATX_FIGURE_REGISTERS] = known(r->registers);
    figures[ATX_FIGURE_SHARED_BYTES] = known(r->shared_bytes);
    figures[ATX_FIGURE_SPILLED_BYTES] = known(r->spill_bytes);
    return AT_OK;
}

at_status atx_metric_value(double *out, const atx_problem *problem, int metric, const atx_record *record,
                           at_error *err)
{
    double real[ATX_REAL_SLOTS];
    const atx_metric *m = problem->op->goal.metrics;
    ATX_TRY(bind(real, problem, record, err));
    for (int i = 0; i < metric; i++)
        if (atx_expr_eval_real(&real[ATX_METRIC_SLOT + i], m[i].expr, real, NULL) != AT_OK)
            real[ATX_METRIC_SLOT + i] = NAN;
    return atx_expr_eval_real(out, m[metric].expr, real, err);
}

at_status atx_score(double *out, const atx_problem *problem, const atx_record *record, at_error *err)
{
    const atx_op *op = problem->op;
    double value = 0;
    at_error cause = { 0 };
    if (!op->goal.objective) {
        *out = record->timing->median_s;
        return AT_OK;
    }
    const atx_metric *m = &op->goal.metrics[op->goal.objective - 1];
    if (atx_metric_value(&value, problem, op->goal.objective - 1, record, &cause) != AT_OK)
        return atx_fail(err, AT_ERR_INPUT, "the objective %s has no value: %s", m->name, cause.text);
    double score = op->goal.objective_max ? 1 / value : value;
    if (!(value > 0) || !isfinite(score) || !(score > 0))
        return atx_fail_at(err, m->where, "the objective %s is %.6g; expected a value above zero", m->name,
                           value);
    *out = score;
    return AT_OK;
}

double atx_score_or_none(const atx_problem *problem, const atx_record *record)
{
    double score = INFINITY;
    return atx_score(&score, problem, record, NULL) == AT_OK ? score : (double)INFINITY;
}

bool atx_reads_figure(const atx_op *op, atx_figure figure)
{
    for (int i = 0; i < op->goal.metric_count; i++)
        if (atx_expr_reads(op->goal.metrics[i].expr, ATX_FIGURE_SLOT + (int)figure))
            return true;
    return false;
}
