/*
 * import.h - recorded spaces of other tuners: Kernel Tuner's cache files, T4 results, and T1 declarations,
 * plain or gzip'ed, into a store, as operations whose kernels are not here ("recorded", see
 * templates/reference.md). A replay device answers for them like for our own recordings.
 *
 * A recording (a cache file or T4 results) becomes an operation named after its kernel, with one template,
 * called `kernel`, whose parameters and values are those of the recording. T4 results that autotune wrote
 * have their problem's sizes and type, and each of their templates, in an item of its own. A T1 declaration
 * among the files whose parameters include those of a recording gives it the conditions, and to T4 results,
 * which say less than cache files, also the values, the sizes and the kernel's name.
 *
 * Times are the recorded objective (Kernel Tuner: the mean of the repetitions), so that figures of others can
 * be compared; minimum, spread and number of samples come from the repetitions where they were recorded.
 */
#pragma once

#include "lang/problem.h"
#include "db/store.h"
#include "util/str.h"

#define ATX_IMPORT_TEMPLATE  "kernel"
#define ATX_IMPORT_MAX_FILES 64

/* What reading may cost; those of json.h hold too. */
#define ATX_IMPORT_MAX_TRIALS ((size_t)2000000) /* of a file */
#define ATX_IMPORT_MAX_BYTES  ((size_t)2 << 30) /* of memory, for all files at once */

typedef struct atx_import_options {
    const char *name;   /* of the operation; NULL: after the kernel                       */
    const char *device; /* NULL: as recorded; after the file when it names none           */
    void *context;
    bool (*is_taken)(void *context, const char *name); /* NULL: no kernel's name is; else it gets an ending */
    void (*warning)(void *context, const char *text);  /* of parts left out, with place; may be NULL */
} atx_import_options;

/* A recorded space, ready to be stored. */
typedef struct atx_imported {
    const char *path;    /* of the recording; of a declaration alone: of that             */
    int number;          /* of the recording's templates: only the first declares the op  */
    atx_str declaration; /* in the format of templates/reference.md                          */
    atx_op *op;
    atx_template *t;
    atx_problem problem; /* that was recorded */
    atx_fingerprint fingerprint;
    atx_trial_row *rows; /* strings owned, except the template's */
    size_t count;
    int64_t outcomes[ATX_OUTCOMES];
    bool torn; /* the file ends early: its last entry was left out, if it was cut off */
} atx_imported;

typedef struct atx_import {
    atx_imported *items;
    size_t count, cap;
} atx_import;

/*
 * Reads all the files. One item a recording; a declaration that belongs to none is an item of its own,
 * without trials. AT_ERR_INPUT: "file:line:column: found ...; expected ...". A condition that the expression
 * language cannot say is a warning where a recording limits the space anyway, an error where none does.
 */
at_status atx_import_read(atx_import *out, const char *const *paths, int count,
                          const atx_import_options *options, at_error *err) AT_MUST_CHECK;
void atx_import_clear(atx_import *import);

/*
 * Stores an item with its declaration. AT_ERR_INPUT: the store has this operation with another declaration.
 * Imported again, its trials are replaced.
 */
at_status atx_import_store(const atx_imported *item, atx_store *store, at_error *err) AT_MUST_CHECK;
