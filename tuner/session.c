/*
 * session.c - one problem on one device, from its buffers to its stored winner; see tune.h.
 *
 * The steps: buffers and the right answer; plain copies of the same bytes (the ceiling); the op's own
 * configurations; the final, in which the fastest of both and the driver's memcpy are timed again,
 * interleaved.
 */
#include "contest.h"

#include "render.h"
#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Noise of a trial's few samples is a few per cent: whoever is that close may be the best. */
#define FINAL_WITHIN 0.06
#define MAX_LEADERS  10
#define COPY_WITHIN  0.05
#define MAX_COPIES   4

at_status at__problem_key_of(at__problem_key *out, at__str *shape, const at__problem *problem, at_error *err)
{
    static const at__limits NO_DEVICE = { 0 };
    int64_t slots[AT__MAX_SLOTS];
    at__problem_key key = { .op = problem->op->name, .elements = 1 };

    at_status status = at__problem_bind(slots, problem, &NO_DEVICE, err);
    if (status == AT_OK && problem->op->traffic)
        status = at__expr_eval(&key.traffic_bytes, problem->op->traffic, slots, err);
    if (status != AT_OK)
        return status;
    at__str_reset(shape);
    at__problem_shape(shape, problem);
    for (int i = 0; i < problem->op->dim_count; i++)
        if (__builtin_mul_overflow(key.elements, problem->dims[i], &key.elements))
            key.elements = INT64_MAX;
    key.shape = at__str_text(shape);
    key.type_key = at__dtype_key(problem->type, problem->op->storage);
    *out = key;
    return at__str_check(shape, err);
}

static at_status compile_checks(at__session *s, at_error *err)
{
    at__str_add_bytes(&s->checks.source, at__embedded_checks[0].data, at__embedded_checks[0].len);
    at_status status = at__str_check(&s->checks.source, err);
    if (status == AT_OK)
        status = at__build_look_up(&s->checks, &s->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&s->checks, &s->builder, at__embedded_checks[0].path, err);
    if (status == AT_OK && !s->checks.ok)
        status = at_fail(err, AT_ERR_DEVICE, "NVRTC does not compile %s for sm_%d: %s",
                         at__embedded_checks[0].path, s->builder.cc, at__str_text(&s->checks.log));
    return status;
}

static void take_fingerprint(at__session *s)
{
    const at__device_info *info = at__device_info_of(s->device);
    at__fingerprint *f = &s->fingerprint;
    snprintf(f->device, sizeof f->device, "%s", info->name);
    snprintf(f->driver, sizeof f->driver, "%s", info->driver);
    snprintf(f->nvrtc, sizeof f->nvrtc, "%s",
             s->builder.nvrtc ? at__nvrtc_version(s->builder.nvrtc) : info->nvrtc);
    snprintf(f->tool, sizeof f->tool, "%s", AT_VERSION);
    f->cc = info->limits.cc;
    f->sms = info->limits.sms;
    f->memory_mib = info->limits.memory_bytes >> 20;
    f->cold = !s->options->warm;
}

static at_status begin_run(int64_t *run_id, at__session *s, const char *strategy, at_error *err)
{
    char host[256] = "";
    const at__tune_options *o = s->options;
    gethostname(host, sizeof host - 1);
    at__run_info info = { .command = o->command ? o->command : "",
                          .strategy = strategy,
                          .seed = o->seed,
                          .device_uuid = at__device_info_of(s->device)->uuid,
                          .host = host };
    return at__store_begin_run(run_id, s->store, &info, err);
}

static at_status open_nvrtc(at__builder *b, at_error *err)
{
    at_status status = at__nvrtc_open(&b->nvrtc, err);
    if (status == AT_OK && !at__nvrtc_supports(b->nvrtc, b->cc))
        status = at_fail(err, AT_ERR_DEVICE,
                         "NVRTC %s (%s) cannot compile for sm_%d; install a newer or older CUDA toolkit",
                         at__nvrtc_version(b->nvrtc), at__nvrtc_path(b->nvrtc), b->cc);
    return status;
}

