/* import_trials.h - a trial of another tuner, from the JSON that it stands in. Private to import_*.c. */
#pragma once

#include "exchange/import_file.h"

/* A parameter and its value, in a configuration. */
typedef struct atx_import_setting {
    uint32_t name, value;
} atx_import_setting;

/* A new trial, of the result at `node`: failed, until a time is taken. */
at_status atx_import_add_trial(atx_import_trial **out, atx_import_file *file, uint32_t node,
                               at_error *err) AT_MUST_CHECK;

/* Reads the parameters among the members of an object; others are left alone. */
at_status atx_import_read_places(atx_import_trial *trial, atx_import_file *file, uint32_t object,
                                 at_error *err) AT_MUST_CHECK;

/* The same for a configuration that is no object of its own. */
at_status atx_import_read_settings(atx_import_trial *trial, atx_import_file *file,
                                   const atx_import_setting *settings, int count,
                                   at_error *err) AT_MUST_CHECK;

/* The objective: a number of time units, or a text that says what went wrong. */
void atx_import_take_time(atx_import_trial *trial, const atx_json *json, uint32_t node, double unit_s);
void atx_import_set_failure(atx_import_trial *trial, const atx_json *json, uint32_t node);

/* Minimum and spread of the repetitions. */
void atx_import_take_samples(atx_import_trial *trial, const atx_json *json, uint32_t node, double unit_s);

/* "2023-12-22 09:54:05.502007+00:00" as "2023-12-22T09:54:05Z". */
void atx_import_take_timestamp(atx_import_trial *trial, const atx_json *json, uint32_t node);

double atx_import_number_or(const atx_json *json, uint32_t node, double other);

/* The unit that a text names. *out stays where there is none, or "". */
at_status atx_import_read_unit(double *out, const atx_json *json, uint32_t node, at_error *err) AT_MUST_CHECK;

/* Values of a parameter that was not declared, in ascending order: neighbours mean something. Words stay as
 * found. */
at_status atx_import_sort_values(atx_import_file *file, int param, at_error *err) AT_MUST_CHECK;
