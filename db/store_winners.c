/*
 * store_winners.c - the results of tuning: storing and reading winners.
 *
 * Every result is kept; the order of a statement, or the view best, decides which one counts. An answer is
 * read with borrowed texts and then copied whole, so that only one place handles ownership.
 *
 * The newest is first, by rank_at: the date, unless a clock was wrong. A new result is newer than all stored
 * ones, so a row of the same problem and device with a later date loses its rank; so does a row that a merge
 * finds, or brings, with a date in the future. The order of arrival decides between those.
 */
#include "db/store_internal.h"
#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

static at_status put_winner(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                            const atx_fingerprint *fingerprint, const atx_winner *w, at_error *err)
{
    static const char doing[] = "store a winner";
    int64_t ids[3] = { 0 }; /* problem, fingerprint, template */
    atx_winner stored = *w;
    char now[21];

    atx_utc_text(now);
    if (w->ceiling_s == 0)
        stored.ceiling_s = NAN; /* is stored as NULL */
    if (!(w->timing.joules > 0))
        stored.timing.joules = NAN;
    ATX_TRY(atx_store_check(store, doing, &atx_winner_figures, &stored, err));
    ATX_TRY(atx_store_problem_id(&ids[0], store, problem, err));
    ATX_TRY(atx_store_fingerprint_id(&ids[1], store, fingerprint, err));
    ATX_TRY(atx_store_template_id(&ids[2], store, w->template_name, w->template_hash, err));
    ATX_TRY(atx_store_exec(store, ATX_SQL_UNRANK_WINNERS, doing, err, "iis", ids[0], ids[1], now));
    return atx_store_exec(store, ATX_SQL_PUT_WINNER, doing, err, "iiisisc", ids[0], ids[1], ids[2], w->config,
                          run_id, now, &atx_winner_figures, &stored);
}

at_status atx_store_put_winner(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                               const atx_fingerprint *fingerprint, const atx_winner *winner, at_error *err)
{
    if (!(isfinite(winner->timing.median_s) && winner->timing.median_s > 0))
        return atx_bug(err, "%s: a winner needs a positive time, not %g", store->path,
                       winner->timing.median_s);
    at_status status = atx_store_check_place(store, err);
    ATX_THEN(status, atx_store_begin(store, err));
    if (status != AT_OK)
        return status;
    return atx_store_end(store, put_winner(store, run_id, problem, fingerprint, winner, err), err);
}

at_status atx_winner_check(const atx_winner *winner, at_error *err)
{
    return atx_columns_check(&atx_winner_figures, winner, err);
}

double atx_answer_gb_per_s(const atx_answer *a)
{
    const double seconds = a->winner.timing.median_s;
    return seconds > 0 ? 1e-9 * (double)a->traffic_bytes / seconds : 0;
}

double atx_answer_share(const atx_answer *a)
{
    const double seconds = a->winner.timing.median_s;
    return a->winner.ceiling_s > 0 && seconds > 0 ? a->winner.ceiling_s / seconds : 0;
}

bool atx_answer_copy(atx_answer *out, const atx_answer *from)
{
    atx_answer copy = *from;
    bool whole = atx_columns_own(&copy.winner, &atx_winner_columns);
    whole = atx_columns_own(&copy, &atx_answer_columns) && whole; /* both, so that all can be freed */
    if (whole)
        *out = copy;
    else
        atx_answer_clear(&copy);
    return whole;
}

void atx_answer_clear(atx_answer *answer)
{
    atx_columns_free(&answer->winner, &atx_winner_columns);
    atx_columns_free(answer, &atx_answer_columns);
    *answer = (atx_answer){ 0 };
}

