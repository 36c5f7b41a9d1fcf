/* metric_text.c - one value, five forms. */
#include "lang/metric_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns are at least so wide: six digits, a sign, a point and an exponent. */
enum { LEAST_WIDTH = 11 };

/* NaN: it has none. */
static double value_of(const atx_problem *problem, int metric, const atx_record *r)
{
    double value = NAN;
    return atx_metric_value(&value, problem, metric, r, NULL) == AT_OK ? value : NAN;
}

static const char *text_of(char out[32], double value)
{
    snprintf(out, 32, "%.6g", value);
    return isnan(value) ? "-" : out;
}

static int width_of(const atx_metric *m)
{
    int len = (int)strlen(m->name);
    return len > LEAST_WIDTH ? len : LEAST_WIDTH;
}

void atx_metrics_text_head(atx_str *out, const atx_op *op)
{
    for (int i = 0; i < op->goal.metric_count; i++)
        atx_str_addf(out, " %*s", width_of(&op->goal.metrics[i]), op->goal.metrics[i].name);
}

void atx_metrics_text_columns(atx_str *out, const atx_problem *problem, const atx_record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->goal.metric_count; i++)
        atx_str_addf(out, " %*s", width_of(&problem->op->goal.metrics[i]),
                     text_of(text, value_of(problem, i, r)));
}

void atx_metrics_lines(atx_str *out, const atx_problem *problem, const atx_record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->goal.metric_count; i++)
        atx_str_addf(out, "  %-14s %s\n", problem->op->goal.metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
}

void atx_metrics_phrase(atx_str *out, const atx_problem *problem, const atx_record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->goal.metric_count; i++)
        atx_str_addf(out, "%s%s %s", i ? "; " : "", problem->op->goal.metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
}

void atx_metrics_row(atx_row *row, const atx_problem *problem, const atx_record *r)
{
    char text[32];
    const int count = problem ? problem->op->goal.metric_count : 0;
    if (row->form == ATX_ROW_MEMBERS) {
        atx_row_open(row, "metrics");
        for (int i = 0; i < count; i++)
            atx_row_real(row, problem->op->goal.metrics[i].name, 6, r ? value_of(problem, i, r) : NAN);
        atx_row_close(row);
        return;
    }
    ATX_LOCAL(atx_str) words = { 0 };
    for (int i = 0; r && i < count; i++)
        atx_str_addf(&words, "%s%s=%s", i ? " " : "", problem->op->goal.metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
    atx_row_text(row, "metrics", atx_str_text(&words));
    row->out->failed |= words.failed;
}

void atx_metrics_note(atx_str *out, const atx_problem *problem, const atx_record *r)
{
    char text[32];
    int i = problem->op->goal.objective - 1;
    if (i >= 0)
        atx_str_addf(out, "  [%s %s]", problem->op->goal.metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
}
