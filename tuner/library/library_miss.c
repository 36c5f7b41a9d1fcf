/*
 * library_miss.c - tuning a problem when it is first run: while its caller waits, or in the background, where
 * one thread of this library takes one request after the other.
 *
 * Both end alike: the store is opened if it was created meanwhile, and the next look-up sees the new results.
 * The background never touches the driver: it marks prepared problems, and the thread that runs one next,
 * which has the context, prepares it anew.
 */
#include "library/library.h"

#include "library/miss.h"
#include "source/allowed.h"
#include "util/real_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *variable(const atx_tuning *t, const char *name)
{
    return t->no_environment ? NULL : getenv(name);
}

at_status atx_tuning_open(atx_tuning *t, const at_open_options *o, at_error *err)
{
    if (!(o->tune_s >= 0 && isfinite(o->tune_s)))
        return atx_fail(err, AT_ERR_USAGE, "at_open: found tune_s = %g; expected seconds, 0 or more",
                        o->tune_s);
    if (pthread_mutex_init(&t->mutex, NULL) != 0)
        return atx_no_memory(err);
    if (pthread_cond_init(&t->requested, NULL) != 0) {
        pthread_mutex_destroy(&t->mutex);
        return atx_no_memory(err);
    }
    t->is_open = true;
    t->no_environment = o->no_environment != 0;
    t->budget_s = o->tune_s;
    t->in_background = o->tune_in_background != 0;
    atx_str_add(&t->program, o->program ? o->program : "");
    atx_str_add(&t->templates, o->templates ? o->templates : "");
    atx_path_from_here(&t->program);
    atx_path_from_here(&t->templates);
    /* Now: the program may go to another folder, or set another variable. */
    ATX_TRY(atx_headers_open(&t->headers, o->headers ? o->headers : variable(t, ATX_HEADERS_ENV), err));
    ATX_TRY(atx_folders_read(&t->allow, "allow", o->allow ? o->allow : variable(t, ATX_ALLOW_ENV), err));
    ATX_TRY(atx_str_status(&t->program, err));
    return atx_str_status(&t->templates, err);
}

void atx_tuning_close(atx_tuning *t)
{
    if (!t->is_open)
        return;
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->stop, 1);
    pthread_cond_broadcast(&t->requested);
    pthread_mutex_unlock(&t->mutex);
    if (t->has_thread)
        pthread_join(t->thread, NULL);
    for (atx_tuning_request *w = t->requests, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    pthread_cond_destroy(&t->requested);
    pthread_mutex_destroy(&t->mutex);
    atx_str_clear(&t->program);
    atx_str_clear(&t->database);
    atx_str_clear(&t->templates);
    atx_headers_close(t->headers);
    atx_folders_clear(&t->allow);
}

/* `slow` is held. Where the new store cannot be read it is as if it had not come; at_close waits for no lock.
 */
at_status atx_tuning_see(at_tuner *tuner, at_error *err)
{
    const atx_cancel cancel = { .flag = &tuner->tuning.stop };
    if (tuner->store) {
        atx_lookup_look_again(tuner->lookup);
        return AT_OK;
    }
    if (!tuner->tuning.database.len || access(atx_str_text(&tuner->tuning.database), F_OK) != 0)
        return AT_OK;
    at_status status = atx_store_open_unless(&tuner->store, atx_str_text(&tuner->tuning.database),
                                             ATX_STORE_READ, &cancel, err);
    ATX_THEN(status, atx_library_open_lookup(tuner, err));
    if (status != AT_OK) {
        atx_store_close(tuner->store);
        tuner->store = NULL;
    }
    return status;
}

static const char *unless_empty(const atx_str *text)
{
    return text->len ? atx_str_text(text) : NULL;
}

static atx_miss miss_of(const atx_tuning *t, const char *device, const volatile int *cancel)
{
    return (atx_miss){ .program = unless_empty(&t->program),
                       .database = atx_str_text(&t->database),
                       .templates = unless_empty(&t->templates),
                       .headers = atx_headers_text(t->headers),
                       .allow = atx_str_text(&t->allow.text),
                       .device = device,
                       .budget_s = t->budget_s,
                       .no_environment = t->no_environment,
                       .stop = &t->stop,
                       .cancel = cancel };
}

at_status atx_tuning_wait(at_tuner *tuner, const atx_problem *problem, int ordinal,
                          const volatile int *cancel, at_error *err)
{
    atx_tuning *t = &tuner->tuning;
    char device[16];
    snprintf(device, sizeof device, "%d", ordinal);
    if (!t->database.len)
        return atx_fail(err, AT_ERR_USAGE, "there is no place for a database");
    const atx_miss miss = miss_of(t, device, cancel);
    ATX_TRY(atx_miss_tune(&miss, problem, err));
    pthread_mutex_lock(&tuner->slow);
    at_status status = atx_tuning_see(tuner, err);
    pthread_mutex_unlock(&tuner->slow);
    return status;
}

/* ---- in the background ---- */

/* The oldest; NULL: it is time to end. `mutex` is held. */
static atx_tuning_request *next_request(atx_tuning *t)
{
    while (!atomic_load(&t->stop) && !t->requests)
        pthread_cond_wait(&t->requested, &t->mutex);
    atx_tuning_request *w = atomic_load(&t->stop) ? NULL : t->requests;
    if (w)
        t->requests = w->next;
    return w;
}

/* So that the first calls of other problems get better. That it fails is no affair of who runs anything. */
static void learn(atx_tuning *t)
{
    const atx_miss miss = miss_of(t, "", NULL);
    if (t->database.len && atx_miss_learn(&miss, NULL) != AT_OK)
        return; /* it is tried again after the next problem */
}

static void *serve_requests(void *context)
{
    at_tuner *tuner = context;
    atx_tuning *t = &tuner->tuning;
    atx_tuning_request *w;
    pthread_mutex_lock(&t->mutex);
    while ((w = next_request(t))) {
        pthread_mutex_unlock(&t->mutex);
        at_error err = { 0 };
        if (atx_tuning_wait(tuner, &w->problem, w->ordinal, NULL, &err) == AT_OK)
            atomic_store(&w->prepared->renew, true);
        else if (!atomic_load(&t->stop))
            atx_library_log(tuner, err.text);
        free(w);
        learn(t);
        pthread_mutex_lock(&t->mutex);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

void atx_tuning_request_later(at_tuner *tuner, const atx_problem *problem, int ordinal,
                              atx_prepared *prepared)
{
    atx_tuning *t = &tuner->tuning;
    atx_tuning_request *w = malloc(sizeof *w), **last = &t->requests;
    if (!w)
        return;
    *w = (atx_tuning_request){ NULL, *problem, ordinal, prepared };
    pthread_mutex_lock(&t->mutex);
    t->has_thread = t->has_thread || atx_library_thread(&t->thread, serve_requests, tuner);
    while (*last)
        last = &(*last)->next;
    *last = w;
    pthread_cond_signal(&t->requested);
    pthread_mutex_unlock(&t->mutex);
}
