/*
 * store_open.c - opens a database: chooses the file, checks its contents and permissions, creates it; closes
 * it.
 *
 * A file is checked by its first 100 bytes before SQLite may touch it, because an ordinary open could roll
 * back or checkpoint the database of another user. The bytes are read through SQLite's own descriptor:
 * opening and closing the file a second time would drop the POSIX locks that this process's other handles
 * hold.
 */
#include "db/store_internal.h"
#include "util/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* The parts of SQLite's file header that we look at (https://sqlite.org/fileformat.html, section 1.3). */
enum { HEADER_BYTES = 100, HEADER_VERSION = 60, HEADER_APPLICATION = 68 };
static const char MAGIC[16] = "SQLite format 3";

static unsigned big_endian(const unsigned char *p)
{
    return (unsigned)p[0] << 24 | (unsigned)p[1] << 16 | (unsigned)p[2] << 8 | p[3];
}

static at_status check_version(const char *path, int version, at_error *err)
{
    if (version == ATX_SCHEMA_VERSION)
        return AT_OK;
    return atx_fail(
        err, AT_ERR_STORE,
        "%s: found schema version %d (user_version); expected %d: it was written by %s; it was not "
        "touched; use that autotune, or tune again into another database with --db",
        path, version, ATX_SCHEMA_VERSION,
        version > ATX_SCHEMA_VERSION ? "a newer autotune, or one from before version 0.1.0"
        : version > 0                ? "an autotune from before version 0.1.0"
                                     : "no release of autotune");
}

at_status atx_store_check_name(const char *path, at_error *err)
{
    if (path[0] == '\0')
        return atx_fail(err, AT_ERR_USAGE, "the name of the database is empty");
    if (strcmp(path, ":memory:") == 0)
        return atx_fail(err, AT_ERR_USAGE,
                        "the name of the database is %s, which would keep nothing; expected a file (./%s for "
                        "one of that name)",
                        path, path);
    if (strncasecmp(path, "file:", 5) == 0)
        return atx_fail(err, AT_ERR_USAGE,
                        "the name of the database is a URI, %s; expected a file (./%s for one of that name)",
                        path, path);
    return AT_OK;
}

/* Is it a file, or nothing yet? *exists tells. Only looks at the name: see the top of this file. */
static at_status check_path(bool *exists, const char *path, atx_open_mode mode, at_error *err)
{
    struct stat info;
    *exists = stat(path, &info) == 0;
    if (!*exists && errno != ENOENT)
        return atx_fail(err, AT_ERR_STORE, "%s: %s; name a file elsewhere with --db", path, strerror(errno));
    if (!*exists && mode == ATX_STORE_READ)
        return atx_fail(
            err, AT_ERR_NOT_FOUND,
            "%s: no such database yet; `autotune SHAPE` makes it on a machine with a GPU, or name another "
            "with --db",
            path);
    if (*exists && S_ISDIR(info.st_mode))
        return atx_fail(err, AT_ERR_STORE, "%s: is a folder; the name of a database file was expected", path);
    if (*exists && !S_ISREG(info.st_mode))
        return atx_fail(err, AT_ERR_STORE, "%s: is not a regular file", path);
    return AT_OK;
}

/* 0 or errno. A folder that exists is no error; a read-only file system may report EROFS for it. */
static int make_folder(const char *folder, mode_t mode)
{
    struct stat info;
    if (mkdir(folder, mode) == 0) {
        atx_sync_name(folder); /* or a power failure would take it with the database */
        return 0;
    }
    const int why = errno;
    const bool there = why == EEXIST || why == EISDIR || (why == EROFS && stat(folder, &info) == 0);
    return there ? 0 : why;
}

at_status atx_store_make_parents(const char *path, mode_t mode, at_error *err)
{
    at_status status = AT_OK;
    ATX_FREED char *folder = atx_text_copy(path, strlen(path));
    if (!folder)
        return atx_no_memory(err);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int why = make_folder(folder, mode);
        if (why) {
            status = atx_fail(err, AT_ERR_STORE,
                              "%s: cannot make the folder %s: %s; name a file elsewhere with --db, or set "
                              "XDG_DATA_HOME and XDG_CACHE_HOME to folders that you may write to",
                              path, folder, strerror(why));
            break;
        }
        *slash = '/';
    }
    return status;
}

