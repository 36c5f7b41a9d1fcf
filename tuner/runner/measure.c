/*
 * measure.c - a trial: verify (its launch is the first estimate), then up to MAX_SAMPLES batches, then a
 * check of a launch of the last of them; a candidate that falls behind the best so far ends early.
 *
 * A sample is too long if the host is kept from launching, since compilers use all processors. So one long
 * sample never ends a trial, nor is it the trial's figure, as long as there is a shorter one.
 */
#include "runner/measure.h"

#include "runner/cubin_state.h"

#include "util/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * The race. Where the launch that was verified and the first sample are so much slower than the best, there
 * are no more samples; for a long launch sooner, as nothing that happens once, such as loading the code,
 * takes a third of it ...
 */
#define TOO_SLOW      2.5
#define TOO_SLOW_LONG 1.5
/* ... and where two samples, or four, are this much slower: in place of the fourth, when two agree. */
#define SLOW_AFTER_2 1.25
#define SLOW_AFTER_4 1.06
/* Samples that agree so well are enough of them; others are more. */
#define AGREEMENT   0.005
#define FEW_SAMPLES 3
#define MAX_SAMPLES 7

#define LONG_S 1e-3 /* the host's 3 us before such a launch begins are lost in its noise */

static bool agree(const double *samples, int count)
{
    double low = atx_quantile(samples, (size_t)count, 0.0), high = atx_quantile(samples, (size_t)count, 1.0);
    return count >= 2 && high - low <= AGREEMENT * high;
}

/* Of two samples the one that the host was not late for. */
static double figure_of(const double *samples, int count)
{
    return count < 3 ? atx_quantile(samples, (size_t)count, 0.0) : atx_median(samples, (size_t)count);
}

/* No more samples: there are enough, or more would not make it the best. `slow`: a launch said so before. */
static bool is_over(const double *samples, int count, double best_s, bool slow)
{
    if (count == 0 || count >= MAX_SAMPLES)
        return count > 0;
    double slower = best_s > 0 ? figure_of(samples, count) / best_s : 1.0;
    bool same = agree(samples, count);
    return (slow && slower > TOO_SLOW_LONG) || (count >= 2 && slower > SLOW_AFTER_2) ||
           ((count >= 4 || same) && slower > SLOW_AFTER_4) || (count >= FEW_SAMPLES && same);
}

/* By the one launch that was verified; a short one says too little. */
static bool is_too_slow(double first_s, double best_s)
{
    return best_s > 0 && first_s >= ATX_GRAPH_BELOW_S &&
           first_s > (first_s >= LONG_S ? TOO_SLOW_LONG : TOO_SLOW) * best_s;
}

/* `launches` make a sample. What a lost race spares are samples that every other candidate gets. */
static void summarise(atx_measured *out, const double *samples, int count, int64_t launches)
{
    out->timing.median_s = figure_of(samples, count);
    out->timing.spread = atx_spread(samples, (size_t)count);
    out->timing.min_s = atx_quantile(samples, (size_t)count, 0.0);
    out->timing.samples = count;
    out->saved_s =
        count < FEW_SAMPLES ? (double)(FEW_SAMPLES - count) * (double)launches * out->timing.median_s : 0;
}

/* One trial, with its kernel once it is loaded. */
typedef struct trial_run {
    atx_gpu *gpu;
    atx_bench *bench;
    const atx_trial *trial;
    const atx_nvml *scales;
    atx_module *module;
    atx_loaded what;
    atx_seen seen; /* of the last launch that was checked */
} trial_run;

static at_status load(trial_run *r, at_error *err)
{
    const int64_t checked = r->what.checked;
    atx_gpu_unload(r->gpu, r->module);
    r->module = NULL;
    at_status status = atx_gpu_load_all(&r->module, r->gpu, &r->trial->kernel, err);
    r->what = (atx_loaded){
        .module = r->module, .kernel = &r->trial->kernel, .is_copy = r->trial->is_copy, .checked = checked
    };
    return status;
}

/* Variables that a kernel writes would tell it that it has been verified. */
static at_status forget_launches(trial_run *r, at_error *err)
{
    const atx_kernel *k = &r->trial->kernel;
    if (!atx_cubin_has_state(k->cubin, k->cubin_len))
        return AT_OK;
    ATX_TRY(load(r, err));
    return atx_bench_fill_variables(r->bench, &r->what, err);
}

/*
 * A wrong result may be the doing of an earlier kernel that wrote where no guard zone is. So a suspect gets
 * fresh buffers and must be right SECOND_CHANCES times in a row to be cleared; one that fails now and then
 * fails.
 */
#define SECOND_CHANCES 3

at_status atx_measure_verify(atx_seen *out, atx_bench *bench, atx_loaded *what, at_error *err)
{
    atx_seen again = { .right = true };
    at_status status = atx_bench_verify(out, bench, what, err);
    if (status != AT_OK || out->right)
        return status;
    status = atx_bench_renew(bench, err);
    for (int i = 0; i < SECOND_CHANCES && status == AT_OK && again.right; i++)
        status = atx_bench_verify(&again, bench, what, err);
    if (status == AT_OK && again.right)
        *out = again;
    else if (status == AT_OK)
        snprintf(out->log + strlen(out->log), sizeof out->log - strlen(out->log), "; again on fresh buffers");
    return status;
}

