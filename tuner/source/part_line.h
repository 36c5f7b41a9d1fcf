/*
 * part_line.h - the lines between the parts of a bundle (declare_common.h), each with the length of the part
 * behind it, so that nothing in a part can be taken for one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ATX_PART_COMMON  "//!autotune common "  /* NAME LENGTH      */
#define ATX_PART_SOURCE  "//!autotune source "  /* LENGTH LINE PATH */
#define ATX_PART_HEADERS "//!autotune headers " /* a note           */
#define ATX_PART_DATA    "//!autotune data "    /* HASH NAME        */

enum { ATX_MAX_PART_PATH = 1024, ATX_HEADERS_LINE = -1, ATX_DATA_LINE = -2 };

/* The line before a part of a bundle. */
typedef struct atx_part_line {
    char name[ATX_MAX_PART_PATH]; /* of common code, or the path of a source */
    int line;                     /* of a piece of a source; 0: common code; below: a note, and no text */
    const char *text;             /* behind the line                         */
    size_t len;
} atx_part_line;

/* Is there a line "//!autotune common NAME LENGTH" at `at`, or one of a piece, with as many bytes behind it,
 * or a note, of headers (ATX_HEADERS_LINE) or of a file's contents (ATX_DATA_LINE)? */
bool atx_part_line_read(atx_part_line *out, const char *at, const char *end);
