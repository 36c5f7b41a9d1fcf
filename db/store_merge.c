/*
 * store_merge.c - adding what other databases and dumps hold. A database is read as its own dump, so that
 * there is one way in; SQLite takes the JSON apart.
 */
#include "db/store_internal.h"
#include "util/sha256.h"
#include "util/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DOING[] = "merge";

typedef enum line_kind { LINE_SOURCE, LINE_TRIAL, LINE_WINNER, LINE_KINDS } line_kind;

typedef struct merger {
    at__store *store;
    const char *path;           /* what is being read, for messages        */
    int64_t line;               /* of it; 0: no text                       */
    at__str before[LINE_KINDS]; /* the last object of a kind, complete     */
    bool begun;                 /* the first line of the dump was good     */
    at__merge_counts counts;
    at_status status; /* why a sink stopped */
    at_error *err;
} merger;

static at_status fail_line(const merger *m, const char *what)
{
    return at_fail(m->err, AT_ERR_INPUT, "%s:%lld: %s", m->path, (long long)m->line, what);
}

/* What SQLite refused: a value that the tables do not allow is the line's fault, anything else ours. */
static at_status fail_step(const merger *m)
{
    int code = sqlite3_extended_errcode(m->store->db) & 0xff;
    char what[256];
    if (code != SQLITE_CONSTRAINT && code != SQLITE_ERROR && code != SQLITE_MISMATCH)
        return at__store_fail(m->store, DOING, m->err);
    snprintf(what, sizeof what, "damaged: %s", sqlite3_errmsg(m->store->db));
    return fail_line(m, what);
}

static void end(sqlite3_stmt *s)
{
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
}

/* ---- one line ---- */

