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

at_status at__store_check(at__store *store, const char *doing, const at__columns *columns, const void *record,
                          at_error *err)
{
    at_error cause = { 0 };
    if (at__columns_check(columns, record, &cause) == AT_OK)
        return AT_OK;
    return at_fail(err, AT_ERR_INPUT, "%s: cannot %s: %s", store->path, doing, cause.text);
}

/* The first column of the only row. */
static at_status take_id(int64_t *id, at__query *q, at_status status, at_error *err)
{
    if (at__query_next(q, &status, err))
        *id = sqlite3_column_int64(q->statement, 0);
    else if (status == AT_OK)
        status = at_fail(err, AT_ERR_STORE, "%s: cannot %s: the row just written is not there",
                         q->store->path, q->doing);
    at__query_end(q);
    return status;
}

at_status at__store_problem_id(int64_t *id, at__store *store, const at__problem_key *key, at_error *err)
{
    static const char doing[] = "store a problem";
    at__query q;
    at_status status = at__store_check(store, doing, &at__problem_columns, key, err);
    if (status == AT_OK)
        status = at__store_exec(store, AT__SQL_ADD_PROBLEM, doing, err, "c", &at__problem_columns, key);
    if (status != AT_OK)
        return status;
    status =
        at__query_begin(&q, store, AT__SQL_PROBLEM_ID, doing, err, "sss", key->op, key->shape, key->type_key);
    return take_id(id, &q, status, err);
}

at_status at__store_fingerprint_id(int64_t *id, at__store *store, const at__fingerprint *f, at_error *err)
{
    static const char doing[] = "store a fingerprint";
    at__query q;
    at_status status = at__store_check(store, doing, &at__fingerprint_columns, f, err);
    if (status == AT_OK)
        status = at__store_exec(store, AT__SQL_ADD_DEVICE, doing, err, "c", &at__device_columns, f);
    if (status == AT_OK)
        status = at__store_exec(store, AT__SQL_ADD_FINGERPRINT, doing, err, "cc", &at__version_columns, f,
                                &at__device_columns, f);
    if (status != AT_OK)
        return status;
    status = at__query_begin(&q, store, AT__SQL_FINGERPRINT_ID, doing, err, "c", &at__fingerprint_columns, f);
    return take_id(id, &q, status, err);
}

at_status at__store_template_id(int64_t *id, at__store *store, const char *name, const char *hash,
                                at_error *err)
{
    static const char doing[] = "store a template";
    at__query q;
    at_status status = at__store_exec(store, AT__SQL_ADD_TEMPLATE, doing, err, "ss", name, hash);
    if (status != AT_OK)
        return status;
    status = at__query_begin(&q, store, AT__SQL_TEMPLATE_ID, doing, err, "ss", name, hash);
    return take_id(id, &q, status, err);
}

at_status at__store_begin_run(int64_t *run_id, at__store *store, const at__run_info *info, at_error *err)
{
    static const char doing[] = "store a run";
    char now[21];
    int64_t seed, id = 0;

    at__utc_text(now);
    memcpy(&seed, &info->seed, sizeof seed); /* the same 64 bits: SQLite has signed numbers only */
    at_status status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    status =
        at__store_exec(store, AT__SQL_ADD_RUN, doing, err, "sssissnn", now, info->command, info->strategy,
                       seed, info->device_uuid, info->host, info->other_processes, info->ecc_errors);
    id = sqlite3_last_insert_rowid(store->db);
    status = at__store_end(store, status, err);
    if (status == AT_OK)
        *run_id = id;
    return status;
}

/* NaN is stored as NULL. */
static const at__timing NOT_TIMED = { .median_s = NAN, .min_s = NAN, .spread = NAN, .joules = NAN };

/* Times that a failed trial cannot have are left out. */
static at__trial_row stored_row(const at__trial_row *row)
{
    at__trial_row stored = *row;
    if (row->outcome != AT__TIMED) {
        stored.timing = NOT_TIMED;
        stored.timing.samples = row->timing.samples;
    }
    if (!(stored.timing.joules > 0))
        stored.timing.joules = NAN;
    return stored;
}

at_status at__trial_check(const at__trial_row *row, at_error *err)
{
    const at__trial_row stored = stored_row(row);
    return at__columns_check(&at__trial_figures, &stored, err);
}

static at_status put_trial(at__store *store, const int64_t ids[3], int64_t run_id, const char *now,
                           const at__trial_row *row, at_error *err)
{
    static const char doing[] = "store a trial";
    const at__trial_row stored = stored_row(row);
    const char *when = row->measured_at && *row->measured_at ? row->measured_at : now;
    at_status status = at__store_check(store, doing, &at__trial_figures, &stored, err);
    return status == AT_OK ? at__store_exec(store, AT__SQL_PUT_TRIAL, doing, err, "iiisisc", ids[0], ids[1],
                                            ids[2], row->config, run_id, when, &at__trial_figures, &stored)
                           : status;
}

/* A time that is none would break the table's rules, and with it the whole batch. */
static at_status check_row(at__store *store, const at__trial_row *row, at_error *err)
{
    if (row->outcome == AT__TIMED && !(isfinite(row->timing.median_s) && row->timing.median_s > 0))
        return at__bug(err, "%s: a timed trial of %s {%s} needs a positive time, not %g", store->path,
                       row->template_name, row->config, row->timing.median_s);
    return AT_OK;
}

static bool same_template(const at__trial_row *a, const at__trial_row *b)
{
    return strcmp(a->template_name, b->template_name) == 0 && strcmp(a->template_hash, b->template_hash) == 0;
}

