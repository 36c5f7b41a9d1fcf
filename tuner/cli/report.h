/*
 * report.h - results on stdout, as they come: text for people, JSON lines or CSV for programs.
 */
#ifndef AUTOTUNE_REPORT_H
#define AUTOTUNE_REPORT_H

#include "cli/commands.h"
#include "tune/tune.h"

/* The head of a table: text and CSV have one. */
void atx_report_head(atx_str *out, atx_format format);

/* One result. Text: a row, and lines for ties or a reason. */
void atx_report_result(atx_str *out, atx_format format, const atx_result *result);

double atx_answer_gflop_per_s(const atx_answer *answer); /* 0: of an op without `ops` */

/* GFLOP/s as a member and as a field of CSV; no member and an empty field where there are none. */
void atx_report_gflop_member(atx_str *out, double gflop_per_s);
void atx_report_gflop_field(atx_str *out, double gflop_per_s);

/* What a kernel takes, as members; without shared memory. Below zero: unknown. */
void atx_report_resources(atx_str *out, const atx_resources *resources);

/* Totals of a run, for the summary on stderr. */
typedef struct atx_totals {
    int64_t problems, found, from_store, outcomes[ATX_OUTCOMES], compiled;
    double busy_s, open_s, saved_s; /* of the devices, as in atx_result */
    bool interrupted;
} atx_totals;
void atx_totals_add(atx_totals *totals, const atx_result *result);
void atx_report_totals(atx_str *out, const atx_totals *totals, double elapsed_s);

#endif
