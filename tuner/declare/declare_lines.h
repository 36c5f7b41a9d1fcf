/*
 * declare_lines.h - the lines of a declaration block, and the words on a line. Private to declare*.c.
 *
 * A block is a comment that starts with the marker "!autotune" at the start of a line. A backslash at the end
 * of a line continues it; the text after its first '#' is a comment. The reader reads the source in place, so
 * every message can give the place of its cause.
 *
 * The first failure stays in `status`. After it the block counts as read: the reader is at the end of the
 * last line, words are empty, numbers 0 and texts NULL, and no other failure is reported. So callers check
 * the status once, at the end.
 */
#pragma once

#include "declare/declare.h"

#define ATX_MAX_LINE   4096
#define ATX_MAX_SOURCE ((size_t)1 << 20)

/* Whose declarations are read: an op's, or a template's. */
typedef struct atx_declaring {
    atx_symbols *symbols; /* the names of expressions */
    atx_let **lets;
    size_t *let_count, *let_cap;
    atx_require **requires;
    size_t *require_count, *require_cap;
} atx_declaring;

typedef struct atx_lines {
    const char *source;
    size_t len;
    const char *file; /* borrowed by every place that is handed out */
    at_error *err;
    at_status status;        /* AT_OK, or the first failure */
    atx_declaring in;        /* set by the caller that opens it */
    const char *begin, *end; /* of the block: after the marker, before the end of the comment */
    atx_where begin_where;
    const char *next; /* the line to read next, and its number and column */
    atx_where next_where;
    const char *line, *line_end; /* the current line, without its comment and blanks at its end */
    atx_where line_where;
    const char *at; /* the unread rest of the current line; never a blank */
    const char *comment, *comment_end;
} atx_lines;

/* The first byte that no source may have, with what to say of it: a zero, or 0xff, which is the end of the
 * file to NVRTC wherever it stands. NULL: there is none. */
const char *atx_lines_unfit(const char **what, const char *source, size_t len);

/*
 * Finds the first block whose first word is `kind` and stands before its first line. AT_ERR_INPUT: there is
 * none, it is not closed, or the source as a whole is unfit (NUL bytes, 0xff, too large).
 */
at_status atx_lines_open(atx_lines *out, const char *source, size_t len, const char *file, const char *kind,
                         at_error *err) AT_MUST_CHECK;

/* Goes to the next line that is not empty; false after the last. */
bool atx_lines_next(atx_lines *lines);

atx_where atx_lines_where(const atx_lines *lines, const char *at);

/* "file:line:column: ..." with AT_ERR_INPUT, unless something failed before. */
void atx_lines_fail(atx_lines *lines, const char *at, const char *format, ...) AT_PRINTF(3, 4);

/* "...: found TEXT; expected ...": the text at the reader's place. */
void atx_lines_expected(atx_lines *lines, const char *expected);

/* The status of another function, with its text. */
void atx_lines_note(atx_lines *lines, at_status status);

/* The list has room for one more; false: no memory, which is noted. */
bool atx_lines_grow(atx_lines *lines, void *items, size_t *cap, size_t count, size_t bytes);

bool atx_lines_at_end(const atx_lines *lines);
bool atx_lines_sees(const atx_lines *lines, const char *text); /* does the rest of the line start so? */
bool atx_lines_sees_word(const atx_lines *lines, const char *word);
void atx_lines_skip(atx_lines *lines, size_t count); /* that much, and blanks */

/* Skips the sign or word if it is there. */
bool atx_lines_skip_sign(atx_lines *lines, const char *sign);
bool atx_lines_skip_word(atx_lines *lines, const char *word);

/* Skips `text`, or fails: expected 'text' (`what`, when given, says it in words). */
void atx_lines_take(atx_lines *lines, const char *text, const char *what);

/* Length of the C identifier at the reader's place; 0: there is none. */
size_t atx_lines_word(const atx_lines *lines);

/* Reads a C identifier that fits ATX_MAX_NAME. Returns where it stands. */
const char *atx_lines_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected);

/* Reads up to the next blank. malloc'ed. */
char *atx_lines_text(atx_lines *lines, const char *expected);

/* Reads a decimal integer with an optional minus. */
int64_t atx_lines_integer(atx_lines *lines, const char *expected);

/* Reads a decimal number as C writes them: 0.5, -1e-3. */
double atx_lines_real(atx_lines *lines, const char *expected);

/* Reads "text" with its quotes; malloc'ed. */
char *atx_lines_string(atx_lines *lines, const char *expected);

/* The line's comment on one line; "" when there is none. malloc'ed. */
char *atx_lines_comment(atx_lines *lines);

/* Does a word occur in the code of the source, outside of this block? */
bool atx_lines_source_has(const atx_lines *lines, const char *word);

/* Does the source contain a block of that kind ("op", "template")? Malformed blocks are no error. */
bool atx_lines_declare(const char *source, size_t len, const char *kind);
