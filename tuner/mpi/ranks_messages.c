/*
 * ranks_messages.c - the thread of rank 0 that exchanges messages with the other ranks, and the remote
 * children.
 *
 * A remote child has a channel: a pair of sockets, one end its supervisor's, the other one ours. Bytes that
 * arrive at our end go to the child's rank in frames, and bytes from there go into it. All of MPI is in this
 * one thread. It polls, as MPI cannot be waited for together with sockets, and sleeps 50 us in between, 2 ms
 * after a while without messages.
 */
#include "mpi/ranks_internal.h"

#include "mpi/frames.h"
#include "util/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SILENT_S 10.0 /* then it is told */
#define HELLO_S  60.0 /* for a rank to say who it is, at least */
#define EVENTS   64

static atx_rank *of_site(atx_site *site)
{
    return (atx_rank *)site;
}

static atx_channel *find(const atx_ranks *r, int64_t number)
{
    return number > 0 && (size_t)number < r->channel_count ? r->channels[number] : NULL;
}

/* ---- children, for their supervisors ---- */

static atx_channel *add_channel(atx_ranks *r, int rank, int fd)
{
    if (r->channel_count == 0)
        r->channel_count = 1; /* 0 is no number */
    if (!atx_grow(&r->channels, &r->channel_cap, r->channel_count, sizeof *r->channels))
        return NULL;
    atx_channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (atx_channel){ .number = (int64_t)r->channel_count, .rank = rank, .fd = fd };
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)c->number };
    if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        free(c);
        return NULL;
    }
    r->channels[r->channel_count++] = c;
    return c;
}

static void close_ours(atx_channel *c)
{
    if (c->fd >= 0)
        close(c->fd); /* also out of the epoll */
    c->fd = -1;
}

static void remove_channel(atx_ranks *r, atx_channel *c)
{
    r->held -= c->to_local.len > 0;
    r->channels[c->number] = NULL;
    close_ours(c);
    atx_str_clear(&c->to_local);
    free(c);
}

static void send_start(atx_ranks *r, const atx_channel *c, const char *const *argv)
{
    atx_str body = { 0 };
    int64_t count = 0;
    while (argv[count])
        count++;
    atx_put_i64(&body, c->number);
    atx_put_i64(&body, count);
    for (int i = 0; i < count; i++)
        atx_put_text(&body, argv[i]);
    atx_message_queue_send(r->message_queue, c->rank, START, &body);
}

static void send_shut(atx_ranks *r, const atx_channel *c, double grace_s)
{
    atx_str body = { 0 };
    atx_put_i64(&body, c->number);
    atx_put_f64(&body, grace_s);
    atx_message_queue_send(r->message_queue, c->rank, SHUT, &body);
}

