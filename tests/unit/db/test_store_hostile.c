/*
 * test_store_hostile.c - files that lie: numbers that no device has, dates that are yet to come, objects that
 * do more than hold rows. What comes in is refused or not believed, and said; what goes out is well formed.
 */
#include "store_support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(store_hostile, .timeout = 600);

/* ---- lines of dumps ---- */

static const char HEAD[] = "{\"kind\":\"autotune dump\",\"version\":4,\"tool\":\"0.1.0\"}\n";

/* A trial and a winner, with every number that a line has. */
static const char TRIAL[] =
    "{\"kind\":\"trial\",\"op\":\"transpose\",\"shape\":\"4096x4096\",\"type_key\":\"b4\",\"elements\":"
    "16777216,"
    "\"traffic_bytes\":134217728,\"ops_count\":4096,\"device\":\"NVIDIA "
    "H200\",\"cc\":90,\"sms\":132,\"memory_mib\":143771,"
    "\"driver\":\"580\",\"nvrtc\":\"13.0\",\"tool\":\"0.1.0\",\"cold\":1,\"template\":\"tile\","
    "\"template_hash\":\"h1\",\"config\":\"N=1\",\"outcome\":\"timed\",\"median_s\":2e-06,\"min_s\":1e-06,"
    "\"spread\":0.25,\"samples\":7,\"joules\":0.5,\"registers\":40,\"shared_bytes\":4224,\"stack_bytes\":16,"
    "\"spill_bytes\":"
    "24,"
    "\"local_bytes\":48,\"compile_s\":0.5,\"log\":\"\",\"source_hash\":\"s1\","
    "\"measured_at\":\"2026-11-01T00:00:00Z\"}\n";
static const char WINNER[] =
    "{\"kind\":\"winner\",\"op\":\"transpose\",\"shape\":\"4096x4096\",\"type_key\":\"b4\",\"elements\":"
    "16777216,"
    "\"traffic_bytes\":134217728,\"ops_count\":4096,\"device\":\"NVIDIA "
    "H200\",\"cc\":90,\"sms\":132,\"memory_mib\":143771,"
    "\"driver\":\"580\",\"nvrtc\":\"13.0\",\"tool\":\"0.1.0\",\"cold\":1,\"template\":\"tile\","
    "\"template_hash\":\"h1\",\"config\":\"N=1\",\"median_s\":2e-06,\"min_s\":1e-06,\"spread\":0.25,"
    "\"samples\":7,\"joules\":0.5,"
    "\"ceiling_s\":1.5e-06,\"ceiling\":\"memcpy\",\"ties\":\"\",\"trials\":3,\"space_count\":9,\"grid_x\":7,"
    "\"grid_y\":8,\"grid_z\":9,\"block_x\":32,\"block_y\":4,\"block_z\":2,\"shared_bytes\":4224,"
    "\"registers\":40,"
    "\"total_shared_bytes\":4736,\"stack_bytes\":16,\"spill_bytes\":24,\"local_bytes\":48,\"elapsed_s\":12.5,"
    "\"sm_clock_mhz\":1980,\"memory_clock_mhz\":3201,\"temperature_c\":45,\"power_w\":320,\"power_limit_w\":"
    "700,"
    "\"throttle_reasons\":4,\"source_hash\":\"s1\",\"op_hash\":\"o1\",\"measured_at\":\"2026-11-01T00:00:"
    "00Z\","
    "\"strategy\":null}\n";

/* The line with the value of a member replaced. */
static void add_with(atx_str *out, const char *line, const char *member, const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "\"%s\":", member);
    const char *at = strstr(line, name);
    cr_assert(at, "%s", member);
    at += strlen(name);
    atx_str_add_bytes(out, line, (size_t)(at - line));
    atx_str_add(out, value);
    atx_str_add(out, at + (*at == '"' ? 2 + strcspn(at + 1, "\"") : strcspn(at, ",}")));
}

static void write_text(const char *path, const atx_str *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(text->data, 1, text->len, file) == text->len);
    fclose(file);
}

/* What a merge says of a dump that is the line with one value replaced. */
static at_status merge_with(atx_store *store, const folder *f, const char *line, const char *member,
                            const char *value, atx_merge_counts *counts, at_error *err)
{
    char path[300];
    const char *paths[] = { path };
    atx_str text = { 0 };
    snprintf(path, sizeof path, "%s/d.jsonl", f->path);
    atx_str_add(&text, HEAD);
    add_with(&text, line, member, value);
    write_text(path, &text);
    atx_str_clear(&text);
    return atx_store_merge(store, paths, 1, NULL, counts, err);
}

