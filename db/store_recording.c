/*
 * store_recording.c - a store as a replay reads it: which conditions were recorded, and opening dumps.
 *
 * A dump becomes a database in memory by being merged into an empty one, so that a replay knows one form
 * only.
 */
#include "db/store_internal.h"
#include "util/sha256.h"
#include "util/text_file.h"

#include <stdio.h>
#include <string.h>

/* Does the file begin as a dump? One that cannot be read does not: opening it then says why. */
static bool is_dump(const char *path)
{
    char begin[sizeof AT__DUMP_BEGIN - 1];
    size_t len = at__text_file_peek(begin, sizeof begin, path);
    return len == sizeof begin && memcmp(begin, AT__DUMP_BEGIN, sizeof begin) == 0;
}

static at_status limit_bytes(at__store *store, int64_t bytes, at_error *err)
{
    char sql[64];
    int64_t page = 0;
    at_status status = at__store_ask(&page, store, AT__SQL_PAGE_BYTES, "hold a dump", err);
    if (status != AT_OK)
        return status;
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %lld", (long long)(bytes / page));
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? AT_OK
               : at__store_fail(store, "hold a dump", err);
}

at_status at__store_open_recording(at__store **out, const char *path, at_error *err)
{
    return at__store_open_recording_unless(out, path, NULL, err);
}

at_status at__store_open_recording_unless(at__store **out, const char *path, const at__cancel *cancel,
                                          at_error *err)
{
    return at__store_open_recording_within(out, path, AT__HELD_LIMIT, cancel, err);
}

at_status at__store_open_recording_within(at__store **out, const char *path, int64_t bytes,
                                          const at__cancel *cancel, at_error *err)
{
    at__store *store = NULL;
    if (at__store_is_database(path) || !is_dump(path))
        return at__store_open_unless(out, path, AT__STORE_READ, cancel, err);
    at_status status = at__store_open_memory(&store, err);
    if (status == AT_OK)
        status = limit_bytes(store, bytes, err);
    if (status == AT_OK)
        status = at__store_merge_until(store, &path, 1, cancel, NULL, err);
    if (status == AT_ERR_CANCELLED)
        at_fail(err, AT_ERR_CANCELLED, "interrupted while %s was read", path);
    if (status == AT_OK)
        *out = store;
    else
        at__store_close(store);
    return status;
}

at_status at__store_main_fingerprint(at__fingerprint *out, at__store *store, const at__problem_key *problem,
                                     const at__fingerprint *like, at_error *err)
{
    static const char doing[] = "read the recorded conditions";
    at__query q;
    at_status status = problem ? at__query_begin(&q, store, AT__SQL_MAIN_FINGERPRINT_OF, doing, err, "sssci",
                                                 problem->op, problem->shape, problem->type_key,
                                                 &at__device_columns, like, (int64_t)like->cold)
                               : at__query_begin(&q, store, AT__SQL_MAIN_FINGERPRINT, doing, err, "s",
                                                 like ? like->device : "");
    if (at__query_next(&q, &status, err)) {
        *out = (at__fingerprint){ 0 };
        at__columns_read(out, &at__fingerprint_columns, q.statement, 1);
    } else if (status == AT_OK) {
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s: no trials are recorded there", store->path);
    }
    at__query_end(&q);
    return status;
}

at_status at__store_short_hash(char out[9], at__store *store, at_error *err)
{
    char hash[AT__HASH_TEXT];
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_SUMMARY, "read the recording", err, "");
    if (at__query_next(&q, &status, err)) {
        const char *text = at__store_text(q.statement, 0);
        at__hash_text(hash, text, strlen(text));
        snprintf(out, 9, "%.8s", hash);
    }
    at__query_end(&q);
    return status;
}
