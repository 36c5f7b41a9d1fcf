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

/* Totals of a run, for the summary on stderr. */
typedef struct at__totals {
    int64_t problems, found, from_store, outcomes[AT__OUTCOMES], compiled;
    double busy_s, open_s, saved_s; /* of the devices, as in at__result */
    bool interrupted;
} at__totals;
void at__totals_add(at__totals *totals, const at__result *result);
void at__report_totals(at__str *out, const at__totals *totals, double elapsed_s);

#endif
