/*
 * store_columns.c - copies records to and from rows, by the rows of columns.h.
 *
 * A table for each struct has the offsets of its members. One switch turns a member into a value and one
 * turns a value into a member; they stand side by side. Each member's C type is checked against its kind at
 * compile time, because an offset alone would accept any type.
 */
#include "db/columns.h"
#include "db/store.h"
#include "db/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define IS_TEXT(m)      _Generic((m), char *: sizeof(m) == sizeof(char *), const char *: 1, default: 0)
#define IS_CHARS(m)     (_Generic((m), char *: 1, default: 0) && sizeof(m) != sizeof(char *))
#define IS_OUTCOME(m)   _Generic((m), atx_outcome: 1, default: 0)
#define IS_BOOL(m)      _Generic((m), bool: 1, default: 0)
#define IS_INT(m)       _Generic((m), int64_t: 1, default: 0)
#define IS_COUNT(m)     IS_INT(m)
#define IS_REAL(m)      _Generic((m), double: 1, default: 0)
#define IS_SOME_REAL(m) IS_REAL(m)
/* clang-format on */

/* The size of the member; no compiler takes a bit field of -1 bits, where its type is none of the kind. */
#define SIZE_OF(kind, member)                                                                                \
    (sizeof(member) + 0 * sizeof(struct { int is_of_its_kind : IS_##kind(member) ? 1 : -1; }))

#define COLUMN(type, column, display, of_kind, member, of_rule, of_range)                                    \
    { .name = #column,                                                                                       \
      .shown = #display,                                                                                     \
      .kind = ATX_KIND_##of_kind,                                                                            \
      .rule = ATX_RULE_##of_rule,                                                                            \
      .range = ATX_RANGE_##of_range,                                                                         \
      .offset = offsetof(type, member),                                                                      \
      .size = SIZE_OF(of_kind, ((type *)0)->member) },

#define OF_PROBLEM(...)     COLUMN(atx_problem_key, __VA_ARGS__)
#define OF_FINGERPRINT(...) COLUMN(atx_fingerprint, __VA_ARGS__)
#define OF_TRIAL(...)       COLUMN(atx_trial_row, __VA_ARGS__)
#define OF_WINNER(...)      COLUMN(atx_winner, __VA_ARGS__)
#define OF_ANSWER(...)      COLUMN(atx_answer, __VA_ARGS__)
#define OF_LINE(column, display, of_kind, member, of_rule, of_range)                                         \
    { .name = #column,                                                                                       \
      .shown = #display,                                                                                     \
      .kind = ATX_KIND_##of_kind,                                                                            \
      .rule = ATX_RULE_##of_rule,                                                                            \
      .range = ATX_RANGE_##of_range },

static const atx_column PROBLEM[] = { ATX_PROBLEM_COLUMNS(OF_PROBLEM) };
static const atx_column FINGERPRINT[] = { ATX_FINGERPRINT_COLUMNS(OF_FINGERPRINT) };
static const atx_column TRIAL[] = { ATX_KERNEL_COLUMNS(OF_TRIAL) ATX_TRIAL_FIGURES(OF_TRIAL)
                                        ATX_TIME_COLUMN(OF_TRIAL) };
static const atx_column WINNER[] = { ATX_KERNEL_COLUMNS(OF_WINNER) ATX_WINNER_FIGURES(OF_WINNER) };
static const atx_column ANSWER[] = { ATX_PROBLEM_COLUMNS(OF_ANSWER) ATX_TIME_COLUMN(OF_ANSWER)
                                         ATX_RANK_COLUMN(OF_ANSWER) };
static const atx_column LINE[] = { ATX_DUMP_KEY_COLUMNS(OF_LINE) ATX_TIME_COLUMN(OF_LINE) };

/* clang-format off */
#define ALL(array) { array, (int)(sizeof array / sizeof *array) }
/* clang-format on */
const atx_columns atx_problem_columns = ALL(PROBLEM);
const atx_columns atx_fingerprint_columns = ALL(FINGERPRINT);
const atx_columns atx_device_columns = { FINGERPRINT, ATX_DEVICE_COUNT };
const atx_columns atx_version_columns = { FINGERPRINT + ATX_DEVICE_COUNT,
                                          ATX_FINGERPRINT_COUNT - ATX_DEVICE_COUNT };
const atx_columns atx_trial_columns = ALL(TRIAL);
const atx_columns atx_trial_figures = { TRIAL + ATX_KERNEL_COUNT, ATX_TRIAL_FIGURE_COUNT };
const atx_columns atx_winner_columns = ALL(WINNER);
const atx_columns atx_winner_figures = { WINNER + ATX_KERNEL_COUNT, ATX_WINNER_FIGURE_COUNT };
const atx_columns atx_answer_columns = ALL(ANSWER);
const atx_columns atx_line_columns = ALL(LINE);

/* ---- a member, whatever its kind ---- */

typedef struct cell {
    bool is_text, is_real, is_null; /* neither of the first two: an integer */
    const char *text;
    int64_t integer;
    double real;
} cell;

static cell cell_for(atx_column_kind kind)
{
    return (cell){ .is_text = kind == ATX_KIND_TEXT || kind == ATX_KIND_CHARS || kind == ATX_KIND_OUTCOME,
                   .is_real = kind == ATX_KIND_REAL || kind == ATX_KIND_SOME_REAL };
}

/* Members are char * or const char *: the pointer is copied unchanged. */
static const char *text_of(const void *member)
{
    const char *text;
    memcpy(&text, member, sizeof text);
    return text ? text : "";
}

static cell get(const atx_column *c, const void *record)
{
    const void *member = (const char *)record + c->offset;
    cell v = cell_for(c->kind);
    switch (c->kind) {
    case ATX_KIND_TEXT:
        v.text = text_of(member);
        break;
    case ATX_KIND_CHARS:
        v.text = member;
        break;
    case ATX_KIND_OUTCOME:
        v.text = atx_outcome_name(*(const atx_outcome *)member);
        break;
    case ATX_KIND_BOOL:
        v.integer = *(const bool *)member;
        break;
    case ATX_KIND_INT:
    case ATX_KIND_COUNT:
        v.integer = *(const int64_t *)member;
        v.is_null = c->kind == ATX_KIND_COUNT && v.integer < 0;
        break;
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL:
        v.real = *(const double *)member;
        v.is_null = c->kind == ATX_KIND_SOME_REAL && isnan(v.real);
        break;
    }
    return v;
}

/* Of a text as much as there is room for. */
static void set(const atx_column *c, void *record, cell v)
{
    char *member = (char *)record + c->offset;
    size_t len;
    switch (c->kind) {
    case ATX_KIND_TEXT:
        memcpy(member, &v.text, sizeof v.text);
        break;
    case ATX_KIND_CHARS:
        len = strnlen(v.text, c->size - 1);
        memcpy(member, v.text, len);
        member[len] = '\0';
        break;
    case ATX_KIND_OUTCOME:
        *(atx_outcome *)(void *)member = atx_outcome_of(v.text);
        break;
    case ATX_KIND_BOOL:
        *(bool *)member = v.integer != 0;
        break;
    case ATX_KIND_INT:
    case ATX_KIND_COUNT:
        v.integer = v.is_null && c->kind == ATX_KIND_COUNT ? -1 : v.integer;
        memcpy(member, &v.integer, sizeof v.integer);
        break;
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL:
        memcpy(member, &v.real, sizeof v.real);
        break;
    }
}

/* ---- in and out of rows ---- */

static int bind(sqlite3_stmt *s, int index, cell v)
{
    if (v.is_null)
        return sqlite3_bind_null(s, index);
    if (v.is_text)
        return sqlite3_bind_text(s, index, v.text, -1, SQLITE_STATIC);
    return v.is_real ? sqlite3_bind_double(s, index, v.real) : sqlite3_bind_int64(s, index, v.integer);
}

int atx_columns_bind(sqlite3_stmt *s, int first, const atx_columns *columns, const void *record)
{
    int code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < columns->count; i++)
        code = bind(s, first + i, get(&columns->items[i], record));
    return code;
}

const char *atx_store_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

/* NULL is 0 as a number. */
int atx_columns_read(void *record, const atx_columns *columns, sqlite3_stmt *s, int first)
{
    for (int i = 0; i < columns->count; i++) {
        cell v = cell_for(columns->items[i].kind);
        v.is_null = !v.is_text && sqlite3_column_type(s, first + i) == SQLITE_NULL;
        if (v.is_text)
            v.text = atx_store_text(s, first + i);
        else if (v.is_real)
            v.real = sqlite3_column_double(s, first + i);
        else
            v.integer = sqlite3_column_int64(s, first + i);
        set(&columns->items[i], record, v);
    }
    return first + columns->count;
}

/* ---- as bytes ---- */

void atx_columns_pack(atx_str *out, const atx_columns *columns, const void *record)
{
    for (int i = 0; i < columns->count; i++) {
        const cell v = get(&columns->items[i], record);
        unsigned char bytes[8];
        uint64_t bits = (uint64_t)v.integer;
        if (v.is_text) {
            atx_str_add_bytes(out, v.text, strlen(v.text) + 1);
            continue;
        }
        if (v.is_real)
            memcpy(&bits, &v.real, sizeof bits);
        for (int k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(bits >> 8 * k);
        atx_str_add_bytes(out, bytes, sizeof bytes);
    }
}

const unsigned char *atx_columns_unpack(void *record, const atx_columns *columns, const unsigned char *bytes)
{
    for (int i = 0; i < columns->count; i++) {
        cell v = cell_for(columns->items[i].kind);
        uint64_t bits = 0;
        if (v.is_text) {
            v.text = (const char *)bytes;
            bytes += strlen(v.text) + 1;
        } else {
            for (int k = 0; k < 8; k++)
                bits |= (uint64_t)*bytes++ << 8 * k;
            memcpy(&v.real, &bits, sizeof v.real);
            v.integer = (int64_t)bits;
        }
        set(&columns->items[i], record, v);
    }
    return bytes;
}

/* ---- ranges ---- */

static const struct range {
    double least, most;
} RANGES[] = {
#define RANGE(name, least, most) [ATX_RANGE_##name] = { least, most },
    ATX_RANGES(RANGE)
#undef RANGE
};

static at_status fail_range(const atx_column *c, const char *found, at_error *err)
{
    const struct range *r = &RANGES[c->range];
    return atx_fail(err, AT_ERR_INPUT, "%s: found %s; expected a number from %.16g to %.16g", c->shown, found,
                    r->least, r->most);
}

static at_status check_int(const atx_column *c, int64_t value, at_error *err)
{
    char found[32];
    const struct range *r = &RANGES[c->range];
    /* The largest that a double holds is above INT64_MAX: converted, the latter is equal to it. */
    if ((double)value >= r->least && (double)value <= r->most)
        return AT_OK;
    snprintf(found, sizeof found, "%lld", (long long)value);
    return fail_range(c, found, err);
}

/* Also NaN is in no range. */
static at_status check_real(const atx_column *c, double value, at_error *err)
{
    char found[32];
    const struct range *r = &RANGES[c->range];
    if (value >= r->least && value <= r->most)
        return AT_OK;
    snprintf(found, sizeof found, "%.6g", value);
    return fail_range(c, found, err);
}

at_status atx_columns_check(const atx_columns *columns, const void *record, at_error *err)
{
    for (int i = 0; i < columns->count; i++) {
        const cell v = get(&columns->items[i], record);
        if (!v.is_text && !v.is_null)
            ATX_TRY(v.is_real ? check_real(&columns->items[i], v.real, err)
                              : check_int(&columns->items[i], v.integer, err));
    }
    return AT_OK;
}

/* A longer name would be cut, and so be another name. */
static at_status check_room(const atx_column *c, sqlite3_stmt *s, int index, at_error *err)
{
    const size_t len = strlen(atx_store_text(s, index));
    if (c->kind != ATX_KIND_CHARS || !c->size || len < c->size) /* no size: a column of no record */
        return AT_OK;
    return atx_fail(err, AT_ERR_INPUT, "%s: found a text of %zu bytes; expected at most %zu", c->shown, len,
                    c->size - 1);
}

at_status atx_column_check(const atx_column *c, sqlite3_stmt *s, int index, at_error *err)
{
    int type = sqlite3_column_type(s, index);
    bool may_miss = c->kind == ATX_KIND_COUNT || c->kind == ATX_KIND_SOME_REAL;
    if (c->range == ATX_RANGE_TEXT)
        return check_room(c, s, index, err);
    if (type == SQLITE_NULL && may_miss)
        return AT_OK;
    if (type == SQLITE_INTEGER)
        return check_int(c, sqlite3_column_int64(s, index), err);
    if (type == SQLITE_FLOAT)
        return check_real(c, sqlite3_column_double(s, index), err);
    return fail_range(c, type == SQLITE_NULL ? "nothing" : "a text", err);
}

/* ---- owned texts ---- */

bool atx_columns_own(void *record, const atx_columns *columns)
{
    bool whole = true;
    for (int i = 0; i < columns->count; i++) {
        if (columns->items[i].kind != ATX_KIND_TEXT)
            continue;
        void *member = (char *)record + columns->items[i].offset;
        const char *copy = strdup(text_of(member));
        memcpy(member, &copy, sizeof copy);
        whole = whole && copy;
    }
    return whole;
}

void atx_columns_free(void *record, const atx_columns *columns)
{
    for (int i = 0; i < columns->count; i++) {
        char *text;
        if (columns->items[i].kind != ATX_KIND_TEXT)
            continue;
        memcpy(&text, (char *)record + columns->items[i].offset, sizeof text);
        free(text);
    }
}

const char *atx_column_public(const atx_column *c)
{
    if (strcmp(c->shown, "joules") == 0)
        return "energy_j";
    if (strcmp(c->shown, "total_shared_bytes") == 0)
        return "shared_bytes";
    /* A trial's are all of them, and may be unknown; a winner's are what its launch asks for. */
    return strcmp(c->shown, "shared_bytes") == 0 && c->kind == ATX_KIND_INT ? "dynamic_shared_bytes"
                                                                            : c->shown;
}

/* ---- an answer or a trial, figure by figure ---- */

/* An empty text is none. */
static atx_stored_figure figure_of(const atx_column *c, const void *record)
{
    const cell v = get(c, record);
    return (atx_stored_figure){ .name = atx_column_public(c),
                                .kind = c->kind == ATX_KIND_BOOL ? ATX_A_BOOL
                                        : v.is_text              ? ATX_A_TEXT
                                        : v.is_real              ? ATX_A_REAL
                                                                 : ATX_AN_INT,
                                .text = v.is_text && *v.text ? v.text : NULL,
                                .integer = v.is_text || v.is_real ? -1 : v.integer,
                                .real =
                                    v.is_real && (c->kind == ATX_KIND_REAL || v.real != 0) ? v.real : NAN };
}

static void each(const atx_columns *columns, int count, const void *record, atx_figure_visit *visit,
                 void *context)
{
    for (int i = 0; i < count; i++) {
        const atx_stored_figure f = figure_of(&columns->items[i], record);
        visit(context, &f);
    }
}

void atx_answer_each_figure(const atx_answer *a, atx_figure_visit *visit, void *context)
{
    each(&atx_answer_columns, ATX_PROBLEM_COUNT + 1, a, visit, context); /* and when it was measured */
    each(&atx_fingerprint_columns, atx_fingerprint_columns.count, &a->fingerprint, visit, context);
    each(&atx_winner_columns, atx_winner_columns.count, &a->winner, visit, context);
}

void atx_trial_each_figure(const atx_trial_row *row, const atx_fingerprint *fingerprint,
                           atx_figure_visit *visit, void *context)
{
    each(&atx_fingerprint_columns, atx_fingerprint_columns.count, fingerprint, visit, context);
    each(&atx_trial_columns, atx_trial_columns.count, row, visit, context);
}
