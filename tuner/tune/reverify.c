/*
 * reverify.c - one re-measurement for a stored winner: the winner first, then those it was tied with, the
 * runner-ups of its run, its template's default, the copy that was its ceiling. The rows of the first give
 * the verdict; a re-measurement that is lost to a fault of no known kernel is repeated with the winner alone.
 */
#include "tune/reverify.h"

#include "lookup/lookup.h"
#include "tune/remeasure.h"
#include "tune/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runner-ups of the winner's own run that it is compared with, besides those it was tied with. */
enum { RUNNER_UPS = 8, CONSIDERED = RUNNER_UPS + ATX_MAX_TOP_CANDIDATES };

const char *atx_reverify_verdict_name(atx_reverify_verdict verdict)
{
    static const char *const NAMES[] = { [ATX_HOLDS] = "holds",
                                         [ATX_DRIFTED] = "drift",
                                         [ATX_LOST_TITLE] = "lost_title",
                                         [ATX_NOT_RIGHT] = "wrong",
                                         [ATX_NOT_ASKED] = "unverified" };
    return NAMES[verdict];
}

/* What a row is compared by. */
static double score_of(const atx_remeasure_row *rows, const double *scores, int i)
{
    return scores ? scores[i] : rows[i].timing.median_s;
}

/* The best other kernel of the op itself, -1: none. */
static int best_rival(const atx_top_candidate *list, const atx_remeasure_row *rows, const double *scores,
                      int count)
{
    int best = -1;
    for (int i = 1; i < count; i++)
        if (!list[i].is_copy && !list[i].is_memcpy && rows[i].outcome == ATX_TIMED &&
            (best < 0 || score_of(rows, scores, i) < score_of(rows, scores, best)))
            best = i;
    return best;
}

/* Of times the device says what is noise; of other scores, what the user tolerates is. */
static bool is_beaten(const atx_remeasure_row *rows, const double *scores, int rival, double tolerance)
{
    if (scores)
        return scores[rival] * (1 + tolerance) < scores[0];
    return rows[rival].timing.median_s < rows[0].timing.median_s && !rows[0].tied;
}

/*
 * What rows of a re-measurement say of its first top candidate, which won in `then_s` seconds. `tolerance`
 * 0.05: 5 % in either direction is no drift. `scores`: of an op with an objective, what rows are compared by,
 * smaller is better, INFINITY: none; else NULL: their times. Pure.
 */
static atx_reverify_verdict decide(const atx_top_candidate *list, const atx_remeasure_row *rows,
                                   const double *scores, int count, double then_s, double tolerance)
{
    int rival = best_rival(list, rows, scores, count);
    if (rows[0].outcome != ATX_TIMED)
        return ATX_NOT_RIGHT;
    if (rival >= 0 && is_beaten(rows, scores, rival, tolerance))
        return ATX_LOST_TITLE;
    return fabs(rows[0].timing.median_s / then_s - 1.0) > tolerance ? ATX_DRIFTED : ATX_HOLDS;
}

/* Everything of one problem. The first top candidate is the winner. */
typedef struct job {
    const atx_answer *winner;
    atx_remeasurement f;
    double scores[ATX_MAX_TOP_CANDIDATES]; /* of the op's objective            */
    at_error *err;
} job;

/* "tile TILE=32 ..." into the re-measurement, if it is a configuration of today's templates and not there
 * already. */
static at_status enter(job *j, atx_search_run *c, const char *name, const char *hash, const char *config)
{
    atx_candidate *a = NULL;
    const atx_template *t = atx_catalog_find_template(j->f.env->catalog, atx_search_run_problem(c)->op, name);
    if (!t || (hash && !atx_template_has_hash(t, hash)) || j->f.count >= ATX_MAX_TOP_CANDIDATES - 2)
        return AT_OK;
    at_status status = atx_search_run_entrant(&a, c, t, config, j->err);
    for (int i = 0; i < j->f.count && a; i++)
        if (j->f.entrants[i] == a)
            return status;
    if (status != AT_OK || !a)
        return status;
    j->f.entrants[j->f.count] = a;
    j->f.list[j->f.count] = (atx_top_candidate){ .is_copy = atx_search_run_is_copy(c) };
    status = atx_search_run_kernel(&j->f.list[j->f.count].kernel, c, a, j->err);
    j->f.count++;
    return status;
}

