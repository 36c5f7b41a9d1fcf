/*
 * device_runner_parts.h - a runner process as its supervisor has it, and the words that pass. Private to
 * device_runner*.c.
 */
#ifndef AUTOTUNE_DEVICE_RUNNER_PARTS_H
#define AUTOTUNE_DEVICE_RUNNER_PARTS_H

#include "device/device_kind.h"
#include "device/runner_wire.h"
#include "util/patience.h"

/*
 * A runner that says nothing may have been frozen for a while, and gets a second chance too, but no third:
 * each costs a deadline.
 */
#define MAX_SILENCES 2

/*
 * A runner that dies while it starts or opens a problem was as a rule killed by somebody: an administrator, a
 * machine out of memory. It gets so many attempts.
 */
#define AT__MAX_STARTS 4

/* What the log of a failure that was tried once more ends with. */
#define AT__AGAIN "; the second time, alone in a new process"

typedef struct at__queued {
    int64_t tag;
    at__str body;
    bool again; /* failed once */
} at__queued;

typedef struct at__runner {
    at__device base;
    int ordinal;
    at__site *site;
    char *spec;       /* what the process is told; owned */
    int number;       /* what it is called; below zero: its ordinal */
    at__device *tape; /* of a replay that is elsewhere: the same recording here */
    at__child child;
    at__str setup; /* of the open problem, to repeat it after a restart */
    at__queued queue[AT__DEVICE_QUEUE];
    int queue_count;
    at__patience head;           /* with the first in the queue, since it began */
    double deadline_s;           /* of a trial of the open problem */
    int confirmed[AT__OUTCOMES]; /* failures of this problem that happened again, by the last */
    int silences;                /* of runners, since the request that is served began */
    bool waits;                  /* its runner, for another run that has the device */
    bool plays;                  /* a final that has been asked for ... */
    bool cancelled;              /* ... and was cancelled ... */
    at__patience since;          /* ... then */
} at__runner;

/* Its child was buried; one that told of a failure lives. */
static inline bool at__runner_has_died(const at__runner *d)
{
    return d->child.pid == 0;
}

/* Whether another runner may do what the one that died did not. */
static inline bool at__runner_may_try_again(const at__runner *d)
{
    return at__runner_has_died(d) && d->silences < MAX_SILENCES;
}

/* Waits for one frame, at most `deadline_s` (below zero: for as long as it takes). */
at_status at__runner_receive(at__runner *d, uint32_t *kind, at__str *body, double deadline_s,
                             at_error *err) AT_MUST_CHECK;

/* Waits for the answer `wanted`; what another run does with the device meanwhile is not this one's time. */
at_status at__runner_expect(at__runner *d, uint32_t wanted, at__str *body, double deadline_s,
                            at_error *err) AT_MUST_CHECK;

/* Sends a request, then waits for its answer. */
at_status at__runner_ask(at__runner *d, uint32_t kind, const at__str *request, uint32_t wanted,
                         at__str *answer, double deadline_s, at_error *err) AT_MUST_CHECK;

/* A new runner in the place of one that is dead, hung or ruined, with the same problem and the same queue. */
at_status at__runner_restart(at__runner *d, at_error *err) AT_MUST_CHECK;

/* at__device_final: device_runner_final.c. */
at_status at__runner_final(at__device *device, const at__finalist *list, int count, uint64_t seed,
                           double budget_until_s, at__final_row *rows, at__final_notes *notes,
                           at_error *err) AT_MUST_CHECK;

/* A FAILED frame's status and words become the caller's. */
at_status at__runner_failure(const at__str *body, at_error *err);

/* WAITS and BEGINS: what another run does with the device is not this one's time. */
bool at__runner_is_turn(at__runner *d, uint32_t kind);

#endif
