/*
 * final.c - the entrants, in this order: the leaders of the search, the former winner on this device model,
 * the default of the fastest template, the fastest plain copies, the driver's memcpy. The device times them
 * interleaved; the fastest right kernel of the op itself wins (the best, where it has an objective),
 * whatever its trial had said. Where some fail, the leaders are others than before, and those who have not
 * been in a final yet play in the next one. Each final has fewer candidates, so there is a last one.
 */
#include "tune/final.h"

#include "tune/setup.h"

#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Noise of a trial's few samples is a few per cent: whoever is that close may be the best. */
#define FINAL_WITHIN 0.06
#define MAX_LEADERS  10
#define COPY_WITHIN  0.05
#define MAX_COPIES   4

static const at__op *op_of(const at__final *f)
{
    return at__contest_problem(f->main)->op;
}

static void warn_of_disturbance(const at__final *f)
{
    if (f->notes.discarded)
        at__env_warn(f->env,
                     "GPU %d: %lld rounds of the final of %s were thrown away and taken again: %s at %lld C, "
                     "%lld W; see to its cooling and power",
                     at__device_info_of(f->env->device)->ordinal, (long long)f->notes.discarded,
                     at__contest_key(f->main)->shape, f->notes.why,
                     (long long)f->notes.conditions.temperature_c, (long long)f->notes.conditions.power_w);
}

static at_status add_entrant(at__final *f, at__contest *c, at__candidate *a, at_error *err)
{
    f->entrants[f->count] = a;
    f->list[f->count] = (at__finalist){ .is_copy = at__contest_is_copy(c) };
    at_status status = at__contest_kernel(&f->list[f->count].kernel, c, a, err);
    f->count++;
    return status;
}

static at_status enter(at__final *f, at__contest *c, int max, double within, at_error *err)
{
    at__candidate *leaders[AT__MAX_FINALISTS];
    int count = 0;
    at_status status = at__contest_leaders(c, leaders, &count, max, within, err);
    for (int i = 0; i < count && status == AT_OK; i++)
        status = add_entrant(f, c, leaders[i], err);
    return status;
}

static at_status enter_config(at__final *f, const at__template *t, const char *config, at_error *err)
{
    at__candidate *a = NULL;
    at_status status = at__contest_entrant(&a, f->main, t, config, err);
    for (int i = 0; i < f->count && a; i++)
        if (f->entrants[i] == a)
            return status; /* it is there by its own merit */
    return status == AT_OK && a ? add_entrant(f, f->main, a, err) : status;
}

/* A winner must also beat who won before on this device model, whatever the driver was then ... */
static at_status enter_champion(at__final *f, at_error *err)
{
    const at__env *env = f->env;
    at__answer before = { 0 };
    at_status status = at__store_find_winner(&before, env->store, at__contest_key(f->main), NULL,
                                             env->fingerprint.device, NULL);
    if (status == AT_OK && before.fingerprint.cold == env->fingerprint.cold) {
        const at__template *t =
            at__catalog_find_template(env->catalog, op_of(f), before.winner.template_name);
        if (t && at__template_has_hash(t, before.winner.template_hash))
            status = enter_config(f, t, before.winner.config, err);
    }
    at__answer_clear(&before);
    return status == AT_ERR_MEMORY ? status : AT_OK;
}

/* ... and what its own template does when nobody tunes it. */
static at_status enter_default(at__final *f, at_error *err)
{
    const at__template *t = f->entrants[0]->t;
    at__config config;
    at__str text = { 0 };
    memcpy(config.values, t->defaults, sizeof config.values);
    at__config_text(&text, t, &config);
    at_status status = at__str_status(&text, err);
    if (status == AT_OK)
        status = enter_config(f, t, at__str_text(&text), err);
    at__str_clear(&text);
    return status;
}

static at_status enter_all(at__final *f, at_error *err)
{
    at_status status = enter(f, f->main, MAX_LEADERS, FINAL_WITHIN, err);
    if (status != AT_OK || f->count == 0)
        return status;
    status = enter_champion(f, err);
    if (status == AT_OK)
        status = enter_default(f, err);
    if (status == AT_OK && f->copies)
        status = enter(f, f->copies, MAX_COPIES, COPY_WITHIN, err);
    if (at__setup_has_copies(f->env, at__contest_problem(f->main), at__contest_slots(f->main)))
        f->list[f->count++] = (at__finalist){ .is_memcpy = true };
    return status;
}

/* By its times of the final. INFINITY: it is out of the question. */
static double score_of(const at__final *f, int i)
{
    if (f->list[i].is_copy || f->list[i].is_memcpy || f->rows[i].outcome != AT__TIMED)
        return INFINITY;
    const at__resources r = at__contest_resources(f->main, f->entrants[i], &f->list[i].kernel);
    return at__contest_score(f->main, &(at__record){ &f->rows[i].timing, &r, f->entrants[i]->text });
}

