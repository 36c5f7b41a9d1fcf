/* ranks.c - see ranks.h: the role of this process, and the other ranks. */
#include "mpi/ranks_internal.h"

#include "mpi/server.h"
#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#define WAIT_TIME_S 60.0
#define MORE        3 /* times as patient are the others with rank 0, which alone may end the job */
#define LOOK_S      0.05
#define END_S       20 /* for MPI to end, which may wait for hosts that no longer answer */

/* AUTOTUNE_RANK_TIMEOUT: after how many seconds of silence a rank is given up. */
static double wait_time_s(void)
{
    const char *text = getenv("AUTOTUNE_RANK_TIMEOUT");
    double given = text ? strtod(text, NULL) : 0;
    return given >= 1 ? given : WAIT_TIME_S;
}

static at_status serve(const atx_launched *l, const atx_link *link, const atx_ranks_options *o, at_error *err)
{
    int rank = -1, size = 0;
    const char *failed = link->begin(&rank, &size);
    if (failed)
        return atx_fail(err, AT_ERR_SYSTEM, "%s", failed);
    if (size != l->size)
        return atx_fail(
            err, AT_ERR_SYSTEM,
            "%s started %d processes, and this MPI counts %d: it is another MPI than the one that "
            "started them",
            l->by, l->size, size);
    at_status status = atx_server_run(link, size, MORE * wait_time_s(), o->cancel, err);
    if (status == AT_OK)
        alarm(END_S); /* all is over: nothing is lost by dying */
    if (status == AT_OK || status == AT_ERR_INPUT)
        link->end();
    else
        link->abort(1); /* rank 0 is not there to end together with */
    return status;
}

/* Every child elsewhere takes two descriptors here. */
static void raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max < 262144 ? limit.rlim_max : 262144;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static at_status room_for(atx_ranks *r, int count, at_error *err)
{
    r->count = count;
    r->list = calloc((size_t)count, sizeof *r->list);
    r->owner = calloc((size_t)count, sizeof *r->owner);
    r->workers = calloc((size_t)count, sizeof *r->workers);
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!r->list || !r->owner || !r->workers || r->epoll < 0)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for %d ranks", count);
    for (int i = 0; i < count; i++) {
        atx_rank *rank = &r->list[i];
        snprintf(rank->name, sizeof rank->name, "rank %d", i);
        rank->ranks = r;
        rank->number = i;
        rank->site = (atx_site){ .name = rank->name,
                                 .spawn = atx_ranks_spawn,
                                 .kill = atx_ranks_kill,
                                 .stop = atx_ranks_stop,
                                 .exit_status = atx_ranks_exit_status };
    }
    return AT_OK;
}

static void describe_self(atx_ranks *r)
{
    atx_rank *self = &r->list[0];
    atx_rank_describe(&self->info);
    snprintf(self->name, sizeof self->name, "rank 0 on %s", self->info.host);
    self->state = ATX_RANK_HERE;
}

static at_status supervise(atx_ranks **out, const atx_launched *l, const atx_link *link,
                           const atx_ranks_options *o, at_error *err)
{
    atx_ranks *r = calloc(1, sizeof *r);
    if (!r)
        return atx_no_memory(err);
    *out = r;
    r->options = *o;
    r->launched = *l;
    r->link = link;
    r->wait_time_s = wait_time_s();
    r->epoll = -1;
    pthread_mutex_init(&r->lock, NULL);
    atx_timed_wait_init(&r->news);
    raise_limit();
    ATX_TRY(room_for(r, l->size, err));
    describe_self(r);
    r->threaded = pthread_create(&r->thread, NULL, atx_ranks_messages, r) == 0;
    return r->threaded ? AT_OK : atx_fail(err, AT_ERR_SYSTEM, "a thread for MPI could not be started");
}

at_status atx_ranks_begin(atx_ranks **out, bool *served, const atx_ranks_options *options, at_error *err)
{
    atx_launched launched;
    const atx_link *link = NULL;
    *out = NULL;
    *served = false;
    if (!atx_launched_find(&launched))
        return AT_OK;
    *served = launched.rank > 0;
    ATX_TRY(atx_launched_link(&link, &launched, err));
    if (launched.rank > 0)
        return serve(&launched, link, options, err);
    return supervise(out, &launched, link, options, err);
}

/* ---- who is there ---- */

static bool all_are_there(const atx_ranks *r)
{
    for (int i = 1; i < r->count; i++)
        if (r->list[i].state == ATX_RANK_AWAITED)
            return false;
    return true;
}

static bool is_asked(const atx_ranks *r)
{
    return r->options.cancel && *r->options.cancel;
}

static at_status await_all(atx_ranks *r, at_error *err)
{
    at_status status = AT_OK;
    pthread_mutex_lock(&r->lock);
    while (status == AT_OK && r->status == AT_OK && (!r->begun || !all_are_there(r))) {
        atx_timed_wait(&r->news, &r->lock, atx_now_s() + LOOK_S);
        if (is_asked(r))
            status = atx_fail(err, AT_ERR_CANCELLED, "interrupted before all ranks were there");
    }
    if (status == AT_OK && r->status != AT_OK)
        status = atx_fail(err, r->status, "%s", r->why.text);
    pthread_mutex_unlock(&r->lock);
    return status;
}

