/*
 * env.h - the environment of the work for one device: its handles, its run in the store, and the time to end.
 * A session (session.h) opens and owns it; search runs, re-measurements and setups borrow it. One thread uses
 * it.
 */
#pragma once

#include "compile/builder.h"
#include "device/device.h"
#include "tune/helper_pool.h"
#include "tune/job.h"

typedef struct atx_env {
    const atx_catalog *catalog;
    const atx_tune_options *options;
    const atx_tune_events *events; /* all of them there; only those of reverify.h may be missing */
    atx_device *device;
    atx_store *store;
    atx_builder builder;
    atx_build verify[ATX_CHECK_PARTS]; /* runner/verify.cu for this device */
    bool checked;                      /* all of it is compiled, so NVRTC works */
    atx_fingerprint fingerprint;
    int64_t run_id;
    uint64_t seed;
    atx_cancel cancel;             /* of what is waited for just now                            */
    double budget_until_s;         /* when the problem's budget ends, on atx_now_s(); 0: never  */
    char doing[ATX_MAX_NAME + 40]; /* what a setup is busy with: "counting the ..."; "" nothing */
    atx_helper_pool *helper_pool;  /* other devices of the model; NULL: it works alone          */
    bool remeasuring;              /* the device re-measures, and all that it needs is compiled */
    void (*spare)(void *context);  /* compilers have nothing to do for a search; may be NULL      */
    void *spare_context;
    bool old_templates; /* the recording's templates are others, and the user was warned        */
} atx_env;

/* A warning event. */
void atx_env_warn(const atx_env *env, const char *format, ...) AT_PRINTF(2, 3);

/* Does a metric of the op, or the front that is asked for, read the energy of a launch? */
bool atx_env_measures_energy(const atx_env *env, const atx_op *op);

/* Nothing is measured here: a recording answers. */
bool atx_env_is_replay(const atx_env *env);

/* Of the trace: the device's number, counted from 0 (a replay has none: 0); a span on its track until now. */
int atx_env_trace_id(const atx_env *env);
void atx_env_trace(const atx_env *env, const char *what, const char *detail, double start_s);
