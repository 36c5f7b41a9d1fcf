/*
 * device.h - a device as the supervisor sees it: it loads, verifies and times kernels.
 *
 * There are two kinds. A GPU is a runner process: the supervisor never touches CUDA. A kernel that faults
 * takes its runner with it; at__device_pump then says which trial that was, starts another runner, opens the
 * problem there again and goes on with the rest. A kernel that faulted, or could not be launched for a reason
 * that may have been another's, is tried once more alone at the head of a new runner before it is blamed.
 *
 * A replay answers with what a store recorded, and needs neither GPU nor driver nor NVRTC: kernels are not
 * compiled for it, it knows a kernel by its `identity`, and only what was recorded can be tried.
 *
 * One thread uses a device.
 */
#ifndef AUTOTUNE_DEVICE_H
#define AUTOTUNE_DEVICE_H

#include "lang/problem.h"
#include "util/cancel.h"
#include "db/store.h"
#include <poll.h>

typedef struct at__device at__device;

/* What the runner tells of its GPU when it starts; of a replay: what is known of the recorded one. */
typedef struct at__device_info {
    int ordinal;     /* of CUDA; AT__REPLAY_ORDINAL: a replay                   */
    char name[128];  /* "NVIDIA H200"; "replay of NVIDIA H200"                  */
    char uuid[64];   /* "GPU-..." or ""                                      */
    char driver[32]; /* "580.159.04"; the CUDA version when NVML is missing  */
    char nvrtc[16];  /* of a replay: what compiled the recorded kernels      */
    int64_t free_bytes;
    int64_t other_processes; /* that compute on it; -1: unknown                     */
    int64_t ecc_errors;      /* uncorrected, since the driver was loaded; likewise  */
    at__limits limits;
} at__device_info;

#define AT__REPLAY_ORDINAL   (-1)
#define AT__REPLAY_RECORDING " recording "

/*
 * `spec` is a CUDA ordinal ("0"), or "replay:FILE" with a database or a dump; "replay:FILE@NAME" chooses
 * among the devices that were recorded there by a part of the name, else it is the one with the most trials.
 * AT_ERR_USAGE: neither.
 * AT_ERR_DEVICE in the runner's words when there is no driver or no such device.
 * AT_ERR_CANCELLED: `cancel` (NULL: none) said so before the device was open.
 *
 * The name of a replay begins with AT__REPLAY_NAME and its driver ends with a short hash of the recording, so
 * that its results mix neither with measured ones nor with those of another recording.
 */
at_status at__device_open(at__device **out, const char *spec, at__cancel *cancel,
                          at_error *err) AT_MUST_CHECK;
at_status at__device_spec_parse(const char *spec, at_error *err) AT_MUST_CHECK; /* only its form */
bool at__device_is_replay(const char *spec);

/* FILE and NAME of a replay; *name is "" when there is none. An @ in the name of a file that is there belongs
 * to it.
 */
at_status at__device_replay_file(at__str *file, const char **name, const char *spec,
                                 at_error *err) AT_MUST_CHECK;
void at__device_close(at__device *device);
const at__device_info *at__device_info_of(const at__device *device);

/*
 * From now on whatever the device waits for ends when this says so, with AT_ERR_CANCELLED. Borrowed until the
 * next call; NULL: nothing does, as after opening. A trial is always waited for, unless it has not begun
 * because another run has the device: then the queue is empty. A final is told to come to its end.
 */
void at__device_set_cancel(at__device *device, at__cancel *cancel);

/* After a failure: no runner can be started on it any more. It can only be closed then. */
bool at__device_is_lost(const at__device *device);

/* How many CUDA devices there are; AT_ERR_DEVICE without a driver. Asks a runner: no CUDA in this process. */
at_status at__device_count(int *out, at__cancel *cancel, at_error *err) AT_MUST_CHECK;

/* A kernel with everything a launch needs. Buffers are the problem's, in the order of the op's arguments. */
typedef struct at__kernel {
    const char *identity; /* "transpose 4096x4096 b4 tile TILE=32": what a replay looks up */
    const void *cubin;
    size_t cubin_len;
    const char *name;
    at__geometry geometry;
    int arg_count;
    struct at__kernel_arg {
        int buffer; /* index of one of the problem's buffers, or -1: a scalar */
        int bytes;  /* of the scalar: 4 or 8 */
        int64_t value;
    } args[AT__MAX_ARGS];
} at__kernel;

