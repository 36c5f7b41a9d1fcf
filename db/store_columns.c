/*
 * store_columns.c - records in and out of rows, by the rows of columns.h.
 *
 * A table for each struct says where its members lie; one switch binds a member and one reads it, so that
 * what a kind means stands in two places side by side. A member's C type is checked against its kind here,
 * when this file is compiled: an offset alone would take any.
 */
#include "db/columns.h"
#include "db/store.h"
#include "db/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN(type, column, display, of_kind, member, of_rule, of_range)                                    \
    { .name = #column,                                                                                       \
      .shown = #display,                                                                                     \
      .kind = ATX_KIND_##of_kind,                                                                            \
      .rule = ATX_RULE_##of_rule,                                                                            \
      .range = ATX_RANGE_##of_range,                                                                         \
      .offset = offsetof(type, member),                                                                      \
      .size = sizeof((type *)0)->member },

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

/* ---- the kind of each member ---- */

/* clang-format off */
#define IS_TEXT(m)      _Generic((m), char *: sizeof(m) == sizeof(char *), const char *: 1, default: 0)
#define IS_CHARS(m)     (_Generic((m), char *: 1, default: 0) && sizeof(m) != sizeof(char *))
#define IS_OUTCOME(m)   _Generic((m), atx_outcome: 1, default: 0)
#define IS_BOOL(m)      _Generic((m), bool: 1, default: 0)
#define IS_INT(m)       _Generic((m), int64_t: 1, default: 0)
#define IS_COUNT(m)     IS_INT(m)
#define IS_REAL(m)      _Generic((m), double: 1, default: 0)
#define IS_SOME_REAL(m) IS_REAL(m)

#define CHECK(type, kind, member) \
    _Static_assert(IS_##kind(((type *)0)->member), #type "." #member " is no " #kind);
#define CHECK_PROBLEM(name, shown, kind, member, rule, range)     CHECK(atx_problem_key, kind, member)
#define CHECK_FINGERPRINT(name, shown, kind, member, rule, range) CHECK(atx_fingerprint, kind, member)
#define CHECK_TRIAL(name, shown, kind, member, rule, range)       CHECK(atx_trial_row, kind, member)
#define CHECK_WINNER(name, shown, kind, member, rule, range)      CHECK(atx_winner, kind, member)
#define CHECK_ANSWER(name, shown, kind, member, rule, range)      CHECK(atx_answer, kind, member)

ATX_PROBLEM_COLUMNS(CHECK_PROBLEM)
ATX_FINGERPRINT_COLUMNS(CHECK_FINGERPRINT)
ATX_KERNEL_COLUMNS(CHECK_TRIAL)
ATX_TRIAL_FIGURES(CHECK_TRIAL)
ATX_TIME_COLUMN(CHECK_TRIAL)
ATX_KERNEL_COLUMNS(CHECK_WINNER)
ATX_WINNER_FIGURES(CHECK_WINNER)
ATX_PROBLEM_COLUMNS(CHECK_ANSWER)
ATX_TIME_COLUMN(CHECK_ANSWER)
ATX_RANK_COLUMN(CHECK_ANSWER)
/* clang-format on */

/* ---- binding and reading ---- */

static int bind_text(sqlite3_stmt *s, int index, const char *text)
{
    return sqlite3_bind_text(s, index, text ? text : "", -1, SQLITE_STATIC);
}

/* Members are char * or const char *: a pointer is copied as what it is. */
static const char *text_of(const void *member)
{
    const char *text;
    memcpy(&text, member, sizeof text);
    return text;
}

static int bind_count(sqlite3_stmt *s, int index, int64_t value)
{
    return value < 0 ? sqlite3_bind_null(s, index) : sqlite3_bind_int64(s, index, value);
}

static int bind_member(sqlite3_stmt *s, int index, atx_column_kind kind, const void *member)
{
    switch (kind) {
    case ATX_KIND_TEXT:
        return bind_text(s, index, text_of(member));
    case ATX_KIND_CHARS:
        return bind_text(s, index, member);
    case ATX_KIND_OUTCOME:
        return bind_text(s, index, atx_outcome_name(*(const atx_outcome *)member));
    case ATX_KIND_BOOL:
        return sqlite3_bind_int64(s, index, *(const bool *)member);
    case ATX_KIND_INT:
        return sqlite3_bind_int64(s, index, *(const int64_t *)member);
    case ATX_KIND_COUNT:
        return bind_count(s, index, *(const int64_t *)member);
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL: /* SQLite takes NaN for NULL */
        return sqlite3_bind_double(s, index, *(const double *)member);
    }
    return SQLITE_MISUSE;
}

int atx_columns_bind(sqlite3_stmt *s, int first, const atx_columns *columns, const void *record)
{
    int code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < columns->count; i++) {
        const atx_column *c = &columns->items[i];
        code = bind_member(s, first + i, c->kind, (const char *)record + c->offset);
    }
    return code;
}

