/*
 * session_winner.c - from a re-measurement to a row of the store, and back: the stored data of a winner, and
 * whether an earlier winner is already the answer.
 *
 * A search that ended by itself is complete although it left configurations out. Its winner belongs to a run
 * of its own, whose strategy is "NAME, settled", so that the next run knows.
 */
#include "tune/session_internal.h"

#include "lookup/lookup.h"
#include "util/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* By which a look-up says which of them is another one. */
static at_status keep_header_list(const atx_job *j, const char *note, at_error *err)
{
    ATX_LOCAL(atx_str) list = { 0 };
    char hash[ATX_HASH_TEXT];
    at_status status = note ? atx_catalog_header_list(&list, j->env->catalog, note, err) : AT_OK;
    if (status == AT_OK && list.len) {
        atx_hash_text(hash, list.data, list.len);
        status = atx_store_put_source(j->env->store, hash, ATX_HEADERS_PATH, list.data, list.len, err);
    }
    return status;
}

static at_status keep_sources(const atx_job *j, const atx_template *t, const char *op_hash, at_error *err)
{
    const atx_op *op = atx_search_run_problem(j->main)->op;
    atx_store *store = j->env->store;
    ATX_TRY(atx_store_put_source(store, t->text.hash, t->text.file, t->text.source, t->text.source_len, err));
    ATX_TRY(
        atx_store_put_source(store, op->text.hash, op->text.file, op->text.source, op->text.source_len, err));
    ATX_TRY(keep_header_list(j, t->text.headers, err));
    ATX_TRY(keep_header_list(j, op->text.headers, err));
    return atx_store_put_space(store, op_hash, op->text.proof_hash, err);
}

/* A run over part of the space must not replace what the whole space gave. */
static bool restricted(const atx_tune_options *o)
{
    return o->fix_count > 0 || o->templates;
}

