/*
 * part_line.h - the lines between the parts of a bundle (declare_common.h), each with the length of the part
 * behind it, so that nothing in a part can be taken for one.
 */
#ifndef AUTOTUNE_PART_LINE_H
#define AUTOTUNE_PART_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define AT__PART_COMMON  "//!autotune common "  /* NAME LENGTH      */
#define AT__PART_SOURCE  "//!autotune source "  /* LENGTH LINE PATH */
#define AT__PART_HEADERS "//!autotune headers " /* a note           */
#define AT__PART_DATA    "//!autotune data "    /* HASH NAME        */

enum { AT__MAX_PART_PATH = 1024, AT__HEADERS_LINE = -1, AT__DATA_LINE = -2 };

/* The line before a part of a bundle. */
typedef struct at__part_line {
    char name[AT__MAX_PART_PATH]; /* of common code, or the path of a source */
    int line;                     /* of a piece of a source; 0: common code; below: a note, and no text */
    const char *text;             /* behind the line                         */
    size_t len;
} at__part_line;

/* Is there a line "//!autotune common NAME LENGTH" at `at`, or one of a piece, with as many bytes behind it,
 * or a note, of headers (AT__HEADERS_LINE) or of a file's contents (AT__DATA_LINE)? */
bool at__part_line_read(at__part_line *out, const char *at, const char *end);

#endif
