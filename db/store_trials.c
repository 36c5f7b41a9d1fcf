/*
 * store_trials.c - runs, trials, and the rows that they refer to.
 */
#include "db/store_internal.h"
#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first column of the only row of a bound statement. */
static at_status fetch_id(int64_t *id, at__store *store, sqlite3_stmt *s, const char *doing, at_error *err)
{
    at_status status = AT_OK;
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        *id = sqlite3_column_int64(s, 0);
    else if (code == SQLITE_DONE)
        status = at_fail(err, AT_ERR_STORE, "%s: cannot %s: the row just written is not there", store->path,
                         doing);
    else
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

at_status at__store_problem_id(int64_t *id, at__store *store, const at__problem_key *key, at_error *err)
{
    static const char doing[] = "store a problem";
    at_status status = at__store_exec(store, AT__SQL_ADD_PROBLEM, doing, err, "sssii", key->op, key->shape,
                                      key->type_key, key->elements, key->traffic_bytes);
    if (status != AT_OK)
        return status;
    sqlite3_stmt *s =
        at__store_bind(store, AT__SQL_PROBLEM_ID, doing, err, "sss", key->op, key->shape, key->type_key);
    return s ? fetch_id(id, store, s, doing, err) : AT_ERR_STORE;
}

at_status at__store_fingerprint_id(int64_t *id, at__store *store, const at__fingerprint *f, at_error *err)
{
    static const char doing[] = "store a fingerprint";
    at_status status = at__store_exec(store, AT__SQL_ADD_DEVICE, doing, err, "siii", f->device, f->cc, f->sms,
                                      f->memory_mib);
    if (status == AT_OK)
        status = at__store_exec(store, AT__SQL_ADD_FINGERPRINT, doing, err, "siiisssi", f->device, f->cc,
                                f->sms, f->memory_mib, f->driver, f->nvrtc, f->tool, (int64_t)f->cold);
    if (status != AT_OK)
        return status;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_FINGERPRINT_ID, doing, err, "siiisssi", f->device, f->cc,
                                     f->sms, f->memory_mib, f->driver, f->nvrtc, f->tool, (int64_t)f->cold);
    return s ? fetch_id(id, store, s, doing, err) : AT_ERR_STORE;
}

at_status at__store_template_id(int64_t *id, at__store *store, const char *name, const char *hash,
                                at_error *err)
{
    static const char doing[] = "store a template";
    at_status status = at__store_exec(store, AT__SQL_ADD_TEMPLATE, doing, err, "ss", name, hash);
    if (status != AT_OK)
        return status;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_TEMPLATE_ID, doing, err, "ss", name, hash);
    return s ? fetch_id(id, store, s, doing, err) : AT_ERR_STORE;
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

/* NULL for everything that a failed trial has not. */
static void forget_times(sqlite3_stmt *s)
{
    for (int column = 7; column <= 9; column++)
        sqlite3_bind_null(s, column);
}

