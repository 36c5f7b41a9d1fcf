/*
 * metric.h - the metrics of an op, evaluated for what was measured of a configuration.
 *
 * A metric is a function of stored figures and of the declaration as it is now; it is stored nowhere. Pure,
 * safe to call from several threads.
 */
#ifndef AUTOTUNE_METRIC_H
#define AUTOTUNE_METRIC_H

#include "lang/problem.h"
#include "lang/record.h"

/* What was measured of one configuration. Borrowed. */
typedef struct at__record {
    const at__timing *timing;
    const at__resources *resources;
    const char *config; /* "TILE=32 ORDER=by_row", as stored; "": parameters are not known */
} at__record;

/* Of a winner, a stored trial: whatever has these three members. Lives as long as the block it stands in. */
#define AT__RECORD_OF(x) (&(at__record){ &(x)->timing, &(x)->resources, (x)->config })

/*
 * Metric number `metric` of the problem's op. AT_ERR_INPUT, with the place: a figure that it reads is not
 * known (registers of an import, `ops` of an op without such a line, a parameter that this template does not
 * have, or whose value is a word other than true and false), or the arithmetic has no answer.
 */
at_status at__metric_value(double *out, const at__problem *problem, int metric, const at__record *record,
                           at_error *err) AT_MUST_CHECK;

/*
 * What is tuned for, as a number above zero that is better the smaller it is: the time, or the op's
 * objective, of which a larger-is-better one counts as its reciprocal. AT_ERR_INPUT, with the place: it has
 * no value, or none above zero.
 */
at_status at__score(double *out, const at__problem *problem, const at__record *record,
                    at_error *err) AT_MUST_CHECK;

/* The same; INFINITY: it has none. */
double at__score_or_none(const at__problem *problem, const at__record *record);

/* Does a metric of the op read it? */
bool at__reads_figure(const at__op *op, at__figure figure);

#endif
