/*
 * store_sql.c - running statements: prepare once, bind, step; transactions; user messages for SQLite's
 * errors.
 *
 * A statement has one user, between atx_query_begin and atx_query_clear. The end resets it and clears its
 * bindings, so that the next user finds it as new after any failure.
 */
#include "db/store_internal.h"
#include "util/bug.h"
#include "util/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const char *const SQL[] = {
#define ATX_SQL_TEXT(name, sql) [ATX_SQL_##name] = sql,
    ATX_STATEMENTS(ATX_SQL_TEXT)
#undef ATX_SQL_TEXT
};

/* Why a system call under SQLite failed: ": No space left on device", or "". SQLite does not keep the errno
 * of each: which versions keep EFBIG differs. */
static const char *system_cause(sqlite3 *db, char *text, size_t size)
{
    struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
    int code = sqlite3_system_errno(db);
    if ((code == 0 || code == EFBIG) && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, size, ": no file may have more than %llu bytes here (ulimit -f)",
                 (unsigned long long)limit.rlim_cur);
    else if (code != 0)
        snprintf(text, size, ": %s", strerror(code));
    else
        *text = '\0';
    return text;
}

/* Explanations of errors for users. Other codes show SQLite's own words. */
static const struct advice {
    int code;
    const char *what; /* NULL: SQLite's words */
    const char *advice;
} ADVICE[] = {
    { SQLITE_NOMEM, "out of memory", "" },
    { SQLITE_BUSY, "locked by another process", "; end that process, or use another database with --db" },
    { SQLITE_LOCKED, "locked by another thread", "; use another database with --db" },
    { SQLITE_FULL, "the disk is full",
      "; what was stored before is kept; free some space and run the same command again" },
    { SQLITE_NOTADB, "not an SQLite database, or an encrypted one", "; name another file with --db" },
    { SQLITE_CORRUPT, "the database is damaged",
      "; save what can be read with `sqlite3 FILE .recover`, or move the file away and tune again" },
    { SQLITE_READONLY, "the file or its folder is read-only",
      "; change the permissions, or use another database with --db" },
    { SQLITE_PROTOCOL, "it cannot be locked",
      "; is it on a network file system? use another database with --db" },
    { SQLITE_CANTOPEN, NULL,
      "; check the permissions of the file and of its folder, and that it is not on a network file system" },
    { SQLITE_INTERRUPT, "it took too long", "; use another database with --db" },
    { SQLITE_IOERR, NULL, "; check the disk: is it full, full for this user, or failing?" },
    { 0, NULL, "" },
};

#define NO_LOCKS "; its file system has no locks: is it a network one? Use another database with --db"
#define TOO_MANY "; raise the limit of open files (`ulimit -n`) and run the same command again"

/* What to do where the system's own error says more than SQLite's. */
static const char *advice_for(const atx_store *store, const struct advice *a)
{
    int cause = sqlite3_system_errno(store->db);
    switch (sqlite3_extended_errcode(store->db)) {
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_UNLOCK:
    case SQLITE_IOERR_CHECKRESERVEDLOCK:
        return NO_LOCKS;
    default:
        return !a->what && (cause == EMFILE || cause == ENFILE) ? TOO_MANY : a->advice;
    }
}

void atx_store_set_cancel(atx_store *store, const atx_cancel *cancel)
{
    store->cancel = cancel;
}

at_status atx_store_fail(atx_store *store, const char *doing, at_error *err)
{
    char cause[128], waited[64] = "";
    int code = sqlite3_extended_errcode(store->db) & 0xff;
    const struct advice *a = ADVICE;

    if ((code == SQLITE_INTERRUPT || code == SQLITE_BUSY) && store->cancel && atx_cancel_asked(store->cancel))
        return atx_fail(err, AT_ERR_CANCELLED, "interrupted: %s is as it was", store->path);
    while (a->code != 0 && a->code != code)
        a++;
    if (code == SQLITE_BUSY && store->no_locks)
        return atx_fail(err, AT_ERR_STORE, "%s: cannot %s: it cannot be locked: %s" NO_LOCKS, store->path,
                        doing, strerror(store->no_locks));
    if (code == SQLITE_BUSY)
        snprintf(waited, sizeof waited, " for more than %g s", store->wait_ms / 1000.0);
    return atx_fail(err, code == SQLITE_NOMEM ? AT_ERR_MEMORY : AT_ERR_STORE, "%s: cannot %s: %s%s%s%s",
                    store->path, doing, a->what ? a->what : sqlite3_errmsg(store->db), waited,
                    a->what ? "" : system_cause(store->db, cause, sizeof cause), advice_for(store, a));
}