/* The kind that the line names, -1: none of ours. */
static int kind_of(sqlite3_stmt *s)
{
    static const char *const NAMES[] = { "source", "trial", "winner" };
    const char *name = at__store_text(s, 0);
    for (int i = 0; i < LINE_KINDS; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return i;
    return -1;
}

static at_status read_kind(int *kind, merger *m, const char *text)
{
    at_status status = AT_OK;
    sqlite3_stmt *s = at__store_bind(m->store, AT__SQL_LINE_KIND, DOING, m->err, "s", text);
    if (!s)
        return AT_ERR_STORE;
    *kind = sqlite3_step(s) == SQLITE_ROW ? kind_of(s) : -1;
    if (*kind < 0)
        status = fail_line(m, "damaged: expected a JSON object whose kind is source, trial or winner");
    end(s);
    return status;
}

/* RFC 7396: members that the line has replace those of the object before. */
static at_status complete(merger *m, at__str *before, const char *text)
{
    at__str object = { 0 };
    sqlite3_stmt *s = at__store_bind(m->store, AT__SQL_LINE_PATCH, DOING, m->err, "ss",
                                     before->len ? at__str_text(before) : "{}", text);
    if (!s)
        return AT_ERR_STORE;
    at_status status = sqlite3_step(s) == SQLITE_ROW ? AT_OK : fail_step(m);
    if (status == AT_OK)
        at__str_add(&object, at__store_text(s, 0));
    end(s);
    if (status == AT_OK)
        status = at__str_status(&object, m->err);
    at__str_clear(before);
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

/* The columns of LINE_KEY: texts are not empty, except where they may be. */
static at_status check_key(const merger *m, sqlite3_stmt *s)
{
    static const struct {
        const char *name;
        char type; /* 't' text, 'e' text that may be empty, 'i' integer */
    } KEY[] = { { "op", 't' },       { "shape", 't' },         { "type_key", 't' },
                { "elements", 'i' }, { "traffic_bytes", 'i' }, { "device", 't' },
                { "cc", 'i' },       { "sms", 'i' },           { "memory_mib", 'i' },
                { "driver", 'e' },   { "nvrtc", 'e' },         { "tool", 'e' },
                { "cold", 'i' },     { "template", 't' },      { "template_hash", 'e' },
                { "config", 'e' },   { "measured_at", 't' } };
    char what[96];
    for (int i = 0; i < (int)(sizeof KEY / sizeof *KEY); i++) {
        int type = sqlite3_column_type(s, i);
        bool good = KEY[i].type == 'i' ? type == SQLITE_INTEGER : type == SQLITE_TEXT;
        if (KEY[i].type == 't')
            good = good && *at__store_text(s, i);
        if (strcmp(KEY[i].name, "measured_at") == 0)
            good = good && is_time(at__store_text(s, i));
        if (!good) {
            snprintf(what, sizeof what, "damaged: the member %s is missing or makes no sense", KEY[i].name);
            return fail_line(m, what);
        }
    }
    return AT_OK;
}

/* Problem, fingerprint and template of the object: found or added. */
static at_status row_ids(int64_t ids[3], merger *m, sqlite3_stmt *s)
{
    at__fingerprint f;
    at_status status = check_key(m, s);
    at__problem_key key = { .op = at__store_text(s, 0),
                            .shape = at__store_text(s, 1),
                            .type_key = at__store_text(s, 2),
                            .elements = sqlite3_column_int64(s, 3),
                            .traffic_bytes = sqlite3_column_int64(s, 4) };
    at__store_read_fingerprint(&f, s, 5);
    if (status == AT_OK)
        status = at__store_problem_id(&ids[0], m->store, &key, m->err);
    if (status == AT_OK)
        status = at__store_fingerprint_id(&ids[1], m->store, &f, m->err);
    if (status == AT_OK)
        status =
            at__store_template_id(&ids[2], m->store, at__store_text(s, 13), at__store_text(s, 14), m->err);
    return status;
}

static at_status put(merger *m, at__sql sql, const char *object, const int64_t *ids, int64_t *taken)
{
    sqlite3_stmt *s =
        ids ? at__store_bind(m->store, sql, DOING, m->err, "siii", object, ids[0], ids[1], ids[2])
            : at__store_bind(m->store, sql, DOING, m->err, "s", object);
    if (!s)
        return AT_ERR_STORE;
    int before = sqlite3_total_changes(m->store->db);
    at_status status = sqlite3_step(s) == SQLITE_DONE ? AT_OK : fail_step(m);
    *taken += sqlite3_total_changes(m->store->db) - before;
    end(s);
    return status;
}

static at_status put_row(merger *m, at__sql sql, const char *object, int64_t *seen, int64_t *taken)
{
    int64_t ids[3] = { 0 };
    sqlite3_stmt *s = at__store_bind(m->store, AT__SQL_LINE_KEY, DOING, m->err, "s", object);
    if (!s)
        return AT_ERR_STORE;
    at_status status = sqlite3_step(s) == SQLITE_ROW ? row_ids(ids, m, s) : fail_step(m);
    end(s);
    ++*seen;
    return status == AT_OK ? put(m, sql, object, ids, taken) : status;
}

/* A text that is not what its hash says would be exported as somebody's winner. */
static at_status put_source(merger *m, const char *object)
{
    char hash[AT__HASH_TEXT];
    sqlite3_stmt *s = at__store_bind(m->store, AT__SQL_LINE_SOURCE, DOING, m->err, "s", object);
    if (!s)
        return AT_ERR_STORE;
    at_status status = sqlite3_step(s) == SQLITE_ROW ? AT_OK : fail_step(m);
    if (status == AT_OK) {
        at__hash_text(hash, at__store_text(s, 1), (size_t)sqlite3_column_bytes(s, 1));
        if (strcmp(hash, at__store_text(s, 0)) != 0)
            status = fail_line(m, "damaged: the text of a template has not the hash that the line gives");
    }
    end(s);
    m->counts.sources++;
    return status == AT_OK ? put(m, AT__SQL_MERGE_SOURCE, object, NULL, &m->counts.sources_taken) : status;
}

static at_status read_head(merger *m, const char *text)
{
    char what[128];
    int64_t version = 0;
    if (strncmp(text, AT__DUMP_BEGIN, sizeof AT__DUMP_BEGIN - 1) != 0)
        return at_fail(m->err, AT_ERR_INPUT, "%s: neither a database nor a dump of autotune", m->path);
    sqlite3_stmt *s = at__store_bind(m->store, AT__SQL_LINE_VERSION, DOING, m->err, "s", text);
    if (!s)
        return AT_ERR_STORE;
    if (sqlite3_step(s) == SQLITE_ROW)
        version = sqlite3_column_int64(s, 0);
    end(s);
    m->begun = true;
    if (version >= 1 && version <= AT__DUMP_VERSION)
        return AT_OK;
    snprintf(what, sizeof what, "a dump of version %lld; this program reads %d", (long long)version,
             AT__DUMP_VERSION);
    return fail_line(m, what);
}

static at_status merge_line(merger *m, const char *text)
{
    int kind = -1;
    int64_t runs = 0;
    m->line++;
    if (!m->begun)
        return read_head(m, text);
    at_status status = read_kind(&kind, m, text);
    if (status == AT_OK)
        status = complete(m, &m->before[kind], text);
    if (status != AT_OK)
        return status;
    const char *object = at__str_text(&m->before[kind]);
    switch (kind) {
    case LINE_SOURCE:
        return put_source(m, object);
    case LINE_TRIAL:
        return put_row(m, AT__SQL_MERGE_TRIAL, object, &m->counts.trials, &m->counts.trials_taken);
    default:
        status = put(m, AT__SQL_MERGE_RUN, object, NULL, &runs);
        return status == AT_OK
                   ? put_row(m, AT__SQL_MERGE_WINNER, object, &m->counts.winners, &m->counts.winners_taken)
                   : status;
    }
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
    static const at__dump_options ALL = { 0 };
    at__store *from = NULL;
    at_status status = at__store_open(&from, m->path, AT__STORE_READ, m->err);
    if (status == AT_OK)
        status = at__store_dump(from, &ALL, take_line, m, m->err);
    at__store_close(from);
    return status == AT_OK ? m->status : status;
}

static at_status merge_lines(merger *m, at__text_file *file, at__str *line)
{
    at_status status = AT_OK;
    bool got = true, whole;
    while (status == AT_OK) {
        status = at__text_file_line(file, line, &got, &whole, m->err);
        if (status != AT_OK || !got)
            break;
        if (strlen(at__str_text(line)) != line->len)
            status = at_fail(m->err, AT_ERR_INPUT, "%s: neither a database nor a dump of autotune", m->path);
        else if (!whole && m->begun) /* a dump that broke off would lose trials without a word */
            status = at_fail(m->err, AT_ERR_INPUT, "%s:%lld: the file ends within a line", m->path,
                             (long long)m->line + 1);
        else
            status = merge_line(m, at__str_text(line));
    }
    if (status == AT_OK && !m->begun)
        status = at_fail(m->err, AT_ERR_INPUT, "%s: is empty; expected a database or a dump", m->path);
    return status;
}

static at_status merge_text(merger *m)
{
    at__text_file *file = NULL;
    at__str line = { 0 };
    at_status status = at__text_file_open(&file, m->path, m->err);
    if (status == AT_OK)
        status = merge_lines(m, file, &line);
    at__str_clear(&line);
    at__text_file_close(file);
    return status;
}

/* Does the file begin as an SQLite database? */
static bool is_database(const char *path)
{
    static const char MAGIC[] = "SQLite format 3";
    char begin[sizeof MAGIC] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false; /* reading it as text says why */
    size_t len = fread(begin, 1, sizeof begin, file);
    fclose(file);
    return len == sizeof begin && memcmp(begin, MAGIC, sizeof MAGIC) == 0;
}

static at_status merge_path(merger *m)
{
    return strcmp(m->path, "-") != 0 && is_database(m->path) ? merge_database(m) : merge_text(m);
}

at_status at__store_merge(at__store *store, const char *const *paths, int count, at__merge_counts *counts,
                          at_error *err)
{
    at_error unused;
    merger m = { .store = store, .err = err ? err : &unused };
    at_status status = at__store_begin(store, m.err);
    if (status != AT_OK)
        return status;
    for (int i = 0; i < count && status == AT_OK; i++) {
        m.path = paths[i];
        m.line = 0;
        m.begun = false;
        m.status = AT_OK;
        status = merge_path(&m);
        for (int k = 0; k < LINE_KINDS; k++)
            at__str_clear(&m.before[k]);
    }
    status = at__store_end(store, status, m.err);
    if (status == AT_OK && counts)
        *counts = m.counts;
    return status;
}