at_status atx_measure_check(atx_seen *out, atx_gpu *gpu, atx_bench *bench, atx_batch *batch, bool thorough,
                            at_error *err)
{
    at_status status = atx_sample_check(out, bench, batch, thorough, err);
    return status == AT_OK && !out->right ? atx_sample_reverify(out, gpu, bench, batch, err) : status;
}

/* Short launches in a loop, which a graph makes faster: the first time says nothing of theirs. */
static bool waits_for_host(const atx_kernel *kernel, double seconds)
{
    return kernel->launches && seconds / kernel->launch_count < ATX_GRAPH_BELOW_S;
}

/* Batches for a launch of this length; anew where the first sample says that the host was late for it. */
static at_status open_batch(double *first_sample, atx_batch *b, trial_run *r, double launch_s, at_error *err)
{
    for (bool late = true; late;) {
        atx_batch_close(b, r->gpu);
        *b = (atx_batch){ .what = &r->what, .no_lead = launch_s >= LONG_S, .rough = true };
        ATX_TRY(atx_batch_open(b, r->gpu, r->bench, launch_s, ATX_GRAPH_BELOW_S, err));
        ATX_TRY(atx_sample(first_sample, r->gpu, r->bench, b, err));
        late = launch_s >= ATX_GRAPH_BELOW_S && *first_sample < launch_s / 2;
        launch_s = *first_sample;
    }
    return AT_OK;
}

static at_status time_candidate(atx_measured *out, trial_run *r, double first_s, at_error *err)
{
    double samples[MAX_SAMPLES];
    int count = 1;
    const atx_trial *trial = r->trial;
    const bool slow =
        !r->scales && !waits_for_host(&trial->kernel, first_s) && is_too_slow(first_s, trial->best_s);
    atx_batch b = { 0 };

    at_status status = forget_launches(r, err);
    ATX_THEN(status, open_batch(samples, &b, r, first_s, err));
    while (status == AT_OK && !is_over(samples, count, trial->best_s, slow)) {
        status = atx_sample(&samples[count], r->gpu, r->bench, &b, err);
        count++;
    }
    if (status == AT_OK)
        summarise(out, samples, count, b.launches);
    if (status == AT_OK && r->scales && !trial->is_copy)
        status = atx_measure_energy(&out->timing.joules, r->gpu, r->bench, &b, r->scales, err);
    ATX_THEN(status, atx_measure_check(&r->seen, r->gpu, r->bench, &b, false, err));
    atx_batch_close(&b, r->gpu);
    return status;
}

/* A refusal of this kernel (too many resources, a bad geometry) leaves the context as it was. */
static at_status refused_or_lost(atx_measured *out, atx_gpu *gpu, at_status status, at_error *err)
{
    snprintf(out->log, sizeof out->log, "%.*s", (int)sizeof out->log - 1, err->text);
    if (status == AT_ERR_DEVICE && !atx_gpu_is_lost(gpu)) {
        out->outcome = ATX_LAUNCH_FAILED;
        out->doubtful = atx_gpu_may_pass(gpu);
        return AT_OK;
    }
    return status;
}

/* The last observation decides. */
static void conclude(atx_measured *m, const trial_run *r)
{
    m->verdict = r->seen.verdict;
    m->verdict.checked = r->what.checked;
    if (r->seen.right)
        return;
    m->outcome = m->verdict.outcome = ATX_WRONG_RESULT;
    m->timing = (atx_timing){ .samples = 0 };
    m->saved_s = 0;
    snprintf(m->log, sizeof m->log, "%s", r->seen.log);
}

at_status atx_measure_trial(atx_measured *out, atx_gpu *gpu, atx_bench *bench, const atx_trial *trial,
                            const atx_nvml *scales, at_error *err)
{
    atx_measured m = {
        .tag = trial->tag, .outcome = ATX_TIMED, .resources = ATX_RESOURCES_UNKNOWN, .verdict = ATX_NO_VERDICT
    };
    at_error cause = { 0 };
    trial_run r = {
        .gpu = gpu, .bench = atx_bench_for(bench, trial->is_copy), .trial = trial, .scales = scales
    };
    atx_bench_forget_answers(r.bench);
    at_status status = load(&r, &cause);
    if (status == AT_OK) {
        m.resources = atx_module_resources(r.module);
        status = atx_measure_verify(&r.seen, r.bench, &r.what, &cause);
    }
    if (status == AT_OK && r.seen.right)
        status = time_candidate(&m, &r, r.seen.seconds, &cause);
    if (status == AT_OK)
        conclude(&m, &r);
    else
        status = refused_or_lost(&m, gpu, status, &cause);
    atx_gpu_unload(gpu, r.module);
    *out = m;
    return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause.text);
}
