/*
 * pool.h - compile workers: processes of this program that turn source into cubins with NVRTC.
 *
 * Processes, because NVRTC's threads share locks: measured on a 16-core host with NVRTC 13.0, 16 threads
 * compiled 50 kernels a second and 16 processes 205.
 *
 * A worker that dies or exceeds a deadline is replaced. A job that took too long, or whose worker died twice,
 * ends as compile_failed with the reason.
 * One thread uses a pool, the one that opened it (see at__child_spawn). Its loop: submit while there is room,
 * wait, pump, take until there is nothing to take.
 */
#ifndef AUTOTUNE_POOL_H
#define AUTOTUNE_POOL_H

#include "compile/nvrtc.h"
#include "util/wire.h"
#include <poll.h>

typedef struct at__pool at__pool;

typedef struct at__pool_options {
    int workers;            /* 0: one for each core this process may use */
    double deadline_s;      /* for one kernel; 0: 60 s                   */
    int64_t memory_bytes;   /* that a worker may use; 0: its share of the machine's, 1 to 8 GiB */
    at__site *const *sites; /* of each of `workers`, NULL: here; borrowed for the call. NULL: all here */
} at__pool_options;

/* The cores that this process may run on: in a container, or bound by a scheduler, fewer than the machine's.
 */
int at__pool_cores(void);

/* Starts the workers. They open NVRTC themselves; a failure there comes back from at__pool_pump. */
at_status at__pool_open(at__pool **out, at__pool_options options, at_error *err) AT_MUST_CHECK;
void at__pool_close(at__pool *pool); /* ends the workers, also busy ones; NULL is allowed */

int at__pool_workers(const at__pool *pool);
int at__pool_busy(const at__pool *pool);      /* jobs submitted and not yet taken back */
bool at__pool_has_room(const at__pool *pool); /* fewer than two jobs a worker: one compiling, one waiting */

/*
 * Jobs of several who compile at once, each of whom takes back its own: the upper half of a tag says whose it
 * is.
 */
#define AT__POOL_TAG(owner, number) ((int64_t)(owner) << 32 | (int64_t)(number))
int at__pool_busy_of(const at__pool *pool, int owner);

/* Hands over one job; `source` is copied. `tag` comes back with its result. The pool must have room. */
at_status at__pool_submit(at__pool *pool, int64_t tag, const char *source, const char *name, int cc,
                          at__code kind, at_error *err) AT_MUST_CHECK;

typedef struct at__compiled {
    int64_t tag;
    bool ok;
    at__str code, log; /* owned by the result */
    at__resources resources;
    double compile_s;
    int worker;                /* who did it, counted from 0                      */
    double started_s, ended_s; /* as the supervisor saw it; at__now_s()           */
} at__compiled;
void at__compiled_clear(at__compiled *c);

/* Takes one finished job, without waiting; false when there is none. */
bool at__pool_take(at__pool *pool, at__compiled *out);
bool at__pool_take_of(at__pool *pool, int owner, at__compiled *out);

/*
 * Waits until some worker, any of them, has something to say or `also` (NULL: nothing else) is readable, at
 * most timeout_ms. A NULL pool has no workers.
 */
void at__pool_wait(at__pool *pool, const struct pollfd *also, int timeout_ms);

/* The same with `count` of them, at most AT__POOL_ALSO. */
#define AT__POOL_ALSO 64
void at__pool_wait_all(at__pool *pool, const struct pollfd *also, int count, int timeout_ms);

/*
 * Reads what has arrived, hands out waiting jobs, enforces deadlines (so: call it a few times a second).
 * Never waits for a compilation. AT_ERR_DEVICE, in the worker's words: NVRTC is missing or broken, which is
 * no fault of a kernel. AT_ERR_INPUT, AT_ERR_USAGE: the user's folders of headers (those of $AUTOTUNE_HEADERS
 * when the pool was opened), or what lies in them, is not what it was. AT_ERR_SYSTEM: no worker can be
 * started any more. Both last: the pool can only be closed then.
 */
at_status at__pool_pump(at__pool *pool, at_error *err) AT_MUST_CHECK;

/*
 * Forgets every job: waiting ones, finished ones, and those under way, whose workers are replaced. For a run
 * that ends early.
 */
void at__pool_drop(at__pool *pool);
void at__pool_drop_of(at__pool *pool, int owner);

/* Ends workers until so many are left; what they were compiling others begin anew. */
void at__pool_shrink(at__pool *pool, int workers);

/* Starts workers until there are so many, or as many as a pool has at most. AT_ERR_MEMORY: as before. One
 * that cannot be started breaks the pool, as in at__pool_pump. `sites` of the new ones, NULL: here. */
at_status at__pool_grow(at__pool *pool, int workers, at__site *const *sites, at_error *err) AT_MUST_CHECK;

#define AT__POOL_MOST 256
/* Where each worker is, as at__pool_grow has it; returns how many they are. */
int at__pool_sites(const at__pool *pool, at__site *sites[AT__POOL_MOST]);

/*
 * The main loop of a worker process: serves AT__CHILD_FD until it closes, or until a job has used so much
 * memory that the next had better begin in a new process. Returns the exit code.
 */
int at__pool_worker_main(const char *memory_bytes);

#endif
