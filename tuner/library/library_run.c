/*
 * library_run.c - at_run and at_prepare.
 *
 * A problem that has run is found in a hash table over the problem, the buffers' alignment and the context,
 * under a read lock, and launched without any lock: entries never change and live until the tuner closes.
 */
#include "library/library.h"

#include "device/kernel_args.h"
#include "lang/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- alignment ---- */

/* A problem without buffers (at_prepare) is one with such as cudaMalloc gives. */
static atx_steps steps_of(const at_buffer *buffers, int count)
{
    atx_steps steps = { { 0 } };
    for (int i = 0; buffers && i < count && i < ATX_MAX_ARGS; i++) {
        int full = __builtin_ctz(ATX_FULL_ALIGN);
        steps.words[i / ATX_STEPS_OF_A_WORD] |=
            (uint64_t)(full - __builtin_ctzll((uintptr_t)buffers[i].address | ATX_FULL_ALIGN))
            << 4 * (i % ATX_STEPS_OF_A_WORD);
    }
    return steps;
}

/* The layout of a problem that has one; NULL: its op looks at none. */
static at_status layout_of(const at_layout **out, const at_tuner *tuner, const at_problem *problem,
                           at_error *err)
{
    const atx_op *op = NULL;
    ATX_TRY(problem->size_count == 0 ? atx_catalog_get_op(&op, tuner->catalog, problem->op, err) : AT_OK);
    *out = op && op->shape.layout_count ? &problem->layout : NULL;
    return AT_OK;
}

/* ---- preparing; `slow` is held ---- */

/* So many answers of packs stay; of others the kernel does, and they are made for each call. */
static bool is_passing(const at_tuner *tuner, const atx_prepared *p, bool for_launch)
{
    return p->passing ||
           (p->finding->packed && !p->stands_in && for_launch && tuner->packs.kept >= ATX_PACKED_KEPT);
}

/* In the place of `old` (NULL: there is none). */
static at_status prepare_new(atx_prepared **out, atx_prepared *old, at_tuner *tuner, atx_gpu *gpu,
                             const atx_asking *a, const char *warning, at_error *err)
{
    atx_prepared *p = calloc(1, sizeof *p);
    if (!p)
        return atx_no_memory(err);
    p->hash = a->hash;
    p->context = a->context;
    p->steps = a->steps;
    p->problem = *a->problem;
    if (!a->layout)
        p->problem.layout = (at_layout){ 0 };
    at_status status = atx_library_fill(p, tuner, gpu, warning, a->later, err);
    if (status == AT_OK) {
        p->problem.op = atx_catalog_find_op(tuner->catalog, a->problem->op)->name; /* the caller's may go */
        p->passing = is_passing(tuner, p, a->for_launch);
        tuner->packs.kept += p->finding->packed && !p->passing && !p->stands_in;
        status = p->passing ? AT_OK : atx_table_add(tuner, p, old, err);
    }
    if (status != AT_OK) {
        atx_prepared_close(p);
        return status;
    }
    if (p->later)
        atx_later_put(tuner, p->later, p);
    p->later = NULL;
    *out = p;
    return AT_OK;
}

static bool is_exact(const atx_found_parts *f)
{
    return f->shown.match == AT_MATCH_EXACT;
}

/* The winner of the background takes its place, unless it cannot be prepared. */
static atx_prepared *renewed(atx_prepared *p, at_tuner *tuner, atx_gpu *gpu, const atx_asking *a)
{
    atx_prepared *newer = NULL;
    return prepare_new(&newer, p, tuner, gpu, a, "", NULL) == AT_OK ? newer : p;
}

