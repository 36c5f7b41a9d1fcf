/*
 * device_kind.h - the functions that a kind of device must have; device.h describes each.
 * Private to device*.c.
 *
 * A kind's own struct begins with atx_device.
 */
#pragma once

#include "device/device.h"

typedef struct atx_device_kind {
    void (*close)(atx_device *device);
    at_status (*await)(atx_device *device, at_error *err); /* NULL: it is open at once */
    at_status (*setup)(atx_device *device, const atx_setup *setup, at_error *err);
    int (*queued)(const atx_device *device);
    at_status (*submit)(atx_device *device, const atx_trial *trial, at_error *err);
    struct pollfd (*fd)(const atx_device *device);
    at_status (*pump)(atx_device *device, atx_measured *out, bool *got, at_error *err);
    at_status (*remeasure)(atx_device *device, const atx_remeasure_request *request, atx_remeasure_row *rows,
                           atx_remeasure_notes *notes, at_error *err);
    at_status (*recorded)(atx_device *device, const atx_problem_key *problem, bool warm,
                          atx_recorded_visit *visit, void *context, at_error *err); /* NULL: no replay */
    atx_resources (*recorded_resources)(atx_device *device, const char *identity);  /* likewise        */
} atx_device_kind;

struct atx_device {
    const atx_device_kind *kind;
    atx_device_info info;
    bool lost;               /* see atx_device_is_lost */
    atx_cancel *cancel;      /* see atx_device_set_cancel    */
    atx_device_found *found; /* see atx_device_await; NULL: it is open */
    void *context;           /* of found */
};

/*
 * A runner process for a CUDA ordinal, which is not waited for: device_runner.c. One that is elsewhere may be
 * a replay: then `recording` is the same recording here, owned by what is returned, also after a failure.
 */
typedef struct atx_runner_at {
    atx_site *site;
    const char *spec; /* the process's argument */
    int ordinal;
    int number; /* see atx_device_start_at */
    atx_device *recording;
} atx_runner_at;
at_status atx_device_start_runner(atx_device **out, const atx_runner_at *at, at_error *err) AT_MUST_CHECK;

/* A recording, a database or a dump: device_replay.c. `cancel` may end its being read. */
at_status atx_device_open_replay(atx_device **out, const atx_replay_spec *spec, const atx_cancel *cancel,
                                 at_error *err) AT_MUST_CHECK;
