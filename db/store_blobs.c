/*
 * store_blobs.c - texts of templates and recorded spaces, stored and read by their hash.
 *
 * The text of a template or an op is stored under the hash of its normalized form, so a text that differs
 * only in comments replaces it. Any other text is stored under its SHA-256. Contents may hold any byte, so
 * lengths come from SQLite, not from strlen.
 */
#include "db/store_internal.h"
#include "util/clock.h"

#include <stdio.h>
#include <string.h>

/* Appends a text or blob column to *out. */
static void add_column(atx_str *out, sqlite3_stmt *s, int column)
{
    const void *data = sqlite3_column_blob(s, column); /* NULL when empty */
    int len = sqlite3_column_bytes(s, column);
    atx_str_add_bytes(out, data ? data : "", data && len > 0 ? (size_t)len : 0);
}

at_status atx_store_get_columns(atx_str *const *outs, int count, atx_store *store, atx_sql sql,
                                const char *doing, const char *key, at_error *err)
{
    atx_str read[3] = { { 0 }, { 0 }, { 0 } };
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, sql, doing, err, "s", key);
    bool found = atx_query_next(&q, &status, err);
    if (status == AT_OK && !found)
        status = atx_fail(err, AT_ERR_NOT_FOUND, "%s: cannot %s: nothing is stored as %s", store->path, doing,
                          key);
    for (int i = 0; status == AT_OK && i < count; i++) {
        add_column(&read[i], q.statement, i);
        status = atx_str_status(&read[i], err);
    }
    for (int i = 0; i < count; i++) {
        atx_str *unwanted = status == AT_OK ? outs[i] : &read[i];
        atx_str_clear(unwanted);
        if (status == AT_OK)
            *outs[i] = read[i];
    }
    return status;
}

at_status atx_store_put_source(atx_store *store, const char *hash, const char *path, const char *text,
                               size_t len, at_error *err)
{
    char now[21];
    atx_utc_text(now);
    ATX_TRY(atx_store_begin(store, err));
    at_status status = atx_store_exec(store, ATX_SQL_PUT_SOURCE, "store a template's text", err, "ssts", hash,
                                      path, text, len, now);
    return atx_store_end(store, status, err);
}

at_status atx_store_get_source(atx_str *out, atx_store *store, const char *hash, at_error *err)
{
    atx_str *const outs[] = { out };
    return atx_store_get_columns(outs, 1, store, ATX_SQL_GET_SOURCE, "read a template's text", hash, err);
}

static const char SPACE_PATH[] = ATX_SPACE_PATH;
static const char SPACE_TEXT[] = "op ";

at_status atx_store_put_space(atx_store *store, const char *op_hash, const char *proof_hash, at_error *err)
{
    char path[sizeof SPACE_PATH + ATX_HASH_TEXT], text[300], hash[ATX_HASH_TEXT];
    snprintf(path, sizeof path, "%s%.64s", SPACE_PATH, op_hash);
    int len = snprintf(text, sizeof text, "%s%.64s\n%s\n", SPACE_TEXT, proof_hash, path);
    atx_hash_text(hash, text, (size_t)len);
    return atx_store_put_source(store, hash, path, text, (size_t)len, err);
}

at_status atx_store_get_space(char proof_hash[ATX_HASH_TEXT], atx_store *store, const char *op_hash,
                              at_error *err)
{
    char path[sizeof SPACE_PATH + ATX_HASH_TEXT];
    ATX_LOCAL(atx_str) text = { 0 };
    atx_str *const outs[] = { &text };
    size_t skip = sizeof SPACE_TEXT - 1;
    snprintf(path, sizeof path, "%s%.64s", SPACE_PATH, op_hash);
    ATX_TRY(
        atx_store_get_columns(outs, 1, store, ATX_SQL_GET_SPACE, "read what a space was made of", path, err));
    if (text.len < skip + ATX_HASH_TEXT || memcmp(text.data, SPACE_TEXT, skip) != 0)
        return AT_ERR_NOT_FOUND; /* the text of another hash */
    memcpy(proof_hash, text.data + skip, ATX_HASH_TEXT - 1);
    proof_hash[ATX_HASH_TEXT - 1] = '\0';
    return AT_OK;
}

at_status atx_store_each_recorded(atx_store *store, atx_source_visit *visit, void *context, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status =
        atx_query_begin(&q, store, ATX_SQL_EACH_RECORDED, "read the recorded operations", err, "");
    while (atx_query_next(&q, &status, err))
        if (!visit(context, atx_store_text(q.statement, 0), atx_store_text(q.statement, 1),
                   (size_t)sqlite3_column_bytes(q.statement, 1)))
            break;
    return status;
}
