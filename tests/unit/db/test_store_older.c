/*
 * test_store_older.c - files of older schemas: read as they are, brought forward by the first writer, whoever
 * else is there. tests/data/schemas has the DDL of each version, and rows that all of them could hold.
 */
#include "store_support.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>

TestSuite(store_older);

enum { OLDEST = 1, NEWEST = AT__SCHEMA_VERSION };

static void run_file(const char *path, const char *name)
{
    char from[256];
    at__str sql = { 0 };
    at_error err = { 0 };
    snprintf(from, sizeof from, AT_SOURCE_DIR "/tests/data/schemas/%s.sql", name);
    cr_assert_eq(at__str_read_file(&sql, from, 1 << 20, &err), AT_OK, "%s", err.text);
    run_sql(path, at__str_text(&sql));
    at__str_clear(&sql);
}

/* A file as that version wrote it. Version 3 brought the column that the rows are of, 4 the rank. */
static void make_older(const char *path, int version)
{
    char name[8];
    snprintf(name, sizeof name, "%d", version);
    run_file(path, name);
    run_file(path, "rows");
    if (version >= 3)
        run_sql(path, "UPDATE trial SET local_bytes = spill_bytes; UPDATE trial SET spill_bytes = NULL");
    if (version >= 4)
        run_sql(path, "UPDATE winner SET rank_at = measured_at");
}

static bool add_line(void *context, const char *line)
{
    at__str_addf(context, "%s\n", line);
    return true;
}

static at__str dump(at__store *store)
{
    at__str text = { 0 };
    at_error err = { 0 };
    cr_assert_eq(at__store_dump(store, &(at__dump_options){ 0 }, add_line, &text, &err), AT_OK, "%s",
                 err.text);
    return text;
}

typedef struct figures {
    int count;
    at__resources resources[4];
    at__timing timing[4];
} figures;

static bool take(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    figures *f = context;
    cr_assert_str_eq(fingerprint->device, "NVIDIA H200");
    f->timing[f->count] = row->timing;
    f->resources[f->count++] = row->resources;
    return f->count < 4;
}

static void check_resources(const at__resources *r, int64_t registers, int64_t shared, int64_t local)
{
    cr_assert(r->registers == registers && r->shared_bytes == shared && r->local_bytes == local);
    cr_assert(r->stack_bytes == -1 && r->spill_bytes == -1, "nobody knew them");
}

