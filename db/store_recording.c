/*
 * store_recording.c - a store as a replay reads it: which conditions were recorded, and opening dumps.
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

at_status at__store_open_recording(at__store **out, const char *path, at_error *err)
{
    at__store *store = NULL;
    if (!is_dump(path))
        return at__store_open(out, path, AT__STORE_READ, err);
    at_status status = at__store_open(&store, ":memory:", AT__STORE_WRITE, err);
    if (status == AT_OK)
        status = at__store_merge(store, &path, 1, NULL, err);
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
    at_status status = AT_OK;
    sqlite3_stmt *s =
        problem ? at__store_bind(store, AT__SQL_MAIN_FINGERPRINT_OF, doing, err, "ssssiiii", problem->op,
                                 problem->shape, problem->type_key, like->device, like->cc, like->sms,
                                 like->memory_mib, (int64_t)like->cold)
                : at__store_bind(store, AT__SQL_MAIN_FINGERPRINT, doing, err, "s", like ? like->device : "");
    if (!s)
        return AT_ERR_STORE;
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        at__store_read_fingerprint(out, s, 0);
    else if (code == SQLITE_DONE)
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s: no trials are recorded there", store->path);
    else
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

at_status at__store_short_hash(char out[9], at__store *store, at_error *err)
{
    static const char doing[] = "read the recording";
    char hash[AT__HASH_TEXT];
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_SUMMARY, doing, err, "");
    if (!s)
        return AT_ERR_STORE;
    at_status status = sqlite3_step(s) == SQLITE_ROW ? AT_OK : at__store_fail(store, doing, err);
    if (status == AT_OK) {
        const char *text = at__store_text(s, 0);
        at__hash_text(hash, text, strlen(text));
        snprintf(out, 9, "%.8s", hash);
    }
    sqlite3_reset(s);
    return status;
}
