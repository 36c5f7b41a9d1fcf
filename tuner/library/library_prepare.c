/*
 * library_prepare.c - at_prepare in the background: a queue, and one thread that takes its oldest entry,
 * makes the context of its caller current and calls at_prepare. The thread ends when the queue is empty; the
 * next entry starts another one.
 */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

struct at_preparation {
    at_preparation *next; /* of the queue */
    at_tuner *tuner;
    void *context; /* the caller's */
    at_problem problem;
    char *op; /* of the problem */
    at_run_options options;
    bool done;        /* the next three are final; guarded by the queue's mutex */
    at_status status; /* of at_prepare */
    at_error err;
    const at_found *found;
};

static bool is_cancelled(const at_preparation *p)
{
    return p->options.cancel && __atomic_load_n(p->options.cancel, __ATOMIC_RELAXED);
}

static void prepare(at_preparation *p)
{
    at_status status = is_cancelled(p)
                           ? atx_fail(&p->err, AT_ERR_CANCELLED, "cancelled before the problem was prepared")
                           : atx_gpu_set_context(atomic_load(&p->tuner->gpu), p->context, &p->err);
    p->status = status == AT_OK ? at_prepare(&p->found, p->tuner, &p->problem, &p->options, &p->err) : status;
}

static void *serve_queue(void *context)
{
    atx_preparing *q = context;
    pthread_mutex_lock(&q->mutex);
    for (at_preparation *p; (p = q->first);) {
        q->first = p->next;
        pthread_mutex_unlock(&q->mutex);
        prepare(p);
        pthread_mutex_lock(&q->mutex);
        p->done = true;
        pthread_cond_broadcast(&q->ended);
    }
    q->is_served = false;
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

/* `mutex` is held. */
static at_status put(atx_preparing *q, at_preparation *p, at_error *err)
{
    at_preparation **last = &q->first;
    if (!q->is_served) {
        if (q->has_thread)
            pthread_join(q->thread, NULL); /* the one before has ended, or is about to */
        q->has_thread = q->is_served = atx_library_thread(&q->thread, serve_queue, q);
        if (!q->has_thread)
            return atx_fail(err, AT_ERR_SYSTEM, "at_prepare_start: the system has no thread for it");
    }
    while (*last)
        last = &(*last)->next;
    *last = p;
    atomic_store(&q->has_begun, true);
    return AT_OK;
}

static void free_preparation(at_preparation *p)
{
    free(p->op);
    free(p);
}

/* The caller's structs, as this library has them, may go. */
static at_status copy_call(at_preparation *p, const at_problem *problem, const at_run_options *options,
                           at_error *err)
{
    static const at_run_options DEFAULTS = AT_RUN_OPTIONS_INIT;
    at_problem problem_room;
    at_run_options options_room;
    problem = atx_library_struct(&problem_room, sizeof problem_room, problem, "at_problem", err);
    options = options ? atx_library_struct(&options_room, sizeof options_room, options, "at_run_options", err)
                      : &DEFAULTS;
    if (!problem || !options)
        return AT_ERR_USAGE;
    p->problem = *problem;
    p->options = DEFAULTS; /* options of a launch do not count here */
    p->options.no_compile = options->no_compile;
    p->options.no_tuning = options->no_tuning;
    p->options.cancel = options->cancel;
    if (!problem->op)
        return AT_OK; /* at_prepare reports the error */
    p->problem.op = p->op = strdup(problem->op);
    return p->op ? AT_OK : atx_no_memory(err);
}

at_status at_prepare_start(at_preparation **out, at_tuner *tuner, const at_problem *problem,
                           const at_run_options *options, at_error *err)
{
    atx_gpu *gpu = NULL;
    if (!out || !tuner || !problem)
        return atx_fail(
            err, AT_ERR_USAGE,
            "at_prepare_start: expected a place for the answer, a tuner and a problem; found NULL");
    at_preparation *p = calloc(1, sizeof *p);
    if (!p)
        return atx_no_memory(err);
    p->tuner = tuner;
    at_status status = copy_call(p, problem, options, err);
    ATX_THEN(status, atx_library_gpu(&gpu, tuner, err));
    ATX_THEN(status, atx_gpu_context(&p->context, gpu, err));
    if (status == AT_OK) {
        pthread_mutex_lock(&tuner->preparing.mutex);
        status = put(&tuner->preparing, p, err);
        pthread_mutex_unlock(&tuner->preparing.mutex);
    }
    if (status != AT_OK)
        free_preparation(p);
    else
        *out = p;
    return status;
}

int at_prepare_is_done(const at_preparation *p)
{
    pthread_mutex_lock(&p->tuner->preparing.mutex);
    bool done = p->done;
    pthread_mutex_unlock(&p->tuner->preparing.mutex);
    return done;
}

at_status at_prepare_finish(const at_found **out, at_preparation *p, at_error *err)
{
    if (!p)
        return atx_fail(err, AT_ERR_USAGE,
                        "at_prepare_finish: expected what at_prepare_start gave; found NULL");
    atx_preparing *q = &p->tuner->preparing;
    pthread_mutex_lock(&q->mutex);
    while (!p->done)
        pthread_cond_wait(&q->ended, &q->mutex);
    pthread_mutex_unlock(&q->mutex);
    at_status status = p->status;
    if (status == AT_OK && out)
        *out = p->found;
    else if (status != AT_OK)
        atx_fail(err, status, "%s", p->err.text);
    free_preparation(p);
    return status;
}

at_status atx_preparing_open(atx_preparing *q, at_error *err)
{
    if (pthread_mutex_init(&q->mutex, NULL) != 0)
        return atx_no_memory(err);
    if (pthread_cond_init(&q->ended, NULL) != 0) {
        pthread_mutex_destroy(&q->mutex);
        return atx_no_memory(err);
    }
    q->is_open = true;
    return AT_OK;
}

void atx_preparing_close(atx_preparing *q)
{
    if (!q->is_open)
        return;
    if (q->has_thread)
        pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->ended);
    pthread_mutex_destroy(&q->mutex);
}
