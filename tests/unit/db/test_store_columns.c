/* test_store_columns.c - columns.h and schema.sql say the same: names, types, and what may be NULL. */
#include "store_support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(store_columns);

enum { MAX_LINES = 100 };

/* Lines that are compared as a set. */
typedef struct lines {
    char *items[MAX_LINES];
    int count;
} lines;

static void add(lines *l, const char *line)
{
    cr_assert(l->count < MAX_LINES);
    cr_assert(l->items[l->count++] = strdup(line));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All of them, in order; empties the set. */
static atx_str join(lines *l)
{
    atx_str out = { 0 };
    qsort(l->items, (size_t)l->count, sizeof *l->items, by_text);
    for (int i = 0; i < l->count; i++) {
        atx_str_addf(&out, "%s\n", l->items[i]);
        free(l->items[i]);
    }
    l->count = 0;
    return out;
}

/* The first column of every row. */
static lines answers(atx_store *store, const char *sql)
{
    lines out = { 0 };
    sqlite3_stmt *s = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store->db, sql, -1, &s, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(store->db));
    while (sqlite3_step(s) == SQLITE_ROW)
        add(&out, atx_store_text(s, 0));
    sqlite3_finalize(s);
    return out;
}

static void same(lines *expected, lines *found, const char *of)
{
    atx_str a = join(expected), b = join(found);
    cr_assert_str_eq(atx_str_text(&b), atx_str_text(&a), "%s: schema.sql, then columns.h", of);
    atx_str_clear(&a);
    atx_str_clear(&b);
}

static const char *const TYPES[] = {
    [ATX_KIND_TEXT] = "TEXT NOT NULL",    [ATX_KIND_CHARS] = "TEXT NOT NULL",
    [ATX_KIND_OUTCOME] = "TEXT NOT NULL", [ATX_KIND_BOOL] = "INTEGER NOT NULL",
    [ATX_KIND_INT] = "INTEGER NOT NULL",  [ATX_KIND_COUNT] = "INTEGER",
    [ATX_KIND_REAL] = "REAL NOT NULL",    [ATX_KIND_SOME_REAL] = "REAL",
};

static void add_columns(lines *l, const atx_column *columns, int count)
{
    char line[128];
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%s %s", columns[i].name, TYPES[columns[i].kind]);
        add(l, line);
    }
}

/* Columns that are no figures: numbers of rows. */
#define IS_ID "name = 'id' OR name GLOB '*_id'"

static void check_table(atx_store *store, const char *table, lines *expected)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "SELECT name || ' ' || type || CASE WHEN \"notnull\" THEN ' NOT NULL' ELSE '' END FROM "
             "pragma_table_info('%s') WHERE NOT (" IS_ID ")",
             table);
    lines found = answers(store, sql);
    cr_assert_gt(found.count, 0, "%s", table);
    same(expected, &found, table);
}

Test(store_columns, tables_have_the_columns_of_columns_h_and_no_others)
{
    atx_store *store = memory_ok();
    const atx_column *config = &atx_trial_columns.items[ATX_KERNEL_COUNT - 1];
    const atx_column *time = &atx_trial_columns.items[atx_trial_columns.count - 1];
    lines l = { 0 };
    cr_assert(strcmp(config->name, "config") == 0 && strcmp(time->name, "measured_at") == 0);
    add_columns(&l, atx_problem_columns.items, atx_problem_columns.count);
    check_table(store, "problem", &l);
    add_columns(&l, atx_device_columns.items, atx_device_columns.count);
    check_table(store, "device", &l);
    add_columns(&l, atx_version_columns.items, atx_version_columns.count);
    check_table(store, "fingerprint", &l);
    add_columns(&l, atx_trial_columns.items, ATX_KERNEL_COUNT - 1);
    check_table(store, "template", &l);
    add_columns(&l, config, 1);
    add_columns(&l, time, 1);
    add_columns(&l, atx_trial_figures.items, atx_trial_figures.count);
    check_table(store, "trial", &l);
    add_columns(&l, config, 1);
    add_columns(&l, time, 1);
    add_columns(&l, &atx_answer_columns.items[atx_answer_columns.count - 1], 1); /* rank_at */
    add_columns(&l, atx_winner_figures.items, atx_winner_figures.count);
    check_table(store, "winner", &l);
    atx_store_close(store);
}

