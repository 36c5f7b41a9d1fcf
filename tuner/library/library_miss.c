/*
 * library_miss.c - tuning a problem when it is first run: while its caller waits, or in the background, where
 * one thread of this library takes one wish after the other.
 *
 * Both end alike: the store is opened if it has come meanwhile, and the next look-up sees what is new. The
 * background never touches the driver: it marks what was prepared, and whoever runs it next, in a thread that
 * has the context, prepares it anew.
 */
#include "library/library.h"

#include "lookup/miss.h"
#include "source/allowed.h"
#include "util/real_path.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

at_status at__tuning_open(at__tuning *t, const at_open_options *o, at_error *err)
{
    if (!(o->tune_s >= 0 && isfinite(o->tune_s)))
        return at_fail(err, AT_ERR_USAGE, "at_open: found tune_s = %g; expected seconds, 0 or more",
                       o->tune_s);
    if (pthread_mutex_init(&t->mutex, NULL) != 0)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (pthread_cond_init(&t->wished, NULL) != 0) {
        pthread_mutex_destroy(&t->mutex);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    t->is_open = true;
    t->budget_s = o->tune_s;
    t->in_background = o->tune_in_background != 0;
    at__str_add(&t->program, o->program ? o->program : "");
    at__str_add(&t->templates, o->templates ? o->templates : "");
    at__path_from_here(&t->program);
    at__path_from_here(&t->templates);
    /* Now: the program may go to another folder, or set another variable. */
    at_status status = at__headers_open(&t->headers, o->headers ? o->headers : getenv(AT__HEADERS_ENV), err);
    if (status == AT_OK)
        status = at__folders_read(&t->allow, "allow", o->allow ? o->allow : getenv(AT__ALLOW_ENV), err);
    if (status == AT_OK)
        status = at__str_status(&t->program, err);
    return status == AT_OK ? at__str_status(&t->templates, err) : status;
}

void at__tuning_close(at__tuning *t)
{
    if (!t->is_open)
        return;
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->stop, 1);
    pthread_cond_broadcast(&t->wished);
    pthread_mutex_unlock(&t->mutex);
    if (t->has_thread)
        pthread_join(t->thread, NULL);
    for (at__wish *w = t->wishes, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    pthread_cond_destroy(&t->wished);
    pthread_mutex_destroy(&t->mutex);
    at__str_clear(&t->program);
    at__str_clear(&t->database);
    at__str_clear(&t->templates);
    at__headers_close(t->headers);
    at__folders_clear(&t->allow);
}

const char *at__tuning_headers(const at__tuning *t)
{
    return at__headers_text(t->headers);
}

const char *at__tuning_allow(const at__tuning *t)
{
    return at__str_text(&t->allow.text);
}

/* `slow` is held. Where the new store cannot be read it is as if it had not come; at_close waits for no lock.
 */
static at_status see_what_is_new(at_tuner *tuner, at_error *err)
{
    const at__cancel cancel = { .flag = &tuner->tuning.stop };
    if (tuner->store) {
        at__lookup_look_again(tuner->lookup);
        return AT_OK;
    }
    at_status status = at__store_open_unless(&tuner->store, at__str_text(&tuner->tuning.database),
                                             AT__STORE_READ, &cancel, err);
    if (status == AT_OK)
        status = at__library_open_lookup(tuner, err);
    if (status != AT_OK) {
        at__store_close(tuner->store);
        tuner->store = NULL;
    }
    return status;
}

static const char *unless_empty(const at__str *text)
{
    return text->len ? at__str_text(text) : NULL;
}

static at__miss miss_of(const at__tuning *t, const char *device)
{
    return (at__miss){ .program = unless_empty(&t->program),
                       .database = at__str_text(&t->database),
                       .templates = unless_empty(&t->templates),
                       .headers = at__tuning_headers(t),
                       .allow = at__tuning_allow(t),
                       .device = device,
                       .budget_s = t->budget_s,
                       .stop = &t->stop };
}

at_status at__tuning_wait(at_tuner *tuner, const at__problem *problem, int ordinal, at_error *err)
{
    at__tuning *t = &tuner->tuning;
    char device[16];
    snprintf(device, sizeof device, "%d", ordinal);
    if (!t->database.len)
        return at_fail(err, AT_ERR_USAGE, "there is no place for a database");
    const at__miss miss = miss_of(t, device);
    at_status status = at__miss_tune(&miss, problem, err);
    if (status != AT_OK)
        return status;
    pthread_mutex_lock(&tuner->slow);
    status = see_what_is_new(tuner, err);
    pthread_mutex_unlock(&tuner->slow);
    return status;
}

/* ---- in the background ---- */

/* The oldest; NULL: it is time to end. `mutex` is held. */
static at__wish *next_wish(at__tuning *t)
{
    while (!atomic_load(&t->stop) && !t->wishes)
        pthread_cond_wait(&t->wished, &t->mutex);
    at__wish *w = atomic_load(&t->stop) ? NULL : t->wishes;
    if (w)
        t->wishes = w->next;
    return w;
}

/* So that the first calls of other problems get better. That it fails is no affair of who runs anything. */
static void learn(at__tuning *t)
{
    const at__miss miss = miss_of(t, "");
    if (t->database.len && at__miss_learn(&miss, NULL) != AT_OK)
        return; /* it is tried again after the next problem */
}

static void *grant_wishes(void *context)
{
    at_tuner *tuner = context;
    at__tuning *t = &tuner->tuning;
    at__wish *w;
    pthread_mutex_lock(&t->mutex);
    while ((w = next_wish(t))) {
        pthread_mutex_unlock(&t->mutex);
        if (at__tuning_wait(tuner, &w->problem, w->ordinal, NULL) == AT_OK)
            atomic_store(&w->prepared->renew, true);
        free(w);
        learn(t);
        pthread_mutex_lock(&t->mutex);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

/* Signals go to the program's own threads. `mutex` is held. */
static bool start_thread(at_tuner *tuner)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&tuner->tuning.thread, NULL, grant_wishes, tuner) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void at__tuning_wish(at_tuner *tuner, const at__problem *problem, int ordinal, at__prepared *prepared)
{
    at__tuning *t = &tuner->tuning;
    at__wish *w = malloc(sizeof *w), **last = &t->wishes;
    if (!w)
        return;
    *w = (at__wish){ NULL, *problem, ordinal, prepared };
    pthread_mutex_lock(&t->mutex);
    t->has_thread = t->has_thread || start_thread(tuner);
    while (*last)
        last = &(*last)->next;
    *last = w;
    pthread_cond_signal(&t->wished);
    pthread_mutex_unlock(&t->mutex);
}
