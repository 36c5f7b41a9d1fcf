/*
 * store_recording.c - a store for a replay: the conditions that were recorded, and opening dumps.
 *
 * A dump is merged into an empty database in memory, so that a replay reads only one format.
 */
#include "db/store_internal.h"
#include "util/sha256.h"
#include "util/text_file.h"

#include <stdio.h>
#include <string.h>

/* Does the file begin as a dump? One that cannot be read does not: opening it then says why. */
static bool is_dump(const char *path)
{
    char begin[sizeof ATX_DUMP_BEGIN - 1];
    size_t len = atx_text_file_peek(begin, sizeof begin, path);
    return len == sizeof begin && memcmp(begin, ATX_DUMP_BEGIN, sizeof begin) == 0;
}

static at_status limit_bytes(atx_store *store, int64_t bytes, at_error *err)
{
    char sql[64];
    int64_t page = 0;
    ATX_TRY(atx_store_ask(&page, store, ATX_SQL_PAGE_BYTES, "hold a dump", err));
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %lld", (long long)(bytes / page));
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? AT_OK
               : atx_store_fail(store, "hold a dump", err);
}

at_status atx_store_open_recording(atx_store **out, const char *path, const atx_cancel *cancel, at_error *err)
{
    return atx_store_open_recording_within(out, path, ATX_HELD_LIMIT, cancel, err);
}

at_status atx_store_open_recording_within(atx_store **out, const char *path, int64_t bytes,
                                          const atx_cancel *cancel, at_error *err)
{
    atx_store *store = NULL;
    if (atx_store_is_database(path) || !is_dump(path))
        return atx_store_open_unless(out, path, ATX_STORE_READ, cancel, err);
    at_status status = atx_store_open_memory(&store, err);
    ATX_THEN(status, limit_bytes(store, bytes, err));
    ATX_THEN(status, atx_store_merge(store, &path, 1, cancel, NULL, err));
    if (status == AT_ERR_CANCELLED)
        atx_fail(err, AT_ERR_CANCELLED, "interrupted while %s was read", path);
    if (status == AT_OK)
        *out = store;
    else
        atx_store_close(store);
    return status;
}

at_status atx_store_main_fingerprint(atx_fingerprint *out, atx_store *store, const atx_problem_key *problem,
                                     const atx_fingerprint *like, at_error *err)
{
    static const char doing[] = "read the recorded conditions";
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = problem ? atx_query_begin(&q, store, ATX_SQL_MAIN_FINGERPRINT_OF, doing, err, "sssci",
                                                 problem->op, problem->shape, problem->type_key,
                                                 &atx_device_columns, like, (int64_t)like->cold)
                               : atx_query_begin(&q, store, ATX_SQL_MAIN_FINGERPRINT, doing, err, "s",
                                                 like ? like->device : "");
    if (atx_query_next(&q, &status, err)) {
        *out = (atx_fingerprint){ 0 };
        atx_columns_read(out, &atx_fingerprint_columns, q.statement, 1);
    } else if (status == AT_OK) {
        status = atx_fail(err, AT_ERR_NOT_FOUND, "%s: no trials are recorded there", store->path);
    }
    return status;
}

at_status atx_store_short_hash(char out[9], atx_store *store, at_error *err)
{
    char hash[ATX_HASH_TEXT];
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, ATX_SQL_SUMMARY, "read the recording", err, "");
    if (atx_query_next(&q, &status, err)) {
        const char *text = atx_store_text(q.statement, 0);
        atx_hash_text(hash, text, strlen(text));
        snprintf(out, 9, "%.8s", hash);
    }
    return status;
}
