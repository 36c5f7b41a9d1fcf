/*
 * device.h - a device as the supervisor sees it: it loads, verifies and times kernels.
 *
 * There are two kinds. A GPU is a runner process: the supervisor never touches CUDA. A kernel that faults
 * also ends its runner; atx_device_pump then reports the trial, starts another runner, opens the problem
 * there again and continues with the rest. A kernel that faulted, did not end in time (perhaps because the
 * runner was frozen), or could not be launched for a reason that another kernel may have caused, is tried
 * once more, alone in a new runner, before it counts as failed.
 *
 * A replay answers with the trials that a store recorded, and needs no GPU, driver or NVRTC: kernels are not
 * compiled for it, it knows a kernel by its `identity`, and only recorded configurations can be tried.
 *
 * One thread uses a device.
 */
#pragma once

#include "db/store.h"
#include "device/trial.h"
#include "util/cancel.h"
#include "util/wire.h"
#include <poll.h>

typedef struct atx_device atx_device;

/*
 * `spec` is a CUDA ordinal ("0"), or "replay:FILE" with a database or a dump; "replay:FILE@NAME" chooses
 * among the devices that were recorded there by name (lang/device_name.h), else it is the one with the most
 * trials. "replay:FILE?pace=1" takes as long as the device took (pace.h), ?pace=10 a tenth of it; without, it
 * answers at once. AT_ERR_USAGE: neither. AT_ERR_DEVICE in the runner's words when there is no driver or no
 * such device. AT_ERR_CANCELLED: `cancel` (NULL: none) said so before the device was open.
 *
 * The name of a replay begins with ATX_REPLAY_NAME and its driver ends with a short hash of the recording, so
 * that its results mix neither with measured ones nor with those of another recording.
 */
at_status atx_device_open(atx_device **out, const char *spec, atx_cancel *cancel,
                          at_error *err) AT_MUST_CHECK;

/*
 * The same in two steps, between which others can be started too: a GPU takes a while. atx_device_start_at
 * does not wait for one (the recording of a replay is read), and what it returns can only be awaited or
 * closed; atx_device_await must not be called again when it has failed. `found` (may be NULL) is called
 * as soon as a GPU's compute capability is known, which is half-way; again when a runner died and another one
 * started; of a replay never.
 *
 * `site`: where it is (NULL: here), borrowed until it is closed. `number` is what a GPU is called in all that
 * is said of it, as ordinals of different places are the same; below zero: its ordinal. A replay needs its
 * recording here too, under the same name.
 */
typedef void atx_device_found(void *context, int cc);
at_status atx_device_start_at(atx_device **out, atx_site *site, const char *spec, int number,
                              const atx_cancel *cancel, at_error *err) AT_MUST_CHECK;

/* The main loop of a process that is a replay for another process. Returns the exit code. */
int atx_replay_main(const char *spec);
at_status atx_device_await(atx_device *device, atx_cancel *cancel, atx_device_found *found, void *context,
                           at_error *err) AT_MUST_CHECK;

at_status atx_device_spec_parse(const char *spec, at_error *err) AT_MUST_CHECK; /* only its form */
bool atx_device_is_replay(const char *spec);

/* The parts of a replay's spec. `file` must be cleared, also after a failure. */
typedef struct atx_replay_spec {
    atx_str file;
    char name[128]; /* the recorded device as written; "": none                     */
    double pace;    /* how many times as fast as the device was; 0: it never waits */
} atx_replay_spec;

/* An @ or a ? in the name of a file that is there belongs to it. AT_ERR_USAGE, also where a name is too long
 * to be a device's. */
at_status atx_device_replay_parse(atx_replay_spec *out, const char *spec, at_error *err) AT_MUST_CHECK;
void atx_device_close(atx_device *device);
ATX_CLOSES(atx_device)
const atx_device_info *atx_device_info_of(const atx_device *device);

