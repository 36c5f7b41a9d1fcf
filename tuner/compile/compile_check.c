/*
 * compile_check.c - every source is hashed before it is handed over, and one that was there is
 * skipped: shapes share kernels. As many jobs are submitted as the pool has room for; results are
 * taken in between and counted in the row of their op, template, architecture and type, so memory
 * grows with rows, faults and distinct sources alone.
 */
#include "compile/compile_check_faults.h"

#include "compile/builder.h"
#include "compile/connection.h"
#include "compile/grid_sync.h"
#include "compile/lint.h"
#include "compile/sensitivity.h"
#include "compile/pool.h"
#include "lang/arch.h"
#include "lang/render.h"
#include "lang/render_pragmas.h"
#include "space/space.h"
#include "util/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    size_t row;
    char *config;
    atx_launches *launches; /* NULL: of kernels that only validate */
} job;

/* The first problem that a template has configurations for. */
typedef struct first {
    size_t row;
    atx_problem problem;
    int64_t *slots;
} first;

/* A template without a configuration for some problem. */
typedef struct refused {
    const atx_template *t;
    int64_t *slots; /* of the last such */
} refused;

struct atx_compile_check {
    atx_compile_check_options options;
    atx_pool *pool;
    atx_compile_check_row *rows;
    size_t row_count, row_cap;
    job *jobs;
    size_t job_count, job_cap;
    atx_faults faults;
    first *firsts; /* of each template */
    size_t first_count, first_cap;
    refused *refusals;
    size_t refusal_count, refusal_cap;
    size_t asking;               /* which of them is asked about */
    char (*seen)[ATX_HASH_TEXT]; /* open addressing; "" is empty */
    size_t seen_count, seen_cap;
    size_t current; /* row that is being handed out */
    char variant;   /* of the architecture that is being checked; 0: each template's own */
    int64_t kernels, failed;
};

static void put_hash(char (*table)[ATX_HASH_TEXT], size_t cap, const char *hash, bool *found)
{
    char head[9] = "";
    memcpy(head, hash, 8);
    size_t at = strtoul(head, NULL, 16) % cap;
    for (; table[at][0] && !*found; at = (at + 1) % cap)
        *found = strcmp(table[at], hash) == 0;
    if (!*found)
        memcpy(table[at], hash, ATX_HASH_TEXT);
}

/* Adds a hash; *known tells whether it was there. */
static at_status remember(atx_compile_check *c, const char *hash, bool *known, at_error *err)
{
    if (2 * (c->seen_count + 1) > c->seen_cap) {
        size_t cap = c->seen_cap ? 2 * c->seen_cap : 1024;
        char(*grown)[ATX_HASH_TEXT] = calloc(cap, sizeof *grown);
        if (!grown)
            return atx_no_memory(err);
        for (size_t i = 0; i < c->seen_cap; i++)
            if (c->seen[i][0])
                put_hash(grown, cap, c->seen[i], &(bool){ false });
        free(c->seen);
        c->seen = grown;
        c->seen_cap = cap;
    }
    *known = false;
    put_hash(c->seen, c->seen_cap, hash, known);
    c->seen_count += !*known;
    return AT_OK;
}

static void record_resources(atx_compile_check_row *r, const atx_resources *u, int64_t dynamic_bytes)
{
    int64_t shared = dynamic_bytes + (u->shared_bytes > 0 ? u->shared_bytes : 0);
    r->spilling += u->spill_bytes > 0;
    r->shared_max = shared > r->shared_max ? shared : r->shared_max;
    if (u->registers >= 0 &&
        atx_grow(&r->registers, &r->register_cap, r->register_count, sizeof *r->registers))
        r->registers[r->register_count++] = u->registers;
}

/* ---- results ---- */

/* The number of the next kernel, or of one that was handed out. */
static atx_fault_source source(const atx_compile_check *c, size_t row, size_t order)
{
    return (atx_fault_source){ row, order, c->rows[row].op, c->rows[row].t };
}

