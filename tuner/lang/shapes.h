/*
 * shapes.h - the problems a user wrote, in a file or on the command line.
 *
 * One problem a line; '#' starts a comment; blank lines are skipped. Words are separated by blanks, tabs,
 * commas or semicolons. A shape is sizes joined by 'x', 'X' or '*' or given as separate numbers
 * ("4096x4096", "4096 4096", "8x4096x128"); digits may be grouped by '_', and K and M multiply by 1024 and
 * 1024 K. Leading dimensions follow a shape without a blank: "4096x4096/4160x4352" (input rows 4160 elements
 * apart, output rows 4352), and so do the bytes that buffers are aligned to: "4096x4096@4",
 * "4096x4096/4160x4352@16x4" (the input begins at a multiple of 16, the output of 4). A dtype and an op may
 * follow in any order; the op may also stand first. Sizes may have names: "rows=8 cols=16"; of "rows=1..64"
 * both ends and the powers of two between them are problems. Multiplication signs are 'x', and blanks that do
 * not break are blanks. CRLF and a UTF-8 byte order mark are accepted. The last word of a line may be
 * calls=N: how often a program asks for the problem, which packs count; without it once.
 */
#pragma once

#include "lang/catalog.h"
#include "lang/problem.h"
#include "util/str.h"

typedef struct atx_shapes {
    atx_problem *problems;
    int64_t *calls; /* of each problem; where it was there twice the sum */
    size_t count, cap;
    atx_str notes; /* a line for each that became a problem of another operation: "permute ... is transpose
                      512x3" */
} atx_shapes;

#define ATX_DEFAULT_TYPE ATX_F32

/* Defaults of lines that do not say otherwise. Zero: the usual ones. */
typedef struct atx_shape_defaults {
    const char *op;         /* NULL: atx_catalog_default_op                                  */
    const atx_dtype *type;  /* NULL: ATX_DEFAULT_TYPE, or, of an op without it, its first */
    const int64_t *pitches; /* of problems that give none and whose op has any; NULL: dense  */
    int pitch_count;
    const int64_t *aligns; /* likewise, in bytes; NULL: full */
    int align_count;
} atx_shape_defaults;

/*
 * Reads every line of a file, "-": of stdin (`defaults` NULL: none are given); on bad ones
 * AT_ERR_INPUT "file:line:column: found ...; expected ...", a line each, as many as an error's text holds. A
 * problem that is there twice is kept once. A file without any problem is AT_ERR_INPUT.
 */
at_status atx_shapes_read(atx_shapes *out, const char *path, const atx_catalog *catalog,
                          const atx_shape_defaults *defaults, at_error *err) AT_MUST_CHECK;

/* The same for a text; `file` names it in messages. A line has at most 4096 bytes. */
at_status atx_shapes_parse(atx_shapes *out, const char *text, size_t len, const char *file,
                           const atx_catalog *catalog, const atx_shape_defaults *defaults,
                           at_error *err) AT_MUST_CHECK;

void atx_shapes_clear(atx_shapes *shapes);
