/*
 * one_problem.h - the trials that a file of another tuner has a place for: of one problem, on one device,
 * under one driver. Private to the formats that `autotune dump` writes.
 */
#pragma once

#include "db/store.h"

enum { ATX_EXACT_DIGITS = 15 }; /* survive the way through text and back */

typedef struct atx_one_problem {
    atx_store *store;
    const atx_dump_options *options;
    atx_str op, shape, type_key;
    int problems;          /* that the options leave */
    atx_str template_name; /* of the first trial that is written */
    int64_t trials;
    bool other_device, other_template;
    atx_fingerprint conditions; /* of the newest trial: others say nothing new of a configuration */
    char newest[32];            /* when that was */
} atx_one_problem;

/*
 * The problem, device and template that the options choose. AT_ERR_INPUT: they leave several problems or
 * devices. AT_ERR_NOT_FOUND: they leave no trial. Clear it in any case.
 */
at_status atx_one_problem_choose(atx_one_problem *out, atx_store *store, const atx_dump_options *options,
                                 at_error *err) AT_MUST_CHECK;
void atx_one_problem_clear(atx_one_problem *c);

/* Its trials, of the newest driver, NVRTC and version, the fastest first. */
at_status atx_one_problem_each(const atx_one_problem *c, atx_trial_visit *row, void *context,
                               at_error *err) AT_MUST_CHECK;

/*
 * A file: a line for the head, one for each trial, behind commas, and one for the end. add(out, self, row)
 * adds a trial.
 */
typedef struct atx_problem_file {
    const atx_str *head;
    void (*add)(atx_str *out, const void *self, const atx_trial_row *row);
    const void *self;
    const char *end;
} atx_problem_file;
at_status atx_one_problem_write(const atx_one_problem *c, const atx_problem_file *file, atx_line_sink *sink,
                                void *context, at_error *err) AT_MUST_CHECK;

/* "TILE=32 ORDER=fast", one after the other. */
typedef struct atx_setting_text {
    const char *name;
    size_t name_len;
    const char *value;
    size_t value_len;
} atx_setting_text;
bool atx_next_setting(atx_setting_text *out, const char **at);

/* As members of an object. */
void atx_add_settings(atx_str *out, const char *config);

/* A setting's name as that of a member; its value comes next. */
void atx_add_setting_name(atx_str *out, const char *name, size_t len);

/* A member of seconds as milliseconds; alone in a list. */
void atx_member_ms(atx_str *out, const char *name, double seconds);
void atx_member_ms_alone(atx_str *out, const char *name, double seconds);

/* Kernel Tuner's words, which T4 has from it. A wrong result is a failure at run time. "": it is none. */
const char *atx_failure_word(atx_outcome outcome);

/* Numbers as numbers, unless JSON does not have them ("007"); words in quotes. */
void atx_add_json_value(atx_str *out, const char *text, size_t len);
