/*
 * wire.h - frames between the processes of one autotune: a kind, a length and packed fields.
 *
 * Both ends are the same program on one machine, so numbers travel in its own byte order. A frame that is
 * shorter than its reader expects sets `bad`, and every later get returns zeros: checked once, at the end.
 * Writing never raises SIGPIPE.
 */
#pragma once

#include "util/fail.h"
#include "util/str.h"
#include <stdbool.h>
#include <stdint.h>

#define ATX_FRAME_MAX ((uint32_t)256 << 20)

typedef struct atx_frame_head {
    uint32_t kind, length;
} atx_frame_head;

/* Building: a body to be sent with atx_wire_send. */
void atx_put_i64(atx_str *body, int64_t value);
void atx_put_f64(atx_str *body, double value);
void atx_put_bytes(atx_str *body, const void *bytes, size_t len);
void atx_put_text(atx_str *body, const char *text); /* NULL travels as "" */

/* Reading a body from front to back. */
typedef struct atx_reader {
    const char *at, *end;
    bool bad;
} atx_reader;
int64_t atx_get_i64(atx_reader *r);
double atx_get_f64(atx_reader *r);
const void *atx_get_bytes(atx_reader *r, size_t *len); /* borrowed from the body; never NULL */
const char *atx_get_text(atx_reader *r);               /* borrowed, terminated; "" when bad  */

/* Sends one frame, whole, on a blocking or non-blocking socket (waits for room). AT_ERR_SYSTEM: the peer is
 * gone, or the frame broke off: then nothing more can be sent, and the peer sees the end of the stream. */
at_status atx_wire_send(int fd, uint32_t kind, const atx_str *body, at_error *err) AT_MUST_CHECK;

/* The same, asking `keep_waiting` (NULL: for as long as it takes) now and then while there is no room: a peer
 * that takes nothing may never do so again. AT_ERR_SYSTEM also when that says no, perhaps after a part was
 * sent. */
at_status atx_wire_send_while(int fd, uint32_t kind, const atx_str *body, bool (*keep_waiting)(void *context),
                              void *context, at_error *err) AT_MUST_CHECK;

/* Waits for one frame. *kind is 0 at a clean end of the stream. AT_ERR_SYSTEM on anything else. */
at_status atx_wire_recv(int fd, uint32_t *kind, atx_str *body, at_error *err) AT_MUST_CHECK;

/* The same, asking `keep_waiting` now and then while nothing comes: work that has begun need not go on.
 * AT_ERR_SYSTEM also when that says no. */
at_status atx_wire_recv_while(int fd, uint32_t *kind, atx_str *body, bool (*keep_waiting)(void *context),
                              void *context, at_error *err) AT_MUST_CHECK;

/*
 * The other way to receive, for one thread with many peers: fill, which never waits, and then next until it
 * returns false. `ended` is set when the peer is gone (or has sent something else than a frame); frames
 * before that are kept.
 */
typedef struct atx_inbox {
    atx_str bytes;
    size_t used; /* of bytes: handed out already */
    bool ended;
} atx_inbox;
void atx_inbox_fill(atx_inbox *in, int fd);
bool atx_inbox_next(atx_inbox *in, uint32_t *kind, atx_reader *body); /* body: borrowed until the next fill */
void atx_inbox_clear(atx_inbox *in);

/*
 * A child process: this program again (or $AUTOTUNE_EXE, for tests), with `argv` (NULL-terminated, argv[0]
 * included), one end of a socket pair as its file descriptor ATX_CHILD_FD, stdin and stdout on /dev/null, and
 * everything else but stderr closed. It has a process group of its own, so a Ctrl-C in the terminal reaches
 * the supervisor alone. It is killed when its parent dies, and also when the thread that spawned it ends:
 * a thread that spawns a child stays as long as the child. AT_ERR_SYSTEM also when the program cannot be
 * executed.
 */
#define ATX_CHILD_FD 3
typedef struct atx_site atx_site;
typedef struct atx_child {
    int pid; /* 0: none; of a child elsewhere any number */
    int fd;
    atx_site *site; /* where it is; NULL: here */
} atx_child;
at_status atx_child_spawn(atx_child *out, const char *const *argv, at_error *err) AT_MUST_CHECK;

/*
 * A place where children are made that is not here: another machine, where a process that serves us calls
 * atx_child_spawn and passes on what they say. The functions do what those of a child here do, of any thread.
 * `spawn` may return before the child is there; that it never was is then how it ended.
 */
struct atx_site {
    const char *name; /* "rank 3 on node2" */
    at_status (*spawn)(atx_site *site, atx_child *out, const char *const *argv, at_error *err);
    void (*kill)(atx_site *site, const atx_child *child);
    void (*stop)(atx_site *site, atx_child *child, double grace_s); /* does not wait */
    void (*exit_status)(atx_site *site, atx_child *child, char *out, size_t size);
};
at_status atx_child_spawn_at(atx_child *out, atx_site *site, const char *const *argv,
                             at_error *err) AT_MUST_CHECK; /* NULL: here */

/* Closes all descriptors from this one on. */
void atx_close_from(unsigned first);

/* The name of this machine: Slurm's, if it is a node of one, else its own. */
void atx_host_name(char *out, size_t size);

/* Kills it, without waiting for its end: of many, before each is stopped. */
void atx_child_kill(const atx_child *child);

/* The processor time that it has used; 0: unknown, as of one that is elsewhere. */
double atx_child_used_s(const atx_child *child);

/* Closes the socket, which the child takes as a request to end; kills it if it is alive after grace_s. Reaps
 * it. */
void atx_child_stop(atx_child *child, double grace_s);

/* The same in two steps, for callers with other work meanwhile: true once it is reaped and zeroed; how it
 * died is in out[0..size). A child that is here only. */
void atx_child_close(atx_child *child);
bool atx_child_reaped(atx_child *child, char *out, size_t size);

/*
 * Reaps a child whose socket ended (kills it when it lives on); describes how it died ("killed by signal 9
 * (Killed)") in out[0..size). Closes the socket: the child is then zeroed.
 */
void atx_child_exit_status(atx_child *child, char *out, size_t size);