static at_status put_trial(at__store *store, const int64_t ids[3], int64_t run_id, const char *when,
                           const at__trial_row *row, at_error *err)
{
    static const char doing[] = "store a trial";
    at_status status = AT_OK;
    sqlite3_stmt *s =
        at__store_bind(store, AT__SQL_PUT_TRIAL, doing, err, "iiisisdddinnndsss", ids[0], ids[1], ids[2],
                       row->config, run_id, at__outcome_name(row->outcome), row->timing.median_s,
                       row->timing.min_s, row->timing.spread, row->timing.samples, row->resources.registers,
                       row->resources.shared_bytes, row->resources.local_bytes, row->compile_s,
                       row->log ? row->log : "", row->source_hash ? row->source_hash : "", when);
    if (!s)
        return AT_ERR_STORE;
    if (row->outcome != AT__TIMED)
        forget_times(s);
    if (sqlite3_step(s) != SQLITE_DONE)
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

/* A time that is none would break the table's rules, and with it the whole batch. */
static at_status check_row(at__store *store, const at__trial_row *row, at_error *err)
{
    if (row->outcome == AT__TIMED && !(isfinite(row->timing.median_s) && row->timing.median_s > 0))
        return at__bug(err, "%s: a timed trial of %s {%s} needs a positive time, not %g", store->path,
                       row->template_name, row->config, row->timing.median_s);
    return AT_OK;
}

static at_status put_all(at__store *store, int64_t run_id, const at__problem_key *problem,
                         const at__fingerprint *fingerprint, const at__trial_row *rows, size_t count,
                         at_error *err)
{
    at_status status;
    int64_t ids[3]; /* problem, fingerprint, template */
    char now[21];

    at__utc_text(now);
    if ((status = at__store_problem_id(&ids[0], store, problem, err)) != AT_OK)
        return status;
    if ((status = at__store_fingerprint_id(&ids[1], store, fingerprint, err)) != AT_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if ((status = check_row(store, &rows[i], err)) != AT_OK)
            return status;
        status = at__store_template_id(&ids[2], store, rows[i].template_name, rows[i].template_hash, err);
        if (status != AT_OK)
            return status;
        const char *when = rows[i].measured_at && *rows[i].measured_at ? rows[i].measured_at : now;
        if ((status = put_trial(store, ids, run_id, when, &rows[i], err)) != AT_OK)
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
    at_status status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    return at__store_end(store, put_all(store, run_id, problem, fingerprint, rows, count, err), err);
}

void at__store_read_fingerprint(at__fingerprint *out, sqlite3_stmt *s, int first)
{
    *out = (at__fingerprint){
        .cc = sqlite3_column_int64(s, first + 1),
        .sms = sqlite3_column_int64(s, first + 2),
        .memory_mib = sqlite3_column_int64(s, first + 3),
        .cold = sqlite3_column_int(s, first + 7) != 0,
    };
    snprintf(out->device, sizeof out->device, "%s", at__store_text(s, first));
    snprintf(out->driver, sizeof out->driver, "%s", at__store_text(s, first + 4));
    snprintf(out->nvrtc, sizeof out->nvrtc, "%s", at__store_text(s, first + 5));
    snprintf(out->tool, sizeof out->tool, "%s", at__store_text(s, first + 6));
}

/* Columns as in AT__SQL_TRIAL_COLUMNS; texts are borrowed until the next step. */
static void read_trial(at__trial_row *row, at__fingerprint *fingerprint, sqlite3_stmt *s)
{
    *row = (at__trial_row){
        .template_name = at__store_text(s, 0),
        .template_hash = at__store_text(s, 1),
        .config = at__store_text(s, 2),
        .outcome = at__outcome_of(at__store_text(s, 3)),
        .timing.median_s = sqlite3_column_double(s, 4),
        .timing.min_s = sqlite3_column_double(s, 5),
        .timing.spread = sqlite3_column_double(s, 6),
        .timing.samples = sqlite3_column_int64(s, 7),
        .resources.registers = at__store_known(s, 8),
        .resources.shared_bytes = at__store_known(s, 9),
        .resources.local_bytes = at__store_known(s, 10),
        .compile_s = sqlite3_column_double(s, 11),
        .log = at__store_text(s, 12),
        .source_hash = at__store_text(s, 13),
        .measured_at = at__store_text(s, 14),
    };
    at__store_read_fingerprint(fingerprint, s, 15);
}

at_status at__store_each_trial(at__store *store, const at__problem_key *problem, const at__fingerprint *f,
                               at__trial_visit *visit, void *context, at_error *err)
{
    static const char doing[] = "read trials";
    at_status status = AT_OK;
    sqlite3_stmt *s;
    int code;

    if (f)
        s = at__store_bind(store, AT__SQL_EACH_TRIAL_OF, doing, err, "ssssiiisssi", problem->op,
                           problem->shape, problem->type_key, f->device, f->cc, f->sms, f->memory_mib,
                           f->driver, f->nvrtc, f->tool, (int64_t)f->cold);
    else
        s = at__store_bind(store, AT__SQL_EACH_TRIAL, doing, err, "sss", problem->op, problem->shape,
                           problem->type_key);
    if (!s)
        return AT_ERR_STORE;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        at__trial_row row;
        at__fingerprint fingerprint;
        read_trial(&row, &fingerprint, s);
        if (!visit(context, &row, &fingerprint))
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

at_status at__store_each_problem(at__store *store, at__problem_visit *visit, void *context, at_error *err)
{
    static const char doing[] = "read problems";
    at_status status = AT_OK;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_EACH_PROBLEM, doing, err, "");
    int code;

    if (!s)
        return AT_ERR_STORE;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        at__problem_key key = { .op = at__store_text(s, 0),
                                .shape = at__store_text(s, 1),
                                .type_key = at__store_text(s, 2),
                                .elements = sqlite3_column_int64(s, 3),
                                .traffic_bytes = sqlite3_column_int64(s, 4) };
        if (!visit(context, &key))
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    return status;
}
