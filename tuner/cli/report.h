/*
 * report.h - results on stdout, as they come: text for people, JSON lines or CSV for programs.
 */
#ifndef AUTOTUNE_REPORT_H
#define AUTOTUNE_REPORT_H

#include "cli/commands.h"
#include "tune/tune.h"

/* The head of a table: text and CSV have one. */
void at__report_head(at__str *out, at__format format);

/* One result. Text: a row, and lines for ties or a reason. */
void at__report_result(at__str *out, at__format format, const at__result *result);

double at__answer_gflop_per_s(const at__answer *answer); /* 0: of an op without `ops` */

/* The winner and the conditions that it was measured under, as members of a JSON object; clocks and so on
 * below zero are unknown. The problem is for its metrics. */
void at__report_answer(at__str *out, const at__answer *answer, const at__problem *problem);

/* GFLOP/s as a member and as a field of CSV; no member and an empty field where there are none. */
void at__report_gflop_member(at__str *out, double gflop_per_s);
void at__report_gflop_field(at__str *out, double gflop_per_s);

/* What a kernel takes, as members; without shared memory. Below zero: unknown. */
void at__report_resources(at__str *out, const at__resources *resources);

/* Totals of a run, for the summary on stderr. */
typedef struct at__totals {
    int64_t problems, found, from_store, outcomes[AT__OUTCOMES], compiled;
    double busy_s, open_s, saved_s; /* of the devices, as in at__result */
    bool interrupted;
} at__totals;
void at__totals_add(at__totals *totals, const at__result *result);
void at__report_totals(at__str *out, const at__totals *totals, double elapsed_s);

#endif