static at_status open_pool(at__session *s, int workers, at_error *err)
{
    if (s->options->cache_path &&
        at__store_open(&s->cache, s->options->cache_path, AT__STORE_WRITE, &s->builder.cache_error) == AT_OK)
        s->builder.cache = s->cache;
    return at__pool_open(&s->builder.pool, (at__pool_options){ .workers = workers }, err);
}

static void tell_of_replay(const at__session *s)
{
    char text[512];
    const at__device_info *info = at__device_info_of(s->device);
    snprintf(text, sizeof text,
             "this is a %s: times are those of the recording, nothing is measured here; results go to %s",
             info->name, s->options->db_path);
    s->events->warning(s->events->context, text);
}

/* What makes figures doubtful before anything is measured. */
static void tell_of_doubts(const at__session *s)
{
    char text[256];
    const at__device_info *info = at__device_info_of(s->device);
    if (info->other_processes > 0) {
        snprintf(text, sizeof text,
                 "GPU %d: %lld other process%s use%s it; figures may suffer: end them, or take another GPU",
                 info->ordinal, (long long)info->other_processes, info->other_processes == 1 ? "" : "es",
                 info->other_processes == 1 ? "s" : "");
        s->events->warning(s->events->context, text);
    }
    if (info->ecc_errors > 0) {
        snprintf(text, sizeof text,
                 "GPU %d: %lld uncorrected memory errors since its driver was loaded; results may be wrong",
                 info->ordinal, (long long)info->ecc_errors);
        s->events->warning(s->events->context, text);
    }
}

at_status at__session_open(at__session *s, const at__catalog *catalog, const at__tune_options *options,
                           at__device *device, int workers, const at__tune_events *events, at_error *err)
{
    *s = (at__session){
        .catalog = catalog, .options = options, .device = device, .seed = options->seed, .events = events
    };
    s->builder.cc = (int)at__device_info_of(device)->limits.cc;
    bool replay = at__device_info_of(device)->ordinal == AT__REPLAY_ORDINAL;
    at_status status = replay ? AT_OK : open_nvrtc(&s->builder, err);
    if (status == AT_OK)
        status = at__store_open(&s->store, options->db_path, AT__STORE_WRITE, err);
    if (status == AT_OK && !replay)
        status = open_pool(s, workers, err);
    if (status == AT_OK)
        take_fingerprint(s);
    if (status == AT_OK)
        status = begin_run(&s->run_id, s, options->strategy ? options->strategy->name : "auto", err);
    if (status == AT_OK)
        status = compile_checks(s, err);
    if (status == AT_OK && replay)
        tell_of_replay(s);
    else if (status == AT_OK)
        tell_of_doubts(s);
    return status;
}

void at__session_close(at__session *s)
{
    at__build_clear(&s->checks);
    at__pool_close(s->builder.pool);
    at__nvrtc_close(s->builder.nvrtc);
    at__store_close(s->cache);
    if (s->store)
        at__store_close(s->store);
    *s = (at__session){ 0 };
}

at_status at__session_set_up(at__session *s, const at__contest *c, at_error *err)
{
    const at__op *op = c->problem.op;
    at__setup setup = { .check_cubin = s->checks.cubin.data,
                        .check_len = s->checks.cubin.len,
                        .warm = s->options->warm,
                        .seed = s->seed };
    at__build reference = { 0 };

    if (op->recorded && s->builder.nvrtc)
        return at_fail(err, AT_ERR_INPUT,
                       "%s: the operation %s is recorded, its kernels are not here; expected --device "
                       "replay:FILE",
                       op->file, op->name);
    if (op->recorded)
        return AT_OK;
    at_status status = at__render_reference(&reference.source, op, c->problem.type, err);
    if (status == AT_OK)
        status = at__build_look_up(&reference, &s->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&reference, &s->builder, op->file, err);
    if (status == AT_OK && !reference.ok)
        status = at_fail(err, AT_ERR_INPUT, "%s: the reference kernel does not compile:\n%s", op->file,
                         at__str_text(&reference.log));
    if (status == AT_OK)
        status = at__session_buffers(&setup, &c->problem, &c->key, c->slots, err);
    if (status == AT_OK)
        status = at__kernel_bind(&setup.reference, &reference, op->reference, &op->launch, op, c->slots, err);
    if (status == AT_OK)
        status = at__device_setup(s->device, &setup, err);
    at__build_clear(&reference);
    return status;
}

