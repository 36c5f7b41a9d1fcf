/*
 * shapes.h - the problems a user wrote, in a file or on the command line.
 *
 * One problem a line; '#' starts a comment; blank lines are skipped. Words are separated by blanks, tabs,
 * commas or semicolons. A shape is sizes joined by 'x', 'X' or '*' or given as separate numbers
 * ("4096x4096", "4096 4096", "8x4096x128"); digits may be grouped by '_' . Leading dimensions follow a shape
 * without a blank: "4096x4096/4160x4352" (input rows 4160 elements apart, output rows 4352), and so do the
 * bytes that buffers are aligned to: "4096x4096@4", "4096x4096/4160x4352@16x4" (the input begins at a
 * multiple of 16, the output of 4). A dtype and an op may follow in any order; the op may also stand first.
 * CRLF and a UTF-8 byte order mark are accepted.
 */
#ifndef AUTOTUNE_SHAPES_H
#define AUTOTUNE_SHAPES_H

#include "lang/catalog.h"
#include "lang/problem.h"

typedef struct at__shapes {
    at__problem *problems;
    size_t count, cap;
} at__shapes;

#define AT__DEFAULT_TYPE AT__F32

/* What a line that does not say otherwise means. Zero: what it means everywhere. */
typedef struct at__shape_defaults {
    const char *op;         /* NULL: at__catalog_default_op                                  */
    const at__dtype *type;  /* NULL: AT__DEFAULT_TYPE, or, of an op without it, its first */
    const int64_t *pitches; /* of problems that give none and whose op has any; NULL: dense  */
    int pitch_count;
    const int64_t *aligns; /* likewise, in bytes; NULL: full */
    int align_count;
} at__shape_defaults;

/*
 * Reads every line of a file, "-": of stdin (`defaults` NULL: none are given); on the first bad one
 * AT_ERR_INPUT "file:line:column: found ...; expected ...". A problem that is there twice is kept once. A
 * file without any problem is AT_ERR_INPUT.
 */
at_status at__shapes_read(at__shapes *out, const char *path, const at__catalog *catalog,
                          const at__shape_defaults *defaults, at_error *err) AT_MUST_CHECK;

/* The same for a text; `file` names it in messages. A line has at most 4096 bytes. */
at_status at__shapes_parse(at__shapes *out, const char *text, size_t len, const char *file,
                           const at__catalog *catalog, const at__shape_defaults *defaults,
                           at_error *err) AT_MUST_CHECK;

void at__shapes_clear(at__shapes *shapes);

#endif
