/*
 * store_trials.c - runs, trials, and the rows that they refer to.
 *
 * A row names its problem, fingerprint and template by number. Each is added unless it is there, then looked
 * up: of two processes that add the same one, both find one row. A batch is one transaction, and times that a
 * failed trial cannot have never reach the table.
 */
#include "db/store_internal.h"
#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

at_status atx_store_check(atx_store *store, const char *doing, const atx_columns *columns, const void *record,
                          at_error *err)
{
    at_error cause = { 0 };
    if (atx_columns_check(columns, record, &cause) == AT_OK)
        return AT_OK;
    return atx_fail(err, AT_ERR_INPUT, "%s: cannot %s: %s", store->path, doing, cause.text);
}

/* The first column of the only row. */
static at_status take_id(int64_t *id, atx_query *q, at_status status, at_error *err)
{
    if (atx_query_next(q, &status, err))
        *id = sqlite3_column_int64(q->statement, 0);
    else if (status == AT_OK)
        status = atx_fail(err, AT_ERR_STORE, "%s: cannot %s: the row just written is not there",
                          q->store->path, q->doing);
    atx_query_clear(q);
    return status;
}

at_status atx_store_problem_id(int64_t *id, atx_store *store, const atx_problem_key *key, at_error *err)
{
    static const char doing[] = "store a problem";
    atx_query q;
    at_status status = atx_store_check(store, doing, &atx_problem_columns, key, err);
    ATX_THEN(status, atx_store_exec(store, ATX_SQL_ADD_PROBLEM, doing, err, "c", &atx_problem_columns, key));
    if (status != AT_OK)
        return status;
    status =
        atx_query_begin(&q, store, ATX_SQL_PROBLEM_ID, doing, err, "sss", key->op, key->shape, key->type_key);
    return take_id(id, &q, status, err);
}

at_status atx_store_fingerprint_id(int64_t *id, atx_store *store, const atx_fingerprint *f, at_error *err)
{
    static const char doing[] = "store a fingerprint";
    atx_query q;
    at_status status = atx_store_check(store, doing, &atx_fingerprint_columns, f, err);
    ATX_THEN(status, atx_store_exec(store, ATX_SQL_ADD_DEVICE, doing, err, "c", &atx_device_columns, f));
    ATX_THEN(status, atx_store_exec(store, ATX_SQL_ADD_FINGERPRINT, doing, err, "cc", &atx_version_columns, f,
                                    &atx_device_columns, f));
    if (status != AT_OK)
        return status;
    status = atx_query_begin(&q, store, ATX_SQL_FINGERPRINT_ID, doing, err, "c", &atx_fingerprint_columns, f);
    return take_id(id, &q, status, err);
}

at_status atx_store_template_id(int64_t *id, atx_store *store, const char *name, const char *hash,
                                at_error *err)
{
    static const char doing[] = "store a template";
    atx_query q;
    ATX_TRY(atx_store_exec(store, ATX_SQL_ADD_TEMPLATE, doing, err, "ss", name, hash));
    at_status status = atx_query_begin(&q, store, ATX_SQL_TEMPLATE_ID, doing, err, "ss", name, hash);
    return take_id(id, &q, status, err);
}

at_status atx_store_begin_run(int64_t *run_id, atx_store *store, const atx_run_info *info, at_error *err)
{
    static const char doing[] = "store a run";
    char now[21];
    int64_t seed, id = 0;

    atx_utc_text(now);
    memcpy(&seed, &info->seed, sizeof seed); /* the same 64 bits: SQLite has signed numbers only */
    ATX_TRY(atx_store_begin(store, err));
    at_status status =
        atx_store_exec(store, ATX_SQL_ADD_RUN, doing, err, "sssissnn", now, info->command, info->strategy,
                       seed, info->device_uuid, info->host, info->other_processes, info->ecc_errors);
    id = sqlite3_last_insert_rowid(store->db);
    status = atx_store_end(store, status, err);
    if (status == AT_OK)
        *run_id = id;
    return status;
}