static sqlite3_stmt *prepared(atx_store *store, atx_sql sql)
{
    sqlite3_stmt **slot = &store->statements[sql];
    if (!*slot &&
        sqlite3_prepare_v3(store->db, SQL[sql], -1, SQLITE_PREPARE_PERSISTENT, slot, NULL) != SQLITE_OK)
        return NULL;
    return *slot;
}

/* Fills one parameter, or those of a record, and moves *index on. Texts and blobs are not copied: callers
 * keep them until the query ends. */
static int bind_next(sqlite3_stmt *s, int *index, char type, va_list *args)
{
    int i = (*index)++;
    switch (type) {
    case 's':
        return sqlite3_bind_text(s, i, va_arg(*args, const char *), -1, SQLITE_STATIC);
    case 'i':
        return sqlite3_bind_int64(s, i, va_arg(*args, int64_t));
    case 'n': {
        int64_t value = va_arg(*args, int64_t);
        return value < 0 ? sqlite3_bind_null(s, i) : sqlite3_bind_int64(s, i, value);
    }
    case 'c': {
        const atx_columns *columns = va_arg(*args, const atx_columns *);
        *index = i + columns->count;
        return atx_columns_bind(s, i, columns, va_arg(*args, const void *));
    }
    case 't': {
        const char *text = va_arg(*args, const char *);
        size_t len = va_arg(*args, size_t);
        return sqlite3_bind_text64(s, i, len ? text : "", len, SQLITE_STATIC, SQLITE_UTF8);
    }
    default: {
        assert(type == 'b');
        const void *blob = va_arg(*args, const void *);
        size_t len = va_arg(*args, size_t);
        return sqlite3_bind_blob64(s, i, len ? blob : "", len, SQLITE_STATIC);
    }
    }
}

static at_status begin(atx_query *q, atx_sql sql, at_error *err, const char *types, va_list *args)
{
    int code = SQLITE_ERROR, index = 1;
    q->statement = prepared(q->store, sql);
    q->limit_s = sql == ATX_SQL_VACUUM ? 0 : q->store->step_limit_s; /* that one may copy for hours */
    if (q->statement)
        code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && types[i]; i++)
        code = bind_next(q->statement, &index, types[i], args);
    return code == SQLITE_OK ? AT_OK : atx_store_fail(q->store, q->doing, err);
}

at_status atx_query_begin(atx_query *q, atx_store *store, atx_sql sql, const char *doing, at_error *err,
                          const char *types, ...)
{
    va_list args;
    *q = (atx_query){ .store = store, .doing = doing };
    va_start(args, types);
    at_status status = begin(q, sql, err, types, &args);
    va_end(args);
    return status;
}

int atx_store_step(atx_query *q)
{
    q->store->step_until_s = q->limit_s > 0 ? atx_now_s() + q->limit_s : 0;
    int code = sqlite3_step(q->statement);
    q->store->step_until_s = 0;
    return code;
}

bool atx_query_next(atx_query *q, at_status *status, at_error *err)
{
    int code = *status == AT_OK ? atx_store_step(q) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *status = atx_store_fail(q->store, q->doing, err);
    return code == SQLITE_ROW;
}

void atx_query_clear(atx_query *q)
{
    sqlite3_reset(q->statement); /* both take NULL */
    if (q->statement)
        sqlite3_clear_bindings(q->statement);
    q->statement = NULL;
}

at_status atx_store_exec(atx_store *store, atx_sql sql, const char *doing, at_error *err, const char *types,
                         ...)
{
    ATX_LOCAL(atx_query) q = { .store = store, .doing = doing };
    va_list args;
    va_start(args, types);
    at_status status = begin(&q, sql, err, types, &args);
    va_end(args);
    while (atx_query_next(&q, &status, err))
        ;
    return status;
}

at_status atx_store_ask(int64_t *out, atx_store *store, atx_sql sql, const char *doing, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, sql, doing, err, "");
    if (atx_query_next(&q, &status, err))
        *out = sqlite3_column_int64(q.statement, 0);
    return status;
}

at_status atx_store_begin(atx_store *store, at_error *err)
{
    if (store->read_only)
        return atx_bug(err, "%s: was opened for reading only", store->path);
    return atx_store_exec(store, ATX_SQL_BEGIN, "store", err, "");
}

at_status atx_store_end(atx_store *store, at_status status, at_error *err)
{
    ATX_THEN(status, atx_store_exec(store, ATX_SQL_COMMIT, "store", err, ""));
    /* Some errors (a full disk) have ended the transaction already. */
    if (status != AT_OK && !sqlite3_get_autocommit(store->db)) {
        at_status undone = atx_store_exec(store, ATX_SQL_ROLLBACK, "undo", NULL, "");
        (void)undone; /* the first error is the one to tell */
    }
    return status;
}
