/*
 * tune.c - devices, their threads, and who tunes which problem.
 *
 * Devices of one model form a group and draw problems from its list; every group has the whole list.
 */
#include "tune/tune.h"

#include "tune/session.h"
#include "tune/setup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct group {
    const at__device_info *model;
    size_t next;   /* problem to be drawn */
    bool *refused; /* problems that do not fit */
    bool checked;
    pthread_mutex_t check; /* held while the first device's thread looks which ones that are */
} group;

typedef struct team {
    const at__problem *problems;
    size_t count;
    const at__catalog *catalog;
    const at__tune_options *options;
    const at__tune_events *events;
    pthread_mutex_t lock; /* of everything below, and of the caller's events */
    group *groups;
    int group_count;
} team;

typedef struct member {
    team *team;
    at__device *device;
    group *group;
    int workers;
    pthread_t thread;
    bool started;
    at_status status;
    at_error err;
} member;

static void report_result(void *context, const at__result *result)
{
    team *t = context;
    pthread_mutex_lock(&t->lock);
    if (t->events->result)
        t->events->result(t->events->context, result);
    pthread_mutex_unlock(&t->lock);
}

static void report_progress(void *context, const at__progress *progress)
{
    team *t = context;
    pthread_mutex_lock(&t->lock);
    if (t->events->progress)
        t->events->progress(t->events->context, progress);
    pthread_mutex_unlock(&t->lock);
}

static void report_warning(void *context, const char *text)
{
    team *t = context;
    pthread_mutex_lock(&t->lock);
    if (t->events->warning)
        t->events->warning(t->events->context, text);
    pthread_mutex_unlock(&t->lock);
}

/* The next problem of the group; false when there is none, or the user wants to stop. */
static bool draw(member *m, size_t *index)
{
    const at__tune_options *o = m->team->options;
    pthread_mutex_lock(&m->team->lock);
    while (m->group->next < m->team->count && m->group->refused[m->group->next])
        m->group->next++;
    *index = m->group->next;
    bool more = *index < m->team->count && !(o->cancel && *o->cancel);
    m->group->next += more;
    pthread_mutex_unlock(&m->team->lock);
    return more;
}

/* Tells at once, of a list that may take hours, what cannot be measured at all. */
static void refuse(member *m, at__env *env)
{
    group *g = m->group;
    pthread_mutex_lock(&g->check);
    for (size_t i = 0; i < m->team->count && !g->checked && !at__cancel_due(&env->cancel); i++) {
        at_error why = { 0 };
        at__result r = { .device = at__device_info_of(m->device)->ordinal,
                         .problem = &m->team->problems[i],
                         .why = why.text };
        g->refused[i] = at__setup_fits(env, &m->team->problems[i], &why) == AT_ERR_DEVICE;
        if (g->refused[i])
            report_result(m->team, &r);
    }
    g->checked = true;
    pthread_mutex_unlock(&g->check);
}

static void *member_main(void *context)
{
    member *m = context;
    team *t = m->team;
    at__session *session = NULL;
    at__tune_events events = {
        .context = t, .progress = report_progress, .result = report_result, .warning = report_warning
    };
    size_t index;

    m->status = at__session_open(&session, t->catalog, t->options, m->device, m->workers, &events, &m->err);
    if (m->status == AT_OK)
        refuse(m, at__session_env(session));
    while (m->status == AT_OK && draw(m, &index))
        m->status = at__session_tune(session, &t->problems[index], (int)index, (int)t->count, &m->err);
    at__session_close(session);
    return NULL;
}

static bool same_model(const at__device_info *a, const at__device_info *b)
{
    return strcmp(a->name, b->name) == 0 && a->limits.cc == b->limits.cc && a->limits.sms == b->limits.sms &&
           a->limits.memory_bytes == b->limits.memory_bytes;
}

/* NULL: out of memory. */
static group *group_for(team *t, const at__device_info *info)
{
    for (int i = 0; i < t->group_count; i++)
        if (same_model(t->groups[i].model, info))
            return &t->groups[i];
    group *g = &t->groups[t->group_count];
    *g = (group){ .model = info, .refused = calloc(t->count, sizeof *g->refused) };
    if (!g->refused)
        return NULL;
    pthread_mutex_init(&g->check, NULL);
    t->group_count++;
    return g;
}

static at_status open_devices(member *members, int count, team *t, at_error *err)
{
    at__cancel cancel = { .flag = t->options->cancel };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int jobs = t->options->jobs > 0 ? t->options->jobs : (int)(cores > 0 ? cores : 1);
    for (int i = 0; i < count; i++) {
        char ordinal[16];
        snprintf(ordinal, sizeof ordinal, "%d", i);
        at_status status = at__device_open(
            &members[i].device, t->options->device_count ? t->options->devices[i] : ordinal, &cancel, err);
        if (status != AT_OK)
            return status;
        members[i].team = t;
        members[i].workers = jobs / count > 0 ? jobs / count : 1;
        members[i].group = group_for(t, at__device_info_of(members[i].device));
        if (!members[i].group)
            return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    return AT_OK;
}

static at_status run_members(member *members, int count, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < count; i++) {
        members[i].started = pthread_create(&members[i].thread, NULL, member_main, &members[i]) == 0;
        if (!members[i].started)
            status = at_fail(err, AT_ERR_SYSTEM, "a thread for device %d could not be started", i);
    }
    for (int i = 0; i < count; i++)
        if (members[i].started)
            pthread_join(members[i].thread, NULL);
    for (int i = 0; i < count && status == AT_OK; i++)
        if (members[i].started && members[i].status != AT_OK)
            status = at_fail(err, members[i].status, "%s", members[i].err.text);
    return status;
}

at_status at__tune(const at__problem *problems, size_t count, const at__catalog *catalog,
                   const at__tune_options *options, const at__tune_events *events, at_error *err)
{
    team t = {
        .problems = problems, .count = count, .catalog = catalog, .options = options, .events = events
    };
    at__cancel cancel = { .flag = options->cancel };
    int devices = options->device_count;
    at_status status = devices ? AT_OK : at__device_count(&devices, &cancel, err);

    if (status == AT_OK && devices <= 0)
        status = at_fail(err, AT_ERR_DEVICE, "the CUDA driver shows no device");
    if (status != AT_OK || devices <= 0)
        return status;
    member *members = calloc((size_t)devices, sizeof *members);
    t.groups = calloc((size_t)devices, sizeof *t.groups);
    pthread_mutex_init(&t.lock, NULL);
    status = members && t.groups ? open_devices(members, devices, &t, err)
                                 : at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK && members)
        status = run_members(members, devices, err);
    for (int i = 0; members && i < devices; i++)
        at__device_close(members[i].device);
    for (int i = 0; t.groups && i < t.group_count; i++) {
        pthread_mutex_destroy(&t.groups[i].check);
        free(t.groups[i].refused);
    }
    pthread_mutex_destroy(&t.lock);
    free(t.groups);
    free(members);
    return status;
}
