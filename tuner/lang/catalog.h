/*
 * catalog.h - all ops and templates of this run: those built into the program, then those of `--templates
 * DIR`.
 *
 * Once it is open any number of threads may use it; one of them reads a file that an answer needs, and the
 * others wait. The catalog owns its results; they stay in place and do not change until it is closed.
 */
#pragma once

#include "util/embedded.h"
#include "declare/declare_image.h"
#include "lang/problem.h"

typedef struct atx_catalog atx_catalog;

/* `why`: the fault of a file, and the files that are ignored for it. */
typedef void atx_broken_file(void *context, const char *why);

/*
 * `dir`: in it every sub-folder (and it itself) may hold .cu files: one declares the op, the others templates
 * for it; or templates alone, for an op that is built in (the folder has the op's name). A built-in template
 * is replaced by one of the same op and name. DIR/common/NAME.cuh is common code that these files may use,
 * before the built-in of that name.
 */
typedef struct atx_catalog_options {
    const char *dir;         /* NULL: only the built-in ones                        */
    const char *headers;     /* the user's folders of them (headers.h); NULL: none  */
    const char *allow;       /* folders that `dir` may read besides (allowed.h); NULL: none */
    atx_broken_file *broken; /* see below; NULL: a file that is wrong ends the whole */
    void *context;
    bool lazily;
} atx_catalog_options;

/*
 * AT_ERR_INPUT: a file is wrong, AT_ERR_USAGE: a folder of headers cannot be read. With `broken` a wrong file
 * is left out alone, an op's with its folder, and `broken` gets the reason. Wrong common code is still an
 * error.
 *
 * `lazily`: built-in operations and templates are read when a call names them, which is quicker for a single
 * problem. Such a call returns NULL if reading fails (AT_ERR_MEMORY). atx_catalog_failure returns the failure
 * since its last call, of whichever thread, so one call after several look-ups is enough. Threads that must
 * know whose failure it was call both under a lock.
 */
at_status atx_catalog_open_with(atx_catalog **out, const atx_catalog_options *options,
                                at_error *err) AT_MUST_CHECK;
at_status atx_catalog_failure(const atx_catalog *catalog, at_error *err) AT_MUST_CHECK;

/* With `dir` alone. */
at_status atx_catalog_open(atx_catalog **out, const char *dir, at_error *err) AT_MUST_CHECK;

/* Reads all templates of an op, if they are not: then none of them is NULL. AT_ERR_MEMORY: some may be. */
at_status atx_catalog_read(const atx_catalog *catalog, const atx_op *op, at_error *err) AT_MUST_CHECK;

void atx_catalog_close(atx_catalog *catalog); /* NULL is allowed; no other thread may still ask */
ATX_CLOSES(atx_catalog)

/*
 * Adds one more file, as if it stood alone in its folder of --templates: recorded operations, whose text a
 * recording holds. Before the catalog is shared.
 */
at_status atx_catalog_add(atx_catalog *catalog, const char *path, const char *text, size_t len,
                          at_error *err) AT_MUST_CHECK;

int atx_catalog_op_count(const atx_catalog *catalog);
const char *atx_catalog_op_name(const atx_catalog *catalog, int i); /* reads nothing */
const atx_op *atx_catalog_op(const atx_catalog *catalog, int i);
const atx_op *atx_catalog_find_op(const atx_catalog *catalog, const char *name); /* NULL: none */

/* The same, with failures as a status. *out NULL with AT_OK: there is none. */
at_status atx_catalog_get_op(const atx_op **out, const atx_catalog *catalog, const char *name,
                             at_error *err) AT_MUST_CHECK;

/* What problems that name no op are of: the op with `default op`, the user's before ours. NULL: none has. */
const atx_op *atx_catalog_default_op(const atx_catalog *catalog);

/* The name of the built-in one, for a page of help. "": none. */
void atx_catalog_default_name(char out[ATX_MAX_NAME]);

int atx_catalog_template_count(const atx_catalog *catalog, const atx_op *op);
const atx_template *atx_catalog_template(const atx_catalog *catalog, const atx_op *op, int i);
const atx_template *atx_catalog_find_template(const atx_catalog *catalog, const atx_op *op, const char *name);

/* Of a folder of --templates, not built in: this template; the op or a template of it. */
bool atx_catalog_is_added(const atx_catalog *catalog, const atx_template *t);
bool atx_catalog_has_added(const atx_catalog *catalog, const atx_op *op);

/*
 * The configuration that an op's `reference template` trusts. AT_ERR_INPUT, with its place: the op has no
 * such template, or that no such parameters and values.
 */
at_status atx_catalog_trusted(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                              const atx_op *op, at_error *err) AT_MUST_CHECK;

/* Hash over the op and the templates that a search tries: changes when the space of the op may have changed.
 */
void atx_catalog_op_hash(char out[ATX_HASH_TEXT], const atx_catalog *catalog, const atx_op *op);
bool atx_catalog_has_op_hash(const atx_catalog *catalog, const atx_op *op, const char *hash);

/*
 * Whether a note of headers (source/headers.h) holds in the user's folders, here and now. `list` (NULL: none)
 * is that which the note was made of, from wherever. AT_ERR_INPUT: what is missing, or has become another.
 */
at_status atx_catalog_check_headers(const atx_catalog *catalog, const char *note, const char *list,
                                    at_error *err) AT_MUST_CHECK;

/* The list that a note of this catalog was made from, to be stored. *out "": it is unknown. */
at_status atx_catalog_header_list(atx_str *out, const atx_catalog *catalog, const char *note,
                                  at_error *err) AT_MUST_CHECK;

/* The built-in files. */
extern const atx_embedded atx_embedded_files[];
/* The templates of them as they are read (templates/embed_images.c). 0 of them: where they are made. */
extern const atx_images atx_embedded_images;
extern const atx_embedded atx_embedded_commons[]; /* "templates/common/index.cuh" */
extern const atx_embedded atx_embedded_verify[];  /* verify.cu and the files that it needs, in this order */
extern const atx_embedded atx_embedded_pack[];    /* pack_*.inc: see pack/pack_write.c */
extern const atx_embedded atx_embedded_export[];  /* export_*.cu and data.h: see export/export_main.c */