/*
 * From now on whatever the device waits for ends when this says so, with AT_ERR_CANCELLED. Borrowed until the
 * next call; NULL: nothing does, as after opening. A trial is always waited for, unless it has not begun
 * because another run has the device, or does not end in time: then the queue is empty. A re-measurement is
 * cancelled: it comes to its end.
 */
void atx_device_set_cancel(atx_device *device, atx_cancel *cancel);

/* After a failure: no runner can be started on it any more. It can only be closed then. */
bool atx_device_is_lost(const atx_device *device);

/* How many CUDA devices there are; AT_ERR_DEVICE without a driver. Asks a runner: no CUDA in this process. */
at_status atx_device_count(int *out, atx_cancel *cancel, at_error *err) AT_MUST_CHECK;

/*
 * The same without asking, before a driver is loaded: as many as CUDA_VISIBLE_DEVICES names, or as there are
 * /dev/nvidia0, 1, 2... At least 1. Only for work ahead of the answer, which may be another one.
 */
int atx_device_guess(void);

/* The same, and the identity of each GPU; of more than `most` only so many. */
at_status atx_device_uuids(char (*uuids)[64], int *count, int most, atx_cancel *cancel,
                           at_error *err) AT_MUST_CHECK;

/* After how long a trial of such a problem is taken for hung: seconds, a few more for each GB. */
double atx_trial_deadline_s(const atx_setup *setup);

/*
 * Replaces the open problem. AT_ERR_DEVICE: not enough memory (bytes needed and free), or the reference
 * failed. AT_ERR_CANCELLED: no problem is open.
 */
at_status atx_device_setup(atx_device *device, const atx_setup *setup, at_error *err) AT_MUST_CHECK;

/* At most this many trials may be with the device: one running, the others loaded behind it. */
#define ATX_DEVICE_QUEUE 4
int atx_device_queued(const atx_device *device);
at_status atx_device_submit(atx_device *device, const atx_trial *trial, at_error *err) AT_MUST_CHECK;

/* The resources of a recorded kernel, before it is tried: a replay has no compiler that could tell. Of a GPU,
 * and where it was not recorded: unknown. */
atx_resources atx_device_recorded_resources(atx_device *device, const char *identity);

/* The runner's descriptor, for poll(2). */
struct pollfd atx_device_fd(const atx_device *device);

/*
 * Reads messages that have arrived; enforces deadlines; restarts a dead runner. At most one result is written
 * to *out
 * (*got tells). AT_ERR_DEVICE: the device cannot be used any more.
 */
at_status atx_device_pump(atx_device *device, atx_measured *out, bool *got, at_error *err) AT_MUST_CHECK;

/*
 * Waits for the result. The device must have no trials queued. After `budget_until_s` (on atx_now_s(); 0:
 * none) no round is added to those that every re-measurement has. After a cancellation the results so far are
 * returned if it has as many rounds as a slow re-measurement, or will have them within a second; else
 * AT_ERR_CANCELLED: there is no result.
 *
 * A top candidate that is wrong, cannot be launched, faults or does not end says so in its row, and the
 * others have their result: after a fault each was tried alone, in a process of its own. AT_ERR_DEVICE:
 * no kernel could be named, or the device is lost. Rows are filled in any case: after a failure those that
 * are not ATX_TIMED are what was found before it, the others mean nothing.
 */
at_status atx_device_remeasure(atx_device *device, const atx_remeasure_request *request,
                               atx_remeasure_row *rows, atx_remeasure_notes *notes,
                               at_error *err) AT_MUST_CHECK;

/*
 * Calls `visit` for each configuration of the problem that a replay can answer for, each once. Other devices
 * visit nothing. Must be called for a problem before its trials are submitted.
 */
typedef void atx_recorded_visit(void *context, const char *template_name, const char *template_hash,
                                const char *config);
at_status atx_device_recorded(atx_device *device, const atx_problem_key *problem, bool warm,
                              atx_recorded_visit *visit, void *context, at_error *err) AT_MUST_CHECK;
