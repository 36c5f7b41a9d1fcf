/*
 * test_store.c - what the store keeps, and what it refuses. Hostile files and other processes:
 * test_store_files.c; the columns themselves: test_store_columns.c.
 */
#include "store_support.h"

#include <criterion/criterion.h>
#include <unistd.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(store);

/* Rows as a callback saw them, flattened. */
typedef struct seen {
    int count, limit;
    atx_trial_row last;
    char text[4096];
} seen;

static bool look(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    seen *s = context;
    size_t used = strlen(s->text);
    s->count++;
    s->last = *row; /* its texts are gone after this call */
    snprintf(s->text + used, sizeof s->text - used, "%s %s {%s} %s %s %s;", row->template_name,
             row->template_hash, row->config, atx_outcome_name(row->outcome), row->log, fingerprint->driver);
    return s->count != s->limit;
}

Test(store, creates_the_file_its_folders_and_a_wal)
{
    folder f = folder_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a/b c/ü#?.db", f.path);
    atx_store *store = open_ok(path, ATX_STORE_WRITE);
    cr_assert_str_eq(scalar(store, "PRAGMA journal_mode").text, "wal");
    cr_assert_str_eq(scalar(store, "PRAGMA application_id").text, "1096045902");
    cr_assert_str_eq(scalar(store, "PRAGMA user_version").text, "2");
    cr_assert_str_eq(scalar(store, "PRAGMA synchronous").text, "1"); /* NORMAL */
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, default_path_follows_the_environment)
{
    static const struct {
        const char *named, *data, *home, *expect;
    } CASES[] = {
        { "/x/y.db", "/data", "/home/me", "/x/y.db" },
        { NULL, "/data", "/home/me", "/data/autotune/autotune.db" },
        { "", "/data", "/home/me", "/data/autotune/autotune.db" },
        { NULL, "relative", "/home/me", "/home/me/.local/share/autotune/autotune.db" },
        { NULL, NULL, "/home/me", "/home/me/.local/share/autotune/autotune.db" },
        { NULL, NULL, NULL, NULL },
        { NULL, NULL, "", NULL },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_str path = { 0 };
        at_error err = { 0 };
        set_or_unset("AUTOTUNE_DB", CASES[i].named);
        set_or_unset("XDG_DATA_HOME", CASES[i].data);
        set_or_unset("HOME", CASES[i].home);
        at_status status = atx_store_default_path(&path, &err);
        if (CASES[i].expect)
            cr_assert(status == AT_OK && strcmp(path.data, CASES[i].expect) == 0, "case %zu: %s", i,
                      atx_str_text(&path));
        else
            cr_assert(status == AT_ERR_USAGE && strstr(err.text, "AUTOTUNE_DB"), "case %zu: %s", i, err.text);
        atx_str_clear(&path);
    }
}

Test(store, outcomes_have_names)
{
    cr_assert_str_eq(atx_outcome_name(ATX_TIMED), "timed");
    cr_assert_str_eq(atx_outcome_name(ATX_TIMED_OUT), "timed_out");
    cr_assert_str_eq(atx_outcome_name((atx_outcome)99), "unknown");
}

Test(store, a_run_is_recorded)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    int64_t first = 0, second = 0;
    atx_run_info info = { "autotune --shapes 'it''s'", "random", UINT64_MAX, "GPU-1", "host", 2, -1 };
    cr_assert_eq(atx_store_begin_run(&first, store, &info, NULL), AT_OK);
    cr_assert_eq(atx_store_begin_run(&second, store, &info, NULL), AT_OK);
    cr_assert_neq(first, second);
    cr_assert_str_eq(scalar(store, "SELECT command || strategy || seed || device_uuid || host FROM run").text,
                     "autotune --shapes 'it''s'random-1GPU-1host");
    cr_assert_str_eq(scalar(store, "SELECT other_processes || ifnull(ecc_errors, ' unknown') FROM run").text,
                     "2 unknown");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, a_winner_knows_how_it_was_found)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_str strategy = { 0 };
    int64_t run = 0;
    atx_run_info info = { "autotune", "model, settled", 1, "", "host", -1, -1 };
    atx_winner w = winner_of("A=1", 1e-6);
    cr_assert_eq(atx_store_winner_strategy(&strategy, store, &KEY, &H200, NULL), AT_ERR_NOT_FOUND);
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &w, NULL), AT_OK);
    cr_assert_eq(atx_store_winner_strategy(&strategy, store, &KEY, &H200, NULL), AT_ERR_NOT_FOUND);
    cr_assert_eq(atx_store_begin_run(&run, store, &info, NULL), AT_OK);
    cr_assert_eq(atx_store_put_winner(store, run, &KEY, &H200, &w, NULL), AT_OK);
    cr_assert_eq(atx_store_winner_strategy(&strategy, store, &KEY, &H200, NULL), AT_OK);
    cr_assert_str_eq(atx_str_text(&strategy), "model, settled");
    atx_str_clear(&strategy);
    atx_store_close(store);
    folder_remove(&f);
}

