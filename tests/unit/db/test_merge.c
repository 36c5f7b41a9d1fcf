/* test_merge.c - dumps, merging and recordings: what goes out comes back, once, and nothing damaged comes in.
 */
#include "merge_support.h"
#include "source/normalized.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

TestSuite(merge);

static const atx_dump_options ALL = { 0 };

typedef struct lines {
    atx_str text;
    int count, limit; /* limit 0: none */
} lines;

static bool collect(void *context, const char *line)
{
    lines *l = context;
    atx_str_addf(&l->text, "%s\n", line);
    return ++l->count != l->limit;
}

static lines dump_of(atx_store *store, const atx_dump_options *options)
{
    lines l = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_store_dump(store, options, collect, &l, &err), AT_OK, "%s", err.text);
    return l;
}

Test(merge, a_dump_comes_back_the_same)
{
    folder f = folder_make();
    char dump[300], copy[300];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    snprintf(copy, sizeof copy, "%s/copy.db", f.path);
    atx_store *store = small_store(f.db);
    lines before = dump_of(store, &ALL);
    write_text(dump, atx_str_text(&before.text));
    atx_store *other = open_ok(copy, ATX_STORE_WRITE);
    atx_merge_counts counts = merge_ok(other, dump);
    cr_assert_eq(counts.trials_taken, 2);
    cr_assert_eq(counts.winners_taken, 1);
    cr_assert_eq(counts.sources_taken, 1);
    lines after = dump_of(other, &ALL);
    cr_assert_str_eq(atx_str_text(&after.text), atx_str_text(&before.text));
    atx_str_clear(&before.text);
    atx_str_clear(&after.text);
    atx_store_close(other);
    atx_store_close(store);
    folder_remove(&f);
}

#define WORDED   "__global__ void k() {} // as it was\n"
#define REWORDED "__global__ void k() {} // reworded\n"

static void expect_text(atx_store *store, const char *hash, const char *expected)
{
    atx_str text = { 0 };
    cr_assert_eq(atx_store_get_source(&text, store, hash, NULL), AT_OK);
    cr_expect_str_eq(atx_str_text(&text), expected);
    atx_str_clear(&text);
}

Test(merge, of_two_texts_that_mean_the_same_the_newer_stays)
{
    char hash[ATX_HASH_TEXT];
    at_error err = { 0 };
    folder f = folder_make(), g = folder_make();
    cr_assert_eq(atx_normalized_hash(hash, WORDED, strlen(WORDED), NULL, &err), AT_OK);
    atx_store *older = open_ok(f.db, ATX_STORE_WRITE), *newer = open_ok(g.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_store_put_source(older, hash, "x.cu", WORDED, strlen(WORDED), &err), AT_OK);
    expect_text(older, hash, WORDED);
    (void)scalar(older, "UPDATE source SET stored_at = '2026-11-01T00:00:00Z'");
    cr_assert_eq(atx_store_put_source(newer, hash, "y.cu", WORDED, strlen(WORDED), &err), AT_OK);
    cr_assert_eq(atx_store_put_source(newer, hash, "y.cu", REWORDED, strlen(REWORDED), &err), AT_OK);
    expect_text(newer, hash, REWORDED);
    cr_expect_eq(merge_ok(newer, f.db).sources_taken, 0);
    expect_text(newer, hash, REWORDED);
    cr_expect_eq(merge_ok(older, g.db).sources_taken, 1);
    expect_text(older, hash, REWORDED);
    cr_expect_str_eq(scalar(older, "SELECT count(*) || max(path) FROM source").text, "1y.cu");
    atx_store_close(older);
    atx_store_close(newer);
    folder_remove(&f);
    folder_remove(&g);
}

