/*
 * measure.h - the time of one launch, on the device, cold unless the setup says warm. sample.h describes a
 * sample.
 */
#pragma once

#include "runner/bench.h"
#include "runner/nvml.h"
#include "runner/sample.h"
#include "runner/watch.h"

/*
 * Verifies, then times, then checks a launch that was timed. A race: the closer a candidate is to
 * trial->best_s the more samples it gets (1 to 7). outcome is ATX_TIMED, ATX_WRONG_RESULT or
 * ATX_LAUNCH_FAILED; an error means that the device's context may be lost, and out->log holds the driver's
 * words. out->doubtful: atx_gpu_may_pass. scales: their energy counter measures the energy of launches, for
 * half a second at least; NULL: it is not measured.
 */
at_status atx_measure_trial(atx_measured *out, atx_gpu *gpu, atx_bench *bench, const atx_trial *trial,
                            const atx_nvml *scales, at_error *err) AT_MUST_CHECK;

/* atx_bench_verify; a wrong result gets a second chance on fresh buffers. */
at_status atx_measure_verify(atx_seen *out, atx_bench *bench, atx_loaded *what, at_error *err) AT_MUST_CHECK;

/* atx_sample_check, likewise. */
at_status atx_measure_check(atx_seen *out, atx_gpu *gpu, atx_bench *bench, atx_batch *batch, bool thorough,
                            at_error *err) AT_MUST_CHECK;

/* The settings of a re-measurement, and reasons to shorten it. */
typedef struct atx_remeasure_means {
    atx_gpu *gpu;
    atx_bench *bench;
    atx_watch *watch;
    const atx_nvml *scales;           /* as of a trial; after the rounds, each of the op's own kernels */
    bool (*cancelled)(void *context); /* asked between samples: the user wants to end; NULL: never */
    void *context;
} atx_remeasure_means;

/*
 * The interleaved re-measurement of device.h, on inputs and, where memory allows, at addresses that no trial
 * has had; rounds that the watch finds disturbed are measured again. After request->budget_until_s 15 rounds
 * are enough, also where they settle nothing. Once cancelled, it ends with its 5th round, or at once when it
 * has that many: no re-measurement has fewer, and a slow one no more. AT_ERR_CANCELLED: it had not after
 * another second.
 *
 * Every top candidate is verified first, as a trial is; launches of random samples are checked, and one of
 * the last sample. A candidate that is wrong, or that the driver refuses, is reported in its row alone; an
 * error means that the context may be lost, or that another kernel may have caused a refusal: all rows are
 * then without meaning.
 */
at_status atx_remeasure(atx_remeasure_row *rows, const atx_remeasure_means *means,
                        const atx_remeasure_request *request, at_error *err) AT_MUST_CHECK;
