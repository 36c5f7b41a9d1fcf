/* test_merge_refused.c - what a merge does not take, and that nothing of it is left behind. */
#include "merge_support.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(merge_refused);

Test(merge_refused, refuses_what_is_damaged_and_says_where)
{
    static const struct {
        const char *head, *line, *says;
    } CASES[] = {
        { "", "", "is empty" },
        { "hello\n", "", "neither a database nor a dump" },
        { "{\"kind\":\"autotune dump\",\"version\":5,\"tool\":\"9\"}\n", "",
          "found a dump of version 5; expected 4: it was written by a newer autotune; update this one" },
        { HEAD, "{\"kind\":\"trial\"}\n", ":3: damaged: the member op is missing or makes no sense" },
        { HEAD, "{\"kind\":\"trial\",\n", ":3: damaged: expected a JSON object" },
        { HEAD, "{\"kind\":\"song\"}\n", ":3: damaged: expected a JSON object" },
        { HEAD, "{\"kind\":\"trial\",\"op\":7}\n", ":3: damaged" },
        { HEAD, "{\"kind\":\"source\",\"hash\":\"0\",\"path\":\"p\",\"text\":\"t\",\"stored_at\":\"2026\"}\n",
          ":3: found a text that has not the hash of its line" },
        { HEAD, "{\"kind\":\"tri", ":3: the file ends within a line" },
        { "{\"kind\":\"autotune dump\",\"version\":0,\"tool\":\"9\"}\n", "",
          "found a dump of version 0; expected 4" },
        { "{\"kind\":\"autotune dump\",\"version\":3,\"tool\":\"0.1.0\"}\n", "",
          "found a dump of version 3; expected 4: it was written by an autotune from before version 0.1.0" },
        { HEAD, /* its SHA-256, by which only texts of other kinds are named */
          "{\"kind\":\"source\",\"hash\":"
          "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","
          "\"path\":\"x.cu\",\"text\":\"abc\",\"stored_at\":\"2026-11-01T00:00:00Z\"}\n",
          ":3: found a text that has not the hash of its line; expected that of what it means" },
    };
    folder f = folder_make();
    char dump[300], good[1024];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_store *store = memory_ok();
        const char *path = dump;
        at_error err = { 0 };
        bool begins = CASES[i].head == HEAD;
        /* A compact dump completes a trial from the one before, so a source stands before. */
        write_dump(dump, CASES[i].head,
                   !begins ? ""
                   : i == 7 || i == 8
                       ? trial_line(good, sizeof good, "1e-6", 1)
                       : "{\"kind\":\"source\",\"hash\":"
                         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","
                         "\"path\":\"headers\",\"text\":\"abc\",\"stored_at\":\"2026-11-01T00:00:00Z\"}\n",
                   CASES[i].line);
        cr_assert_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_INPUT, "case %zu", i);
        cr_assert(strstr(err.text, CASES[i].says), "case %zu: %s", i, err.text);
        cr_assert(strstr(err.text, dump), "names the file: %s", err.text);
        cr_assert_str_eq(
            scalar(store, "SELECT (SELECT count(*) FROM trial) + (SELECT count(*) FROM source)").text, "0",
            "case %zu", i);
        atx_store_close(store);
    }
    folder_remove(&f);
}

/* What would be the newest for ever, or be shown as something else. */
Test(merge_refused, refuses_dates_and_names_that_are_none)
{
    static const struct {
        const char *member, *value;
    } CASES[] = {
        { "measured_at", "2026-11-20T21:52:57Z and later" },
        { "measured_at", "2026-11-20T21:52:57" },
        { "measured_at", "2026-11-20 21:52:57Z" },
        { "measured_at", "9999-99-9xT21:52:57Z" },
        { "measured_at", "" },
        { "device", "NVIDIA \\u001b[1mH200" },
        { "device", "NVIDIA \\u007fH200" },
        { "template", "" },
        { "op", "" },
    };
    folder f = folder_make();
    char dump[300], good[1024], line[200], says[100];
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_store *store = memory_ok();
        const char *path = dump;
        at_error err = { 0 };
        snprintf(line, sizeof line, "{\"kind\":\"trial\",\"%s\":\"%s\"}\n", CASES[i].member, CASES[i].value);
        snprintf(says, sizeof says, ":3: damaged: the member %s is missing or makes no sense",
                 CASES[i].member);
        write_dump(dump, HEAD, trial_line(good, sizeof good, "1e-6", 1), line);
        cr_expect_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_INPUT, "case %zu", i);
        cr_expect(strstr(err.text, says), "case %zu: %s", i, err.text);
        atx_store_close(store);
    }
    folder_remove(&f);
}

