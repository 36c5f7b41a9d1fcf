/*
 * server.c - see server.h. One thread does it all, as children are killed when the thread that made them ends
 * (util/wire.h). Nothing here waits for a child: a frozen one holds up no other.
 */
#include "mpi/server.h"

#include "mpi/frames.h"
#include "mpi/message_queue.h"
#include "mpi/rank_info.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINGER_S  1.0  /* of a child that closed its connection */
#define LAST_S    20.0 /* for rank 0 to end in order, once a user wants to end */
#define STOP_S    2.0  /* for children at the end */
#define MOST_ARGS 8
#define CHUNK     ((size_t)256 << 10)

/* A child. It stays in the list until it is reaped. */
typedef struct served {
    struct served *next;
    int64_t number;
    atx_child child;
    atx_str to_child;
    size_t given;  /* of to_child */
    double kill_s; /* on atx_now_s(); 0: it may live */
} served;

typedef struct server {
    atx_message_queue *message_queue;
    served *children;
    atx_wait_time silence; /* of rank 0 */
    double beat_s;
    bool over;
    char chunk[CHUNK];
    at_status status;
    at_error why;
} server;

static void say_ended(server *s, int64_t number, const char *how)
{
    atx_str body = { 0 };
    atx_put_i64(&body, number);
    atx_put_text(&body, how);
    atx_message_queue_send(s->message_queue, 0, ENDED, &body);
}

static void start(server *s, atx_reader *body)
{
    const char *argv[MOST_ARGS + 1] = { NULL };
    at_error err = { 0 };
    int64_t number = atx_get_i64(body), count = atx_get_i64(body);
    for (int64_t i = 0; i < count && i < MOST_ARGS; i++)
        argv[i] = atx_get_text(body);
    served *w = calloc(1, sizeof *w);
    if (!w || body->bad || atx_child_spawn(&w->child, argv, &err) != AT_OK) {
        say_ended(s, number, w ? err.text : "out of memory");
        free(w);
        return;
    }
    w->number = number;
    w->next = s->children;
    s->children = w;
}

static served *find(const server *s, int64_t number)
{
    for (served *w = s->children; w; w = w->next)
        if (w->number == number)
            return w;
    return NULL;
}

/* Its connection is over, in whichever direction it ended. */
static void close_child(served *w, double grace_s)
{
    double kill_s = atx_now_s() + grace_s;
    atx_child_close(&w->child);
    atx_str_clear(&w->to_child);
    w->given = 0;
    if (w->kill_s <= 0 || kill_s < w->kill_s)
        w->kill_s = kill_s;
}

static void on_frame(server *s, uint32_t kind, atx_reader *body)
{
    size_t len = 0;
    served *w = kind == BYTES || kind == SHUT ? find(s, atx_get_i64(body)) : NULL;
    if (kind == START) {
        start(s, body);
    } else if (kind == BYTES && w && w->child.fd >= 0) {
        const void *bytes = atx_get_bytes(body, &len);
        atx_str_add_bytes(&w->to_child, bytes, len);
        if (w->to_child.failed) /* what it would read has a hole */
            close_child(w, 0);
    } else if (kind == SHUT && w) {
        close_child(w, atx_get_f64(body));
    } else if (kind == END) {
        const char *reason = atx_get_text(body);
        s->over = true;
        if (*reason)
            s->status = atx_fail(&s->why, AT_ERR_INPUT, "%s", reason);
    }
}

/* ---- children ---- */

static bool give_bytes(served *w)
{
    bool moved = false;
    while (w->child.fd >= 0 && w->given < w->to_child.len) {
        ssize_t sent = send(w->child.fd, w->to_child.data + w->given, w->to_child.len - w->given,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0)
            break; /* no room, or it is gone, which the next read tells */
        w->given += (size_t)sent;
        moved = true;
    }
    if (moved && w->given == w->to_child.len) {
        atx_str_reset(&w->to_child);
        w->given = 0;
    }
    return moved;
}

static bool take_bytes(server *s, served *w)
{
    if (w->child.fd < 0 || atx_message_queue_waiting(s->message_queue, 0) > MOST_WAITING)
        return false;
    ssize_t got = recv(w->child.fd, s->chunk, sizeof s->chunk, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        close_child(w, LINGER_S);
        return true;
    }
    atx_str body = { 0 };
    atx_put_i64(&body, w->number);
    atx_put_bytes(&body, s->chunk, (size_t)got);
    atx_message_queue_send(s->message_queue, 0, BYTES, &body);
    return true;
}

