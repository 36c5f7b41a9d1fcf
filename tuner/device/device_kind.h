/*
 * device_kind.h - what a kind of device must do. Private to device*.c: what each function does is said in
 * device.h.
 *
 * A kind's own struct begins with at__device.
 */
#ifndef AUTOTUNE_DEVICE_KIND_H
#define AUTOTUNE_DEVICE_KIND_H

#include "device/device.h"

typedef struct at__device_kind {
    void (*close)(at__device *device);
    at_status (*await)(at__device *device, at_error *err); /* NULL: it is open at once */
    at_status (*setup)(at__device *device, const at__setup *setup, at_error *err);
    int (*queued)(const at__device *device);
    at_status (*submit)(at__device *device, const at__trial *trial, at_error *err);
    struct pollfd (*fd)(const at__device *device);
    at_status (*pump)(at__device *device, at__measured *out, bool *got, at_error *err);
    at_status (*final)(at__device *device, const at__finalist *list, int count, uint64_t seed,
                       double budget_until_s, at__final_row *rows, at__final_notes *notes, at_error *err);
    at_status (*recorded)(at__device *device, const at__problem_key *problem, bool warm,
                          at__recorded_visit *visit, void *context, at_error *err); /* NULL: no replay */
    at__resources (*recorded_resources)(at__device *device, const char *identity);  /* likewise        */
} at__device_kind;

struct at__device {
    const at__device_kind *kind;
    at__device_info info;
    bool lost;               /* see at__device_is_lost */
    at__cancel *cancel;      /* see at__device_set_cancel    */
    at__device_found *found; /* see at__device_await; NULL: it is open */
    void *context;           /* of found */
};

/*
 * A runner process for a CUDA ordinal, which is not waited for: device_runner.c. One that is elsewhere may be
 * a replay: then `tape` is the same recording here, owned by what is returned, also after a failure.
 */
typedef struct at__runner_at {
    at__site *site;
    const char *spec; /* what the process is told */
    int ordinal;
    int number; /* see at__device_start_at */
    at__device *tape;
} at__runner_at;
at_status at__device_start_runner(at__device **out, const at__runner_at *at, at_error *err) AT_MUST_CHECK;

/* A recording, a database or a dump: device_replay.c. `cancel` may end its being read. */
at_status at__device_open_replay(at__device **out, const at__replay_spec *spec, const at__cancel *cancel,
                                 at_error *err) AT_MUST_CHECK;

#endif