static at_status add_fault(atx_compile_check *c, size_t row, const char *config, const char *cause,
                           const char *log, enum atx_fault_kind kind, at_error *err)
{
    const atx_fault_source from = source(c, row, c->job_count);
    return atx_faults_add(&c->faults, &from, config, cause, log, kind, err);
}

/* A reference is one kernel, whatever is wrong with it. */
static void count_failure(atx_compile_check *c, atx_compile_check_row *r)
{
    bool counted = !r->t && r->failed;
    r->failed += !counted;
    c->failed += !counted;
}

static at_status check_connection(atx_compile_check *c, job *j, const atx_compiled *done, at_error *err)
{
    atx_compile_check_row *r = &c->rows[j->row];
    ATX_LOCAL(atx_str) why = { 0 };
    const char *about = "";
    atx_limits limits;
    at_error cause = { 0 };
    const atx_connection in = { done->code.data, done->code.len, &done->resources, &limits };
    atx_arch_limits(&limits, r->cc);
    if (!r->t && atx_validator_check(r->op, done->code.data, done->code.len, &cause) != AT_OK)
        atx_str_add(&why, cause.text);
    else if (!r->t && j->launches)
        ATX_TRY(atx_connection_check_reference(&why, &about, &in, r->op, j->launches->geometries, err));
    else if (r->t)
        ATX_TRY(atx_connection_check(&why, &about, &in, r->t, j->launches, err));
    if (why.len) {
        const bool fits = strcmp(about, ATX_NOT_RESIDENT) != 0; /* else it would on a larger device */
        const atx_fault_source from = source(c, j->row, (size_t)done->tag);
        if (fits)
            count_failure(c, r);
        ATX_TRY(atx_faults_add(&c->faults, &from, j->config, about, atx_str_text(&why),
                               fits ? ATX_FAULT_FAILS : ATX_FAULT_LEFT_OUT, err));
    }
    return AT_OK;
}

static at_status take(atx_compile_check *c, const atx_compiled *done, at_error *err)
{
    job *j = &c->jobs[done->tag];
    atx_compile_check_row *r = &c->rows[j->row];
    at_status status = AT_OK;
    if (!done->ok && *c->options.cancel)
        return AT_OK; /* Ctrl-C ends the workers too: no fault of the kernel */
    r->kernels++;
    c->kernels++;
    if (done->ok) {
        record_resources(r, &done->resources, j->launches ? j->launches->geometries->shared_bytes : 0);
        status = check_connection(c, j, done, err);
    } else {
        ATX_LOCAL(atx_str) cause = { 0 };
        count_failure(c, r);
        atx_nvrtc_cause(&cause, atx_str_text(&done->log));
        status = atx_str_status(&cause, err);
        const atx_fault_source from = source(c, j->row, (size_t)done->tag);
        ATX_THEN(status, atx_faults_add(&c->faults, &from, j->config, atx_str_text(&cause),
                                        atx_str_text(&done->log), ATX_FAULT_FAILS, err));
    }
    free(j->config);
    free(j->launches);
    j->config = NULL;
    j->launches = NULL;
    return status;
}

/* Waits a moment for a finished kernel and takes all that there are. */
static at_status drain(atx_compile_check *c, at_error *err)
{
    atx_compiled done = { 0 };
    atx_pool_wait(c->pool, NULL, 100);
    at_status status = atx_pool_pump(c->pool, err);
    while (status == AT_OK && atx_pool_take(c->pool, &done)) {
        status = take(c, &done, err);
        atx_compiled_clear(&done);
    }
    if (c->row_count)
        c->options.progress(c->options.context, &c->rows[c->current], c->kernels, c->failed);
    return status;
}

static at_status add_job(atx_compile_check *c, size_t row, const char *config, const atx_launches *launches,
                         at_error *err)
{
    job j = { .row = row, .config = atx_text_copy(config, strlen(config)) };
    if (launches && (j.launches = malloc(sizeof *launches)) != NULL)
        *j.launches = *launches;
    if (!j.config || (launches && !j.launches) ||
        !atx_grow(&c->jobs, &c->job_cap, c->job_count, sizeof *c->jobs)) {
        free(j.config);
        free(j.launches);
        return atx_no_memory(err);
    }
    c->jobs[c->job_count++] = j;
    return AT_OK;
}

