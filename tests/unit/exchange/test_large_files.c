/* test_large_files.c - files that cost more to read than they look: refused, by name and line, before they
 * do. */
#include "exchange/import.h"
#include "util/json.h"
#include "scratch_support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

TestSuite(large_files, .init = enter_scratch, .fini = leave_scratch);

#define MIB ((size_t)1 << 20)

/* A file, gzip'ed: `before`, then `what` until it has so many bytes, then `after`. */
static void write_many(const char *path, const char *before, const char *what, size_t bytes,
                       const char *after)
{
    atx_str block = { 0 };
    gzFile file = gzopen(path, "wb1");
    cr_assert(file);
    while (block.len < MIB)
        atx_str_add(&block, what);
    gzputs(file, before);
    for (size_t done = 0; done < bytes; done += block.len)
        cr_assert_eq(gzwrite(file, block.data, (unsigned)block.len), (int)block.len);
    gzputs(file, after);
    gzclose(file);
    atx_str_clear(&block);
}

/* The most memory that this process, of this test alone, ever had. */
static void expect_less_than(size_t mib)
{
#ifndef AT_SANITIZED /* it has memory of its own */
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    cr_assert_lt((size_t)usage.ru_maxrss >> 10, mib);
#else
    (void)mib;
#endif
}

static at_status import(const char *path, at_error *err)
{
    atx_import import = { 0 };
    const atx_import_options options = { .name = NULL };
    at_status status = atx_import_read(&import, &path, 1, &options, err);
    atx_import_clear(&import);
    return status;
}

static void expect_refusal(const char *path, const char *message)
{
    at_error err = { 0 };
    cr_assert_eq(import(path, &err), AT_ERR_INPUT, "%s was taken", path);
    cr_assert(strstr(err.text, message), "%s", err.text);
}

/* ---- import ---- */

Test(large_files, a_small_file_that_becomes_large_is_not_taken_into_memory)
{
    write_many("large.json.gz", "{", " ", 257 * MIB, "}");
    expect_refusal("large.json.gz", "large.json.gz: found more than 268435456 bytes, decompressed");
    expect_less_than(600);
}

/* A byte or two of text become sixteen of memory. */
Test(large_files, a_text_of_nothing_but_values_is_not_taken_into_memory)
{
    write_many("many.json.gz", "{\n\"cache\": [", "0,", 80 * MIB, "0]}");
    expect_refusal("many.json.gz", "many.json.gz:2:67108");
    expect_less_than(900);
}

Test(large_files, more_trials_than_anybody_recorded_are_refused)
{
    write_many("trials.json.gz",
               "{\"kernel_name\": \"k\", \"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1]},\n"
               "\"cache\": {",
               "\"\":{\"a\":1,\"time\":1},", 40 * MIB, "\"\":{\"a\":1,\"time\":1}}}");
    expect_refusal("trials.json.gz", "found more than 2000000 trials; expected fewer");
    expect_less_than(1400);
}

Test(large_files, what_nests_deeper_than_any_recording_is_refused_where_it_does)
{
    char text[200];
    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    FILE *file = fopen("deep.json", "w");
    fwrite(text, 1, sizeof text, file);
    fclose(file);
    expect_refusal("deep.json", "deep.json:1:65: found '['; expected values in each other at most 64 deep");
}

/* What is large and honest is read. */
Test(large_files, a_recording_of_100_mib_is_read)
{
    at_error err = { 0 };
    atx_str entry = { 0 };
    atx_str_add(&entry, "\"1,64,yes\": {\"a\": 1, \"time\": 1.25, \"times\": [");
    for (int i = 0; i < 20; i++)
        atx_str_addf(&entry, "%s1.25%d", i ? ", " : "", 1000 + i);
    atx_str_add(&entry, "], \"compile_time\": 431.25, \"verification_time\": 0, \"timestamp\": "
                        "\"2023-12-22 09:54:05.502007+00:00\"},\n");
    write_many("honest.json",
               "{\"kernel_name\": \"k\", \"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1]},\n"
               "\"cache\": {",
               atx_str_text(&entry), 100 * MIB, "\"\":{\"a\":1,\"time\":1}}}");
    cr_assert_eq(import("honest.json", &err), AT_OK, "%s", err.text);
    atx_str_clear(&entry);
}

/* ---- dumps ---- */