/* ... but one that is out of date it may. */
static at_status may_keep(bool *keep, const atx_job *j)
{
    ATX_LOCAL(atx_answer) before = { 0 };
    atx_geometry ignored;
    *keep = true;
    if (!restricted(j->env->options))
        return AT_OK;
    at_status status = atx_store_find_winner(&before, j->env->store, atx_search_run_key(j->main),
                                             &j->env->fingerprint, NULL, NULL);
    if (status == AT_OK)
        *keep = atx_lookup_check_winner(&ignored, &before, j->env->store, j->env->catalog,
                                        atx_search_run_problem(j->main), NULL) != AT_OK;
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

/* An answer as the store would give it, for the report. */
static at_status copy_answer(atx_answer *out, const atx_job *j, const atx_winner *w, at_error *err)
{
    const atx_problem_key *key = atx_search_run_key(j->main);
    char now[21];
    atx_utc_text(now);
    const atx_answer a = { .winner = *w,
                           .fingerprint = j->env->fingerprint,
                           .op = (char *)(uintptr_t)key->op, /* these four are copied, not written */
                           .shape = (char *)(uintptr_t)key->shape,
                           .type_key = (char *)(uintptr_t)key->type_key,
                           .measured_at = now,
                           .elements = key->elements,
                           .traffic_bytes = key->traffic_bytes,
                           .ops_count = key->ops_count };
    return atx_answer_copy(out, &a) ? AT_OK : atx_no_memory(err);
}

/*
 * What the store says of the run of a winner whose search ended by itself. Such a search is complete although
 * it left configurations out, and is not begun again.
 */
static void name_converged(char out[ATX_MAX_NAME], const atx_search_run *c)
{
    snprintf(out, ATX_MAX_NAME, "%s, settled", atx_search_run_strategy(c));
}

/* The run that the winner belongs to. */
static at_status winner_run(int64_t *run_id, const atx_job *j, at_error *err)
{
    char name[ATX_MAX_NAME];
    *run_id = j->env->run_id;
    if (!atx_search_run_tally(j->main)->converged)
        return AT_OK;
    name_converged(name, j->main);
    ATX_TRY(j->s->converged_run_id ? AT_OK : atx_session_begin_run(&j->s->converged_run_id, j->s, name, err));
    *run_id = j->s->converged_run_id;
    return AT_OK;
}

/* Copies of another op are its ceiling. */
static bool has_copies(const atx_job *j)
{
    atx_problem copy;
    const atx_problem *problem = atx_search_run_problem(j->main);
    return !problem->op->goal.peak &&
           atx_setup_ceiling(&copy, j->env, problem, atx_search_run_slots(j->main));
}

/* A run that times no copies keeps what an earlier one measured: memcpy alone, which is slow for few bytes,
 * is no ceiling. */
static void keep_ceiling(atx_str *name, double *seconds, const atx_job *j)
{
    ATX_LOCAL(atx_answer) before = { 0 };
    if (atx_store_find_winner(&before, j->env->store, atx_search_run_key(j->main), &j->env->fingerprint, NULL,
                              NULL) != AT_OK)
        return;
    *seconds = before.winner.ceiling_s;
    atx_str_add(name, before.winner.ceiling_name);
}

/* What the winner is held against: the re-measurement's fastest copy, or the rate that the op declares. */
static at_status name_ceiling(atx_str *name, double *seconds, const atx_job *j, at_error *err)
{
    const atx_op *op = atx_search_run_problem(j->main)->op;
    const bool none = j->env->options->no_copies && has_copies(j);
    const int copy = none ? -1 : atx_remeasurement_fastest_copy(&j->remeasured);
    int64_t gflops = 0;
    *seconds = copy >= 0 ? j->remeasured.rows[copy].timing.median_s : 0;
    atx_remeasurement_name(name, &j->remeasured, copy);
    if (none)
        keep_ceiling(name, seconds, j);
    if (!op->goal.peak)
        return AT_OK;
    at_status status = atx_problem_peak(seconds, &gflops, op, atx_search_run_slots(j->main), err);
    atx_str_addf(name, "%" PRId64 ATX_PEAK_UNIT, gflops);
    return status;
}

/* Unless the store's own is to stay. */
static at_status put_winner(atx_job *j, const atx_winner *w, at_error *err)
{
    int64_t run_id = 0;
    bool keep = false;
    at_status status = may_keep(&keep, j);
    if (status != AT_OK || !keep)
        return status;
    status = winner_run(&run_id, j, err);
    ATX_THEN(status, atx_store_put_winner(j->env->store, run_id, atx_search_run_key(j->main),
                                          &j->env->fingerprint, w, err));
    if (status == AT_OK)
        atx_builder_keep(&j->env->builder, w->source_hash);
    return status;
}

at_status atx_session_keep_winner(atx_job *j, atx_answer *answer, at_error *err)
{
    ATX_LOCAL(atx_str) ceiling = { 0 }, ties = { 0 };
    char op_hash[ATX_HASH_TEXT];
    double ceiling_s = 0;
    const atx_candidate *a = j->remeasured.entrants[j->remeasured.winner];
    const atx_op *op = atx_search_run_problem(j->main)->op;
    const atx_kernel *kernel = &j->remeasured.list[j->remeasured.winner].kernel;

    atx_catalog_op_hash(op_hash, j->env->catalog, op);
    at_status status = name_ceiling(&ceiling, &ceiling_s, j, err);
    atx_remeasurement_name_ties(&ties, &j->remeasured);
    const atx_winner w = { .template_name = a->t->name,
                           .template_hash = a->t->text.hash,
                           .config = a->text,
                           .source_hash = a->build.source_hash,
                           .op_hash = op_hash,
                           .objective = op->goal.objective_text,
                           .timing = j->remeasured.rows[j->remeasured.winner].timing,
                           .ceiling_s = ceiling_s,
                           .ceiling_name = atx_str_text(&ceiling),
                           .ties = atx_str_text(&ties),
                           .trials = atx_search_run_tally(j->main)->decided,
                           .space_count = atx_search_run_tally(j->main)->total,
                           .geometry = kernel->geometry,
                           .resources = atx_search_run_resources(j->main, a, kernel),
                           .elapsed_s = atx_now_s() - j->started_s,
                           .conditions = j->remeasured.notes.conditions };
    ATX_THEN(status, keep_sources(j, a->t, op_hash, err));
    ATX_THEN(status, put_winner(j, &w, err));
    ATX_THEN(status, copy_answer(answer, j, &w, err));
    return status;
}

/* Did the search that found the winner end by itself, as this one would? */
static bool was_converged(const atx_job *j)
{
    ATX_LOCAL(atx_str) strategy = { 0 };
    char name[ATX_MAX_NAME];
    name_converged(name, j->main);
    bool found = atx_store_winner_strategy(&strategy, j->env->store, atx_search_run_key(j->main),
                                           &j->env->fingerprint, NULL) == AT_OK;
    return found && strcmp(atx_str_text(&strategy), name) == 0;
}

/* The launch as the template declares it: what is stored may come from anyone. false: the configuration is
 * none here. */
static bool compute_launch(atx_winner *w, const atx_job *j)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    const atx_op *op = atx_search_run_problem(j->main)->op;
    const atx_template *t = atx_catalog_find_template(j->env->catalog, op, w->template_name);
    atx_config config;
    memcpy(slots, atx_search_run_slots(j->main), (size_t)op->scope.symbols.count * sizeof *slots);
    return t && atx_config_parse(&config, t, w->config, NULL) == AT_OK &&
           atx_config_validate(slots, t, &config, NULL) == AT_OK &&
           atx_geometry_of(&w->geometry, &t->call.steps[0].launch, slots, NULL) == AT_OK;
}

bool atx_session_is_answered(const atx_job *j, atx_answer *answer)
{
    const atx_tune_options *o = j->env->options;
    return !o->force && !o->front && !restricted(o) &&
           (answer->winner.ceiling_s > 0 || o->no_copies || !has_copies(j)) &&
           atx_catalog_has_op_hash(j->env->catalog, atx_search_run_problem(j->main)->op,
                                   answer->winner.op_hash) &&
           (o->budget_s > 0 || answer->winner.trials >= atx_search_run_tally(j->main)->limit ||
            was_converged(j)) &&
           atx_winner_check(&answer->winner, NULL) == AT_OK && compute_launch(&answer->winner, j);
}
