/*
 * store_migrate.c - schema versions: a new file gets schema.sql, an older one the steps that it lacks. One
 * that may only be read is shown as if it had them: store_guard.c.
 *
 * Steps change tables only. The views are the same for every step, those of schema.sql: they go before the
 * first one, since SQLite renames no column that a broken view names, and come back after the last. All of it
 * is one transaction. Whoever waited for the lock looks at the version again and may find nothing left to do.
 */
#include "db/store_internal.h"

#include "source/meaning.h"

#include <stdio.h>
#include <string.h>

#define MEANING "at_meaning" /* a function of SQL, while steps run */

/*
 * Version 1 is the first. What a step makes of the tables is what schema.sql then says.
 * From 2: spill_bytes held what the driver calls local memory.
 * From 3: the newest went by its date alone, even one that was yet to come.
 * From 4: what the op counts as operations was not kept, and all winners were chosen by time.
 * From 5: a template was named by its text, comments and all. Those whose texts are here get their names.
 */
const at__migration at__migrations[] = {
    { 1,
      "ALTER TABLE run ADD COLUMN other_processes INTEGER; ALTER TABLE run ADD COLUMN ecc_errors INTEGER" },
    { 2,
      "ALTER TABLE trial RENAME COLUMN spill_bytes TO local_bytes; "
      "ALTER TABLE trial ADD COLUMN stack_bytes INTEGER; ALTER TABLE trial ADD COLUMN spill_bytes INTEGER; "
      "ALTER TABLE winner ADD COLUMN total_shared_bytes INTEGER; "
      "ALTER TABLE winner ADD COLUMN stack_bytes INTEGER; "
      "ALTER TABLE winner ADD COLUMN spill_bytes INTEGER; "
      "ALTER TABLE winner ADD COLUMN local_bytes INTEGER" },
    { 3, "ALTER TABLE winner ADD COLUMN rank_at TEXT NOT NULL DEFAULT ''; "
         "UPDATE winner SET rank_at = measured_at WHERE measured_at <= " AT__SQL_LATEST },
    { 4, "ALTER TABLE problem ADD COLUMN ops_count INTEGER NOT NULL DEFAULT 0; "
         "ALTER TABLE winner ADD COLUMN objective TEXT NOT NULL DEFAULT ''; "
         "ALTER TABLE trial ADD COLUMN joules REAL; ALTER TABLE winner ADD COLUMN joules REAL" },
    { 5, "CREATE TABLE template_text (text_hash TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL) STRICT; "
         "INSERT INTO template_text SELECT hash, " MEANING "(hash, text) FROM source "
         "WHERE " MEANING "(hash, text) IS NOT NULL; " AT__SQL_RENAME },
    { 0, NULL },
};

static const char DROP_VIEWS[] = "DROP VIEW IF EXISTS main.best; DROP VIEW IF EXISTS main.winners_all; "
                                 "DROP VIEW IF EXISTS main.trials_all";

/* Where the views begin in schema.sql; they are its end. */
static const char *views_of_schema(void)
{
    return strstr(at__schema_sql, "CREATE VIEW");
}

int at__store_version(at__store *store, at_error *err)
{
    int64_t version = -1;
    at_status status = at__store_ask(&version, store, AT__SQL_GET_VERSION, "read the schema version", err);
    if (status == AT_OK && version < 0)
        at_fail(err, AT_ERR_STORE, "%s: the schema version %d makes no sense: the file is damaged",
                store->path, (int)version);
    return status == AT_OK ? (int)version : -1;
}

static const at__migration *step_from(const at__migration *steps, int version)
{
    for (; steps->sql; steps++)
        if (steps->from == version)
            return steps;
    return NULL;
}

static at_status run(at__store *store, const char *sql, const char *doing, at_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? AT_OK
                                                                       : at__store_fail(store, doing, err);
}

/* at_meaning(HASH, TEXT): NULL for a text that has not the hash. */
static void tell_meaning(sqlite3_context *context, int count, sqlite3_value **values)
{
    char hash[AT__HASH_TEXT];
    const char *given = (const char *)sqlite3_value_text(values[0]);
    const char *text = (const char *)sqlite3_value_text(values[1]);
    const size_t len = (size_t)sqlite3_value_bytes(values[1]);
    (void)count;
    if (!given || !text)
        return;
    at__hash_text(hash, text, len);
    if (strcmp(hash, given) != 0)
        return;
    if (at__meaning_hash(hash, text, len, NULL, NULL) == AT_OK)
        sqlite3_result_text(context, hash, -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
}

static at_status know_meanings(at__store *store, bool on, at_error *err)
{
    const int code = sqlite3_create_function(store->db, MEANING, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                             on ? tell_meaning : NULL, NULL, NULL);
    return code == SQLITE_OK ? AT_OK : at__store_fail(store, "bring the tables up to date", err);
}

/* From a version above 0 to the target. */
static at_status run_steps(at__store *store, const at__migration *steps, int version, int target,
                           at_error *err)
{
    static const char doing[] = "bring the tables up to date";
    at_status status = run(store, DROP_VIEWS, doing, err);
    if (status == AT_OK)
        status = know_meanings(store, true, err);
    at__guard_names_views(store, true); /* a user's own */
    for (int at = version; status == AT_OK && at < target; at++) {
        const at__migration *step = step_from(steps, at);
        status = step ? run(store, step->sql, doing, err)
                      : at_fail(err, AT_ERR_STORE, "%s: no way from schema version %d to %d", store->path, at,
                                at + 1);
    }
    at__guard_names_views(store, false);
    if (status == AT_OK)
        status = know_meanings(store, false, err);
    return status == AT_OK ? run(store, views_of_schema(), doing, err) : status;
}

/* Inside the transaction. */
static at_status bring_forward(at__store *store, const at__migration *steps, int target, at_error *err)
{
    char mark[64];
    int version = at__store_version(store, err);
    at_status status = AT_OK;
    if (version < 0)
        return AT_ERR_STORE;
    if (version == target)
        return AT_OK; /* another process has done it meanwhile */
    if (version > target)
        return at_fail(err, AT_ERR_STORE, "%s: no way from schema version %d to %d", store->path, version,
                       target);
    if (version == 0)
        status = run(store, at__schema_sql, "create the tables", err);
    else
        status = run_steps(store, steps, version, target, err);
    snprintf(mark, sizeof mark, "PRAGMA user_version = %d", target);
    return status == AT_OK ? run(store, mark, "mark the schema version", err) : status;
}

at_status at__store_migrate(at__store *store, const at__migration *steps, int target, at_error *err)
{
    int version = at__store_version(store, err);
    if (version < 0)
        return AT_ERR_STORE;
    if (version == target)
        return AT_OK;
    at_status status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    return at__store_end(store, bring_forward(store, steps, target, err), err);
}
