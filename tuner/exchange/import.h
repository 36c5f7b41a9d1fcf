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
#ifndef AUTOTUNE_IMPORT_H
#define AUTOTUNE_IMPORT_H

#include "lang/problem.h"
#include "db/store.h"
#include "util/str.h"

#define AT__IMPORT_TEMPLATE  "kernel"
#define AT__IMPORT_MAX_FILES 64

/* What reading may cost; those of json.h hold too. */
#define AT__IMPORT_MAX_TRIALS ((size_t)2000000) /* of a file */
#define AT__IMPORT_MAX_BYTES  ((size_t)2 << 30) /* of memory, for all files at once */

typedef struct at__import_options {
    const char *name;   /* of the operation; NULL: after the kernel                       */
    const char *device; /* NULL: as recorded; after the file when it names none           */
    void *context;
    bool (*is_taken)(void *context, const char *name); /* NULL: no kernel's name is; else it gets an ending */
    void (*warning)(void *context, const char *text);  /* what was left out, and where; may be NULL */
} at__import_options;

/* A recorded space, ready to be stored. */
typedef struct at__imported {
    const char *path;    /* of the recording; of a declaration alone: of that             */
    int number;          /* of the recording's templates: only the first declares the op  */
    at__str declaration; /* in the format of templates/reference.md                          */
    at__op *op;
    at__template *t;
    at__problem problem; /* that was recorded */
    at__fingerprint fingerprint;
    at__trial_row *rows; /* strings owned, except the template's */
    size_t count;
    int64_t outcomes[AT__OUTCOMES];
    bool torn; /* the file ends early: its last entry was left out, if it was cut off */
} at__imported;

typedef struct at__import {
    at__imported *items;
    size_t count, cap;
} at__import;

/*
 * Reads all the files. One item a recording; a declaration that belongs to none is an item of its own,
 * without trials. AT_ERR_INPUT: "file:line:column: found ...; expected ...". A condition that the expression
 * language cannot say is a warning where a recording limits the space anyway, an error where none does.
 */
at_status at__import_read(at__import *out, const char *const *paths, int count,
                          const at__import_options *options, at_error *err) AT_MUST_CHECK;
void at__import_clear(at__import *import);

/*
 * Stores an item with its declaration. AT_ERR_INPUT: the store has this operation with another declaration.
 * Imported again, its trials are replaced.
 */
at_status at__import_store(const at__imported *item, at__store *store, at_error *err) AT_MUST_CHECK;

#endif