/* The problem that `ceiling` names; false when the op has none, or is its own ceiling. */
bool at__session_ceiling(at__problem *out, const at__session *s, const at__contest *c)
{
    const at__op *op = c->problem.op;
    const at__op *copy = op->ceiling_op[0] ? at__catalog_find_op(s->catalog, op->ceiling_op) : NULL;
    int64_t sizes[AT__MAX_DIMS];
    if (!copy || copy == op)
        return false;
    for (int i = 0; i < op->ceiling_dim_count; i++)
        if (at__expr_eval(&sizes[i], op->ceiling_dims[i], c->slots, NULL) != AT_OK)
            return false;
    return at__problem_init(out, copy, c->problem.type, sizes, op->ceiling_dim_count, NULL) == AT_OK;
}

/* Everything of one problem. */
typedef struct job {
    at__session *s;
    at__contest copies, main;
    bool has_copies;
    at__candidate *entrants[AT__MAX_FINALISTS]; /* NULL: the driver's memcpy */
    at__finalist list[AT__MAX_FINALISTS];
    at__final_row rows[AT__MAX_FINALISTS];
    int count;
    at__final_notes notes;
    double final_s; /* that the final took */
    int winner;     /* index of the winner; -1: none */
} job;

static void tell_of_disturbance(const job *j)
{
    char text[256];
    const at__session *s = j->s;
    if (!j->notes.discarded)
        return;
    snprintf(text, sizeof text,
             "GPU %d: %lld rounds of the final of %s were thrown away and taken again: %s at %lld C, %lld W; "
             "see to "
             "its cooling and power",
             at__device_info_of(s->device)->ordinal, (long long)j->notes.discarded, j->main.key.shape,
             j->notes.why, (long long)j->notes.conditions.temperature_c,
             (long long)j->notes.conditions.power_w);
    s->events->warning(s->events->context, text);
}

static void trace_device(const job *j, const char *what, double start_s)
{
    int ordinal = at__device_info_of(j->s->device)->ordinal;
    at__trace_span(j->s->options->trace, AT__TRACK_DEVICE, ordinal < 0 ? 0 : ordinal, 0, what,
                   j->main.key.shape, start_s, at__now_s());
}

static at_status run_copies(job *j, at_error *err)
{
    at__problem problem;
    if (!at__session_ceiling(&problem, j->s, &j->main))
        return AT_OK;
    at_status status = at__contest_open(&j->copies, j->s, &problem, true, err);
    j->has_copies = true;
    if (status == AT_OK) {
        j->copies.progress = j->main.progress;
        j->copies.progress.phase = AT__PHASE_CEILING;
        status = at__contest_run(&j->copies, err);
    }
    if (status == AT_OK && j->copies.best)
        j->main.ceiling_s = j->copies.best->m.median_s;
    return status;
}

static at_status add_entrant(job *j, at__contest *c, at__candidate *a, at_error *err)
{
    j->entrants[j->count] = a;
    j->list[j->count] = (at__finalist){ .is_copy = c->is_copy };
    at_status status = at__contest_kernel(&j->list[j->count].kernel, c, a, err);
    j->count++;
    return status;
}

static at_status enter(job *j, at__contest *c, int max, double within, at_error *err)
{
    at__candidate *leaders[AT__MAX_FINALISTS];
    int count = 0;
    at_status status = at__contest_leaders(c, leaders, &count, max, within, err);
    for (int i = 0; i < count && status == AT_OK; i++)
        status = add_entrant(j, c, leaders[i], err);
    return status;
}

