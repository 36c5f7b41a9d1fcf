/*
 * rows.c - whether a comma is due is read off the end of the text, so that there is no state to keep: an
 * object has just been opened where the text ends in '{', since texts within end in a quote; a row has just
 * begun at the text's beginning or behind a newline, since newlines within are quoted. An empty first field
 * is written as quotes for the same reason.
 */
#include "util/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char last_of(const atx_str *out)
{
    return out->len ? out->data[out->len - 1] : '\0';
}

/* ---- JSON ---- */

void atx_member_name(atx_str *out, const char *name)
{
    atx_str_add(out, last_of(out) == '{' ? "\"" : ",\"");
    atx_str_add(out, name);
    atx_str_add(out, "\":");
}

void atx_member_text(atx_str *out, const char *name, const char *text)
{
    atx_member_name(out, name);
    atx_str_add_json(out, text);
}

void atx_member_int(atx_str *out, const char *name, int64_t value)
{
    atx_member_name(out, name);
    atx_str_add_int(out, value);
}

void atx_member_ints(atx_str *out, const char *name, const int64_t *values, int count)
{
    atx_member_name(out, name);
    atx_str_add(out, "[");
    for (int i = 0; i < count; i++) {
        atx_str_add(out, i ? "," : "");
        atx_str_add_int(out, values[i]);
    }
    atx_str_add(out, "]");
}

void atx_member_real(atx_str *out, const char *name, int digits, double value)
{
    atx_member_name(out, name);
    atx_str_add_real(out, digits, value);
}

void atx_member_bool(atx_str *out, const char *name, bool value)
{
    atx_member_name(out, name);
    atx_str_add(out, value ? "true" : "false");
}

/* ---- CSV ---- */

/* true: it is the first of its row. */
static bool begin_field(atx_str *out)
{
    bool first = !out->len || last_of(out) == '\n';
    atx_str_add(out, first ? "" : ",");
    return first;
}

void atx_field_text(atx_str *out, const char *text)
{
    bool first = begin_field(out);
    const char *at = text ? text : "", *mark = *at && strchr("=+-@", *at) ? "'" : "";
    if (*at ? !strpbrk(at, ",\"\r\n") : !first) {
        atx_str_addf(out, "%s%s", mark, at);
        return;
    }
    atx_str_addf(out, "\"%s", mark);
    for (; *at; at++)
        atx_str_add_bytes(out, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    atx_str_add(out, "\"");
}

void atx_field_int(atx_str *out, int64_t value)
{
    begin_field(out);
    atx_str_add_int(out, value);
}

/* ---- a row ---- */

/* Its name as a head; true: a member is to be written. */
static bool is_member(atx_row *row, const char *name)
{
    if (row->form == ATX_ROW_HEADS && row->group) {
        atx_field_text(row->out, row->group);
        atx_str_addf(row->out, "_%s", name);
    } else if (row->form == ATX_ROW_HEADS) {
        atx_field_text(row->out, name);
    }
    return row->form == ATX_ROW_MEMBERS;
}

void atx_row_text(atx_row *row, const char *name, const char *value)
{
    if (is_member(row, name))
        atx_member_text(row->out, name, value);
    else if (row->form == ATX_ROW_FIELDS)
        atx_field_text(row->out, value);
}

void atx_row_real(atx_row *row, const char *name, int digits, double value)
{
    char field[32] = "";
    if (is_member(row, name)) {
        atx_member_real(row->out, name, digits, value);
        return;
    }
    if (row->form == ATX_ROW_FIELDS && isfinite(value)) { /* not as text: -1 is no formula */
        snprintf(field, sizeof field, "%.*g", digits, value);
        begin_field(row->out);
        atx_str_add(row->out, field);
    } else if (row->form == ATX_ROW_FIELDS) {
        atx_field_text(row->out, field);
    }
}

void atx_row_int(atx_row *row, const char *name, int64_t value)
{
    if (value < 0)
        atx_row_text(row, name, NULL);
    else if (is_member(row, name))
        atx_member_int(row->out, name, value);
    else if (row->form == ATX_ROW_FIELDS)
        atx_field_int(row->out, value);
}

void atx_row_bool(atx_row *row, const char *name, int value)
{
    if (value >= 0 && row->form == ATX_ROW_MEMBERS)
        atx_member_bool(row->out, name, value);
    else
        atx_row_text(row, name, value < 0 ? NULL : value ? "1" : "0");
}

void atx_row_open(atx_row *row, const char *group)
{
    if (row->form == ATX_ROW_MEMBERS) {
        atx_member_name(row->out, group);
        atx_str_add(row->out, "{");
    }
    row->group = group;
}

void atx_row_close(atx_row *row)
{
    if (row->form == ATX_ROW_MEMBERS)
        atx_str_add(row->out, "}");
    row->group = NULL;
}
