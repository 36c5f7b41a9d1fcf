/*
 * remeasure.c - the candidates, in this order: the leaders of the search, the former winner on this device
 * model, the default of the fastest template, the fastest plain copies, the driver's memcpy. The device times
 * them interleaved; the fastest right kernel of the op itself wins (the best, if it has an objective),
 * whatever its trial said. If some fail, the leaders change, and those that have not been re-measured yet are
 * in the next re-measurement. Each re-measurement has fewer candidates, so there is a last one.
 */
#include "tune/remeasure.h"

#include "tune/setup.h"

#include "util/clock.h"

#include <math.h>
#include <string.h>

/* Noise of a trial's few samples is a few per cent: a candidate that close may be the best. */
#define REMEASURE_WITHIN 0.06
#define MAX_LEADERS      10
#define LEADERS_OF_MANY  3 /* of a problem of a population: what it teaches a model are its trials */
#define COPY_WITHIN      0.05
#define MAX_COPIES       4

static const atx_op *op_of(const atx_remeasurement *f)
{
    return atx_search_run_problem(f->main)->op;
}

static void warn_of_disturbance(const atx_remeasurement *f)
{
    if (f->notes.discarded)
        atx_env_warn(
            f->env,
            "GPU %d: %lld rounds of the re-measurement of %s were thrown away and taken again: %s at %lld C, "
            "%lld W; see to its cooling and power",
            atx_device_info_of(f->env->device)->ordinal, (long long)f->notes.discarded,
            atx_search_run_key(f->main)->shape, f->notes.why, (long long)f->notes.conditions.temperature_c,
            (long long)f->notes.conditions.power_w);
}

static at_status add_entrant(atx_remeasurement *f, atx_search_run *c, atx_candidate *a, at_error *err)
{
    f->entrants[f->count] = a;
    f->list[f->count] = (atx_top_candidate){ .is_copy = atx_search_run_is_copy(c) };
    at_status status = atx_search_run_kernel(&f->list[f->count].kernel, c, a, err);
    f->count++;
    return status;
}

static at_status enter(atx_remeasurement *f, atx_search_run *c, int max, double within, at_error *err)
{
    atx_candidate *leaders[ATX_MAX_TOP_CANDIDATES];
    int count = 0;
    at_status status = atx_search_run_leaders(c, leaders, &count, max, within, err);
    for (int i = 0; i < count && status == AT_OK; i++)
        status = add_entrant(f, c, leaders[i], err);
    return status;
}

static at_status enter_config(atx_remeasurement *f, const atx_template *t, const char *config, at_error *err)
{
    atx_candidate *a = NULL;
    at_status status = atx_search_run_entrant(&a, f->main, t, config, err);
    for (int i = 0; i < f->count && a; i++)
        if (f->entrants[i] == a)
            return status; /* it is there by its own merit */
    return status == AT_OK && a ? add_entrant(f, f->main, a, err) : status;
}

/* A winner must also beat who won before on this device model, whatever the driver was then ... */
static at_status enter_champion(atx_remeasurement *f, at_error *err)
{
    const atx_env *env = f->env;
    ATX_LOCAL(atx_answer) before = { 0 };
    at_status status = atx_store_find_winner(&before, env->store, atx_search_run_key(f->main), NULL,
                                             env->fingerprint.device, NULL);
    if (status == AT_OK && before.fingerprint.cold == env->fingerprint.cold) {
        const atx_template *t =
            atx_catalog_find_template(env->catalog, op_of(f), before.winner.template_name);
        if (t && atx_template_has_hash(t, before.winner.template_hash))
            status = enter_config(f, t, before.winner.config, err);
    }
    return status == AT_ERR_MEMORY ? status : AT_OK;
}

/* ... and the default configuration of its template. */
static at_status enter_default(atx_remeasurement *f, at_error *err)
{
    const atx_template *t = f->entrants[0]->t;
    atx_config config;
    ATX_LOCAL(atx_str) text = { 0 };
    memcpy(config.values, t->scope.defaults, sizeof config.values);
    atx_config_text(&text, t, &config);
    ATX_TRY(atx_str_status(&text, err));
    return enter_config(f, t, atx_str_text(&text), err);
}

static int most_leaders(const atx_remeasurement *f)
{
    return f->env->options->population ? LEADERS_OF_MANY : MAX_LEADERS;
}

static at_status enter_all(atx_remeasurement *f, at_error *err)
{
    at_status status = enter(f, f->main, most_leaders(f), REMEASURE_WITHIN, err);
    if (status != AT_OK || f->count == 0)
        return status;
    status = enter_champion(f, err);
    ATX_THEN(status, enter_default(f, err));
    if (status == AT_OK && f->copies)
        status = enter(f, f->copies, MAX_COPIES, COPY_WITHIN, err);
    if (atx_setup_has_copies(f->env, atx_search_run_problem(f->main), atx_search_run_slots(f->main)))
        f->list[f->count++] = (atx_top_candidate){ .is_memcpy = true };
    return status;
}

/* By its times of the re-measurement. INFINITY: it is out of the question. */
static double score_of(const atx_remeasurement *f, int i)
{
    if (f->list[i].is_copy || f->list[i].is_memcpy || f->rows[i].outcome != ATX_TIMED)
        return INFINITY;
    const atx_resources r = atx_search_run_resources(f->main, f->entrants[i], &f->list[i].kernel);
    return atx_search_run_score(f->main, &(atx_record){ &f->rows[i].timing, &r, f->entrants[i]->text });
}

