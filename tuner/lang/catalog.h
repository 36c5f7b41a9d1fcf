/*
 * catalog.h - every op and template that this run knows: those built into the program, then those of
 * `--templates DIR`.
 *
 * Once it is open any number of threads may ask; what has to be read for an answer one of them reads, and
 * the others wait. What it gives is its own, stays where it is and does not change until it is closed.
 */
#ifndef AUTOTUNE_CATALOG_H
#define AUTOTUNE_CATALOG_H

#include "declare/declare_image.h"
#include "lang/problem.h"

typedef struct at__catalog at__catalog;

/* `why`: what is wrong with a file, and what is left out for it. */
typedef void at__broken_file(void *context, const char *why);

/*
 * `dir`: in it every sub-folder (and it itself) may hold .cu files: one declares the op, the others templates
 * for it; or templates alone, for an op that is built in (the folder has the op's name). A built-in template
 * is replaced by one of the same op and name. DIR/common/NAME.cuh is common code that these files may use,
 * before the built-in of that name.
 */
typedef struct at__catalog_options {
    const char *dir;         /* NULL: only what is built in                         */
    const char *headers;     /* the user's folders of them (headers.h); NULL: none  */
    const char *allow;       /* folders that `dir` may read besides (allowed.h); NULL: none */
    at__broken_file *broken; /* see below; NULL: a file that is wrong ends the whole */
    void *context;
    bool lazily;
} at__catalog_options;

/*
 * AT_ERR_INPUT: a file is wrong, AT_ERR_USAGE: a folder of headers cannot be read. With `broken` a wrong file
 * takes only itself out, and an op's its folder: the rest is there, and `broken` is told why. Common code
 * that is wrong still ends the whole.
 *
 * `lazily`: of what is built in nothing is read before it is asked for, by name or number: for a question of
 * one problem. Where reading fails then (AT_ERR_MEMORY) it is as if it were not there, NULL. Who asks several
 * things one after the other learns of that behind the last: at__catalog_failure is what failed since
 * somebody asked that, whichever thread it was, and AT_OK from then on. Threads that are to know whose it was
 * ask under a lock of theirs.
 */
at_status at__catalog_open_with(at__catalog **out, const at__catalog_options *options,
                                at_error *err) AT_MUST_CHECK;
at_status at__catalog_failure(const at__catalog *catalog, at_error *err) AT_MUST_CHECK;

/* With `dir` alone. */
at_status at__catalog_open(at__catalog **out, const char *dir, at_error *err) AT_MUST_CHECK;

/* Reads all templates of an op, if they are not: then none of them is NULL. AT_ERR_MEMORY: some may be. */
at_status at__catalog_read(const at__catalog *catalog, const at__op *op, at_error *err) AT_MUST_CHECK;

void at__catalog_close(at__catalog *catalog); /* NULL is allowed; nobody else may still ask */

/*
 * Adds one more file, as if it stood alone in its folder of --templates: recorded operations, whose text a
 * recording holds. Before the catalog is shared.
 */
at_status at__catalog_add(at__catalog *catalog, const char *path, const char *text, size_t len,
                          at_error *err) AT_MUST_CHECK;

int at__catalog_op_count(const at__catalog *catalog);
const char *at__catalog_op_name(const at__catalog *catalog, int i); /* reads nothing */
const at__op *at__catalog_op(const at__catalog *catalog, int i);
const at__op *at__catalog_find_op(const at__catalog *catalog, const char *name); /* NULL: none */

/* The same, where a failure is told at once. *out NULL with AT_OK: there is none. */
at_status at__catalog_get_op(const at__op **out, const at__catalog *catalog, const char *name,
                             at_error *err) AT_MUST_CHECK;

/* What problems that name no op are of: the op with `default op`, the user's before ours. NULL: none has. */
const at__op *at__catalog_default_op(const at__catalog *catalog);

/* The name of the built-in one, for a page of help. "": none. */
void at__catalog_default_name(char out[AT__MAX_NAME]);

int at__catalog_template_count(const at__catalog *catalog, const at__op *op);
const at__template *at__catalog_template(const at__catalog *catalog, const at__op *op, int i);
const at__template *at__catalog_find_template(const at__catalog *catalog, const at__op *op, const char *name);

/* Of a folder of --templates, not built in: this template; the op or a template of it. */
bool at__catalog_is_added(const at__catalog *catalog, const at__template *t);
bool at__catalog_has_added(const at__catalog *catalog, const at__op *op);

/*
 * The configuration that an op's `reference template` trusts. AT_ERR_INPUT, with its place: the op has no
 * such template, or that no such parameters and values.
 */
at_status at__catalog_trusted(const at__template **t, at__config *config, const at__catalog *catalog,
                              const at__op *op, at_error *err) AT_MUST_CHECK;

/* Hash over the op and all its templates: changes when the space of the op may have changed. */
void at__catalog_op_hash(char out[AT__HASH_TEXT], const at__catalog *catalog, const at__op *op);
bool at__catalog_has_op_hash(const at__catalog *catalog, const at__op *op, const char *hash);

/*
 * Whether a note of headers (source/headers.h) holds in the user's folders, here and now. `list` (NULL: none)
 * is that which the note was made of, from wherever. AT_ERR_INPUT: what is missing, or has become another.
 */
at_status at__catalog_check_headers(const at__catalog *catalog, const char *note, const char *list,
                                    at_error *err) AT_MUST_CHECK;

/* The list that a note of this catalog's was made of, for whoever stores it. *out "": it is not known. */
at_status at__catalog_header_list(at__str *out, const at__catalog *catalog, const char *note,
                                  at_error *err) AT_MUST_CHECK;

/* One built-in file, made by the build (templates/embed.cmake). The table ends with a NULL path. */
typedef struct at__embedded {
    const char *path;          /* "templates/transpose/tile.cu" */
    const unsigned char *data; /* terminated */
    size_t len;
} at__embedded;
extern const at__embedded at__embedded_files[];
/* The templates of them as they are read (templates/embed_images.c). 0 of them: where they are made. */
extern const at__images at__embedded_images;
extern const at__embedded at__embedded_commons[]; /* "templates/common/index.cuh" */
extern const at__embedded
    at__embedded_verify[]; /* what stands in verify.cu, with what it needs, in this order */
extern const at__embedded at__embedded_export[]; /* export_*.cu and data.h: see export/export_main.c */

#endif
