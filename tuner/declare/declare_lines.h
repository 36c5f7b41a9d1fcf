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

#define AT__MAX_LINE   4096
#define AT__MAX_SOURCE ((size_t)1 << 20)

typedef struct at__lines {
    const char *source;
    size_t len;
    const char *file; /* borrowed by every place that is handed out */
    at_error *err;
    const char *begin, *end; /* of the block: after the marker, before the end of the comment */
    at__where begin_where;
    const char *next; /* the line to read next, and its number and column */
    at__where next_where;
    const char *line, *line_end; /* the current line, without its comment and blanks at its end */
    at__where line_where;
    const char *at; /* what of the current line was not read yet; never a blank */
    const char *comment, *comment_end;
} at__lines;

/* The first byte that no source may have, with what to say of it: a zero, or 0xff, which is the end of the
 * file to NVRTC wherever it stands. NULL: there is none. */
const char *at__lines_unfit(const char **what, const char *source, size_t len);

/*
 * Finds the first block whose first word is `kind` and stands before its first line. AT_ERR_INPUT: there is
 * none, it is not closed, or the source as a whole is unfit (NUL bytes, 0xff, too large).
 */
at_status at__lines_open(at__lines *out, const char *source, size_t len, const char *file, const char *kind,
                         at_error *err) AT_MUST_CHECK;

/* Goes to the next line that is not empty; *more is false after the last. */
at_status at__lines_next(bool *more, at__lines *lines) AT_MUST_CHECK;

at__where at__lines_where(const at__lines *lines, const char *at);

/* "file:line:column: ..." with AT_ERR_INPUT. */
at_status at__lines_fail(const at__lines *lines, const char *at, const char *format, ...) AT_PRINTF(3, 4);

/* "...: found WHAT; expected ...": what stands at the reader's place. */
at_status at__lines_expected(const at__lines *lines, const char *expected);

bool at__lines_at_end(const at__lines *lines);
bool at__lines_sees(const at__lines *lines, const char *text); /* does the rest of the line start so? */
bool at__lines_sees_word(const at__lines *lines, const char *word);
void at__lines_skip(at__lines *lines, size_t count); /* that much, and blanks */

/* Skips `text`, or fails: expected 'text' (`what`, when given, says it in words). */
at_status at__lines_take(at__lines *lines, const char *text, const char *what) AT_MUST_CHECK;

/* Length of the C identifier at the reader's place; 0: there is none. */
size_t at__lines_word(const at__lines *lines);

/* Reads a C identifier that fits AT__MAX_NAME. */
at_status at__lines_name(char out[AT__MAX_NAME], at__lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads what stands up to the next blank. malloc'ed. */
at_status at__lines_text(char **out, at__lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads a decimal integer with an optional minus. */
at_status at__lines_integer(int64_t *out, at__lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads a decimal number as C writes them: 0.5, -1e-3. */
at_status at__lines_real(double *out, at__lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads "text" with its quotes; malloc'ed. */
at_status at__lines_string(char **out, at__lines *lines, const char *expected) AT_MUST_CHECK;

/* Reads the longest expression from the reader's place. */
at_status at__lines_expr(at__expr **out, at__lines *lines, const at__symbols *symbols) AT_MUST_CHECK;

/* The same where names are not those of symbols alone. */
at_status at__lines_expr_of(at__expr **out, at__lines *lines, const at__scope *scope) AT_MUST_CHECK;

/* The line's comment on one line; "" when there is none. malloc'ed. */
at_status at__lines_comment(char **out, const at__lines *lines) AT_MUST_CHECK;

/* Does a whole word occur in the source outside of this block? */
bool at__lines_source_has(const at__lines *lines, const char *word);

#endif