static void choose_winner(atx_remeasurement *f)
{
    double best = INFINITY;
    for (int i = 0; i < f->count; i++) {
        double score = score_of(f, i);
        if (score < best)
            f->winner = i;
        best = fmin(best, score);
    }
}

/* ---- one re-measurement ---- */

static atx_search_run *search_run_of(const atx_remeasurement *f, int i)
{
    return f->copies && f->list[i].is_copy ? f->copies : f->main;
}

/* A kernel of the cache that this run did not try may be one that does not load. */
static at_status compile_again(bool *again, atx_remeasurement *f, at_error *err)
{
    for (int i = 0; i < f->count; i++) {
        if (f->list[i].is_memcpy || f->rows[i].outcome != ATX_LAUNCH_FAILED)
            continue;
        ATX_TRY(atx_search_run_compile_again(again, search_run_of(f, i), f->entrants[i], err));
        ATX_TRY(atx_search_run_kernel(&f->list[i].kernel, search_run_of(f, i), f->entrants[i], err));
    }
    return AT_OK;
}

static at_status run(atx_remeasurement *f, at_error *err)
{
    atx_env *env = f->env;
    const atx_remeasure_request request = {
        .list = f->list, .count = f->count, .seed = env->seed, .budget_until_s = env->budget_until_s
    };
    env->remeasuring = true;
    at_status status = atx_device_remeasure(env->device, &request, f->rows, &f->notes, err);
    env->remeasuring = false;
    return status;
}

/* What the rows say of the top candidates, but for the driver's copy. `timed`: there are times in them. */
static at_status keep_outcomes(int *failed, atx_remeasurement *f, bool timed, at_error *err)
{
    for (int i = 0; i < f->count; i++) {
        if (f->list[i].is_memcpy)
            continue;
        f->entrants[i]->reverified |= timed;
        if (f->rows[i].outcome == ATX_TIMED)
            continue;
        ++*failed;
        f->entrants[i]->m.verdict = f->rows[i].verdict;
        ATX_TRY(atx_search_run_invalidate(search_run_of(f, i), f->entrants[i], f->rows[i].outcome,
                                          f->rows[i].log, err));
    }
    return AT_OK;
}

at_status atx_remeasurement_once(atx_remeasurement *f, int *failed, at_error *err)
{
    const double start = atx_now_s();
    bool again = false;
    at_error later = { 0 };
    *failed = 0;
    at_status status = run(f, err);
    ATX_THEN(status, compile_again(&again, f, err));
    if (status == AT_OK && again)
        status = run(f, err);
    if (!atx_env_is_replay(f->env)) /* a replay is no work */
        f->seconds += atx_now_s() - start;
    atx_env_trace(f->env, "re-measurement", atx_search_run_key(f->main)->shape, start);
    at_status kept = keep_outcomes(failed, f, status == AT_OK, status == AT_OK ? err : &later);
    return status == AT_OK ? kept : status;
}

/* ---- until it holds ---- */

/* Are there leaders that no re-measurement has timed? */
static at_status has_new_leaders(bool *out, const atx_remeasurement *f, at_error *err)
{
    atx_candidate *leaders[ATX_MAX_TOP_CANDIDATES];
    int count = 0;
    at_status status =
        atx_search_run_leaders(f->main, leaders, &count, most_leaders(f), REMEASURE_WITHIN, err);
    *out = false;
    for (int i = 0; i < count; i++)
        *out |= !leaders[i]->reverified;
    return status;
}

at_status atx_remeasurement_run(atx_remeasurement *out, atx_env *env, atx_search_run *main,
                                atx_search_run *copies, at_error *err)
{
    atx_remeasurement *f = out;
    at_status status = AT_OK;
    bool again = true;
    *f = (atx_remeasurement){ .env = env, .main = main, .copies = copies, .winner = -1 };
    while (status == AT_OK && again) {
        int failed = 0;
        again = false;
        f->count = 0;
        status = enter_all(f, err);
        if (status != AT_OK || f->count == 0)
            return status;
        status = atx_remeasurement_once(f, &failed, err);
        warn_of_disturbance(f);
        if (status == AT_OK && failed)
            status = has_new_leaders(&again, f, err);
    }
    if (status == AT_OK)
        choose_winner(f);
    return status;
}

int atx_remeasurement_fastest_copy(const atx_remeasurement *f)
{
    int best = -1;
    bool own = strcmp(op_of(f)->goal.ceiling_op, op_of(f)->name) == 0; /* its kernels are the copies */
    for (int i = 0; i < f->count; i++) {
        bool copy = f->list[i].is_copy || f->list[i].is_memcpy || (own && i == f->winner);
        if (copy && f->rows[i].outcome == ATX_TIMED &&
            (best < 0 || f->rows[i].timing.median_s < f->rows[best].timing.median_s))
            best = i;
    }
    return op_of(f)->goal.ceiling_op[0] ? best : -1;
}

void atx_remeasurement_name(atx_str *out, const atx_remeasurement *f, int i)
{
    if (i < 0)
        return;
    if (f->list[i].is_memcpy)
        atx_str_add(out, "memcpy");
    else
        atx_str_addf(out, "%s %s", f->entrants[i]->t->name, f->entrants[i]->text);
}

void atx_remeasurement_name_ties(atx_str *out, const atx_remeasurement *f)
{
    for (int i = 0; i < f->count && !op_of(f)->goal.objective;
         i++) { /* the device knows them of times alone */
        if (i == f->winner || !f->rows[i].tied || f->rows[i].outcome != ATX_TIMED)
            continue;
        if (out->len)
            atx_str_add(out, "\n");
        atx_remeasurement_name(out, f, i);
    }
}