#define HEAD "{\"kind\":\"autotune dump\",\"version\":4,\"tool\":\"0.1.0\"}\n"
#define TRIAL                                                                                                \
    "{\"kind\":\"trial\",\"op\":\"transpose\",\"shape\":\"4096x4096\",\"type_key\":\"b4\",\"elements\":1,"   \
    "\"traffic_bytes\":8,\"device\":\"NVIDIA H200\",\"cc\":90,\"sms\":132,\"memory_mib\":1,\"driver\":"      \
    "\"580\",\"nvrtc\":\"13.0\",\"tool\":\"0.1.0\",\"cold\":1,\"template\":\"tile\",\"template_hash\":"      \
    "\"h\",\"config\":\"N=1\",\"outcome\":\"launch_failed\",\"median_s\":null,\"min_s\":null,\"spread\":"    \
    "null,\"samples\":0,\"measured_at\":\"2026-11-01T00:00:00Z\",\"compile_s\":0,\"source_hash\":\"\","      \
    "\"log\":\""

static void expect_no_merge(const char *path, const char *message)
{
    at_error err = { 0 };
    atx_store *store = open_ok("into.db", ATX_STORE_WRITE);
    cr_assert_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_INPUT, "%s was taken", path);
    cr_assert(strstr(err.text, message), "%s", err.text);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "0");
    atx_store_close(store);
}

Test(large_files, a_line_of_a_dump_that_does_not_end_is_refused)
{
    write_many("line.jsonl.gz", HEAD, "x", 300 * MIB, "\n");
    expect_no_merge("line.jsonl.gz",
                    "line.jsonl.gz:2: found a line of more than 16777216 bytes; expected less");
    expect_less_than(200);
}

/* Members of a line stay for those after it. */
Test(large_files, lines_of_a_dump_cannot_add_up_to_more_than_a_line)
{
    atx_str text = { 0 }, value = { 0 };
    while (value.len < MIB)
        atx_str_add(&value, "0123456789abcdef");
    atx_str_add(&text, HEAD TRIAL "\"}\n");
    for (int i = 0; i < 40; i++)
        atx_str_addf(&text, "{\"kind\":\"trial\",\"more%d\":\"%s\"}\n", i, atx_str_text(&value));
    FILE *file = fopen("sum.jsonl", "w");
    fwrite(text.data, 1, text.len, file);
    fclose(file);
    expect_no_merge("sum.jsonl",
                    "sum.jsonl:18: found, with what it takes from lines before it, more than 16 MiB");
    expect_less_than(600);
    atx_str_clear(&text);
    atx_str_clear(&value);
}

/* A line of 40 bytes takes the log of the line before it. */
Test(large_files, a_dump_that_is_held_in_memory_takes_no_more_than_it_may)
{
    at_error err = { 0 };
    atx_store *store = NULL;
    atx_str text = { 0 };
    atx_str_add(&text, HEAD TRIAL);
    while (text.len < 1 << 16)
        atx_str_add(&text, "why it failed; ");
    atx_str_add(&text, "\"}\n");
    for (int i = 0; i < 100; i++)
        atx_str_addf(&text, "{\"kind\":\"trial\",\"config\":\"N=%d\"}\n", 2 + i);
    FILE *file = fopen("d.jsonl", "w");
    fwrite(text.data, 1, text.len, file);
    fclose(file);
    cr_assert_eq(atx_store_open_recording_within(&store, "d.jsonl", 2 * (int64_t)MIB, NULL, &err),
                 AT_ERR_INPUT);
    cr_assert(strstr(err.text, "d.jsonl:") && strstr(err.text, "autotune merge FILE.db DUMP"), "%s",
              err.text);
    cr_assert_eq(atx_store_open_recording_within(&store, "d.jsonl", 64 * (int64_t)MIB, NULL, &err), AT_OK,
                 "%s", err.text);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "101");
    atx_store_close(store);
    atx_str_clear(&text);
}

/* Whoever made it: a database that is opened may hold anything. */
Test(large_files, a_value_of_a_database_that_is_larger_than_any_of_ours_is_not_read)
{
    at_error err = { 0 };
    const atx_trial_row row = trial_of("A=1", 1e-6);
    atx_store *store = open_ok("from.db", ATX_STORE_WRITE);
    put_ok(store, &KEY, &H200, &row, 1);
    atx_store_close(store);
    run_sql("from.db", "UPDATE trial SET log = CAST(zeroblob(80000000) AS TEXT)");
    const char *path = "from.db";
    store = open_ok("into.db", ATX_STORE_WRITE);
    cr_assert_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "from.db: "), "%s", err.text);
    atx_store_close(store);
}
