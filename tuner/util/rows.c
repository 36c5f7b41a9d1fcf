/*
 * rows.c - whether a comma is due is read off the end of the text, so that there is no state to keep: an
 * object has just been opened where the text ends in '{', since texts within end in a quote; a row has just
 * begun at the text's beginning or behind a newline, since newlines within are quoted. An empty first field
 * is written as quotes for the same reason.
 */
#include "util/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static char last_of(const at__str *out)
{
    return out->len ? out->data[out->len - 1] : '\0';
}

/* ---- JSON ---- */

void at__member_name(at__str *out, const char *name)
{
    at__str_add(out, last_of(out) == '{' ? "\"" : ",\"");
    at__str_add(out, name);
    at__str_add(out, "\":");
}

void at__member_text(at__str *out, const char *name, const char *text)
{
    at__member_name(out, name);
    at__str_add_json(out, text);
}

void at__member_int(at__str *out, const char *name, int64_t value)
{
    at__member_name(out, name);
    at__str_add_int(out, value);
}

void at__member_ints(at__str *out, const char *name, const int64_t *values, int count)
{
    at__member_name(out, name);
    at__str_add(out, "[");
    for (int i = 0; i < count; i++) {
        at__str_add(out, i ? "," : "");
        at__str_add_int(out, values[i]);
    }
    at__str_add(out, "]");
}

void at__member_real(at__str *out, const char *name, int digits, double value)
{
    at__member_name(out, name);
    at__str_add_real(out, digits, value);
}

void at__member_bool(at__str *out, const char *name, bool value)
{
    at__member_name(out, name);
    at__str_add(out, value ? "true" : "false");
}

/* ---- CSV ---- */

/* true: it is the first of its row. */
static bool begin_field(at__str *out)
{
    bool first = !out->len || last_of(out) == '\n';
    at__str_add(out, first ? "" : ",");
    return first;
}

void at__field_text(at__str *out, const char *text)
{
    bool first = begin_field(out);
    const char *at = text ? text : "";
    if (*at ? !strpbrk(at, ",\"\r\n") : !first) {
        at__str_add(out, at);
        return;
    }
    at__str_add(out, "\"");
    for (; *at; at++)
        at__str_add_bytes(out, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    at__str_add(out, "\"");
}

void at__field_int(at__str *out, int64_t value)
{
    begin_field(out);
    at__str_add_int(out, value);
}

void at__field_real(at__str *out, int decimals, double value)
{
    begin_field(out);
    if (isfinite(value))
        at__str_addf(out, "%.*f", decimals, value);
}
