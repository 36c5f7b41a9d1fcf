/* import_trials.h - a trial of another tuner, from the JSON that it stands in. Private to import_*.c. */
#ifndef AUTOTUNE_IMPORT_TRIALS_H
#define AUTOTUNE_IMPORT_TRIALS_H

#include "exchange/import_file.h"

/* A new trial, of the result at `node`: failed, until a time is taken. */
at_status atx_import_add_trial(atx_import_trial **out, atx_import_file *file, uint32_t node,
                               at_error *err) AT_MUST_CHECK;

/* Reads the parameters among the members of an object; others are left alone. */
at_status atx_import_read_places(atx_import_trial *trial, atx_import_file *file, uint32_t object,
                                 at_error *err) AT_MUST_CHECK;

/* The objective: a number of time units, or a text that says what went wrong. */
void atx_import_take_time(atx_import_trial *trial, const atx_json *json, uint32_t node, double unit_s);
void atx_import_set_failure(atx_import_trial *trial, const atx_json *json, uint32_t node);

/* Minimum and spread of the repetitions. */
void atx_import_take_samples(atx_import_trial *trial, const atx_json *json, uint32_t node, double unit_s);

/* "2023-12-22 09:54:05.502007+00:00" as "2023-12-22T09:54:05Z". */
void atx_import_take_timestamp(atx_import_trial *trial, const atx_json *json, uint32_t node);

double atx_import_number_or(const atx_json *json, uint32_t node, double other);

/* The trials of a cache file. */
at_status atx_import_read_cache(atx_import_file *file, at_error *err) AT_MUST_CHECK;

/* Of a T4 file: what its metadata say (false: out of memory), and its trials of the template file->number. */
bool atx_import_about_t4(atx_import_file *file);
at_status atx_import_read_t4(atx_import_file *file, at_error *err) AT_MUST_CHECK;

#endif
