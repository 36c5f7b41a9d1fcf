/*
 * answer.h - an answer for programs: members of a JSON object, or columns of CSV, from one table.
 *
 * All names are always there, in the same order; unknown values are null, or an empty field. Stored figures
 * have the names of the SQL views (db/columns.h). tuner/cli/json.md lists them, and a test reads that page.
 */
#pragma once

#include "lookup/lookup.h"
#include "util/rows.h"

/*
 * What follows in a row; `found` may be none. `device` is the name that was asked for, for that case. Without
 * a problem, and `found` none: for the heads of a table.
 */
at_status atx_answer_row(atx_row *row, const atx_found *found, const atx_problem *problem, const char *device,
                         at_error *err) AT_MUST_CHECK;

/* The same as members, behind those of an object that has been opened. */
at_status atx_answer_members(atx_str *out, const atx_found *found, const atx_problem *problem,
                             const char *device, at_error *err) AT_MUST_CHECK;
