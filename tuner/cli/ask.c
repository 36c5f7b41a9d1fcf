/*
 * ask.c - see ask.h. The database is opened once, before the problem is read, because the problem's operation
 * may be one that only the database has. Its winners are read when the problem is looked up.
 */
#include "cli/ask.h"

/* NULL where there is no place for a database (no HOME, in a container), none was named, and the shipped
 * results can answer. */
static at_status path_if_any(const char **out, const char *given, bool shipped, atx_str *keep, at_error *err)
{
    at_status status = atx_db_to_read(out, given, keep, err);
    if (status != AT_ERR_USAGE || given || !shipped)
        return status;
    *out = NULL;
    return AT_OK;
}

/* A database that cannot be opened is reported when it is asked. */
static at_status read_recorded(atx_question_asked *q, at_error *err)
{
    if (!q->path)
        return AT_OK;
    if (atx_store_open_recording(&q->store, q->path, NULL, NULL) == AT_OK)
        return atx_catalog_add_recorded_of(q->catalog, q->store, err);
    q->store = NULL;
    return atx_catalog_add_recorded(q->catalog, q->path, err);
}

/* A file of the catalog that could not be read explains more than "the operation is not known". */
static at_status read_problem(atx_question_asked *q, at_error *err)
{
    const char *file = q->options->shapes;
    at_status status = AT_OK;
    if (file && q->options->words.count)
        status = atx_fail(err, AT_ERR_USAGE, "found both --shapes and '%s'; expected one of them",
                          q->options->words.items[0]);
    else if (file)
        status = atx_shapes_read(&q->shapes, file, q->catalog, NULL, err);
    else
        status = atx_problem_from_words(&q->problem, &q->options->words, q->catalog, err);
    at_status failed = atx_catalog_failure(q->catalog, err);
    return failed == AT_OK ? status : failed;
}

at_status atx_ask_open(atx_question_asked *q, const atx_ask_options *o, bool needs_db, at_error *err)
{
    *q = (atx_question_asked){ .options = o, .with_shipped = !o->no_shipped && atx_shipped_wanted(false) };
    at_status status = atx_check_device_option(o->device, err);
    ATX_THEN(status, atx_open_catalog_lazily(&q->catalog, o->templates_dir, err));
    if (status == AT_OK && needs_db)
        status = atx_db_path(&q->path, o->db, &q->keep, err);
    else if (status == AT_OK)
        status = path_if_any(&q->path, o->db, q->with_shipped, &q->keep, err);
    ATX_THEN(status, read_recorded(q, err));
    return status == AT_OK ? read_problem(q, err) : status;
}

void atx_ask_let_go(atx_question_asked *q)
{
    atx_lookup_close(q->lookup);
    atx_store_close(q->store);
    q->lookup = NULL;
    q->store = NULL;
}

void atx_ask_close(atx_question_asked *q)
{
    atx_ask_let_go(q);
    atx_shapes_clear(&q->shapes);
    atx_catalog_close(q->catalog);
    atx_str_clear(&q->keep);
}

at_status atx_ask_device(atx_question_asked *q, at_error *err)
{
    return q->target.full ? AT_OK
                          : atx_device_option(&q->target, q->options->device, q->store, q->with_shipped, err);
}

static at_status open_if_any(atx_store **out, const char *path, at_error *err)
{
    if (path)
        return atx_store_open_recording(out, path, NULL, err);
    return atx_fail(
        err, AT_ERR_NOT_FOUND,
        "the shipped results have no answer, and there is no place for a database: set HOME or AUTOTUNE_DB, "
        "or name one with --db");
}

/* On a machine where nothing was tuned yet there is no default database. */
static at_status open_store(atx_question_asked *q, at_error *err)
{
    q->absent = (at_error){ 0 };
    at_status status = q->store ? AT_OK : open_if_any(&q->store, q->path, &q->absent);
    if (status == AT_OK || (status == AT_ERR_NOT_FOUND && !q->options->db))
        return AT_OK;
    return atx_fail(err, status, "%s", q->absent.text);
}

static at_status open_lookup(atx_question_asked *q, at_error *err)
{
    at_status status = atx_ask_device(q, err);
    ATX_THEN(status, atx_lookup_open(&q->lookup, q->store, q->catalog, err));
    if (status == AT_OK && q->with_shipped)
        atx_lookup_add_shipped(q->lookup);
    return status;
}

at_status atx_ask(atx_found *out, atx_question_asked *q, atx_outdated_use outdated,
                  const atx_exclusions *exclusions, at_error *err)
{
    *out = (atx_found){ .match = ATX_MATCH_NONE, .why = "" };
    at_status status = open_store(q, err);
    if (status == AT_OK && !q->store && !q->with_shipped)
        return AT_OK;
    if (status == AT_OK && !q->lookup)
        status = open_lookup(q, err);
    if (status != AT_OK)
        return status;
    atx_lookup_exclude(q->lookup, exclusions);
    atx_lookup_restrict(q->lookup, q->options->exact, outdated);
    return atx_lookup_find(out, q->lookup, &q->problem, &q->target, err);
}

at_status atx_ask_none(const atx_question_asked *q, const atx_found *found, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    if (q->path) {
        const bool absent = q->absent.status != AT_OK;
        atx_str_addf(
            &text, absent ? "there is no database %s yet, and no winner for %s " : "%s has no winner for %s ",
            q->path, q->problem.op->name);
        atx_problem_show(&text, &q->problem);
        atx_str_addf(&text, " %s%s%s; find one with: ", atx_dtype_name(q->problem.type),
                     *q->target.name ? " on " : "", q->target.name);
        atx_add_tune_command(&text, &q->problem, q->options->templates_dir, q->path);
    } else {
        atx_str_add(&text, q->absent.text);
    }
    if (q->options->exact)
        atx_str_add(&text, "; without --exact, predictions and results of similar problems count too");
    if (found->refused)
        atx_str_addf(&text, "; %s", found->why);
    atx_fail(err, AT_ERR_NOT_FOUND, "%s", atx_whole(&text));
    return AT_ERR_NOT_FOUND;
}
