/*
 * tune.c - the threads of devices, and the distribution of problems.
 *
 * Each device begins as soon as it has started. Devices of one model form a group and take problems from its
 * list; every group has the whole list, in a run with several devices the most expensive problems first, so
 * that they end together. A device without a problem
 * takes part in the search of another one of its group (helper_pool.h). The problem of a device that is lost
 * goes back to the group.
 */
#include "tune/tune_internal.h"

#include "tune/setup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct atx_group {
    atx_device_info model;
    size_t next;       /* to be drawn: a place in the order */
    int members, lost; /* so far: others may start */
    bool *refused;     /* problems that do not fit */
    size_t *left;      /* places of devices that were lost */
    size_t left_count;
    atx_population *population; /* chooses the next one, if only some are to be tuned */
    at_status choosing;         /* of that */
    at_error why;
    atx_helper_pool *helper_pool;
    bool checked;
    pthread_mutex_t
        check; /* held while a device's thread looks which ones that are, or chooses the next one */
};

static void report_result(void *context, const atx_result *result)
{
    atx_team *t = context;
    pthread_mutex_lock(&t->lock);
    if (t->events->result)
        t->events->result(t->events->context, result);
    pthread_mutex_unlock(&t->lock);
}

static void report_progress(void *context, const atx_progress *progress)
{
    atx_team *t = context;
    pthread_mutex_lock(&t->lock);
    if (t->events->progress)
        t->events->progress(t->events->context, progress);
    pthread_mutex_unlock(&t->lock);
}

static bool is_asked_to_end(const atx_member *m)
{
    const atx_tune_options *o = m->team->options;
    return m->team->ending || (o->cancel && *o->cancel);
}

/* As many as may be of the group. The lock is held. */
static int most_members(const atx_group *g, const atx_team *t)
{
    return g->members + t->starting;
}

static size_t problem_at(const atx_member *m, size_t place)
{
    const atx_cost *most_expensive = m->team->most_expensive;
    return most_expensive ? most_expensive[place].place : place;
}

/* The model may learn for seconds, during which other devices measure and report: without the lock. */
static size_t choose_place(const atx_member *m)
{
    atx_group *g = m->group;
    size_t place = m->team->count;
    pthread_mutex_unlock(&m->team->lock);
    pthread_mutex_lock(&g->check);
    if (g->choosing == AT_OK)
        g->choosing = atx_population_next(&place, g->population, &g->why);
    pthread_mutex_unlock(&g->check);
    pthread_mutex_lock(&m->team->lock);
    return place;
}

/* The next place of the list that is to be tuned; its length: there is none. */
static size_t next_place(const atx_member *m)
{
    atx_group *g = m->group;
    const size_t count = m->team->count;
    size_t place;
    do
        place = m->team->options->population ? choose_place(m) : g->next < count ? g->next++ : count;
    while (place < count && g->refused[problem_at(m, place)]);
    return place;
}

/* The next problem of the group becomes the member's next. The lock is held. */
static void draw_ahead(atx_member *m)
{
    atx_group *g = m->group;
    if (is_asked_to_end(m))
        return;
    m->ahead = g->left_count > 0 ? g->left[--g->left_count] : next_place(m);
    m->has_ahead = m->ahead < m->team->count;
    if (m->has_ahead)
        atx_helper_pool_begin(g->helper_pool);
}

/* The next problem; false when there is none, or the user wants to stop. */
static bool draw(atx_member *m, size_t *place)
{
    pthread_mutex_lock(&m->team->lock);
    if (!m->has_ahead)
        draw_ahead(m);
    const bool more = m->has_ahead && !is_asked_to_end(m);
    if (more) {
        *place = m->ahead;
        m->has_ahead = false;
    }
    pthread_mutex_unlock(&m->team->lock);
    return more;
}