static bool collect(void *context, const char *line)
{
    atx_str_addf(context, "%s\n", line);
    return true;
}

static atx_str dump_of(atx_store *store)
{
    atx_str text = { 0 };
    cr_assert_eq(atx_store_dump(store, &(atx_dump_options){ 0 }, collect, &text, NULL), AT_OK);
    return text;
}

/* ---- numbers ---- */

static bool is_number(const atx_column *c)
{
    return c->range != ATX_RANGE_TEXT && c->kind != ATX_KIND_BOOL; /* which the merge reads as 0 or 1 alone */
}

static void refuse_all(const folder *f, const char *line, const atx_columns *columns)
{
    static const char *const VALUES[] = { "1e400", "-1e400", "-7", "1e19", "\"x\"" };
    for (int i = 0; i < columns->count; i++)
        for (size_t v = 0; v < sizeof VALUES / sizeof *VALUES; v++) {
            const atx_column *c = &columns->items[i];
            atx_store *store = memory_ok();
            at_error err = { 0 };
            if (is_number(c)) {
                cr_assert_eq(merge_with(store, f, line, c->shown, VALUES[v], NULL, &err), AT_ERR_INPUT,
                             "%s: %s was taken", c->shown, VALUES[v]);
                cr_assert(strstr(err.text, "d.jsonl:2: damaged: "), "%s: %s", c->shown, err.text);
                cr_assert(strstr(err.text, c->shown), "%s %s: %s", c->shown, VALUES[v], err.text);
                cr_assert_str_eq(scalar(store, "SELECT count(*) FROM problem").text, "0");
            }
            atx_store_close(store);
        }
}

Test(store_hostile, a_merge_takes_no_number_out_of_its_range_and_names_the_line_and_the_member)
{
    folder f = folder_make();
    refuse_all(&f, TRIAL, &atx_line_columns);
    refuse_all(&f, TRIAL, &atx_trial_figures);
    refuse_all(&f, WINNER, &atx_winner_figures);
    folder_remove(&f);
}

Test(store_hostile, a_merge_takes_the_lines_that_the_tests_above_spoil)
{
    folder f = folder_make();
    atx_store *store = memory_ok();
    at_error err = { 0 };
    cr_assert_eq(merge_with(store, &f, TRIAL, "cc", "90", NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(merge_with(store, &f, WINNER, "cc", "90", NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(merge_with(store, &f, WINNER, "power_w", "null", NULL, &err), AT_OK, "%s", err.text);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store_hostile, the_store_takes_no_number_out_of_its_range_and_names_the_column)
{
    static const double WRONG[] = { INFINITY, -1, 1e-30, 1e30 };
    atx_store *store = memory_ok();
    at_error err = { 0 };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        atx_trial_row row = trial_of("N=1", 1e-6);
        atx_winner winner = winner_of("N=1", 1e-6);
        row.compile_s = winner.elapsed_s = WRONG[i] > 0 && WRONG[i] < 1 ? -WRONG[i] : WRONG[i];
        cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err), AT_ERR_INPUT, "%zu", i);
        cr_assert(strstr(err.text, "cannot store a trial: compile_s: found "), "%s", err.text);
        cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, &err), AT_ERR_INPUT, "%zu", i);
        cr_assert(strstr(err.text, "cannot store a winner: elapsed_s: found "), "%s", err.text);
    }
    atx_fingerprint device = H200;
    atx_trial_row row = trial_of("N=1", 1e-6);
    device.memory_mib = 1ll << 44;
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &device, &row, 1, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "memory_mib: found 17592186044416; expected a number from 0 to 8589934592"),
              "%s", err.text);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "0");
    atx_store_close(store);
}

/* A file that somebody else filled. */
Test(store_hostile, a_dump_has_no_number_that_json_has_not)
{
    atx_store *store = memory_ok();
    atx_trial_row row = trial_of("N=1", 1e-6);
    put_ok(store, &KEY, &H200, &row, 1);
    (void)scalar(store, "UPDATE trial SET min_s = 9e999, spread = -9e999");
    atx_str text = dump_of(store);
    cr_assert(!strstr(text.data, "inf") && !strstr(text.data, "nan"), "%s", text.data);
    cr_assert(strstr(text.data, "\"min_s\":null,\"spread\":null"), "%s", text.data);
    atx_str_clear(&text);
    atx_store_close(store);
}

/* ---- dates ---- */

static const char *newest(atx_store *store, char out[64])
{
    atx_answer a = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_store_find_winner(&a, store, &KEY, NULL, NULL, &err), AT_OK, "%s", err.text);
    snprintf(out, 64, "%s", a.winner.config);
    atx_answer_clear(&a);
    cr_assert_str_eq(scalar(store, "SELECT config FROM best").text, out, "the view says the same");
    return out;
}

