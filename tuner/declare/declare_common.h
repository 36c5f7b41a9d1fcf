/*
 * declare_common.h - device code that several templates share: files templates/common/NAME.cuh, which an op
 * or a template includes by a line `use NAME...` of its declaration.
 *
 * A *bundle* is the text that is stored and rendered for an op or a template, and whose normalized form is
 * hashed: each file that it uses, dependencies first, after a line with the file's name and length; likewise
 * the parts of files that it names in `source` lines; then its own file. In front of all is a line with the
 * note of the headers that it includes from the user's folders (headers.h), and a line for each array in a
 * file that the op names, with the hash of its contents (declare_files.h). Without any of these the bundle is
 * the file itself.
 *
 * Common code may also declare parameters, lets, consts and requirements, which belong to every template that
 * uses it: atx_template_read_with reads them at the place of the `use`.
 */
#pragma once

#include "declare/declare.h"
#include "source/allowed.h"
#include "source/headers.h"

typedef struct atx_common {
    char name[ATX_MAX_NAME];
    char *about;
    atx_used uses;
    char *text;
    bool borrowed; /* the text */
    size_t len;
    char *file; /* as messages and #line show it */
} atx_common;

/* The files that `use` may name. Zeroed it is empty; a missing file is looked for in `next`. */
typedef struct atx_commons {
    atx_common **items;
    size_t count, cap;
    const struct atx_commons *next; /* borrowed; NULL: the end */
    const atx_allowed *allowed; /* borrowed: files that may be read; NULL: none, for texts from elsewhere */
    atx_headers *headers;       /* borrowed: the user's folders; NULL: none */
    bool borrowed;              /* texts that are added are the program's: they are not copied */
} atx_commons;

/*
 * Reads one file, which begins with a block `common NAME`; its path ends in NAME.cuh. Text and path are
 * copied. AT_ERR_INPUT as atx_op_read, and for a name that this library (`next` aside) has already.
 */
at_status atx_commons_add(atx_commons *commons, const char *text, size_t len, const char *file,
                          at_error *err) AT_MUST_CHECK;
const atx_common *atx_commons_find(const atx_commons *commons, const char *name); /* NULL: none */
void atx_commons_clear(atx_commons *commons);

/* The files in a stored bundle, up to its own file, as a library. Where they once came from is not known. */
at_status atx_commons_of_bundle(atx_commons *out, const char *source, const char *own,
                                at_error *err) AT_MUST_CHECK;

/* The note of headers that a bundle begins with, *len 0: none; and the text behind it. */
const char *atx_bundle_note(size_t *len, const char **rest, const char *source);

/* The notes of files' contents behind that, at `rest`: whole lines; *len 0: none. */
const char *atx_bundle_data(size_t *len, const char **behind, const char *rest);

/* The op's or the template's own file within a bundle: its end. */
const char *atx_bundle_own(size_t *own_len, const char *source, size_t len);

typedef struct atx_bundle {
    char *source; /* terminated */
    size_t len;
    atx_part *parts; /* dependencies first; then the file itself, in pieces where headers were put into it */
    int part_count;
    char *headers; /* the note of headers.h; NULL: none */
    char *data;    /* the lines of files' contents; NULL: none */
} atx_bundle;

/* A file, or a bundle that was stored. */
typedef struct atx_bundle_request {
    const char *source;
    size_t len;
    const char *file;
    const atx_used *uses;
    const atx_paths *sources, *includes; /* NULL: none */
    const char *data;                    /* of a file: notes of its op's arrays; NULL, "": none */
    const char *reached, *replaced;      /* of sources for the device: see declare_gather.h; NULL: none */
} atx_bundle_request;

/*
 * Makes the bundle of a file whose declaration has these `use`, `source` and `include` lines. The files of
 * `source` lines are in pieces (declare_gather.h) between common code and the file itself. Of a bundle that
 * was stored all of them, and the notes, come from it, and the result is the same bytes again. commons may be
 * NULL. AT_ERR_INPUT, with the place of the line: unknown names, circles, files that cannot or may not be
 * read.
 */
at_status atx_bundle_make(atx_bundle *out, const atx_bundle_request *request, const atx_commons *commons,
                          at_error *err) AT_MUST_CHECK;

/* Where the file itself begins, and with it its declaration. `file` is its name. */
const atx_part *atx_own_part(const atx_part *parts, int count, const char *file);
void atx_parts_close(atx_part *parts, int count);