/* `may_tune`: also what was found in the background may be taken, and be looked for. */
static at_status prepare(const atx_prepared **out, at_tuner *tuner, atx_gpu *gpu, const atx_asking *a,
                         bool may_tune, const char *warning, at_error *err)
{
    atx_prepared *p = atx_table_find(&tuner->table, a);
    if (p) { /* another thread was first, or there is a better one since; only who holds `slow` adds */
        const bool better = (may_tune || p->stands_in) && atomic_exchange(&p->renew, false);
        *out = better || (p->stands_in && !a->later) ? renewed(p, tuner, gpu, a) : p;
        return AT_OK;
    }
    at_status status = prepare_new(&p, NULL, tuner, gpu, a, warning, err);
    if (!p)
        return status;
    if (may_tune && tuner->tuning.in_background && !is_exact(p->finding) && !p->passing)
        atx_tuning_request_later(tuner, &p->finding->problem, atx_gpu_ordinal(gpu), p);
    *out = p;
    return AT_OK;
}

/* There is no exact result: starts its tuning and waits. warning->text: why it was not. AT_ERR_CANCELLED: the
 * caller does not want to wait any longer. */
static at_status tune_first(at_error *warning, at_tuner *tuner, atx_gpu *gpu, const atx_asking *a,
                            const volatile int *cancel, at_error *err)
{
    atx_found_parts *f = NULL;
    at_error cause = { 0 };
    pthread_mutex_lock(&tuner->slow);
    bool known = atx_table_find(&tuner->table, a) != NULL;
    at_status status = known ? AT_OK : atx_library_find_for(&f, tuner, gpu, a->problem, &a->steps, NULL);
    int ordinal = atx_gpu_ordinal(gpu);
    pthread_mutex_unlock(&tuner->slow);
    if (status == AT_OK && f && f->t && !is_exact(f) &&
        atx_tuning_wait(tuner, &f->problem, ordinal, cancel, &cause) != AT_OK)
        atx_fail(warning, AT_ERR_SYSTEM, "not tuned at its first use: %.900s", cause.text);
    atx_finding_close(f);
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED)
               ? atx_fail(err, AT_ERR_CANCELLED, "cancelled while the problem was tuned")
               : AT_OK;
}

/* ---- calls ---- */

static at_status get_slowly(const atx_prepared **out, atx_gpu *gpu, at_tuner *tuner, const atx_asking *a,
                            const at_run_options *options, bool may_tune, at_error *err)
{
    at_error warning = { 0 };
    ATX_TRY(may_tune && !tuner->tuning.in_background
                ? tune_first(&warning, tuner, gpu, a, options->cancel, err)
                : AT_OK);
    pthread_mutex_lock(&tuner->slow);
    tuner->no_compile = options->no_compile != 0 || tuner->never_compiles;
    at_status status = prepare(out, tuner, gpu, a, may_tune, warning.text, err);
    tuner->no_compile = false;
    pthread_mutex_unlock(&tuner->slow);
    return status;
}

static at_status check_question(const at_tuner *tuner, const at_problem *problem, atx_asking *a,
                                at_error *err)
{
    if (!problem->op || problem->size_count < 0 || problem->size_count > AT_MAX_SIZES)
        return atx_fail(err, AT_ERR_USAGE, "expected a problem with an op and 0 to %d sizes", AT_MAX_SIZES);
    at_status status = layout_of(&a->layout, tuner, problem, err);
    if (status == AT_OK && a->layout && (a->layout->rank < 0 || a->layout->rank > ATX_MAX_RANK))
        status = atx_fail(err, AT_ERR_USAGE, "found a layout of rank %d; expected 0 to %d", a->layout->rank,
                          ATX_MAX_RANK);
    return status;
}

/* A call's arguments and driver. */
typedef struct call {
    at_tuner *tuner;
    const at_problem *problem;
    atx_steps steps; /* of the buffers */
    void *stream;
    const at_run_options *options; /* NULL: the defaults */
    bool for_launch;
    atx_gpu *gpu;
    at_problem problem_room;
    at_run_options options_room;
} call;