static bool name_problem(void *context, const atx_problem_key *key)
{
    atx_str *text = context;
    atx_str_addf(text, "%s %s %s %d;", key->op, key->shape, key->type_key, (int)key->elements);
    return text->len < 30;
}

Test(store, problems_come_in_order_until_told_to_stop)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_str text = { 0 };
    atx_trial_row row = trial_of("A=1", 1e-6);
    const char *const shapes[] = { "8x8", "16x4", "2x32" };
    for (int i = 0; i < 3; i++) {
        atx_problem_key key = { "transpose", shapes[i], "b4", 64, 512, 0 };
        put_ok(store, &key, &H200, &row, 1);
    }
    cr_assert_eq(atx_store_each_problem(store, name_problem, &text, NULL), AT_OK);
    cr_assert_str_eq(atx_str_text(&text), "transpose 16x4 b4 64;transpose 2x32 b4 64;");
    atx_str_clear(&text);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, trials_come_back_fastest_first)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row rows[] = { trial_of("A=1", 3e-6), trial_of("A=2", 1e-6), trial_of("A=3", 0),
                             trial_of("A=4", 2e-6) };
    seen s = { 0 };
    rows[2].outcome = ATX_COMPILE_FAILED;
    rows[2].log = "line 3: 'x' is \"undefined\"\n";
    put_ok(store, &KEY, &H200, rows, 4);
    cr_assert_eq(atx_store_each_trial(store, &KEY, NULL, look, &s, NULL), AT_OK);
    cr_assert_str_eq(s.text, "tile h1 {A=2} timed  580;tile h1 {A=4} timed  580;tile h1 {A=1} timed  580;"
                             "tile h1 {A=3} compile_failed line 3: 'x' is \"undefined\"\n 580;");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, every_column_of_a_trial_comes_back)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row row = trial_of("A=1", 3.25e-6);
    seen s = { 0 };
    row.timing.min_s = 3.125e-6;
    row.timing.spread = 0.0625;
    row.timing.samples = 17;
    row.resources = (atx_resources){ 40, 4224, 16, 24, 8 };
    row.compile_s = 0.5;
    put_ok(store, &KEY, &H200, &row, 1);
    cr_assert_eq(atx_store_each_trial(store, &KEY, &H200, look, &s, NULL), AT_OK);
    cr_assert(s.last.timing.median_s == 3.25e-6 && s.last.timing.min_s == 3.125e-6 &&
              s.last.timing.spread == 0.0625);
    cr_assert(s.last.timing.samples == 17 && s.last.compile_s == 0.5 && s.last.outcome == ATX_TIMED);
    cr_assert(memcmp(&s.last.resources, &row.resources, sizeof row.resources) == 0);
    cr_assert_str_eq(scalar(store, "SELECT registers || ' ' || shared_bytes || ' ' || stack_bytes || ' ' || "
                                   "spill_bytes || ' ' || local_bytes FROM trials_all")
                         .text,
                     "40 4224 16 24 8");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, what_is_unknown_is_null_and_comes_back_unknown)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row row = trial_of("A=1", 123.0); /* a time that a crashed trial cannot have */
    seen s = { 0 };
    row.outcome = ATX_CRASHED;
    row.resources = ATX_RESOURCES_UNKNOWN;
    row.log = NULL;
    put_ok(store, &KEY, &H200, &row, 1);
    cr_assert_eq(atx_store_each_trial(store, &KEY, NULL, look, &s, NULL), AT_OK);
    cr_assert(s.last.timing.median_s == 0 && s.last.timing.min_s == 0 && s.last.timing.spread == 0);
    cr_assert(memcmp(&s.last.resources, &row.resources, sizeof row.resources) == 0);
    cr_assert_str_eq(
        scalar(store, "SELECT count(*) FROM trials_all WHERE median_s IS NULL AND registers IS NULL").text,
        "1");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, a_trial_measured_again_replaces_its_row)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row rows[] = { trial_of("A=1", 0), trial_of("A=1", 2e-6) };
    rows[0].outcome = ATX_TIMED_OUT;
    put_ok(store, &KEY, &H200, &rows[0], 1);
    put_ok(store, &KEY, &H200, &rows[1], 1);
    cr_assert_str_eq(scalar(store, "SELECT group_concat(outcome || median_s) FROM trial").text,
                     "timed2.0e-06");
    rows[1].template_hash = "h2"; /* the template has changed: another trial */
    put_ok(store, &KEY, &H200, &rows[1], 1);
    atx_fingerprint other = H200;
    other.cold = false;
    put_ok(store, &KEY, &other, &rows[1], 1);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "3");
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM device").text, "1");
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM fingerprint").text, "2");
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM problem").text, "1");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, a_problem_keeps_the_latest_traffic)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_problem_key key = KEY;
    atx_trial_row row = trial_of("A=1", 1e-3);
    put_ok(store, &key, &H200, &row, 1);
    key.traffic_bytes = 2000000;
    put_ok(store, &key, &H200, &row, 1);
    cr_assert_str_eq(scalar(store, "SELECT gb_per_s FROM trials_all").text, "2.0");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, operations_a_second_are_known_of_ops_that_count_them)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_problem_key key = KEY;
    atx_trial_row row = trial_of("A=1", 1e-3);
    put_ok(store, &key, &H200, &row, 1);
    cr_assert_str_eq(scalar(store, "SELECT gflop_per_s IS NULL FROM trials_all").text, "1");
    key.ops_count = 3000000;
    put_ok(store, &key, &H200, &row, 1);
    cr_assert_str_eq(scalar(store, "SELECT gflop_per_s FROM trials_all").text, "3.0");
    key.ops_count = 0;
    put_ok(store, &key, &H200, &row, 1);
    cr_assert_str_eq(scalar(store, "SELECT gflop_per_s FROM trials_all").text, "3.0");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, visits_stop_when_told_and_heed_problem_and_fingerprint)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row rows[] = { trial_of("A=1", 1e-6), trial_of("A=2", 2e-6), trial_of("A=3", 3e-6) };
    atx_fingerprint old = H200;
    atx_problem_key other = KEY;
    seen one = { .limit = 1 }, mine = { 0 }, all = { 0 }, none = { 0 };
    snprintf(old.driver, sizeof old.driver, "570");
    other.shape = "8x8";
    put_ok(store, &KEY, &H200, rows, 3);
    put_ok(store, &KEY, &old, rows, 2);
    cr_assert_eq(atx_store_each_trial(store, &KEY, NULL, look, &one, NULL), AT_OK);
    cr_assert_eq(atx_store_each_trial(store, &KEY, &old, look, &mine, NULL), AT_OK);
    cr_assert_eq(atx_store_each_trial(store, &KEY, NULL, look, &all, NULL), AT_OK);
    cr_assert_eq(atx_store_each_trial(store, &other, NULL, look, &none, NULL), AT_OK);
    cr_assert(one.count == 1 && mine.count == 2 && all.count == 5 && none.count == 0);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, a_batch_is_stored_whole_or_not_at_all)
{
    static const double BAD[] = { 0, -1, NAN, INFINITY };
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_trial_row rows[] = { trial_of("A=1", 1e-6), trial_of("A=2", BAD[i]) };
        at_error err = { 0 };
        cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, rows, 2, &err), AT_ERR_INTERNAL);
        cr_assert(strstr(err.text, "A=2"), "%s", err.text);
    }
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "0");
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, NULL, 0, NULL), AT_OK);
    atx_store_close(store);
    folder_remove(&f);
}