/* Every trial, with the three kinds of memory, of what comes with the program. */
Test(merge, what_ships_is_read_whole)
{
    static const struct {
        const char *path, *trials, *winners;
    } CASES[] = {
        { AT_SOURCE_DIR "/db/recordings/h200.jsonl.gz", "count(*) = 13734", "count(*) = 14" },
        { AT_SOURCE_DIR "/db/winners/h200.jsonl.gz", "count(*) > 1000", "count(*) > 100" },
        { AT_SOURCE_DIR "/db/winners/h100.jsonl.gz", "count(*) > 1000", "count(*) > 50" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_store *store = NULL;
        at_error err = { 0 };
        char sql[300];
        cr_assert_eq(atx_store_open_recording(&store, CASES[i].path, NULL, &err), AT_OK, "%s", err.text);
        snprintf(sql, sizeof sql,
                 "SELECT %s AND count(*) = sum(local_bytes >= 0 AND stack_bytes >= 0 AND spill_bytes >= 0) "
                 "FROM trials_all",
                 CASES[i].trials);
        cr_expect_str_eq(scalar(store, sql).text, "1", "%s", CASES[i].path);
        snprintf(sql, sizeof sql, "SELECT %s FROM winners_all", CASES[i].winners);
        cr_expect_str_eq(scalar(store, sql).text, "1", "%s", CASES[i].path);
        atx_store_close(store);
    }
}

/* Somebody's editor writes Latin-1. */
Test(merge, a_template_that_is_no_utf8_comes_back_the_same)
{
    static const char *const TEXTS[] = { "3 \xb5s\n", "4 \xc2\xb5s\n", "\xff", "5 us\n" };
    folder f = folder_make();
    char dump[300], hash[ATX_HASH_TEXT];
    at_error err = { 0 };
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    atx_store *store = small_store(f.db);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(atx_normalized_hash(hash, TEXTS[i], strlen(TEXTS[i]), NULL, &err), AT_OK);
        cr_assert_eq(atx_store_put_source(store, hash, "x.cu", TEXTS[i], strlen(TEXTS[i]), &err), AT_OK);
    }
    lines l = dump_of(store, &ALL);
    write_text(dump, atx_str_text(&l.text));
    atx_store *other = memory_ok();
    cr_assert_eq(merge_ok(other, dump).sources_taken, 5);
    for (size_t i = 0; i < 4; i++) {
        atx_str text = { 0 };
        cr_assert_eq(atx_normalized_hash(hash, TEXTS[i], strlen(TEXTS[i]), NULL, &err), AT_OK);
        cr_assert_eq(atx_store_get_source(&text, other, hash, &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(atx_str_text(&text), TEXTS[i]);
        atx_str_clear(&text);
    }
    atx_str_clear(&l.text);
    atx_store_close(other);
    atx_store_close(store);
    folder_remove(&f);
}

/* `cat *.jsonl | autotune merge all.db -`. Of a compact one no line may take members from the one before. */
Test(merge, dumps_that_were_joined_are_read_one_after_the_other)
{
    static const char OTHER[] = "{\"kind\":\"autotune dump\",\"version\":4,\"tool\":\"0\"}\n"
                                "{\"kind\":\"trial\",\"config\":\"N=3\"}\n";
    folder f = folder_make();
    char dump[300];
    const char *path = dump;
    at_error err = { 0 };
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    atx_store *store = small_store(f.db), *other = memory_ok();
    lines l = dump_of(store, &(atx_dump_options){ .compact = true });
    lines again = dump_of(store, &ALL);
    atx_str_add(&l.text, atx_str_text(&again.text));
    write_text(dump, atx_str_text(&l.text));
    cr_assert_eq(merge_ok(other, dump).trials, 4);
    cr_assert_str_eq(scalar(other, "SELECT count(*) FROM trial").text, "2");
    atx_str_add(&l.text, OTHER);
    write_text(dump, atx_str_text(&l.text));
    cr_assert_eq(atx_store_merge(other, &path, 1, NULL, NULL, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "the member op is missing"), "%s", err.text);
    atx_str_clear(&l.text);
    atx_str_clear(&again.text);
    atx_store_close(other);
    atx_store_close(store);
    folder_remove(&f);
}

Test(merge, a_compressed_dump_is_read_as_it_is)
{
    folder f = folder_make();
    char dump[300];
    snprintf(dump, sizeof dump, "%s/d.jsonl.gz", f.path);
    atx_store *store = small_store(f.db);
    lines l = dump_of(store, &(atx_dump_options){ .compact = true });
    gzFile file = gzopen(dump, "wb");
    cr_assert(file && gzputs(file, atx_str_text(&l.text)) > 0);
    gzclose(file);
    atx_store *recording = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_store_open_recording(&recording, dump, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(scalar(recording, "SELECT count(*) FROM trial").text, "2");
    cr_assert_str_eq(scalar(recording, "SELECT median_s FROM trial WHERE config = 'N=1'").text, "1.25e-06");
    atx_store_close(recording);
    atx_str_clear(&l.text);
    atx_store_close(store);
    folder_remove(&f);
}

Test(merge, what_is_there_already_is_not_doubled)
{
    folder f = folder_make();
    char copy[300];
    snprintf(copy, sizeof copy, "%s/copy.db", f.path);
    atx_store_close(small_store(f.db));
    atx_store *other = open_ok(copy, ATX_STORE_WRITE);
    merge_ok(other, f.db);
    atx_merge_counts again = merge_ok(other, f.db);
    cr_assert_eq(again.trials, 2);
    cr_assert_eq(again.trials_taken + again.winners_taken + again.sources_taken, 0);
    cr_assert_str_eq(scalar(other, "SELECT count(*) FROM trial").text, "2");
    cr_assert_str_eq(scalar(other, "SELECT count(*) FROM winner").text, "1");
    atx_store_close(other);
    folder_remove(&f);
}

Test(merge, of_two_trials_of_a_configuration_the_newer_stays_in_either_order)
{
    folder f = folder_make();
    char dump[300], older[1024], newer[1024];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    trial_line(older, sizeof older, "2e-6", 1);
    trial_line(newer, sizeof newer, "3e-6", 2);
    for (int order = 0; order < 2; order++) {
        atx_store *store = memory_ok();
        write_dump(dump, HEAD, order ? newer : older, order ? older : newer);
        merge_ok(store, dump);
        cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "1");
        cr_assert_str_eq(scalar(store, "SELECT median_s FROM trial").text, "3.0e-06");
        atx_store_close(store);
    }
    folder_remove(&f);
}

#define MEMORY                                                                                               \
    "SELECT coalesce(stack_bytes, 'unknown') || ' ' || coalesce(spill_bytes, 'unknown') || ' ' || "          \
    "coalesce(local_bytes, 'unknown') FROM trials_all"

/* Rows that come in turns, as those of a problem that two machines tuned. */
Test(merge, each_row_keeps_its_device_and_driver)
{
    static const char ROWS[] = "SELECT group_concat(config || ' ' || device || ' ' || driver, ', ') FROM "
                               "(SELECT * FROM trials_all ORDER BY config)";
    atx_fingerprint b200 = H200, newer = H200;
    folder f = folder_make();
    const atx_fingerprint *const OF[] = { &H200, &b200, &H200, &newer, &b200 };
    snprintf(b200.device, sizeof b200.device, "NVIDIA B200");
    snprintf(newer.driver, sizeof newer.driver, "999");
    atx_store *from = open_ok(f.db, ATX_STORE_WRITE), *to = memory_ok();
    for (int i = 0; i < 5; i++) {
        char config[16];
        snprintf(config, sizeof config, "N=%d", i);
        const atx_trial_row row = trial_of(config, 1e-6);
        put_ok(from, &KEY, OF[i], &row, 1);
    }
    const atx_winner winner = winner_of("N=4", 1e-6);
    cr_assert_eq(atx_store_put_winner(from, 0, &KEY, &b200, &winner, NULL), AT_OK);
    merge_ok(to, f.db);
    cr_assert_str_eq(scalar(to, ROWS).text, scalar(from, ROWS).text);
    cr_assert(strstr(scalar(to, ROWS).text, "N=1 NVIDIA B200") && strstr(scalar(to, ROWS).text, "H200 999"));
    cr_assert_str_eq(scalar(to, "SELECT device FROM winners_all").text, "NVIDIA B200");
    atx_store_close(from);
    atx_store_close(to);
    folder_remove(&f);
}

/* Of one second, with one configuration: another template's, another device's, and those of another problem.
 */
Test(merge, winners_that_differ_in_one_thing_are_all_kept)
{
    folder f = folder_make();
    atx_fingerprint b200 = H200;
    atx_problem_key other = KEY;
    atx_store *from = open_ok(f.db, ATX_STORE_WRITE), *to = memory_ok();
    atx_winner winners[5];
    const atx_problem_key *const OF[5] = { &KEY, &KEY, &KEY, &KEY, &other };
    const atx_fingerprint *const ON[5] = { &H200, &b200, &H200, &H200, &H200 };
    snprintf(b200.device, sizeof b200.device, "NVIDIA B200");
    other.shape = "64x64";
    for (int i = 0; i < 5; i++)
        winners[i] = winner_of(i == 3 ? "N=2" : "N=1", 1e-6);
    winners[2].template_name = "another";
    for (int i = 0; i < 5; i++)
        cr_assert_eq(atx_store_put_winner(from, 0, OF[i], ON[i], &winners[i], NULL), AT_OK);
    atx_store_close(from);
    run_sql(f.db, "UPDATE winner SET measured_at = '2026-11-01T00:00:00Z', rank_at = '2026-11-01T00:00:00Z'");
    for (int i = 0; i < 2; i++) {
        merge_ok(to, f.db);
        cr_assert_str_eq(scalar(to, "SELECT count(*) FROM winner").text, "5", "time %d", i);
    }
    atx_store_close(to);
    folder_remove(&f);
}

Test(merge, three_kinds_of_memory_are_told_apart)
{
    folder f = folder_make();
    char dump[300], line[1024];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    atx_store *store = memory_ok();
    trial_line(line, sizeof line, "2e-6", 2);
    write_dump(dump, HEAD, line,
               "{\"kind\":\"trial\",\"config\":\"N=2\",\"stack_bytes\":16,\"spill_bytes\":24,"
               "\"local_bytes\":32}\n");
    merge_ok(store, dump);
    cr_assert_str_eq(scalar(store, MEMORY " WHERE config = 'N=1'").text, "unknown 0 unknown");
    cr_assert_str_eq(scalar(store, MEMORY " WHERE config = 'N=2'").text, "16 24 32");
    atx_store_close(store);
    folder_remove(&f);
}

/* A file of a version that did not know them takes none away. */
Test(merge, operations_come_with_a_dump_and_an_older_one_leaves_them)
{
    folder f = folder_make();
    char dump[300], line[1024];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    atx_store *from = open_ok(f.db, ATX_STORE_WRITE), *to = memory_ok();
    atx_problem_key key = KEY;
    atx_trial_row row = trial_of("N=7", 1e-6);
    key.ops_count = 5000;
    put_ok(from, &key, &H200, &row, 1);
    atx_store_close(from);
    merge_ok(to, f.db);
    cr_assert_str_eq(scalar(to, "SELECT gflop_per_s FROM trials_all").text, "5.0");
    write_dump(dump, HEAD, trial_line(line, sizeof line, "2e-6", 1), "");
    merge_ok(to, dump);
    cr_assert_str_eq(scalar(to, "SELECT gflop_per_s FROM trials_all WHERE config = 'N=1'").text, "2.5");
    atx_store_close(to);
    folder_remove(&f);
}

Test(merge, a_dump_can_be_of_one_device_or_problem)
{
    folder f = folder_make();
    atx_store *store = small_store(f.db);
    atx_problem_key other = KEY;
    atx_trial_row row = trial_of("N=3", 1e-6);
    other.shape = "512x512";
    put_ok(store, &other, &H200, &row, 1);
    lines device = dump_of(store, &(atx_dump_options){ .compact = true, .device = "NVIDIA H200" });
    lines nobody = dump_of(store, &(atx_dump_options){ .compact = true, .device = "A100" });
    lines one =
        dump_of(store, &(atx_dump_options){ .compact = true, .problems = &other, .problem_count = 1 });
    cr_assert_eq(device.count, 5);
    cr_assert_eq(nobody.count, 1); /* the head */
    cr_assert_eq(one.count, 2);
    atx_str_clear(&device.text);
    atx_str_clear(&nobody.text);
    atx_str_clear(&one.text);
    atx_store_close(store);
    folder_remove(&f);
}

static bool has_trial(const lines *l, const char *config, const char *seconds)
{
    atx_str part = { 0 };
    atx_str_addf(&part, "\"config\":\"%s\",\"outcome\":\"timed\",\"median_s\":%s,", config, seconds);
    bool has = strstr(l->text.data, atx_str_text(&part));
    atx_str_clear(&part);
    return has;
}

/* Four trials of one template, one of which failed and is no answer for anyone, and two of another. */
Test(merge, a_dump_can_be_of_the_fastest_trials_of_each_template)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row rows[] = { trial_of("N=1", 3e-6), trial_of("N=2", 1e-6), trial_of("N=3", 2e-6),
                             trial_of("N=4", 0),    trial_of("N=1", 9e-6), trial_of("N=2", 8e-6) };
    rows[3].outcome = ATX_CRASHED;
    rows[4].template_name = rows[5].template_name = "other";
    put_ok(store, &KEY, &H200, rows, 6);
    lines one = dump_of(store, &(atx_dump_options){ .best = 1 });
    lines two = dump_of(store, &(atx_dump_options){ .best = 2 });
    cr_assert(has_trial(&one, "N=2", "1e-06") && has_trial(&one, "N=2", "8e-06"), "%s", one.text.data);
    cr_assert(!has_trial(&one, "N=3", "2e-06") && !has_trial(&one, "N=1", "9e-06"));
    cr_assert(has_trial(&two, "N=3", "2e-06") && has_trial(&two, "N=1", "9e-06"));
    cr_assert(!has_trial(&two, "N=1", "3e-06") && !strstr(two.text.data, "N=4"));
    atx_str_clear(&one.text);
    atx_str_clear(&two.text);
    atx_store_close(store);
    folder_remove(&f);
}

Test(merge, a_dump_ends_early_when_its_reader_has_enough)
{
    folder f = folder_make();
    atx_store *store = small_store(f.db);
    for (int limit = 1; limit <= 5; limit++) {
        lines l = { .limit = limit };
        cr_assert_eq(atx_store_dump(store, &ALL, collect, &l, NULL), AT_OK);
        cr_assert_eq(l.count, limit);
        atx_str_clear(&l.text);
    }
    atx_store_close(store);
    folder_remove(&f);
}

/* Whether a search is begun again depends on it. */
Test(merge, a_winner_brings_the_strategy_that_found_it)
{
    folder f = folder_make();
    char copy[300], third[300];
    at_error err = { 0 };
    atx_str strategy = { 0 };
    int64_t run = 0;
    const atx_run_info info = { "autotune tune", "model, settled", 1, "", "host", -1, -1 };
    snprintf(copy, sizeof copy, "%s/copy.db", f.path);
    snprintf(third, sizeof third, "%s/third.db", f.path);
    atx_store *store = small_store(f.db);
    atx_winner winner = winner_of("N=9", 1.2e-6);
    cr_assert_eq(atx_store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_winner(store, run, &KEY, &H200, &winner, &err), AT_OK, "%s", err.text);
    atx_store *other = open_ok(copy, ATX_STORE_WRITE), *last = open_ok(third, ATX_STORE_WRITE);
    cr_assert_eq(merge_ok(other, f.db).winners_taken, 2);
    cr_assert_eq(merge_ok(last, copy).winners_taken, 2, "and hands it on");
    merge_ok(last, f.db);
    cr_assert_eq(atx_store_winner_strategy(&strategy, last, &KEY, &H200, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(atx_str_text(&strategy), "model, settled");
    cr_assert_str_eq(scalar(last, "SELECT count(*) FROM run").text, "1", "one for all that were merged");
    cr_assert_str_eq(scalar(last, "SELECT count(*) FROM winner WHERE run_id IS NULL").text, "1",
                     "of the first nothing was said");
    lines a = dump_of(store, &ALL), b = dump_of(last, &ALL);
    cr_assert_str_eq(atx_str_text(&a.text), atx_str_text(&b.text));
    atx_str_clear(&a.text);
    atx_str_clear(&b.text);
    atx_str_clear(&strategy);
    atx_store_close(store);
    atx_store_close(other);
    atx_store_close(last);
    folder_remove(&f);
}

/* The clock of the machine was a month ahead, and a year later nobody can see that. */
Test(merge, a_winner_whose_date_was_not_believed_goes_behind_the_others_elsewhere_too)
{
    folder f = folder_make();
    at_error err = { 0 };
    atx_winner early = winner_of("EARLY=1", 2e-5), real = winner_of("REAL=1", 1e-5);
    atx_store *from = open_ok(f.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_store_put_winner(from, 0, &KEY, &H200, &early, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_winner(from, 0, &KEY, &H200, &real, &err), AT_OK, "%s", err.text);
    atx_store_close(from);
    run_sql(f.db, "UPDATE winner SET measured_at = '2025-06-01T00:00:00Z', rank_at = '' WHERE id = 1;"
                  "UPDATE winner SET measured_at = '2025-05-01T00:00:00Z', rank_at = '2025-05-01T00:00:00Z' "
                  "WHERE id = 2");
    from = open_ok(f.db, ATX_STORE_READ);
    for (int compact = 0; compact < 2; compact++) {
        char text[160], path[160];
        snprintf(text, sizeof text, "%s/%d.jsonl", f.path, compact);
        snprintf(path, sizeof path, "%s/%d.db", f.path, compact);
        const atx_dump_options options = { .compact = compact };
        lines dump = dump_of(from, &options);
        write_text(text, dump.text.data);
        atx_str_clear(&dump.text);
        atx_store *into = open_ok(path, ATX_STORE_WRITE);
        merge_ok(into, text);
        cr_expect_str_eq(scalar(into, "SELECT config FROM best").text, "REAL=1");
        cr_expect_str_eq(scalar(into, "SELECT count(*) FROM winners_all WHERE rank_at IS NULL").text, "1");
        atx_store_close(into);
    }
    atx_store_close(from);
    folder_remove(&f);
}

Test(merge, a_strategy_that_is_no_text_is_none)
{
    static const char *const VALUES[] = { "null", "7", "{\"a\":1}", "[\"model, settled\"]" };
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        folder f = folder_make();
        char copy[300], dump[300];
        atx_str text = { 0 };
        snprintf(copy, sizeof copy, "%s/copy.db", f.path);
        snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
        atx_store *store = small_store(f.db);
        lines l = dump_of(store, &ALL);
        char *at = strstr(l.text.data, "\"strategy\":null");
        cr_assert(at);
        atx_str_add_bytes(&text, l.text.data, (size_t)(at - l.text.data));
        atx_str_addf(&text, "\"strategy\":%s%s", VALUES[i], at + strlen("\"strategy\":null"));
        write_text(dump, atx_str_text(&text));
        atx_store *other = open_ok(copy, ATX_STORE_WRITE);
        cr_assert_eq(merge_ok(other, dump).winners_taken, 1);
        cr_assert_str_eq(scalar(other, "SELECT count(*) FROM winner WHERE run_id IS NULL").text, "1");
        cr_assert_str_eq(scalar(other, "SELECT count(*) FROM run").text, "0");
        atx_str_clear(&text);
        atx_str_clear(&l.text);
        atx_store_close(store);
        atx_store_close(other);
        folder_remove(&f);
    }
}

/* Does this process hold a lock on the file? Only another one can ask. */
static bool is_locked(const char *path)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0) {
        struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        int fd = open(path, O_RDWR | O_CLOEXEC);
        _exit(fd < 0 || fcntl(fd, F_GETLK, &all) != 0 ? 2 : all.l_type != F_UNLCK);
    }
    cr_assert(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state));
    cr_assert(WEXITSTATUS(state) < 2);
    return WEXITSTATUS(state) == 1;
}

