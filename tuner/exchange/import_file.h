/*
 * import_file.h - one file of another tuner, read: parameters, trials, and what it says about the kernel.
 * Private to import*.c.
 */
#pragma once

#include "declare/declare.h"
#include "exchange/import.h"
#include "lang/record.h"
#include "util/json.h"

#define ATX_IMPORT_MAX_TEMPLATES 32
#define ATX_IMPORT_MAX_SIZE      (1 << 30) /* of a dimension */

typedef struct atx_import_file atx_import_file;
struct atx_import_result; /* import_results.h */

/* A format: a file that reads it has one of these, and import_file.c a row that names it. */
typedef struct atx_import_format {
    const char *tool;       /* where a recording comes from, in its fingerprint */
    const char *looks_like; /* for messages */
    const char *has[2]; /* members of its root, by which it is known; NULL: the root is a list of objects */
    const char *kernel, *device, *sizes;  /* paths (atx_json_at) to what it says of them; NULL: nothing */
    bool (*about)(atx_import_file *file); /* what else it says; false: out of memory. NULL: nothing */
    at_status (*read)(atx_import_file *file, at_error *err);
    /* In place of `read`: one result of the list that is the last of `has`, or the root (import_results.h).
     */
    at_status (*look)(struct atx_import_result *out, const atx_import_file *file, uint32_t node,
                      at_error *err);
    bool declares;      /* a space, and records nothing */
    bool may_end_early; /* its program may have been interrupted */
} atx_import_format;
extern const atx_import_format atx_import_cache, atx_import_clblast, atx_import_ktt, atx_import_t1,
    atx_import_t4, atx_import_table, atx_import_triton;

typedef struct atx_import_value {
    char *word; /* owned; NULL: a number */
    int64_t number;
} atx_import_value;

typedef struct atx_import_param {
    char name[ATX_MAX_NAME];
    atx_import_value *values;
    size_t count, cap;
    uint32_t node; /* where it is declared */
} atx_import_param;

typedef struct atx_import_trial {
    uint32_t node;
    uint16_t places[ATX_MAX_PARAMS]; /* of its values, among the parameters' */
    atx_outcome outcome;
    atx_timing timing;
    atx_resources resources;
    double compile_s;
    uint32_t failure;     /* the node that says why it failed; 0: none */
    char measured_at[21]; /* "" when unknown                           */
} atx_import_trial;

struct atx_import_file {
    const char *path; /* borrowed */
    const atx_import_format *format;
    atx_str text;
    atx_json json;
    char kernel[128], device[128]; /* "" when it does not say */
    int64_t sizes[ATX_MAX_DIMS];
    int size_count; /* 0: it does not say                     */
    atx_dtype type; /* ATX_DTYPES: it does not say            */
    bool fixed;     /* values were declared: there are no others */
    atx_import_param params[ATX_MAX_PARAMS];
    int param_count;
    atx_import_trial *trials;
    size_t trial_count, trial_cap;
    bool used;   /* a declaration that a recording took                                   */
    bool own;    /* T4 of autotune's: a problem of ours, whose templates have their names */
    bool shares; /* text and JSON are those of another one, which is cleared last         */
    char templates[ATX_IMPORT_MAX_TEMPLATES][ATX_MAX_NAME];
    int template_count; /* 0: one, without a name           */
    int number;         /* of the template that was read    */
};

/* Of its templates the first one. `path` is borrowed. */
at_status atx_import_file_read(atx_import_file *out, const char *path, at_error *err) AT_MUST_CHECK;

/* The same file, with the trials of another template. */
at_status atx_import_file_read_template(atx_import_file *out, const atx_import_file *file, int number,
                                        at_error *err) AT_MUST_CHECK;
void atx_import_file_clear(atx_import_file *file);

/* The text at `node`, cut to fit; "" when it is none. False: out of memory. */
bool atx_import_copy_text(char *out, size_t size, const atx_json *json, uint32_t node);

/* The text at `node` as a name of `what`: letters, digits and _. */
at_status atx_import_read_name(char out[ATX_MAX_NAME], const atx_json *json, uint32_t node, const char *what,
                               at_error *err) AT_MUST_CHECK;

/* What the format's paths lead to, and its `about`. False: out of memory. */
bool atx_import_read_about(atx_import_file *file);

int atx_import_find_param(const atx_import_file *file, const char *name, size_t len); /* -1: none */

/* A new parameter, named by the string at `node`. */
at_status atx_import_add_param(atx_import_param **out, atx_import_file *file, uint32_t node,
                               at_error *err) AT_MUST_CHECK;

/* The value that a JSON value stands for: an integer, a truth (0, 1), or a word. Release its word. */
at_status atx_import_value_of(atx_import_value *out, const atx_json *json, uint32_t node,
                              at_error *err) AT_MUST_CHECK;

/* The place of a value in the list, or -1. Adding takes the word. */
int atx_import_find_value(const atx_import_param *param, const atx_import_value *value);
at_status atx_import_add_value(atx_import_param *param, const atx_import_value *value,
                               at_error *err) AT_MUST_CHECK;

void atx_import_clear_values(atx_import_param *param);
