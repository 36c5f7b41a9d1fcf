/*
 * store_dump.c - a store as lines of JSON, in an order that depends on the contents alone. README.md
 * describes the format.
 *
 * Members are named as the columns. A compact dump leaves out members that equal those of the previous line
 * of the same kind.
 */
#include "db/store_internal.h"

#include "util/printable.h"

#include <string.h>

/* Of a winner, which has most: key, figures, time, rank, strategy. */
enum { MAX_COLUMNS = ATX_DUMP_KEY_COUNT + ATX_WINNER_FIGURE_COUNT + 3 };
_Static_assert(ATX_TRIAL_FIGURE_COUNT <= ATX_WINNER_FIGURE_COUNT, "a trial has more members than a winner");

/* The first columns of trials and winners, ATX_DUMP_KEY_COLUMNS. */
enum { OP_COLUMN = 0, SHAPE_COLUMN = 1, TYPE_COLUMN = 2, DEVICE_COLUMN = ATX_PROBLEM_COUNT };

/* Figures that a replay does not need. */
static const char *const EXTRAS[] = { "compile_s", "source_hash", NULL };

typedef struct dumper {
    atx_store *store;
    const atx_dump_options *options;
    atx_line_sink *sink;
    void *context;
    atx_str line, value;
    atx_str before[MAX_COLUMNS]; /* values of the line before, of this kind */
} dumper;

static bool is_extra(const char *name)
{
    for (int i = 0; EXTRAS[i]; i++)
        if (strcmp(EXTRAS[i], name) == 0)
            return true;
    return false;
}

static void add_text(atx_str *out, const char *text, bool only_the_day)
{
    char day[24] = "";
    size_t len = strlen(text);
    if (!only_the_day || len < 10) {
        atx_str_add_json(out, text);
        return;
    }
    memcpy(day, text, 10);
    memcpy(day + 10, "T00:00:00Z", 11);
    atx_str_add_json(out, day);
}

/* Fifteen digits survive the way through text and back, in every reader. */
static void render_value(dumper *d, sqlite3_stmt *s, int column, bool is_trial)
{
    bool compact = d->options->compact;
    atx_str_reset(&d->value);
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
        atx_str_add_int(&d->value, sqlite3_column_int64(s, column));
        break;
    case SQLITE_FLOAT:
        atx_str_add_real(&d->value, compact ? 5 : 15, sqlite3_column_double(s, column));
        break;
    case SQLITE_NULL:
        atx_str_add(&d->value, "null");
        break;
    default:
        add_text(&d->value, atx_store_text(s, column),
                 compact && is_trial && strcmp(sqlite3_column_name(s, column), "measured_at") == 0);
    }
}

/* A template written in Latin-1: as JSON it would be another text, of another hash. */
static bool is_other_text(sqlite3_stmt *s, int column, const char *name)
{
    uint32_t character;
    size_t step = 1;
    if (strcmp(name, "text") != 0)
        return false;
    const char *text = atx_store_text(s, column), *at = text;
    while (*at && (step = atx_utf8_read(&character, at)) > 0)
        at += step;
    return at != text + sqlite3_column_bytes(s, column);
}

static void render_hex(dumper *d, sqlite3_stmt *s, int column)
{
    const char *text = atx_store_text(s, column);
    atx_str_reset(&d->value);
    atx_str_add(&d->value, "\"");
    for (int i = 0; i < sqlite3_column_bytes(s, column); i++)
        atx_str_addf(&d->value, "%02x", (unsigned)(unsigned char)text[i]);
    atx_str_add(&d->value, "\"");
}

/* Adds a member, unless it is as in the line before. */
static void add_member(dumper *d, const char *name, int column)
{
    atx_str *before = &d->before[column];
    if (d->options->compact && before->data && strcmp(before->data, atx_str_text(&d->value)) == 0)
        return;
    atx_str_add(&d->line, ",\"");
    atx_str_add(&d->line, name);
    atx_str_add(&d->line, "\":");
    atx_str_add(&d->line, atx_str_text(&d->value));
    if (!d->options->compact)
        return;
    atx_str_reset(before);
    atx_str_add(before, atx_str_text(&d->value));
}

