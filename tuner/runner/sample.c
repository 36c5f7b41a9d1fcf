/*
 * sample.c - a batch of launches between two events: how many launches, what goes ahead of them, and on which
 * buffers; what one of them weighs; and the warming up that goes before all.
 */
#include "runner/sample.h"

#include "util/clock.h"

#include <math.h>

#define GRAPH_S   1e-3 /* a graph lasts at least this long: launching it costs 5 to 10 us */
#define MAX_BATCH 4096

/* Clocks are up when filling the buffers has not become faster by so much for so long. */
#define WARM_CHUNK_S   2e-3
#define MAX_WARM_CHUNK 256
#define WARM_STILL_S   0.02
#define WARM_GAIN      0.01

/* Energy: its counter moves every 20 to 100 ms, so it is read where it moves, this long after a first time.
 */
#define WEIGH_S 0.5
#define STILL_S 2.0 /* a counter that has not moved for so long does not work */

static bool has_lead(const atx_bench *bench, const atx_batch *b)
{
    bool restored = atx_bench_is_restored(bench) && b->kernel && !b->is_copy;
    return !b->no_lead && !(restored && atx_bench_sets(bench) == 1);
}

static at_status enqueue(atx_bench *bench, const atx_batch *b, uint64_t first_set, at_error *err)
{
    at_status status = AT_OK;
    for (int64_t i = 0; i < b->launches && status == AT_OK; i++)
        status = b->kernel
                     ? atx_bench_launch(bench, b->module, b->kernel, b->is_copy, first_set + (uint64_t)i, err)
                     : atx_bench_memcpy(bench, first_set + (uint64_t)i, err);
    return status;
}

/* Where launches change what they begin with, each of a batch has a set of its own, and so has the one ahead.
 */
static void limit_launches(atx_batch *b, const atx_bench *bench)
{
    int64_t most = atx_bench_sets(bench) > 1 ? atx_bench_sets(bench) - 1 : 1;
    if (atx_bench_is_restored(bench) && b->launches > most)
        b->launches = most;
}

/*
 * Chooses the number of launches for a launch of about `estimate_s`. A graph's launches are bound to their
 * buffers, so it takes enough of them, and whole rounds of all where it is that long.
 */
at_status atx_batch_open(atx_batch *b, atx_gpu *gpu, atx_bench *bench, double estimate_s,
                         double graph_below_s, at_error *err)
{
    int64_t sets = atx_bench_sets(bench), fewest = atx_bench_fewest_sets(bench);
    double launch_s = estimate_s > 1e-6 ? estimate_s : 1e-6;
    b->launches = (int64_t)ceil(ATX_SAMPLE_S / launch_s);
    limit_launches(b, bench);
    if (launch_s >= graph_below_s)
        return AT_OK;
    b->launches = (int64_t)ceil(GRAPH_S / launch_s);
    if (b->launches < fewest)
        b->launches = fewest;
    if (b->launches > sets)
        b->launches = (b->launches + sets - 1) / sets * sets;
    if (b->launches > MAX_BATCH)
        b->launches = MAX_BATCH;
    limit_launches(b, bench);
    at_status status = atx_gpu_record_begin(gpu, err);
    if (status != AT_OK)
        return status;
    at_status recorded = enqueue(bench, b, 0, err);
    status = atx_gpu_record_end(&b->graph, gpu, recorded == AT_OK ? err : NULL);
    if (recorded != AT_OK || status != AT_OK)
        return recorded != AT_OK ? recorded : status;
    if (b->kernel && !b->is_copy && (status = atx_bench_restore(bench, 0, b->launches, err)) != AT_OK)
        return status;
    return atx_gpu_replay(gpu, b->graph, err); /* the first replay carries the graph's upload: not timed */
}

/*
 * One launch goes ahead of the first event: on an idle device that event would be stamped at once, and the
 * microseconds until the host has submitted the next launch would be counted. Before it, and so outside of
 * what is timed, sets are restored that a launch changes: the first ones, and one for the launch ahead; where
 * there is but one, restoring it goes ahead. In a search nothing goes ahead of a launch that takes
 * milliseconds: it would take as long as the sample; re-measurements are exact.
 */
