/*
 * rows.h - results for programs, appended to a text: members of a JSON object, fields of a row of CSV.
 *
 * Commas come by themselves: before a member, unless its object has just been opened by a '{' in the text;
 * before a field, unless its row has just begun. Names of members are not escaped. A real that is not finite
 * is null in JSON and an empty field in CSV.
 */
#pragma once

#include "util/str.h"

void atx_member_name(atx_str *out, const char *name);                   /* the value comes next */
void atx_member_text(atx_str *out, const char *name, const char *text); /* NULL: null */
void atx_member_int(atx_str *out, const char *name, int64_t value);
void atx_member_ints(atx_str *out, const char *name, const int64_t *values, int count);
void atx_member_real(atx_str *out, const char *name, int digits, double value); /* significant digits */
void atx_member_bool(atx_str *out, const char *name, bool value);

/* RFC 4180: quoted only where it must be. NULL: empty. A text that a spreadsheet would take for a formula
 * begins with an apostrophe: a compiler's log may quote any source. */
void atx_field_text(atx_str *out, const char *text);
void atx_field_int(atx_str *out, int64_t value);

/*
 * A result in one walk, which names each figure; the form decides what is written of it. Every name is always
 * there, in the same order; what is not known (NULL, below zero, NaN) is null, or an empty field.
 */
typedef enum atx_row_form { ATX_ROW_MEMBERS, ATX_ROW_HEADS, ATX_ROW_FIELDS } atx_row_form;
typedef struct atx_row {
    atx_str *out;
    atx_row_form form;
    const char *group; /* NULL: none is open */
} atx_row;

void atx_row_text(atx_row *row, const char *name, const char *value);
void atx_row_int(atx_row *row, const char *name, int64_t value);
void atx_row_real(atx_row *row, const char *name, int digits, double value); /* significant digits */
void atx_row_bool(atx_row *row, const char *name, int value);                /* 0, 1; below zero: unknown */

/* A member that is an object, and columns called GROUP_NAME. One at a time. */
void atx_row_open(atx_row *row, const char *group);
void atx_row_close(atx_row *row);