static at_status write_row(dumper *d, const char *kind, sqlite3_stmt *s, bool *more, at_error *err)
{
    atx_str_reset(&d->line);
    atx_str_addf(&d->line, "{\"kind\":\"%s\"", kind);
    for (int i = 0; i < sqlite3_column_count(s) && i < MAX_COLUMNS; i++) {
        const char *name = sqlite3_column_name(s, i);
        if (d->options->compact && is_extra(name))
            continue;
        if (is_other_text(s, i, name)) {
            name = ATX_TEXT_HEX;
            render_hex(d, s, i);
        } else {
            render_value(d, s, i, strcmp(kind, "trial") == 0);
        }
        d->line.failed |= d->value.failed; /* the next value begins anew, and would hide it */
        add_member(d, name, i);
    }
    atx_str_add(&d->line, "}");
    ATX_TRY(atx_str_status(&d->line, err));
    *more = d->sink(d->context, d->line.data);
    return AT_OK;
}

static bool wanted_problem(const atx_dump_options *o, const char *shape, const char *type_key)
{
    for (size_t i = 0; i < o->problem_count; i++)
        if (strcmp(o->problems[i].shape, shape) == 0 && strcmp(o->problems[i].type_key, type_key) == 0)
            return true;
    return o->problem_count == 0;
}

static bool wanted(const atx_dump_options *o, sqlite3_stmt *s)
{
    return (!o->op || strcmp(o->op, atx_store_text(s, OP_COLUMN)) == 0) &&
           (!o->device || strcmp(atx_store_text(s, DEVICE_COLUMN), o->device) == 0) &&
           wanted_problem(o, atx_store_text(s, SHAPE_COLUMN), atx_store_text(s, TYPE_COLUMN));
}

static void forget_before(dumper *d)
{
    for (int i = 0; i < MAX_COLUMNS; i++)
        atx_str_clear(&d->before[i]);
}

/* Of trials only as many as the options say; the other statements have no parameter. */
static at_status begin_rows(atx_query *q, const dumper *d, atx_sql sql, at_error *err)
{
    static const char doing[] = "dump the database";
    return sql == ATX_SQL_DUMP_TRIALS ? atx_query_begin(q, d->store, sql, doing, err, "i", d->options->best)
                                      : atx_query_begin(q, d->store, sql, doing, err, "");
}

static at_status dump_rows(dumper *d, atx_sql sql, const char *kind, bool filtered, bool *more, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = begin_rows(&q, d, sql, err);
    while (*more && atx_query_next(&q, &status, err))
        if (!filtered || wanted(d->options, q.statement))
            status = write_row(d, kind, q.statement, more, err);
    forget_before(d);
    return status;
}

at_status atx_store_dump(atx_store *store, const atx_dump_options *options, atx_line_sink *sink,
                         void *context, at_error *err)
{
    dumper d = { .store = store, .options = options, .sink = sink, .context = context };
    bool more = sink(context, ATX_DUMP_HEAD);
    at_status status = AT_OK;
    /* A replay has its own templates, but the operations of others only from here. */
    status = dump_rows(&d, options->compact ? ATX_SQL_DUMP_RECORDED : ATX_SQL_DUMP_SOURCES, "source", false,
                       &more, err);
    ATX_THEN(status, dump_rows(&d, ATX_SQL_DUMP_TRIALS, "trial", true, &more, err));
    ATX_THEN(status, dump_rows(&d, ATX_SQL_DUMP_WINNERS, "winner", true, &more, err));
    atx_str_clear(&d.line);
    atx_str_clear(&d.value);
    return status;
}
