/*
 * session.h - the resources of a device's thread, from opening a device to closing it: NVRTC, compile
 * workers, the store, the cache of compiled kernels, a run in the store.
 *
 * One thread uses a session. It borrows the device, the catalog, the options and the events.
 */
#pragma once

#include "tune/env.h"

typedef struct atx_session atx_session;

/* The inputs of a session; borrowed until it is closed, `sites` for the call. */
typedef struct atx_session_plan {
    const atx_catalog *catalog;
    const atx_tune_options *options;
    const atx_tune_events *events;
    atx_claims *claims;     /* of all sessions of the run, or NULL */
    bool replay;            /* without compile workers and NVRTC */
    int workers;            /* 0: one a core */
    atx_site *const *sites; /* of the workers, as in pool.h, or NULL */
} atx_session_plan;

/*
 * What needs no device, and takes as long as a device takes to start: starts compile workers and opens NVRTC.
 * *out is NULL on failure. AT_ERR_DEVICE: no NVRTC.
 */
at_status atx_session_begin(atx_session **out, const atx_session_plan *plan, at_error *err) AT_MUST_CHECK;

/* So many compile workers: there are more or fewer devices than was known. Before atx_session_open. */
at_status atx_session_share(atx_session *session, int workers, at_error *err) AT_MUST_CHECK;

/*
 * The device that the session will be opened with has this compute capability: has the kernels that verify
 * compiled, without waiting. atx_session_open does it else. atx_session_tick hands out what waits for a
 * compiler; to be called while the device is waited for.
 */
void atx_session_prepare(atx_session *session, int cc);
void atx_session_tick(atx_session *session);

/*
 * Has the kernels that verify compiled, without waiting, and begins a run in the store. AT_ERR_DEVICE: NVRTC
 * does not know the device. AT_ERR_STORE. The session can only be closed after a failure.
 */
at_status atx_session_open(atx_session *session, atx_device *device, at_error *err) AT_MUST_CHECK;
void atx_session_close(atx_session *session); /* NULL is allowed */

/*
 * While a problem is re-measured the next one's kernels are compiled. `upcoming` says which that is; NULL: it
 * is not known yet, or there is none. It is asked at most once a problem, and what it returns is to be tuned
 * next, if anything is. Must be called with NULL before the session is closed: what was begun is given up.
 */
typedef const atx_problem *atx_upcoming(void *context);
void atx_session_set_upcoming(atx_session *session, atx_upcoming *upcoming, void *context);

/* The handles that it has opened; valid until it is closed. */
atx_env *atx_session_env(atx_session *session);

/*
 * One problem, from its buffers to its stored winner; `index` of `count` for the display. Where the
 * environment has a helper pool, the problem stays until that is closed. What became of it is a result event,
 * also when it has no winner; an error means that the device or the store is lost.
 */
at_status atx_session_tune(atx_session *session, const atx_problem *problem, int index, int count,
                           at_error *err) AT_MUST_CHECK;

/*
 * Takes part in a problem of the helper pool's that another device tunes, named by its help request: opens it
 * here, and lends the device until that search is over. What the device measures belongs to this session's
 * run. A problem that cannot be opened here is passed over; an error means that the device is lost.
 */
at_status atx_session_help(atx_session *session, atx_helper_pool *helper_pool, int64_t help_request,
                           const atx_problem *problem, at_error *err) AT_MUST_CHECK;
