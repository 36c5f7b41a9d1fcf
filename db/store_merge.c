/*
 * store_merge.c - adds the contents of other databases and dumps. A database is read as its own dump, so
 * there is only one way in; SQLite parses the JSON.
 *
 * Each line is completed from the previous line of its kind (a compact dump leaves out equal members), its
 * key is checked and becomes row numbers, and one INSERT extracts the figures by the rules of columns.h. All
 * of it is one transaction: a line that is refused leaves nothing behind.
 */
#include "db/store_internal.h"
#include "source/normalized.h"
#include "util/clock.h"
#include "util/real_path.h"
#include "util/sha256.h"
#include "util/text_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char DOING[] = "merge";

/* A line is completed from those before it: many short ones can become long ones. */
#define MAX_LINE  ((size_t)16 << 20)
#define MAX_BYTES ((int64_t)16 << 30) /* of a file's completed lines */

typedef enum line_kind { LINE_SOURCE, LINE_TRIAL, LINE_WINNER, LINE_KINDS } line_kind;

typedef struct merger {
    atx_store *store;
    const char *path;            /* of the file, for messages               */
    int64_t line;                /* of it; 0: no text                       */
    int64_t bytes;               /* of its lines, completed                 */
    atx_fingerprint fingerprint; /* of the row before, and its number; 0: none */
    int64_t fingerprint_id;
    atx_str before[LINE_KINDS]; /* the last object of a kind, complete     */
    bool headed;                /* its first line was read                */
    char latest[21];            /* date that is believed                  */
    atx_merge_counts counts;
    at_status status; /* why a sink stopped */
    const atx_cancel *cancel;
    at_error *err;
} merger;

static at_status fail_line(const merger *m, const char *what)
{
    return atx_fail(m->err, AT_ERR_INPUT, "%s:%lld: %s", m->path, (long long)m->line, what);
}

static at_status interrupted(const merger *m)
{
    return atx_fail(m->err, AT_ERR_CANCELLED, "interrupted; nothing was added");
}

/* What SQLite refused: a value that the tables do not allow is the line's fault, anything else ours. */
static at_status fail_step(const merger *m)
{
    int code = sqlite3_extended_errcode(m->store->db) & 0xff;
    char what[256];
    if (code == SQLITE_FULL && strcmp(m->store->path, ":memory:") == 0)
        return fail_line(m,
                         "found more than is held in memory of a dump; expected a database: `autotune merge "
                         "FILE.db DUMP` makes it");
    if (code != SQLITE_CONSTRAINT && code != SQLITE_ERROR && code != SQLITE_MISMATCH)
        return atx_store_fail(m->store, DOING, m->err);
    snprintf(what, sizeof what, "damaged: %s", sqlite3_errmsg(m->store->db));
    return fail_line(m, what);
}

/* atx_query_next; a value that does not fit is an error of the line. */
static bool next(const merger *m, atx_query *q, at_status *status)
{
    int code = *status == AT_OK ? atx_store_step(q) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *status = fail_step(m);
    return code == SQLITE_ROW;
}

/* ---- one line ---- */

/* The kind that the line names, -1: none of ours. */
static int kind_of(sqlite3_stmt *s)
{
    static const char *const NAMES[] = { "source", "trial", "winner" };
    const char *name = atx_store_text(s, 0);
    for (int i = 0; i < LINE_KINDS; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return i;
    return -1;
}

static at_status read_kind(int *kind, const merger *m, const char *text)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, m->store, ATX_SQL_LINE_KIND, DOING, m->err, "s", text);
    *kind = next(m, &q, &status) ? kind_of(q.statement) : -1;
    if (status == AT_OK && *kind < 0)
        status = fail_line(m, "damaged: expected a JSON object whose kind is source, trial or winner");
    return status;
}

/* RFC 7396: members that the line has replace those of the object before. */
static at_status complete(const merger *m, atx_str *before, const char *text)
{
    atx_str object = { 0 };
    atx_query q;
    at_status status = atx_query_begin(&q, m->store, ATX_SQL_LINE_PATCH, DOING, m->err, "ss",
                                       before->len ? atx_str_text(before) : "{}", text);
    if (next(m, &q, &status))
        atx_str_add(&object, atx_store_text(q.statement, 0));
    atx_query_clear(&q);
    ATX_THEN(status, atx_str_status(&object, m->err));
    atx_str_clear(before);
    *before = object;
    return status;
}