/* The caller's structs as this library has them. */
static at_status read_call(call *c, at_error *err)
{
    static const at_run_options DEFAULTS = AT_RUN_OPTIONS_INIT;
    if (!c->tuner || !c->problem)
        return atx_fail(err, AT_ERR_USAGE, "expected a tuner and a problem; found NULL");
    c->problem = atx_library_struct(&c->problem_room, sizeof c->problem_room, c->problem, "at_problem", err);
    c->options = c->options ? atx_library_struct(&c->options_room, sizeof c->options_room, c->options,
                                                 "at_run_options", err)
                            : &DEFAULTS;
    return c->problem && c->options ? AT_OK : AT_ERR_USAGE;
}

/* The next launch on the stream. */
static at_status get(const atx_prepared **out, call *c, at_error *err)
{
    ATX_TRY(read_call(c, err));
    at_tuner *tuner = c->tuner;
    atx_asking a = { .problem = c->problem, .steps = c->steps, .for_launch = c->for_launch };
    at_status status = check_question(tuner, c->problem, &a, err);
    ATX_THEN(status, atx_library_gpu(&c->gpu, tuner, err));
    ATX_THEN(status, atx_gpu_current(&a.context, c->gpu, err));
    if (status != AT_OK)
        return status;
    a.hash = atx_asking_hash(&a);
    pthread_rwlock_rdlock(&tuner->table_lock);
    atx_prepared *p = atx_table_find(&tuner->table, &a);
    pthread_rwlock_unlock(&tuner->table_lock);
    *out = p;
    const bool renew = p && atomic_load_explicit(&p->renew, memory_order_relaxed);
    if (p && !renew && !p->stands_in)
        return AT_OK;
    const bool compiles = !c->options->no_compile && !tuner->never_compiles,
               captured = atx_gpu_is_capturing(c->gpu, c->stream),
               may_tune = tuner->tuning.budget_s > 0 && !c->options->no_tuning && compiles && !captured;
    /* A graph runs what is captured for as long as it lives, and who prepares has time. */
    a.later = (c->for_launch && !captured) || !compiles;
    if (p && (p->stands_in ? !renew && a.later : !may_tune))
        return AT_OK;
    return get_slowly(out, c->gpu, tuner, &a, c->options, may_tune, err);
}

static bool overlap(const atx_prepared *p, const at_buffer *buffers, int i, int k)
{
    uintptr_t a = (uintptr_t)buffers[i].address, b = (uintptr_t)buffers[k].address;
    return (p->buffers[i].written || p->buffers[k].written) && a < b + (uint64_t)p->buffers[k].bytes &&
           b < a + (uint64_t)p->buffers[i].bytes;
}

static at_status check_buffer(const atx_prepared *p, const at_buffer *buffers, int i, at_error *err)
{
    const char *op = p->problem.op, *name = p->buffers[i].name;
    const int64_t bytes = p->buffers[i].bytes;
    if (!buffers[i].address && bytes > 0)
        return atx_fail(err, AT_ERR_USAGE, "%s: %s: found NULL; expected device memory", op, name);
    if (buffers[i].bytes && buffers[i].bytes < bytes)
        return atx_fail(err, AT_ERR_USAGE, "%s: %s: found a buffer of %" PRId64 " bytes; expected %" PRId64,
                        op, name, buffers[i].bytes, bytes);
    for (int k = 0; k < i; k++)
        if (overlap(p, buffers, i, k))
            return atx_fail(err, AT_ERR_USAGE,
                            "%s: %s and %s overlap: found %" PRId64 " bytes at %p and %" PRId64
                            " bytes at %p; expected an output in memory that no other buffer uses",
                            op, p->buffers[k].name, name, p->buffers[k].bytes, buffers[k].address, bytes,
                            buffers[i].address);
    return AT_OK;
}

static at_status check_buffers(const atx_prepared *p, const at_buffer *buffers, int count, at_error *err)
{
    if (count != p->buffer_count || !buffers)
        return atx_fail(err, AT_ERR_USAGE, "%s: found %d buffers; expected %d", p->problem.op,
                        buffers ? count : 0, p->buffer_count);
    for (int i = 0; i < count; i++)
        ATX_TRY(check_buffer(p, buffers, i, err));
    return AT_OK;
}

