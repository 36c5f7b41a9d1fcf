/*
 * library_store.c - the database of a tuner and its look-ups: opened, and opened again when
 * another file has taken its place.
 */
#include "library/library.h"

#include "util/clock.h"
#include "util/real_path.h"

#define FOLLOW_S 0.1 /* whether the file is still that of its name is asked this often at most */

/* Without a store the winners that come with the program answer, if they may. */
at_status atx_library_open_lookup(at_tuner *tuner, at_error *err)
{
    atx_lookup *lookup = NULL;
    if (!tuner->store && !tuner->with_shipped)
        return AT_OK;
    ATX_TRY(atx_lookup_open(&lookup, tuner->store, tuner->catalog, err));
    atx_lookup_exclude(lookup, tuner->excluded);
    if (tuner->no_environment)
        atx_lookup_no_environment(lookup);
    if (tuner->with_shipped)
        atx_lookup_add_shipped(lookup);
    atx_lookup_close(tuner->lookup);
    tuner->lookup = lookup;
    return AT_OK;
}

/* Closed before the other is opened: SQLite's files beside a database go by its name. */
static at_status open_again(at_tuner *tuner, at_error *err)
{
    tuner->replaced = true;
    atx_lookup_close(tuner->lookup);
    atx_store_close(tuner->store);
    tuner->lookup = NULL;
    tuner->store = NULL;
    at_status status =
        atx_store_open(&tuner->store, atx_str_text(&tuner->tuning.database), ATX_STORE_READ, err);
    ATX_THEN(status, atx_library_open_lookup(tuner, err));
    tuner->replaced = status != AT_OK;
    return status == AT_ERR_NOT_FOUND ? AT_ERR_STORE : status; /* it was there a moment ago */
}

at_status atx_library_follow(at_tuner *tuner, at_error *err)
{
    double now_s = atx_now_s();
    if (tuner->replaced)
        return open_again(tuner, err);
    if (!tuner->store || now_s - tuner->followed_s < FOLLOW_S)
        return AT_OK;
    tuner->followed_s = now_s;
    return atx_store_was_replaced(tuner->store) ? open_again(tuner, err) : AT_OK;
}

void atx_library_log(const at_tuner *tuner, const char *text)
{
    if (tuner->log)
        tuner->log(tuner->log_context, text);
}

/* It is the same file wherever the program goes: also when it is opened at its first use, or by `autotune`.
 */
static at_status keep_name(atx_str *name, at_error *err)
{
    ATX_TRY(atx_store_check_name(atx_str_text(name), err));
    atx_path_from_here(name);
    return atx_str_status(name, err);
}

/* That the default database is missing is no error; that a named one is, is, unless tuning may make it. */
at_status atx_library_open_store(at_tuner *tuner, const char *named, at_error *err)
{
    atx_str *path = &tuner->tuning.database;
    at_error cause = { 0 };
    at_status status = AT_OK;
    if (named)
        atx_str_add(path, named);
    else if (tuner->no_environment)
        status =
            atx_fail(&cause, AT_ERR_USAGE, "no database is named, and no environment variable may name one");
    else
        status = atx_store_default_path(path, &cause);
    ATX_THEN(status, keep_name(path, &cause));
    ATX_THEN(status, atx_store_open(&tuner->store, atx_str_text(path), ATX_STORE_READ, &cause));
    bool absent = status == AT_ERR_NOT_FOUND || status == AT_ERR_USAGE; /* no file, or no place for one */
    bool may_come = status == AT_ERR_NOT_FOUND && tuner->tuning.budget_s > 0;
    if (absent && (!named || may_come)) {
        atx_str_add(&tuner->absent, cause.text);
        return atx_str_status(&tuner->absent, err);
    }
    return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause.text);
}
