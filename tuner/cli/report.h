/*
 * report.h - results on stdout, as they come: text for people, JSON lines or CSV for programs.
 */
#pragma once

#include "cli/commands.h"
#include "tune/tune.h"
#include "util/rows.h"

/* How results are written; text is a table. */
typedef struct atx_report_layout {
    atx_format format;
    size_t problem_columns; /* of the first column; 0: as few as there may be */
    size_t width;           /* of the terminal; 0: rows are single lines      */
    const atx_front *front; /* whose points stand below a result; NULL: none  */
} atx_report_layout;

/* For all results of a list of problems. */
void atx_report_fit(atx_report_layout *layout, const atx_problem *problems, size_t count);

/* The head of a table: text and CSV have one. */
void atx_report_head(atx_str *out, const atx_report_layout *layout);

/* One result. Text: a row; where it is wider than the terminal the kernel and notes are on lines of their
 * own, below the figures. */
void atx_report_result(atx_str *out, const atx_report_layout *layout, const atx_result *result);

/* A result as an answer: the winner that this run found, or none and why. */
atx_found atx_report_found(const atx_result *result);

double atx_answer_gflop_per_s(const atx_answer *answer); /* 0: of an op without `ops` */

/* The stored figures of an answer or a trial, in a row (atx_figure_visit); rates that are 0 are not known. */
void atx_report_figure(void *row, const atx_stored_figure *figure);
void atx_report_rates(atx_row *row, double gb_per_s, double gflop_per_s);

/*
 * One result for programs, walked once: an object with its schema, or a line of CSV. The heads of CSV come
 * from a walk over an item that has nothing; JSON has none.
 */
typedef void atx_row_walk(atx_row *row, const void *item);
void atx_report_row(atx_str *out, atx_format format, const char *schema, atx_row_walk *walk,
                    const void *item);
void atx_report_heads(atx_str *out, atx_format format, atx_row_walk *walk, const void *nothing);

/* Totals of a run, for the summary on stderr. */
typedef struct atx_totals {
    int64_t listed; /* problems that were asked for: after Ctrl-C more than have a result */
    int64_t problems, found, from_store, outcomes[ATX_OUTCOMES], compiled;
    double busy_s, open_s, saved_s; /* of the devices, as in atx_result */
    bool interrupted;
} atx_totals;
void atx_totals_add(atx_totals *totals, const atx_result *result);
void atx_report_totals(atx_str *out, const atx_totals *totals, double elapsed_s);
