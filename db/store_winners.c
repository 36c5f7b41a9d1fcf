/*
 * store_winners.c - the results of tuning: stored, found again, handed out.
 */
#include "db/store_internal.h"
#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static at_status insert_winner(at__store *store, const int64_t ids[3], int64_t run_id, const at__winner *w,
                               at_error *err)
{
    const at__conditions *c = &w->conditions;
    char now[21];
    at__utc_text(now);
    return at__store_exec(
        store, AT__SQL_PUT_WINNER, "store a winner", err, "iiisissdddidssiiiiiiiiindnnnnns", ids[0], ids[1],
        ids[2], w->config, run_id, or_empty(w->source_hash), or_empty(w->op_hash), w->timing.median_s,
        w->timing.min_s, w->timing.spread, w->timing.samples, w->ceiling_s, or_empty(w->ceiling_name),
        or_empty(w->ties), w->trials, w->space_count, w->grid[0], w->grid[1], w->grid[2], w->block[0],
        w->block[1], w->block[2], w->shared_bytes, w->registers, w->elapsed_s, c->sm_clock_mhz,
        c->memory_clock_mhz, c->temperature_c, c->power_w, c->throttle_reasons, now);
}

static at_status put_winner(at__store *store, int64_t run_id, const at__problem_key *problem,
                            const at__fingerprint *fingerprint, const at__winner *w, at_error *err)
{
    at_status status;
    int64_t ids[3]; /* problem, fingerprint, template */
    if ((status = at__store_problem_id(&ids[0], store, problem, err)) != AT_OK)
        return status;
    if ((status = at__store_fingerprint_id(&ids[1], store, fingerprint, err)) != AT_OK)
        return status;
    if ((status = at__store_template_id(&ids[2], store, w->template_name, w->template_hash, err)) != AT_OK)
        return status;
    return insert_winner(store, ids, run_id, w, err);
}

at_status at__store_put_winner(at__store *store, int64_t run_id, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, const at__winner *winner, at_error *err)
{
    if (!(isfinite(winner->timing.median_s) && winner->timing.median_s > 0))
        return at__bug(err, "%s: a winner needs a positive time, not %g", store->path,
                       winner->timing.median_s);
    at_status status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    return at__store_end(store, put_winner(store, run_id, problem, fingerprint, winner, err), err);
}

/* An owned copy of a text column. One that cannot be had sets *failed. */
static char *owned(sqlite3_stmt *s, int column, bool *failed)
{
    const char *text = at__store_text(s, column);
    char *copy = at__text_copy(text, strlen(text));
    *failed = *failed || !copy;
    return copy;
}

static void read_figures(at__winner *w, sqlite3_stmt *s)
{
    w->timing.median_s = sqlite3_column_double(s, 5);
    w->timing.min_s = sqlite3_column_double(s, 6);
    w->timing.spread = sqlite3_column_double(s, 7);
    w->timing.samples = sqlite3_column_int64(s, 8);
    w->ceiling_s = sqlite3_column_double(s, 9);
    w->trials = sqlite3_column_int64(s, 12);
    w->space_count = sqlite3_column_int64(s, 13);
    for (int axis = 0; axis < 3; axis++) {
        w->grid[axis] = sqlite3_column_int64(s, 14 + axis);
        w->block[axis] = sqlite3_column_int64(s, 17 + axis);
    }
    w->shared_bytes = sqlite3_column_int64(s, 20);
    w->registers = at__store_known(s, 21);
    w->elapsed_s = sqlite3_column_double(s, 22);
    w->conditions = (at__conditions){
        .sm_clock_mhz = at__store_known(s, 23),
        .memory_clock_mhz = at__store_known(s, 24),
        .temperature_c = at__store_known(s, 25),
        .power_w = at__store_known(s, 26),
        .throttle_reasons = at__store_known(s, 27),
    };
}

/* Columns as in AT__SQL_WINNER_COLUMNS. false: out of memory. */
static bool read_answer(at__answer *out, sqlite3_stmt *s)
{
    bool failed = false;
    at__answer a = { 0 };
    a.winner.template_name = owned(s, 0, &failed);
    a.winner.template_hash = owned(s, 1, &failed);
    a.winner.config = owned(s, 2, &failed);
    a.winner.source_hash = owned(s, 3, &failed);
    a.winner.op_hash = owned(s, 4, &failed);
    a.winner.ceiling_name = owned(s, 10, &failed);
    a.winner.ties = owned(s, 11, &failed);
    read_figures(&a.winner, s);
    a.op = owned(s, 28, &failed);
    a.shape = owned(s, 29, &failed);
    a.type_key = owned(s, 30, &failed);
    a.measured_at = owned(s, 31, &failed);
    a.traffic_bytes = sqlite3_column_int64(s, 32);
    at__store_read_fingerprint(&a.fingerprint, s, 33);
    if (failed)
        at__answer_clear(&a);
    else
        *out = a;
    return !failed;
}