/* Of the last problems none is drawn before its time: another device may be free for it sooner. */
static const atx_problem *upcoming(void *context)
{
    atx_member *m = context;
    const atx_group *g = m->group;
    pthread_mutex_lock(&m->team->lock);
    const int members = most_members(g, m->team);
    if (members == 1 || g->next + (size_t)members <= m->team->count)
        draw_ahead(m);
    pthread_mutex_unlock(&m->team->lock);
    return m->has_ahead ? &m->team->problems[problem_at(m, m->ahead)] : NULL;
}

/* A problem that was drawn is done, or another device is to begin it again: what was measured is stored. */
static void put_down(const atx_member *m, size_t place, bool again)
{
    atx_group *g = m->group;
    pthread_mutex_lock(&m->team->lock);
    if (again)
        g->left[g->left_count++] = place;
    atx_helper_pool_end(g->helper_pool);
    pthread_mutex_unlock(&m->team->lock);
}

/* A device elsewhere may be lost without an end of all, as long as others of its model are left, or may
 * start. */
static void pass_over(atx_member *m)
{
    char text[AT_ERROR_TEXT + 160];
    atx_group *g = m->group;
    if (m->status == AT_OK || !atx_device_is_lost(m->device) || !m->team->options->device_places)
        return;
    pthread_mutex_lock(&m->team->lock);
    g->lost++;
    const bool here = g->lost < g->members;
    m->passed_over = g->lost < most_members(g, m->team);
    pthread_mutex_unlock(&m->team->lock);
    if (!m->passed_over)
        return;
    snprintf(text, sizeof text, "a device is lost, others of its model %s: %s",
             here ? "take over" : "take over if they start", m->err.text);
    atx_team_warn(m->team, text);
}

/* All threads have ended. */
static bool has_failed(const atx_member *m)
{
    const bool replaced = m->passed_over && m->group->lost < m->group->members;
    return m->started && m->status != AT_OK && !replaced;
}

/* Tells at once, of a list that may take hours, what cannot be measured at all. */
static void refuse(atx_member *m, atx_env *env)
{
    atx_group *g = m->group;
    pthread_mutex_lock(&g->check);
    for (size_t i = 0; i < m->team->count && !g->checked && !atx_cancel_due(&env->cancel); i++) {
        at_error why = { 0 };
        atx_result r = { .device = atx_device_info_of(m->device)->ordinal,
                         .problem = &m->team->problems[i],
                         .why = why.text };
        g->refused[i] = atx_setup_fits(env, &m->team->problems[i], &why) == AT_ERR_DEVICE;
        if (g->refused[i])
            report_result(m->team, &r);
    }
    g->checked = true;
    pthread_mutex_unlock(&g->check);
}

/* Looks once whether another device has a use for this one. */
static void help(atx_member *m, atx_helped *helped)
{
    int64_t help_request;
    const atx_problem *problem = NULL;
    if (!atx_helper_pool_find(m->group->helper_pool, &help_request, &problem, helped))
        return;
    m->status = atx_session_help(m->session, m->group->helper_pool, help_request, problem, &m->err);
}

/* Of the next problem; the user's wish to end is none. */
static at_status failure_to_choose(atx_member *m)
{
    atx_group *g = m->group;
    pthread_mutex_lock(&g->check);
    const at_status status = g->choosing == AT_OK || is_asked_to_end(m)
                                 ? AT_OK
                                 : atx_fail(&m->err, g->choosing, "%s", g->why.text);
    pthread_mutex_unlock(&g->check);
    return status;
}

static bool same_model(const atx_device_info *a, const atx_device_info *b)
{
    return strcmp(a->name, b->name) == 0 && a->limits.cc == b->limits.cc && a->limits.sms == b->limits.sms &&
           a->limits.memory_bytes == b->limits.memory_bytes;
}