/* What rows.sql says, through the store. */
static void check_rows(at__store *store)
{
    figures f = { 0 };
    at__answer a = { 0 };
    at__str strategy = { 0 };
    at_error err = { 0 };
    cr_assert_eq(at__store_each_trial(store, &KEY, &H200, take, &f, &err), AT_OK, "%s", err.text);
    cr_assert_eq(f.count, 3);
    check_resources(&f.resources[0], 40, 4224, 16);
    check_resources(&f.resources[1], 255, 4224, 512);
    check_resources(&f.resources[2], -1, -1, -1);
    cr_assert(f.timing[1].median_s == 2e-6 && f.timing[1].spread == 0.25 && f.timing[1].samples == 3);
    cr_assert_eq(at__store_find_winner(&a, store, &KEY, &H200, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(a.winner.config, "N=1");
    cr_assert(a.winner.geometry.grid[2] == 9 && a.winner.geometry.block[0] == 32 &&
              a.winner.geometry.shared_bytes == 4224);
    check_resources(&a.winner.resources, 40, -1, -1);
    cr_assert(a.winner.conditions.temperature_c == 45 && a.winner.conditions.power_w == -1);
    cr_assert_str_eq(a.measured_at, "2026-11-20T00:00:04Z");
    cr_assert_eq(at__store_winner_strategy(&strategy, store, &KEY, &H200, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(at__str_text(&strategy), "model, settled");
    at__str_clear(&strategy);
    at__answer_clear(&a);
}

static at__str bytes_of(const char *path)
{
    at__str out = { 0 };
    cr_assert_eq(at__str_read_file(&out, path, 1 << 26, NULL), AT_OK);
    return out;
}

Test(store_older, is_read_as_it_is)
{
    for (int version = OLDEST; version < NEWEST; version++) {
        folder f = folder_make();
        make_older(f.db, version);
        at__str before = bytes_of(f.db);
        at__store *store = open_ok(f.db, AT__STORE_READ);
        cr_assert_eq(at__store_version(store, NULL), version);
        check_rows(store);
        cr_assert_str_eq(
            scalar(store, "SELECT config || local_bytes FROM trials_all WHERE local_bytes > 16").text,
            "N=2512");
        cr_assert_str_eq(scalar(store, "SELECT config FROM best WHERE spill_bytes IS NULL").text, "N=1");
        cr_assert_str_eq(scalar(store, "SELECT gflop_per_s IS NULL FROM best").text, "1");
        at__store_close(store);
        at__str after = bytes_of(f.db);
        cr_assert(before.len == after.len && memcmp(before.data, after.data, after.len) == 0);
        at__str_clear(&before);
        at__str_clear(&after);
        folder_remove(&f);
    }
}

/* Name, type and whether it may be NULL of all columns of all tables and views, and the text of the views. */
#define WHOLE_SCHEMA                                                                                         \
    "SELECT group_concat(line, char(10)) FROM (SELECT s.name || '.' || c.name || ' ' || c.type || ' ' || "   \
    "c.\"notnull\" AS line FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type IN ('table', "     \
    "'view') UNION ALL SELECT sql FROM sqlite_schema WHERE type IN ('view', 'index') ORDER BY 1)"

static at__str schema_of(at__store *store)
{
    at__str out = { 0 };
    sqlite3_stmt *s = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store->db, WHOLE_SCHEMA, -1, &s, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(store->db));
    cr_assert_eq(sqlite3_step(s), SQLITE_ROW);
    at__str_add(&out, at__store_text(s, 0));
    sqlite3_finalize(s);
    cr_assert(out.len > 1000);
    return out;
}

Test(store_older, the_first_writer_makes_it_what_a_new_file_is)
{
    for (int version = OLDEST; version < NEWEST; version++) {
        folder f = folder_make();
        make_older(f.db, version);
        at__store *reader = open_ok(f.db, AT__STORE_READ);
        at__str old_dump = dump(reader);
        at__store_close(reader);
        at__store *store = open_ok(f.db, AT__STORE_WRITE), *fresh = memory_ok();
        cr_assert_eq(at__store_version(store, NULL), NEWEST);
        check_rows(store);
        at__str mine = schema_of(store), theirs = schema_of(fresh), new_dump = dump(store);
        cr_assert_str_eq(mine.data, theirs.data, "version %d", version);
        cr_assert_str_eq(new_dump.data, old_dump.data, "read as it was it says the same");
        cr_assert_str_eq(scalar(store, "PRAGMA integrity_check").text, "ok");
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM run WHERE other_processes IS NULL").text, "1");
        at__str_clear(&mine);
        at__str_clear(&theirs);
        at__str_clear(&new_dump);
        at__str_clear(&old_dump);
        at__store_close(fresh);
        at__store_close(store);
        folder_remove(&f);
    }
}

/* Other programs rely on them. */
Test(store_older, the_views_keep_every_column_that_they_had)
{
    static const char *const VIEWS[] = { "best", "winners_all", "trials_all" };
    for (int version = OLDEST; version < NEWEST; version++) {
        folder f = folder_make();
        char old[200], sql[500];
        snprintf(old, sizeof old, "%s/old.db", f.path);
        make_older(old, version);
        at__store *store = open_ok(f.db, AT__STORE_WRITE);
        snprintf(sql, sizeof sql, "ATTACH '%s' AS old", old);
        (void)scalar(store, sql);
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL); /* as other programs see them */
        for (int i = 0; i < 3; i++) {
            snprintf(sql, sizeof sql,
                     "SELECT count(*) || ' lost ' || ifnull(group_concat(name), '') FROM "
                     "pragma_table_info('%s', 'old') WHERE name NOT IN "
                     "(SELECT name FROM pragma_table_info('%s', 'main'))",
                     VIEWS[i], VIEWS[i]);
            cr_assert_str_eq(scalar(store, sql).text, "0 lost ");
            snprintf(sql, sizeof sql, "SELECT count(*) > 25 FROM pragma_table_info('%s', 'old')", VIEWS[i]);
            cr_assert_str_eq(scalar(store, sql).text, "1", "there was something to lose");
        }
        at__store_close(store);
        folder_remove(&f);
    }
}

Test(store_older, is_merged_like_any_other)
{
    for (int version = OLDEST; version < NEWEST; version++) {
        folder f = folder_make();
        const char *path = f.db;
        at__merge_counts counts = { 0 };
        at_error err = { 0 };
        make_older(f.db, version);
        at__store *store = memory_ok();
        cr_assert_eq(at__store_merge(store, &path, 1, &counts, &err), AT_OK, "%s", err.text);
        cr_assert(counts.trials_taken == 3 && counts.winners_taken == 1 && counts.sources_taken == 1);
        check_rows(store);
        at__store_close(store);
        folder_remove(&f);
    }
}

/* All of them open it as it was; one brings it forward, the others wait and find it done. */
Test(store_older, processes_bring_it_forward_at_once)
{
    for (int version = OLDEST; version < NEWEST; version++) {
        folder f = folder_make();
        pid_t children[6];
        make_older(f.db, version);
        for (int i = 0; i < 6; i++)
            children[i] = spawn_batches(AT_STORE_WRITER, f.db, 5, 1000 * i, NULL);
        for (int i = 0; i < 6; i++) {
            int state = -1;
            cr_assert_eq(waitpid(children[i], &state, 0), children[i]);
            cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0, "child %d: %x", i, (unsigned)state);
        }
        at__store *store = open_ok(f.db, AT__STORE_WRITE);
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "63");
        cr_assert_str_eq(
            scalar(store, "SELECT sum(local_bytes) FROM trial WHERE config IN ('N=1', 'N=2')").text, "528");
        cr_assert_str_eq(scalar(store, "PRAGMA integrity_check").text, "ok");
        at__store_close(store);
        folder_remove(&f);
    }
}