const char *atx_store_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

/* As much as there is room for. */
static void read_chars(char *out, size_t size, sqlite3_stmt *s, int index)
{
    const char *text = atx_store_text(s, index);
    size_t len = strnlen(text, size - 1);
    memcpy(out, text, len);
    out[len] = '\0';
}

static void read_member(void *member, const atx_column *c, sqlite3_stmt *s, int index)
{
    const char *text;
    switch (c->kind) {
    case ATX_KIND_TEXT:
        text = atx_store_text(s, index);
        memcpy(member, &text, sizeof text);
        break;
    case ATX_KIND_CHARS:
        read_chars(member, c->size, s, index);
        break;
    case ATX_KIND_OUTCOME:
        *(atx_outcome *)member = atx_outcome_of(atx_store_text(s, index));
        break;
    case ATX_KIND_BOOL:
        *(bool *)member = sqlite3_column_int64(s, index) != 0;
        break;
    case ATX_KIND_INT:
        *(int64_t *)member = sqlite3_column_int64(s, index);
        break;
    case ATX_KIND_COUNT:
        *(int64_t *)member =
            sqlite3_column_type(s, index) == SQLITE_NULL ? -1 : sqlite3_column_int64(s, index);
        break;
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL:
        *(double *)member = sqlite3_column_double(s, index); /* 0 for NULL */
        break;
    }
}

int atx_columns_read(void *record, const atx_columns *columns, sqlite3_stmt *s, int first)
{
    for (int i = 0; i < columns->count; i++)
        read_member((char *)record + columns->items[i].offset, &columns->items[i], s, first + i);
    return first + columns->count;
}

/* ---- as bytes ---- */

static void pack_number(atx_str *out, uint64_t bits)
{
    unsigned char b[8];
    for (int i = 0; i < 8; i++)
        b[i] = (unsigned char)(bits >> 8 * i);
    atx_str_add_bytes(out, b, sizeof b);
}

static void pack_member(atx_str *out, atx_column_kind kind, const void *member)
{
    uint64_t bits = 0;
    const char *text = kind == ATX_KIND_TEXT ? text_of(member) : member;
    switch (kind) {
    case ATX_KIND_TEXT:
    case ATX_KIND_CHARS:
        atx_str_add_bytes(out, text ? text : "", (text ? strlen(text) : 0) + 1);
        return;
    case ATX_KIND_OUTCOME:
        bits = *(const atx_outcome *)member;
        break;
    case ATX_KIND_BOOL:
        bits = *(const bool *)member;
        break;
    case ATX_KIND_INT:
    case ATX_KIND_COUNT:
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL:
        memcpy(&bits, member, sizeof bits);
        break;
    }
    pack_number(out, bits);
}

void atx_columns_pack(atx_str *out, const atx_columns *columns, const void *record)
{
    for (int i = 0; i < columns->count; i++)
        pack_member(out, columns->items[i].kind, (const char *)record + columns->items[i].offset);
}

static uint64_t number_at(const unsigned char *bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    return bits;
}

