/*
 * import_file.h - one file of another tuner, read: parameters, trials, and what it says about the kernel.
 * Private to import*.c.
 */
#ifndef AUTOTUNE_IMPORT_FILE_H
#define AUTOTUNE_IMPORT_FILE_H

#include "declare/declare.h"
#include "exchange/import.h"
#include "lang/record.h"
#include "util/json.h"

#define AT__IMPORT_MAX_TEMPLATES 32
#define AT__IMPORT_MAX_SIZE      (1 << 30) /* of a dimension */

typedef enum at__import_kind {
    AT__IMPORT_CACHE, /* Kernel Tuner's cache file */
    AT__IMPORT_T4,
    AT__IMPORT_T1 /* declares, records nothing */
} at__import_kind;

typedef struct at__import_value {
    char *word; /* owned; NULL: a number */
    int64_t number;
} at__import_value;

typedef struct at__import_param {
    char name[AT__MAX_NAME];
    at__import_value *values;
    size_t count, cap;
    uint32_t node; /* where it is declared */
} at__import_param;

typedef struct at__import_trial {
    uint32_t node;
    uint16_t places[AT__MAX_PARAMS]; /* of its values, among the parameters' */
    at__outcome outcome;
    at__timing timing;
    at__resources resources;
    double compile_s;
    uint32_t failure;     /* the node that says why it failed; 0: none */
    char measured_at[21]; /* "" when unknown                           */
} at__import_trial;

typedef struct at__import_file {
    const char *path; /* borrowed */
    at__import_kind kind;
    at__str text;
    at__json json;
    char kernel[128], device[128]; /* "" when it does not say */
    int64_t sizes[AT__MAX_DIMS];
    int size_count; /* 0: it does not say                     */
    at__dtype type; /* AT__DTYPES: it does not say            */
    bool fixed;     /* values were declared: there are no others */
    at__import_param params[AT__MAX_PARAMS];
    int param_count;
    at__import_trial *trials;
    size_t trial_count, trial_cap;
    bool used;   /* a declaration that a recording took                                   */
    bool own;    /* T4 of autotune's: a problem of ours, whose templates have their names */
    bool shares; /* text and JSON are those of another one, which is cleared last         */
    char templates[AT__IMPORT_MAX_TEMPLATES][AT__MAX_NAME];
    int template_count; /* 0: one, without a name           */
    int number;         /* of the template that was read    */
} at__import_file;

/* Of its templates the first one. `path` is borrowed. */
at_status at__import_file_read(at__import_file *out, const char *path, at_error *err) AT_MUST_CHECK;

/* The same file, with the trials of another template. */
at_status at__import_file_read_template(at__import_file *out, const at__import_file *file, int number,
                                        at_error *err) AT_MUST_CHECK;
void at__import_file_clear(at__import_file *file);

/* The text at `node`, cut to fit; "" when it is none. False: out of memory. */
bool at__import_copy_text(char *out, size_t size, const at__json *json, uint32_t node);

/* The text at `node` as a name of `what`: letters, digits and _. */
at_status at__import_read_name(char out[AT__MAX_NAME], const at__json *json, uint32_t node, const char *what,
                               at_error *err) AT_MUST_CHECK;

/* T1: parameters with their values. import_space.c */
at_status at__import_read_space(at__import_file *file, at_error *err) AT_MUST_CHECK;

/* The trials of a cache file or of T4 results. import_trials.c, import_t4.c */
at_status at__import_read_trials(at__import_file *file, at_error *err) AT_MUST_CHECK;

int at__import_find_param(const at__import_file *file, const char *name, size_t len); /* -1: none */

/* A new parameter, named by the string at `node`. */
at_status at__import_add_param(at__import_param **out, at__import_file *file, uint32_t node,
                               at_error *err) AT_MUST_CHECK;

/* The value that a JSON value stands for: an integer, a truth (0, 1), or a word. Release its word. */
at_status at__import_value_of(at__import_value *out, const at__json *json, uint32_t node,
                              at_error *err) AT_MUST_CHECK;

/* The place of a value in the list, or -1. Adding takes the word. */
int at__import_find_value(const at__import_param *param, const at__import_value *value);
at_status at__import_add_value(at__import_param *param, const at__import_value *value,
                               at_error *err) AT_MUST_CHECK;

void at__import_clear_values(at__import_param *param);

#endif