/* A program that reads for days is not stopped by one that is newer; what moved is unknown to it. */
Test(store_older, a_reader_goes_on_when_a_writer_brings_the_file_forward)
{
    folder f = folder_make();
    at__answer a = { 0 };
    figures seen = { 0 };
    at__trial_row row = trial_of("N=4", 1e-7);
    make_older(f.db, 2);
    run_sql(f.db, "PRAGMA journal_mode = WAL");
    at__store *reader = open_ok(f.db, AT__STORE_READ);
    check_rows(reader);
    at__store *writer = open_ok(f.db, AT__STORE_WRITE);
    row.resources = (at__resources){ 1, 2, 3, -1, 5 };
    put_ok(writer, &KEY, &H200, &row, 1);
    cr_assert_eq(at__store_find_winner(&a, reader, &KEY, &H200, NULL, NULL), AT_OK);
    cr_assert_eq(at__store_each_trial(reader, &KEY, &H200, take, &seen, NULL), AT_OK);
    cr_assert(seen.count == 4 && seen.resources[0].registers == 1 && seen.resources[1].registers == 40);
    cr_assert(seen.resources[1].local_bytes == -1);
    at__answer_clear(&a);
    at__store_close(reader);
    at__store_close(writer);
    folder_remove(&f);
}

/* Artificial versions after this one: the first adds a column, the second fails half-way. */
static const at__migration STEPS[] = {
    { AT__SCHEMA_VERSION, "ALTER TABLE run ADD COLUMN note TEXT" },
    { AT__SCHEMA_VERSION + 1, "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)" },
    { 0, NULL },
};

Test(store_older, an_older_schema_is_brought_forward_step_by_step)
{
    folder f = folder_make();
    at__store *store = open_ok(f.db, AT__STORE_WRITE);
    const int now = AT__SCHEMA_VERSION;
    at_error err = { 0 };
    cr_assert_eq(at__store_migrate(store, STEPS, now + 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__store_version(store, &err), now + 1);
    cr_assert_str_eq(scalar(store, "SELECT count(note) FROM run").text, "0");
    cr_assert_eq(at__store_migrate(store, STEPS, now + 1, &err), AT_OK); /* nothing to do */
    cr_assert_eq(at__store_migrate(store, STEPS, now + 2, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "nowhere"), "%s", err.text);
    cr_assert_eq(at__store_version(store, &err), now + 1);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").text, "0");
    cr_assert_eq(at__store_migrate(store, STEPS, now, &err), AT_ERR_STORE); /* never backwards */
    cr_assert_eq(at__store_migrate(store, STEPS + 1, now + 9, &err), AT_ERR_STORE);
    at__store_close(store);
    cr_assert_eq(at__store_open(&store, f.db, AT__STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "newer autotune (schema version 7; this program knows 6)"), "%s", err.text);
    folder_remove(&f);
}

/* SQLite changes no table without looking at the views that name it. */
Test(store_older, a_users_own_views_do_not_keep_it_from_being_brought_forward)
{
    for (int version = OLDEST; version < NEWEST; version++) {
        folder f = folder_make();
        make_older(f.db, version);
        run_sql(f.db, "CREATE VIEW mine AS SELECT config FROM trial; CREATE VIEW more AS SELECT * FROM mine");
        at__store *store = open_ok(f.db, AT__STORE_WRITE);
        int on = -1;
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, -1, &on);
        cr_assert_eq(on, 0, "off again");
        at__store_close(store);
        folder_remove(&f);
    }
}

