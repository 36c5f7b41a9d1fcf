/*
 * session_winner.c - from a final to a row of the store, and back: what is kept of a winner, and when an
 * earlier winner is the answer already.
 *
 * A search that ended by itself is complete although it left configurations out. Its winner belongs to a run
 * of its own, whose strategy is "NAME, settled", so that the next run knows.
 */
#include "tune/session_parts.h"

#include "lookup/lookup.h"
#include "util/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By which a look-up says which of them is another one. */
static at_status keep_header_list(const at__job *j, const char *note, at_error *err)
{
    at__str list = { 0 };
    char hash[AT__HASH_TEXT];
    at_status status = note ? at__catalog_header_list(&list, j->env->catalog, note, err) : AT_OK;
    if (status == AT_OK && list.len) {
        at__hash_text(hash, list.data, list.len);
        status = at__store_put_source(j->env->store, hash, AT__HEADERS_PATH, list.data, list.len, err);
    }
    at__str_clear(&list);
    return status;
}

static at_status keep_sources(const at__job *j, const at__template *t, const char *op_hash, at_error *err)
{
    const at__op *op = at__contest_problem(j->main)->op;
    at__store *store = j->env->store;
    at_status status = at__store_put_source(store, t->hash, t->file, t->source, t->source_len, err);
    if (status == AT_OK)
        status = at__store_put_source(store, op->hash, op->file, op->source, op->source_len, err);
    if (status == AT_OK)
        status = keep_header_list(j, t->headers, err);
    if (status == AT_OK)
        status = keep_header_list(j, op->headers, err);
    if (status == AT_OK)
        status = at__store_put_space(store, op_hash, op->proof_hash, err);
    return status;
}

/* A run over part of the space must not replace what the whole space gave. */
static bool restricted(const at__tune_options *o)
{
    return o->fix_count > 0 || o->templates;
}

