/*
 * store_journal.c - which journal a database is written with: the log (WAL) where processes can share the
 * memory of the -shm file beside it, the rollback journal elsewhere.
 *
 * SQLite says "wal" before it has mapped that file, and a database that says so cannot be opened by anybody
 * where it cannot be mapped (FUSE without MAP_SHARED, as of sshfs; folders that virtual machines share). So
 * it is tried before the mode changes. A database that came with a log to such a place leaves it: whoever has
 * a database alone needs no shared memory.
 */
#include "db/store_internal.h"

#include <stdio.h>
#include <string.h>

enum { REGION_BYTES = 32768 }; /* SQLite's unit of a -shm file */

/* The first column of a pragma's answer; "" when there is none. */
static void ask(char out[16], atx_store *store, const char *pragma)
{
    sqlite3_stmt *s = NULL;
    out[0] = '\0';
    if (sqlite3_prepare_v2(store->db, pragma, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        snprintf(out, 16, "%s", atx_store_text(s, 0));
    sqlite3_finalize(s);
}

/* Through SQLite's own file: nobody else may open the names beside it. One that cannot be mapped is of no
 * use. */
static bool can_share(atx_store *store)
{
    sqlite3_file *file = NULL;
    void volatile *at = NULL;
    if (sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
        return false;
    int code = file->pMethods->xShmMap(file, 0, REGION_BYTES, 1, &at);
    file->pMethods->xShmUnmap(file, code != SQLITE_OK);
    return code == SQLITE_OK;
}

void atx_journal_prefer_log(atx_store *store)
{
    char mode[16], unused[16];
    ask(mode, store, "PRAGMA journal_mode");
    if (strcmp(mode, "wal") != 0 && can_share(store))
        ask(mode, store, "PRAGMA journal_mode = WAL");
    if (strcmp(mode, "wal") == 0)
        ask(unused, store, "PRAGMA synchronous = NORMAL");
}

bool atx_journal_lacks_memory(const atx_store *store)
{
    switch (sqlite3_extended_errcode(store->db)) {
    case SQLITE_IOERR_SHMOPEN:
    case SQLITE_IOERR_SHMSIZE:
    case SQLITE_IOERR_SHMLOCK:
    case SQLITE_IOERR_SHMMAP:
        return true;
    default:
        return false;
    }
}

at_status atx_journal_leave_log(atx_store *store, at_error *err)
{
    char mode[16];
    ask(mode, store, "PRAGMA locking_mode = EXCLUSIVE");
    ask(mode, store, "PRAGMA journal_mode = DELETE");
    return strcmp(mode, "delete") == 0 ? AT_OK : atx_store_fail(store, "write the database", err);
}