/* For the variant that is checked, whatever the text says itself. */
static at_status for_variant(atx_str *out, const atx_compile_check *c, const atx_compile_check_row *r,
                             const atx_str *source, at_error *err)
{
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, r->cc, c->variant);
    atx_render_target(out, c->variant ? arch : "");
    atx_str_add_bytes(out, source->data, source->len);
    return atx_str_status(out, err);
}

static at_status hand_over(atx_compile_check *c, size_t row, const atx_str *source, const char *file,
                           at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    const atx_compile_check_row *r = &c->rows[row];
    ATX_TRY(for_variant(&text, c, r, source, err));
    return atx_pool_submit(c->pool, (int64_t)c->job_count - 1, atx_str_text(&text), file, r->cc, ATX_CUBIN,
                           err);
}

/* Hands one source to the compiler, unless it was there before. */
static at_status submit(atx_compile_check *c, size_t row, const atx_str *source, const char *file,
                        const char *config, const atx_launches *launches, at_error *err)
{
    char hash[ATX_HASH_TEXT], keyed[ATX_HASH_TEXT + 16], arch[ATX_ARCH_TEXT];
    bool known = false;
    ATX_TRY(atx_str_status(source, err));
    c->rows[row].configs++;
    atx_hash_text(hash, source->data, source->len);
    atx_arch_text(arch, c->rows[row].cc, c->variant);
    int n = snprintf(keyed, sizeof keyed, "%s %s", hash, arch);
    atx_hash_text(hash, keyed, (size_t)n);
    at_status status = remember(c, hash, &known, err);
    while (status == AT_OK && !known && !atx_pool_has_room(c->pool) && !*c->options.cancel)
        status = drain(c, err);
    if (status != AT_OK || known || *c->options.cancel)
        return status;
    status = add_job(c, row, config, launches, err);
    return status == AT_OK ? hand_over(c, row, source, file, err) : status;
}

static at_status find_row(size_t *out, atx_compile_check *c, atx_compile_check_row wanted, at_error *err)
{
    wanted.variant =
        c->variant || !wanted.t ? c->variant : atx_arch_variant(wanted.t->build.target, wanted.cc);
    for (*out = 0; *out < c->row_count; ++*out) {
        const atx_compile_check_row *r = &c->rows[*out];
        if (r->op == wanted.op && r->t == wanted.t && r->cc == wanted.cc && r->variant == wanted.variant &&
            r->type == wanted.type)
            break;
    }
    if (*out == c->row_count) {
        if (!atx_grow(&c->rows, &c->row_cap, c->row_count, sizeof *c->rows))
            return atx_no_memory(err);
        c->rows[c->row_count++] = wanted;
    }
    c->current = *out;
    return AT_OK;
}

/* A configuration that has no launch: of one cause the first is told, with its shape. */
static at_status leave_out(atx_compile_check *c, size_t row, const char *config, const atx_problem *problem,
                           const char *cause, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_str_addf(&text, "%s; found for ", cause);
    atx_problem_show(&text, problem);
    ATX_TRY(atx_str_status(&text, err));
    return add_fault(c, row, config, cause, atx_str_text(&text), ATX_FAULT_LEFT_OUT, err);
}