static void win(atx_store *store, const char *config)
{
    atx_winner winner = winner_of(config, 1e-6);
    at_error err = { 0 };
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, &err), AT_OK, "%s", err.text);
}

/* A winner "N=1", or with this name, measured at that time. */
static void merge_winner(atx_store *store, const folder *f, const char *config, const char *when,
                         atx_merge_counts *counts)
{
    at_error err = { 0 };
    atx_str line = { 0 };
    char name[32], time[32];
    snprintf(name, sizeof name, "\"%s\"", config);
    snprintf(time, sizeof time, "\"%s\"", when);
    add_with(&line, WINNER, "config", name);
    cr_assert_eq(merge_with(store, f, line.data, "measured_at", time, counts, &err), AT_OK, "%s", err.text);
    atx_str_clear(&line);
}

static const char FUTURE[] = "2999-01-01T00:00:00Z";

Test(store_hostile, a_winner_from_the_future_gives_way_to_one_that_is_measured_here)
{
    folder f = folder_make();
    char text[64];
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    merge_winner(store, &f, "LATE=1", FUTURE, NULL);
    cr_assert_str_eq(newest(store, text), "LATE=1", "better than none");
    win(store, "HERE=1");
    cr_assert_str_eq(newest(store, text), "HERE=1");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store_hostile, a_winner_from_the_future_goes_before_none_that_has_a_date)
{
    folder f = folder_make();
    char text[64];
    atx_merge_counts counts = { 0 };
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    merge_winner(store, &f, "OLD=1", "2026-01-01T00:00:00Z", &counts);
    cr_assert_eq(counts.in_the_future, 0);
    merge_winner(store, &f, "LATE=1", FUTURE, &counts);
    cr_assert_eq(counts.in_the_future, 1, "and it is told");
    cr_assert_str_eq(newest(store, text), "OLD=1");
    merge_winner(store, &f, "NEW=1", "2026-02-01T00:00:00Z", NULL);
    merge_winner(store, &f, "OLDER=1", "2025-02-01T00:00:00Z", NULL);
    cr_assert_str_eq(newest(store, text), "NEW=1", "the date decides where it can be true");
    merge_winner(store, &f, "LATE=1", FUTURE, &counts);
    cr_assert_eq(counts.winners_taken, 0, "and it is still the same one");
    atx_store_close(store);
    folder_remove(&f);
}

/* As if the clock of this machine had been wrong for a while. */
Test(store_hostile, a_clock_that_was_wrong_here_is_forgotten_with_the_next_winner)
{
    static const char WRONG[] = "UPDATE winner SET measured_at = '2999-01-01T00:00:00Z', "
                                "rank_at = '2999-01-01T00:00:00Z' WHERE config = 'WRONG=1'";
    for (int merged = 0; merged < 2; merged++) {
        folder f = folder_make();
        char text[64];
        atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
        win(store, "WRONG=1");
        (void)scalar(store, WRONG);
        if (merged)
            merge_winner(store, &f, "NEXT=1", "2026-01-01T00:00:00Z", NULL);
        else
            win(store, "NEXT=1");
        cr_assert_str_eq(newest(store, text), "NEXT=1", "merged %d", merged);
        atx_store_close(store);
        folder_remove(&f);
    }
}

Test(store_hostile, a_trial_from_the_future_gives_way_to_a_merged_one_and_replaces_none)
{
    static const char *const ORDERS[][2] = { { "2999-01-01T00:00:00Z", "2026-01-01T00:00:00Z" },
                                             { "2026-01-01T00:00:00Z", "2999-01-01T00:00:00Z" } };
    for (int i = 0; i < 2; i++) {
        folder f = folder_make();
        at_error err = { 0 };
        atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
        for (int k = 0; k < 2; k++) {
            char time[32];
            snprintf(time, sizeof time, "\"%s\"", ORDERS[i][k]);
            cr_assert_eq(merge_with(store, &f, TRIAL, "measured_at", time, NULL, &err), AT_OK, "%s",
                         err.text);
        }
        cr_assert_str_eq(scalar(store, "SELECT measured_at FROM trial").text, "2026-01-01T00:00:00Z");
        atx_store_close(store);
        folder_remove(&f);
    }
}

/* ---- schemas ---- */

/* A database with a trial and a winner, and what somebody did to it. */
static void spoil(const folder *f, const char *sql)
{
    atx_store *store = open_ok(f->db, ATX_STORE_WRITE);
    atx_trial_row row = trial_of("N=1", 1e-6);
    put_ok(store, &KEY, &H200, &row, 1);
    win(store, "N=1");
    atx_store_close(store);
    run_sql(f->db, sql);
}