/* Until version 3 the newest went by its date, and one from a clock that was wrong stayed for ever. */
Test(store_older, a_date_that_was_yet_to_come_does_not_stay_the_newest)
{
    for (int written = 0; written < 2; written++)
        for (int version = OLDEST; version < NEWEST; version++) {
            folder f = folder_make();
            at__answer a = { 0 };
            make_older(f.db, version);
            run_sql(
                f.db,
                "INSERT INTO winner (problem_id, fingerprint_id, template_id, config, source_hash, op_hash, "
                "median_s, min_s, spread, samples, ceiling_name, ties, trials, space_count, grid_x, grid_y, "
                "grid_z, block_x, block_y, block_z, shared_bytes, elapsed_s, measured_at) SELECT "
                "problem_id, fingerprint_id, template_id, 'LATE=1', '', '', median_s, min_s, spread, "
                "samples, '', '', 1, 1, 1, 1, 1, 1, 1, 1, 0, 1.0, '2999-01-01T00:00:00Z' FROM winner");
            at__store *store = open_ok(f.db, written ? AT__STORE_WRITE : AT__STORE_READ);
            cr_assert_eq(at__store_find_winner(&a, store, &KEY, &H200, NULL, NULL), AT_OK);
            cr_assert_str_eq(a.winner.config, "N=1", "version %d", version);
            cr_assert_str_eq(scalar(store, "SELECT config FROM best").text, "N=1");
            cr_assert_str_eq(scalar(store, "SELECT count(*) FROM winners_all").text, "2");
            at__answer_clear(&a);
            at__store_close(store);
            folder_remove(&f);
        }
}

Test(store_older, the_program_holds_the_schema_file)
{
    at__str text = { 0 };
    cr_assert_eq(at__str_read_file(&text, AT_SOURCE_DIR "/db/schema.sql", 1 << 20, NULL), AT_OK);
    cr_assert_str_eq(text.data, at__schema_sql);
    cr_assert(strstr(text.data, "user_version = 6;"));
    at__str_clear(&text);
}

/* ---- dumps ---- */

/* Since version 2 a trial knows all three kinds of memory; in version 1 it had local memory alone. Since
 * version 4 templates are named by what they mean. What ships is of that and changes with each tuning, the
 * others stay as they are. */
Test(store_older, dumps_of_all_versions_are_read)
{
    static const struct {
        const char *path, *trials, *stack, *local, *winners;
    } CASES[] = {
        { AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz", "13734", "13734", "33", "14" },
        { AT_SOURCE_DIR "/tests/data/schemas/dump1.jsonl", "42", "0", "3", "2" },
        { AT_SOURCE_DIR "/tests/data/schemas/dump2.jsonl", "12", "12", "0", "1" },
        { AT_SOURCE_DIR "/tests/data/schemas/dump3.jsonl", "12", "12", "0", "1" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at__store *store = NULL;
        at_error err = { 0 };
        cr_assert_eq(at__store_open_recording(&store, CASES[i].path, &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trials_all WHERE local_bytes >= 0").text,
                         CASES[i].trials);
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trials_all WHERE stack_bytes >= 0 AND "
                                       "spill_bytes >= 0")
                             .text,
                         CASES[i].stack);
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trials_all WHERE local_bytes > 0").text,
                         CASES[i].local);
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM winners_all").text, CASES[i].winners);
        at__store_close(store);
    }
    at__store *shipped = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__store_open_recording(&shipped, AT_SOURCE_DIR "/db/winners/h200.jsonl.gz", &err), AT_OK,
                 "%s", err.text);
    cr_assert_str_eq(scalar(shipped, "SELECT count(*) > 1000 AND count(*) = sum(local_bytes >= 0 AND "
                                     "stack_bytes >= 0 AND spill_bytes >= 0) FROM trials_all")
                         .text,
                     "1");
    cr_assert_str_eq(scalar(shipped, "SELECT count(*) > 100 FROM winners_all").text, "1");
    at__store_close(shipped);
}
