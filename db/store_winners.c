/*
 * store_winners.c - the results of tuning: stored, found again, handed out.
 *
 * Every result stays; which of them counts is the order of a statement or of the view best. An answer is read
 * with borrowed texts and copied whole, so that one place knows how to own one.
 *
 * The newest is first, by rank_at: the date, unless a clock was wrong. What is measured now is newer than
 * what is there, so a row of that problem and device with a later date loses its rank; so does one that a
 * merge finds to lie in the future, or brings from there. The order of arrival decides between those.
 */
#include "db/store_internal.h"
#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

static at_status put_winner(at__store *store, int64_t run_id, const at__problem_key *problem,
                            const at__fingerprint *fingerprint, const at__winner *w, at_error *err)
{
    static const char doing[] = "store a winner";
    int64_t ids[3] = { 0 }; /* problem, fingerprint, template */
    at__winner stored = *w;
    char now[21];

    at__utc_text(now);
    if (w->ceiling_s == 0)
        stored.ceiling_s = NAN; /* is stored as NULL */
    if (!(w->timing.joules > 0))
        stored.timing.joules = NAN;
    at_status status = at__store_check(store, doing, &at__winner_figures, &stored, err);
    if (status == AT_OK)
        status = at__store_problem_id(&ids[0], store, problem, err);
    if (status == AT_OK)
        status = at__store_fingerprint_id(&ids[1], store, fingerprint, err);
    if (status == AT_OK)
        status = at__store_template_id(&ids[2], store, w->template_name, w->template_hash, err);
    if (status == AT_OK)
        status = at__store_exec(store, AT__SQL_DOUBT_WINNERS, doing, err, "iis", ids[0], ids[1], now);
    if (status == AT_OK)
        status = at__store_exec(store, AT__SQL_PUT_WINNER, doing, err, "iiisisc", ids[0], ids[1], ids[2],
                                w->config, run_id, now, &at__winner_figures, &stored);
    return status;
}

at_status at__store_put_winner(at__store *store, int64_t run_id, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, const at__winner *winner, at_error *err)
{
    if (!(isfinite(winner->timing.median_s) && winner->timing.median_s > 0))
        return at__bug(err, "%s: a winner needs a positive time, not %g", store->path,
                       winner->timing.median_s);
    at_status status = at__store_check_place(store, err);
    if (status == AT_OK)
        status = at__store_begin(store, err);
    if (status != AT_OK)
        return status;
    return at__store_end(store, put_winner(store, run_id, problem, fingerprint, winner, err), err);
}

at_status at__winner_check(const at__winner *winner, at_error *err)
{
    return at__columns_check(&at__winner_figures, winner, err);
}

double at__answer_gb_per_s(const at__answer *a)
{
    const double seconds = a->winner.timing.median_s;
    return seconds > 0 ? 1e-9 * (double)a->traffic_bytes / seconds : 0;
}

double at__answer_share(const at__answer *a)
{
    const double seconds = a->winner.timing.median_s;
    return a->winner.ceiling_s > 0 && seconds > 0 ? a->winner.ceiling_s / seconds : 0;
}

bool at__answer_copy(at__answer *out, const at__answer *from)
{
    at__answer copy = *from;
    bool whole = at__columns_own(&copy.winner, &at__winner_columns);
    whole = at__columns_own(&copy, &at__answer_columns) && whole; /* both, so that all can be freed */
    if (whole)
        *out = copy;
    else
        at__answer_clear(&copy);
    return whole;
}

void at__answer_clear(at__answer *answer)
{
    at__columns_free(&answer->winner, &at__winner_columns);
    at__columns_free(answer, &at__answer_columns);
    *answer = (at__answer){ 0 };
}

/* A row of AT__SQL_READ_WINNER. */
static at_status read_answer(at__answer *out, sqlite3_stmt *s, at_error *err)
{
    at__answer a = { 0 };
    int next = at__columns_read(&a.winner, &at__winner_columns, s, 1);
    next = at__columns_read(&a.fingerprint, &at__fingerprint_columns, s, next);
    next = at__columns_read(&a, &at__answer_columns, s, next);
    a.invalid = sqlite3_column_int(s, next) != 0;
    a.id = sqlite3_column_int64(s, 0);
    return at__answer_copy(out, &a) ? AT_OK : at_fail(err, AT_ERR_MEMORY, "out of memory");
}

/* A statement whose parameters are a problem and a fingerprint. */
static at_status begin_of(at__query *q, at__store *store, at__sql sql, const char *doing,
                          const at__problem_key *problem, const at__fingerprint *f, at_error *err)
{
    return at__query_begin(q, store, sql, doing, err, "sssc", problem->op, problem->shape, problem->type_key,
                           &at__fingerprint_columns, f);
}

at_status at__store_find_winner(at__answer *out, at__store *store, const at__problem_key *problem,
                                const at__fingerprint *f, const char *device, at_error *err)
{
    static const char doing[] = "look a winner up";
    at__query q;
    at_status status = f ? begin_of(&q, store, AT__SQL_FIND_WINNER_OF, doing, problem, f, err)
                         : at__query_begin(&q, store, AT__SQL_FIND_WINNER, doing, err, "ssss", problem->op,
                                           problem->shape, problem->type_key, device ? device : "");
    if (at__query_next(&q, &status, err))
        status = read_answer(out, q.statement, err);
    else if (status == AT_OK)
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s: no winner of %s %s %s", store->path, problem->op,
                         problem->shape, problem->type_key);
    at__query_end(&q);
    return status;
}

