/*
 * remeasure.c - one final for a stored winner: the winner first, then those it was tied with, the runner-ups
 * of its run, its template's default, the copy that was its ceiling. What the rows say of the first is the
 * verdict; a final that is lost to a fault that nobody can be blamed for is played again with the winner
 * alone.
 */
#include "tune/remeasure.h"

#include "lookup/lookup.h"
#include "tune/final.h"
#include "tune/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runner-ups of the winner's own run that it is compared with, besides those it was tied with. */
enum { RUNNER_UPS = 8, CONSIDERED = RUNNER_UPS + AT__MAX_FINALISTS };

const char *at__remeasure_verdict_name(at__remeasure_verdict standing)
{
    static const char *const NAMES[] = { [AT__HOLDS] = "holds",
                                         [AT__DRIFTED] = "drift",
                                         [AT__LOST_TITLE] = "lost_title",
                                         [AT__NOT_RIGHT] = "wrong",
                                         [AT__NOT_ASKED] = "unverified" };
    return NAMES[standing];
}

/* What a row is compared by. */
static double score_of(const at__final_row *rows, const double *scores, int i)
{
    return scores ? scores[i] : rows[i].timing.median_s;
}

/* The best other kernel of the op itself, -1: none. */
static int best_rival(const at__finalist *list, const at__final_row *rows, const double *scores, int count)
{
    int best = -1;
    for (int i = 1; i < count; i++)
        if (!list[i].is_copy && !list[i].is_memcpy && rows[i].outcome == AT__TIMED &&
            (best < 0 || score_of(rows, scores, i) < score_of(rows, scores, best)))
            best = i;
    return best;
}

/* Of times the device says what is noise; of other scores, what the user tolerates is. */
static bool is_beaten(const at__final_row *rows, const double *scores, int rival, double tolerance)
{
    if (scores)
        return scores[rival] * (1 + tolerance) < scores[0];
    return rows[rival].timing.median_s < rows[0].timing.median_s && !rows[0].tied;
}

at__remeasure_verdict at__remeasure_judge(const at__finalist *list, const at__final_row *rows,
                                          const double *scores, int count, double then_s, double tolerance)
{
    int rival = best_rival(list, rows, scores, count);
    if (rows[0].outcome != AT__TIMED)
        return AT__NOT_RIGHT;
    if (rival >= 0 && is_beaten(rows, scores, rival, tolerance))
        return AT__LOST_TITLE;
    return fabs(rows[0].timing.median_s / then_s - 1.0) > tolerance ? AT__DRIFTED : AT__HOLDS;
}

/* Everything of one problem. The first finalist is the winner. */
typedef struct job {
    const at__answer *winner;
    at__final f;
    double scores[AT__MAX_FINALISTS]; /* of the op's objective            */
    at_error *err;
} job;

/* "tile TILE=32 ..." into the final, if it is a configuration of today's templates and not there already. */
static at_status enter(job *j, at__contest *c, const char *name, const char *hash, const char *config)
{
    at__candidate *a = NULL;
    const at__template *t = at__catalog_find_template(j->f.env->catalog, at__contest_problem(c)->op, name);
    if (!t || (hash && !at__template_has_hash(t, hash)) || j->f.count >= AT__MAX_FINALISTS - 2)
        return AT_OK;
    at_status status = at__contest_entrant(&a, c, t, config, j->err);
    for (int i = 0; i < j->f.count && a; i++)
        if (j->f.entrants[i] == a)
            return status;
    if (status != AT_OK || !a)
        return status;
    j->f.entrants[j->f.count] = a;
    j->f.list[j->f.count] = (at__finalist){ .is_copy = at__contest_is_copy(c) };
    status = at__contest_kernel(&j->f.list[j->f.count].kernel, c, a, j->err);
    j->f.count++;
    return status;
}

/* A line of the store, "tile TILE=32 ...". */
static at_status enter_named(job *j, at__contest *c, const char *line, size_t len)
{
    at_status status = AT_OK;
    char *text = at__text_copy(line, len), *blank = text ? strchr(text, ' ') : NULL;
    if (!text)
        return at_fail(j->err, AT_ERR_MEMORY, "out of memory");
    if (blank) {
        *blank = '\0';
        status = enter(j, c, text, NULL, blank + 1);
    }
    free(text);
    return status;
}

static at_status enter_ties(job *j)
{
    at_status status = AT_OK;
    for (const char *line = j->winner->winner.ties; *line && status == AT_OK;) {
        size_t len = strcspn(line, "\n");
        status = enter_named(j, j->f.main, line, len);
        line += len + (line[len] == '\n');
    }
    return status;
}

/* The best trials so far of templates as they are today, best first; some are in the final already. */
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