typedef struct at__buffer {
    at__role role; /* AT__INPUT, AT__OUTPUT or AT__INOUT */
    int64_t bytes;
    int64_t align; /* it begins at a multiple of these bytes, and of no more; 0 or AT__FULL_ALIGN: anywhere
                      suitable */
} at__buffer;

/* A problem on the device: buffers, their contents, the right answer. */
typedef struct at__setup {
    at__buffer buffers[AT__MAX_ARGS];
    int buffer_count;
    at__kernel reference;
    const void *verify_cubin; /* tuner/verify.cu, compiled for the device */
    size_t verify_len;
    int element_bytes;  /* for messages */
    bool gaps;          /* the reference does not write all of its outputs: what it leaves must stay */
    int64_t copy_bytes; /* what a copy of the problem copies, from the first input to the first output */
    bool warm;          /* do not rotate buffers out of the L2 cache */
    uint64_t seed;      /* of the random bits */
} at__setup;

/* After how long a trial of such a problem is taken for hung: seconds, a few more for each GB. */
double at__trial_deadline_s(const at__setup *setup);

/*
 * Replaces the open problem. AT_ERR_DEVICE: not enough memory (bytes needed and free), or the reference
 * failed. AT_ERR_CANCELLED: no problem is open.
 */
at_status at__device_setup(at__device *device, const at__setup *setup, at_error *err) AT_MUST_CHECK;

typedef struct at__trial {
    int64_t tag;
    at__kernel kernel; /* cubin is copied on submission */
    bool is_copy;      /* a ceiling candidate: its output must equal the first input */
    double best_s;     /* the fastest so far: one that is clearly slower gets fewer samples; 0: none */
} at__trial;

typedef struct at__measured {
    int64_t tag;
    at__outcome outcome;
    double median_s, min_s, spread;
    int64_t samples, registers, shared_bytes, local_bytes;
    double busy_s;  /* wall time that the trial took on the runner                    */
    double saved_s; /* device time that the rest of its samples would have taken: it lost the race */
    bool doubtful;  /* launch_failed for a reason that may be another kernel's: before it was tried again */
    at__conditions conditions;
    char log[512];
} at__measured;

/* At most this many trials may be with the device: one running, the others loaded behind it. */
#define AT__DEVICE_QUEUE 4
int at__device_queued(const at__device *device);
at_status at__device_submit(at__device *device, const at__trial *trial, at_error *err) AT_MUST_CHECK;

/* What a recorded kernel uses, before it is tried: a replay has no compiler that could tell. Of a GPU, and
 * where it was not recorded: unknown. */
at__uses at__device_recorded_uses(at__device *device, const char *identity);

/* The runner's descriptor, for poll(2). */
struct pollfd at__device_fd(const at__device *device);

/*
 * Reads what has arrived; enforces deadlines; restarts a dead runner. At most one result is written to *out
 * (*got tells). AT_ERR_DEVICE: the device cannot be used any more.
 */
at_status at__device_pump(at__device *device, at__measured *out, bool *got, at_error *err) AT_MUST_CHECK;

/* The final: candidates timed again, interleaved in random order, round by round, until settled. */
#define AT__MAX_FINALISTS 24
typedef struct at__finalist {
    at__kernel kernel;
    bool is_copy;
    bool is_memcpy; /* the driver's copy of the first input to the first output; no kernel */
} at__finalist;

typedef struct at__final_row {
    at__outcome outcome; /* AT__TIMED also means: verified again afterwards */
    double median_s, min_s, spread;
    int64_t samples;
    bool tied; /* with the best of its kind: the difference is within the noise */
    char log[256];
} at__final_row;

/* The circumstances of a final. */
typedef struct at__final_notes {
    at__conditions conditions;
    int64_t discarded; /* rounds that were thrown away and taken again ... */
    char why[48];      /* ... because of this: "thermal slowdown"          */
} at__final_notes;

/*
 * Waits for the result. The device must have no trials queued. After `budget_until_s` (on at__now_s(); 0:
 * none) no round is added to those that every final has. A user who wants to end gets what there is if it has
 * as many rounds as a slow final has, or will have them within a second; else AT_ERR_CANCELLED: there is no
 * result.
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

/*
 * The main loop of a runner process: serves AT__CHILD_FD until it closes. `ordinal` is a device, or
 * AT__COUNT_DEVICES to say how many there are and end. Returns the exit code.
 */
#define AT__COUNT_DEVICES (-1)
int at__runner_main(int ordinal);

#endif