/* "2026-11-20T21:52:57Z": newer is greater as a text only if it is one. */
static bool is_time(const char *text)
{
    static const char FORM[] = "dddd-dd-ddTdd:dd:ddZ";
    size_t i = 0;
    for (; FORM[i] && text[i]; i++)
        if (FORM[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != FORM[i])
            return false;
    return !FORM[i] && !text[i];
}

static bool is_good(const atx_column *c, sqlite3_stmt *s, int index)
{
    bool number = c->kind == ATX_KIND_INT || c->kind == ATX_KIND_BOOL;
    if (sqlite3_column_type(s, index) != (number ? SQLITE_INTEGER : SQLITE_TEXT))
        return false;
    const char *text = atx_store_text(s, index);
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) /* a name that would show as something else */
            return false;
    if (strcmp(c->shown, "measured_at") == 0)
        return is_time(text);
    return *text || c->rule != ATX_RULE_NEEDED;
}

/* A number that is out of its column's range, a text that a record has no room for. */
static at_status check_value(const merger *m, const atx_column *c, sqlite3_stmt *s, int index)
{
    at_error cause = { 0 };
    char what[256];
    if (atx_column_check(c, s, index, &cause) == AT_OK)
        return AT_OK;
    snprintf(what, sizeof what, "damaged: the member %.200s", cause.text);
    return fail_line(m, what);
}

/* The columns of LINE_KEY. */
static at_status check_key(const merger *m, sqlite3_stmt *s)
{
    char what[96];
    at_status status = AT_OK;
    for (int i = 0; status == AT_OK && i < atx_line_columns.count; i++) {
        if (is_good(&atx_line_columns.items[i], s, i)) {
            status = check_value(m, &atx_line_columns.items[i], s, i);
            continue;
        }
        snprintf(what, sizeof what, "damaged: the member %s is missing or makes no sense",
                 atx_line_columns.items[i].shown);
        status = fail_line(m, what);
    }
    return status;
}

/* A line's columns are of no record: what there is room for, a fingerprint's say. */
static at_status check_fingerprint(const merger *m, sqlite3_stmt *s)
{
    for (int i = 0; i < atx_fingerprint_columns.count; i++)
        ATX_TRY(check_value(m, &atx_fingerprint_columns.items[i], s, atx_problem_columns.count + i));
    return AT_OK;
}

/* Most rows of a file have the fingerprint of the row before. */
static at_status fingerprint_id(int64_t *id, merger *m, const atx_fingerprint *f)
{
    at_status status = AT_OK;
    if (!m->fingerprint_id || !atx_fingerprint_equal(f, &m->fingerprint))
        status = atx_store_fingerprint_id(&m->fingerprint_id, m->store, f, m->err);
    m->fingerprint = *f;
    *id = m->fingerprint_id;
    return status;
}

/* Problem, fingerprint and template of the object: found or added. */
static at_status row_ids(int64_t ids[3], merger *m, sqlite3_stmt *s)
{
    atx_problem_key problem;
    atx_fingerprint fingerprint;
    ATX_TRY(check_key(m, s));
    ATX_TRY(check_fingerprint(m, s));
    memset(&fingerprint, 0, sizeof fingerprint);
    int column = atx_columns_read(&problem, &atx_problem_columns, s, 0);
    column = atx_columns_read(&fingerprint, &atx_fingerprint_columns, s, column);
    const char *template_name = atx_store_text(s, column);
    const char *template_hash = atx_store_text(s, column + 1);
    m->counts.in_the_future += strcmp(atx_store_text(s, atx_line_columns.count - 1), m->latest) > 0;
    ATX_TRY(atx_store_problem_id(&ids[0], m->store, &problem, m->err));
    ATX_TRY(fingerprint_id(&ids[1], m, &fingerprint));
    return atx_store_template_id(&ids[2], m->store, template_name, template_hash, m->err);
}

/* Runs a bound statement that inserts a row, or finds that there is nothing to insert. What it returns are
 * the row's figures, as they were stored. */
static at_status put(const merger *m, atx_query *q, const atx_columns *figures, at_status status,
                     int64_t *taken)
{
    int before = sqlite3_total_changes(m->store->db);
    while (next(m, q, &status))
        for (int i = 0; status == AT_OK && figures && i < figures->count; i++)
            status = check_value(m, &figures->items[i], q->statement, i + 1);
    *taken += sqlite3_total_changes(m->store->db) - before;
    atx_query_clear(q);
    return status;
}

static at_status put_row(merger *m, atx_sql sql, const atx_columns *figures, const char *object,
                         int64_t *seen, int64_t *taken)
{
    int64_t ids[3] = { 0 };
    atx_query q;
    at_status status = atx_query_begin(&q, m->store, ATX_SQL_LINE_KEY, DOING, m->err, "s", object);
    if (next(m, &q, &status))
        status = row_ids(ids, m, q.statement);
    atx_query_clear(&q);
    ++*seen;
    if (status == AT_OK && sql == ATX_SQL_MERGE_WINNER)
        status =
            atx_store_exec(m->store, ATX_SQL_UNRANK_WINNERS, DOING, m->err, "iis", ids[0], ids[1], m->latest);
    if (status != AT_OK)
        return status;
    status =
        atx_query_begin(&q, m->store, sql, DOING, m->err, "siiis", object, ids[0], ids[1], ids[2], m->latest);
    return put(m, &q, figures, status, taken);
}

