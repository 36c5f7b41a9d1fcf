/*
 * store_migrate.c - schema versions: a new file gets schema.sql, an older one the steps that it lacks.
 */
#include "db/store_internal.h"

#include <stdio.h>

/* Version 1 is the first. What a step adds is what schema.sql then says. */
const at__migration at__migrations[] = {
    { 0, at__schema_sql },
    { 1,
      "ALTER TABLE run ADD COLUMN other_processes INTEGER; ALTER TABLE run ADD COLUMN ecc_errors INTEGER" },
    { 0, NULL },
};

int at__store_version(at__store *store, at_error *err)
{
    int version = -1;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_GET_VERSION, "read the schema version", err, "");
    if (!s)
        return -1;
    if (sqlite3_step(s) == SQLITE_ROW)
        version = sqlite3_column_int(s, 0);
    else
        at__store_fail(store, "read the schema version", err);
    sqlite3_reset(s);
    if (version < 0 && sqlite3_errcode(store->db) == SQLITE_OK)
        at_fail(err, AT_ERR_STORE, "%s: the schema version %d makes no sense: the file is damaged",
                store->path, version);
    return version;
}

static const at__migration *step_from(const at__migration *steps, int version)
{
    for (; steps->sql; steps++)
        if (steps->from == version)
            return steps;
    return NULL;
}

/* Where the step from `version` leads: schema.sql makes the newest version at once. */
static int version_after(int version, int target)
{
    return version == 0 ? target : version + 1;
}

static at_status run_step(at__store *store, const at__migration *step, int next, at_error *err)
{
    char mark[64];
    snprintf(mark, sizeof mark, "PRAGMA user_version = %d", next);
    if (sqlite3_exec(store->db, step->sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(store->db, mark, NULL, NULL, NULL) != SQLITE_OK)
        return at__store_fail(store, step->from == 0 ? "create the tables" : "bring the tables up to date",
                              err);
    return AT_OK;
}

at_status at__store_migrate(at__store *store, const at__migration *steps, int target, at_error *err)
{
    at_status status = AT_OK;
    for (int version = at__store_version(store, err); version != target;) {
        if (version < 0)
            return AT_ERR_STORE;
        if ((status = at__store_begin(store, err)) != AT_OK)
            return status;
        /* Again, now that we hold the lock: another process may have done it meanwhile. */
        version = at__store_version(store, err);
        const at__migration *step = version < target ? step_from(steps, version) : NULL;
        if (version < 0)
            status = AT_ERR_STORE;
        else if (step && version < target)
            status = run_step(store, step, version_after(version, target), err);
        else if (version != target)
            status = at_fail(err, AT_ERR_STORE, "%s: no way from schema version %d to %d", store->path,
                             version, target);
        if ((status = at__store_end(store, status, err)) != AT_OK)
            return status;
        version = at__store_version(store, err);
    }
    return status;
}