/* Devices of one model choose from the list together. */
static at_status open_population(atx_group *g, const atx_team *t)
{
    const atx_tune_options *o = t->options;
    atx_population_of of = { .problems = t->problems,
                             .count = t->count,
                             .catalog = t->catalog,
                             .db = o->db_path,
                             .cancel = o->cancel,
                             .target = { .cc = g->model.limits.cc, .sms = g->model.limits.sms, .full = true },
                             .alone = o->device_count && atx_device_is_replay(o->devices[0]),
                             .force = o->force };
    if (!o->population)
        return AT_OK;
    snprintf(of.target.name, sizeof of.target.name, "%s", g->model.name);
    return atx_population_open(&g->population, &of, o->population, &g->why);
}

static atx_group *group_for(atx_team *t, const atx_device_info *info)
{
    for (int i = 0; i < t->group_count; i++)
        if (same_model(&t->groups[i].model, info))
            return &t->groups[i];
    atx_group *g = &t->groups[t->group_count];
    *g = (atx_group){ .model = *info,
                      .refused = calloc(t->count, sizeof *g->refused),
                      .left = calloc(t->count, sizeof *g->left),
                      .helper_pool = atx_helper_pool_open() };
    pthread_mutex_init(&g->check, NULL);
    t->group_count++;
    g->choosing = open_population(g, t);
    return g;
}

static at_status join_group(atx_member *m)
{
    atx_team *t = m->team;
    pthread_mutex_lock(&t->joining);
    const atx_group *g = m->group = group_for(t, atx_device_info_of(m->device));
    pthread_mutex_unlock(&t->joining);
    return g->refused && g->left && g->helper_pool ? AT_OK : atx_no_memory(&m->err);
}

/* Others go on without a device that is absent, as long as there are any. */
static void tell_absent(const atx_member *m)
{
    char text[AT_ERROR_TEXT + 80];
    snprintf(text, sizeof text, "a device did not start, others go on without it: %s", m->err.text);
    atx_team_warn(m->team, text);
}

/* Waits until the device has started. False: it has not. */
static bool begin(atx_member *m)
{
    atx_team *t = m->team;
    m->status = atx_member_await(m, &m->err);
    if (m->status == AT_OK && !m->absent)
        m->status = join_group(m);
    const bool here = m->status == AT_OK && !m->absent;
    pthread_mutex_lock(&t->lock);
    t->starting--;
    t->here += here;
    if (here)
        m->group->members++;
    const bool others = t->starting + t->here > 0;
    pthread_mutex_unlock(&t->lock);
    if (m->absent && others)
        tell_absent(m);
    if (m->status != AT_OK)
        t->ending = true;
    return here;
}

/* Until nothing is left to do. */
static void work(atx_member *m)
{
    atx_team *t = m->team;
    bool idle = false, over = false; /* idle: no device was at work, and something may have been left */
    atx_helped helped = { .next = 0 };
    size_t place;

    atx_session_set_upcoming(m->session, upcoming, m);
    while (m->status == AT_OK && !over) {
        if (draw(m, &place)) {
            idle = false;
            m->status = atx_session_tune(m->session, &t->problems[problem_at(m, place)], (int)place,
                                         (int)t->count, &m->err);
            put_down(m, place, m->status != AT_OK && atx_device_is_lost(m->device));
        } else if (idle || is_asked_to_end(m)) {
            over = true;
        } else if (atx_helper_pool_is_idle(m->group->helper_pool)) {
            idle = true;
        } else {
            help(m, &helped);
        }
    }
    if (m->has_ahead)
        put_down(m, m->ahead, true);
}

/* Other devices may help it, once they have started. */
static void be_helped(const atx_member *m)
{
    pthread_mutex_lock(&m->team->lock);
    const bool alone = most_members(m->group, m->team) == 1;
    pthread_mutex_unlock(&m->team->lock);
    atx_session_env(m->session)->helper_pool = alone ? NULL : m->group->helper_pool;
}

static void *member_main(void *context)
{
    atx_member *m = context;
    if (begin(m)) {
        m->status = atx_session_open(m->session, m->device, &m->err);
        if (m->status == AT_OK) {
            refuse(m, atx_session_env(m->session));
            be_helped(m);
            work(m);
        }
        if (m->status == AT_OK)
            m->status = failure_to_choose(m);
        pass_over(m);
    }
    atx_member_close(m); /* all at the same time: a GPU takes a while */
    m->session = NULL;
    m->device = NULL;
    return NULL;
}