static at_status enter_config(job *j, const at__template *t, const char *config, at_error *err)
{
    at__candidate *a = NULL;
    at_status status = at__contest_entrant(&a, &j->main, t, config, err);
    for (int i = 0; i < j->count && a; i++)
        if (j->entrants[i] == a)
            return status; /* it is there by its own merit */
    return status == AT_OK && a ? add_entrant(j, &j->main, a, err) : status;
}

/* A winner must also beat who won before on this device model, whatever the driver was then ... */
static at_status enter_champion(job *j, at_error *err)
{
    const at__session *s = j->s;
    const at__catalog *catalog = s->catalog;
    at__answer before = { 0 };
    at_status status =
        at__store_find_winner(&before, s->store, &j->main.key, NULL, s->fingerprint.device, NULL);
    if (status == AT_OK && before.fingerprint.cold == s->fingerprint.cold) {
        const at__template *t =
            at__catalog_find_template(catalog, j->main.problem.op, before.winner.template_name);
        if (t && strcmp(t->hash, before.winner.template_hash) == 0)
            status = enter_config(j, t, before.winner.config, err);
    }
    at__answer_clear(&before);
    return status == AT_ERR_MEMORY ? status : AT_OK;
}

/* ... and what its own template does when nobody tunes it. */
static at_status enter_default(job *j, at_error *err)
{
    const at__template *t = j->entrants[0]->t;
    at__config config;
    at__str text = { 0 };
    memcpy(config.values, t->defaults, sizeof config.values);
    at__config_text(&text, t, &config);
    at_status status = at__str_check(&text, err);
    if (status == AT_OK)
        status = enter_config(j, t, at__str_text(&text), err);
    at__str_clear(&text);
    return status;
}

static at_status run_final(job *j, at_error *err)
{
    bool copy_op = j->main.problem.op->ceiling_op[0] != '\0';
    at_status status = enter(j, &j->main, MAX_LEADERS, FINAL_WITHIN, err);
    j->winner = -1;
    if (status != AT_OK || j->count == 0)
        return status;
    status = enter_champion(j, err);
    if (status == AT_OK)
        status = enter_default(j, err);
    if (status == AT_OK && j->has_copies)
        status = enter(j, &j->copies, MAX_COPIES, COPY_WITHIN, err);
    if (copy_op)
        j->list[j->count++] = (at__finalist){ .is_memcpy = true };
    double start = at__now_s();
    if (status == AT_OK)
        status = at__device_final(j->s->device, j->list, j->count, j->s->seed, j->rows, &j->notes, err);
    if (at__device_info_of(j->s->device)->ordinal != AT__REPLAY_ORDINAL) /* a replay is no work */
        j->final_s = at__now_s() - start;
    trace_device(j, "final", start);
    tell_of_disturbance(j);
    for (int i = 0; i < j->count && status == AT_OK; i++)
        if (!j->list[i].is_copy && !j->list[i].is_memcpy && j->rows[i].outcome == AT__TIMED &&
            (j->winner < 0 || j->rows[i].median_s < j->rows[j->winner].median_s))
            j->winner = i;
    return status;
}

/* The fastest copy of the final: index, or -1. The op `copy` is its own ceiling. */
static int fastest_copy(const job *j)
{
    int best = -1;
    for (int i = 0; i < j->count; i++) {
        bool copy = j->list[i].is_copy || j->list[i].is_memcpy || (!j->has_copies && i == j->winner);
        if (copy && j->rows[i].outcome == AT__TIMED &&
            (best < 0 || j->rows[i].median_s < j->rows[best].median_s))
            best = i;
    }
    return j->main.problem.op->ceiling_op[0] ? best : -1;
}

static void name_entrant(at__str *out, const job *j, int i)
{
    if (i < 0)
        return;
    if (j->list[i].is_memcpy)
        at__str_add(out, "memcpy");
    else
        at__str_addf(out, "%s %s", j->entrants[i]->t->name, j->entrants[i]->text);
}