static at_status check_config(atx_compile_check *c, size_t row, const atx_config *config,
                              const atx_problem *problem, const int64_t *slots, at_error *err)
{
    const atx_template *t = c->rows[row].t;
    int64_t own[ATX_MAX_SLOTS];
    atx_launches launches;
    ATX_LOCAL(atx_str) source = { 0 }, text = { 0 };
    at_error cause = { 0 };
    memcpy(own, slots, (size_t)t->op->scope.symbols.count * sizeof *own);
    atx_config_text(&text, t, config);
    at_status status = atx_str_status(&text, err);
    ATX_THEN(status, atx_config_bind(own, t, config, err));
    bool good = status == AT_OK && atx_launches_of(&launches, t, own, &cause) == AT_OK;
    if (status == AT_OK && !good)
        status = leave_out(c, row, atx_str_text(&text), problem, cause.text, err);
    if (status == AT_OK && good)
        status = atx_render(&source, t, c->rows[row].type, config, slots, err);
    if (status == AT_OK && good)
        status = submit(c, row, &source, t->text.file, atx_str_text(&text), &launches, err);
    return status;
}

static at_status remember_first(atx_compile_check *c, size_t row, const atx_problem *problem,
                                const int64_t *slots, at_error *err)
{
    const atx_template *t = c->rows[row].t;
    size_t bytes = (size_t)t->op->scope.symbols.count * sizeof *slots;
    first f = { .row = row, .problem = *problem };
    for (size_t i = 0; i < c->first_count; i++)
        if (c->rows[c->firsts[i].row].t == t)
            return AT_OK;
    f.slots = malloc(bytes);
    if (!f.slots || !atx_grow(&c->firsts, &c->first_cap, c->first_count, sizeof *c->firsts)) {
        free(f.slots);
        return atx_no_memory(err);
    }
    memcpy(f.slots, slots, bytes);
    c->firsts[c->first_count++] = f;
    return AT_OK;
}

static at_status remember_refusal(atx_compile_check *c, const atx_template *t, const int64_t *slots,
                                  at_error *err)
{
    size_t i = 0, bytes = (size_t)t->op->scope.symbols.count * sizeof *slots;
    int64_t *copy = malloc(bytes);
    while (i < c->refusal_count && c->refusals[i].t != t)
        i++;
    if (!copy || (i == c->refusal_count &&
                  !atx_grow(&c->refusals, &c->refusal_cap, c->refusal_count, sizeof *c->refusals))) {
        free(copy);
        return atx_no_memory(err);
    }
    if (i == c->refusal_count)
        c->refusals[c->refusal_count++] = (refused){ .t = t };
    memcpy(copy, slots, bytes);
    free(c->refusals[i].slots);
    c->refusals[i].slots = copy;
    return AT_OK;
}

at_status atx_compile_check_refusal(atx_str *out, const atx_compile_check *c, const atx_template *t,
                                    at_error *err)
{
    for (size_t i = 0; i < c->refusal_count; i++)
        if (c->refusals[i].t == t)
            return atx_lint_conflict(out, t, c->refusals[i].slots, c->options.cancel, err);
    return AT_OK;
}

static at_status check_template(atx_compile_check *c, const atx_template *t, const atx_problem *problem,
                                const int64_t *slots, int cc, at_error *err)
{
    const atx_dtype type = problem->type;
    ATX_CLOSED(atx_space) *space = NULL;
    atx_rng rng = { c->options.seed };
    size_t row = 0;
    atx_cancel cancel = { .flag = c->options.cancel };
    at_status status = atx_space_open_until(&space, t, slots, NULL, 0, &cancel, err);
    if (status != AT_OK)
        return status;
    int64_t count = atx_space_count(space), sample = c->options.sample;
    if (count > 0)
        status =
            find_row(&row, c, (atx_compile_check_row){ .op = t->op, .t = t, .cc = cc, .type = type }, err);
    if (count > 0 && status == AT_OK)
        status = remember_first(c, row, problem, slots, err);
    else if (status == AT_OK)
        status = remember_refusal(c, t, slots, err);
    bool all = sample == 0 || sample >= count;
    for (int64_t i = 0; i < (all ? count : sample) && status == AT_OK && !*c->options.cancel; i++) {
        atx_config config;
        atx_space_config(&config, space, all ? i : atx_space_sample(space, &rng));
        status = check_config(c, row, &config, problem, slots, err);
    }
    return status;
}