/* So many rows that a user may interrupt. */
Test(store, what_is_cancelled_while_it_is_stored_changes_nothing)
{
    enum { ROWS = 2000 };
    static atx_trial_row rows[ROWS];
    static char configs[ROWS][16];
    atomic_int asked = 0;
    const atx_cancel cancel = { .flag = &asked };
    at_error err = { 0 };
    atx_store *store = memory_ok();
    for (int i = 0; i < ROWS; i++) {
        snprintf(configs[i], sizeof configs[i], "N=%d", i);
        rows[i] = trial_of(configs[i], 1e-3);
    }
    atx_store_set_cancel(store, &cancel);
    put_ok(store, &KEY, &H200, rows, 1);
    asked = 1;
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, rows, ROWS, &err), AT_ERR_CANCELLED, "%s",
                 err.text);
    cr_assert(strstr(err.text, "interrupted"), "%s", err.text);
    asked = 0;
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "1");
    put_ok(store, &KEY, &H200, rows, ROWS);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "2000");
    atx_store_close(store);
}

Test(store, an_unknown_run_is_refused)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row row = trial_of("A=1", 1e-6);
    at_error err = { 0 };
    cr_assert_eq(atx_store_put_trials(store, 77, &KEY, &H200, &row, 1, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "FOREIGN KEY"), "%s", err.text);
    put_ok(store, &KEY, &H200, &row, 1); /* the handle is still good */
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, everything_about_a_winner_comes_back)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_winner w = winner_of("TILE=32 'ü' \"x\"", 2e-3);
    atx_answer a = { 0 };
    w.ties = "A=1\nA=2";
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &w, NULL), AT_OK);
    cr_assert_eq(atx_store_find_winner(&a, store, &KEY, &H200, NULL, NULL), AT_OK);
    cr_assert_str_eq(a.winner.template_name, w.template_name);
    cr_assert_str_eq(a.winner.template_hash, w.template_hash);
    cr_assert_str_eq(a.winner.config, w.config);
    cr_assert_str_eq(a.winner.source_hash, w.source_hash);
    cr_assert_str_eq(a.winner.op_hash, w.op_hash);
    cr_assert_str_eq(a.winner.ceiling_name, w.ceiling_name);
    cr_assert_str_eq(a.winner.ties, w.ties);
    cr_assert_str_eq(a.op, KEY.op);
    cr_assert_str_eq(a.shape, KEY.shape);
    cr_assert_str_eq(a.type_key, KEY.type_key);
    cr_assert(a.elements == KEY.elements && a.traffic_bytes == KEY.traffic_bytes);
    cr_assert_eq(strlen(a.measured_at), 20);
    cr_assert(a.winner.timing.median_s == w.timing.median_s && a.winner.timing.min_s == w.timing.min_s &&
              a.winner.timing.spread == w.timing.spread && a.winner.timing.samples == w.timing.samples &&
              a.winner.ceiling_s == w.ceiling_s && a.winner.trials == w.trials &&
              a.winner.space_count == w.space_count && a.winner.elapsed_s == w.elapsed_s);
    cr_assert(memcmp(&a.winner.geometry, &w.geometry, sizeof w.geometry) == 0);
    cr_assert(memcmp(&a.winner.resources, &w.resources, sizeof w.resources) == 0);
    cr_assert(memcmp(&a.winner.conditions, &w.conditions, sizeof w.conditions) == 0);
    cr_assert(memcmp(&a.fingerprint, &H200, sizeof H200) == 0);
    atx_answer_clear(&a);
    atx_answer_clear(&a);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, a_winner_without_ceiling_registers_or_clocks)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_winner w = winner_of("A=1", 2e-3);
    atx_answer a = { 0 };
    w.ceiling_s = 0;
    w.ceiling_name = w.ties = NULL;
    w.resources = ATX_RESOURCES_UNKNOWN;
    w.conditions = ATX_CONDITIONS_UNKNOWN;
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &w, NULL), AT_OK);
    cr_assert_eq(atx_store_find_winner(&a, store, &KEY, NULL, NULL, NULL), AT_OK);
    cr_assert(a.winner.ceiling_s == 0 && a.winner.conditions.power_w == -1);
    cr_assert(memcmp(&a.winner.resources, &w.resources, sizeof w.resources) == 0);
    cr_assert_str_eq(a.winner.ceiling_name, "");
    cr_assert_str_eq(a.winner.ties, "");
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM best WHERE share_of_ceiling IS NULL").text, "1");
    atx_answer_clear(&a);
    w.timing.median_s = 0;
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &w, NULL), AT_ERR_INTERNAL);
    atx_store_close(store);
    folder_remove(&f);
}

