/*
 * import_file.c - a file is of the first format that knows it. What it says of the kernel (name, sizes,
 * types) is taken where it has a form of ours and left out else; a wrong shape would be worse than none.
 */
#include "exchange/import_results.h"
#include "util/json.h"
#include "util/str.h"
#include "util/text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 256 };

/*
 * ---- CSV and JSON lines as JSON ----
 *
 * They become an array of objects, in which a line of the file is a line of the text, so that messages name
 * the right one. CSV has a line of names; a comma, semicolon or tab separates; RFC 4180 quotes.
 */

static at_status refuse(const atx_str *text, const char *begin, const char *path, at_error *err)
{
    static const struct {
        const char *begin, *what, *instead;
    } OTHERS[] = {
        { "SQLite format 3", "a database", "autotune merge reads those of autotune" },
        { "{\"kind\":\"autotune dump\"", "a dump of autotune", "autotune merge reads it" },
        { "<", "XML or HTML", "JSON: KTT writes it with OutputFormat::JSON" },
    };
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (strncmp(begin, OTHERS[i].begin, strlen(OTHERS[i].begin)) == 0)
            return atx_fail(err, AT_ERR_INPUT, "%s: found %s; expected a recording (%s)", path,
                            OTHERS[i].what, OTHERS[i].instead);
    if (strlen(atx_str_text(text)) != text->len)
        return atx_fail(err, AT_ERR_INPUT, "%s: found a zero byte; expected text in UTF-8", path);
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

static void join_lines(atx_str *out, const char *text, int skipped)
{
    const char *comma = "";
    for (; skipped > 0; skipped--)
        atx_str_add(out, "\n");
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
    int line; /* at which `at` is */
    atx_str cell;
    int breaks;              /* lines that end within the cell */
    bool quoted, open, last; /* the cell: in quotes, which are not closed, the last one of its row */
} csv;

static char separator_of(const char *text)
{
    size_t len = strcspn(text, ",;\t\n");
    return text[len] && text[len] != '\n' ? text[len] : ',';
}

static void read_quoted(csv *c)
{
    c->at++;
    while (*c->at && (*c->at != '"' || c->at[1] == '"')) {
        c->at += *c->at == '"';
        c->breaks += *c->at == '\n';
        atx_str_add_bytes(&c->cell, c->at++, 1);
    }
    c->open = *c->at == '\0';
    c->at += *c->at == '"';
}

/* Blanks around a cell are none of it. */
static void next_cell(csv *c)
{
    atx_str_reset(&c->cell);
    c->breaks = 0;
    c->open = false;
    c->at += strspn(c->at, " ");
    c->quoted = *c->at == '"';
    if (c->quoted)
        read_quoted(c);
    size_t end = strcspn(c->at, (char[]){ c->separator, '\n', '\0' }), len = end;
    while (len && strchr(" \r", c->at[len - 1]))
        len--;
    atx_str_add_bytes(&c->cell, c->at, len);
    c->at += end;
    c->last = *c->at != c->separator;
    c->line += c->breaks + (*c->at == '\n');
    c->at += *c->at != 0;
}

static at_status check_cell(const csv *c, int line, const char *path, at_error *err)
{
    if (c->open)
        return atx_fail(err, AT_ERR_INPUT, "%s:%d: found a quote that is not closed; expected a second one",
                        path, line);
    return AT_OK;
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
    else if (is_number(&c->cell)) /* in quotes, too: many programs write all cells so */
        atx_str_add(out, atx_str_text(&c->cell));
    else
        atx_str_add_json(out, atx_str_text(&c->cell));
}

static at_status read_names(csv *c, const char *path, at_error *err)
{
    const int line = c->line;
    do {
        if (c->columns == MAX_COLUMNS)
            return atx_fail(err, AT_ERR_INPUT, "%s:%d: found more than %d columns; expected fewer", path,
                            line, MAX_COLUMNS);
        next_cell(c);
        ATX_TRY(check_cell(c, line, path, err));
        atx_str_add_bytes(&c->names[c->columns], atx_str_text(&c->cell), c->cell.len);
        c->names[c->columns++].failed |= c->cell.failed;
    } while (!c->last);
    return AT_OK;
}

static at_status read_row(atx_str *out, csv *c, const char *path, at_error *err)
{
    const int line = c->line;
    int count = 0;
    do {
        next_cell(c);
        ATX_TRY(check_cell(c, line, path, err));
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
    if (out->len > ATX_JSON_MAX_TEXT)
        return atx_fail(err, AT_ERR_INPUT, "%s:%d: found a table that takes more than %zu bytes as JSON",
                        path, line, ATX_JSON_MAX_TEXT);
    return AT_OK;
}

/* Line numbers of `out` become those of the table. */
static void end_line(atx_str *out, int *written, const csv *c)
{
    for (; *written < c->line; ++*written)
        atx_str_add(out, "\n");
}

static at_status read_csv(atx_str *out, const char *text, int line, const char *path, at_error *err)
{
    csv c = { .at = text, .separator = separator_of(text), .line = line };
    int written = 1;
    at_status status = read_names(&c, path, err);
    if (status == AT_OK && c.columns < 2)
        status = atx_fail(err, AT_ERR_INPUT,
                          "%s:%d: found neither JSON nor a line of several names; expected a recording "
                          "(autotune import --help)",
                          path, line);
    atx_str_add(out, "[");
    while (status == AT_OK && *c.at) {
        end_line(out, &written, &c);
        status = read_row(out, &c, path, err);
    }
    if (status == AT_OK && !c.rows)
        status =
            atx_fail(err, AT_ERR_INPUT, "%s:%d: found no rows behind the names; expected some", path, line);
    atx_str_add(out, "\n]");
    for (int i = 0; i < c.columns; i++) {
        out->failed |= c.names[i].failed;
        atx_str_clear(&c.names[i]);
    }
    atx_str_clear(&c.cell);
    return status;
}

static int lines_before(const char *text, const char *end)
{
    int count = 0;
    for (; text < end; text++)
        count += *text == '\n';
    return count;
}

/* JSON stays as it is. AT_ERR_INPUT: it is something else, and which command takes that. */
static at_status to_json(atx_str *text, bool *is_csv, const char *path, at_error *err)
{
    *is_csv = false;
    atx_str out = { 0 };
    const char *begin = atx_str_text(text);
    begin += strncmp(begin, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of Windows */
    const int skipped = lines_before(begin, begin + strspn(begin, " \t\r\n"));
    begin += strspn(begin, " \t\r\n");
    at_status status = refuse(text, begin, path, err);
    bool lines = is_lines(begin), json = !lines && (*begin == '{' || *begin == '[' || !*begin);
    if (status != AT_OK || json)
        return status;
    if (lines)
        join_lines(&out, begin, skipped);
    else
        status = read_csv(&out, begin, skipped + 1, path, err);
    ATX_THEN(status, atx_str_status(&out, err));
    if (status != AT_OK) {
        atx_str_clear(&out);
        return status;
    }
    *is_csv = !lines;
    atx_str_clear(text);
    *text = out;
    return AT_OK;
}

/* ---- the format ---- */

static const atx_import_format *const FORMATS[] = { &atx_import_t1,  &atx_import_cache,  &atx_import_clblast,
                                                    &atx_import_ktt, &atx_import_triton, &atx_import_table,
                                                    &atx_import_t4 };
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static at_status read_text(atx_import_file *file, at_error *err)
{
    atx_text_file *text = NULL;
    bool is_csv = false;
    at_status status = atx_text_file_open(&text, file->path, err);
    ATX_THEN(status, atx_text_file_all(text, &file->text, ATX_JSON_MAX_TEXT, err));
    atx_text_file_close(text);
    ATX_THEN(status, to_json(&file->text, &is_csv, file->path, err));
    ATX_THEN(status, atx_json_read(&file->json, atx_str_text(&file->text), file->text.len, file->path, err));
    file->json.is_table = is_csv;
    return status;
}

static bool is_of(const atx_json *json, const atx_import_format *f)
{
    const uint32_t first = json->nodes[0].kind == ATX_JSON_ARRAY ? atx_json_first(json, 0) : 0;
    if (!f->has[0])
        return first && json->nodes[first].kind == ATX_JSON_OBJECT;
    return atx_json_member(json, 0, f->has[0]) && (!f->has[1] || atx_json_member(json, 0, f->has[1]));
}

static at_status find_format(atx_import_file *file, at_error *err)
{
    ATX_LOCAL(atx_str) expected = { 0 };
    for (int i = 0; i < FORMAT_COUNT && !file->format; i++)
        if (is_of(&file->json, FORMATS[i]))
            file->format = FORMATS[i];
    if (file->format)
        return AT_OK;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const atx_import_format *f = FORMATS[i];
        atx_str_addf(&expected, "%s%s", i == 0 ? "" : i + 1 < FORMAT_COUNT ? ", " : " or ", f->looks_like);
        if (f->has[0])
            atx_str_addf(&expected, " (%s%s%s)", f->has[0], f->has[1] ? ", " : "",
                         f->has[1] ? f->has[1] : "");
    }
    ATX_TRY(atx_str_status(&expected, err));
    return atx_fail(err, AT_ERR_INPUT, "%s: expected %s", file->path, atx_str_text(&expected));
}

static at_status read_trials(atx_import_file *file, at_error *err)
{
    const atx_import_format *f = file->format;
    const char *list = f->has[1] ? f->has[1] : f->has[0];
    if (f->read)
        return f->read(file, err);
    return atx_import_read_results(file, list ? atx_json_member(&file->json, 0, list) : 0, f->look, err);
}

at_status atx_import_file_read(atx_import_file *out, const char *path, at_error *err)
{
    *out = (atx_import_file){ .path = path, .type = ATX_DTYPES };
    at_status status = read_text(out, err);
    ATX_THEN(status, find_format(out, err));
    if (status == AT_OK && !atx_import_read_about(out))
        status = atx_no_memory(err);
    ATX_THEN(status, read_trials(out, err));
    if (status == AT_OK && out->json.torn && !out->format->may_end_early)
        status = atx_fail(err, AT_ERR_INPUT, "%s: the file ends too early; expected all of it", path);
    if (status != AT_OK)
        atx_import_file_clear(out);
    return status;
}

at_status atx_import_file_read_template(atx_import_file *out, const atx_import_file *file, int number,
                                        at_error *err)
{
    *out = *file;
    out->shares = true;
    out->number = number;
    out->param_count = 0;
    out->trials = NULL;
    out->trial_count = out->trial_cap = 0;
    at_status status = read_trials(out, err);
    if (status != AT_OK)
        atx_import_file_clear(out);
    return status;
}

void atx_import_file_clear(atx_import_file *file)
{
    for (int i = 0; i < file->param_count; i++)
        atx_import_clear_values(&file->params[i]);
    free(file->trials);
    if (!file->shares) {
        atx_json_clear(&file->json);
        atx_str_clear(&file->text);
    }
    *file = (atx_import_file){ 0 };
}