/* Of a merged winner the strategy that found it is known, when its line says so. */
static at_status put_run(const merger *m, const char *object)
{
    int64_t runs = 0;
    atx_query q;
    at_status status = atx_query_begin(&q, m->store, ATX_SQL_MERGE_RUN, DOING, m->err, "s", object);
    return put(m, &q, NULL, status, &runs);
}

/* Texts of templates and ops are named by the hash of their normalized form, others by their SHA-256. */
static bool has_hash(const atx_str *text, const char *hash, const char *path)
{
    char found[ATX_HASH_TEXT] = "";
    if (strncmp(path, ATX_SPACE_PATH, sizeof ATX_SPACE_PATH - 1) == 0 || strcmp(path, ATX_HEADERS_PATH) == 0)
        atx_hash_text(found, atx_str_text(text), text->len);
    else if (atx_normalized_hash(found, atx_str_text(text), text->len, NULL, NULL) != AT_OK)
        return false;
    return strcmp(found, hash) == 0;
}

/* Text that is not hexadecimal cannot equal the hash. */
static void read_hex(atx_str *out, const char *hex)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (; hex[0] && hex[1]; hex += 2) {
        const char *high = strchr(DIGITS, hex[0]), *low = strchr(DIGITS, hex[1]);
        if (!high || !low)
            return;
        atx_str_add_bytes(out, &(char){ (char)((high - DIGITS) << 4 | (low - DIGITS)) }, 1);
    }
}

/* The text that has the hash: what the line does not have of the two is that of a line before. */
static at_status read_source(atx_str *text, const merger *m, sqlite3_stmt *s)
{
    const char *hash = atx_store_text(s, 0), *plain = atx_store_text(s, 1), *path = atx_store_text(s, 3);
    atx_str_add_bytes(text, plain, (size_t)sqlite3_column_bytes(s, 1));
    if (!text->failed && !has_hash(text, hash, path)) {
        atx_str_reset(text);
        read_hex(text, atx_store_text(s, 2));
    }
    at_status status = atx_str_status(text, m->err);
    if (status == AT_OK && !has_hash(text, hash, path))
        return fail_line(m, "found a text that has not the hash of its line; expected that of what it means: "
                            "it is damaged, or from before version 0.1.0");
    return status;
}

/* A text that does not match its hash would be exported as a winner's source. */
static at_status put_source(merger *m, const char *object)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_query q;
    at_status status = atx_query_begin(&q, m->store, ATX_SQL_LINE_SOURCE, DOING, m->err, "s", object);
    if (next(m, &q, &status))
        status = read_source(&text, m, q.statement);
    atx_query_clear(&q);
    m->counts.sources++;
    if (status == AT_OK) {
        status = atx_query_begin(&q, m->store, ATX_SQL_MERGE_SOURCE, DOING, m->err, "st", object,
                                 atx_str_text(&text), text.len);
        status = put(m, &q, NULL, status, &m->counts.sources_taken);
    }
    return status;
}

static bool is_head(const char *text)
{
    return strncmp(text, ATX_DUMP_BEGIN, sizeof ATX_DUMP_BEGIN - 1) == 0;
}

/* No line takes anything from one of another dump. */
static void forget_before(merger *m)
{
    for (int k = 0; k < LINE_KINDS; k++)
        atx_str_clear(&m->before[k]);
}

static at_status read_head(merger *m, const char *text)
{
    char what[160];
    int64_t version = 0;
    ATX_LOCAL(atx_query) q = { 0 };
    forget_before(m);
    if (!is_head(text))
        return atx_fail(m->err, AT_ERR_INPUT, "%s: neither a database nor a dump of autotune", m->path);
    at_status status = atx_query_begin(&q, m->store, ATX_SQL_LINE_VERSION, DOING, m->err, "s", text);
    if (next(m, &q, &status))
        version = sqlite3_column_int64(q.statement, 0);
    if (status == AT_OK && version != ATX_DUMP_VERSION) {
        snprintf(what, sizeof what, "found a dump of version %lld; expected %d: it was written by %s",
                 (long long)version, ATX_DUMP_VERSION,
                 version > ATX_DUMP_VERSION ? "a newer autotune; update this one"
                                            : "an autotune from before version 0.1.0; tune again");
        status = fail_line(m, what);
    }
    m->headed = status == AT_OK;
    return status;
}

