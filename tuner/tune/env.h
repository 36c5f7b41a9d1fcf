/*
 * env.h - what everybody who works for one device shares: its handles, the run that it belongs to, when to
 * end. A session (session.h) opens and owns it; contests, finals and setups borrow it. One thread uses it.
 */
#ifndef AUTOTUNE_ENV_H
#define AUTOTUNE_ENV_H

#include "compile/builder.h"
#include "device/device.h"
#include "tune/crew.h"
#include "tune/job.h"

typedef struct at__env {
    const at__catalog *catalog;
    const at__tune_options *options;
    const at__tune_events *events; /* all of them there; only those of remeasure.h may be missing */
    at__device *device;
    at__store *store;
    at__builder builder;
    at__build verify[AT__CHECK_PARTS]; /* runner/verify.cu for this device */
    bool checked;                      /* all of it is compiled, so NVRTC works */
    at__fingerprint fingerprint;
    int64_t run_id;
    uint64_t seed;
    at__cancel cancel;             /* of what is waited for just now                            */
    double budget_until_s;         /* when the problem's budget ends, on at__now_s(); 0: never  */
    char doing[AT__MAX_NAME + 40]; /* what a setup is busy with: "counting the ..."; "" nothing */
    at__crew *crew;                /* other devices of the model; NULL: it works alone          */
    bool old_templates;            /* the recording's templates are others, and the user was warned        */
} at__env;

/* A warning event. */
void at__env_warn(const at__env *env, const char *format, ...) AT_PRINTF(2, 3);

/* Nothing is measured here: a recording answers. */
bool at__env_is_replay(const at__env *env);

/* Of the trace: the device's number, counted from 0 (a replay has none: 0); a span on its track until now. */
int at__env_trace_id(const at__env *env);
void at__env_trace(const at__env *env, const char *what, const char *detail, double start_s);

#endif