/* ... but one that is out of date it may. */
static at_status may_keep(bool *keep, const at__job *j)
{
    at__answer before = { 0 };
    at__geometry ignored;
    *keep = true;
    if (!restricted(j->env->options))
        return AT_OK;
    at_status status = at__store_find_winner(&before, j->env->store, at__contest_key(j->main),
                                             &j->env->fingerprint, NULL, NULL);
    if (status == AT_OK)
        *keep = at__lookup_stands(&ignored, &before, j->env->store, j->env->catalog,
                                  at__contest_problem(j->main), NULL) != AT_OK;
    at__answer_clear(&before);
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

/* An answer as the store would give it, for the report. */
static at_status copy_answer(at__answer *out, const at__job *j, const at__winner *w, at_error *err)
{
    const at__problem_key *key = at__contest_key(j->main);
    char now[21];
    at__utc_text(now);
    const at__answer a = { .winner = *w,
                           .fingerprint = j->env->fingerprint,
                           .op = (char *)(uintptr_t)key->op, /* these four are copied, not written */
                           .shape = (char *)(uintptr_t)key->shape,
                           .type_key = (char *)(uintptr_t)key->type_key,
                           .measured_at = now,
                           .elements = key->elements,
                           .traffic_bytes = key->traffic_bytes,
                           .ops_count = key->ops_count };
    return at__answer_copy(out, &a) ? AT_OK : at_fail(err, AT_ERR_MEMORY, "out of memory");
}

/*
 * What the store says of the run of a winner whose search ended by itself. Such a search is complete although
 * it left configurations out, and is not begun again.
 */
static void name_settled(char out[AT__MAX_NAME], const at__contest *c)
{
    snprintf(out, AT__MAX_NAME, "%s, settled", at__contest_strategy(c));
}

/* The run that the winner belongs to. */
static at_status winner_run(int64_t *run_id, const at__job *j, at_error *err)
{
    char name[AT__MAX_NAME];
    *run_id = j->env->run_id;
    if (!at__contest_tally(j->main)->settled)
        return AT_OK;
    name_settled(name, j->main);
    at_status status =
        j->s->settled_run_id ? AT_OK : at__session_begin_run(&j->s->settled_run_id, j->s, name, err);
    *run_id = j->s->settled_run_id;
    return status;
}

/* What the winner is held against: the final's fastest copy, or the rate that the op declares. */
static at_status name_ceiling(at__str *name, double *seconds, const at__job *j, at_error *err)
{
    const at__op *op = at__contest_problem(j->main)->op;
    const int copy = at__final_fastest_copy(&j->final);
    int64_t gflops = 0;
    *seconds = copy >= 0 ? j->final.rows[copy].timing.median_s : 0;
    at__final_name(name, &j->final, copy);
    if (!op->peak)
        return AT_OK;
    at_status status = at__problem_peak(seconds, &gflops, op, at__contest_slots(j->main), err);
    at__str_addf(name, "%" PRId64 AT__PEAK_UNIT, gflops);
    return status;
}

/* Unless the store's own is to stay. */
static at_status put_winner(at__job *j, const at__winner *w, at_error *err)
{
    int64_t run_id = 0;
    bool keep = false;
    at_status status = may_keep(&keep, j);
    if (status != AT_OK || !keep)
        return status;
    status = winner_run(&run_id, j, err);
    if (status == AT_OK)
        status = at__store_put_winner(j->env->store, run_id, at__contest_key(j->main), &j->env->fingerprint,
                                      w, err);
    if (status == AT_OK)
        at__builder_keep(&j->env->builder, w->source_hash);
    return status;
}

at_status at__session_keep_winner(at__job *j, at__answer *answer, at_error *err)
{
    at__str ceiling = { 0 }, ties = { 0 };
    char op_hash[AT__HASH_TEXT];
    double ceiling_s = 0;
    const at__candidate *a = j->final.entrants[j->final.winner];
    const at__op *op = at__contest_problem(j->main)->op;
    const at__kernel *kernel = &j->final.list[j->final.winner].kernel;

    at__catalog_op_hash(op_hash, j->env->catalog, op);
    at_status status = name_ceiling(&ceiling, &ceiling_s, j, err);
    at__final_name_ties(&ties, &j->final);
    const at__winner w = { .template_name = a->t->name,
                           .template_hash = a->t->hash,
                           .config = a->text,
                           .source_hash = a->build.source_hash,
                           .op_hash = op_hash,
                           .objective = op->objective_text,
                           .timing = j->final.rows[j->final.winner].timing,
                           .ceiling_s = ceiling_s,
                           .ceiling_name = at__str_text(&ceiling),
                           .ties = at__str_text(&ties),
                           .trials = at__contest_tally(j->main)->decided,
                           .space_count = at__contest_tally(j->main)->total,
                           .geometry = kernel->geometry,
                           .resources = at__contest_resources(j->main, a, kernel),
                           .elapsed_s = at__now_s() - at__contest_tally(j->main)->started_s,
                           .conditions = j->final.notes.conditions };
    if (status == AT_OK)
        status = keep_sources(j, a->t, op_hash, err);
    if (status == AT_OK)
        status = put_winner(j, &w, err);
    if (status == AT_OK)
        status = copy_answer(answer, j, &w, err);
    at__str_clear(&ceiling);
    at__str_clear(&ties);
    return status;
}

/* Did the search that found the winner end by itself, as this one would? */
static bool was_settled(const at__job *j)
{
    at__str strategy = { 0 };
    char name[AT__MAX_NAME];
    name_settled(name, j->main);
    bool found = at__store_winner_strategy(&strategy, j->env->store, at__contest_key(j->main),
                                           &j->env->fingerprint, NULL) == AT_OK;
    bool settled = found && strcmp(at__str_text(&strategy), name) == 0;
    at__str_clear(&strategy);
    return settled;
}

/* The launch as the template declares it: what is stored may come from anyone. false: the configuration is
 * none here. */
static bool compute_launch(at__winner *w, const at__job *j)
{
    int64_t slots[AT__MAX_SLOTS] = { 0 };
    const at__op *op = at__contest_problem(j->main)->op;
    const at__template *t = at__catalog_find_template(j->env->catalog, op, w->template_name);
    at__config config;
    memcpy(slots, at__contest_slots(j->main), (size_t)op->symbols.count * sizeof *slots);
    return t && at__config_parse(&config, t, w->config, NULL) == AT_OK &&
           at__config_validate(slots, t, &config, NULL) == AT_OK &&
           at__geometry_of(&w->geometry, &t->launch, slots, NULL) == AT_OK;
}

bool at__session_is_answered(const at__job *j, at__answer *answer)
{
    const at__tune_options *o = j->env->options;
    return !o->force && !restricted(o) &&
           at__catalog_has_op_hash(j->env->catalog, at__contest_problem(j->main)->op,
                                   answer->winner.op_hash) &&
           (o->budget_s > 0 || answer->winner.trials >= at__contest_tally(j->main)->limit ||
            was_settled(j)) &&
           at__winner_check(&answer->winner, NULL) == AT_OK && compute_launch(&answer->winner, j);
}
