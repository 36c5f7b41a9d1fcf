/*
 * store_migrate.c - schema versions: a new file gets schema.sql, an older one the steps that it lacks, and
 * one that may only be read is shown as if it had them.
 *
 * Steps change tables only. The views are the same for every step, those of schema.sql: they go before the
 * first one, since SQLite renames no column that a broken view names, and come back after the last. All of it
 * is one transaction. Whoever waited for the lock looks at the version again and may find nothing left to do.
 */
#include "db/store_internal.h"

#include <stdio.h>
#include <string.h>

/*
 * Version 1 is the first. What a step makes of the tables is what schema.sql then says.
 * From 2: spill_bytes held what the driver calls local memory.
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
    { 0, NULL },
};

static const char DROP_VIEWS[] =
    "DROP VIEW IF EXISTS best; DROP VIEW IF EXISTS winners_all; DROP VIEW IF EXISTS trials_all";

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

/* From a version above 0 to the target. */
static at_status run_steps(at__store *store, const at__migration *steps, int version, int target,
                           at_error *err)
{
    static const char doing[] = "bring the tables up to date";
    at_status status = run(store, DROP_VIEWS, doing, err);
    for (int at = version; status == AT_OK && at < target; at++) {
        const at__migration *step = step_from(steps, at);
        status = step ? run(store, step->sql, doing, err)
                      : at_fail(err, AT_ERR_STORE, "%s: no way from schema version %d to %d", store->path, at,
                                at + 1);
    }
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

/* ---- reading what is older ---- */

/* A column of a view as an older file has it, by its rule. */
#define OLD(name, shown, kind, member, rule, range) OLD_##rule(shown)
#define OLD_PLAIN(shown)                            ", v." #shown
#define OLD_NEEDED(shown)                           OLD_PLAIN(shown)
#define OLD_OR_ZERO(shown)                          OLD_PLAIN(shown)
#define OLD_OR_EMPTY(shown)                         OLD_PLAIN(shown)
#define OLD_ABOVE_ZERO(shown)                       OLD_PLAIN(shown)
#define OLD_SINCE_2(shown)                          ", NULL AS " #shown
#define OLD_WAS_SPILL(shown)                        ", v.spill_bytes AS " #shown

/* clang-format off */
#define OLD_KEY "v.op, v.shape, v.type_key"                                                               \
    AT__FINGERPRINT_COLUMNS(OLD) AT__KERNEL_COLUMNS(OLD) AT__TIME_COLUMN(OLD) ", v.run_id"
#define OLD_WINNERS(view)                                                                                 \
    "CREATE TEMP VIEW " view " AS SELECT " OLD_KEY AT__WINNER_FIGURES(OLD)                                \
    ", v.elements, v.traffic_bytes, v.winner_id FROM main." view " v;"

/* Of files before version 3, with what statements.h asks for. */
static const char OLDER_VIEWS[] =
    "CREATE TEMP VIEW trials_all AS SELECT " OLD_KEY AT__TRIAL_FIGURES(OLD) ", v.trial_id FROM main.trials_all v;"
    OLD_WINNERS("winners_all")
    OLD_WINNERS("best");
/* clang-format on */

at_status at__store_show_older(at__store *store, int version, at_error *err)
{
    if (version >= 3)
        return AT_OK;
    at_status status = run(store, "PRAGMA temp_store = MEMORY", "read the older schema", err);
    return status == AT_OK ? run(store, OLDER_VIEWS, "read the older schema", err) : status;
}
