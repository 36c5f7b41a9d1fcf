/*
 * tune.h - the main job: for each problem propose, compile, verify, time, store, until done; then a
 * re-measurement.
 *
 * One thread a device runs the loop; compile workers and the device runner are processes. Everything measured
 * is in the store within a second. Nothing here prints: events do.
 */
#pragma once

#include "tune/job.h"

/*
 * Tunes every problem on the given devices. Devices of one model share the problems between them, and one for
 * which none is left takes part in the search of another; each other model gets all of them. A problem
 * without a winner is reported and does not stop the rest. AT_ERR_DEVICE: no such device, no driver, no
 * NVRTC. AT_ERR_STORE: cannot store. AT_ERR_CANCELLED: before there was a device to work on; later the result
 * of the problem under way says so. All that was measured until then is kept.
 */
at_status atx_tune(const atx_problem *problems, size_t count, const atx_catalog *catalog,
                   const atx_tune_options *options, const atx_tune_events *events,
                   at_error *err) AT_MUST_CHECK;
