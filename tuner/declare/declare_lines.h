/*
 * declare_lines.h - the lines of a declaration block, and the words on a line. Private to declare*.c.
 *
 * A block is a comment that starts with the marker "!autotune" at the start of a line. A line goes on after a
 * backslash at its end; what follows its first '#' is its comment. The reader looks at the source in place,
 * so every message can tell where it found what.
 */
#ifndef AUTOTUNE_DECLARE_LINES_H
#define AUTOTUNE_DECLARE_LINES_H

#include "declare/declare.h"

#define ATX_MAX_LINE   4096
#define ATX_MAX_SOURCE ((size_t)1 << 20)

typedef struct atx_lines {
    const char *source;
    size_t len;
    const char *file; /* borrowed by every place that is handed out */
    at_error *err;
    const char *begin, *end; /* of the block: after the marker, before the end of the comment */
    atx_where begin_where;
    const char *next; /* the line to read next, and its number and column */
    atx_where next_where;
    const char *line, *line_end; /* the current line, without its comment and blanks at its end */
    atx_where line_where;
    const char *at; /* what of the current line was not read yet; never a blank */
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

/* Goes to the next line that is not empty; *more is false after the last. */
at_status atx_lines_next(bool *more, atx_lines *lines) AT_MUST_CHECK;

atx_where atx_lines_where(const atx_lines *lines, const char *at);

/* "file:line:column: ..." with AT_ERR_INPUT. */
at_status atx_lines_fail(const atx_lines *lines, const char *at, const char *format, ...) AT_PRINTF(3, 4);

/* "...: found WHAT; expected ...": what stands at the reader's place. */
at_status atx_lines_expected(const atx_lines *lines, const char *expected);

bool atx_lines_at_end(const atx_lines *lines);
bool atx_lines_sees(const atx_lines *lines, const char *text); /* does the rest of the line start so? */
bool atx_lines_sees_word(const atx_lines *lines, const char *word);
void atx_lines_skip(atx_lines *lines, size_t count); /* that much, and blanks */

/* Skips `text`, or fails: expected 'text' (`what`, when given, says it in words). */
at_status atx_lines_take(atx_lines *lines, const char *text, const char *what) AT_MUST_CHECK;

/* Length of the C identifier at the reader's place; 0: there is none. */
size_t atx_lines_word(const atx_lines *lines);

/* Reads a C identifier that fits ATX_MAX_NAME. */
at_status atx_lines_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads what stands up to the next blank. malloc'ed. */
at_status atx_lines_text(char **out, atx_lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads a decimal integer with an optional minus. */
at_status atx_lines_integer(int64_t *out, atx_lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads a decimal number as C writes them: 0.5, -1e-3. */
at_status atx_lines_real(double *out, atx_lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads "text" with its quotes; malloc'ed. */
at_status atx_lines_string(char **out, atx_lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads the longest expression from the reader's place. */
at_status atx_lines_expr(atx_expr **out, atx_lines *lines, const atx_symbols *symbols) AT_MUST_CHECK;

/* The same where names are not those of symbols alone. */
at_status atx_lines_expr_of(atx_expr **out, atx_lines *lines, const atx_scope *scope) AT_MUST_CHECK;

/* The line's comment on one line; "" when there is none. malloc'ed. */
at_status atx_lines_comment(char **out, const atx_lines *lines) AT_MUST_CHECK;

/* Does a word occur in the code of the source, outside of this block? */
bool atx_lines_source_has(const atx_lines *lines, const char *word);

#endif