static void name_ties(at__str *out, const job *j)
{
    for (int i = 0; i < j->count; i++) {
        if (i == j->winner || !j->rows[i].tied || j->rows[i].outcome != AT__TIMED)
            continue;
        if (out->len)
            at__str_add(out, "\n");
        name_entrant(out, j, i);
    }
}

static at_status keep_sources(const job *j, const at__template *t, at_error *err)
{
    const at__op *op = j->main.problem.op;
    at_status status = at__store_put_source(j->s->store, t->hash, t->file, t->source, t->source_len, err);
    if (status == AT_OK)
        status = at__store_put_source(j->s->store, op->hash, op->file, op->source, op->source_len, err);
    return status;
}

/* A run over part of the space must not replace what the whole space gave. */
static bool restricted(const at__tune_options *o)
{
    return o->fix_count > 0 || o->templates;
}

static at_status answer_copy(at__answer *out, const job *j, const at__winner *w, at_error *err);

/*
 * What the store says of the run of a winner whose search ended by itself. Such a search is complete although
 * it left configurations out, and is not begun again.
 */
static void name_settled(char out[AT__MAX_NAME], const at__contest *c)
{
    snprintf(out, AT__MAX_NAME, "%s, settled", c->strategy->name);
}

/* The run that the winner belongs to. */
static at_status winner_run(int64_t *run_id, const job *j, at_error *err)
{
    char name[AT__MAX_NAME];
    *run_id = j->s->run_id;
    if (!j->main.settled)
        return AT_OK;
    name_settled(name, &j->main);
    at_status status = j->s->settled_run_id ? AT_OK : begin_run(&j->s->settled_run_id, j->s, name, err);
    *run_id = j->s->settled_run_id;
    return status;
}

static at_status keep_winner(job *j, at__answer *answer, at_error *err)
{
    at__str ceiling = { 0 }, ties = { 0 };
    char op_hash[AT__HASH_TEXT];
    const at__candidate *a = j->entrants[j->winner];
    const at__final_row *row = &j->rows[j->winner];
    const at__geometry *g = &j->list[j->winner].kernel.geometry;
    int copy = fastest_copy(j);
    int64_t run_id = 0;

    at__catalog_op_hash(op_hash, j->s->catalog, j->main.problem.op);
    name_entrant(&ceiling, j, copy);
    name_ties(&ties, j);
    at__winner w = { .template_name = a->t->name,
                     .template_hash = a->t->hash,
                     .config = a->text,
                     .source_hash = a->build.source_hash,
                     .op_hash = op_hash,
                     .median_s = row->median_s,
                     .min_s = row->min_s,
                     .spread = row->spread,
                     .samples = row->samples,
                     .ceiling_s = copy >= 0 ? j->rows[copy].median_s : 0,
                     .ceiling_name = at__str_text(&ceiling),
                     .ties = at__str_text(&ties),
                     .trials = j->main.decided,
                     .space_count = j->main.search.total,
                     .grid = { g->grid[0], g->grid[1], g->grid[2] },
                     .block = { g->block[0], g->block[1], g->block[2] },
                     .shared_bytes = g->shared_bytes,
                     .registers = a->m.registers,
                     .elapsed_s = at__now_s() - j->main.started_s,
                     .conditions = j->notes.conditions };
    at_status status = keep_sources(j, a->t, err);
    at__answer before = { 0 };
    if (status == AT_OK && restricted(j->s->options))
        status = at__store_find_winner(&before, j->s->store, &j->main.key, &j->s->fingerprint, NULL, NULL);
    bool keep = !restricted(j->s->options) ? status == AT_OK : status == AT_ERR_NOT_FOUND;
    at__answer_clear(&before);
    status = status == AT_ERR_NOT_FOUND ? AT_OK : status;
    if (status == AT_OK && keep)
        status = winner_run(&run_id, j, err);
    if (status == AT_OK && keep)
        status = at__store_put_winner(j->s->store, run_id, &j->main.key, &j->s->fingerprint, &w, err);
    if (status == AT_OK)
        status = answer_copy(answer, j, &w, err);
    at__str_clear(&ceiling);
    at__str_clear(&ties);
    return status;
}