/* A line of the store, "tile TILE=32 ...". */
static at_status enter_named(job *j, atx_search_run *c, const char *line, size_t len)
{
    at_status status = AT_OK;
    char *text = atx_text_copy(line, len), *blank = text ? strchr(text, ' ') : NULL;
    if (!text)
        return atx_no_memory(j->err);
    if (blank) {
        *blank = '\0';
        status = enter(j, c, text, NULL, blank + 1);
    }
    free(text);
    return status;
}

static at_status enter_ties(job *j)
{
    for (const char *line = j->winner->winner.ties; *line;) {
        size_t len = strcspn(line, "\n");
        ATX_TRY(enter_named(j, j->f.main, line, len));
        line += len + (line[len] == '\n');
    }
    return AT_OK;
}

/* The best trials so far of templates as they are today, best first; some are in the re-measurement already.
 */
typedef struct runner_ups {
    const job *j;
    struct {
        char *template_name, *hash, *config;
        double score;
    } items[CONSIDERED];
    int count;
    bool failed; /* out of memory */
} runner_ups;

static void drop_last(runner_ups *r)
{
    r->count--;
    free(r->items[r->count].template_name);
    free(r->items[r->count].hash);
    free(r->items[r->count].config);
}

static bool see_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    runner_ups *r = context;
    const atx_search_run *c = r->j->f.main;
    const atx_template *t =
        atx_catalog_find_template(r->j->f.env->catalog, atx_search_run_problem(c)->op, row->template_name);
    double score = row->outcome == ATX_TIMED ? atx_search_run_score(c, ATX_RECORD_OF(row)) : (double)INFINITY;
    (void)fingerprint;
    if (!isfinite(score) || !t || !atx_template_has_hash(t, row->template_hash) ||
        (r->count == CONSIDERED && score >= r->items[CONSIDERED - 1].score))
        return true;
    if (r->count == CONSIDERED)
        drop_last(r);
    int at = r->count++;
    for (; at > 0 && r->items[at - 1].score > score; at--)
        r->items[at] = r->items[at - 1];
    r->items[at].score = score;
    r->items[at].template_name = strdup(row->template_name);
    r->items[at].hash = strdup(row->template_hash);
    r->items[at].config = strdup(row->config);
    r->failed = !r->items[at].template_name || !r->items[at].hash || !r->items[at].config;
    return !r->failed;
}

static at_status enter_runner_ups(job *j)
{
    runner_ups r = { .j = j };
    at_status status = atx_store_each_trial(j->f.env->store, atx_search_run_key(j->f.main),
                                            &j->winner->fingerprint, see_trial, &r, j->err);
    if (status == AT_OK && r.failed)
        status = atx_no_memory(j->err);
    for (int i = 0; i < r.count && j->f.count <= RUNNER_UPS && status == AT_OK; i++)
        status = enter(j, j->f.main, r.items[i].template_name, r.items[i].hash, r.items[i].config);
    while (r.count)
        drop_last(&r);
    return status;
}

static at_status enter_default(job *j)
{
    const atx_template *t = j->f.entrants[0]->t;
    atx_config config;
    ATX_LOCAL(atx_str) text = { 0 };
    memcpy(config.values, t->scope.defaults, sizeof config.values);
    atx_config_text(&text, t, &config);
    return enter(j, j->f.main, t->name, t->text.hash, atx_str_text(&text));
}

static at_status enter_copies(job *j)
{
    atx_problem copy;
    const char *name = j->winner->winner.ceiling_name;
    at_status status = AT_OK;
    if (*name && atx_setup_ceiling(&copy, j->f.env, atx_search_run_problem(j->f.main),
                                   atx_search_run_slots(j->f.main))) {
        status = atx_search_run_open(&j->f.copies, j->f.env, &copy, true, NULL, j->err);
        ATX_THEN(status, enter_named(j, j->f.copies, name, strlen(name)));
    }
    if (atx_setup_has_copies(j->f.env, atx_search_run_problem(j->f.main), atx_search_run_slots(j->f.main))) {
        j->f.entrants[j->f.count] = NULL;
        j->f.list[j->f.count++] = (atx_top_candidate){ .is_memcpy = true };
    }
    return status;
}