static const char *winning(atx_store *store, const atx_fingerprint *fingerprint, const char *device,
                           char out[64])
{
    atx_answer a = { 0 };
    at_status status = atx_store_find_winner(&a, store, &KEY, fingerprint, device, NULL);
    snprintf(out, 64, "%s", status == AT_OK ? a.winner.config : at_status_name(status));
    atx_answer_clear(&a);
    return out;
}

static void win(atx_store *store, const atx_fingerprint *fingerprint, const char *config)
{
    atx_winner w = winner_of(config, 1e-3);
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, fingerprint, &w, NULL), AT_OK);
}

Test(store, a_fingerprint_must_agree_in_every_column)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    char text[64];
    atx_fingerprint others[8];
    win(store, &H200, "A=1");
    for (int i = 0; i < 8; i++)
        others[i] = H200;
    snprintf(others[0].device, sizeof others[0].device, "NVIDIA H200 NVL");
    others[1].cc++;
    others[2].sms++;
    others[3].memory_mib++;
    snprintf(others[4].driver, sizeof others[4].driver, "581");
    snprintf(others[5].nvrtc, sizeof others[5].nvrtc, "13.1");
    snprintf(others[6].tool, sizeof others[6].tool, "0.2");
    others[7].cold = false;
    cr_assert_str_eq(winning(store, &H200, NULL, text), "A=1");
    for (int i = 0; i < 8; i++)
        cr_assert_str_eq(winning(store, &others[i], NULL, text), "not found", "column %d", i);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, without_a_fingerprint_the_newest_of_any_device_counts)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    char text[64];
    atx_fingerprint b200 = H200, warm = H200;
    snprintf(b200.device, sizeof b200.device, "NVIDIA B200");
    warm.cold = false;
    cr_assert_str_eq(winning(store, NULL, NULL, text), "not found");
    win(store, &warm, "WARM=1");
    cr_assert_str_eq(winning(store, NULL, NULL, text), "WARM=1");
    win(store, &b200, "B=1");
    win(store, &H200, "H=1");
    win(store, &H200, "H=2");
    win(store, &warm, "WARM=2");
    cr_assert_str_eq(winning(store, NULL, NULL, text), "H=2");
    cr_assert_str_eq(winning(store, NULL, "", text), "H=2");
    cr_assert_str_eq(winning(store, NULL, "NVIDIA B200", text), "B=1");
    cr_assert_str_eq(winning(store, NULL, "B200", text), "not found", "a name is one in full here");
    cr_assert_str_eq(winning(store, NULL, "%", text), "not found");
    cr_assert_str_eq(winning(store, &warm, NULL, text), "WARM=2");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, best_has_one_row_for_each_problem_and_device)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_fingerprint b200 = H200, warm = H200, newer = H200;
    snprintf(b200.device, sizeof b200.device, "NVIDIA B200");
    snprintf(newer.driver, sizeof newer.driver, "581");
    warm.cold = false;
    win(store, &H200, "H=1");
    win(store, &newer, "H=2");
    win(store, &b200, "B=1");
    win(store, &warm, "WARM=1");
    /* An older measurement that was brought in later is still the older one. */
    win(store, &H200, "H=0");
    cr_assert_eq(sqlite3_exec(store->db,
                              "UPDATE winner SET measured_at = '2001', rank_at = '2001' WHERE config = 'H=0'",
                              0, 0, 0),
                 0);
    cr_assert_str_eq(
        scalar(store, "SELECT group_concat(config) FROM (SELECT * FROM best ORDER BY device)").text,
        "B=1,H=2");
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM winners_all").text, "5");
    cr_assert_str_eq(scalar(store,
                            "SELECT gb_per_s || '|' || share_of_ceiling || '|' || template || '|' || cold "
                            "FROM best WHERE device = 'NVIDIA B200'")
                         .text,
                     "134.217728|0.75|tile|1");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, best_is_for_the_sqlite3_shell)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    char command[600], line[100] = "";
    win(store, &H200, "TILE=32");
    snprintf(command, sizeof command,
             "sqlite3 -readonly '%s' \"SELECT op, shape, type_key, config FROM best\"", f.db);
    FILE *shell = popen(command, "r");
    cr_assert(shell);
    char *got = fgets(line, sizeof line, shell);
    int code = pclose(shell);
    if (code == 127 << 8)
        cr_skip_test("no sqlite3 program here");
    cr_assert(got && code == 0);
    cr_assert_str_eq(line, "transpose|4096x4096|b4|TILE=32\n");
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, sources_come_back_byte_for_byte)
{
    static const char TEXT[] = "__global__ void k() {}\r\n\0\xff\xc3\xbc end";
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_str out = { 0 };
    atx_str_add(&out, "before");
    cr_assert_eq(atx_store_get_source(&out, store, "h1", NULL), AT_ERR_NOT_FOUND);
    cr_assert_str_eq(out.data, "before");
    for (int twice = 0; twice < 2; twice++)
        cr_assert_eq(atx_store_put_source(store, "h1", "templates/x.cu", TEXT, sizeof TEXT - 1, NULL), AT_OK);
    cr_assert_eq(atx_store_put_source(store, "h0", "empty.cu", "", 0, NULL), AT_OK);
    cr_assert_eq(atx_store_get_source(&out, store, "h1", NULL), AT_OK);
    cr_assert(out.len == sizeof TEXT - 1 && memcmp(out.data, TEXT, out.len) == 0);
    cr_assert_eq(atx_store_get_source(&out, store, "h0", NULL), AT_OK);
    cr_assert_eq(out.len, 0);
    atx_str_clear(&out);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store, cubins_come_back_with_their_logs)
{
    static const unsigned char CUBIN[] = { 0x7f, 'E', 'L', 'F', 0, 1, 2, 0 };
    folder f = folder_make();
    atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
    atx_str cubin = { 0 }, log = { 0 };
    cr_assert_eq(atx_store_get_cubin(&cubin, &log, cache, "k", NULL), AT_ERR_NOT_FOUND);
    cr_assert_eq(atx_store_put_cubin(cache, "k", NULL, 0, "refused", NULL), AT_OK);
    cr_assert_eq(atx_store_get_cubin(&cubin, &log, cache, "k", NULL), AT_OK);
    cr_assert(cubin.len == 0 && strcmp(log.data, "refused") == 0);
    cr_assert_eq(atx_store_put_cubin(cache, "k", CUBIN, sizeof CUBIN, NULL, NULL), AT_OK);
    cr_assert_eq(atx_store_get_cubin(&cubin, &log, cache, "k", NULL), AT_OK);
    cr_assert(cubin.len == sizeof CUBIN && memcmp(cubin.data, CUBIN, cubin.len) == 0 && log.len == 0);
    atx_str_clear(&cubin);
    atx_str_clear(&log);
    atx_store_close(cache);
    folder_remove(&f);
}