/* NaN is stored as NULL. */
static const atx_timing NOT_TIMED = { .median_s = NAN, .min_s = NAN, .spread = NAN, .joules = NAN };

/* Times that a failed trial cannot have are left out. */
static atx_trial_row stored_row(const atx_trial_row *row)
{
    atx_trial_row stored = *row;
    if (row->outcome != ATX_TIMED) {
        stored.timing = NOT_TIMED;
        stored.timing.samples = row->timing.samples;
    }
    if (!(stored.timing.joules > 0))
        stored.timing.joules = NAN;
    return stored;
}

bool atx_trial_row_copy(atx_trial_row *out, const atx_trial_row *from)
{
    *out = *from;
    const bool whole = atx_columns_own(out, &atx_trial_columns);
    if (!whole)
        atx_trial_row_clear(out);
    return whole;
}

void atx_trial_row_clear(atx_trial_row *row)
{
    atx_columns_free(row, &atx_trial_columns);
    *row = (atx_trial_row){ 0 };
}

at_status atx_trial_check(const atx_trial_row *row, at_error *err)
{
    const atx_trial_row stored = stored_row(row);
    return atx_columns_check(&atx_trial_figures, &stored, err);
}

static at_status put_trial(atx_store *store, const int64_t ids[3], int64_t run_id, const char *now,
                           const atx_trial_row *row, at_error *err)
{
    static const char doing[] = "store a trial";
    const atx_trial_row stored = stored_row(row);
    const char *when = row->measured_at && *row->measured_at ? row->measured_at : now;
    ATX_TRY(atx_store_check(store, doing, &atx_trial_figures, &stored, err));
    return atx_store_exec(store, ATX_SQL_PUT_TRIAL, doing, err, "iiisisc", ids[0], ids[1], ids[2],
                          row->config, run_id, when, &atx_trial_figures, &stored);
}

/* A time that is none would break the table's rules, and with it the whole batch. */
static at_status check_row(atx_store *store, const atx_trial_row *row, at_error *err)
{
    if (row->outcome == ATX_TIMED && !(isfinite(row->timing.median_s) && row->timing.median_s > 0))
        return atx_bug(err, "%s: a timed trial of %s {%s} needs a positive time, not %g", store->path,
                       row->template_name, row->config, row->timing.median_s);
    return AT_OK;
}

static bool same_template(const atx_trial_row *a, const atx_trial_row *b)
{
    return strcmp(a->template_name, b->template_name) == 0 && strcmp(a->template_hash, b->template_hash) == 0;
}

static at_status put_all(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                         const atx_fingerprint *fingerprint, const atx_trial_row *rows, size_t count,
                         at_error *err)
{
    int64_t ids[3] = { 0 }; /* problem, fingerprint, template */
    char now[21];

    atx_utc_text(now);
    ATX_TRY(atx_store_problem_id(&ids[0], store, problem, err));
    ATX_TRY(atx_store_fingerprint_id(&ids[1], store, fingerprint, err));
    for (size_t i = 0; i < count; i++) {
        ATX_TRY(check_row(store, &rows[i], err));
        if (!(i && same_template(&rows[i], &rows[i - 1])))
            ATX_TRY(atx_store_template_id(&ids[2], store, rows[i].template_name, rows[i].template_hash, err));
        ATX_TRY(put_trial(store, ids, run_id, now, &rows[i], err));
    }
    return AT_OK;
}

at_status atx_store_put_trials(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                               const atx_fingerprint *fingerprint, const atx_trial_row *rows, size_t count,
                               at_error *err)
{
    if (count == 0)
        return AT_OK;
    at_status status = atx_store_check_place(store, err);
    ATX_THEN(status, atx_store_begin(store, err));
    if (status != AT_OK)
        return status;
    return atx_store_end(store, put_all(store, run_id, problem, fingerprint, rows, count, err), err);
}

/* Is it a fault of the kernel itself, whatever compiled or loaded it? */
static bool is_of_the_kernel(atx_outcome outcome)
{
    return outcome == ATX_WRONG_RESULT || outcome == ATX_CRASHED || outcome == ATX_TIMED_OUT;
}