/* All texts that an answer owns: only callers see those of the winner as const. */
#define TEXTS 11
static void list_texts(char **texts[TEXTS], at__answer *a)
{
    at__winner *w = &a->winner;
    const char **const of_winner[] = { &w->template_name, &w->template_hash, &w->config, &w->source_hash,
                                       &w->op_hash,       &w->ceiling_name,  &w->ties };
    char **const others[] = { &a->op, &a->shape, &a->type_key, &a->measured_at };
    for (int i = 0; i < 7; i++)
        texts[i] = (char **)(uintptr_t)of_winner[i];
    for (int i = 0; i < 4; i++)
        texts[7 + i] = others[i];
}

bool at__answer_copy(at__answer *out, const at__answer *from)
{
    at__answer copy = *from;
    char **texts[TEXTS];
    bool whole = true;
    list_texts(texts, &copy);
    for (int i = 0; i < TEXTS; i++) {
        *texts[i] = strdup(*texts[i]);
        whole = whole && *texts[i];
    }
    if (whole)
        *out = copy;
    else
        at__answer_clear(&copy);
    return whole;
}

void at__answer_clear(at__answer *answer)
{
    char **texts[TEXTS];
    list_texts(texts, answer);
    for (int i = 0; i < TEXTS; i++)
        free(*texts[i]);
    *answer = (at__answer){ 0 };
}

at_status at__store_find_winner(at__answer *out, at__store *store, const at__problem_key *problem,
                                const at__fingerprint *f, const char *device, at_error *err)
{
    static const char doing[] = "look a winner up";
    at_status status = AT_OK;
    sqlite3_stmt *s;

    if (f)
        s = at__store_bind(store, AT__SQL_FIND_WINNER_OF, doing, err, "ssssiiisssi", problem->op,
                           problem->shape, problem->type_key, f->device, f->cc, f->sms, f->memory_mib,
                           f->driver, f->nvrtc, f->tool, (int64_t)f->cold);
    else
        s = at__store_bind(store, AT__SQL_FIND_WINNER, doing, err, "ssss", problem->op, problem->shape,
                           problem->type_key, or_empty(device));
    if (!s)
        return AT_ERR_STORE;
    int code = sqlite3_step(s);
    if (code == SQLITE_DONE)
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s: no winner of %s %s %s", store->path, problem->op,
                         problem->shape, problem->type_key);
    else if (code != SQLITE_ROW)
        status = at__store_fail(store, doing, err);
    else if (!read_answer(out, s))
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

at_status at__store_each_best(at__store *store, at__answer_visit *visit, void *context, at_error *err)
{
    static const char doing[] = "read the winners";
    at_status status = AT_OK;
    int code = SQLITE_DONE;
    bool more = true;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_EACH_BEST, doing, err, "");
    if (!s)
        return AT_ERR_STORE;
    while (more && status == AT_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        at__answer answer = { 0 };
        if (read_answer(&answer, s))
            more = visit(context, &answer);
        else
            status = at_fail(err, AT_ERR_MEMORY, "out of memory");
        at__answer_clear(&answer);
    }
    if (status == AT_OK && more && code != SQLITE_DONE)
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    return status;
}

at_status at__store_data_version(int64_t *out, at__store *store, at_error *err)
{
    static const char doing[] = "see whether the file has changed";
    at_status status = AT_OK;
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_DATA_VERSION, doing, err, "");
    if (!s)
        return AT_ERR_STORE;
    if (sqlite3_step(s) == SQLITE_ROW)
        *out = sqlite3_column_int64(s, 0);
    else
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    return status;
}

at_status at__store_winner_strategy(at__str *out, at__store *store, const at__problem_key *problem,
                                    const at__fingerprint *f, at_error *err)
{
    static const char doing[] = "read a winner's run";
    sqlite3_stmt *s = at__store_bind(store, AT__SQL_WINNER_STRATEGY, doing, err, "ssssiiisssi", problem->op,
                                     problem->shape, problem->type_key, f->device, f->cc, f->sms,
                                     f->memory_mib, f->driver, f->nvrtc, f->tool, (int64_t)f->cold);
    if (!s)
        return AT_ERR_STORE;
    at_status status = AT_OK;
    int code = sqlite3_step(s);
    at__str_reset(out);
    if (code == SQLITE_ROW)
        at__str_add(out, at__store_text(s, 0));
    else if (code == SQLITE_DONE)
        status = at_fail(err, AT_ERR_NOT_FOUND, "no run is known of this winner");
    else
        status = at__store_fail(store, doing, err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status == AT_OK ? at__str_status(out, err) : status;
}
