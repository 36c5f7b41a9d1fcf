/* metrics.c - one value, six forms. */
#include "cli/metrics.h"

#include "util/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns are at least so wide: six digits, a sign, a point and an exponent. */
enum { LEAST_WIDTH = 11 };

/* NaN: it has none. */
static double value_of(const at__problem *problem, int metric, const at__record *r)
{
    double value = NAN;
    return at__metric_value(&value, problem, metric, r, NULL) == AT_OK ? value : NAN;
}

static const char *text_of(char out[32], double value)
{
    snprintf(out, 32, "%.6g", value);
    return isnan(value) ? "-" : out;
}

static int width_of(const at__metric *m)
{
    int len = (int)strlen(m->name);
    return len > LEAST_WIDTH ? len : LEAST_WIDTH;
}

void at__metrics_member(at__str *out, const at__problem *problem, const at__record *r)
{
    if (!problem->op->metric_count)
        return;
    at__member_name(out, "metrics");
    at__str_add(out, "{");
    for (int i = 0; i < problem->op->metric_count; i++)
        at__member_real(out, problem->op->metrics[i].name, 6, value_of(problem, i, r));
    at__str_add(out, "}");
}

void at__metrics_csv_head(at__str *out, const at__op *op)
{
    for (int i = 0; i < op->metric_count; i++)
        at__str_addf(out, ",%s", op->metrics[i].name);
}

void at__metrics_csv_fields(at__str *out, const at__problem *problem, const at__record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->metric_count; i++) {
        double value = value_of(problem, i, r);
        at__field_text(out, isnan(value) ? "" : text_of(text, value));
    }
}

void at__metrics_text_head(at__str *out, const at__op *op)
{
    for (int i = 0; i < op->metric_count; i++)
        at__str_addf(out, " %*s", width_of(&op->metrics[i]), op->metrics[i].name);
}

void at__metrics_text_columns(at__str *out, const at__problem *problem, const at__record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->metric_count; i++)
        at__str_addf(out, " %*s", width_of(&problem->op->metrics[i]), text_of(text, value_of(problem, i, r)));
}

void at__metrics_lines(at__str *out, const at__problem *problem, const at__record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->metric_count; i++)
        at__str_addf(out, "  %-14s %s\n", problem->op->metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
}

void at__metrics_phrase(at__str *out, const at__problem *problem, const at__record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->metric_count; i++)
        at__str_addf(out, "%s%s %s", i ? "; " : "", problem->op->metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
}

void at__metrics_words(at__str *out, const at__problem *problem, const at__record *r)
{
    char text[32];
    for (int i = 0; i < problem->op->metric_count; i++)
        at__str_addf(out, "%s%s=%s", i ? " " : "", problem->op->metrics[i].name,
                     text_of(text, value_of(problem, i, r)));
}

void at__metrics_note(at__str *out, const at__problem *problem, const at__record *r)
{
    char text[32];
    int i = problem->op->objective - 1;
    if (i >= 0)
        at__str_addf(out, "  [%s %s]", problem->op->metrics[i].name, text_of(text, value_of(problem, i, r)));
}
