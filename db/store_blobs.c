/*
 * store_blobs.c - texts of templates, by their hash; reading what has one.
 */
#include "db/store_internal.h"
#include "util/clock.h"

/* Appends a text or blob column to *out. */
static void add_column(at__str *out, sqlite3_stmt *s, int column)
{
    const void *data = sqlite3_column_blob(s, column); /* NULL when empty */
    int len = sqlite3_column_bytes(s, column);
    at__str_add_bytes(out, data ? data : "", data && len > 0 ? (size_t)len : 0);
}

at_status at__store_get_columns(at__str *const *outs, int count, at__store *store, at__sql sql,
                                const char *doing, const char *key, at_error *err)
{
    at_status status = AT_OK;
    at__str read[3] = { { 0 }, { 0 }, { 0 } };
    sqlite3_stmt *s = at__store_bind(store, sql, doing, err, "s", key);
    if (!s)
        return AT_ERR_STORE;
    int code = sqlite3_step(s);
    if (code == SQLITE_DONE)
        status =
            at_fail(err, AT_ERR_NOT_FOUND, "%s: cannot %s: nothing is stored as %s", store->path, doing, key);
    else if (code != SQLITE_ROW)
        status = at__store_fail(store, doing, err);
    for (int i = 0; status == AT_OK && i < count; i++) {
        add_column(&read[i], s, i);
        status = at__str_status(&read[i], err);
    }
    for (int i = 0; i < count; i++) {
        if (status == AT_OK) {
            at__str_clear(outs[i]);
            *outs[i] = read[i];
        } else {
            at__str_clear(&read[i]);
        }
    }
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

at_status at__store_put_source(at__store *store, const char *hash, const char *path, const char *text,
                               size_t len, at_error *err)
{
    char now[21];
    at__utc_text(now);
    at_status status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    status = at__store_exec(store, AT__SQL_PUT_SOURCE, "store a template's text", err, "ssts", hash, path,
                            text, len, now);
    return at__store_end(store, status, err);
}

at_status at__store_get_source(at__str *out, at__store *store, const char *hash, at_error *err)
{
    at__str *const outs[] = { out };
    return at__store_get_columns(outs, 1, store, AT__SQL_GET_SOURCE, "read a template's text", hash, err);
}

at_status at__store_each_recorded(at__store *store, at__source_visit *visit, void *context, at_error *err)
{
    static const char doing[] = "read the recorded operations";
    at_status status = AT_OK;
    int code = SQLITE_DONE;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_EACH_RECORDED, doing, err, "");
    if (!s)
        return AT_ERR_STORE;
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        if (!visit(context, at__store_text(s, 0), at__store_text(s, 1), (size_t)sqlite3_column_bytes(s, 1)))
            break;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    return status;
}
