/*
 * test_store_texts.c - rows that older versions stored under the SHA-256 of a template's text, comments and
 * all: whoever knows what the text means makes them the template's, and none is lost or there twice.
 */
#include "store_support.h"

#include "source/meaning.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(store_texts);

#define WAS "__global__ void k() {} // as it was\n"
#define IS  "__global__ void k() {} // reworded\n"

static struct hashes {
    char was[AT__HASH_TEXT], is[AT__HASH_TEXT], meaning[AT__HASH_TEXT];
} of;

static void make_hashes(void)
{
    char other[AT__HASH_TEXT];
    at__hash_text(of.was, WAS, strlen(WAS));
    at__hash_text(of.is, IS, strlen(IS));
    cr_assert_eq(at__meaning_hash(of.meaning, WAS, strlen(WAS), NULL, NULL), AT_OK);
    cr_assert_eq(at__meaning_hash(other, IS, strlen(IS), NULL, NULL), AT_OK);
    cr_assert_str_eq(other, of.meaning);
}

static void put_trial(at__store *store, const char *hash, const char *config, double median_s,
                      const char *day)
{
    char sql[200];
    at__trial_row row = trial_of(config, median_s);
    row.template_hash = hash;
    put_ok(store, &KEY, &H200, &row, 1);
    snprintf(sql, sizeof sql,
             "UPDATE trial SET measured_at = '2026-11-%sT00:00:00Z' WHERE id = (SELECT max(id) FROM trial)",
             day);
    (void)scalar(store, sql);
}

static void put_winner(at__store *store, const char *hash, const char *config)
{
    at_error err = { 0 };
    at__winner w = winner_of(config, 1e-6);
    w.template_hash = hash;
    cr_assert_eq(at__store_put_winner(store, 0, &KEY, &H200, &w, &err), AT_OK, "%s", err.text);
}

static void take(at__store *store, const char *text_hash)
{
    at_error err = { 0 };
    cr_assert_eq(at__store_take_text(store, text_hash, of.meaning, &err), AT_OK, "%s", err.text);
}

static bool add_line(void *context, const char *line)
{
    at__str_addf(context, "%s\n", line);
    return true;
}

static void write_dump(const char *path, at__store *store)
{
    at__str text = { 0 };
    at_error err = { 0 };
    FILE *file = fopen(path, "w");
    cr_assert_eq(at__store_dump(store, &(at__dump_options){ 0 }, add_line, &text, &err), AT_OK, "%s",
                 err.text);
    cr_assert(file && fputs(at__str_text(&text), file) >= 0 && fclose(file) == 0);
    at__str_clear(&text);
}

static at__merge_counts merge(at__store *into, const char *path)
{
    at_error err = { 0 };
    at__merge_counts counts = { 0 };
    cr_assert_eq(at__store_merge(into, &path, 1, &counts, &err), AT_OK, "%s", err.text);
    return counts;
}

/* "CONFIG MICROSECONDS" of all trials; one template, by its meaning. */
static void expect_trials(at__store *store, const char *expected)
{
    cr_expect_str_eq(scalar(store, "SELECT group_concat(line, ', ') FROM (SELECT config || ' ' || "
                                   "CAST(round(median_s * 1e6) AS INTEGER) AS line FROM trials_all "
                                   "ORDER BY line)")
                         .text,
                     expected);
    cr_expect_str_eq(scalar(store, "SELECT group_concat(DISTINCT template_hash) FROM trials_all").text,
                     of.meaning);
    cr_expect_str_eq(scalar(store, "SELECT count(*) FROM template").text, "1");
    cr_expect_str_eq(scalar(store, "SELECT count(*) FROM pragma_foreign_key_check").text, "0");
}

Test(store_texts, rows_of_a_text_become_those_of_the_template)
{
    at__store *store = memory_ok();
    make_hashes();
    put_trial(store, of.was, "N=1", 1e-6, "01");
    put_trial(store, of.is, "N=2", 2e-6, "02");
    put_winner(store, of.was, "N=1");
    take(store, of.was);
    take(store, of.is);
    expect_trials(store, "N=1 1, N=2 2");
    cr_expect_str_eq(scalar(store, "SELECT template_hash FROM best").text, of.meaning);
    take(store, of.was); /* nothing is left to do */
    expect_trials(store, "N=1 1, N=2 2");
    at__store_close(store);
}

Test(store_texts, a_trial_that_is_stored_later_under_the_text_is_not_doubled)
{
    at__store *store = memory_ok();
    make_hashes();
    take(store, of.was);
    put_trial(store, of.meaning, "N=1", 1e-6, "01");
    put_trial(store, of.was, "N=1", 3e-6, "02");
    expect_trials(store, "N=1 3");
    at__store_close(store);
}

