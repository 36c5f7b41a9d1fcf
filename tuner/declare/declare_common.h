/*
 * declare_common.h - device code that several templates share: files templates/common/NAME.cuh, which an op
 * or a template takes by a line `use NAME...` of its declaration.
 *
 * A *bundle* is the text that is stored and rendered for an op or a template, and whose meaning is hashed:
 * each file that it uses, dependencies first, behind a line that tells its name and length; likewise the
 * pieces of the files that it names in `source` lines; then its own file. Before all of it stand a line with
 * the note of what it reaches in the user's folders of headers (headers.h), and one for each array in a file
 * that the op names, with the hash of its contents (declare_files.h). Without such lines it is that file and
 * nothing else.
 *
 * Common code may also declare parameters, lets, consts and requirements, which are those of every template
 * that uses it: at__template_read_with reads them at the place of the `use`.
 */
#ifndef AUTOTUNE_DECLARE_COMMON_H
#define AUTOTUNE_DECLARE_COMMON_H

#include "declare/declare.h"
#include "source/allowed.h"
#include "source/headers.h"

typedef struct at__common {
    char name[AT__MAX_NAME];
    char *about;
    at__used uses;
    char *text;
    bool lent; /* the text */
    size_t len;
    char *file; /* as messages and #line show it */
} at__common;

/* The files that `use` may name. Zeroed it is empty; what it lacks is looked for in `next`. */
typedef struct at__commons {
    at__common **items;
    size_t count, cap;
    const struct at__commons *next; /* borrowed; NULL: the end */
    const at__allowed *allowed; /* borrowed: files that may be read; NULL: none, for texts from elsewhere */
    at__headers *headers;       /* borrowed: the user's folders; NULL: none */
    bool lent;                  /* texts that are added are the program's: they are not copied */
} at__commons;

/*
 * Reads one file, which begins with a block `common NAME`; its path ends in NAME.cuh. Text and path are
 * copied. AT_ERR_INPUT as at__op_read, and for a name that this library (`next` aside) has already.
 */
at_status at__commons_add(at__commons *commons, const char *text, size_t len, const char *file,
                          at_error *err) AT_MUST_CHECK;
const at__common *at__commons_find(const at__commons *commons, const char *name); /* NULL: none */
void at__commons_clear(at__commons *commons);

/* The files in a stored bundle, up to its own file, as a library. Where they once came from is not known. */
at_status at__commons_of_bundle(at__commons *out, const char *source, const char *own,
                                at_error *err) AT_MUST_CHECK;

/* The note of headers that a bundle begins with, *len 0: none; and what follows it. */
const char *at__bundle_note(size_t *len, const char **rest, const char *source);

/* The notes of files' contents behind that, at `rest`: whole lines; *len 0: none. */
const char *at__bundle_data(size_t *len, const char **behind, const char *rest);

/* What of a bundle is the op's or the template's own file: its end. */
const char *at__bundle_own(size_t *own_len, const char *source, size_t len);

typedef struct at__bundle {
    char *source; /* terminated */
    size_t len;
    at__part *parts; /* dependencies first; then the file itself, in pieces where headers were put into it */
    int part_count;
    char *headers; /* the note of headers.h; NULL: none */
    char *data;    /* the lines of files' contents; NULL: none */
} at__bundle;

/* A file, or a bundle that was stored. */
typedef struct at__bundle_request {
    const char *source;
    size_t len;
    const char *file;
    const at__used *uses;
    const at__paths *sources, *includes; /* NULL: none */
    const char *data;                    /* of a file: notes of its op's arrays; NULL, "": none */
} at__bundle_request;

/*
 * Makes the bundle of a file whose declaration has these `use`, `source` and `include` lines. The files of
 * `source` lines are in pieces (declare_gather.h) between common code and the file itself. Of a bundle that
 * was stored all of them, and the notes, come from it, and the result is the same bytes again. commons may be
 * NULL. AT_ERR_INPUT, with the place of the line: unknown names, circles, files that cannot or may not be
 * read.
 */
at_status at__bundle_make(at__bundle *out, const at__bundle_request *request, const at__commons *commons,
                          at_error *err) AT_MUST_CHECK;

/* Where the file itself begins, and with it its declaration. `file` is its name. */
const at__part *at__own_part(const at__part *parts, int count, const char *file);
void at__parts_close(at__part *parts, int count);

#endif
