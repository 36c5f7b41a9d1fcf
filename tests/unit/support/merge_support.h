/* merge_support.h - small databases and dumps for tests that merge them. */
#pragma once

#include "store_support.h"
#include "source/normalized.h"

#include <criterion/criterion.h>

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

/* A database with two trials, one of them failed, a winner and a template's text. */
static inline atx_store *small_store(const char *path)
{
    at_error err = { 0 };
    atx_store *store = open_ok(path, ATX_STORE_WRITE);
    atx_trial_row rows[] = { trial_of("N=1", 1.25e-6), trial_of("N=2", 0) };
    atx_winner winner = winner_of("N=1", 1.25e-6);
    char hash[ATX_HASH_TEXT];
    rows[1].outcome = ATX_CRASHED;
    rows[1].log = "said \"no\"\nand\tbroke \xc3\xa4";
    cr_assert_eq(atx_normalized_hash(hash, "text of tile\n", 13, NULL, NULL), AT_OK);
    put_ok(store, &KEY, &H200, rows, 2);
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_source(store, hash, "tile.cu", "text of tile\n", 13, &err), AT_OK);
    return store;
}

static inline atx_merge_counts merge_ok(atx_store *into, const char *path)
{
    atx_merge_counts counts = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_store_merge(into, &path, 1, NULL, &counts, &err), AT_OK, "%s", err.text);
    return counts;
}

/* A line of a dump: a trial of "N=1" with a time, measured on a day of November. */
static inline char *trial_line(char *out, size_t size, const char *median_s, int day)
{
    snprintf(out, size,
             "{\"kind\":\"trial\",\"op\":\"transpose\",\"shape\":\"4096x4096\",\"type_key\":\"b4\","
             "\"elements\":1,\"traffic_bytes\":8,\"device\":\"NVIDIA H200\",\"cc\":90,\"sms\":132,"
             "\"memory_mib\":1,\"driver\":\"580\",\"nvrtc\":\"13.0\",\"tool\":\"0.1.0\",\"cold\":1,"
             "\"template\":\"tile\",\"template_hash\":\"h\",\"config\":\"N=1\",\"outcome\":\"timed\","
             "\"median_s\":%s,\"min_s\":1e-6,\"spread\":0,\"samples\":1,\"registers\":1,\"shared_bytes\":0,"
             "\"spill_bytes\":0,\"log\":\"\",\"measured_at\":\"2026-11-%02dT00:00:00Z\"}\n",
             median_s, day);
    return out;
}

static const char HEAD[] = "{\"kind\":\"autotune dump\",\"version\":4,\"tool\":\"0.1.0\"}\n";

static inline void write_dump(const char *path, const char *head, const char *a, const char *b)
{
    atx_str text = { 0 };
    atx_str_addf(&text, "%s%s%s", head, a, b);
    write_text(path, atx_str_text(&text));
    atx_str_clear(&text);
}