/* A URI that tells SQLite that the file will not change: then it needs neither -wal nor -shm beside it. */
static at_status immutable_uri(atx_str *out, const char *path, at_error *err)
{
    atx_str_add(out, "file:");
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if (strchr("?#%", *p))
            atx_str_addf(out, "%%%02x", *p);
        else
            atx_str_add_bytes(out, p, 1);
    }
    atx_str_add(out, "?immutable=1");
    return atx_str_status(out, err);
}

static at_status open_handle(atx_store *store, const char *name, int flags, at_error *err)
{
    sqlite3_close(store->db);
    store->db = NULL;
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (!store->db)
        return atx_fail(err, AT_ERR_MEMORY, "%s: out of memory", store->path);
    if (code != SQLITE_OK)
        return atx_store_fail(store, "open the database", err);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, ATX_VALUE_LIMIT);
    atx_store_wait_for_locks(store);
    atx_guard_handle(store);
    return AT_OK;
}

/*
 * The first bytes of the file, zero-filled where it is shorter. The size is the system's: SQLite takes a file
 * of one byte for an empty one.
 */
static at_status read_header(unsigned char header[HEADER_BYTES], bool *empty, atx_store *store, at_error *err)
{
    sqlite3_file *file = NULL;
    struct stat info;
    memset(header, 0, HEADER_BYTES);
    *empty = stat(store->file, &info) != 0 || info.st_size == 0;
    if (*empty || sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file->pMethods) { /* in memory */
        *empty = true;
        return AT_OK;
    }
    int code = file->pMethods->xRead(file, header, HEADER_BYTES, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
        return atx_fail(err, AT_ERR_STORE, "%s: cannot read the file: %s", store->path, sqlite3_errstr(code));
    return AT_OK;
}

/* With the command as a shell takes it. */
static at_status say_dump(const char *path, at_error *err)
{
    ATX_LOCAL(atx_str) word = { 0 };
    atx_str_add_word(&word, path);
    return atx_fail(err, AT_ERR_STORE,
                    "%s: not a database but a dump, it seems; `autotune merge NEW.db %s` makes one of it, "
                    "to be named with --db",
                    path, atx_str_text(&word));
}

/* Is it ours, or empty? Nothing has been written, nor locked, when this says no. */
static at_status check_header(bool *empty, atx_store *store, at_error *err)
{
    unsigned char header[HEADER_BYTES];
    at_status status = read_header(header, empty, store, err);
    if (status != AT_OK || *empty)
        return status;
    if (header[0] == '{' || (header[0] == 0x1f && header[1] == 0x8b)) /* JSON lines, plain or gzip'ed */
        return say_dump(store->path, err);
    if (memcmp(header, MAGIC, sizeof MAGIC) != 0)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: not a database (it does not begin as an SQLite file does); it was not touched; name "
            "another file with --db",
            store->path);
    if (big_endian(header + HEADER_APPLICATION) != ATX_APPLICATION_ID)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: an SQLite database of another program (application_id 0x%08x; autotune's is 0x%08x); it "
            "was not touched; name another file with --db",
            store->path, big_endian(header + HEADER_APPLICATION), (unsigned)ATX_APPLICATION_ID);
    return check_version(store->path, (int)big_endian(header + HEADER_VERSION), err);
}

/* Our views are all there, and readable. */
static at_status check_schema(atx_store *store, at_error *err)
{
    int64_t views = 0;
    at_status status = atx_store_ask(&views, store, ATX_SQL_COUNT_VIEWS, "read the database", err);
    if (status == AT_OK && views != 3)
        status = atx_fail(
            err, AT_ERR_STORE,
            "%s: views of autotune's schema are missing; restore the file from a copy, or move it away "
            "and tune again",
            store->path);
    return status;
}

static at_status read_version(int *version, atx_store *store, at_error *err)
{
    int64_t read = 0;
    at_status status = atx_store_ask(&read, store, ATX_SQL_GET_VERSION, "read the schema version", err);
    *version = (int)read;
    return status;
}

/* Inside a transaction: another process may have made them meanwhile. */
static at_status create_tables(atx_store *store, at_error *err)
{
    int version = 0;
    ATX_TRY(read_version(&version, store, err));
    if (version == 0 && sqlite3_exec(store->db, atx_schema_sql, NULL, NULL, NULL) != SQLITE_OK)
        return atx_store_fail(store, "create the tables", err);
    return AT_OK;
}

