/*
 * store_shipped.c - the bundled winners: a database in the program's read-only data, made from db/winners at
 * build time (embed_winners.c). SQLite reads it in place: no file is searched, and nothing is copied.
 *
 * The database is ours, so its own views are used, and its schema needs no guard. The best winners, which
 * nearly all look-ups ask for, are next to it as packed rows: opening a database and preparing a statement
 * takes longer than the answer.
 */
#include "db/store_internal.h"

#include <stdlib.h>
#include <string.h>

bool atx_shipped_wanted(bool no_environment)
{
    const char *without = no_environment ? NULL : getenv("AUTOTUNE_NO_SHIPPED");
    return atx_shipped_bytes > 0 && (!without || !*without || strcmp(without, "0") == 0);
}

/* SQLite takes a pointer to what it may not write: the flag says that it may not. */
static int take_image(sqlite3 *db)
{
    unsigned char *image = (unsigned char *)(uintptr_t)atx_shipped_image;
    return sqlite3_deserialize(db, "main", image, (sqlite3_int64)atx_shipped_bytes,
                               (sqlite3_int64)atx_shipped_bytes, SQLITE_DESERIALIZE_READONLY);
}

at_status atx_store_open_shipped(atx_store **out, at_error *err)
{
    static const char NAME[] = ATX_SHIPPED;
    atx_store *store = calloc(1, sizeof *store);
    if (store)
        store->path = atx_text_copy(NAME, sizeof NAME - 1);
    if (!store || !store->path) {
        atx_store_close(store);
        return atx_no_memory(err);
    }
    store->read_only = true;
    at_status status = AT_OK;
    if (sqlite3_open_v2(":memory:", &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        take_image(store->db) != SQLITE_OK)
        status =
            store->db ? atx_store_fail(store, "read the winners of this program", err) : atx_no_memory(err);
    if (status == AT_OK)
        *out = store;
    else
        atx_store_close(store);
    return status;
}

void atx_shipped_read(atx_shipped_row *out, uint32_t row)
{
    const unsigned char *at = atx_shipped_rows + atx_shipped_row_at[row];
    *out = (atx_shipped_row){ .rank = 0 };
    at = atx_columns_unpack(&out->answer.winner, &atx_winner_columns, at);
    at = atx_columns_unpack(&out->answer.fingerprint, &atx_fingerprint_columns, at);
    at = atx_columns_unpack(&out->answer, &atx_answer_columns, at);
    for (int i = 0; i < 4; i++)
        out->rank |= (uint32_t)*at++ << 8 * i;
    out->proof = (const char *)at;
}