Test(store_texts, of_two_trials_of_a_configuration_the_newer_stays)
{
    at__store *store = memory_ok();
    make_hashes();
    put_trial(store, of.was, "N=1", 1e-6, "01");
    put_trial(store, of.meaning, "N=1", 2e-6, "02");
    put_trial(store, of.was, "N=2", 3e-6, "04");
    put_trial(store, of.meaning, "N=2", 4e-6, "03");
    put_trial(store, of.was, "N=3", 5e-6, "05");
    (void)scalar(
        store,
        "UPDATE trial SET measured_at = '2999-01-01T00:00:00Z' WHERE id = (SELECT max(id) FROM trial)");
    put_trial(store, of.meaning, "N=3", 6e-6, "05");
    take(store, of.was);
    expect_trials(store, "N=1 2, N=2 3, N=3 6");
    at__store_close(store);
}

Test(store_texts, an_older_dump_with_the_text_is_merged_into_a_newer_store)
{
    folder f = folder_make();
    char dump[200];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    at__store *old = memory_ok(), *store = memory_ok();
    make_hashes();
    put_trial(old, of.was, "N=1", 1e-6, "01");
    put_trial(old, of.was, "N=2", 2e-6, "09");
    put_winner(old, of.was, "N=1");
    cr_assert_eq(at__store_put_source(old, of.was, "tile.cu", WAS, strlen(WAS), NULL), AT_OK);
    write_dump(dump, old);
    put_trial(store, of.meaning, "N=1", 4e-6, "05");
    put_trial(store, of.meaning, "N=2", 5e-6, "05");
    at__merge_counts counts = merge(store, dump);
    cr_expect(counts.trials_taken == 1 && counts.winners_taken == 1 && counts.sources_taken == 1);
    expect_trials(store, "N=1 4, N=2 2");
    counts = merge(store, dump);
    cr_expect(counts.trials_taken == 0 && counts.winners_taken == 0 && counts.sources_taken == 0);
    expect_trials(store, "N=1 4, N=2 2");
    at__store_close(old);
    at__store_close(store);
    folder_remove(&f);
}

/* Of a compact dump nobody knows the text, unless it was met before. */
Test(store_texts, an_older_dump_without_the_text_is_merged_where_the_text_was_met)
{
    folder f = folder_make();
    char dump[200];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    at__store *old = memory_ok(), *store = memory_ok(), *stranger = memory_ok();
    make_hashes();
    put_trial(old, of.was, "N=1", 1e-6, "01");
    write_dump(dump, old);
    put_trial(store, of.meaning, "N=1", 4e-6, "05");
    take(store, of.was);
    cr_expect_eq(merge(store, dump).trials_taken, 0);
    expect_trials(store, "N=1 4");
    cr_expect_eq(merge(stranger, dump).trials_taken, 1);
    cr_expect_str_eq(scalar(stranger, "SELECT template_hash FROM trials_all").text, of.was);
    take(stranger, of.was);
    expect_trials(stranger, "N=1 1");
    at__store_close(old);
    at__store_close(stranger);
    at__store_close(store);
    folder_remove(&f);
}

Test(store_texts, a_text_is_found_by_what_it_means)
{
    at__store *store = memory_ok();
    at__str text = { 0 };
    make_hashes();
    cr_assert_eq(at__store_put_source(store, of.was, "tile.cu", WAS, strlen(WAS), NULL), AT_OK);
    cr_assert_eq(at__store_get_source(&text, store, of.meaning, NULL), AT_ERR_NOT_FOUND);
    take(store, of.was);
    cr_assert_eq(at__store_get_source(&text, store, of.meaning, NULL), AT_OK);
    cr_assert_str_eq(at__str_text(&text), WAS);
    at__str_clear(&text);
    at__store_close(store);
}

/* A file of version 5: what its texts say is known to the first writer, and a text that is another is not. */
Test(store_texts, the_first_writer_renames_what_has_a_text)
{
    folder f = folder_make();
    at_error err = { 0 };
    at__str schema = { 0 }, rows = { 0 };
    make_hashes();
    cr_assert_eq(at__str_read_file(&schema, AT_SOURCE_DIR "/tests/data/schemas/5.sql", 1 << 20, &err), AT_OK);
    run_sql(f.db, at__str_text(&schema));
    at__str_addf(&rows,
                 "INSERT INTO template VALUES (1, 'tile', '%s'), (2, 'tile', '%s'), (3, 'tile', 'h3');"
                 "INSERT INTO source VALUES ('%s', 'a.cu', '%s', ''), ('%s', 'a.cu', '%s', ''), "
                 "('h3', 'b.cu', '%s', '')",
                 of.was, of.is, of.was, WAS, of.is, IS, IS);
    run_sql(f.db, at__str_text(&rows));
    at__store *store = open_ok(f.db, AT__STORE_READ);
    take(store, of.was); /* changes nothing in what is read */
    cr_expect_str_eq(scalar(store, "SELECT count(*) FROM template").text, "3");
    at__store_close(store);
    store = open_ok(f.db, AT__STORE_WRITE);
    cr_expect_str_eq(scalar(store, "SELECT count(*) FROM template").text, "2");
    cr_expect_str_eq(scalar(store, "SELECT hash FROM template WHERE hash <> 'h3'").text, of.meaning);
    cr_expect_str_eq(scalar(store, "SELECT count(*) FROM template_text").text, "2");
    at__store_close(store);
    at__str_clear(&rows);
    at__str_clear(&schema);
    folder_remove(&f);
}
