/* import_text.c - see import_text.h. CSV has a line of names; a comma, semicolon or tab separates; RFC 4180
 * quotes. */
#include "exchange/import_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 256 };

/* ---- what it is ---- */

static at_status refuse(const atx_str *text, const char *path, at_error *err)
{
    static const struct {
        const char *begin, *what, *instead;
    } OTHERS[] = {
        { "SQLite format 3", "a database", "autotune merge reads those of autotune" },
        { "{\"kind\":\"autotune dump\"", "a dump of autotune", "autotune merge reads it" },
        { "<", "XML or HTML", "JSON: KTT writes it with OutputFormat::JSON" },
    };
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (strncmp(atx_str_text(text), OTHERS[i].begin, strlen(OTHERS[i].begin)) == 0)
            return atx_fail(err, AT_ERR_INPUT, "%s: found %s; expected a recording (%s)", path,
                            OTHERS[i].what, OTHERS[i].instead);
    return AT_OK;
}

/* A line that is an object, and another one. */
static bool is_lines(const char *text)
{
    size_t len = strcspn(text, "\n");
    const char *next = text + len + strspn(text + len, "\r\n \t");
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    return text[0] == '{' && len && text[len - 1] == '}' && *next == '{';
}

/* ---- JSON lines ---- */

static void join_lines(atx_str *out, const char *text)
{
    const char *comma = "";
    atx_str_add(out, "[");
    while (*text) {
        size_t len = strcspn(text, "\n");
        bool blank = strspn(text, " \t\r") >= len;
        atx_str_add(out, blank ? "" : comma);
        atx_str_add_bytes(out, text, len);
        atx_str_add(out, text[len] ? "\n" : "");
        comma = blank ? comma : ",";
        text += len + (text[len] == '\n');
    }
    atx_str_add(out, "]");
}

/* ---- CSV ---- */

typedef struct csv {
    const char *at;
    char separator;
    atx_str names[MAX_COLUMNS];
    int columns, rows;
    atx_str cell;
    bool quoted, last; /* the cell: in quotes, the last one of its row */
} csv;

static char separator_of(const char *text)
{
    size_t len = strcspn(text, ",;\t\n");
    return text[len] && text[len] != '\n' ? text[len] : ',';
}

static void next_cell(csv *c)
{
    atx_str_reset(&c->cell);
    c->quoted = *c->at == '"';
    if (c->quoted) {
        c->at++;
        while (*c->at && (*c->at != '"' || c->at[1] == '"')) {
            c->at += *c->at == '"';
            atx_str_add_bytes(&c->cell, c->at++, 1);
        }
        c->at += *c->at == '"';
    }
    while (*c->at && *c->at != c->separator && *c->at != '\n') {
        atx_str_add_bytes(&c->cell, c->at, *c->at != '\r');
        c->at++;
    }
    c->last = *c->at != c->separator;
    c->at += *c->at != 0;
}

/* What JSON takes for a number. */
static bool is_number(const atx_str *cell)
{
    const char *text = atx_str_text(cell), *digits = text + (text[0] == '-');
    char *end = NULL;
    bool plain = cell->len && strspn(text, "0123456789.eE+-") == cell->len &&
                 isdigit((unsigned char)digits[0]) &&
                 !(digits[0] == '0' && isdigit((unsigned char)digits[1]));
    (void)strtod(text, &end);
    return plain && *end == '\0' && isdigit((unsigned char)text[cell->len - 1]) && !strstr(text, ".e") &&
           !strstr(text, ".E");
}

static void add_cell(atx_str *out, const csv *c)
{
    out->failed |= c->cell.failed;
    if (!c->cell.len && !c->quoted)
        atx_str_add(out, "null");
    else if (!c->quoted && is_number(&c->cell))
        atx_str_add(out, atx_str_text(&c->cell));
    else
        atx_str_add_json(out, atx_str_text(&c->cell));
}

static at_status read_names(csv *c, const char *path, at_error *err)
{
    do {
        if (c->columns == MAX_COLUMNS)
            return atx_fail(err, AT_ERR_INPUT, "%s:1: found more than %d columns; expected fewer", path,
                            MAX_COLUMNS);
        next_cell(c);
        atx_str_add_bytes(&c->names[c->columns], atx_str_text(&c->cell), c->cell.len);
        c->names[c->columns++].failed |= c->cell.failed;
    } while (!c->last);
    return AT_OK;
}

static at_status read_row(atx_str *out, csv *c, const char *path, int line, at_error *err)
{
    int count = 0;
    do {
        next_cell(c);
        if (count == 0 && c->last && !c->cell.len && !c->quoted)
            return AT_OK; /* an empty line */
        if (count < c->columns) {
            atx_str_add(out, count ? "," : c->rows++ ? ",{" : "{");
            atx_str_add_json(out, atx_str_text(&c->names[count]));
            atx_str_add(out, ":");
            add_cell(out, c);
        }
        count++;
    } while (!c->last);
    atx_str_add(out, "}");
    if (count != c->columns)
        return atx_fail(err, AT_ERR_INPUT, "%s:%d: found %d columns; expected %d, as the first line has",
                        path, line, count, c->columns);
    return AT_OK;
}

static at_status read_csv(atx_str *out, const char *text, const char *path, at_error *err)
{
    csv c = { .at = text, .separator = separator_of(text) };
    at_status status = read_names(&c, path, err);
    if (status == AT_OK && c.columns < 2)
        status = atx_fail(err, AT_ERR_INPUT,
                          "%s:1: found neither JSON nor a line of several names; expected a recording "
                          "(autotune import --help)",
                          path);
    atx_str_add(out, "[\n");
    for (int line = 2; status == AT_OK && *c.at; line++) {
        status = read_row(out, &c, path, line, err);
        atx_str_add(out, "\n");
    }
    atx_str_add(out, "]");
    for (int i = 0; i < c.columns; i++) {
        out->failed |= c.names[i].failed;
        atx_str_clear(&c.names[i]);
    }
    atx_str_clear(&c.cell);
    return status;
}

at_status atx_import_to_json(atx_str *text, const char *path, at_error *err)
{
    atx_str out = { 0 };
    const char *begin = atx_str_text(text);
    at_status status = refuse(text, path, err);
    begin += strncmp(begin, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of Windows */
    begin += strspn(begin, " \t\r\n");
    bool lines = is_lines(begin), json = !lines && (*begin == '{' || *begin == '[' || !*begin);
    if (status != AT_OK || json)
        return status;
    if (lines)
        join_lines(&out, begin);
    else
        status = read_csv(&out, begin, path, err);
    if (status == AT_OK)
        status = atx_str_status(&out, err);
    if (status != AT_OK) {
        atx_str_clear(&out);
        return status;
    }
    atx_str_clear(text);
    *text = out;
    return AT_OK;
}
