/*
 * library_later.c - a first call that waits for no compiler: a pack that is installed with the library
 * answers it, and a thread compiles the kernel that is meant to answer.
 *
 * The thread never touches the driver. It compiles with an NVRTC handle of its own and without the lock
 * `slow`, so that the first calls of other shapes do not wait for it. It keeps the code with the tuner and
 * marks the prepared problem; the next call that runs the problem loads the kernel.
 */
#include "library/library.h"

#include <stdlib.h>

enum { MOST_JOBS = 1024 }; /* with their sources: a program may meet new sizes faster than they compile */

struct atx_later_job {
    atx_later_job *next;
    atx_build build;  /* the source and its key */
    const char *name; /* of the template's file; the catalog's */
    int cc;
    bool lasting; /* a winner's: the cache keeps it for longer */
    atx_prepared *prepared;
};

/* ---- jobs; `slow` is held ---- */

/* Numbers that are rounded would differ between the pack's kernel and the one that follows it. */
static bool is_exact(const atx_op *op)
{
    bool exact = true;
    for (int i = 0; i < op->arg_count; i++)
        exact = exact && (op->args[i].role == ATX_SCALAR || op->args[i].check.rule == ATX_EXACT);
    return exact;
}

bool atx_later_wanted(at_tuner *tuner, const atx_found_parts *f)
{
    if (!tuner->packs.by_default || tuner->no_compile || f->packed || !is_exact(f->problem.op))
        return false;
    atx_packs_read_default(tuner);
    return tuner->packs.count > 0;
}

bool atx_later_is_full(atx_later *later)
{
    pthread_mutex_lock(&later->mutex);
    const bool full = later->count >= MOST_JOBS;
    pthread_mutex_unlock(&later->mutex);
    return full;
}

void atx_later_free(atx_later_job *job)
{
    if (job)
        atx_build_clear(&job->build);
    free(job);
}

atx_later_job *atx_later_make(at_tuner *tuner, const atx_found_parts *f)
{
    atx_later_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->name = f->t->text.file;
    job->cc = f->cc;
    job->lasting = f->shown.match == AT_MATCH_EXACT;
    if (atx_library_source(&job->build, tuner, f, NULL) == AT_OK && atx_library_guard_first(tuner, f->cc))
        return job;
    atx_later_free(job);
    return NULL;
}

/* ---- the thread ---- */

static void compile(at_tuner *tuner, atx_nvrtc *nvrtc, atx_later_job *job)
{
    ATX_LOCAL(atx_compiled) compiled = { 0 };
    at_error err = { 0 };
    const atx_nvrtc_source source = { job->build.source.data, job->name, job->cc, ATX_CUBIN };
    at_status status = atx_nvrtc_compile(nvrtc, &compiled.ok, &compiled.code, &compiled.log,
                                         &compiled.resources, &source, &err);
    if (status == AT_OK && !compiled.ok)
        status = atx_fail(&err, AT_ERR_INPUT, "%s does not compile for sm_%d: %s", job->name, job->cc,
                          atx_str_text(&compiled.log));
    if (status == AT_OK && !atomic_load(&tuner->later.stop)) {
        pthread_mutex_lock(&tuner->slow);
        status = atx_library_keep(tuner, &job->build, &compiled, job->cc, job->lasting, &err);
        pthread_mutex_unlock(&tuner->slow);
        atomic_store(&job->prepared->renew, status == AT_OK);
    }
    if (status != AT_OK)
        atx_library_log(tuner, err.text); /* the pack's kernel stays */
}

/* The oldest job; NULL: the thread ends. */
static atx_later_job *next_job(atx_later *later)
{
    pthread_mutex_lock(&later->mutex);
    atx_later_job *job = atomic_load(&later->stop) ? NULL : later->first;
    if (job) {
        later->first = job->next;
        later->count--;
    } else {
        later->is_served = false;
    }
    pthread_mutex_unlock(&later->mutex);
    return job;
}

static void *serve_jobs(void *context)
{
    at_tuner *tuner = context;
    ATX_CLOSED(atx_nvrtc) *nvrtc = NULL;
    at_error err = { 0 };
    const at_status status =
        atx_nvrtc_open_with(&nvrtc, atx_headers_text(tuner->tuning.headers), tuner->no_environment, &err);
    if (status != AT_OK)
        atx_library_log(tuner, err.text);
    for (atx_later_job *job; (job = next_job(&tuner->later));) {
        if (status == AT_OK)
            compile(tuner, nvrtc, job);
        atx_later_free(job);
    }
    return NULL;
}

/* ---- the queue ---- */

static void start_thread(at_tuner *tuner)
{
    atx_later *later = &tuner->later;
    if (later->has_thread)
        pthread_join(later->thread, NULL); /* the one before has ended, or is about to */
    later->has_thread = later->is_served = atx_library_thread(&later->thread, serve_jobs, tuner);
}

void atx_later_put(at_tuner *tuner, atx_later_job *job, atx_prepared *prepared)
{
    atx_later *later = &tuner->later;
    atx_later_job **last = &later->first;
    job->prepared = prepared;
    pthread_mutex_lock(&later->mutex);
    while (*last)
        last = &(*last)->next;
    later->count++;
    *last = job; /* where there is no thread for it, at_close frees it */
    if (!later->is_served && !atomic_load(&later->stop))
        start_thread(tuner);
    pthread_mutex_unlock(&later->mutex);
}

at_status atx_later_open(atx_later *later, at_error *err)
{
    later->is_open = pthread_mutex_init(&later->mutex, NULL) == 0;
    return later->is_open ? AT_OK : atx_no_memory(err);
}

void atx_later_close(atx_later *later)
{
    if (!later->is_open)
        return;
    atx_later_end(later);
    for (atx_later_job *job = later->first, *next; job; job = next) {
        next = job->next;
        atx_later_free(job);
    }
    pthread_mutex_destroy(&later->mutex);
}
