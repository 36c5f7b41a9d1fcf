/*
 * store_guard.c - a database may come from anyone, and a schema can hold programs. None of them runs here.
 *
 * Triggers and views of the file are switched off, and functions that a schema has no business with. What
 * the statements ask are views of this connection alone, made from our own schema.sql over the tables: those
 * in the file are for other programs. Objects that would change what is stored or what others read are
 * refused by name; a user's own tables, views, and indexes that are not unique may stay. Generated columns,
 * other tables' names and constraints that swallow rows make a table another one than ours. Last, no step of
 * a statement takes longer than its limit.
 */
#include "db/store_internal.h"
#include "util/clock.h"

#include <string.h>

/* Instructions of SQLite's machine between two looks at the clock: about a millisecond. */
enum { LOOK_EVERY = 10000 };

/* A step ends early when the user wants it to, or when its time is over. */
static int is_over(void *context)
{
    const at__store *store = context;
    return (store->cancel && at__cancel_asked(store->cancel)) ||
           (store->step_until_s > 0 && at__now_s() > store->step_until_s);
}

void at__guard_handle(at__store *store)
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

int at__store_step(at__query *q)
{
    q->store->step_until_s = q->limit_s > 0 ? at__now_s() + q->limit_s : 0;
    int code = sqlite3_step(q->statement);
    q->store->step_until_s = 0;
    return code;
}

at_status at__guard_schema(at__store *store, at_error *err)
{
    at__query q;
    at_status status =
        at__query_begin(&q, store, AT__SQL_FOREIGN_OBJECT, "read the schema", err, "s", at__schema_sql);
    if (at__query_next(&q, &status, err))
        status = at_fail(err, AT_ERR_STORE,
                         "%s: holds %s, which is not autotune's and could change what is stored or read; "
                         "nothing was touched; drop it with sqlite3, or use another database with --db",
                         store->path, at__store_text(q.statement, 0));
    at__query_end(&q);
    return status;
}

/* ---- views of the connection ---- */

/* The views of schema.sql, which are its end, as views of the connection. */
static void add_views(at__str *out)
{
    static const char CREATE[] = "CREATE VIEW ";
    const char *at = strstr(at__schema_sql, CREATE);
    while (at) {
        const char *name = at + strlen(CREATE), *next = strstr(name, CREATE);
        at__str_add(out, ";CREATE TEMP VIEW ");
        at__str_add_bytes(out, name, next ? (size_t)(next - name) : strlen(name));
        at = next;
    }
}

at_status at__guard_views(at__store *store, at_error *err)
{
    at__str sql = { 0 };
    at__str_add(&sql, "PRAGMA temp_store = MEMORY;");
    add_views(&sql);
    at_status status = at__str_status(&sql, err);
    if (status == AT_OK && sqlite3_exec(store->db, sql.data, NULL, NULL, NULL) != SQLITE_OK)
        status = at__store_fail(store, "read the schema", err);
    at__str_clear(&sql);
    return status;
}