static at_status check_programs(const atx_ranks *r, at_error *err)
{
    for (int i = 1; i < r->count; i++) {
        const atx_rank *other = &r->list[i];
        if (other->state != ATX_RANK_OTHER)
            continue;
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s runs autotune %s, and %s runs %s: another version, or other templates; expected one "
            "program on all ranks",
            other->name, other->info.program, r->list[0].name, r->list[0].info.program);
    }
    return AT_OK;
}

static void warn(const atx_ranks *r, const char *text)
{
    if (r->options.tell)
        r->options.tell(r->options.context, text);
}

/* What costs time and is easily put right. */
static void warn_of_ranks(const atx_ranks *r)
{
    char text[400];
    bool bound = false; /* that was told; other ranks are bound alike */
    for (int i = 0; i < r->count; i++) {
        const atx_rank *rank = &r->list[i];
        const atx_rank_info *info = &rank->info;
        int cores = CPU_COUNT(&info->cores);
        if (rank->state != ATX_RANK_HERE)
            continue;
        if (!info->nvrtc[0] || strcmp(info->nvrtc, r->list[0].info.nvrtc) != 0) {
            snprintf(text, sizeof text, "%s compiles nothing: found NVRTC %s there; expected %s as on rank 0",
                     rank->name, info->nvrtc[0] ? info->nvrtc : "(none)",
                     r->list[0].info.nvrtc[0] ? r->list[0].info.nvrtc : "(none)");
            if (i > 0)
                warn(r, text);
        } else if (!bound && strcmp(r->launched.by, "Open MPI's mpirun") == 0 && cores == 1 &&
                   info->machine_cores > 1) {
            snprintf(
                text, sizeof text,
                "%s may use 1 of the machine's %d cores, as mpirun has bound it; `mpirun --bind-to none` "
                "gives it all",
                rank->name, info->machine_cores);
            warn(r, text);
            bound = true;
        }
    }
}

at_status atx_ranks_gather(atx_ranks *r, at_error *err)
{
    ATX_FREED atx_rank_info *infos = calloc((size_t)r->count, sizeof *infos);
    if (!infos) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    ATX_TRY(await_all(r, err));
    ATX_TRY(check_programs(r, err));
    for (int i = 0; i < r->count; i++)
        if (r->list[i].state == ATX_RANK_HERE)
            infos[i] = r->list[i].info;
    atx_rank_share(r->owner, r->workers, infos, r->count);
    warn_of_ranks(r);
    return AT_OK;
}

int atx_ranks_count(const atx_ranks *r)
{
    return r->count;
}

atx_site *atx_ranks_place(const atx_ranks *r, int rank)
{
    return rank > 0 ? &r->list[rank].site : NULL;
}

const char *atx_ranks_name(const atx_ranks *r, int rank)
{
    return r->list[rank].name;
}

int atx_ranks_workers(const atx_ranks *r, int rank)
{
    return r->workers[rank];
}

bool atx_ranks_serves(const atx_ranks *r, int rank, int gpu)
{
    return gpu >= 0 && gpu < ATX_RANK_GPUS && r->owner[rank][gpu];
}

bool atx_ranks_is_gone(atx_ranks *r, int rank)
{
    pthread_mutex_lock(&r->lock);
    bool gone = r->list[rank].state == ATX_RANK_GONE;
    pthread_mutex_unlock(&r->lock);
    return gone;
}

const char *atx_ranks_no_gpu(const atx_ranks *r)
{
    return r->list[0].info.no_gpu;
}

/* All is stored and printed by now. */
static void await_thread(atx_ranks *r)
{
    double until_s = atx_now_s() + END_S;
    bool in_time = true;
    pthread_mutex_lock(&r->lock);
    while (!r->over && in_time)
        in_time = atx_timed_wait(&r->news, &r->lock, until_s);
    bool over = r->over;
    pthread_mutex_unlock(&r->lock);
    if (over) {
        pthread_join(r->thread, NULL);
        return;
    }
    warn(r, "MPI waits for ranks that no longer answer; this process ends without it");
    fflush(NULL);
    _exit(r->exit_code);
}

void atx_ranks_end(atx_ranks *r, int exit_code)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    r->exit_code = exit_code;
    pthread_mutex_unlock(&r->lock);
    if (r->threaded)
        await_thread(r);
    for (size_t i = 1; i < r->channel_count; i++)
        if (r->channels[i]) {
            atx_str_clear(&r->channels[i]->to_local);
            close(r->channels[i]->fd);
            free(r->channels[i]);
        }
    if (r->epoll >= 0)
        close(r->epoll);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->news);
    free(r->channels);
    free(r->list);
    free(r->owner);
    free(r->workers);
    free(r);
}