/* The call's value for a parameter of a step, or else the problem's. */
static const int64_t *scalar_of(const at_run_options *o, const atx_found_parts *f, int step, int param,
                                const int64_t *value)
{
    for (int i = 0; i < o->scalar_count; i++)
        if (strcmp(o->scalars[i].name, f->launches[step].args[param]->name) == 0)
            return &o->scalars[i].value;
    return value;
}

static at_status launch(const call *c, const atx_prepared *p, const atx_kernel_launch *one,
                        const at_buffer *buffers, at_error *err)
{
    const struct atx_kernel_arg *args = one->args;
    const int count = one->arg_count;
    uint64_t addresses[ATX_MAX_ARGS];
    atx_params room;
    atx_encoded_maps maps;
    void *params[ATX_MAX_ARGS + 1];
    for (int i = 0; i < p->buffer_count; i++)
        addresses[i] = (uint64_t)(uintptr_t)buffers[i].address;
    atx_kernel_params(params, &room, &p->kernel, args, count, addresses);
    for (int i = 0; i < count && c->options->scalar_count; i++)
        if (args[i].buffer < 0 && !args[i].is_struct)
            params[i] = (void *)(uintptr_t)scalar_of(c->options, p->finding, one->step, i, &args[i].value);
    ATX_TRY(atx_gpu_encode_maps(params, &maps, c->gpu, &p->kernel, one, addresses, err));
    params[count] = NULL; /* for tools that look at launches: the driver counts them itself */
    const atx_stream_launch l = { .stream = c->stream,
                                  .step = one->step,
                                  .geometry = &one->geometry,
                                  .params = params,
                                  .attributes = c->options->attributes,
                                  .attribute_count = c->options->attribute_count };
    return atx_gpu_launch_on(c->gpu, p->module, &l, err);
}

/* The checks of a call, and the call. */
static at_status launch_all(const call *c, const atx_prepared *p, const at_buffer *buffers, int buffer_count,
                            at_error *err)
{
    ATX_TRY(check_buffers(p, buffers, buffer_count, err));
    ATX_TRY(atx_library_check_scalars(p->finding->problem.op, c->options, err));
    atx_asked_note(&c->tuner->asked, &p->finding->problem);
    const atx_kernel *kernel = &p->kernel;
    for (int i = 0; i < kernel->variable_count; i++)
        ATX_TRY(atx_gpu_copy_on(c->gpu, c->stream, p->variables[i].at,
                                (atx_ptr)(uintptr_t)buffers[kernel->variables[i].buffer].address,
                                p->variables[i].bytes, err));
    size_t at = 0;
    for (atx_kernel_launch one; atx_kernel_next(&one, kernel, &at);)
        ATX_TRY(launch(c, p, &one, buffers, err));
    return AT_OK;
}

at_status at_run(at_tuner *tuner, const at_problem *problem, const at_buffer *buffers, int buffer_count,
                 void *stream, const at_run_options *options, at_error *err)
{
    const atx_prepared *p = NULL;
    call c = { .tuner = tuner,
               .problem = problem,
               .steps = steps_of(buffers, buffer_count),
               .stream = stream,
               .options = options,
               .for_launch = true };
    at_status status = get(&p, &c, err);
    if (status == AT_OK && p)
        status = launch_all(&c, p, buffers, buffer_count, err);
    if (p && p->passing)
        atx_prepared_close((atx_prepared *)(uintptr_t)p);
    return status;
}

at_status at_prepare(const at_found **out, at_tuner *tuner, const at_problem *problem,
                     const at_run_options *options, at_error *err)
{
    const atx_prepared *p = NULL;
    call c = { .tuner = tuner, .problem = problem, .options = options };
    at_status status = get(&p, &c, err);
    if (p && out)
        *out = &p->finding->shown;
    return status;
}