at_status atx_ranks_spawn(atx_site *site, atx_child *out, const char *const *argv, at_error *err)
{
    atx_rank *rank = of_site(site);
    atx_ranks *r = rank->ranks;
    at_status status = AT_OK;
    int pair[2] = { -1, -1 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return atx_fail(err, AT_ERR_SYSTEM, "no connection for a process of %s: %s", rank->name,
                        strerror(errno));
    pthread_mutex_lock(&r->lock);
    atx_channel *c = NULL;
    if (rank->state == ATX_RANK_GONE || !r->message_queue)
        status = atx_fail(err, AT_ERR_DEVICE, "%s is gone", rank->name);
    else if (!(c = add_channel(r, rank->number, pair[0])))
        status = atx_fail(err, AT_ERR_MEMORY, "out of memory or descriptors");
    else
        send_start(r, c, argv);
    if (c)
        *out = (atx_child){ .pid = (int)c->number, .fd = pair[1], .site = site };
    pthread_mutex_unlock(&r->lock);
    if (!c) {
        close(pair[0]);
        close(pair[1]);
    }
    return status;
}

void atx_ranks_kill(atx_site *site, const atx_child *child)
{
    atx_ranks *r = of_site(site)->ranks;
    pthread_mutex_lock(&r->lock);
    const atx_channel *c = find(r, child->pid);
    if (c && r->message_queue)
        send_shut(r, c, 0);
    pthread_mutex_unlock(&r->lock);
}

/* What it said before it was asked to end may still be on its way to it. */
void atx_ranks_stop(atx_site *site, atx_child *child, double grace_s)
{
    atx_ranks *r = of_site(site)->ranks;
    close(child->fd);
    pthread_mutex_lock(&r->lock);
    atx_channel *c = find(r, child->pid);
    if (c && r->message_queue)
        send_shut(r, c, grace_s);
    if (c)
        remove_channel(r, c);
    pthread_mutex_unlock(&r->lock);
    *child = (atx_child){ 0 };
}

void atx_ranks_exit_status(atx_site *site, atx_child *child, char *out, size_t size)
{
    atx_rank *rank = of_site(site);
    atx_ranks *r = rank->ranks;
    pthread_mutex_lock(&r->lock);
    const atx_channel *c = find(r, child->pid);
    if (c && c->ended)
        snprintf(out, size, "%s (%s)", c->how, rank->name);
    else
        snprintf(out, size, "sent what is no message (%s)", rank->name);
    pthread_mutex_unlock(&r->lock);
    atx_ranks_stop(site, child, 0);
}

/* ---- bytes ---- */

static bool give_local(atx_ranks *r, atx_channel *c)
{
    bool moved = false;
    while (c->fd >= 0 && c->given < c->to_local.len) {
        ssize_t sent =
            send(c->fd, c->to_local.data + c->given, c->to_local.len - c->given, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return moved;
        if (sent <= 0)
            break; /* its supervisor is about to stop it */
        c->given += (size_t)sent;
        moved = true;
    }
    if (c->to_local.len > 0)
        r->held--;
    atx_str_reset(&c->to_local);
    c->given = 0;
    if (c->ended)
        close_ours(c);
    return moved;
}

static void end_channel(atx_ranks *r, atx_channel *c, const char *how)
{
    if (c->ended)
        return;
    c->ended = true;
    snprintf(c->how, sizeof c->how, "%s", how);
    if (c->to_local.len == 0)
        close_ours(c);
    else
        give_local(r, c);
}

/* No memory for bytes of a process: a stream with a hole is none, so that it counts as ended. */
static void drop_for_local(atx_ranks *r, atx_channel *c)
{
    r->held--;
    atx_str_clear(&c->to_local);
    c->given = 0;
    end_channel(r, c, "out of memory");
}

static void take_for_local(atx_ranks *r, atx_reader *body)
{
    size_t len = 0;
    atx_channel *c = find(r, atx_get_i64(body));
    const void *bytes = atx_get_bytes(body, &len);
    if (!c || !len || c->ended)
        return;
    r->held += c->to_local.len == 0;
    atx_str_add_bytes(&c->to_local, bytes, len);
    if (c->to_local.failed)
        drop_for_local(r, c);
    else
        give_local(r, c);
}

static bool give_held(atx_ranks *r)
{
    bool moved = false;
    for (size_t i = 1; i < r->channel_count && r->held > 0; i++)
        if (r->channels[i] && r->channels[i]->to_local.len > 0)
            moved |= give_local(r, r->channels[i]);
    return moved;
}

static bool send_local(atx_ranks *r, atx_channel *c)
{
    if (atx_message_queue_waiting(r->message_queue, c->rank) > MOST_WAITING)
        return false;
    ssize_t got = recv(c->fd, r->chunk, sizeof r->chunk, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) { /* closed by its supervisor, which stops it in a moment */
        epoll_ctl(r->epoll, EPOLL_CTL_DEL, c->fd, NULL);
        return false;
    }
    atx_str body = { 0 };
    atx_put_i64(&body, c->number);
    atx_put_bytes(&body, r->chunk, (size_t)got);
    atx_message_queue_send(r->message_queue, c->rank, BYTES, &body);
    return true;
}

static bool send_locals(atx_ranks *r)
{
    struct epoll_event events[EVENTS];
    bool moved = false;
    int count = epoll_wait(r->epoll, events, EVENTS, 0);
    for (int i = 0; i < count; i++) {
        atx_channel *c = find(r, (int64_t)events[i].data.u64);
        if (c && c->fd >= 0)
            moved |= send_local(r, c);
    }
    return moved;
}

/* ---- ranks ---- */

static void tell(const atx_ranks *r, const char *text)
{
    if (r->options.tell)
        r->options.tell(r->options.context, text);
}

static void register_rank(atx_ranks *r, atx_rank *rank, atx_reader *body)
{
    bool same = atx_rank_read(&rank->info, body, r->list[0].info.program);
    rank->state = same ? ATX_RANK_HERE : ATX_RANK_OTHER;
    snprintf(rank->name, sizeof rank->name, "rank %d on %s", rank->number, rank->info.host);
    pthread_cond_broadcast(&r->news);
}

static void on_frame(atx_ranks *r, int from, uint32_t kind, atx_reader *body)
{
    char text[160];
    atx_rank *rank = &r->list[from];
    if (rank->state == ATX_RANK_GONE) /* it came back too late, and hears so */
        return;
    rank->silence = atx_wait_time_begin();
    if (rank->silent) {
        snprintf(text, sizeof text, "%s answers again", rank->name);
        rank->silent = false;
        tell(r, text);
    }
    if (kind == HELLO) {
        register_rank(r, rank, body);
    } else if (kind == BYTES) {
        take_for_local(r, body);
    } else if (kind == ENDED) {
        atx_channel *c = find(r, atx_get_i64(body));
        if (c)
            end_channel(r, c, atx_get_text(body));
    }
}

/* Whatever it had is handed out again: its children have ended. */
static void give_up(atx_ranks *r, atx_rank *rank, double waited_s)
{
    char text[240], how[128];
    atx_str reason = { 0 };
    snprintf(text, sizeof text, "%s is lost: it has sent nothing for %.0f s; its work goes to others",
             rank->name, waited_s);
    snprintf(how, sizeof how, "its rank has sent nothing for %.0f s", waited_s);
    atx_put_text(&reason, "rank 0 goes on without this rank, which had sent nothing for too long");
    atx_message_queue_send(r->message_queue, rank->number, END, &reason); /* should it come back */
    atx_message_queue_forget(r->message_queue, rank->number);
    rank->state = ATX_RANK_GONE;
    for (size_t i = 1; i < r->channel_count; i++)
        if (r->channels[i] && r->channels[i]->rank == rank->number)
            end_channel(r, r->channels[i], how);
    pthread_cond_broadcast(&r->news);
    tell(r, text);
}

static void look_at_ranks(atx_ranks *r)
{
    char text[160];
    double now_s = atx_now_s();
    bool beat = now_s - r->beat_s >= BEAT_S;
    if (beat)
        r->beat_s = now_s;
    for (int i = 1; i < r->count && beat; i++) {
        atx_rank *rank = &r->list[i];
        if (rank->state == ATX_RANK_GONE)
            continue;
        atx_message_queue_send(r->message_queue, i, BEAT, NULL);
        double waited_s = atx_wait_time_waited_s(&rank->silence);
        bool awaited = rank->state == ATX_RANK_AWAITED;
        if (waited_s > (awaited && r->wait_time_s < HELLO_S ? HELLO_S : r->wait_time_s)) {
            give_up(r, rank, waited_s);
        } else if (waited_s > SILENT_S && !rank->silent) {
            rank->silent = true;
            snprintf(text, sizeof text, "%s has sent nothing for %.0f s; it is waited for until %.0f s",
                     rank->name, waited_s, r->wait_time_s);
            tell(r, text);
        }
    }
}

static bool serve_once(atx_ranks *r)
{
    int from = 0;
    uint32_t kind = 0;
    atx_reader body;
    bool moved = atx_message_queue_pump(r->message_queue);
    while (atx_message_queue_next(r->message_queue, &from, &kind, &body)) {
        on_frame(r, from, kind, &body);
        moved = true;
    }
    moved |= send_locals(r);
    if (r->held > 0)
        moved |= give_held(r);
    look_at_ranks(r);
    return moved;
}

/* Each turn holds the lock for its own time only: a moment. */
static void serve_ranks(atx_ranks *r)
{
    double moved_s = atx_now_s();
    for (bool over = false; !over;) {
        pthread_mutex_lock(&r->lock);
        bool moved = serve_once(r);
        over = r->ending || atx_message_queue_broken(r->message_queue);
        pthread_mutex_unlock(&r->lock);
        double now_s = atx_now_s();
        if (moved)
            moved_s = now_s;
        else
            nanosleep(&(struct timespec){ .tv_nsec = now_s - moved_s < BUSY_S ? SHORT_NS : LONG_NS }, NULL);
    }
}

/* To all that are there; a program that is another one is told why. */
static void say_end(atx_ranks *r)
{
    for (int i = 1; i < r->count; i++) {
        atx_str reason = { 0 };
        atx_put_text(&reason, r->list[i].state == ATX_RANK_OTHER ? "rank 0 runs another autotune" : "");
        atx_message_queue_send(r->message_queue, i, END, &reason);
    }
}

/* Whether all that are there have said their last word. */
static bool all_disconnected(atx_ranks *r)
{
    int from = 0;
    uint32_t kind = 0;
    atx_reader body;
    atx_message_queue_pump(r->message_queue);
    while (atx_message_queue_next(r->message_queue, &from, &kind, &body))
        if (kind == LEAVE && r->list[from].state != ATX_RANK_GONE)
            r->list[from].state = ATX_RANK_DISCONNECTED;
    for (int i = 1; i < r->count; i++)
        if (r->list[i].state != ATX_RANK_DISCONNECTED)
            return false;
    return atx_message_queue_all_sent(r->message_queue);
}

/* False: MPI cannot end in order. */
static bool disconnect(atx_ranks *r)
{
    double until_s = atx_now_s() + DISCONNECT_S;
    bool gone = false, disconnected = false;
    say_end(r);
    for (int i = 1; i < r->count; i++)
        gone |= r->list[i].state == ATX_RANK_GONE;
    while (!gone && !atx_message_queue_broken(r->message_queue) && !(disconnected = all_disconnected(r)) &&
           atx_now_s() < until_s)
        nanosleep(&(struct timespec){ .tv_nsec = SHORT_NS }, NULL);
    return disconnected;
}

static at_status begin_link(atx_ranks *r, at_error *err)
{
    int rank = -1, size = 0;
    const char *failed = r->link->begin(&rank, &size);
    if (failed)
        return atx_fail(err, AT_ERR_SYSTEM, "%s", failed);
    if (size != r->count || rank != 0)
        return atx_fail(
            err, AT_ERR_SYSTEM,
            "%s started %d processes, and this MPI counts %d: it is another MPI than the one that "
            "started them",
            r->launched.by, r->count, size);
    return atx_message_queue_open(&r->message_queue, r->link, size, err);
}

static void exchange_messages(atx_ranks *r)
{
    at_error err = { 0 };
    prctl(PR_SET_TIMERSLACK, SLACK_NS);
    at_status status = begin_link(r, &err);
    pthread_mutex_lock(&r->lock);
    r->begun = true;
    for (int i = 1; i < r->count; i++)
        r->list[i].silence = atx_wait_time_begin();
    if (status != AT_OK)
        r->status = atx_fail(&r->why, status, "%s", err.text);
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
    if (status != AT_OK)
        return;
    serve_ranks(r);
    pthread_mutex_lock(&r->lock);
    for (int i = 1; i < r->count && !r->ending; i++) /* MPI no longer works: do not wait for them */
        if (r->list[i].state != ATX_RANK_GONE)
            give_up(r, &r->list[i], atx_wait_time_waited_s(&r->list[i].silence));
    bool in_order = disconnect(r);
    atx_message_queue_close(r->message_queue);
    r->message_queue = NULL;
    r->status = r->ending ? AT_OK : atx_fail(&r->why, AT_ERR_SYSTEM, "MPI no longer works");
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
    if (in_order)
        r->link->end();
    else
        r->link->abort(r->exit_code);
}

void *atx_ranks_messages(void *context)
{
    atx_ranks *r = context;
    exchange_messages(r);
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}
