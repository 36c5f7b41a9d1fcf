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
    atx_query q;
    at_status status =
        atx_query_begin(&q, store, ATX_SQL_FOREIGN_OBJECT, "read the schema", err, "s", atx_schema_sql);
    if (atx_query_next(&q, &status, err))
        status = atx_fail(err, AT_ERR_STORE,
                          "%s: holds %s, which is not autotune's and could change what is stored or read; "
                          "nothing was touched; drop it with sqlite3, or use another database with --db",
                          store->path, atx_store_text(q.statement, 0));
    atx_query_end(&q);
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
    atx_str sql = { 0 };
    atx_str_add(&sql, "PRAGMA temp_store = MEMORY;");
    add_views(&sql);
    at_status status = atx_str_status(&sql, err);
    if (status == AT_OK && sqlite3_exec(store->db, sql.data, NULL, NULL, NULL) != SQLITE_OK)
        status = atx_store_fail(store, "read the schema", err);
    atx_str_clear(&sql);
    return status;
}