static char *owned(const char *text, bool *failed)
{
    char *copy = at__text_copy(text, strlen(text));
    *failed |= !copy;
    return copy;
}

/* An answer as the store would give it, for the report. */
static at_status answer_copy(at__answer *out, const job *j, const at__winner *w, at_error *err)
{
    bool failed = false;
    char now[21];
    at__answer a = { .winner = *w,
                     .fingerprint = j->s->fingerprint,
                     .traffic_bytes = j->main.key.traffic_bytes };
    at__utc_text(now);
    a.winner.template_name = owned(w->template_name, &failed);
    a.winner.template_hash = owned(w->template_hash, &failed);
    a.winner.config = owned(w->config, &failed);
    a.winner.source_hash = owned(w->source_hash, &failed);
    a.winner.op_hash = owned(w->op_hash, &failed);
    a.winner.ceiling_name = owned(w->ceiling_name, &failed);
    a.winner.ties = owned(w->ties, &failed);
    a.op = owned(j->main.key.op, &failed);
    a.shape = owned(j->main.key.shape, &failed);
    a.type_key = owned(j->main.key.type_key, &failed);
    a.measured_at = owned(now, &failed);
    *out = a;
    return failed ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
}

/* Did the search that found the winner end by itself, as this one would? */
static bool was_settled(const at__session *s, const at__contest *c)
{
    at__str strategy = { 0 };
    char name[AT__MAX_NAME];
    name_settled(name, c);
    bool found = at__store_winner_strategy(&strategy, s->store, &c->key, &s->fingerprint, NULL) == AT_OK;
    bool settled = found && strcmp(at__str_text(&strategy), name) == 0;
    at__str_clear(&strategy);
    return settled;
}

/* Whether an earlier run has answered this already, as far as these options ask. */
static bool answered(const at__session *s, const at__contest *c, const at__answer *answer)
{
    const at__tune_options *o = s->options;
    char op_hash[AT__HASH_TEXT];
    int64_t wanted = c->search.max_trials;
    at__catalog_op_hash(op_hash, s->catalog, c->problem.op);
    return !o->force && !restricted(o) && strcmp(answer->winner.op_hash, op_hash) == 0 &&
           (o->budget_s > 0 || answer->winner.trials >= wanted || was_settled(s, c));
}

/* One of the failures of this run, for a reader who has not looked at any. */
static void name_failure(at__str *out, const at__contest *c)
{
    for (size_t i = 0; i < c->candidate_count; i++) {
        const at__candidate *a = c->candidates[i];
        const char *log = a->build.log.len && !a->build.ok ? at__str_text(&a->build.log) : a->m.log;
        if (!a->decided || a->m.outcome == AT__TIMED || !log[0])
            continue;
        at__str_addf(out, "; %s %s, for one: %s: %.*s", a->t->name, a->text, at__outcome_name(a->m.outcome),
                     (int)strcspn(log, "\n"), log);
        return;
    }
}

static void why_nothing(at__str *out, const job *j)
{
    const at__contest *c = &j->main;
    if (c->search.total == 0 && at__device_info_of(j->s->device)->ordinal == AT__REPLAY_ORDINAL) {
        at__str_add(out, "the recording has no trials of this problem");
    } else if (c->search.total == 0) {
        at__str_add(out, "no template has a valid configuration for this problem");
        for (int i = 0; i < c->space_count; i++)
            if (at__space_refusal(c->spaces[i]))
                at__str_addf(out, "; %s: %s", at__space_template(c->spaces[i])->name,
                             at__space_refusal(c->spaces[i]));
    } else if (c->decided == 0) {
        at__str_add(out, "interrupted before the first trial ended");
    } else {
        at__str_addf(out, "none of %lld configurations tried gave a right result", (long long)c->decided);
        name_failure(out, c);
    }
}