static at_status begin_sample(uint64_t *first_set, atx_bench *bench, const atx_batch *b, uint64_t *next_set,
                              at_error *err)
{
    const atx_batch ahead = {
        .module = b->module, .kernel = b->kernel, .is_copy = b->is_copy, .launches = 1
    };
    bool restored = atx_bench_is_restored(bench) && b->kernel && !b->is_copy;
    at_status status = AT_OK;
    if (restored) {
        status = atx_bench_restore(bench, 0, b->launches + !b->no_lead, err);
        *next_set = (uint64_t)b->launches;
    }
    if (status == AT_OK && has_lead(bench, b))
        status = enqueue(bench, &ahead, *next_set, err);
    *next_set += 1;
    *first_set = restored ? 0 : *next_set;
    return status;
}

at_status atx_sample(double *seconds, atx_gpu *gpu, atx_bench *bench, const atx_batch *b, uint64_t *next_set,
                     at_error *err)
{
    double elapsed = 0;
    uint64_t first_set = 0;
    at_status status = begin_sample(&first_set, bench, b, next_set, err);
    if (status == AT_OK)
        status = atx_gpu_timer_start(gpu, err);
    if (status == AT_OK)
        status = b->graph ? atx_gpu_replay(gpu, b->graph, err) : enqueue(bench, b, first_set, err);
    if (status == AT_OK)
        status = atx_gpu_timer_stop(gpu, err);
    if (status == AT_OK)
        status = atx_gpu_timer_read(&elapsed, gpu, err);
    if (status != AT_OK)
        return status;
    *next_set += (uint64_t)b->launches;
    *seconds = elapsed / (double)b->launches;
    return AT_OK;
}

/* Launches of a sample, with the one that goes ahead. */
static int64_t launches_of(const atx_bench *bench, const atx_batch *b)
{
    return b->launches + has_lead(bench, b);
}

at_status atx_measure_energy(double *joules, atx_gpu *gpu, atx_bench *bench, const atx_batch *b,
                             uint64_t *next_set, const atx_nvml *scales, at_error *err)
{
    double moved_s = atx_now_s(), begun_s = 0, first = NAN, last = atx_nvml_joules(scales), seconds;
    int64_t launches = 0;
    for (;;) {
        at_status status = atx_sample(&seconds, gpu, bench, b, next_set, err);
        double now = atx_nvml_joules(scales), now_s = atx_now_s();
        if (status != AT_OK)
            return status;
        launches += launches_of(bench, b);
        if (isnan(now) || (!(now > last) && now_s - moved_s > STILL_S))
            return atx_fail(err, AT_ERR_DEVICE, "NVML's energy counter %s",
                            isnan(now) ? "is not to be read any more" : "stands still");
        if (!(now > last))
            continue;
        last = now;
        moved_s = now_s;
        if (isnan(first)) {
            first = now;
            begun_s = now_s;
            launches = 0;
        } else if (now_s - begun_s >= WEIGH_S) {
            *joules = (now - first) / (double)launches;
            return AT_OK;
        }
    }
}

at_status atx_warm_up(atx_gpu *gpu, atx_bench *bench, double seconds, at_error *err)
{
    double now_s = atx_now_s(), until_s = now_s + seconds, risen_s = now_s, best_s = INFINITY;
    at_status status = AT_OK;
    for (int launches = 1; status == AT_OK && now_s < until_s && now_s - risen_s < WARM_STILL_S;) {
        double start_s = now_s;
        for (int i = 0; i < launches && status == AT_OK; i++)
            status = atx_bench_fill(bench, err);
        if (status == AT_OK)
            status = atx_gpu_wait(gpu, err);
        now_s = atx_now_s();
        double one_s = (now_s - start_s) / launches;
        if (one_s < (1 - WARM_GAIN) * best_s) {
            best_s = one_s;
            risen_s = now_s;
        }
        if (now_s - start_s < WARM_CHUNK_S && launches < MAX_WARM_CHUNK) {
            launches *= 2;
            risen_s = now_s; /* more at a time are faster, whatever the clocks do */
        }
    }
    return status;
}
