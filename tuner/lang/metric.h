/*
 * metric.h - the metrics of an op, evaluated for the measurement of a configuration.
 *
 * A metric is a function of stored figures and of the current declaration; it is not stored. Pure, safe to
 * call from several threads.
 */
#pragma once

#include "lang/problem.h"
#include "lang/record.h"

/* The measurements of one configuration. Borrowed. */
typedef struct atx_record {
    const atx_timing *timing;
    const atx_resources *resources;
    const char *config; /* "TILE=32 ORDER=by_row", as stored; "": parameters are not known */
} atx_record;

/* Of a winner, a stored trial: whatever has these three members. Lives as long as the block it stands in. */
#define ATX_RECORD_OF(x) (&(atx_record){ &(x)->timing, &(x)->resources, (x)->config })

/*
 * Metric number `metric` of the problem's op. AT_ERR_INPUT, with the place: a figure that it reads is not
 * known (registers of an import, `ops` of an op without such a line, a parameter that this template does not
 * have, or whose value is a word other than true and false), or the arithmetic has no answer.
 */
at_status atx_metric_value(double *out, const atx_problem *problem, int metric, const atx_record *record,
                           at_error *err) AT_MUST_CHECK;

/*
 * The objective, as a number above zero that is better the smaller it is: the time, or the op's
 * objective, of which a larger-is-better one counts as its reciprocal. AT_ERR_INPUT, with the place: it has
 * no value, or none above zero.
 */
at_status atx_score(double *out, const atx_problem *problem, const atx_record *record,
                    at_error *err) AT_MUST_CHECK;

/* The same; INFINITY: it has none. */
double atx_score_or_none(const atx_problem *problem, const atx_record *record);

/* Does a metric of the op read it? */
bool atx_reads_figure(const atx_op *op, atx_figure figure);