static const unsigned char *unpack_member(void *member, const atx_column *c, const unsigned char *bytes)
{
    const char *text = (const char *)bytes;
    bool is_text = c->kind == ATX_KIND_TEXT || c->kind == ATX_KIND_CHARS;
    size_t len = is_text ? strlen(text) : 0;
    uint64_t bits = is_text ? 0 : number_at(bytes);
    switch (c->kind) {
    case ATX_KIND_TEXT:
        memcpy(member, &text, sizeof text);
        break;
    case ATX_KIND_CHARS:
        memcpy(member, text, len < c->size ? len + 1 : 0);
        break;
    case ATX_KIND_OUTCOME:
        *(atx_outcome *)member = (atx_outcome)bits;
        break;
    case ATX_KIND_BOOL:
        *(bool *)member = bits != 0;
        break;
    case ATX_KIND_INT:
    case ATX_KIND_COUNT:
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL:
        memcpy(member, &bits, sizeof bits);
        break;
    }
    return bytes + (is_text ? len + 1 : 8);
}

const unsigned char *atx_columns_unpack(void *record, const atx_columns *columns, const unsigned char *bytes)
{
    for (int i = 0; i < columns->count; i++)
        bytes = unpack_member((char *)record + columns->items[i].offset, &columns->items[i], bytes);
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

static at_status check_member(const atx_column *c, const void *member, at_error *err)
{
    switch (c->kind) {
    case ATX_KIND_INT:
        return check_int(c, *(const int64_t *)member, err);
    case ATX_KIND_COUNT:
        return *(const int64_t *)member < 0 ? AT_OK : check_int(c, *(const int64_t *)member, err);
    case ATX_KIND_REAL:
        return check_real(c, *(const double *)member, err);
    case ATX_KIND_SOME_REAL:
        return isnan(*(const double *)member) ? AT_OK : check_real(c, *(const double *)member, err);
    case ATX_KIND_TEXT:
    case ATX_KIND_CHARS:
    case ATX_KIND_OUTCOME:
    case ATX_KIND_BOOL:
        break;
    }
    return AT_OK;
}

at_status atx_columns_check(const atx_columns *columns, const void *record, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; status == AT_OK && i < columns->count; i++)
        status = check_member(&columns->items[i], (const char *)record + columns->items[i].offset, err);
    return status;
}

/* What a record has no room for would be cut: it would be another name. */
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
        const char *text = text_of(member);
        const char *copy = strdup(text ? text : "");
        memcpy(member, &copy, sizeof copy);
        whole = whole && copy;
    }
    return whole;
}

void atx_columns_free(void *record, const atx_columns *columns)
{
    for (int i = 0; i < columns->count; i++)
        if (columns->items[i].kind == ATX_KIND_TEXT)
            free((char *)(uintptr_t)text_of((char *)record + columns->items[i].offset));
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

static atx_stored_figure figure_of(const atx_column *c, const void *record)
{
    const void *at = (const char *)record + c->offset;
    atx_stored_figure f = { .name = atx_column_public(c), .integer = -1, .real = NAN };
    switch (c->kind) {
    case ATX_KIND_TEXT:
    case ATX_KIND_CHARS:
        f.text = c->kind == ATX_KIND_TEXT ? *(const char *const *)at : at;
        f.text = f.text && *f.text ? f.text : NULL;
        break;
    case ATX_KIND_OUTCOME:
        f.text = atx_outcome_name(*(const atx_outcome *)at);
        break;
    case ATX_KIND_BOOL:
        f.kind = ATX_A_BOOL;
        f.integer = *(const bool *)at;
        break;
    case ATX_KIND_INT:
    case ATX_KIND_COUNT:
        f.kind = ATX_AN_INT;
        f.integer = *(const int64_t *)at;
        break;
    case ATX_KIND_REAL:
    case ATX_KIND_SOME_REAL:
        f.kind = ATX_A_REAL;
        f.real = *(const double *)at;
        if (c->kind == ATX_KIND_SOME_REAL && f.real == 0)
            f.real = NAN;
        break;
    }
    return f;
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