static at_status measure_all(job *j, at_error *err)
{
    double start = at__now_s();
    at_status status = at__session_set_up(j->s, &j->main, err);
    trace_device(j, "set up", start);
    if (status == AT_OK)
        status = run_copies(j, err);
    if (status == AT_OK) {
        j->main.progress.phase = AT__PHASE_SEARCH;
        status = at__contest_run(&j->main, err);
    }
    if (status == AT_OK)
        status = run_final(j, err);
    return status;
}

static void fill_result(at__result *r, const job *j, double started_s)
{
    memcpy(r->outcomes, j->main.outcomes, sizeof r->outcomes);
    r->known = j->main.taken_from_store;
    r->device_busy_s = j->main.busy_s + j->copies.busy_s + j->final_s;
    double first_s = j->copies.fed_s > 0 ? j->copies.fed_s : j->main.fed_s;
    r->device_open_s = first_s > 0 ? at__now_s() - first_s : 0;
    r->interrupted = j->main.interrupted;
    r->elapsed_s = at__now_s() - started_s;
}

/* A problem that cannot be measured (too large, a broken reference) is an answer too; the rest goes on. */
static bool only_this_problem(const at__session *s, at_status status)
{
    return (status == AT_ERR_INPUT || status == AT_ERR_DEVICE) && !at__device_is_lost(s->device);
}

static at_status tune_open(job *j, at__result *r, at__answer *answer, at__str *why, at_error *err)
{
    at_error cause = { 0 };
    at_status status =
        at__store_find_winner(answer, j->s->store, &j->main.key, &j->s->fingerprint, NULL, err);
    if (status == AT_OK && answered(j->s, &j->main, answer)) {
        r->found = r->from_store = true;
        return AT_OK;
    }
    at__answer_clear(answer);
    *answer = (at__answer){ 0 };
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        return status;
    status = j->main.search.total ? measure_all(j, &cause) : AT_OK;
    if (status != AT_OK && only_this_problem(j->s, status)) {
        at__str_add(why, cause.text);
        return AT_OK;
    }
    if (status != AT_OK)
        return at_fail(err, status, "%s", cause.text);
    if (!j->main.search.total || j->winner < 0) {
        why_nothing(why, j);
        return AT_OK;
    }
    r->found = true;
    return keep_winner(j, answer, err);
}

/* Once: the cache only saves time. */
static void tell_of_lost_cache(at__session *s)
{
    char text[AT_ERROR_TEXT + 80];
    if (s->builder.cache || !s->builder.pool || !s->options->cache_path || s->cache_lost)
        return;
    s->cache_lost = true;
    snprintf(text, sizeof text, "compiled kernels are not kept: %s", s->builder.cache_error.text);
    s->events->warning(s->events->context, text);
}

at_status at__session_tune(at__session *s, const at__problem *problem, int index, int count, at_error *err)
{
    job *j = calloc(1, sizeof *j);
    at__answer answer = { 0 };
    at__str why = { 0 };
    int device = at__device_info_of(s->device)->ordinal;
    at__result r = { .device = device, .problem = problem };
    double started_s = at__now_s();
    int64_t compiled = s->builder.compiled;

    if (!j)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    j->s = s;
    j->winner = -1;
    at_status status = at__contest_open(&j->main, s, problem, false, err);
    j->main.progress = (at__progress){
        .device = device, .problem = problem, .problem_index = index, .problem_count = count
    };
    if (status == AT_OK)
        status = tune_open(j, &r, &answer, &why, err);
    if (status == AT_OK) {
        fill_result(&r, j, started_s);
        r.compiled = s->builder.compiled - compiled;
        r.answer = &answer;
        r.why = at__str_text(&why);
        s->events->result(s->events->context, &r);
    }
    tell_of_lost_cache(s);
    at__answer_clear(&answer);
    at__str_clear(&why);
    if (j->has_copies)
        at__contest_close(&j->copies);
    at__contest_close(&j->main);
    free(j);
    return status;
}