static at_status enter_all(job *j)
{
    const atx_winner *w = &j->winner->winner;
    at_status status = enter(j, j->f.main, w->template_name, w->template_hash, w->config);
    if (status != AT_OK || !j->f.count)
        return status;
    status = enter_ties(j);
    ATX_THEN(status, enter_runner_ups(j));
    ATX_THEN(status, enter_default(j));
    return status == AT_OK ? enter_copies(j) : status;
}

/* ---- what came of it ---- */

void atx_reverified_clear(atx_reverified *v)
{
    atx_str_clear(&v->rival);
}

/* Of a rival's name in a sentence; `rival` has all of it. */
enum { MAX_SHOWN = 600 };

static void explain(atx_reverified *v, const job *j, const double *scores, int rival)
{
    const double then_s = j->winner->winner.timing.median_s, ceiling_s = j->winner->winner.ceiling_s;
    if (v->verdict == ATX_NOT_RIGHT)
        snprintf(v->why, sizeof v->why, "%s: %.200s", atx_outcome_name(j->f.rows[0].outcome),
                 j->f.rows[0].log);
    else if (v->verdict == ATX_LOST_TITLE)
        snprintf(v->why, sizeof v->why, "%.*s%s is %.1f %% %s now; tune the problem again", MAX_SHOWN,
                 atx_str_text(&v->rival), v->rival.len > MAX_SHOWN ? " ..." : "",
                 100 * (score_of(j->f.rows, scores, 0) / score_of(j->f.rows, scores, rival) - 1),
                 scores ? "better" : "faster");
    else if (v->verdict == ATX_DRIFTED &&
             (atx_search_run_problem(j->f.main)->op->goal.peak || v->ceiling_s <= 0 || ceiling_s <= 0))
        snprintf(v->why, sizeof v->why, "%+.1f %% against the stored time", 100 * (v->median_s / then_s - 1));
    else if (v->verdict == ATX_DRIFTED)
        snprintf(v->why, sizeof v->why, "%+.1f %% against the stored time; the copy: %+.1f %%",
                 100 * (v->median_s / then_s - 1), 100 * (v->ceiling_s / ceiling_s - 1));
}

/* NULL: times are what counts. */
static const double *take_scores(job *j)
{
    if (!atx_search_run_problem(j->f.main)->op->goal.objective)
        return NULL;
    for (int i = 0; i < j->f.count; i++) {
        j->scores[i] = INFINITY;
        if (j->f.list[i].is_copy || j->f.list[i].is_memcpy || j->f.rows[i].outcome != ATX_TIMED)
            continue;
        const atx_resources r = atx_search_run_resources(j->f.main, j->f.entrants[i], &j->f.list[i].kernel);
        j->scores[i] = atx_search_run_score(
            j->f.main, &(atx_record){ &j->f.rows[i].timing, &r, j->f.entrants[i]->text });
    }
    return j->scores;
}

static at_status conclude(atx_reverified *v, job *j, double tolerance)
{
    const double *scores = take_scores(j);
    int rival = best_rival(j->f.list, j->f.rows, scores, j->f.count);
    v->verdict =
        decide(j->f.list, j->f.rows, scores, j->f.count, j->winner->winner.timing.median_s, tolerance);
    v->median_s = j->f.rows[0].outcome == ATX_TIMED ? j->f.rows[0].timing.median_s : 0;
    v->rival_s = rival >= 0 ? j->f.rows[rival].timing.median_s : 0;
    if (rival >= 0)
        atx_str_addf(&v->rival, "%s %s", j->f.entrants[rival]->t->name, j->f.entrants[rival]->text);
    for (int i = 1; i < j->f.count && j->winner->winner.ceiling_s > 0; i++) /* memcpy alone is no ceiling */
        if ((j->f.list[i].is_copy || j->f.list[i].is_memcpy) && j->f.rows[i].outcome == ATX_TIMED &&
            (v->ceiling_s <= 0 || j->f.rows[i].timing.median_s < v->ceiling_s))
            v->ceiling_s = j->f.rows[i].timing.median_s;
    int64_t gflops = 0;
    at_error unused;
    const atx_op *op = atx_search_run_problem(j->f.main)->op;
    if (op->goal.peak &&
        atx_problem_peak(&v->ceiling_s, &gflops, op, atx_search_run_slots(j->f.main), &unused) != AT_OK)
        v->ceiling_s = 0;
    explain(v, j, scores, rival);
    return atx_str_status(&v->rival, j->err);
}