/* Without them another process takes the log for abandoned and removes it, with all that is stored later. */
Test(merge, the_locks_of_an_open_database_outlive_reading_it_by_other_names)
{
    static const char *const OWN[] = { "store.db", "soft.db", "hard.db", "./../%s/store.db" };
    static const char *const PARTS[] = { "store.db-wal", "store.db-shm" };
    folder f = folder_make();
    char name[400];
    cr_assert_eq(chdir(f.path), 0);
    atx_store *store = small_store(f.db);
    cr_assert_eq(symlink("store.db", "soft.db") | link("store.db", "hard.db"), 0);
    cr_assert(is_locked("store.db") && is_locked("store.db-shm"));
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        atx_store *recording = NULL;
        const char *path = name;
        snprintf(name, sizeof name, OWN[i], strrchr(f.path, '/') + 1);
        cr_assert_eq(merge_ok(store, path).trials, 0, "there is nothing to add");
        cr_assert(is_locked("store.db") && is_locked("store.db-shm"), "%s", path);
        cr_assert_eq(atx_store_open_recording(&recording, path, NULL, NULL), AT_OK);
        atx_store_close(recording);
        cr_assert(is_locked("store.db") && is_locked("store.db-shm"), "%s as a recording", path);
    }
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        at_error err = { 0 };
        cr_assert_eq(atx_store_merge(store, &PARTS[i], 1, NULL, NULL, &err), AT_ERR_USAGE);
        cr_assert(strstr(err.text, "expected the database alone"), "%s", err.text);
        cr_assert(is_locked("store.db") && is_locked("store.db-shm"), "%s", PARTS[i]);
    }
    atx_store_close(store);
    folder_remove(&f);
}

