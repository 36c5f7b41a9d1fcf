/*
 * catalog_parts.h - what the files of a catalog share: ops and templates that may not have been read yet.
 * Private to catalog*.c.
 *
 * What is built in is known by its file's name before it is read, when it is first asked for; from then on it
 * stays. Any thread may ask: a pointer is set once, under `reading`.
 */
#ifndef AUTOTUNE_CATALOG_PARTS_H
#define AUTOTUNE_CATALOG_PARTS_H

#include "declare/declare_common.h"
#include "lang/catalog.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct at__held_op {
    char name[AT__MAX_NAME];
    const at__embedded *file; /* built in; NULL: the user's */
    _Atomic(at__op *) op;     /* NULL: not read yet         */
} at__held_op;

typedef struct at__held_template {
    char name[AT__MAX_NAME];
    size_t of;                /* among the ops              */
    const at__embedded *file; /* built in; NULL: the user's */
    _Atomic(at__template *) t;
} at__held_template;

struct at__catalog {
    at__held_op *ops;
    size_t op_count, op_cap;
    at__held_template *templates; /* of all ops; the user's behind the built-in ones */
    size_t template_count, template_cap;
    at__commons built_in_commons, commons; /* the second are the user's, and then the built-in */
    at__headers *headers;                  /* the user's folders; NULL: none */
    at__allowed *allowed;                  /* what the user's templates may read; NULL: there are none */
    bool has_default;                      /* an op of the user's is it: no built-in one       */
    at__broken_file *broken;               /* NULL: one ends the whole */
    void *context;
    pthread_mutex_t reading;
    at_error failure; /* of what was to be read since somebody asked; AT_OK: none */
};

/* Lists what is built in, all of it unread; reads all that is not read yet. */
at_status at__catalog_list_built_in(at__catalog *c, at_error *err) AT_MUST_CHECK;
at_status at__catalog_read_all(at__catalog *c, at_error *err) AT_MUST_CHECK;

/* Where an op, and its template of that name, stand; their counts: nowhere. */
size_t at__catalog_op_index(const at__catalog *c, const at__op *op);
size_t at__catalog_index(const at__catalog *c, const at__op *op, const char *name);

/* It is not the default op. */
void at__catalog_no_default(at__held_op *held);

#endif