static at_status put_all(at__store *store, int64_t run_id, const at__problem_key *problem,
                         const at__fingerprint *fingerprint, const at__trial_row *rows, size_t count,
                         at_error *err)
{
    int64_t ids[3] = { 0 }; /* problem, fingerprint, template */
    char now[21];

    at__utc_text(now);
    at_status status = at__store_problem_id(&ids[0], store, problem, err);
    if (status == AT_OK)
        status = at__store_fingerprint_id(&ids[1], store, fingerprint, err);
    if (status != AT_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        status = check_row(store, &rows[i], err);
        if (status == AT_OK && !(i && same_template(&rows[i], &rows[i - 1])))
            status = at__store_template_id(&ids[2], store, rows[i].template_name, rows[i].template_hash, err);
        if (status == AT_OK)
            status = put_trial(store, ids, run_id, now, &rows[i], err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

at_status at__store_put_trials(at__store *store, int64_t run_id, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, const at__trial_row *rows, size_t count,
                               at_error *err)
{
    if (count == 0)
        return AT_OK;
    at_status status = at__store_check_place(store, err);
    if (status == AT_OK)
        status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    return at__store_end(store, put_all(store, run_id, problem, fingerprint, rows, count, err), err);
}

/* Is it what the kernel does that is wrong, whatever compiled or loaded it? */
static bool is_of_the_kernel(at__outcome outcome)
{
    return outcome == AT__WRONG_RESULT || outcome == AT__CRASHED || outcome == AT__TIMED_OUT;
}

/* Under all other conditions, once it is stored under these. */
static at_status put_elsewhere(at__store *store, int64_t run_id, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, const at__trial_row *row, at_error *err)
{
    const at__trial_row stored = stored_row(row);
    int64_t ids[3] = { 0 };
    char now[21];
    at__utc_text(now);
    at_status status = at__store_problem_id(&ids[0], store, problem, err);
    if (status == AT_OK)
        status = at__store_fingerprint_id(&ids[1], store, fingerprint, err);
    if (status == AT_OK)
        status = at__store_template_id(&ids[2], store, row->template_name, row->template_hash, err);
    return status == AT_OK
               ? at__store_exec(store, AT__SQL_PUT_VERDICT_ELSEWHERE, "store a trial", err, "iiisisc", ids[0],
                                ids[1], ids[2], row->config, run_id, now, &at__trial_figures, &stored)
               : status;
}

at_status at__store_put_verdict(at__store *store, int64_t run_id, const at__problem_key *problem,
                                const at__fingerprint *fingerprint, const at__trial_row *row, at_error *err)
{
    if (row->outcome == AT__TIMED)
        return at__bug(err, "%s: a timed trial of %s {%s} is no failure", store->path, row->template_name,
                       row->config);
    at_status status = at__store_check_place(store, err);
    if (status == AT_OK)
        status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    status = put_all(store, run_id, problem, fingerprint, row, 1, err);
    if (status == AT_OK && is_of_the_kernel(row->outcome))
        status = put_elsewhere(store, run_id, problem, fingerprint, row, err);
    return at__store_end(store, status, err);
}

/* A row of AT__SQL_READ_TRIAL; texts are borrowed until the next step. */
static void read_trial(at__trial_row *row, at__fingerprint *fingerprint, sqlite3_stmt *s)
{
    *row = (at__trial_row){ .id = sqlite3_column_int64(s, 0) };
    *fingerprint = (at__fingerprint){ 0 };
    int next = at__columns_read(row, &at__trial_columns, s, 1);
    at__columns_read(fingerprint, &at__fingerprint_columns, s, next);
}

static at_status begin_trials(at__query *q, at__store *store, const at__problem_key *problem,
                              const at__fingerprint *f, at_error *err)
{
    static const char doing[] = "read trials";
    if (f)
        return at__query_begin(q, store, AT__SQL_EACH_TRIAL_OF, doing, err, "sssc", problem->op,
                               problem->shape, problem->type_key, &at__fingerprint_columns, f);
    return at__query_begin(q, store, AT__SQL_EACH_TRIAL, doing, err, "sss", problem->op, problem->shape,
                           problem->type_key);
}

at_status at__store_each_trial(at__store *store, const at__problem_key *problem, const at__fingerprint *f,
                               at__trial_visit *visit, void *context, at_error *err)
{
    at__query q;
    at_status status = begin_trials(&q, store, problem, f, err);
    while (at__query_next(&q, &status, err)) {
        at__trial_row row;
        at__fingerprint fingerprint;
        read_trial(&row, &fingerprint, q.statement);
        if (!visit(context, &row, &fingerprint))
            break;
    }
    at__query_end(&q);
    return status;
}

at_status at__store_newest_trial(int64_t *out, at__store *store, at_error *err)
{
    at__query q;
    *out = 0;
    at_status status = at__query_begin(&q, store, AT__SQL_NEWEST_TRIAL, "look for trials", err, "");
    while (at__query_next(&q, &status, err))
        *out = sqlite3_column_int64(q.statement, 0); /* NULL reads as 0 */
    at__query_end(&q);
    return status;
}

at_status at__store_each_problem(at__store *store, at__problem_visit *visit, void *context, at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_EACH_PROBLEM, "read problems", err, "");
    while (at__query_next(&q, &status, err)) {
        at__problem_key key;
        at__columns_read(&key, &at__problem_columns, q.statement, 1);
        if (!visit(context, &key))
            break;
    }
    at__query_end(&q);
    return status;
}

at_status at__store_each_run(at__store *store, int64_t after, at__run_visit *visit, void *context,
                             at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_EACH_RUN, "read runs", err, "i", after);
    while (at__query_next(&q, &status, err))
        visit(context, sqlite3_column_int64(q.statement, 0), at__store_text(q.statement, 1),
              at__store_text(q.statement, 2));
    at__query_end(&q);
    return status;
}