/* Under all other conditions, once it is stored under these. */
static at_status put_elsewhere(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                               const atx_fingerprint *fingerprint, const atx_trial_row *row, at_error *err)
{
    const atx_trial_row stored = stored_row(row);
    int64_t ids[3] = { 0 };
    char now[21];
    atx_utc_text(now);
    at_status status = atx_store_problem_id(&ids[0], store, problem, err);
    ATX_THEN(status, atx_store_fingerprint_id(&ids[1], store, fingerprint, err));
    ATX_THEN(status, atx_store_template_id(&ids[2], store, row->template_name, row->template_hash, err));
    return status == AT_OK
               ? atx_store_exec(store, ATX_SQL_PUT_VERDICT_ELSEWHERE, "store a trial", err, "iiisisc", ids[0],
                                ids[1], ids[2], row->config, run_id, now, &atx_trial_figures, &stored)
               : status;
}

at_status atx_store_put_verdict(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                                const atx_fingerprint *fingerprint, const atx_trial_row *row, at_error *err)
{
    if (row->outcome == ATX_TIMED)
        return atx_bug(err, "%s: a timed trial of %s {%s} is no failure", store->path, row->template_name,
                       row->config);
    at_status status = atx_store_check_place(store, err);
    ATX_THEN(status, atx_store_begin(store, err));
    if (status != AT_OK)
        return status;
    status = put_all(store, run_id, problem, fingerprint, row, 1, err);
    if (status == AT_OK && is_of_the_kernel(row->outcome))
        status = put_elsewhere(store, run_id, problem, fingerprint, row, err);
    return atx_store_end(store, status, err);
}

/* A row of ATX_SQL_READ_TRIAL; texts are borrowed until the next step. */
static void read_trial(atx_trial_row *row, atx_fingerprint *fingerprint, sqlite3_stmt *s)
{
    *row = (atx_trial_row){ .id = sqlite3_column_int64(s, 0) };
    *fingerprint = (atx_fingerprint){ 0 };
    int next = atx_columns_read(row, &atx_trial_columns, s, 1);
    atx_columns_read(fingerprint, &atx_fingerprint_columns, s, next);
}

static at_status begin_trials(atx_query *q, atx_store *store, const atx_problem_key *problem,
                              const atx_fingerprint *f, at_error *err)
{
    static const char doing[] = "read trials";
    if (f)
        return atx_query_begin(q, store, ATX_SQL_EACH_TRIAL_OF, doing, err, "sssc", problem->op,
                               problem->shape, problem->type_key, &atx_fingerprint_columns, f);
    return atx_query_begin(q, store, ATX_SQL_EACH_TRIAL, doing, err, "sss", problem->op, problem->shape,
                           problem->type_key);
}

at_status atx_store_each_trial(atx_store *store, const atx_problem_key *problem, const atx_fingerprint *f,
                               atx_trial_visit *visit, void *context, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = begin_trials(&q, store, problem, f, err);
    while (atx_query_next(&q, &status, err)) {
        atx_trial_row row;
        atx_fingerprint fingerprint;
        read_trial(&row, &fingerprint, q.statement);
        if (!visit(context, &row, &fingerprint))
            break;
    }
    return status;
}

at_status atx_store_newest_trial(int64_t *out, atx_store *store, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    *out = 0;
    at_status status = atx_query_begin(&q, store, ATX_SQL_NEWEST_TRIAL, "look for trials", err, "");
    while (atx_query_next(&q, &status, err))
        *out = sqlite3_column_int64(q.statement, 0); /* NULL reads as 0 */
    return status;
}

at_status atx_store_each_problem(atx_store *store, atx_problem_visit *visit, void *context, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, ATX_SQL_EACH_PROBLEM, "read problems", err, "");
    while (atx_query_next(&q, &status, err)) {
        atx_problem_key key;
        atx_columns_read(&key, &atx_problem_columns, q.statement, 1);
        if (!visit(context, &key))
            break;
    }
    return status;
}
