/*
 * device_runner_internal.h - a runner process as its supervisor has it, and the words that pass.
 * Private to device_runner*.c.
 */
#pragma once

#include "device/device_kind.h"
#include "device/runner_wire.h"
#include "util/clock.h"

/*
 * A runner without an answer may have been frozen for a while: a second one is started, but no third, as
 * each costs a deadline.
 */
#define MAX_SILENCES 2

/*
 * A runner that dies while it starts or opens a problem was as a rule killed from outside: by an
 * administrator, a machine out of memory. It gets so many attempts.
 */
#define ATX_MAX_STARTS 4

/* The end of the log of a failure that was tried once more. */
#define ATX_AGAIN "; the second time, alone in a new process"

typedef struct atx_queued {
    int64_t tag;
    atx_str body;
    bool again; /* failed once */
} atx_queued;

typedef struct atx_runner {
    atx_device base;
    int ordinal;
    atx_site *site;
    char *spec;            /* the process's argument; owned */
    int number;            /* its number in names; below zero: its ordinal */
    atx_device *recording; /* of a replay that is elsewhere: the same recording here */
    atx_child child;
    atx_str setup; /* of the open problem, to repeat it after a restart */
    atx_queued queue[ATX_DEVICE_QUEUE];
    int queue_count;
    atx_wait_time head;          /* with the first in the queue, since it began */
    double deadline_s;           /* of a trial of the open problem */
    int confirmed[ATX_OUTCOMES]; /* failures of this problem that happened again, by the last */
    int silences;                /* of runners, since the request that is served began */
    bool waits;                  /* its runner, for another run that has the device */
    bool remeasures;             /* a re-measurement that has been asked for ... */
    bool cancelled;              /* ... and was cancelled ... */
    atx_wait_time since;         /* ... then */
} atx_runner;

/* Its process was reaped; one that reported a failure is still there. */
static inline bool atx_runner_has_died(const atx_runner *d)
{
    return d->child.pid == 0;
}

/* Whether another runner may do the rest of the one that died. */
static inline bool atx_runner_may_try_again(const atx_runner *d)
{
    return atx_runner_has_died(d) && d->silences < MAX_SILENCES;
}

/* Waits for one frame, at most `deadline_s` (below zero: for as long as it takes). */
at_status atx_runner_receive(atx_runner *d, uint32_t *kind, atx_str *body, double deadline_s,
                             at_error *err) AT_MUST_CHECK;

/* Waits for the answer `wanted`; the device's time for other runs is not this one's. */
at_status atx_runner_expect(atx_runner *d, uint32_t wanted, atx_str *body, double deadline_s,
                            at_error *err) AT_MUST_CHECK;

/* Sends a request, then waits for its answer. */
at_status atx_runner_ask(atx_runner *d, uint32_t kind, const atx_str *request, uint32_t wanted,
                         atx_str *answer, double deadline_s, at_error *err) AT_MUST_CHECK;

/* A new runner in the place of one that is dead, hung or ruined, with the same problem and the same queue. */
at_status atx_runner_restart(atx_runner *d, at_error *err) AT_MUST_CHECK;

/* atx_device_remeasure: device_runner_remeasure.c. */
at_status atx_runner_remeasure(atx_device *device, const atx_remeasure_request *request,
                               atx_remeasure_row *rows, atx_remeasure_notes *notes,
                               at_error *err) AT_MUST_CHECK;

/* A FAILED frame's status and words become the caller's. */
at_status atx_runner_failure(const atx_str *body, at_error *err);

/* WAITS and BEGINS: the device's time for other runs is not this one's. */
bool atx_runner_is_turn(atx_runner *d, uint32_t kind);
