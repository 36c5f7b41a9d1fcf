/*
 * helper_pool.h - devices of one model work on one problem: those without a problem help those that tune.
 *
 * A thread that tunes makes a help request and withdraws it when its search is over. A thread without a
 * problem takes part in a request: it opens the problem on its own device and lends that device
 * (device/borrowed.h) to the search run. All functions may be called from any thread; a help request is used
 * by the thread that made it.
 */
#pragma once

#include "device/device.h"
#include "lang/problem.h"

typedef struct atx_helper_pool atx_helper_pool;
typedef struct atx_help_request atx_help_request;

/* A device that came to help, with what belongs to it. */
typedef struct atx_helper {
    atx_device *device;     /* borrowed: closing it gives it back */
    int64_t run_id;         /* in the store, for its trials      */
    int workers;            /* compile workers that its owner ends meanwhile ... */
    atx_site *const *sites; /* ... and where each was; borrowed */
} atx_helper;

atx_helper_pool *atx_helper_pool_open(void); /* NULL: out of memory */
void atx_helper_pool_close(atx_helper_pool *helper_pool);

/* ---- threads that tune ---- */

/* Called at a problem's begin and end: help may be wanted as long as a problem is being tuned. */
void atx_helper_pool_begin(atx_helper_pool *helper_pool);
void atx_helper_pool_end(atx_helper_pool *helper_pool);

/* The problem is borrowed until the helper pool is closed. AT_ERR_MEMORY,
 * AT_ERR_SYSTEM. */
at_status atx_helper_pool_help_request(atx_help_request **out, atx_helper_pool *helper_pool,
                                       const atx_problem *problem, at_error *err) AT_MUST_CHECK;

/* A helper that has come; false: no other so far. The caller closes its device. */
bool atx_helper_pool_take(atx_help_request *help_request, atx_helper *out);

/* Readable when a helper has come. */
struct pollfd atx_helper_pool_fd(const atx_help_request *help_request);

/* Ends the request: helpers that came and were not taken are sent away. NULL is allowed. */
void atx_helper_pool_withdraw(atx_help_request *help_request);

/* ---- threads that help ---- */

/* Is no problem being tuned? Those that were left over were put back before. */
bool atx_helper_pool_is_idle(atx_helper_pool *helper_pool);

/* The help requests that a device took part in: it does so once in each. Zero: in none yet. */
#define ATX_MOST_HELPED 64 /* the last ones: there are no more at a time than other devices */
typedef struct atx_helped {
    int64_t ids[ATX_MOST_HELPED];
    int next;
} atx_helped;

/*
 * Waits a moment for a help request, and takes part in the one with the fewest helpers: *id names it, and
 * `helped` has it from now on. False: there is none but those.
 */
bool atx_helper_pool_find(atx_helper_pool *helper_pool, int64_t *id, const atx_problem **problem,
                          atx_helped *helped);

/* Is this help request still open? */
bool atx_helper_pool_wants(atx_helper_pool *helper_pool, int64_t id);

/* Hands the helper over; false: too late. */
bool atx_helper_pool_bring(atx_helper_pool *helper_pool, int64_t id, const atx_helper *helper);

/* The helper does not come, or has left. */
void atx_helper_pool_leave(atx_helper_pool *helper_pool, int64_t id);
