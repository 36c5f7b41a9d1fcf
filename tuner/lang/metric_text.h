/*
 * metric_text.h - the metrics of an op beside its results. A metric without a value (an unknown input) is
 * null in JSON and '-' elsewhere.
 */
#pragma once

#include "lang/metric.h"
#include "util/rows.h"

/* "metrics": an object of numbers, or the field "NAME=VALUE NAME=VALUE"; NULL: nothing was measured. */
void atx_metrics_row(atx_row *row, const atx_problem *problem, const atx_record *record);

/* " NAME" and " VALUE" of each, as wide. */
void atx_metrics_text_head(atx_str *out, const atx_op *op);
void atx_metrics_text_columns(atx_str *out, const atx_problem *problem, const atx_record *record);

/* "  [NAME VALUE]" of the objective; nothing where that is the time. */
void atx_metrics_note(atx_str *out, const atx_problem *problem, const atx_record *record);

/* "NAME VALUE; NAME VALUE" */
void atx_metrics_phrase(atx_str *out, const atx_problem *problem, const atx_record *record);

/* A line "  NAME  VALUE" of each. */
void atx_metrics_lines(atx_str *out, const atx_problem *problem, const atx_record *record);
