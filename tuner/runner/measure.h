/*
 * measure.h - how long one launch takes, on the device, cold unless the setup says warm.
 *
 * What a sample is: sample.h.
 */
#ifndef AUTOTUNE_MEASURE_H
#define AUTOTUNE_MEASURE_H

#include "runner/bench.h"
#include "runner/nvml.h"
#include "runner/watch.h"

/*
 * Verifies, then times. A race: the closer a candidate is to trial->best_s the more samples it gets (1 to 7).
 * outcome is AT__TIMED, AT__WRONG_RESULT or AT__LAUNCH_FAILED; an error means that the device's context may
 * be lost, and out->log holds the driver's words. out->doubtful: at__gpu_may_pass.
 * scales: with their energy counter launches are weighed as well, for half a second at least; NULL: they are
 * not.
 */
at_status at__measure_trial(at__measured *out, at__gpu *gpu, at__bench *bench, const at__trial *trial,
                            const at__nvml *scales, at_error *err) AT_MUST_CHECK;

/* What makes a final shorter. All zero: nothing does. */
typedef struct at__final_limits {
    double budget_until_s; /* on at__now_s(): then 15 rounds are enough, also where they settle nothing */
    bool (*cancelled)(void *context); /* asked between samples: the user wants to end */
    void *context;
    const at__nvml *scales; /* as of a trial; after the rounds, each of the op's own kernels */
} at__final_limits;

/*
 * The interleaved final of device.h; rounds that the watch finds disturbed are played again. Once cancelled,
 * it ends with its 5th round, or at once when it has that many: no final has fewer, and a slow one no more.
 * AT_ERR_CANCELLED: it had not after another second. Every finalist is verified again, also then, as a trial
 * is. One that is wrong, or that the driver refuses, is told of in its row alone; an error means that the
 * context may be lost, or that a refusal may be another's fault, and no row says anything.
 */
at_status at__measure_final(at__final_row *rows, at__gpu *gpu, at__bench *bench, const at__finalist *list,
                            int count, uint64_t seed, at__watch *watch, const at__final_limits *limits,
                            at_error *err) AT_MUST_CHECK;

#endif