Test(store, a_reader_sees_what_a_writer_stores_but_writes_nothing)
{
    folder f = folder_make();
    atx_store *writer = open_ok(f.db, ATX_STORE_WRITE);
    atx_store *reader = open_ok(f.db, ATX_STORE_READ);
    char text[64];
    at_error err = { 0 };
    atx_trial_row row = trial_of("A=1", 1e-6);
    win(writer, &H200, "A=1");
    cr_assert_str_eq(winning(reader, &H200, NULL, text), "A=1");
    cr_assert_eq(atx_store_put_trials(reader, 0, &KEY, &H200, &row, 1, &err), AT_ERR_INTERNAL);
    cr_assert(strstr(err.text, "reading only"), "%s", err.text);
    atx_store_close(writer);
    win(writer = open_ok(f.db, ATX_STORE_WRITE), &H200, "A=2");
    cr_assert_str_eq(winning(reader, &H200, NULL, text), "A=2");
    atx_store_close(reader);
    atx_store_close(writer);
    folder_remove(&f);
}

/* Nobody would find it. SQLite goes on with the file that has lost its name. */
Test(store, nothing_is_stored_in_a_file_that_was_removed_or_replaced)
{
    for (int replaced = 0; replaced < 2; replaced++) {
        folder f = folder_make();
        at_error err = { 0 };
        const atx_trial_row row = trial_of("N=1", 1e-6);
        const atx_winner winner = winner_of("N=1", 1e-6);
        atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
        put_ok(store, &KEY, &H200, &row, 1);
        cr_assert_eq(unlink(f.db), 0);
        if (replaced)
            atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
        cr_expect_eq(atx_store_was_replaced(store), replaced == 1);
        cr_expect_eq(atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err), AT_ERR_STORE);
        cr_expect(strstr(err.text, f.db) && strstr(err.text, "removed, renamed or replaced"), "%s", err.text);
        cr_expect_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, &err), AT_ERR_STORE);
        atx_store_close(store);
        folder_remove(&f);
    }
}