/* Several devices are to end together. Where a cost is not known, the list's own order does. */
static void sort_problems(atx_team *t, const atx_members *all)
{
    at_error ignored;
    if (all->count < 2 || t->options->population)
        return;
    t->most_expensive = calloc(t->count + 1, sizeof *t->most_expensive);
    if (!t->most_expensive || atx_cost_sorted(t->most_expensive, t->problems, t->count, &ignored) == AT_OK)
        return;
    free(t->most_expensive);
    t->most_expensive = NULL;
}

/* What is expected of the answers for the problems that were not tuned. */
static at_status tell_populations(const atx_team *t, at_error *err)
{
    at_status status = AT_OK;
    atx_population_loss loss;
    for (int i = 0; i < t->group_count && status == AT_OK; i++) {
        if (!t->groups[i].population || (t->options->cancel && *t->options->cancel))
            continue;
        status = atx_population_state(&loss, t->groups[i].population, err);
        if (status == AT_OK && t->events->population)
            t->events->population(t->events->context, &loss);
    }
    return status == AT_ERR_CANCELLED ? AT_OK : status;
}

static at_status run_members(const atx_members *all, atx_team *t, at_error *err)
{
    at_status status = AT_OK;
    t->starting = all->count;
    for (int i = 0; i < all->count; i++) {
        all->list[i].started = pthread_create(&all->list[i].thread, NULL, member_main, &all->list[i]) == 0;
        if (!all->list[i].started)
            status = atx_fail(err, AT_ERR_SYSTEM, "a thread for device %d could not be started", i);
    }
    for (int i = 0; i < all->count; i++)
        if (all->list[i].started)
            pthread_join(all->list[i].thread, NULL);
    for (int i = 0; i < all->count && status == AT_OK; i++)
        if (has_failed(&all->list[i]))
            status = atx_fail(err, all->list[i].status, "%s", all->list[i].err.text);
    if (status == AT_OK && !t->here && all->count)
        status = atx_fail(err, AT_ERR_DEVICE, "%s", all->list[0].err.text);
    return status;
}

static void close_members(atx_members *all)
{
    for (int i = 0; i < all->count; i++)
        atx_member_close(&all->list[i]);
    free(all->list);
}

at_status atx_tune(const atx_problem *problems, size_t count, const atx_catalog *catalog,
                   const atx_tune_options *options, const atx_tune_events *events, at_error *err)
{
    atx_team t = {
        .problems = problems, .count = count, .catalog = catalog, .options = options, .events = events
    };
    atx_members all = { 0 };
    t.member_events = (atx_tune_events){
        .context = &t, .progress = report_progress, .result = report_result, .warning = atx_team_warn
    };
    pthread_mutex_init(&t.lock, NULL);
    pthread_mutex_init(&t.joining, NULL);
    t.claims = atx_claims_open();
    at_status status = t.claims ? atx_team_start_devices(&all, &t, err) : atx_no_memory(err);
    t.groups = calloc((size_t)all.count + 1, sizeof *t.groups);
    if (status == AT_OK && !t.groups)
        status = atx_no_memory(err);
    if (status == AT_OK)
        sort_problems(&t, &all);
    ATX_THEN(status, run_members(&all, &t, err));
    close_members(&all);
    ATX_THEN(status, tell_populations(&t, err));
    atx_claims_close(t.claims);
    for (int i = 0; i < t.group_count; i++) {
        pthread_mutex_destroy(&t.groups[i].check);
        atx_helper_pool_close(t.groups[i].helper_pool);
        atx_population_close(t.groups[i].population);
        free(t.groups[i].refused);
        free(t.groups[i].left);
    }
    pthread_mutex_destroy(&t.lock);
    pthread_mutex_destroy(&t.joining);
    free(t.groups);
    free(t.most_expensive);
    free(t.worker_owner);
    return status;
}