static void choose_winner(at__final *f)
{
    double best = INFINITY;
    for (int i = 0; i < f->count; i++) {
        double score = score_of(f, i);
        if (score < best)
            f->winner = i;
        best = fmin(best, score);
    }
}

/* ---- one final ---- */

static at__contest *contest_of(const at__final *f, int i)
{
    return f->copies && f->list[i].is_copy ? f->copies : f->main;
}

/* A kernel of the cache that this run did not try may be one that does not load. */
static at_status compile_again(bool *again, at__final *f, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < f->count && status == AT_OK; i++) {
        if (f->list[i].is_memcpy || f->rows[i].outcome != AT__LAUNCH_FAILED)
            continue;
        status = at__contest_compile_again(again, contest_of(f, i), f->entrants[i], err);
        if (status == AT_OK)
            status = at__contest_kernel(&f->list[i].kernel, contest_of(f, i), f->entrants[i], err);
    }
    return status;
}

static at_status run(at__final *f, at_error *err)
{
    const at__env *env = f->env;
    return at__device_final(env->device, f->list, f->count, env->seed, env->budget_until_s, f->rows,
                            &f->notes, err);
}

/* What the rows say of the finalists, but for the driver's copy. `timed`: there are times in them. */
static at_status keep_outcomes(int *failed, at__final *f, bool timed, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < f->count && status == AT_OK; i++) {
        if (f->list[i].is_memcpy)
            continue;
        f->entrants[i]->remeasured |= timed;
        if (f->rows[i].outcome == AT__TIMED)
            continue;
        ++*failed;
        status =
            at__contest_invalidate(contest_of(f, i), f->entrants[i], f->rows[i].outcome, f->rows[i].log, err);
    }
    return status;
}

at_status at__final_play(at__final *f, int *failed, at_error *err)
{
    const double start = at__now_s();
    bool again = false;
    at_error later = { 0 };
    *failed = 0;
    at_status status = run(f, err);
    if (status == AT_OK)
        status = compile_again(&again, f, err);
    if (status == AT_OK && again)
        status = run(f, err);
    if (!at__env_is_replay(f->env)) /* a replay is no work */
        f->seconds += at__now_s() - start;
    at__env_trace(f->env, "final", at__contest_key(f->main)->shape, start);
    at_status kept = keep_outcomes(failed, f, status == AT_OK, status == AT_OK ? err : &later);
    return status == AT_OK ? kept : status;
}

/* ---- until it holds ---- */

/* Are there leaders that no final has timed? */
static at_status has_new_leaders(bool *out, const at__final *f, at_error *err)
{
    at__candidate *leaders[AT__MAX_FINALISTS];
    int count = 0;
    at_status status = at__contest_leaders(f->main, leaders, &count, MAX_LEADERS, FINAL_WITHIN, err);
    *out = false;
    for (int i = 0; i < count; i++)
        *out |= !leaders[i]->remeasured;
    return status;
}

at_status at__final_run(at__final *out, at__env *env, at__contest *main, at__contest *copies, at_error *err)
{
    at__final *f = out;
    at_status status = AT_OK;
    bool again = true;
    *f = (at__final){ .env = env, .main = main, .copies = copies, .winner = -1 };
    while (status == AT_OK && again) {
        int failed = 0;
        again = false;
        f->count = 0;
        status = enter_all(f, err);
        if (status != AT_OK || f->count == 0)
            return status;
        status = at__final_play(f, &failed, err);
        warn_of_disturbance(f);
        if (status == AT_OK && failed)
            status = has_new_leaders(&again, f, err);
    }
    if (status == AT_OK)
        choose_winner(f);
    return status;
}

int at__final_fastest_copy(const at__final *f)
{
    int best = -1;
    bool own = strcmp(op_of(f)->ceiling_op, op_of(f)->name) == 0; /* its kernels are the copies */
    for (int i = 0; i < f->count; i++) {
        bool copy = f->list[i].is_copy || f->list[i].is_memcpy || (own && i == f->winner);
        if (copy && f->rows[i].outcome == AT__TIMED &&
            (best < 0 || f->rows[i].timing.median_s < f->rows[best].timing.median_s))
            best = i;
    }
    return op_of(f)->ceiling_op[0] ? best : -1;
}

void at__final_name(at__str *out, const at__final *f, int i)
{
    if (i < 0)
        return;
    if (f->list[i].is_memcpy)
        at__str_add(out, "memcpy");
    else
        at__str_addf(out, "%s %s", f->entrants[i]->t->name, f->entrants[i]->text);
}

void at__final_name_ties(at__str *out, const at__final *f)
{
    for (int i = 0; i < f->count && !op_of(f)->objective; i++) { /* the device knows them of times alone */
        if (i == f->winner || !f->rows[i].tied || f->rows[i].outcome != AT__TIMED)
            continue;
        if (out->len)
            at__str_add(out, "\n");
        at__final_name(out, f, i);
    }
}
