/*
 * device.h - a device as the supervisor sees it: it loads, verifies and times kernels.
 *
 * There are two kinds. A GPU is a runner process: the supervisor never touches CUDA. A kernel that faults
 * takes its runner with it; at__device_pump then says which trial that was, starts another runner, opens the
 * problem there again and goes on with the rest. A kernel that faulted, did not end in time (perhaps because
 * the runner was frozen), or could not be launched for a reason that may have been another's, is tried once
 * more alone at the head of a new runner before it is blamed.
 *
 * A replay answers with what a store recorded, and needs neither GPU nor driver nor NVRTC: kernels are not
 * compiled for it, it knows a kernel by its `identity`, and only what was recorded can be tried.
 *
 * One thread uses a device.
 */
#ifndef AUTOTUNE_DEVICE_H
#define AUTOTUNE_DEVICE_H

#include "db/store.h"
#include "device/trial.h"
#include "util/cancel.h"
#include "util/wire.h"
#include <poll.h>

typedef struct at__device at__device;

/*
 * `spec` is a CUDA ordinal ("0"), or "replay:FILE" with a database or a dump; "replay:FILE@NAME" chooses
 * among the devices that were recorded there by name (lang/device_name.h), else it is the one with the most
 * trials. "replay:FILE?pace=1" takes as long as the device took (pace.h), ?pace=10 a tenth of it; without, it
 * answers at once. AT_ERR_USAGE: neither. AT_ERR_DEVICE in the runner's words when there is no driver or no
 * such device. AT_ERR_CANCELLED: `cancel` (NULL: none) said so before the device was open.
 *
 * The name of a replay begins with AT__REPLAY_NAME and its driver ends with a short hash of the recording, so
 * that its results mix neither with measured ones nor with those of another recording.
 */
at_status at__device_open(at__device **out, const char *spec, at__cancel *cancel,
                          at_error *err) AT_MUST_CHECK;

/*
 * The same in two steps, between which others can be started too: a GPU takes a while. at__device_start_at
 * does not wait for one (the recording of a replay is read), and what it returns can only be awaited or
 * closed; at__device_await must not be called again when it has failed. `found` (NULL: nobody asks) is called
 * as soon as a GPU's compute capability is known, which is half-way; again when a runner died and another one
 * started; of a replay never.
 *
 * `site`: where it is (NULL: here), borrowed until it is closed. `number` is what a GPU is called in all that
 * is said of it, as ordinals of different places are the same; below zero: its ordinal. A replay needs its
 * recording here too, under the same name.
 */
typedef void at__device_found(void *context, int cc);
at_status at__device_start_at(at__device **out, at__site *site, const char *spec, int number,
                              const at__cancel *cancel, at_error *err) AT_MUST_CHECK;

/* The main loop of a process that is a replay for somebody elsewhere. Returns the exit code. */
int at__replay_main(const char *spec);
at_status at__device_await(at__device *device, at__cancel *cancel, at__device_found *found, void *context,
                           at_error *err) AT_MUST_CHECK;

at_status at__device_spec_parse(const char *spec, at_error *err) AT_MUST_CHECK; /* only its form */
bool at__device_is_replay(const char *spec);

/* What the spec of a replay says. `file` is to be cleared, also after a failure. */
typedef struct at__replay_spec {
    at__str file;
    char name[128]; /* what is written for the recorded device; "": nothing         */
    double pace;    /* how many times as fast as the device was; 0: it never waits */
} at__replay_spec;

/* An @ or a ? in the name of a file that is there belongs to it. AT_ERR_USAGE, also where a name is too long
 * to be a device's. */
at_status at__device_replay_parse(at__replay_spec *out, const char *spec, at_error *err) AT_MUST_CHECK;
void at__device_close(at__device *device);
const at__device_info *at__device_info_of(const at__device *device);

/*
 * From now on whatever the device waits for ends when this says so, with AT_ERR_CANCELLED. Borrowed until the
 * next call; NULL: nothing does, as after opening. A trial is always waited for, unless it has not begun
 * because another run has the device, or does not end in time: then the queue is empty. A final is cancelled:
 * it comes to its end.
 */
void at__device_set_cancel(at__device *device, at__cancel *cancel);

/* After a failure: no runner can be started on it any more. It can only be closed then. */
bool at__device_is_lost(const at__device *device);

/* How many CUDA devices there are; AT_ERR_DEVICE without a driver. Asks a runner: no CUDA in this process. */
at_status at__device_count(int *out, at__cancel *cancel, at_error *err) AT_MUST_CHECK;

/* The same, and what tells each from all other GPUs; of more than `most` only so many. */
at_status at__device_uuids(char (*uuids)[64], int *count, int most, at__cancel *cancel,
                           at_error *err) AT_MUST_CHECK;

/* After how long a trial of such a problem is taken for hung: seconds, a few more for each GB. */
double at__trial_deadline_s(const at__setup *setup);

/*
 * Replaces the open problem. AT_ERR_DEVICE: not enough memory (bytes needed and free), or the reference
 * failed. AT_ERR_CANCELLED: no problem is open.
 */
at_status at__device_setup(at__device *device, const at__setup *setup, at_error *err) AT_MUST_CHECK;

/* At most this many trials may be with the device: one running, the others loaded behind it. */
#define AT__DEVICE_QUEUE 4
int at__device_queued(const at__device *device);
at_status at__device_submit(at__device *device, const at__trial *trial, at_error *err) AT_MUST_CHECK;

/* What a recorded kernel uses, before it is tried: a replay has no compiler that could tell. Of a GPU, and
 * where it was not recorded: unknown. */
at__resources at__device_recorded_resources(at__device *device, const char *identity);

/* The runner's descriptor, for poll(2). */
struct pollfd at__device_fd(const at__device *device);

/*
 * Reads what has arrived; enforces deadlines; restarts a dead runner. At most one result is written to *out
 * (*got tells). AT_ERR_DEVICE: the device cannot be used any more.
 */
at_status at__device_pump(at__device *device, at__measured *out, bool *got, at_error *err) AT_MUST_CHECK;

/*
 * Waits for the result. The device must have no trials queued. After `budget_until_s` (on at__now_s(); 0:
 * none) no round is added to those that every final has. A user who wants to end gets what there is if it has
 * as many rounds as a slow final has, or will have them within a second; else AT_ERR_CANCELLED: there is no
 * result.
 *
 * A finalist that is wrong, cannot be launched, faults or does not end says so in its row, and the others
 * have their result: after a fault each was tried alone, in a process of its own. AT_ERR_DEVICE: nobody could
 * be named, or the device is lost. Rows are filled in any case: after a failure those that are not AT__TIMED
 * are what was found before it, the others mean nothing.
 */
at_status at__device_final(at__device *device, const at__finalist *list, int count, uint64_t seed,
                           double budget_until_s, at__final_row *rows, at__final_notes *notes,
                           at_error *err) AT_MUST_CHECK;

/*
 * Calls `visit` for each configuration of the problem that a replay can answer for, each once. Other devices
 * visit nothing. Must be called for a problem before its trials are submitted.
 */
typedef void at__recorded_visit(void *context, const char *template_name, const char *template_hash,
                                const char *config);
at_status at__device_recorded(at__device *device, const at__problem_key *problem, bool warm,
                              at__recorded_visit *visit, void *context, at_error *err) AT_MUST_CHECK;

#endif