/* Errors that a run would find before its first trial; once for all shapes. */
static at_status add_failure(atx_compile_check *c, size_t row, const char *why, at_error *err)
{
    if (c->rows[row].failed)
        return AT_OK;
    count_failure(c, &c->rows[row]);
    return add_fault(c, row, "", why, why, ATX_FAULT_FAILS, err);
}

/* An op trusts a configuration of its template; it need not suit every problem. */
static at_status check_trusted(atx_compile_check *c, const atx_problem *p, const int64_t *slots, int cc,
                               at_error *err)
{
    size_t row = 0;
    atx_config config;
    at_error cause = { 0 };
    int64_t own[ATX_MAX_SLOTS];
    atx_compile_check_row wanted = { .op = p->op, .cc = cc, .type = p->type };
    bool good = atx_catalog_trusted(&wanted.t, &config, c->options.catalog, p->op, &cause) == AT_OK &&
                atx_op_check_inputs(p->op, p->type, &cause) == AT_OK;
    at_status status = find_row(&row, c, wanted, err);
    if (status != AT_OK || !good)
        return status == AT_OK ? add_failure(c, row, cause.text, err) : status;
    memcpy(own, slots, (size_t)p->op->scope.symbols.count * sizeof *own);
    return atx_config_validate(own, wanted.t, &config, &cause) == AT_OK
               ? check_config(c, row, &config, p, slots, err)
               : AT_OK;
}

static at_status check_reference(atx_compile_check *c, const atx_problem *p, const int64_t *slots, int cc,
                                 at_error *err)
{
    ATX_LOCAL(atx_str) source = { 0 };
    atx_launches launches = { 0 };
    size_t row = 0;
    ATX_TRY(find_row(&row, c, (atx_compile_check_row){ .op = p->op, .cc = cc, .type = p->type }, err));
    at_error cause = { 0 };
    bool own = p->op->expected.reference[0] != '\0';
    if (atx_op_check_inputs(p->op, p->type, &cause) != AT_OK ||
        (own && atx_geometry_of(launches.geometries, &p->op->expected.launch, slots, &cause) != AT_OK))
        ATX_TRY(add_failure(c, row, cause.text, err));
    ATX_TRY(atx_render_reference(&source, p, err));
    ATX_TRY(submit(c, row, &source, p->op->text.file, "", own ? &launches : NULL, err));
    c->rows[row].configs = 1; /* the same one for every shape */
    return AT_OK;
}

at_status atx_compile_check_problem(atx_compile_check *c, const atx_problem *p, const int64_t *slots, int cc,
                                    char variant, at_error *err)
{
    const char *validators[ATX_MAX_STEPS];
    c->variant = variant;
    at_status status = p->op->expected.trusted[0] ? check_trusted(c, p, slots, cc, err) : AT_OK;
    if (status == AT_OK && (!p->op->expected.trusted[0] || atx_op_validators(validators, p->op) > 0))
        status = check_reference(c, p, slots, cc, err);
    for (int i = 0; i < atx_catalog_template_count(c->options.catalog, p->op) && status == AT_OK; i++) {
        const atx_template *t = atx_catalog_template(c->options.catalog, p->op, i);
        if (atx_words_choose(c->options.templates, t->name) &&
            (!c->options.added_only || atx_catalog_is_added(c->options.catalog, t)))
            status = check_template(c, t, p, slots, cc, err);
    }
    return status;
}

static void add_warning(void *context, const char *why)
{
    atx_compile_check *c = context;
    at_error ignored;
    /* Without memory a hint is lost, no more. */
    at_status status = add_fault(c, c->firsts[c->asking].row, "", why, why, ATX_FAULT_USELESS, &ignored);
    (void)status;
}

static void add_useless(void *context, int param, const char *why)
{
    (void)param;
    add_warning(context, why);
}