/* True when it is gone. */
static bool reap(server *s, served *w)
{
    char how[128] = "";
    if (w->child.fd >= 0)
        return false;
    if (w->kill_s > 0 && atx_now_s() >= w->kill_s)
        atx_child_kill(&w->child);
    if (!atx_child_reaped(&w->child, how, sizeof how))
        return false;
    say_ended(s, w->number, how);
    atx_str_clear(&w->to_child);
    return true;
}

static bool serve_children(server *s)
{
    bool moved = false;
    for (served **at = &s->children; *at;) {
        served *w = *at;
        moved |= give_bytes(w);
        moved |= take_bytes(s, w);
        if (!reap(s, w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        free(w);
        moved = true;
    }
    return moved;
}

/* MPI must not end with a message under way. */
static void disconnect(server *s)
{
    double until_s = atx_now_s() + DISCONNECT_S;
    atx_message_queue_send(s->message_queue, 0, LEAVE, NULL);
    while (!atx_message_queue_all_sent(s->message_queue) && atx_now_s() < until_s) {
        atx_message_queue_pump(s->message_queue);
        nanosleep(&(struct timespec){ .tv_nsec = SHORT_NS }, NULL);
    }
}

static void end_children(server *s)
{
    for (served *w = s->children; w; w = w->next)
        close_child(w, STOP_S);
    while (s->children) {
        serve_children(s);
        nanosleep(&(struct timespec){ .tv_nsec = LONG_NS }, NULL);
    }
}

/* ---- the loop ---- */

static bool take_messages(server *s)
{
    int from = 0;
    uint32_t kind = 0;
    atx_reader body;
    bool moved = atx_message_queue_pump(s->message_queue);
    while (!s->over && atx_message_queue_next(s->message_queue, &from, &kind, &body)) {
        s->silence = atx_wait_time_begin();
        on_frame(s, kind, &body);
        moved = true;
    }
    return moved;
}

static void look_at_time(server *s, double wait_time_s, const atomic_int *cancel, double *asked_s)
{
    double now_s = atx_now_s(), waited_s = atx_wait_time_waited_s(&s->silence);
    if (now_s - s->beat_s >= BEAT_S) {
        atx_message_queue_send(s->message_queue, 0, BEAT, NULL);
        s->beat_s = now_s;
    }
    if (*cancel && *asked_s <= 0)
        *asked_s = now_s;
    if (waited_s > wait_time_s)
        s->status = atx_fail(&s->why, AT_ERR_SYSTEM, "rank 0 has sent nothing for %.0f s", waited_s);
    else if (atx_message_queue_broken(s->message_queue))
        s->status = atx_fail(&s->why, AT_ERR_SYSTEM, "MPI no longer works");
    else if (*asked_s > 0 && now_s - *asked_s > LAST_S)
        s->status = atx_fail(&s->why, AT_ERR_CANCELLED, "interrupted");
    s->over = s->over || s->status != AT_OK;
}

static void serve(server *s, double wait_time_s, const atomic_int *cancel)
{
    double asked_s = 0, moved_s = atx_now_s();
    s->silence = atx_wait_time_begin();
    while (!s->over) {
        bool moved = take_messages(s);
        moved |= serve_children(s);
        look_at_time(s, wait_time_s, cancel, &asked_s);
        double now_s = atx_now_s();
        if (moved)
            moved_s = now_s;
        else
            nanosleep(&(struct timespec){ .tv_nsec = now_s - moved_s < BUSY_S ? SHORT_NS : LONG_NS }, NULL);
    }
}

static void say_hello(server *s)
{
    atx_rank_info info;
    atx_str body = { 0 };
    atx_rank_describe(&info);
    atx_rank_write(&body, &info);
    atx_message_queue_send(s->message_queue, 0, HELLO, &body);
}

at_status atx_server_run(const atx_link *link, int size, double wait_time_s, const atomic_int *cancel,
                         at_error *err)
{
    ATX_FREED server *s = calloc(1, sizeof *s);
    if (!s)
        return atx_no_memory(err);
    at_status status = atx_message_queue_open(&s->message_queue, link, size, err);
    if (status == AT_OK) {
        prctl(PR_SET_TIMERSLACK, SLACK_NS);
        say_hello(s);
        serve(s, wait_time_s, cancel);
        end_children(s);
        disconnect(s);
        status = s->status == AT_OK ? AT_OK : atx_fail(err, s->status, "%s", s->why.text);
    }
    atx_message_queue_close(s->message_queue);
    return status;
}