/* A line completes the one before; what SQLite cannot complete must not come in as half of it. */
Test(merge, a_line_that_cannot_be_completed_is_an_error)
{
    folder f = folder_make();
    char copy[300], dump[300], log[1500];
    at_error err = { 0 };
    const char *path = dump;
    atx_merge_counts counts = { 0 };
    snprintf(copy, sizeof copy, "%s/copy.db", f.path);
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    memset(log, 'x', sizeof log - 1);
    log[sizeof log - 1] = '\0';
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row row = trial_of("N=1", 0);
    row.outcome = ATX_CRASHED;
    row.log = log;
    put_ok(store, &KEY, &H200, &row, 1);
    lines l = dump_of(store, &ALL);
    atx_str_addf(&l.text, "{\"kind\":\"trial\",\"config\":\"N=2\",\"more\":\"%s\"}\n", log);
    write_text(dump, l.text.data);

    atx_store *other = open_ok(copy, ATX_STORE_WRITE);
    sqlite3_limit(other->db, SQLITE_LIMIT_LENGTH, 3000);
    cr_assert_eq(atx_store_merge(other, &path, 1, NULL, &counts, &err), AT_ERR_STORE, "%s", err.text);
    cr_assert(strstr(err.text, "too big"), "%s", err.text);
    cr_assert_str_eq(scalar(other, "SELECT count(*) FROM trial").text, "0");
    atx_str_clear(&l.text);
    atx_store_close(store);
    atx_store_close(other);
    folder_remove(&f);
}