static at_status find_lint(atx_compile_check *c, const first *f, at_error *err)
{
    const atx_compile_check_row *r = &c->rows[f->row];
    atx_cancel cancel = { .flag = c->options.cancel };
    atx_limits limits;
    atx_arch_limits(&limits, r->cc);
    const atx_lint_query query = { .t = r->t,
                                   .problem = &f->problem,
                                   .limits = &limits,
                                   .grids = !atx_faults_has(&c->faults, r->t, ATX_FAULT_LEFT_OUT),
                                   .order = !r->failed,
                                   .cancel = &cancel,
                                   .context = c,
                                   .warn = add_warning };
    at_status status = atx_lint_find(&query, err);
    return status == AT_ERR_CANCELLED ? AT_OK : status;
}

/* A kernel that would trap. */
static at_status find_grid_sync(atx_compile_check *c, size_t row, const atx_sensitivity_query *query,
                                at_error *err)
{
    char why[ATX_MAX_KERNEL + 200];
    int step = -1;
    at_status status = atx_grid_sync_find(&step, query, err);
    if (status != AT_OK || step < 0)
        return status;
    const bool own = query->t->call.steps[step].launch.grid[0] && query->t->call.step_count > 1;
    snprintf(
        why, sizeof why,
        "kernel '%s' waits for all blocks of its grid (grid.sync), for which they must be resident at once; "
        "expected %s",
        query->t->call.steps[step].kernel,
        own ? "'cooperative' in its line 'launch'" : "a line 'cooperative'");
    return add_failure(c, row, why, err);
}

/* Only of a template whose kernels are right: errors are told first. */
static at_status find_useless(atx_compile_check *c, const first *f, at_error *err)
{
    const atx_compile_check_row *r = &c->rows[f->row];
    atx_cancel cancel = { .flag = c->options.cancel };
    const atx_sensitivity_query query = { .pool = c->pool,
                                          .t = r->t,
                                          .type = r->type,
                                          .cc = r->cc,
                                          .slots = f->slots,
                                          .seed = c->options.seed,
                                          .cancel = &cancel,
                                          .context = c,
                                          .useless = add_useless };
    at_status status = r->failed ? AT_OK : find_grid_sync(c, f->row, &query, err);
    return status != AT_OK || r->failed ? status : atx_sensitivity_find(&query, err);
}

at_status atx_compile_check_finish(atx_compile_check *c, at_error *err)
{
    at_status status = AT_OK;
    while (status == AT_OK && atx_pool_busy(c->pool) && !*c->options.cancel)
        status = drain(c, err);
    for (c->asking = 0; c->asking < c->first_count && status == AT_OK && !*c->options.cancel; c->asking++) {
        status = find_lint(c, &c->firsts[c->asking], err);
        ATX_THEN(status, find_useless(c, &c->firsts[c->asking], err));
    }
    if (status == AT_OK)
        atx_faults_tell(&c->faults, c->rows, c->row_count, &c->options);
    return status;
}

size_t atx_compile_check_rows(const atx_compile_check *c, atx_compile_check_row **out)
{
    *out = c->rows;
    return c->row_count;
}

at_status atx_compile_check_open(atx_compile_check **out, const atx_compile_check_options *options,
                                 at_error *err)
{
    atx_compile_check *c = calloc(1, sizeof *c);
    if (!c)
        return atx_no_memory(err);
    c->options = *options;
    at_status status = atx_pool_open(&c->pool, (atx_pool_options){ .workers = c->options.workers }, err);
    if (status == AT_OK)
        *out = c;
    else
        atx_compile_check_close(c);
    return status;
}

void atx_compile_check_close(atx_compile_check *c)
{
    if (!c)
        return;
    atx_pool_close(c->pool);
    for (size_t i = 0; i < c->row_count; i++)
        free(c->rows[i].registers);
    for (size_t i = 0; i < c->job_count; i++) {
        free(c->jobs[i].config);
        free(c->jobs[i].launches);
    }
    atx_faults_clear(&c->faults);
    for (size_t i = 0; i < c->first_count; i++)
        free(c->firsts[i].slots);
    free(c->firsts);
    for (size_t i = 0; i < c->refusal_count; i++)
        free(c->refusals[i].slots);
    free(c->refusals);
    free(c->rows);
    free(c->jobs);
    free(c->seen);
    free(c);
}
