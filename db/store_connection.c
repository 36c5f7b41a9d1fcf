/*
 * store_connection.c - settings of a connection to a file of unknown origin and place: protection against
 * programs in its schema, time limits, waits, and the journal mode.
 *
 * A database may come from anyone, and a schema can hold programs. None of them runs here. Triggers and views
 * of the file are switched off, and so are functions that a schema does not need. Statements read views of
 * this connection alone, made from our own schema.sql over the tables; the views in the file are for other
 * programs. Objects that would change what is stored or what others read are refused by name; a user's own
 * tables, views, and indexes that are not unique may stay. Generated columns, other table names and
 * constraints that swallow rows mean that the table is not ours. No step of a statement takes longer than its
 * limit.
 *
 * A lock of another process is tried again, less often as time passes, until the store's wait time is over or
 * its user asks to end. Only time spent sleeping counts, so a process that is stopped meanwhile keeps its
 * wait time. If the file system has no locks, nothing is waited for.
 *
 * The log (WAL) is used where processes can share the memory of the -shm file beside the database, the
 * rollback journal elsewhere. SQLite stores "wal" in the database before it has mapped that file, and such a
 * database cannot be opened where the file cannot be mapped (FUSE without MAP_SHARED, as of sshfs; folders
 * that virtual machines share). So mapping is tried before the mode changes. A database with a log that
 * arrives at such a place is converted: a process that has a database to itself needs no shared memory.
 */
#include "db/store_internal.h"

#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Instructions of SQLite's machine between two looks at the clock: about a millisecond. */
enum { LOOK_EVERY = 10000 };

/* A step ends early when it is cancelled, or when its time is over. */
static int is_over(void *context)
{
    const atx_store *store = context;
    return (store->cancel && atx_cancel_asked(store->cancel)) ||
           (store->step_until_s > 0 && atx_now_s() > store->step_until_s);
}

void atx_guard_handle(atx_store *store)
{
    static const struct {
        int option, value;
    } OPTIONS[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 }, /* those of the temp schema stay */
        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
    };
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        sqlite3_db_config(store->db, OPTIONS[i].option, OPTIONS[i].value, NULL);
    sqlite3_progress_handler(store->db, LOOK_EVERY, is_over, store);
}

at_status atx_guard_schema(atx_store *store, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status =
        atx_query_begin(&q, store, ATX_SQL_FOREIGN_OBJECT, "read the schema", err, "s", atx_schema_sql);
    if (atx_query_next(&q, &status, err))
        status = atx_fail(err, AT_ERR_STORE,
                          "%s: holds %s, which is not autotune's and could change what is stored or read; "
                          "nothing was touched; drop it with sqlite3, or use another database with --db",
                          store->path, atx_store_text(q.statement, 0));
    return status;
}

/* ---- views of the connection ---- */

/* The views of schema.sql, which are its end, as views of the connection. */
static void add_views(atx_str *out)
{
    static const char CREATE[] = "CREATE VIEW ";
    const char *at = strstr(atx_schema_sql, CREATE);
    while (at) {
        const char *name = at + strlen(CREATE), *next = strstr(name, CREATE);
        atx_str_add(out, ";CREATE TEMP VIEW ");
        atx_str_add_bytes(out, name, next ? (size_t)(next - name) : strlen(name));
        at = next;
    }
}

at_status atx_guard_views(atx_store *store, at_error *err)
{
    ATX_LOCAL(atx_str) sql = { 0 };
    atx_str_add(&sql, "PRAGMA temp_store = MEMORY;");
    add_views(&sql);
    ATX_TRY(atx_str_status(&sql, err));
    if (sqlite3_exec(store->db, sql.data, NULL, NULL, NULL) != SQLITE_OK)
        return atx_store_fail(store, "read the schema", err);
    return AT_OK;
}

/* ---- waiting ---- */

enum { FIRST_MS = 1, MORE_MS = 3, LONGEST_MS = 50 }; /* of a sleep: the first, each next one, the last ones */
enum {
    TRIED_BEFORE = 3
}; /* before it is asked whether there are locks at all: most are given back by then */

static int asked(const atx_store *store)
{
    return store->cancel && atx_cancel_asked(store->cancel);
}

/* A signal that is not the user's wish to end shortens nothing. */
static void sleep_ms(const atx_store *store, int ms)
{
    struct timespec left = { .tv_nsec = ms * 1000000L };
    while (nanosleep(&left, &left) != 0 && errno == EINTR && !asked(store))
        ;
}

/* A file of the database's folder without a name, so that nothing is left of it whenever this process is
 * killed. Network file systems have no such files: there it loses its name before anything else is done with
 * it. */
static int open_nameless(const char *path)
{
    ATX_LOCAL(atx_str) name = { 0 };
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(&name, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    int fd = name.failed ? -1 : open(name.data, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        atx_str_reset(&name);
        atx_str_addf(&name, "%s.lock-XXXXXX", path);
        fd = name.failed ? -1 : mkostemp(name.data, O_CLOEXEC);
        if (fd >= 0)
            unlink(name.data);
    }
    return fd;
}

/*
 * SQLite takes "no locks" (ENOLCK, as of NFS without its lock daemon) for a lock of another process. A new
 * file beside the database tells: opening the database's own by hand would drop the locks that are there.
 * Where no file can be made that is unknown.
 */
static void try_a_lock(atx_store *store)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    store->tried_lock = true;
    int fd = open_nameless(store->path);
    if (fd >= 0) {
        store->no_locks = fcntl(fd, F_SETLK, &all) == 0 ? 0 : errno;
        close(fd);
    }
}

/* SQLite asks before each new try for one lock; `tries`: those before. 0: no more of them. */
static int wait_more(void *context, int tries)
{
    atx_store *store = context;
    int ms = FIRST_MS + MORE_MS * (tries < LONGEST_MS ? tries : LONGEST_MS);
    if (tries == 0)
        store->waited_ms = 0;
    if (tries == TRIED_BEFORE && !store->tried_lock)
        try_a_lock(store);
    if (asked(store) || store->no_locks || store->waited_ms >= store->wait_ms)
        return 0;
    ms = ms < LONGEST_MS ? ms : LONGEST_MS;
    ms = ms < store->wait_ms - store->waited_ms ? ms : store->wait_ms - store->waited_ms;
    sleep_ms(store, ms);
    store->waited_ms += ms;
    return 1;
}

void atx_store_wait_for_locks(atx_store *store)
{
    sqlite3_busy_handler(store->db, wait_more, store);
}

/* ---- the journal ---- */

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

/* Through SQLite's own file: no other code may open the names beside it. One that cannot be mapped is of no
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
    if (!*mode) /* no memory for the question: to try whether it can be shared would unmap a log in use */
        return;
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
