/*
 * wire.h - frames between the processes of one autotune: a kind, a length and packed fields.
 *
 * Both ends are the same program on one machine, so numbers travel in its own byte order. A frame that is
 * shorter than its reader expects sets `bad`, and every later get returns zeros: checked once, at the end.
 * Writing never raises SIGPIPE.
 */
#ifndef AUTOTUNE_WIRE_H
#define AUTOTUNE_WIRE_H

#include <autotune/status.h>
#include "util/str.h"
#include <stdbool.h>
#include <stdint.h>

#define AT__FRAME_MAX ((uint32_t)256 << 20)

typedef struct at__frame_head {
    uint32_t kind, length;
} at__frame_head;

/* Building: a body to be sent with at__wire_send. */
void at__put_i64(at__str *body, int64_t value);
void at__put_f64(at__str *body, double value);
void at__put_bytes(at__str *body, const void *bytes, size_t len);
void at__put_text(at__str *body, const char *text); /* NULL travels as "" */

/* Reading a body from front to back. */
typedef struct at__reader {
    const char *at, *end;
    bool bad;
} at__reader;
int64_t at__get_i64(at__reader *r);
double at__get_f64(at__reader *r);
const void *at__get_bytes(at__reader *r, size_t *len); /* borrowed from the body; never NULL */
const char *at__get_text(at__reader *r);               /* borrowed, terminated; "" when bad  */

/* Sends one frame, whole, on a blocking or non-blocking socket (waits for room). AT_ERR_SYSTEM: the peer is
 * gone, or the frame broke off: then nothing more can be sent, and the peer sees the end of the stream. */
at_status at__wire_send(int fd, uint32_t kind, const at__str *body, at_error *err) AT_MUST_CHECK;

/* The same, asking `patient` (NULL: for as long as it takes) now and then while there is no room: a peer that
 * takes nothing may never do so again. AT_ERR_SYSTEM also when that says no; then a part may have been sent.
 */
at_status at__wire_send_while(int fd, uint32_t kind, const at__str *body, bool (*patient)(void *context),
                              void *context, at_error *err) AT_MUST_CHECK;

/* Waits for one frame. *kind is 0 at a clean end of the stream. AT_ERR_SYSTEM on anything else. */
at_status at__wire_recv(int fd, uint32_t *kind, at__str *body, at_error *err) AT_MUST_CHECK;

/* The same, asking `patient` now and then while nothing comes: what has begun need not go on. AT_ERR_SYSTEM
 * also when that says no. */
at_status at__wire_recv_while(int fd, uint32_t *kind, at__str *body, bool (*patient)(void *context),
                              void *context, at_error *err) AT_MUST_CHECK;

/*
 * The other way to receive, for one thread with many peers: fill, which never waits, and then next until it
 * returns false. `ended` is set when the peer is gone (or sent what is no frame); frames before that are
 * kept.
 */
typedef struct at__inbox {
    at__str bytes;
    size_t used; /* of bytes: handed out already */
    bool ended;
} at__inbox;
void at__inbox_fill(at__inbox *in, int fd);
bool at__inbox_next(at__inbox *in, uint32_t *kind, at__reader *body); /* body: borrowed until the next fill */
void at__inbox_clear(at__inbox *in);

/*
 * A child process: this program again (or $AUTOTUNE_EXE, for tests), with `argv` (NULL-terminated, argv[0]
 * included), one end of a socket pair as its file descriptor AT__CHILD_FD, stdin and stdout on /dev/null, and
 * everything else but stderr closed. It has a process group of its own, so a Ctrl-C in the terminal reaches
 * the supervisor alone. It is killed when its parent dies, and also when the thread that spawned it ends:
 * whoever spawns a child stays as long as the child. AT_ERR_SYSTEM also when the program cannot be executed.
 */
#define AT__CHILD_FD 3
typedef struct at__site at__site;
typedef struct at__child {
    int pid; /* 0: none; of a child elsewhere any number */
    int fd;
    at__site *site; /* where it is; NULL: here */
} at__child;
at_status at__child_spawn(at__child *out, const char *const *argv, at_error *err) AT_MUST_CHECK;

/*
 * A place where children are made that is not here: another machine, where somebody who serves us calls
 * at__child_spawn and passes on what they say. The functions do what those of a child here do, of any thread.
 * `spawn` may return before the child is there; that it never was is then how it ended.
 */
struct at__site {
    const char *name; /* "rank 3 on node2" */
    at_status (*spawn)(at__site *site, at__child *out, const char *const *argv, at_error *err);
    void (*kill)(at__site *site, const at__child *child);
    void (*stop)(at__site *site, at__child *child, double grace_s); /* does not wait */
    void (*autopsy)(at__site *site, at__child *child, char *out, size_t size);
};
at_status at__child_spawn_at(at__child *out, at__site *site, const char *const *argv,
                             at_error *err) AT_MUST_CHECK; /* NULL: here */

/* What this machine is called: by Slurm, where it is a node of one, else by itself. */
void at__host_name(char *out, size_t size);

/* Kills it, without waiting for its end: of many, before each is stopped. */
void at__child_kill(const at__child *child);

/* The processor time that it has used; 0: unknown, as of one that is elsewhere. */
double at__child_used_s(const at__child *child);

/* Closes the socket, which asks the child to end; kills it when it has not after grace_s. Reaps. */
void at__child_stop(at__child *child, double grace_s);

/* The same in two steps, for whoever has more to do than to wait: true once it is reaped and zeroed; how it
 * died is in out[0..size). A child that is here only. */
void at__child_hang_up(at__child *child);
bool at__child_reaped(at__child *child, char *out, size_t size);

/*
 * Reaps a child whose socket ended (kills it when it lives on); describes how it died ("killed by signal 9
 * (Killed)") in out[0..size). Closes the socket: the child is then zeroed.
 */
void at__child_autopsy(at__child *child, char *out, size_t size);

#endif
