/*
 * store_internal.h - definitions shared by the files of db/: the handle, cached statements, error texts. Only
 * db/ and its tests include this.
 */
#pragma once

#include "db/statements.h"
#include "db/store.h"
#include <sqlite3.h>
#include <sys/types.h>

#define ATX_APPLICATION_ID 0x4154554E /* "ATUN", as in schema.sql */
#define ATX_BUSY_WAIT_MS   30000
#define ATX_VALUE_LIMIT    (64 << 20)         /* bytes of a row of any file; larger ones are not read    */
#define ATX_HELD_LIMIT     ((int64_t)2 << 30) /* bytes of a dump that is held in memory */
#define ATX_STEP_LIMIT_S   300.0 /* none of ours takes as long, a file that means no good might */

struct atx_store {
    sqlite3 *db;
    sqlite3_stmt *statements[ATX_SQL_COUNT]; /* prepared on first use, kept until the store closes */
    char *path;                              /* as messages name it                         */
    const char *file;                        /* while it is being opened; borrowed          */
    int wait_ms, waited_ms;                  /* for a lock: at most; for the one that is wanted */
    int no_locks;    /* errno of a lock beside the file: the file system has none; 0: it has, or unknown */
    bool tried_lock; /* that was found out, as far as it can be */
    bool read_only;
    const atx_cancel *cancel;          /* borrowed; NULL: never cancelled                              */
    double step_limit_s, step_until_s; /* of a step of a statement; until: 0: none is running         */
    int64_t cubin_limit_bytes;         /* of a cache of compiled kernels; 0: none                       */
    int64_t cubins_put;                /* since it was opened                                           */
};

/* What SQLite puts behind a database's name for it and for the files beside it; the first is "". */
enum { ATX_BESIDE_COUNT = 4 };
extern const char *const atx_store_beside[ATX_BESIDE_COUNT];

/* mkdir -p of everything before the last '/'; `mode` is what the umask takes from. */
at_status atx_store_make_parents(const char *path, mode_t mode, at_error *err) AT_MUST_CHECK;

extern const char atx_schema_sql[]; /* schema.sql, made by embed.cmake */

extern const unsigned char atx_shipped_image[]; /* a database, made by embed_winners.c */
extern const size_t atx_shipped_bytes;          /* of it; 0: none                      */
extern const unsigned char atx_shipped_rows[];  /* as atx_columns_pack makes them; where each begins */
extern const uint32_t atx_shipped_row_at[];

/* atx_store_open with another wait time for locks. */
at_status atx_store_open_wait(atx_store **out, const char *path, atx_open_mode mode, int wait_ms,
                              at_error *err) AT_MUST_CHECK;

/* Of a handle that was just opened: locks are waited for `wait_ms`, and no longer than `cancel` allows. */
void atx_store_wait_for_locks(atx_store *store);

/*
 * Of a file that was opened for writing: the log where it can be had, and then no fsync for each commit: kill
 * -9 costs nothing, a power failure the last commits, never the file. Elsewhere, and while another process
 * uses the file, SQLite stays with the journal that it has: no error.
 */
void atx_journal_prefer_log(atx_store *store);

/* Has the handle just failed for want of shared memory? */
bool atx_journal_lacks_memory(const atx_store *store);

/* Back to the rollback journal, so that nothing is beside the file once it is closed, nor needed to open it.
 * The handle, which nothing was asked of before where there is no shared memory, has the file alone from then
 * on, until it is closed. */
at_status atx_journal_leave_log(atx_store *store, at_error *err) AT_MUST_CHECK;

/* A file for writing that messages call `path`. */
at_status atx_store_open_as(atx_store **out, const char *file, const char *path, at_error *err) AT_MUST_CHECK;

/* AT_ERR_STORE: the file has lost its name, so that later data could not be found. */
at_status atx_store_check_place(atx_store *store, at_error *err) AT_MUST_CHECK;

/* Is there a -wal, -shm or -journal beside this name? */
bool atx_store_has_files_beside(const char *path);

/* Removes a database that no other process has opened. */
void atx_store_remove(const char *path);

/*
 * Restrictions on a file of unknown origin (store_connection.c). The handle: right after it was opened. The
 * schema: before anything else is asked of the file; AT_ERR_STORE names an object that is none of ours. The
 * views: the program's own, of this connection alone. Nothing is written to the file.
 */
void atx_guard_handle(atx_store *store);
at_status atx_guard_schema(atx_store *store, at_error *err) AT_MUST_CHECK;
at_status atx_guard_views(atx_store *store, at_error *err) AT_MUST_CHECK;

