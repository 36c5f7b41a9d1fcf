/*
 * catalog_internal.h - definitions shared by the files of a catalog: ops and templates that may not have been
 * read yet. Private to catalog*.c.
 *
 * A built-in file is known by its name until its first use, and is then read and kept. Any thread may ask: a
 * pointer is set once, under `reading`.
 */
#pragma once

#include "declare/declare_common.h"
#include "lang/catalog.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct atx_held_op {
    char name[ATX_MAX_NAME];
    const atx_embedded *file; /* built in; NULL: the user's */
    _Atomic(atx_op *) op;     /* NULL: not read yet         */
} atx_held_op;

typedef struct atx_held_template {
    char name[ATX_MAX_NAME];
    size_t of;                /* among the ops              */
    const atx_embedded *file; /* built in; NULL: the user's */
    _Atomic(atx_template *) t;
} atx_held_template;

struct atx_catalog {
    atx_held_op *ops;
    size_t op_count, op_cap;
    atx_held_template *templates; /* of all ops; the user's behind the built-in ones */
    size_t template_count, template_cap;
    atx_commons built_in_commons, commons; /* the second are the user's, and then the built-in */
    atx_headers *headers;                  /* the user's folders; NULL: none */
    atx_allowed *allowed;                  /* files that the user's templates may read; NULL: none     */
    bool has_default;                      /* an op of the user's is it: no built-in one       */
    atx_broken_file *broken;               /* NULL: one ends the whole */
    void *context;
    pthread_mutex_t reading;
    at_error failure; /* the first since the last query; AT_OK: none              */
};

/* Lists the built-in operations and templates, unread; reads all that are not read yet. */
at_status atx_catalog_list_built_in(atx_catalog *c, at_error *err) AT_MUST_CHECK;
at_status atx_catalog_read_all(atx_catalog *c, at_error *err) AT_MUST_CHECK;

/* Where an op, and its template of that name, stand; their counts: nowhere. */
size_t atx_catalog_op_index(const atx_catalog *c, const atx_op *op);
size_t atx_catalog_index(const atx_catalog *c, const atx_op *op, const char *name);

/*
 * An op that compares itself with another must name one that exists, with as many sizes as that one has; its
 * metrics read parameters that one of its templates has, if there is one; a template of it stands in for
 * others that it has. AT_ERR_INPUT, with the place.
 */
at_status atx_check_ceiling(const atx_catalog *catalog, const atx_op *op, at_error *err) AT_MUST_CHECK;
at_status atx_check_metrics(const atx_catalog *catalog, const atx_op *op, at_error *err) AT_MUST_CHECK;
at_status atx_check_replaces(const atx_catalog *catalog, const atx_op *op, at_error *err) AT_MUST_CHECK;

/* It is not the default op. */
void atx_catalog_no_default(atx_held_op *held);
