/*
 * metrics.h - the metrics of an op beside its results. One that has no value (what it reads is not known) is
 * null in JSON, an empty field in CSV, and '-' in text.
 */
#ifndef AUTOTUNE_METRICS_H
#define AUTOTUNE_METRICS_H

#include "lang/metric.h"
#include "util/str.h"

/* "metrics":{"NAME":VALUE,...}; nothing for an op that has none. */
void at__metrics_member(at__str *out, const at__problem *problem, const at__record *record);

/* ",NAME" and ",VALUE" of each: the last columns of a row. seconds 0: was not timed. */
void at__metrics_csv_head(at__str *out, const at__op *op);
void at__metrics_csv_fields(at__str *out, const at__problem *problem, const at__record *record);

/* " NAME" and " VALUE" of each, as wide. */
void at__metrics_text_head(at__str *out, const at__op *op);
void at__metrics_text_columns(at__str *out, const at__problem *problem, const at__record *record);

/* "  [NAME VALUE]" of the objective; nothing where that is the time. */
void at__metrics_note(at__str *out, const at__problem *problem, const at__record *record);

/* "NAME VALUE; NAME VALUE" */
void at__metrics_phrase(at__str *out, const at__problem *problem, const at__record *record);

/* "NAME=VALUE NAME=VALUE", for rows of several ops. */
void at__metrics_words(at__str *out, const at__problem *problem, const at__record *record);

/* A line "  NAME  VALUE" of each. */
void at__metrics_lines(at__str *out, const at__problem *problem, const at__record *record);

#endif
