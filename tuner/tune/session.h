/*
 * session.h - what a device's thread works with, from opening a device to closing it: NVRTC, compile workers,
 * the store, the cache of compiled kernels, a run in the store.
 *
 * One thread uses a session. It borrows the device, the catalog, the options and the events.
 */
#ifndef AUTOTUNE_SESSION_H
#define AUTOTUNE_SESSION_H

#include "tune/env.h"

typedef struct at__session at__session;

/*
 * What needs no device, and takes as long as a device takes to start: starts compile workers (0: one
 * a core; `sites` as in pool.h, or NULL) and opens NVRTC, of which a replay has neither. *out is NULL on
 * failure. AT_ERR_DEVICE: no NVRTC.
 */
at_status at__session_begin(at__session **out, const at__catalog *catalog, const at__tune_options *options,
                            bool replay, int workers, at__site *const *sites, const at__tune_events *events,
                            at_error *err) AT_MUST_CHECK;

/* Fewer compile workers: there are more devices than one. Before at__session_open. */
void at__session_share(at__session *session, int workers);

/*
 * The device that the session will be opened with has this compute capability: has the kernels that verify
 * compiled, without waiting. at__session_open does it else. at__session_tick hands out what waits for a
 * compiler; to be called while the device is waited for.
 */
void at__session_prepare(at__session *session, int cc);
void at__session_tick(at__session *session);

/*
 * Has the kernels that verify compiled, without waiting, and begins a run in the store. AT_ERR_DEVICE: NVRTC
 * does not know the device. AT_ERR_STORE. The session can only be closed after a failure.
 */
at_status at__session_open(at__session *session, at__device *device, at_error *err) AT_MUST_CHECK;
void at__session_close(at__session *session); /* NULL is allowed */

/* The handles that it has opened; valid until it is closed. */
at__env *at__session_env(at__session *session);

/*
 * One problem, from its buffers to its stored winner; `index` of `count` for the display. Where the
 * environment has a crew, the problem stays until that is closed. What became of it is a result event, also
 * when it has no winner; an error means that the device or the store is lost.
 */
at_status at__session_tune(at__session *session, const at__problem *problem, int index, int count,
                           at_error *err) AT_MUST_CHECK;

/*
 * Takes part in a problem of the crew's that another device tunes, named by its offer: opens it here, and
 * lends the device until that search is over. What the device measures belongs to this session's run. A
 * problem that cannot be opened here is passed over; an error means that the device is lost.
 */
at_status at__session_help(at__session *session, at__crew *crew, int64_t offer, const at__problem *problem,
                           at_error *err) AT_MUST_CHECK;

#endif
