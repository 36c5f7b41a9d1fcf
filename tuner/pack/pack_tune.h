/*
 * pack_tune.h - new measurements for a pack: the devices that make them, how long they may take, and the
 * losses that follow.
 *
 * Problems are measured in the order in which they were drawn, by all devices at the same time, until the
 * time is over. One thread uses a tuner.
 */
#pragma once

#include "pack/pack_internal.h"
#include "device/trial.h"
#include "tune/job.h"

/*
 * Opens the devices of the options (none named: all of this machine that are of the first one's model), which
 * measure for `seconds` from the first measurement on. `options` are those of the search for each problem's
 * winner; borrowed. AT_ERR_DEVICE, AT_ERR_STORE, AT_ERR_CANCELLED.
 */
at_status atx_pack_tuner_open(atx_pack_tuner **out, const atx_catalog *catalog,
                              const atx_tune_options *options, double seconds, at_error *err) AT_MUST_CHECK;
void atx_pack_tuner_close(atx_pack_tuner *tuner); /* NULL is allowed */

/* The devices' model. */
const atx_device_info *atx_pack_tuner_device(const atx_pack_tuner *tuner);