/* A row of ATX_SQL_READ_WINNER. */
static at_status read_answer(atx_answer *out, sqlite3_stmt *s, at_error *err)
{
    atx_answer a = { 0 };
    int next = atx_columns_read(&a.winner, &atx_winner_columns, s, 1);
    next = atx_columns_read(&a.fingerprint, &atx_fingerprint_columns, s, next);
    next = atx_columns_read(&a, &atx_answer_columns, s, next);
    a.invalid = sqlite3_column_int(s, next) != 0;
    a.id = sqlite3_column_int64(s, 0);
    return atx_answer_copy(out, &a) ? AT_OK : atx_no_memory(err);
}

/* A statement whose parameters are a problem and a fingerprint. */
static at_status begin_of(atx_query *q, atx_store *store, atx_sql sql, const char *doing,
                          const atx_problem_key *problem, const atx_fingerprint *f, at_error *err)
{
    return atx_query_begin(q, store, sql, doing, err, "sssc", problem->op, problem->shape, problem->type_key,
                           &atx_fingerprint_columns, f);
}

at_status atx_store_find_winner(atx_answer *out, atx_store *store, const atx_problem_key *problem,
                                const atx_fingerprint *f, const char *device, at_error *err)
{
    static const char doing[] = "look a winner up";
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = f ? begin_of(&q, store, ATX_SQL_FIND_WINNER_OF, doing, problem, f, err)
                         : atx_query_begin(&q, store, ATX_SQL_FIND_WINNER, doing, err, "ssss", problem->op,
                                           problem->shape, problem->type_key, device ? device : "");
    if (atx_query_next(&q, &status, err))
        status = read_answer(out, q.statement, err);
    else if (status == AT_OK)
        status = atx_fail(err, AT_ERR_NOT_FOUND, "%s: no winner of %s %s %s", store->path, problem->op,
                          problem->shape, problem->type_key);
    return status;
}

at_status atx_store_find_failure(atx_str *why, atx_store *store, const atx_answer *a, bool anywhere,
                                 at_error *err)
{
    static const char doing[] = "look for later failures of a winner";
    const atx_winner *w = &a->winner;
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status =
        anywhere ? atx_query_begin(&q, store, ATX_SQL_FIND_FAILURE_ANYWHERE, doing, err, "ssssssss", a->op,
                                   a->shape, a->type_key, w->template_name, w->template_hash, w->config,
                                   a->rank_at, a->fingerprint.device)
                 : atx_query_begin(&q, store, ATX_SQL_FIND_FAILURE, doing, err, "sssssssc", a->op, a->shape,
                                   a->type_key, w->template_name, w->template_hash, w->config, a->rank_at,
                                   &atx_fingerprint_columns, &a->fingerprint);
    bool found = atx_query_next(&q, &status, err);
    if (found) {
        const char *log = atx_store_text(q.statement, 1);
        atx_str_addf(why, "it was found %s on %.10s%s%.*s", atx_store_text(q.statement, 0),
                     atx_store_text(q.statement, 2), *log ? ": " : "", (int)strcspn(log, "\n"), log);
    }
    if (status == AT_OK && found)
        status = atx_str_status(why, err);
    return status == AT_OK && !found ? AT_ERR_NOT_FOUND : status;
}

static const char READING[] = "read the winners";

/* The rows of a statement that has begun, which this ends. */
static at_status visit_answers(atx_query *q, at_status status, atx_answer_visit *visit, void *context,
                               at_error *err)
{
    bool more = true;
    while (more && atx_query_next(q, &status, err)) {
        ATX_LOCAL(atx_answer) answer = { 0 };
        status = read_answer(&answer, q->statement, err);
        more = status == AT_OK && visit(context, &answer);
    }
    atx_query_clear(q);
    return status;
}

at_status atx_store_each_best(atx_store *store, atx_answer_visit *visit, void *context, at_error *err)
{
    atx_query q;
    at_status status = atx_query_begin(&q, store, ATX_SQL_EACH_BEST, READING, err, "");
    return visit_answers(&q, status, visit, context, err);
}