static void say(atx_reverified *v, atx_reverify_verdict verdict, const char *why)
{
    v->verdict = verdict;
    snprintf(v->why, sizeof v->why, "%.*s", (int)sizeof v->why - 1, why);
}

/* Its headers may be all that has changed, or be missing here alone. */
static void say_changed(atx_reverified *v, const job *j)
{
    at_error why = { 0 };
    const atx_winner *w = &j->winner->winner;
    v->verdict = ATX_NOT_ASKED;
    if (atx_lookup_check_headers(j->f.env->store, j->f.env->catalog, atx_search_run_problem(j->f.main)->op,
                                 w->template_name, w->template_hash, &why) == AT_ERR_INPUT)
        snprintf(v->why, sizeof v->why, "its template has changed since it was tuned: %.*s",
                 (int)sizeof v->why - 60, why.text);
    else
        say(v, ATX_NOT_ASKED,
            "its template has changed since it was tuned, or is missing; tune the problem again");
}

/* It is not in the re-measurement: its kernel is not compiled here, or its template is another one. */
static at_status say_absent(atx_reverified *v, const job *j)
{
    ATX_LOCAL(atx_str) why = { 0 };
    if (!atx_search_run_tally(j->f.main)->outcomes[ATX_COMPILE_FAILED]) {
        say_changed(v, j);
        return AT_OK;
    }
    atx_search_run_add_failure(&why, j->f.main);
    ATX_TRY(atx_str_status(&why, j->err));
    say(v, ATX_NOT_RIGHT, atx_str_text(&why) + strspn(atx_str_text(&why), "; "));
    return AT_OK;
}

/* A fault of no known kernel takes the re-measurement with it: the winner alone shows whether it
 * is right.
 */
static at_status play(atx_reverified *v, job *j, double tolerance)
{
    at_error cause = { 0 };
    int failed = 0;
    const atx_device *device = j->f.env->device;
    at_status status = atx_remeasurement_once(&j->f, &failed, &cause);
    if (status == AT_ERR_DEVICE && j->f.count > 1 && !atx_device_is_lost(device)) {
        j->f.count = 1;
        status = atx_remeasurement_once(&j->f, &failed, &cause);
    }
    if (status == AT_OK)
        return conclude(v, j, tolerance);
    if (status != AT_ERR_DEVICE || atx_device_is_lost(device))
        return atx_fail(j->err, status, "%s", cause.text);
    say(v, ATX_NOT_RIGHT, cause.text);
    return AT_OK;
}

static at_status measure(atx_reverified *v, job *j, double tolerance)
{
    at_error cause = { 0 };
    at_status status = atx_setup_problem(j->f.env, atx_search_run_problem(j->f.main),
                                         atx_search_run_slots(j->f.main), &cause);
    if (status != AT_OK) {
        bool here = status == AT_ERR_INPUT || (status == AT_ERR_DEVICE && j->f.env->checked);
        if (atx_device_is_lost(j->f.env->device) || !here)
            return atx_fail(j->err, status, "%s", cause.text);
        say(v, ATX_NOT_ASKED, cause.text);
        return AT_OK;
    }
    bool meant =
        strcmp(j->winner->winner.objective, atx_search_run_problem(j->f.main)->op->goal.objective_text) == 0;
    if (!meant) {
        say(v, ATX_NOT_ASKED, "it was chosen by another objective; tune the problem again");
        return AT_OK;
    }
    ATX_TRY(enter_all(j));
    if (!j->f.count)
        return say_absent(v, j);
    return play(v, j, tolerance);
}

at_status atx_reverify(atx_reverified *out, atx_session *session, const atx_problem *problem,
                       const atx_answer *winner, double tolerance, at_error *err)
{
    job j = { .f = { .env = atx_session_env(session), .winner = -1 }, .winner = winner, .err = err };
    atx_reverified v = { 0 };
    at_status status = atx_search_run_open(&j.f.main, j.f.env, problem, false, NULL, err);
    ATX_THEN(status, measure(&v, &j, tolerance));
    atx_search_run_close(j.f.copies);
    atx_search_run_close(j.f.main);
    if (status == AT_OK)
        *out = v;
    else
        atx_reverified_clear(&v);
    return status;
}