static at_status check_size(merger *m, size_t len)
{
    m->bytes += (int64_t)len;
    if (len > MAX_LINE)
        return fail_line(m,
                         "found, with what it takes from lines before it, more than 16 MiB; expected less");
    if (m->bytes > MAX_BYTES)
        return fail_line(m, "found more than 16 GiB up to here; expected a dump in several files");
    return AT_OK;
}

static at_status merge_line(merger *m, const char *text)
{
    int kind = -1;
    if (atx_cancel_asked(m->cancel))
        return interrupted(m);
    m->line++;
    if (!m->headed || is_head(text)) /* dumps may stand one behind the other in a file */
        return read_head(m, text);
    ATX_TRY(read_kind(&kind, m, text));
    ATX_TRY(complete(m, &m->before[kind], text));
    ATX_TRY(check_size(m, m->before[kind].len));
    const char *object = atx_str_text(&m->before[kind]);
    if (kind == LINE_SOURCE)
        return put_source(m, object);
    if (kind == LINE_TRIAL)
        return put_row(m, ATX_SQL_MERGE_TRIAL, &atx_trial_figures, object, &m->counts.trials,
                       &m->counts.trials_taken);
    ATX_TRY(put_run(m, object));
    return put_row(m, ATX_SQL_MERGE_WINNER, &atx_winner_figures, object, &m->counts.winners,
                   &m->counts.winners_taken);
}

/* ---- one file ---- */

static bool take_line(void *context, const char *line)
{
    merger *m = context;
    m->status = merge_line(m, line);
    return m->status == AT_OK;
}

static at_status merge_database(merger *m)
{
    static const atx_dump_options ALL = { 0 };
    ATX_CLOSED(atx_store) *from = NULL;
    at_status status = atx_store_open(&from, m->path, ATX_STORE_READ, m->err);
    ATX_THEN(status, atx_store_dump(from, &ALL, take_line, m, m->err));
    return status == AT_OK ? m->status : status;
}

static at_status merge_lines(merger *m, atx_text_file *file, atx_str *line)
{
    at_status status = AT_OK;
    bool got = true, whole;
    while (status == AT_OK) {
        status = atx_text_file_line(file, line, MAX_LINE, &got, &whole, m->err);
        if (status != AT_OK || !got)
            break;
        if (strlen(atx_str_text(line)) != line->len)
            status = atx_fail(m->err, AT_ERR_INPUT, "%s: neither a database nor a dump of autotune", m->path);
        else if (!whole && m->headed) /* a dump that broke off would lose trials without a word */
            status = atx_fail(m->err, AT_ERR_INPUT, "%s:%lld: the file ends within a line", m->path,
                              (long long)m->line + 1);
        else
            status = merge_line(m, atx_str_text(line));
    }
    if (status == AT_OK && !m->headed)
        status = atx_fail(m->err, AT_ERR_INPUT, "%s: is empty; expected a database or a dump", m->path);
    return status;
}

static at_status merge_text(merger *m)
{
    ATX_CLOSED(atx_text_file) *file = NULL;
    ATX_LOCAL(atx_str) line = { 0 };
    ATX_TRY(atx_text_file_open(&file, m->path, m->err));
    return merge_lines(m, file, &line);
}

/* The store may be among the files, as in `merge all.db *.db`; none of its files may be opened by hand. */
static at_status merge_path(merger *m)
{
    const char *into = sqlite3_db_filename(m->store->db, "main");
    bool standard = strcmp(m->path, "-") == 0;
    const char *path = standard ? "/dev/stdin" : m->path;
    if (into && *into && atx_same_file(into, path))
        return AT_OK;
    if (into && *into && atx_store_owns(into, path))
        return atx_fail(m->err, AT_ERR_USAGE, "%s: is a part of the database %s; expected the database alone",
                        m->path, m->store->path);
    return !standard && atx_store_is_database(m->path) ? merge_database(m) : merge_text(m);
}

at_status atx_store_merge(atx_store *store, const char *const *paths, int count, const atx_cancel *cancel,
                          atx_merge_counts *counts, at_error *err)
{
    at_error unused;
    merger m = { .store = store, .err = err ? err : &unused, .cancel = cancel };
    atx_utc_latest(m.latest);
    at_status status = atx_store_begin(store, m.err);
    if (status != AT_OK)
        return status;
    for (int i = 0; i < count && status == AT_OK; i++) {
        m.path = paths[i];
        m.line = 0;
        m.bytes = 0;
        m.headed = false;
        m.status = AT_OK;
        status = merge_path(&m);
        forget_before(&m);
    }
    if (atx_cancel_asked(cancel)) /* also when it broke off reading */
        status = interrupted(&m);
    status = atx_store_end(store, status, m.err);
    if (status == AT_OK && counts)
        *counts = m.counts;
    return status;
}