/* atx_store_open_recording; a dump takes at most so much memory. */
at_status atx_store_open_recording_within(atx_store **out, const char *path, int64_t bytes,
                                          const atx_cancel *cancel, at_error *err) AT_MUST_CHECK;

/*
 * AT_ERR_STORE (AT_ERR_MEMORY when SQLite ran out of it) for what SQLite just reported on this handle: the
 * file, what happened, what to do. `doing` completes "cannot ...".
 */
at_status atx_store_fail(atx_store *store, const char *doing, at_error *err);

/*
 * A statement in use. Every way through the store is the same: begin, next until it is false, end; what went
 * wrong on the way is in the status, so that one end serves all.
 *
 *     ATX_LOCAL(atx_query) q = { 0 };
 *     at_status status = atx_query_begin(&q, store, ATX_SQL_EACH_PROBLEM, "read problems", err, "");
 *     while (atx_query_next(&q, &status, err))
 *         ... columns of q.statement, from 0 on ...
 */
typedef struct atx_query {
    atx_store *store;
    sqlite3_stmt *statement; /* borrowed from the store */
    const char *doing;       /* completes "cannot ..."  */
    double limit_s;          /* of a step; 0: none      */
} atx_query;

/* sqlite3_step, for no longer than the limit: SQLITE_INTERRUPT then. */
int atx_store_step(atx_query *q);

/*
 * `types` has a letter for each argument that follows, bound in order: 's' const char * (NULL allowed), 'i'
 * int64_t, 'n' int64_t where below zero is NULL, 'b' const void * and size_t (blob), 't' const char * and
 * size_t (text that may hold NUL bytes), 'c' const atx_columns * and const void *, the record that they are
 * of. What they point to must last until the end.
 */
at_status atx_query_begin(atx_query *q, atx_store *store, atx_sql sql, const char *doing, at_error *err,
                          const char *types, ...) AT_MUST_CHECK;

/* Is there another row? Not after any failure: see *status. */
bool atx_query_next(atx_query *q, at_status *status, at_error *err);

/* Gives the statement back; a failed begin may be ended too. */
void atx_query_clear(atx_query *q);

/* Binds as above, runs to the end, ignores rows. */
at_status atx_store_exec(atx_store *store, atx_sql sql, const char *doing, at_error *err, const char *types,
                         ...) AT_MUST_CHECK;

/* The integer that a statement without parameters answers. *out stays when it answers none. */
at_status atx_store_ask(int64_t *out, atx_store *store, atx_sql sql, const char *doing,
                        at_error *err) AT_MUST_CHECK;

/* Transactions. End commits when status is AT_OK, rolls back otherwise, and returns what holds afterwards. */
at_status atx_store_begin(atx_store *store, at_error *err) AT_MUST_CHECK;
at_status atx_store_end(atx_store *store, at_status status, at_error *err) AT_MUST_CHECK;

/* Looks `key` up and copies as many columns (3 at most) as `outs` has; they are replaced only when all went
 * well. AT_ERR_NOT_FOUND: there is no such row. */
at_status atx_store_get_columns(atx_str *const *outs, int count, atx_store *store, atx_sql sql,
                                const char *doing, const char *key, at_error *err) AT_MUST_CHECK;

/* AT_ERR_INPUT, with the file and the column: a number of the record is out of its range (columns.h). */
at_status atx_store_check(atx_store *store, const char *doing, const atx_columns *columns, const void *record,
                          at_error *err) AT_MUST_CHECK;

/* Rows that trials and winners refer to: found, or inserted. Inside a transaction. */
at_status atx_store_problem_id(int64_t *id, atx_store *store, const atx_problem_key *key,
                               at_error *err) AT_MUST_CHECK;
at_status atx_store_fingerprint_id(int64_t *id, atx_store *store, const atx_fingerprint *fingerprint,
                                   at_error *err) AT_MUST_CHECK;
at_status atx_store_template_id(int64_t *id, atx_store *store, const char *name, const char *hash,
                                at_error *err) AT_MUST_CHECK;

/* The path of the source that tells what a winner's op_hash was made of, up to that hash. */
#define ATX_SPACE_PATH "space/"

/* The first line of a dump; a reader refuses another version. */
#define ATX_DUMP_VERSION 4
#define ATX_DUMP_BEGIN   "{\"kind\":\"autotune dump\""
#define ATX_DUMP_HEAD    ATX_DUMP_BEGIN ",\"version\":4,\"tool\":\"" AT_VERSION "\"}"

/* A text column; "" for NULL. Valid until the next step. */
const char *atx_store_text(sqlite3_stmt *statement, int column);