at_status atx_store_each_newest_of(atx_store *store, const char *op, const char *type_key,
                                   atx_answer_visit *visit, void *context, at_error *err)
{
    atx_query q;
    at_status status = op ? atx_query_begin(&q, store, ATX_SQL_NEWEST_OF, READING, err, "ss", op, type_key)
                          : atx_query_begin(&q, store, ATX_SQL_EACH_NEWEST, READING, err, "");
    return visit_answers(&q, status, visit, context, err);
}

at_status atx_store_each_newest_for(atx_store *store, const atx_problem_key *p, atx_answer_visit *visit,
                                    void *context, at_error *err)
{
    atx_query q;
    at_status status =
        atx_query_begin(&q, store, ATX_SQL_NEWEST_FOR, READING, err, "sss", p->op, p->shape, p->type_key);
    return visit_answers(&q, status, visit, context, err);
}

at_status atx_store_each_of_device(atx_store *store, const atx_problem_key *p, const char *device,
                                   atx_answer_visit *visit, void *context, at_error *err)
{
    atx_query q;
    at_status status = atx_query_begin(&q, store, ATX_SQL_EACH_OF_DEVICE, READING, err, "ssss", p->op,
                                       p->shape, p->type_key, device);
    return visit_answers(&q, status, visit, context, err);
}

at_status atx_store_each_newest_last(atx_store *store, atx_answer_visit *visit, void *context, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, ATX_SQL_LAST_TUNED, READING, err, "");
    if (atx_query_next(&q, &status, err)) {
        const atx_problem_key key = { .op = atx_store_text(q.statement, 0),
                                      .shape = atx_store_text(q.statement, 1),
                                      .type_key = atx_store_text(q.statement, 2) };
        status = atx_store_each_newest_for(store, &key, visit, context, err);
    }
    return status;
}

at_status atx_store_newest_device(atx_store *store, atx_device_visit *visit, void *context, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, ATX_SQL_NEWEST_DEVICE, READING, err, "");
    if (atx_query_next(&q, &status, err)) {
        const atx_problem_key key = { .op = atx_store_text(q.statement, 1),
                                      .shape = atx_store_text(q.statement, 2),
                                      .type_key = atx_store_text(q.statement, 3) };
        visit(context, atx_store_text(q.statement, 0), &key);
    }
    return status;
}

at_status atx_store_device_names(atx_device_names *out, atx_store *store, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, ATX_SQL_DEVICE_NAMES, "read the devices", err, "");
    while (status == AT_OK && atx_query_next(&q, &status, err))
        status = atx_device_names_add(out, atx_store_text(q.statement, 0), err);
    return status;
}

at_status atx_store_choose_device(char out[ATX_DEVICE_NAME], atx_store *store, const char *words,
                                  at_error *err)
{
    ATX_LOCAL(atx_device_names) names = { .count = 0 };
    ATX_TRY(atx_store_device_names(&names, store, err));
    return atx_device_names_choose(out, &names, words, "", err);
}

at_status atx_store_count_best(int64_t *out, atx_store *store, const char *op, int64_t most, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, store, ATX_SQL_COUNT_BEST, READING, err, "si", op, most);
    if (atx_query_next(&q, &status, err))
        *out = sqlite3_column_int64(q.statement, 0);
    return status;
}

at_status atx_store_data_version(int64_t *out, atx_store *store, at_error *err)
{
    return atx_store_ask(out, store, ATX_SQL_DATA_VERSION, "see whether the file has changed", err);
}

at_status atx_store_winner_strategy(atx_str *out, atx_store *store, const atx_problem_key *problem,
                                    const atx_fingerprint *f, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = begin_of(&q, store, ATX_SQL_WINNER_STRATEGY, "read a winner's run", problem, f, err);
    atx_str_reset(out);
    if (atx_query_next(&q, &status, err))
        atx_str_add(out, atx_store_text(q.statement, 0));
    else if (status == AT_OK)
        status = atx_fail(err, AT_ERR_NOT_FOUND, "no run is known of this winner");
    return status == AT_OK ? atx_str_status(out, err) : status;
}