static at_status create(atx_store *store, at_error *err)
{
    ATX_TRY(atx_store_begin(store, err));
    return atx_store_end(store, create_tables(store, err), err);
}

/* The version again, as the log beside the file may have it; then whether the schema is ours. */
static at_status check_contents(atx_store *store, at_error *err)
{
    int version = 0;
    ATX_TRY(read_version(&version, store, err));
    ATX_TRY(check_version(store->path, version, err));
    ATX_TRY(atx_guard_schema(store, err));
    ATX_TRY(check_schema(store, err));
    return atx_guard_views(store, err);
}

/* Another handle for the file. */
static at_status open_again(atx_store *store, const char *name, int flags, at_error *err)
{
    for (int i = 0; i < ATX_SQL_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
    return open_handle(store, name, flags, err);
}

static at_status write_checked(atx_store *store, at_error *err)
{
    bool empty = false;
    ATX_TRY(open_again(store, store->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
    ATX_TRY(check_header(&empty, store, err));
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: the file is read-only; change its permissions, or use another database with --db",
            store->path);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                      NULL); /* until it is known to be ours */
    /* Created before the log is switched on, so that the file itself, not only its log, says whose it is. */
    if (empty)
        ATX_TRY(create(store, err));
    ATX_TRY(check_contents(store, err));
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    atx_journal_prefer_log(store);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    return AT_OK;
}

static at_status open_writer(atx_store *store, at_error *err)
{
    at_status status = write_checked(store, err);
    if (status != AT_ERR_STORE || !atx_journal_lacks_memory(store))
        return status;
    status = open_again(store, store->file, SQLITE_OPEN_READWRITE, err);
    ATX_THEN(status, atx_journal_leave_log(store, err));
    return status == AT_OK ? write_checked(store, err) : status;
}

static at_status read_checked(atx_store *store, at_error *err)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return check_contents(store, err);
}

/* A database on a read-only medium, or with a log where no memory is shared, can only be read as immutable:
 * when it was closed cleanly, with no log beside it. */
static at_status retry_immutable(atx_store *store, at_error *err)
{
    ATX_LOCAL(atx_str) name = { 0 };
    struct stat info;
    atx_str_addf(&name, "%s-wal", store->file);
    ATX_TRY(atx_str_status(&name, err));
    if (stat(name.data, &info) == 0 && info.st_size > 0)
        return atx_fail(err, AT_ERR_STORE,
                        "%s: cannot be read here: its log %s must be brought in first, and %s; "
                        "copy both files to a folder of a local disk that you may write",
                        store->path, name.data,
                        atx_journal_lacks_memory(store) ? "the file system has no shared memory"
                                                        : "the folder is read-only");
    atx_str_reset(&name);
    ATX_TRY(immutable_uri(&name, store->file, err));
    ATX_TRY(open_again(store, name.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err));
    return read_checked(store, err);
}

static at_status open_reader(atx_store *store, at_error *err)
{
    bool empty = false;
    store->read_only = true;
    at_status status = open_handle(store, store->file, SQLITE_OPEN_READONLY, err);
    ATX_THEN(status, check_header(&empty, store, err));
    if (status == AT_OK && empty)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s: is empty: nothing was tuned yet", store->path);
    if (status != AT_OK)
        return status;
    status = read_checked(store, err);
    int code = sqlite3_extended_errcode(store->db) & 0xff;
    if (status == AT_ERR_STORE &&
        (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || atx_journal_lacks_memory(store)))
        status = retry_immutable(store, err);
    return status;
}

/* `cancel` may end the opening; it does not affect later use of the store. */
static at_status open_named(atx_store **out, const char *file, const char *path, atx_open_mode mode,
                            int wait_ms, const atx_cancel *cancel, at_error *err)
{
    at_status status = AT_OK;
    atx_store *store = calloc(1, sizeof *store);
    if (store)
        store->path = atx_text_copy(path, strlen(path));
    if (!store || !store->path) {
        status = atx_fail(err, AT_ERR_MEMORY, "%s: out of memory", path);
        goto done;
    }
    store->file = file;
    store->wait_ms = wait_ms;
    store->cancel = cancel;
    store->step_limit_s = ATX_STEP_LIMIT_S;
    status = mode == ATX_STORE_READ ? open_reader(store, err) : open_writer(store, err);
    if (status != AT_OK)
        goto done;
    store->file = NULL;
    store->cancel = NULL;
    *out = store;
    store = NULL;
done:
    atx_store_close(store);
    return status;
}

