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
 * Starts `workers` compile workers (0: one a core; a replay has none) and begins a run in the store. *out is
 * NULL on failure. AT_ERR_DEVICE: no NVRTC, or one that does not know the device. AT_ERR_STORE.
 */
at_status at__session_open(at__session **out, const at__catalog *catalog, const at__tune_options *options,
                           at__device *device, int workers, const at__tune_events *events,
                           at_error *err) AT_MUST_CHECK;
void at__session_close(at__session *session); /* NULL is allowed */

/* The handles that it has opened; valid until it is closed. */
at__env *at__session_env(at__session *session);

/*
 * One problem, from its buffers to its stored winner; `index` of `count` for the display. What became of it
 * is a result event, also when it has no winner; an error means that the device or the store is lost.
 */
at_status at__session_tune(at__session *session, const at__problem *problem, int index, int count,
                           at_error *err) AT_MUST_CHECK;

#endif
