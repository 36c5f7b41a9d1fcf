/*
 * pool.h - compile workers: processes of this program that turn source into cubins with NVRTC.
 *
 * Processes, because NVRTC's threads share locks: measured on a 16-core host with NVRTC 13.0, 16 threads
 * compiled 50 kernels a second and 16 processes 205.
 *
 * A worker that dies or exceeds a deadline is replaced. A job that took too long, or whose worker died twice,
 * ends as compile_failed with the reason. Of workers elsewhere it takes more deaths than there are such
 * workers: a place may be lost with all of them. Where none is left, one starts here.
 * One thread uses a pool, the one that opened it (see atx_child_spawn). Its loop: submit while there is room,
 * wait, pump, take until there is nothing to take.
 */
#pragma once

#include "compile/nvrtc.h"
#include "util/wire.h"
#include <poll.h>

typedef struct atx_pool atx_pool;

typedef struct atx_pool_options {
    int workers;            /* 0: one for each core this process may use */
    double deadline_s;      /* for one kernel; 0: 60 s                   */
    int64_t memory_bytes;   /* that a worker may use; 0: its share of the machine's, 1 to 8 GiB */
    atx_site *const *sites; /* of each of `workers`, NULL: here; borrowed for the call. NULL: all here */
} atx_pool_options;

/* The cores that this process may run on: in a container, or bound by a scheduler, fewer than the machine's.
 */
int atx_pool_cores(void);

/* Starts the workers. They open NVRTC themselves; a failure there comes back from atx_pool_pump. */
at_status atx_pool_open(atx_pool **out, atx_pool_options options, at_error *err) AT_MUST_CHECK;
void atx_pool_close(atx_pool *pool); /* ends the workers, also busy ones; NULL is allowed */

int atx_pool_workers(const atx_pool *pool);
int atx_pool_busy(const atx_pool *pool);      /* jobs submitted and not yet taken back */
bool atx_pool_has_room(const atx_pool *pool); /* fewer than two jobs a worker: one compiling, one waiting */

/*
 * Several owners may compile at once, and each takes back its own jobs: the upper half of a tag is the owner.
 */
#define ATX_POOL_TAG(owner, number) ((int64_t)(owner) << 32 | (int64_t)(number))
int atx_pool_busy_of(const atx_pool *pool, int owner);

/* Hands over one job; `source` is copied. `tag` comes back with its result. The pool must have room. */
at_status atx_pool_submit(atx_pool *pool, int64_t tag, const char *source, const char *name, int cc,
                          atx_code kind, at_error *err) AT_MUST_CHECK;

typedef struct atx_compiled {
    int64_t tag;
    bool ok;
    atx_str code, log; /* owned by the result */
    atx_resources resources;
    double compile_s;
    int worker;                /* its number, from 0                              */
    double started_s, ended_s; /* as the supervisor saw it; atx_now_s()           */
} atx_compiled;
void atx_compiled_clear(atx_compiled *c);

/* Takes one finished job, without waiting; false when there is none. */
bool atx_pool_take(atx_pool *pool, atx_compiled *out);
bool atx_pool_take_of(atx_pool *pool, int owner, atx_compiled *out);

/*
 * Waits until some worker, any of them, has something to say or `also` (NULL: nothing else) is readable, at
 * most timeout_ms. A NULL pool has no workers.
 */
void atx_pool_wait(atx_pool *pool, const struct pollfd *also, int timeout_ms);

/* The same with `count` of them, at most ATX_POOL_ALSO. */
#define ATX_POOL_ALSO 64
void atx_pool_wait_all(atx_pool *pool, const struct pollfd *also, int count, int timeout_ms);

/*
 * Reads what has arrived, hands out waiting jobs, enforces deadlines (so: call it a few times a second).
 * Never waits for a compilation. AT_ERR_DEVICE, in the worker's words: NVRTC is missing or broken, which is
 * no fault of a kernel. AT_ERR_INPUT, AT_ERR_USAGE: the user's folders of headers (those of $AUTOTUNE_HEADERS
 * when the pool was opened), or what lies in them, is not what it was. AT_ERR_SYSTEM: no worker can be
 * started any more. Both last: the pool can only be closed then.
 */
at_status atx_pool_pump(atx_pool *pool, at_error *err) AT_MUST_CHECK;

/*
 * Forgets every job of an owner: waiting ones, finished ones, and those under way, whose workers are
 * replaced. For a run that ends early.
 */
void atx_pool_drop_of(atx_pool *pool, int owner);

/* Ends workers until so many are left; others compile their jobs again. */
void atx_pool_shrink(atx_pool *pool, int workers);

/* Starts workers until there are so many, or as many as a pool has at most. AT_ERR_MEMORY: as before. One
 * that cannot be started breaks the pool, as in atx_pool_pump. `sites` of the new ones, NULL: here. */
at_status atx_pool_grow(atx_pool *pool, int workers, atx_site *const *sites, at_error *err) AT_MUST_CHECK;

#define ATX_POOL_MOST 256
/* Where each worker is, as atx_pool_grow has it; returns how many they are. */
int atx_pool_sites(const atx_pool *pool, atx_site *sites[ATX_POOL_MOST]);

/*
 * The main loop of a worker process: serves ATX_CHILD_FD until it closes, or until a job has used so much
 * memory that the next had better begin in a new process. Returns the exit code.
 */
int atx_pool_worker_main(const char *memory_bytes);