static void add_shown(lines *l, const atx_columns *columns, int from)
{
    for (int i = from; i < columns->count; i++)
        add(l, columns->items[i].shown);
}

/* `computed`: what the view makes of columns, and numbers of rows. Ends with NULL. */
static void check_view(atx_store *store, const char *view, lines *expected, const char *const *computed)
{
    char sql[200];
    add_shown(expected, &atx_fingerprint_columns, 0);
    for (; *computed; computed++)
        add(expected, *computed);
    snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s')", view);
    lines found = answers(store, sql);
    same(expected, &found, view);
}

Test(store_columns, views_show_every_column_by_its_name)
{
    static const char *const OF_TRIAL[] = { "op",          "shape",    "type_key", "gb_per_s",
                                            "gflop_per_s", "trial_id", "run_id",   NULL };
    static const char *const OF_WINNER[] = { "gb_per_s",  "gflop_per_s", "share_of_ceiling",
                                             "winner_id", "run_id",      "valid",
                                             NULL };
    static const char *const WINNERS[] = { "winner_rows", "best_rows" };
    atx_store *store = memory_ok();
    lines l = { 0 };
    add_shown(&l, &atx_trial_columns, 0);
    check_view(store, "trial_rows", &l, OF_TRIAL);
    for (int i = 0; i < 2; i++) {
        add_shown(&l, &atx_winner_columns, 0);
        add_shown(&l, &atx_answer_columns, 0); /* problem, time and rank */
        check_view(store, WINNERS[i], &l, OF_WINNER);
    }
    atx_store_close(store);
}

/* A value that no other column of the record has. */
static void fill(void *record, const atx_columns *columns)
{
    static char texts[MAX_LINES][16];
    for (int i = 0; i < columns->count; i++) {
        void *member = (char *)record + columns->items[i].offset;
        const char *text = texts[i];
        snprintf(texts[i], sizeof texts[i], "text %d", i);
        switch (columns->items[i].kind) {
        case ATX_KIND_TEXT:
            memcpy(member, &text, sizeof text);
            break;
        case ATX_KIND_INT:
        case ATX_KIND_COUNT:
            *(int64_t *)member = 1000 + i;
            break;
        case ATX_KIND_REAL:
        case ATX_KIND_SOME_REAL:
            *(double *)member = 0.5 + i;
            break;
        case ATX_KIND_OUTCOME:
            *(atx_outcome *)member = ATX_TIMED;
            break;
        case ATX_KIND_CHARS:
        case ATX_KIND_BOOL:
            cr_assert(false, "neither a trial nor a winner has one");
        }
    }
}

/* Its value in the view, as text. */
static void check_shown(atx_store *store, const char *view, const atx_columns *columns)
{
    char sql[200], expected[32];
    for (int i = 0; i < columns->count; i++) {
        const atx_column *c = &columns->items[i];
        snprintf(sql, sizeof sql, "SELECT %s FROM %s", c->shown, view);
        if (c->kind == ATX_KIND_TEXT)
            snprintf(expected, sizeof expected, "text %d", i);
        else if (c->kind == ATX_KIND_OUTCOME)
            snprintf(expected, sizeof expected, "timed");
        else
            snprintf(expected, sizeof expected, "%s%d%s", "", c->kind >= ATX_KIND_REAL ? i : 1000 + i,
                     c->kind >= ATX_KIND_REAL ? ".5" : "");
        cr_assert_str_eq(scalar(store, sql).text, expected, "%s.%s", view, c->shown);
    }
}

Test(store_columns, every_figure_goes_to_its_own_column)
{
    atx_store *store = memory_ok();
    atx_trial_row row = { 0 };
    atx_winner winner = { 0 };
    at_error err = { 0 };
    fill(&row, &atx_trial_columns);
    put_ok(store, &KEY, &H200, &row, 1);
    check_shown(store, "trial_rows", &atx_trial_columns);
    fill(&winner, &atx_winner_columns);
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, &err), AT_OK, "%s", err.text);
    check_shown(store, "best_rows", &atx_winner_columns);
    atx_store_close(store);
}

