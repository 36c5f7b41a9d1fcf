/* front.c - see front.h. */
#include "lang/front.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    atx_figure figure;
} FIGURES[] = { { "time", ATX_FIGURE_SECONDS },
                { "energy_j", ATX_FIGURE_JOULES },
                { "registers", ATX_FIGURE_REGISTERS },
                { "shared_bytes", ATX_FIGURE_SHARED_BYTES },
                { "spill_bytes", ATX_FIGURE_SPILLED_BYTES } };
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

static at_status unknown(const char *text, size_t len, const atx_op *op, at_error *err)
{
    ATX_LOCAL(atx_str) names = { 0 };
    for (int i = 0; i < FIGURE_COUNT; i++)
        atx_str_addf(&names, "%s%s", i ? ", " : "", FIGURES[i].name);
    for (int i = 0; op && i < op->goal.metric_count; i++)
        atx_str_addf(&names, ", %s", op->goal.metrics[i].name);
    atx_fail(err, AT_ERR_USAGE, "--front: found '%.*s'; expected some of %s", (int)len, text,
             atx_str_text(&names));
    return AT_ERR_USAGE;
}

static bool is_name(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && memcmp(name, text, len) == 0;
}

static at_status add(atx_front *out, const char *text, size_t len, const atx_op *op, at_error *err)
{
    struct atx_front_figure f = { .metric = -1 };
    bool known = false;
    for (int i = 0; i < FIGURE_COUNT && !known; i++)
        if ((known = is_name(FIGURES[i].name, text, len)))
            f.figure = FIGURES[i].figure;
    for (int i = 0; op && i < op->goal.metric_count && !known; i++)
        if ((known = is_name(op->goal.metrics[i].name, text, len)))
            f.metric = i;
    if (!known)
        return unknown(text, len, op, err);
    snprintf(f.name, sizeof f.name, "%.*s", (int)len, text);
    if (out->count == ATX_MAX_FRONT)
        return atx_fail(err, AT_ERR_USAGE, "--front: found more than %d figures", ATX_MAX_FRONT);
    for (int i = 0; i < out->count; i++)
        if (strcmp(out->of[i].name, f.name) == 0)
            return atx_fail(err, AT_ERR_USAGE, "--front: %s is there twice", f.name);
    out->of[out->count++] = f;
    return AT_OK;
}

at_status atx_front_parse(atx_front *out, const char *text, const atx_op *op, at_error *err)
{
    *out = (atx_front){ .count = 0 };
    for (const char *at = text; at;) {
        const size_t len = strcspn(at, ",");
        ATX_TRY(add(out, at, len, op, err));
        at = at[len] ? at + len + 1 : NULL;
    }
    if (out->count < 2)
        return atx_fail(err, AT_ERR_USAGE, "--front: found '%s'; expected at least two: time,registers",
                        text);
    return AT_OK;
}

bool atx_front_reads(const atx_front *front, atx_figure figure)
{
    for (int i = 0; i < front->count; i++)
        if (front->of[i].metric < 0 && front->of[i].figure == figure)
            return true;
    return false;
}

static double figure_of(const atx_record *r, atx_figure figure)
{
    int64_t count = -1;
    if (figure == ATX_FIGURE_SECONDS || figure == ATX_FIGURE_JOULES) {
        const double value = figure == ATX_FIGURE_JOULES ? r->timing->joules : r->timing->median_s;
        return value > 0 ? value : NAN;
    }
    count = figure == ATX_FIGURE_REGISTERS       ? r->resources->registers
            : figure == ATX_FIGURE_SHARED_BYTES  ? r->resources->shared_bytes
            : figure == ATX_FIGURE_SPILLED_BYTES ? r->resources->spill_bytes
                                                 : -1;
    return count >= 0 ? (double)count : NAN;
}

static double value_of(const struct atx_front_figure *f, const atx_problem *problem, const atx_record *record)
{
    double value = NAN;
    if (f->metric < 0)
        return figure_of(record, f->figure);
    return atx_metric_value(&value, problem, f->metric, record, NULL) == AT_OK ? value : (double)NAN;
}

bool atx_front_values(double *values, const atx_front *front, const atx_problem *problem,
                      const atx_record *record)
{
    bool known = true;
    for (int i = 0; i < front->count; i++) {
        values[i] = value_of(&front->of[i], problem, record);
        known = known && isfinite(values[i]);
    }
    return known;
}

static bool beats(const double *a, const double *b, int count, bool if_equal)
{
    bool better = if_equal;
    for (int k = 0; k < count; k++) {
        if (a[k] > b[k])
            return false;
        better |= a[k] < b[k];
    }
    return better;
}

void atx_front_choose(bool *on, const double *values, size_t rows, int count)
{
    for (size_t i = 0; i < rows; i++) {
        on[i] = true;
        for (size_t k = 0; k < rows && on[i]; k++)
            on[i] = k == i || !beats(values + k * (size_t)count, values + i * (size_t)count, count, k < i);
    }
}

/* None of a thing is better than one of it, but not by any factor. */
static double factor(double value)
{
    return value < 1 ? 0.5 : value;
}

double atx_front_score(const atx_front *front, int other, double weight, const atx_problem *problem,
                       const atx_record *record)
{
    const double first = value_of(&front->of[0], problem, record);
    const struct atx_front_figure *f = &front->of[other];
    double second = value_of(f, problem, record);
    if (f->metric < 0 && f->figure != ATX_FIGURE_SECONDS && f->figure != ATX_FIGURE_JOULES)
        second = factor(second);
    const double score = exp((1 - weight) * log(first) + weight * log(second));
    return score > 0 && isfinite(score) ? score : (double)INFINITY;
}