static at_status open_path(atx_store **out, const char *path, atx_open_mode mode, int wait_ms,
                           const atx_cancel *cancel, at_error *err)
{
    at_error unused;
    bool exists = true;

    err = err ? err : &unused;
    ATX_TRY(atx_store_check_name(path, err));
    ATX_TRY(check_path(&exists, path, mode, err));
    if (!exists)
        ATX_TRY(atx_store_make_parents(path, 0777, err));
    return open_named(out, path, path, mode, wait_ms, cancel, err);
}

at_status atx_store_open_wait(atx_store **out, const char *path, atx_open_mode mode, int wait_ms,
                              at_error *err)
{
    return open_path(out, path, mode, wait_ms, NULL, err);
}

at_status atx_store_open_as(atx_store **out, const char *file, const char *path, at_error *err)
{
    return open_named(out, file, path, ATX_STORE_WRITE, ATX_BUSY_WAIT_MS, NULL, err);
}

at_status atx_store_open_memory(atx_store **out, at_error *err)
{
    at_error unused;
    return open_named(out, ":memory:", ":memory:", ATX_STORE_WRITE, ATX_BUSY_WAIT_MS, NULL,
                      err ? err : &unused);
}

at_status atx_store_open(atx_store **out, const char *path, atx_open_mode mode, at_error *err)
{
    return open_path(out, path, mode, ATX_BUSY_WAIT_MS, NULL, err);
}

at_status atx_store_open_unless(atx_store **out, const char *path, atx_open_mode mode,
                                const atx_cancel *cancel, at_error *err)
{
    return open_path(out, path, mode, ATX_BUSY_WAIT_MS, cancel, err);
}

const char *atx_store_file(const atx_store *store)
{
    return store->path[0] == ':' ? "" : store->path;
}

/* Has the name of the file that is open become that of another, or of none? */
static bool has_moved(atx_store *store)
{
    int moved = 0;
    return sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

bool atx_store_was_replaced(atx_store *store)
{
    struct stat info;
    return has_moved(store) && stat(store->path, &info) == 0 && S_ISREG(info.st_mode);
}

at_status atx_store_check_place(atx_store *store, at_error *err)
{
    if (!has_moved(store))
        return AT_OK;
    return atx_fail(
        err, AT_ERR_STORE,
        "%s: was removed, renamed or replaced while this program had it open; what would be stored now would "
        "be gone; run the same command again (`autotune merge` adds to a database that is in use)",
        store->path);
}

void atx_store_close(atx_store *store)
{
    if (!store)
        return;
    for (int i = 0; i < ATX_SQL_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}

/* A file in the user's folder for data, unless another one is named. */
static at_status data_path(atx_str *out, const char *named, const char *file, at_error *err)
{
    atx_str path = { 0 };
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    if (named && named[0])
        atx_str_add(&path, named);
    else if (data && data[0] == '/') /* the XDG specification: a relative path is invalid and to be ignored */
        atx_str_addf(&path, "%s/autotune/%s", data, file);
    else if (home && home[0])
        atx_str_addf(&path, "%s/.local/share/autotune/%s", home, file);
    else
        return atx_fail(
            err, AT_ERR_USAGE,
            "no place for the database: set HOME, or AUTOTUNE_DB (`AUTOTUNE_DB=autotune.db autotune ...`), "
            "or name one with --db");
    at_status status = atx_str_status(&path, err);
    if (status == AT_OK) {
        atx_str_clear(out);
        *out = path;
    } else {
        atx_str_clear(&path);
    }
    return status;
}

at_status atx_store_default_path(atx_str *out, at_error *err)
{
    return data_path(out, getenv("AUTOTUNE_DB"), "autotune.db", err);
}

at_status atx_store_replay_path(atx_str *out, at_error *err)
{
    return data_path(out, NULL, "replay.db", err);
}

at_status atx_store_cache_path(atx_str *out, at_error *err)
{
    const char *named = getenv("AUTOTUNE_CACHE");
    const char *base = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    atx_str_reset(out);
    if (named && named[0])
        atx_str_add(out, named);
    else if (base && base[0] == '/')
        atx_str_addf(out, "%s/autotune/kernels.db", base);
    else if (home && home[0])
        atx_str_addf(out, "%s/.cache/autotune/kernels.db", home);
    return atx_str_status(out, err);
}