static void check_public(atx_store *store, const char *view, const atx_columns *columns)
{
    char sql[200];
    for (int i = 0; i < columns->count; i++) {
        const char *name = atx_column_public(&columns->items[i]);
        snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'", view,
                 name);
        cr_expect_str_eq(scalar(store, sql).text, "1", "%s.%s", view, name);
    }
}

Test(store_columns, every_figure_is_in_the_public_views)
{
    atx_store *store = memory_ok();
    check_public(store, "winners_all", &atx_winner_columns);
    check_public(store, "winners_all", &atx_answer_columns);
    check_public(store, "winners_all", &atx_fingerprint_columns);
    check_public(store, "trials_all", &atx_trial_columns);
    atx_store_close(store);
}

/* What other programs read: one meaning a name, NULL for what is not known, numbers as numbers. */
Test(store_columns, public_views_say_what_is_known_and_nothing_else)
{
    static const struct {
        const char *asks, *answer;
    } CASES[] = {
        { "SELECT group_concat(a.name) FROM pragma_table_info('winners_all') a JOIN "
          "pragma_table_info('trials_all') b "
          "USING (name) WHERE name LIKE '%shared%' OR name LIKE '%_j'",
          "energy_j,shared_bytes" },
        { "SELECT shared_bytes || ' ' || dynamic_shared_bytes FROM best", "4224 128" },
        { "SELECT shared_bytes || ' ' || (log IS NULL) || (source_hash IS NULL) FROM trials_all", "4224 11" },
        { "SELECT (ties IS NULL) || (objective IS NULL) || (ceiling IS NULL) || (energy_j IS NULL) FROM "
          "winners_all",
          "1111" },
        { "SELECT strategy || ' ' || host FROM best", "model here" },
        { "SELECT group_concat(name || '=' || value || ' ' || typeof(value), ', ') FROM winner_parameters",
          "TILE=32 integer, ORDER=out_fast text" },
        { "SELECT group_concat(name || '=' || value) FROM trial_parameters", "TILE=32,ORDER=out_fast" },
        { "SELECT group_concat(position || ':' || value) FROM sizes", "0:8,1:64,2:32" },
        { "SELECT group_concat(type) FROM (SELECT type FROM best JOIN types USING (type_key) ORDER BY type)",
          "f32,i32,u32" },
        { "SELECT count(*) FROM best JOIN types USING (type_key) WHERE type = 'f32'", "1" },
        { "SELECT group_concat(type_key) FROM types WHERE type = 'bf16'", "b2,bf16" },
    };
    const atx_problem_key key = { "transpose", "8x64x32/64x80@4", "b4", 16384, 131072, 0 };
    const atx_run_info info = {
        .command = "", .strategy = "model", .seed = 1, .device_uuid = "", .host = "here"
    };
    atx_store *store = memory_ok();
    at_error err = { 0 };
    int64_t run = 0;
    atx_trial_row row = trial_of("TILE=32 ORDER=out_fast", 1e-6);
    atx_winner winner = winner_of("TILE=32 ORDER=out_fast", 1e-6);
    row.log = winner.ties = winner.objective = winner.ceiling_name = row.source_hash = "";
    row.resources.shared_bytes = winner.resources.shared_bytes = 4224;
    winner.geometry.shared_bytes = 128;
    winner.timing.joules = NAN;
    cr_assert_eq(atx_store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    put_ok(store, &key, &H200, &row, 1);
    cr_assert_eq(atx_store_put_winner(store, run, &key, &H200, &winner, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        cr_expect_str_eq(scalar(store, CASES[i].asks).text, CASES[i].answer, "%s", CASES[i].asks);
    atx_store_close(store);
}

Test(store_columns, the_program_holds_the_schema_file)
{
    atx_str text = { 0 };
    char version[40];
    snprintf(version, sizeof version, "user_version = %d;", ATX_SCHEMA_VERSION);
    cr_assert_eq(atx_str_read_file(&text, AT_SOURCE_DIR "/db/schema.sql", 1 << 20, NULL), AT_OK);
    cr_assert_str_eq(text.data, atx_schema_sql);
    cr_assert(strstr(text.data, version));
    atx_str_clear(&text);
}
