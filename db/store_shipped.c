/*
 * store_shipped.c - the winners that come with the program: a database in its read-only data, made from
 * db/winners at build time (embed_winners.c). SQLite reads it where it lies: no file is looked for, and
 * nothing is copied.
 *
 * It is ours, so its own views serve, and nobody has to guard against its schema. What nearly all questions
 * are about, the best winners, lies beside it as packed rows: to open a database and to prepare a statement
 * takes longer than to answer.
 */
#include "db/store_internal.h"

#include <stdlib.h>
#include <string.h>

bool at__shipped_wanted(void)
{
    const char *without = getenv("AUTOTUNE_NO_SHIPPED");
    return at__shipped_bytes > 0 && (!without || !*without || strcmp(without, "0") == 0);
}

/* SQLite takes a pointer to what it may not write: the flag says that it may not. */
static int take_image(sqlite3 *db)
{
    unsigned char *image = (unsigned char *)(uintptr_t)at__shipped_image;
    return sqlite3_deserialize(db, "main", image, (sqlite3_int64)at__shipped_bytes,
                               (sqlite3_int64)at__shipped_bytes, SQLITE_DESERIALIZE_READONLY);
}

at_status at__store_open_shipped(at__store **out, at_error *err)
{
    static const char NAME[] = AT__SHIPPED;
    at__store *store = calloc(1, sizeof *store);
    if (store)
        store->path = at__text_copy(NAME, sizeof NAME - 1);
    if (!store || !store->path) {
        at__store_close(store);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    store->read_only = true;
    at_status status = AT_OK;
    if (sqlite3_open_v2(":memory:", &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        take_image(store->db) != SQLITE_OK)
        status = store->db ? at__store_fail(store, "read the winners of this program", err)
                           : at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        *out = store;
    else
        at__store_close(store);
    return status;
}

void at__shipped_read(at__shipped_row *out, uint32_t row)
{
    const unsigned char *at = at__shipped_rows + at__shipped_row_at[row];
    *out = (at__shipped_row){ .rank = 0 };
    at = at__columns_unpack(&out->answer.winner, &at__winner_columns, at);
    at = at__columns_unpack(&out->answer.fingerprint, &at__fingerprint_columns, at);
    at = at__columns_unpack(&out->answer, &at__answer_columns, at);
    for (int i = 0; i < 4; i++)
        out->rank |= (uint32_t)*at++ << 8 * i;
    out->proof = (const char *)at;
}
