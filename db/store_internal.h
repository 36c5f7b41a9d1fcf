/*
 * store_internal.h - what the store's own files share: the handle, cached statements, migrations, error
 * texts. Only db/ and its tests include this.
 */
#ifndef AUTOTUNE_STORE_INTERNAL_H
#define AUTOTUNE_STORE_INTERNAL_H

#include "db/statements.h"
#include "db/store.h"
#include <sqlite3.h>

#define AT__APPLICATION_ID 0x4154554E /* "ATUN", as in schema.sql */
#define AT__BUSY_WAIT_MS   30000

struct at__store {
    sqlite3 *db;
    sqlite3_stmt *statements[AT__SQL_COUNT]; /* prepared on first use, kept until the store closes */
    char *path;
    int wait_ms;
    bool read_only;
    int64_t cubin_limit_bytes; /* of a cache of compiled kernels; 0: none                       */
    int64_t cubins_put;        /* since it was opened                                           */
};

extern const char at__schema_sql[]; /* schema.sql, made by embed.cmake */

/* at__store_open with another patience for locks. */
at_status at__store_open_wait(at__store **out, const char *path, at__open_mode mode, int wait_ms,
                              at_error *err) AT_MUST_CHECK;

/* One forward step: SQL that brings a database of version `from` to from + 1. A table of them ends with NULL.
 */
typedef struct at__migration {
    int from;
    const char *sql;
} at__migration;

extern const at__migration at__migrations[];

/*
 * Brings the database to version `target`, each step in one transaction together with its user_version; a
 * failed step changes nothing. Version 0 is a new file: it gets the whole schema at once, which is the step
 * from 0. Safe when several processes do it at once.
 */
at_status at__store_migrate(at__store *store, const at__migration *steps, int target,
                            at_error *err) AT_MUST_CHECK;

/* user_version; below zero: it could not be read, and *err says why. */
int at__store_version(at__store *store, at_error *err);

/*
 * AT_ERR_STORE (AT_ERR_MEMORY when SQLite ran out of it) for what SQLite just reported on this handle: the
 * file, what happened, what to do. `doing` completes "cannot ...".
 */
at_status at__store_fail(at__store *store, const char *doing, at_error *err);

/*
 * A cached statement, ready to bind. `types` has a letter for each argument that follows, bound in order:
 * 's' const char * (NULL allowed), 'i' int64_t, 'd' double, 'n' int64_t where below zero is NULL, 'b' const
 * void * and size_t (blob), 't' const char * and size_t (text that may hold NUL bytes). Borrowed until the
 * statement is reset. NULL on failure; *err is then filled.
 */
sqlite3_stmt *at__store_bind(at__store *store, at__sql sql, const char *doing, at_error *err,
                             const char *types, ...);

/* Binds as above, runs to the end, ignores rows. */
at_status at__store_exec(at__store *store, at__sql sql, const char *doing, at_error *err, const char *types,
                         ...) AT_MUST_CHECK;

/* Transactions. End commits when status is AT_OK, rolls back otherwise, and returns what holds afterwards. */
at_status at__store_begin(at__store *store, at_error *err) AT_MUST_CHECK;
at_status at__store_end(at__store *store, at_status status, at_error *err) AT_MUST_CHECK;

/* Looks `key` up and copies as many columns (3 at most) as `outs` has; they are replaced only when all went
 * well. AT_ERR_NOT_FOUND: there is no such row. */
at_status at__store_get_columns(at__str *const *outs, int count, at__store *store, at__sql sql,
                                const char *doing, const char *key, at_error *err) AT_MUST_CHECK;

/* Rows that trials and winners refer to: found, or inserted. Inside a transaction. */
at_status at__store_problem_id(int64_t *id, at__store *store, const at__problem_key *key,
                               at_error *err) AT_MUST_CHECK;
at_status at__store_fingerprint_id(int64_t *id, at__store *store, const at__fingerprint *fingerprint,
                                   at_error *err) AT_MUST_CHECK;
at_status at__store_template_id(int64_t *id, at__store *store, const char *name, const char *hash,
                                at_error *err) AT_MUST_CHECK;

/* A fingerprint from eight columns of the current row: device, cc, sms, memory_mib, driver, nvrtc, tool,
 * cold. */
void at__store_read_fingerprint(at__fingerprint *out, sqlite3_stmt *statement, int first_column);

/* The first line of a dump; a reader refuses a higher version. */
#define AT__DUMP_VERSION 1
#define AT__DUMP_BEGIN   "{\"kind\":\"autotune dump\""
#define AT__DUMP_HEAD    AT__DUMP_BEGIN ",\"version\":1,\"tool\":\"" AT_VERSION "\"}"

/* A text column; "" for NULL. Valid until the next step. */
const char *at__store_text(sqlite3_stmt *statement, int column);

/* An integer column; -1 for NULL. */
int64_t at__store_known(sqlite3_stmt *statement, int column);

#endif
