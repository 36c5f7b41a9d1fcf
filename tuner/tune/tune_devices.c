/*
 * tune_devices.c - which devices a run has: starts them and their compilers. Each one's thread waits for it.
 */
#include "tune/tune_internal.h"

#include "tune/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void atx_team_warn(void *context, const char *text)
{
    atx_team *t = context;
    pthread_mutex_lock(&t->lock);
    bool again = strcmp(t->warned, text) == 0; /* by another device, as a rule */
    snprintf(t->warned, sizeof t->warned, "%s", text);
    if (t->events->warning && !again)
        t->events->warning(t->events->context, text);
    pthread_mutex_unlock(&t->lock);
}

void atx_member_close(const atx_member *m)
{
    if (m->session)
        atx_session_set_upcoming(m->session, NULL, NULL);
    atx_session_close(m->session);
    atx_device_close(m->device);
}

static at_status room_for(atx_members *all, int count, at_error *err)
{
    atx_member *list = calloc((size_t)count, sizeof *list);
    if (!list)
        return atx_no_memory(err);
    for (int i = 0; i < all->count; i++)
        list[i] = all->list[i];
    free(all->list);
    *all = (atx_members){ list, count };
    return AT_OK;
}

static at_status start_member(atx_member *m, int index, atx_team *t, at_error *err)
{
    char ordinal[16];
    const atx_tune_options *o = t->options;
    const atx_cancel cancel = { .flag = o->cancel };
    snprintf(ordinal, sizeof ordinal, "%d", index);
    const char *spec = o->device_count ? o->devices[index] : ordinal;
    m->team = t;
    m->index = index;
    m->replay = atx_device_is_replay(spec);
    return atx_device_start_at(&m->device, o->device_places ? o->device_places[index] : NULL, spec,
                               o->device_places ? index : -1, &cancel, err);
}

/*
 * A device takes half a second to start. Meanwhile the compilers of its session start too; what becomes of
 * them is told only when there is a device.
 */
static at_status begin_session(atx_member *m, int index, int workers, at_error *err)
{
    const atx_team *t = m->team;
    atx_site **places = t->worker_owner ? atx_spread_of(&workers, t->worker_owner, t->options, index) : NULL;
    if (t->worker_owner && !places)
        return atx_no_memory(err);
    const atx_session_plan plan = { t->catalog, t->options, &t->member_events, t->claims, m->replay,
                                    workers,    places };
    m->begun = atx_session_begin(&m->session, &plan, &m->why);
    free(places);
    return AT_OK;
}

/* Half-way: what does not depend on the problem can be compiled. */
static void on_found(void *context, int cc)
{
    atx_member *m = context;
    if (m->session)
        atx_session_prepare(m->session, cc);
}

static void tick(void *context)
{
    atx_member *m = context;
    if (m->session)
        atx_session_tick(m->session);
}

static at_status await_member(atx_member *m, const atx_team *t, at_error *err)
{
    atx_cancel cancel = { .flag = t->options->cancel, .tick = tick, .context = m };
    at_status status = atx_device_await(m->device, &cancel, on_found, m, err);
    if (status == AT_OK && m->begun != AT_OK)
        status = atx_fail(err, m->begun, "%s", m->why.text);
    return status;
}

/* Of `all` as many were started as it seemed that there are. */
static bool is_there(int index)
{
    int count = 0;
    at_error ignored;
    return atx_device_count(&count, NULL, &ignored) != AT_OK || count < 1 || index < count;
}

/* In a run over several machines one may go while its device starts, or have a device that is broken. */
static at_status may_be_absent(atx_member *m, at_status status, const at_error *err)
{
    const atx_tune_options *o = m->team->options;
    if (status != AT_ERR_DEVICE || (!o->device_places && (o->device_count || is_there(m->index))))
        return status;
    m->absent = true;
    m->err = *err;
    return AT_OK;
}

at_status atx_member_await(atx_member *m, at_error *err)
{
    if (m->absent)
        return AT_OK;
    at_status status = m->awaited ? AT_OK : await_member(m, m->team, err);
    return status == AT_OK ? AT_OK : may_be_absent(m, status, err);
}

static int workers_of_each(const atx_team *t, int count)
{
    int jobs = t->options->jobs > 0 ? t->options->jobs : atx_pool_cores();
    return jobs / count > 0 ? jobs / count : 1;
}

/* Devices from .. to - 1 of `to`. All of them before the first session: that forks a process a compiler. */
static at_status start_members(atx_members *all, int from, int to, atx_team *t, at_error *err)
{
    at_status status = AT_OK;
    for (int i = from; i < to && status == AT_OK; i++) {
        status = start_member(&all->list[i], i, t, err);
        status = may_be_absent(&all->list[i], status, err);
    }
    for (int i = from; i < to && status == AT_OK; i++)
        if (!all->list[i].absent)
            status = begin_session(&all->list[i], i, workers_of_each(t, to), err);
    return status;
}

/* As many as there are, says the first one; as many as were guessed have been started beside it. */
static at_status count_devices(atx_members *all, atx_team *t, int *count, at_error *err)
{
    ATX_TRY(await_member(&all->list[0], t, err));
    all->list[0].awaited = true;
    const int guessed = *count;
    int visible = atx_device_info_of(all->list[0].device)->visible;
    atx_cancel cancel = { .flag = t->options->cancel };
    at_status status = AT_OK;
    if (!visible && (status = atx_device_count(&visible, &cancel, err)) != AT_OK)
        return status;
    if (visible < 1)
        return atx_fail(err, AT_ERR_DEVICE,
                        "the CUDA driver shows no device any more, and it had one before");
    for (int i = visible; i < guessed; i++) {
        atx_member_close(&all->list[i]);
        all->count--;
    }
    if (visible > guessed)
        status = room_for(all, visible, err);
    for (int i = 0; i < visible && i < guessed && guessed != visible && status == AT_OK; i++)
        if (all->list[i].session) /* else await_member tells why there is none */
            status = atx_session_share(all->list[i].session, workers_of_each(t, visible), err);
    ATX_THEN(status, start_members(all, guessed, visible, t, err));
    *count = visible;
    return status;
}

at_status atx_team_start_devices(atx_members *all, atx_team *t, at_error *err)
{
    int given = t->options->device_count, count = given ? given : atx_device_guess();
    at_status status = room_for(all, count, err);
    if (status == AT_OK && t->options->place_count && !(t->worker_owner = atx_spread_all(t->options)))
        status = atx_no_memory(err);
    ATX_THEN(status, start_members(all, 0, count, t, err));
    return status == AT_OK && !given ? count_devices(all, t, &count, err) : status;
}