static bool see_trial(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    runner_ups *r = context;
    const at__contest *c = r->j->f.main;
    const at__template *t =
        at__catalog_find_template(r->j->f.env->catalog, at__contest_problem(c)->op, row->template_name);
    double score = row->outcome == AT__TIMED ? at__contest_score(c, AT__RECORD_OF(row)) : (double)INFINITY;
    (void)fingerprint;
    if (!isfinite(score) || !t || !at__template_has_hash(t, row->template_hash) ||
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
    at_status status = at__store_each_trial(j->f.env->store, at__contest_key(j->f.main),
                                            &j->winner->fingerprint, see_trial, &r, j->err);
    if (status == AT_OK && r.failed)
        status = at_fail(j->err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < r.count && j->f.count <= RUNNER_UPS && status == AT_OK; i++)
        status = enter(j, j->f.main, r.items[i].template_name, r.items[i].hash, r.items[i].config);
    while (r.count)
        drop_last(&r);
    return status;
}

static at_status enter_default(job *j)
{
    const at__template *t = j->f.entrants[0]->t;
    at__config config;
    at__str text = { 0 };
    memcpy(config.values, t->defaults, sizeof config.values);
    at__config_text(&text, t, &config);
    at_status status = enter(j, j->f.main, t->name, t->hash, at__str_text(&text));
    at__str_clear(&text);
    return status;
}

static at_status enter_copies(job *j)
{
    at__problem copy;
    const char *name = j->winner->winner.ceiling_name;
    at_status status = AT_OK;
    if (*name &&
        at__setup_ceiling(&copy, j->f.env, at__contest_problem(j->f.main), at__contest_slots(j->f.main))) {
        status = at__contest_open(&j->f.copies, j->f.env, &copy, true, j->err);
        if (status == AT_OK)
            status = enter_named(j, j->f.copies, name, strlen(name));
    }
    if (at__setup_has_copies(j->f.env, at__contest_problem(j->f.main), at__contest_slots(j->f.main))) {
        j->f.entrants[j->f.count] = NULL;
        j->f.list[j->f.count++] = (at__finalist){ .is_memcpy = true };
    }
    return status;
}

static at_status enter_all(job *j)
{
    const at__winner *w = &j->winner->winner;
    at_status status = enter(j, j->f.main, w->template_name, w->template_hash, w->config);
    if (status != AT_OK || !j->f.count)
        return status;
    status = enter_ties(j);
    if (status == AT_OK)
        status = enter_runner_ups(j);
    if (status == AT_OK)
        status = enter_default(j);
    return status == AT_OK ? enter_copies(j) : status;
}

/* ---- what came of it ---- */

void at__remeasured_clear(at__remeasured *v)
{
    at__str_clear(&v->rival);
}

/* Of a rival's name in a sentence; `rival` has all of it. */
enum { MAX_SHOWN = 600 };

static void explain(at__remeasured *v, const job *j, const double *scores, int rival)
{
    double then_s = j->winner->winner.timing.median_s;
    if (v->standing == AT__NOT_RIGHT)
        snprintf(v->why, sizeof v->why, "%s: %.200s", at__outcome_name(j->f.rows[0].outcome),
                 j->f.rows[0].log);
    else if (v->standing == AT__LOST_TITLE)
        snprintf(v->why, sizeof v->why, "%.*s%s is %.1f %% %s now; tune the problem again", MAX_SHOWN,
                 at__str_text(&v->rival), v->rival.len > MAX_SHOWN ? " ..." : "",
                 100 * (score_of(j->f.rows, scores, 0) / score_of(j->f.rows, scores, rival) - 1),
                 scores ? "better" : "faster");
    else if (v->standing == AT__DRIFTED && at__contest_problem(j->f.main)->op->peak)
        snprintf(v->why, sizeof v->why, "%+.1f %% against the stored time", 100 * (v->median_s / then_s - 1));
    else if (v->standing == AT__DRIFTED)
        snprintf(v->why, sizeof v->why, "%+.1f %% against the stored time; the copy: %+.1f %%",
                 100 * (v->median_s / then_s - 1),
                 v->ceiling_s > 0 && j->winner->winner.ceiling_s > 0
                     ? 100 * (v->ceiling_s / j->winner->winner.ceiling_s - 1)
                     : 0.0);
}

/* NULL: times are what counts. */
static const double *take_scores(job *j)
{
    if (!at__contest_problem(j->f.main)->op->objective)
        return NULL;
    for (int i = 0; i < j->f.count; i++) {
        j->scores[i] = INFINITY;
        if (j->f.list[i].is_copy || j->f.list[i].is_memcpy || j->f.rows[i].outcome != AT__TIMED)
            continue;
        const at__resources r = at__contest_resources(j->f.main, j->f.entrants[i], &j->f.list[i].kernel);
        j->scores[i] =
            at__contest_score(j->f.main, &(at__record){ &j->f.rows[i].timing, &r, j->f.entrants[i]->text });
    }
    return j->scores;
}

static at_status conclude(at__remeasured *v, job *j, double tolerance)
{
    const double *scores = take_scores(j);
    int rival = best_rival(j->f.list, j->f.rows, scores, j->f.count);
    v->standing = at__remeasure_judge(j->f.list, j->f.rows, scores, j->f.count,
                                      j->winner->winner.timing.median_s, tolerance);
    v->median_s = j->f.rows[0].outcome == AT__TIMED ? j->f.rows[0].timing.median_s : 0;
    v->rival_s = rival >= 0 ? j->f.rows[rival].timing.median_s : 0;
    if (rival >= 0)
        at__str_addf(&v->rival, "%s %s", j->f.entrants[rival]->t->name, j->f.entrants[rival]->text);
    for (int i = 1; i < j->f.count; i++)
        if ((j->f.list[i].is_copy || j->f.list[i].is_memcpy) && j->f.rows[i].outcome == AT__TIMED &&
            (v->ceiling_s <= 0 || j->f.rows[i].timing.median_s < v->ceiling_s))
            v->ceiling_s = j->f.rows[i].timing.median_s;
    int64_t gflops = 0;
    at_error unused;
    const at__op *op = at__contest_problem(j->f.main)->op;
    if (op->peak &&
        at__problem_peak(&v->ceiling_s, &gflops, op, at__contest_slots(j->f.main), &unused) != AT_OK)
        v->ceiling_s = 0;
    explain(v, j, scores, rival);
    return at__str_status(&v->rival, j->err);
}

static void say(at__remeasured *v, at__remeasure_verdict standing, const char *why)
{
    v->standing = standing;
    snprintf(v->why, sizeof v->why, "%.*s", (int)sizeof v->why - 1, why);
}

/* Its headers may be all that has changed, or be missing here alone. */
static void say_changed(at__remeasured *v, const job *j)
{
    at_error why = { 0 };
    const at__winner *w = &j->winner->winner;
    v->standing = AT__NOT_ASKED;
    if (at__lookup_check_headers(j->f.env->store, j->f.env->catalog, at__contest_problem(j->f.main)->op,
                                 w->template_name, w->template_hash, &why) == AT_ERR_INPUT)
        snprintf(v->why, sizeof v->why, "its template has changed since it was tuned: %.*s",
                 (int)sizeof v->why - 60, why.text);
    else
        say(v, AT__NOT_ASKED,
            "its template has changed since it was tuned, or is missing; tune the problem again");
}

/* It is not in the final: its kernel is not compiled here, or its template is another one. */
static at_status say_absent(at__remeasured *v, const job *j)
{
    at__str why = { 0 };
    if (!at__contest_tally(j->f.main)->outcomes[AT__COMPILE_FAILED]) {
        say_changed(v, j);
        return AT_OK;
    }
    at__contest_add_failure(&why, j->f.main);
    at_status status = at__str_status(&why, j->err);
    if (status == AT_OK)
        say(v, AT__NOT_RIGHT, at__str_text(&why) + strspn(at__str_text(&why), "; "));
    at__str_clear(&why);
    return status;
}

/* A fault that nobody can be blamed for takes the final with it: the winner alone shows whether it is right.
 */
static at_status play(at__remeasured *v, job *j, double tolerance)
{
    at_error cause = { 0 };
    int failed = 0;
    const at__device *device = j->f.env->device;
    at_status status = at__final_play(&j->f, &failed, &cause);
    if (status == AT_ERR_DEVICE && j->f.count > 1 && !at__device_is_lost(device)) {
        j->f.count = 1;
        status = at__final_play(&j->f, &failed, &cause);
    }
    if (status == AT_OK)
        return conclude(v, j, tolerance);
    if (status != AT_ERR_DEVICE || at__device_is_lost(device))
        return at_fail(j->err, status, "%s", cause.text);
    say(v, AT__NOT_RIGHT, cause.text);
    return AT_OK;
}

static at_status measure(at__remeasured *v, job *j, double tolerance)
{
    at_error cause = { 0 };
    at_status status =
        at__setup_problem(j->f.env, at__contest_problem(j->f.main), at__contest_slots(j->f.main), &cause);
    if (status != AT_OK) {
        bool here = status == AT_ERR_INPUT || (status == AT_ERR_DEVICE && j->f.env->checked);
        if (at__device_is_lost(j->f.env->device) || !here)
            return at_fail(j->err, status, "%s", cause.text);
        say(v, AT__NOT_ASKED, cause.text);
        return AT_OK;
    }
    bool meant = strcmp(j->winner->winner.objective, at__contest_problem(j->f.main)->op->objective_text) == 0;
    if (!meant) {
        say(v, AT__NOT_ASKED, "it was chosen by another objective; tune the problem again");
        return AT_OK;
    }
    status = enter_all(j);
    if (status != AT_OK)
        return status;
    if (!j->f.count)
        return say_absent(v, j);
    return play(v, j, tolerance);
}

at_status at__remeasure(at__remeasured *out, at__session *session, const at__problem *problem,
                        const at__answer *winner, double tolerance, at_error *err)
{
    job j = { .f = { .env = at__session_env(session), .winner = -1 }, .winner = winner, .err = err };
    at__remeasured v = { 0 };
    at_status status = at__contest_open(&j.f.main, j.f.env, problem, false, err);
    if (status == AT_OK)
        status = measure(&v, &j, tolerance);
    at__contest_close(j.f.copies);
    at__contest_close(j.f.main);
    if (status == AT_OK)
        *out = v;
    else
        at__remeasured_clear(&v);
    return status;
}