/* Cut to what a record holds, it would be the name of another device. */
Test(merge_refused, refuses_a_name_that_is_longer_than_a_record_holds)
{
    folder f = folder_make();
    char dump[300], good[1024], line[300], name[129] = "";
    const char *path = dump;
    at_error err = { 0 };
    atx_store *store = memory_ok();
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    memset(name, 'N', 128);
    snprintf(line, sizeof line, "{\"kind\":\"trial\",\"device\":\"%s\"}\n", name);
    write_dump(dump, HEAD, trial_line(good, sizeof good, "1e-6", 1), line);
    cr_expect_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_INPUT);
    cr_expect(
        strstr(err.text, ":3: damaged: the member device: found a text of 128 bytes; expected at most 127"),
        "%s", err.text);
    name[127] = '\0';
    snprintf(line, sizeof line, "{\"kind\":\"trial\",\"device\":\"%s\"}\n", name);
    write_dump(dump, HEAD, trial_line(good, sizeof good, "1e-6", 1), line);
    cr_expect_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_OK, "%s", err.text);
    atx_store_close(store);
    folder_remove(&f);
}

/* Its rows are lines, too, and one that is refused is all of it. */
Test(merge_refused, a_database_with_a_row_that_makes_no_sense_is_refused)
{
    folder f = folder_make();
    const char *path = f.db;
    at_error err = { 0 };
    atx_store_close(small_store(f.db));
    run_sql(f.db, "UPDATE trial SET measured_at = 'some day' WHERE config = 'N=2'");
    atx_store *store = memory_ok();
    cr_assert_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "the member measured_at is missing or makes no sense"), "%s", err.text);
    cr_assert_str_eq(
        scalar(store, "SELECT (SELECT count(*) FROM trial) + (SELECT count(*) FROM source)").text, "0");
    atx_store_close(store);
    folder_remove(&f);
}

/* What stands behind one would be lost without a word. */
Test(merge_refused, a_dump_with_a_byte_of_zero_is_refused)
{
    folder f = folder_make();
    char dump[300], good[1024];
    const char *path = dump;
    at_error err = { 0 };
    snprintf(dump, sizeof dump, "%s/d.jsonl", f.path);
    write_dump(dump, HEAD, trial_line(good, sizeof good, "1e-6", 1),
               trial_line(good, sizeof good, "1e-6", 2));
    FILE *file = fopen(dump, "r+b");
    cr_assert(file && fseek(file, -2, SEEK_END) == 0 && fwrite("}\0more\n", 1, 7, file) == 7 &&
              fclose(file) == 0);
    atx_store *store = memory_ok();
    cr_assert_eq(atx_store_merge(store, &path, 1, NULL, NULL, &err), AT_ERR_INPUT);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "0");
    atx_store_close(store);
    folder_remove(&f);
}

Test(merge_refused, one_bad_file_of_several_leaves_the_database_as_it_was)
{
    folder f = folder_make();
    char bad[300];
    snprintf(bad, sizeof bad, "%s/bad.jsonl", f.path);
    atx_store_close(small_store(f.db));
    write_text(bad, "no dump\n");
    atx_store *store = memory_ok();
    const char *paths[] = { f.db, bad };
    cr_assert_eq(atx_store_merge(store, paths, 2, NULL, NULL, NULL), AT_ERR_INPUT);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "0");
    atx_store_close(store);
    folder_remove(&f);
}
