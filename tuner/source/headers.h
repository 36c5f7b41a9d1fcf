/*
 * headers.h - folders of headers that the user names (`--headers DIR`, $AUTOTUNE_HEADERS): libraries as large
 * as CUTLASS, whose files are not copied into a template's text; the compiler opens them, like CUDA's own.
 *
 * The headers that a text reaches in them are *noted*: "HASH <NAME>...", the names that the text itself
 * includes, and a hash of the name and contents of every file that is reached from there, inside any #if. The
 * note is a part of the bundle, and so of the template's hash; it goes with the source to the compiler, which
 * checks whether it still holds. A text that reaches none of these files has no note, and is compiled as if
 * no folder were named.
 *
 * An #include of a macro is followed to all names that the same file #defines the macro as; if another file
 * does, or the name is put together, to nothing. CUDA's headers are not noted. Threads: one atx_headers is
 * used by one thread at a time.
 */
#pragma once

#include "util/str.h"

#define ATX_HEADERS_ENV "AUTOTUNE_HEADERS"

typedef struct atx_headers atx_headers;

/*
 * "DIR:DIR", looked through in this order; NULL, "": none. AT_ERR_USAGE: one that is no folder, or cannot be
 * read.
 */
at_status atx_headers_open(atx_headers **out, const char *folders, at_error *err) AT_MUST_CHECK;
void atx_headers_close(atx_headers *headers); /* NULL is allowed */
ATX_CLOSES(atx_headers)

/* Absolute paths, joined by colons, for another process. "": none. NULL is allowed. */
const char *atx_headers_text(const atx_headers *headers);
int atx_headers_count(const atx_headers *headers);
const char *atx_headers_folder(const atx_headers *headers, int i);

/* Is `path` one of their files, by the name by which texts include it? NULL is allowed. */
bool atx_headers_have(const atx_headers *headers, const char *path, const char *name);

/* Has any of the folders a file of this name? NULL is allowed. */
bool atx_headers_offer(const atx_headers *headers, const char *name);

/* The note of a text; nothing is added when it reaches none of them. NULL is allowed. */
at_status atx_headers_note(atx_str *out, atx_headers *headers, const char *text, at_error *err) AT_MUST_CHECK;

/*
 * Whether a note holds here and now. Files that were read before and have not changed since are not read
 * again. *bytes: how much is reached. AT_ERR_INPUT: what is missing, or has become another, and what to do.
 */
at_status atx_headers_check(size_t *bytes, atx_headers *headers, const char *note,
                            at_error *err) AT_MUST_CHECK;

/* Whether any file that was read so far may use this name, as a macro or otherwise; one in some hundred that
 * none uses is taken for one, too. NULL: any may be. */
bool atx_headers_may_use(const atx_headers *headers, const char *name, size_t len);

/*
 * The list of files that the hash of a note is of: "NAME HASH" of each, sorted by bytes, a line each. What a
 * note was made of, or has held here, is known, as are lists from elsewhere (a database); atx_headers_check
 * then says which file has become another. NULL: it is not known. Valid until more are.
 */
const char *atx_headers_list(const atx_headers *headers, const char *note);
void atx_headers_know(atx_headers *headers, const char *list); /* NULL is allowed for headers */

/*
 * The options that a compiler needs besides the text, without naming places of this machine: "-I DIR, which
 * has <a.h> <b.h>", the names of the note, and, for a folder that is reached only from there, a file of it.
 * Where the note does not hold here (headers NULL: none) which folder has what is not known.
 */
at_status atx_headers_places(atx_str *out, atx_headers *headers, const char *note,
                             at_error *err) AT_MUST_CHECK;

/* The next "<NAME>" of a note, at or behind `at`; NULL: there is none. */
const char *atx_headers_name(size_t *len, const char *at);