at_status at__store_find_failure(at__str *why, at__store *store, const at__answer *a, bool anywhere,
                                 at_error *err)
{
    static const char doing[] = "look for later failures of a winner";
    const at__winner *w = &a->winner;
    at__query q;
    at_status status =
        anywhere ? at__query_begin(&q, store, AT__SQL_FIND_FAILURE_ANYWHERE, doing, err, "ssssssss", a->op,
                                   a->shape, a->type_key, w->template_name, w->template_hash, w->config,
                                   a->rank_at, a->fingerprint.device)
                 : at__query_begin(&q, store, AT__SQL_FIND_FAILURE, doing, err, "sssssssc", a->op, a->shape,
                                   a->type_key, w->template_name, w->template_hash, w->config, a->rank_at,
                                   &at__fingerprint_columns, &a->fingerprint);
    bool found = at__query_next(&q, &status, err);
    if (found) {
        const char *log = at__store_text(q.statement, 1);
        at__str_addf(why, "it was found %s on %.10s%s%.*s", at__store_text(q.statement, 0),
                     at__store_text(q.statement, 2), *log ? ": " : "", (int)strcspn(log, "\n"), log);
    }
    at__query_end(&q);
    if (status == AT_OK && found)
        status = at__str_status(why, err);
    return status == AT_OK && !found ? AT_ERR_NOT_FOUND : status;
}

static const char READING[] = "read the winners";

/* The rows of a statement that has begun, which this ends. */
static at_status visit_answers(at__query *q, at_status status, at__answer_visit *visit, void *context,
                               at_error *err)
{
    bool more = true;
    while (more && at__query_next(q, &status, err)) {
        at__answer answer = { 0 };
        status = read_answer(&answer, q->statement, err);
        more = status == AT_OK && visit(context, &answer);
        at__answer_clear(&answer);
    }
    at__query_end(q);
    return status;
}

at_status at__store_each_best(at__store *store, at__answer_visit *visit, void *context, at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_EACH_BEST, READING, err, "");
    return visit_answers(&q, status, visit, context, err);
}

at_status at__store_each_newest_of(at__store *store, const char *op, const char *type_key,
                                   at__answer_visit *visit, void *context, at_error *err)
{
    at__query q;
    at_status status = op ? at__query_begin(&q, store, AT__SQL_NEWEST_OF, READING, err, "ss", op, type_key)
                          : at__query_begin(&q, store, AT__SQL_EACH_NEWEST, READING, err, "");
    return visit_answers(&q, status, visit, context, err);
}

at_status at__store_each_newest_for(at__store *store, const at__problem_key *p, at__answer_visit *visit,
                                    void *context, at_error *err)
{
    at__query q;
    at_status status =
        at__query_begin(&q, store, AT__SQL_NEWEST_FOR, READING, err, "sss", p->op, p->shape, p->type_key);
    return visit_answers(&q, status, visit, context, err);
}

at_status at__store_each_newest_last(at__store *store, at__answer_visit *visit, void *context, at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_LAST_TUNED, READING, err, "");
    if (at__query_next(&q, &status, err)) {
        const at__problem_key key = { .op = at__store_text(q.statement, 0),
                                      .shape = at__store_text(q.statement, 1),
                                      .type_key = at__store_text(q.statement, 2) };
        status = at__store_each_newest_for(store, &key, visit, context, err);
    }
    at__query_end(&q);
    return status;
}

at_status at__store_newest_device(at__store *store, at__device_visit *visit, void *context, at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_NEWEST_DEVICE, READING, err, "");
    if (at__query_next(&q, &status, err)) {
        const at__problem_key key = { .op = at__store_text(q.statement, 1),
                                      .shape = at__store_text(q.statement, 2),
                                      .type_key = at__store_text(q.statement, 3) };
        visit(context, at__store_text(q.statement, 0), &key);
    }
    at__query_end(&q);
    return status;
}

at_status at__store_device_names(at__device_names *out, at__store *store, at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_DEVICE_NAMES, "read the devices", err, "");
    while (status == AT_OK && at__query_next(&q, &status, err))
        status = at__device_names_add(out, at__store_text(q.statement, 0), err);
    at__query_end(&q);
    return status;
}

at_status at__store_choose_device(char out[AT__DEVICE_NAME], at__store *store, const char *words,
                                  at_error *err)
{
    at__device_names names = { .count = 0 };
    at_status status = at__store_device_names(&names, store, err);
    if (status == AT_OK)
        status = at__device_names_choose(out, &names, words, "", err);
    at__device_names_clear(&names);
    return status;
}

at_status at__store_count_best(int64_t *out, at__store *store, const char *op, int64_t most, at_error *err)
{
    at__query q;
    at_status status = at__query_begin(&q, store, AT__SQL_COUNT_BEST, READING, err, "si", op, most);
    if (at__query_next(&q, &status, err))
        *out = sqlite3_column_int64(q.statement, 0);
    at__query_end(&q);
    return status;
}

at_status at__store_data_version(int64_t *out, at__store *store, at_error *err)
{
    return at__store_ask(out, store, AT__SQL_DATA_VERSION, "see whether the file has changed", err);
}

at_status at__store_winner_strategy(at__str *out, at__store *store, const at__problem_key *problem,
                                    const at__fingerprint *f, at_error *err)
{
    at__query q;
    at_status status = begin_of(&q, store, AT__SQL_WINNER_STRATEGY, "read a winner's run", problem, f, err);
    at__str_reset(out);
    if (at__query_next(&q, &status, err))
        at__str_add(out, at__store_text(q.statement, 0));
    else if (status == AT_OK)
        status = at_fail(err, AT_ERR_NOT_FOUND, "no run is known of this winner");
    at__query_end(&q);
    return status == AT_OK ? at__str_status(out, err) : status;
}