Test(store_hostile, a_schema_that_is_not_ours_is_refused_by_the_name_of_what_is_in_it)
{
    static const struct {
        const char *sql, *says;
    } CASES[] = {
        { "CREATE TRIGGER quiet BEFORE INSERT ON trial BEGIN SELECT RAISE(IGNORE); END",
          "holds the trigger quiet on trial" },
        { "CREATE TRIGGER quiet INSTEAD OF INSERT ON best BEGIN SELECT 1; END", "the trigger quiet on best" },
        { "DROP VIEW best; CREATE VIEW best AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM "
          "c) "
          "SELECT a.* FROM winners_all a, c",
          "holds a view best of another form" },
        { "DROP VIEW trials_all; CREATE TABLE trials_all (x)", "holds a table trials_all of another form" },
        { "CREATE UNIQUE INDEX one ON trial (problem_id)", "the unique index one on trial" },
        { "ALTER TABLE winner ADD COLUMN more INTEGER AS (samples * 2)", "the generated column winner.more" },
        { "ALTER TABLE source RENAME TO hidden; CREATE VIEW source AS SELECT * FROM hidden",
          "holds a view source of another form" },
        { "DROP TABLE source; CREATE TABLE source (hash TEXT PRIMARY KEY ON CONFLICT IGNORE, path TEXT, text "
          "TEXT, "
          "stored_at TEXT) STRICT",
          "holds a table source of another form" },
    };
    static const atx_open_mode MODES[] = { ATX_STORE_READ, ATX_STORE_WRITE };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int k = 0; k < 2; k++) {
            folder f = folder_make();
            atx_store *store = NULL;
            at_error err = { 0 };
            spoil(&f, CASES[i].sql);
            cr_assert_eq(atx_store_open(&store, f.db, MODES[k], &err), AT_ERR_STORE, "%s", CASES[i].sql);
            cr_assert(strstr(err.text, CASES[i].says), "%s\n%s", CASES[i].sql, err.text);
            cr_assert(strstr(err.text, f.db), "%s", err.text);
            folder_remove(&f);
        }
}

/* Triggers that stand elsewhere do not run while the program writes. */
Test(store_hostile, a_users_own_tables_views_and_indexes_may_stay)
{
    folder f = folder_make();
    char text[64];
    spoil(&f, "CREATE TABLE notes (x); CREATE INDEX mine ON trial (median_s); CREATE VIEW fast AS SELECT * "
              "FROM best; "
              "CREATE TRIGGER own AFTER INSERT ON notes BEGIN DELETE FROM winner; END");
    for (int i = 0; i < 2; i++) {
        atx_store *store = open_ok(f.db, i ? ATX_STORE_WRITE : ATX_STORE_READ);
        cr_assert_str_eq(newest(store, text), "N=1");
        atx_store_close(store);
    }
    folder_remove(&f);
}

Test(store_hostile, nothing_that_a_schema_holds_runs)
{
    static const int OFF[] = { SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                               SQLITE_DBCONFIG_TRUSTED_SCHEMA };
    atx_store *store = memory_ok();
    int on = -1;
    for (size_t i = 0; i < sizeof OFF / sizeof *OFF; i++) {
        sqlite3_db_config(store->db, OFF[i], -1, &on);
        cr_assert_eq(on, 0, "%d", OFF[i]);
    }
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, -1, &on);
    cr_assert_eq(on, 1);
    atx_store_close(store);
}

Test(store_hostile, a_statement_ends_when_its_time_is_over, .timeout = 60)
{
    atx_store *store = memory_ok();
    atx_query q = { .store = store, .doing = "count", .limit_s = 0.05 };
    at_status status = AT_OK;
    at_error err = { 0 };
    cr_assert_eq(sqlite3_prepare_v2(store->db,
                                    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                                    "SELECT count(*) FROM c",
                                    -1, &q.statement, NULL),
                 SQLITE_OK);
    cr_assert(!atx_query_next(&q, &status, &err));
    cr_assert_eq(status, AT_ERR_STORE);
    cr_assert(strstr(err.text, "cannot count: it took too long"), "%s", err.text);
    sqlite3_finalize(q.statement);
    atx_query other = { 0 };
    cr_assert_eq(atx_query_begin(&other, store, ATX_SQL_EACH_BEST, "read", &err, ""), AT_OK, "%s", err.text);
    cr_assert(other.limit_s > 0, "each of ours has a limit");
    atx_query_clear(&other);
    atx_store_close(store);
}
