/*
 * rows.h - results for programs, appended to a text: members of a JSON object, fields of a row of CSV.
 *
 * Commas come by themselves: before a member, unless its object has just been opened by a '{' in the text;
 * before a field, unless its row has just begun. Names of members are not escaped. A real that is not finite
 * is null in JSON and an empty field in CSV.
 */
#ifndef AUTOTUNE_UTIL_ROWS_H
#define AUTOTUNE_UTIL_ROWS_H

#include "util/str.h"

void at__member_name(at__str *out, const char *name);                   /* the value is what comes next */
void at__member_text(at__str *out, const char *name, const char *text); /* NULL: null */
void at__member_int(at__str *out, const char *name, int64_t value);
void at__member_ints(at__str *out, const char *name, const int64_t *values, int count);
void at__member_real(at__str *out, const char *name, int digits, double value); /* significant digits */
void at__member_bool(at__str *out, const char *name, bool value);

/* RFC 4180: quoted only where it must be. NULL: empty. */
void at__field_text(at__str *out, const char *text);
void at__field_int(at__str *out, int64_t value);
void at__field_real(at__str *out, int decimals, double value); /* digits behind the point */

#endif
