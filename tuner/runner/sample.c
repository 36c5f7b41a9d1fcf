/*
 * sample.c - a batch of launches between two events: number of launches, the work ahead of them, their
 * buffers; the choice of the launch that is checked; the energy of one launch; and the warm-up.
 *
 * The check costs the time of one comparison and nothing before: outputs hold the result of the previous
 * launch, which is the answer to other inputs, so a kernel that does not write is wrong, and one that stores
 * only differences gains nothing. A kernel cannot tell a checked launch from others: it is chosen when all of
 * them are over.
 */
#include "runner/sample.h"

#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * A graph lasts so long, or has so many launches where these are short: the beginning and the end of a sample
 * cost 4.6 us. How long a launch takes is known from one that waited for the host.
 */
typedef struct graph_size {
    double seconds;
    int64_t launches;
} graph_size;
static const graph_size EXACT = { 1e-3, 512 }, ROUGH = { 0.5e-3, 256 };
#define HOST_S    4e-6
#define SHORT_S   4e-6
#define MAX_BATCH 4096 /* launches of kernels */

/* Clocks are up when filling the buffers has not become faster by so much for so long. */
#define WARM_CHUNK_S   2e-3
#define MAX_WARM_CHUNK 256
#define WARM_STILL_S   0.02
#define WARM_GAIN      0.01

/* Energy: its counter moves every 20 to 100 ms, so it is read where it moves, this long after a first time.
 */
#define ENERGY_S 0.5
#define STILL_S  2.0 /* a counter that has not moved for so long does not work */

/* ---- which sets ---- */

static atx_sets sets_of(const atx_bench *bench, atx_rotation rotation, int64_t i)
{
    const int64_t sets = atx_bench_sets(bench),
                  in = (rotation.first + rotation.step * i % sets + sets) % sets;
    return (atx_sets){ (int)in, (int)((in + rotation.shift) % sets) };
}

/* Of a graph each launch finds what its launch before last left, where that one worked: the other graph's
 * was last. */
static atx_found_there to_avoid(const atx_batch *b)
{
    return b->graphs[0] ? ATX_LAST_ANSWER : ATX_ANY_ANSWER;
}

static bool finds_answers(const atx_bench *bench, const atx_batch *b, atx_rotation rotation)
{
    bool finds = false;
    for (int64_t i = 0; i < b->launches && !finds; i++)
        finds = atx_bench_finds_answer(bench, sets_of(bench, rotation, i), to_avoid(b));
    return finds;
}

/* A rotation in which some launch has a known answer, and none finds its own in its outputs: of so many
 * tries. */
static atx_rotation choose_rotation(atx_bench *bench, const atx_batch *b)
{
    enum { TRIES = 8 };
    const int sets = atx_bench_sets(bench);
    atx_rotation rotation = { .step = atx_bench_random(bench, 2) ? 1 : -1 };
    for (int i = 0; i < TRIES && (i == 0 || finds_answers(bench, b, rotation)); i++) {
        const int before = atx_bench_random(bench, b->launches < sets ? (int)b->launches : sets);
        rotation.first = (atx_bench_choose_inputs(bench, b->what) - rotation.step * before + sets) % sets;
        rotation.shift = atx_bench_random(bench, sets);
    }
    return rotation;
}

/* ---- batches ---- */

static bool has_lead(const atx_bench *bench, const atx_batch *b)
{
    return !b->no_lead && !(atx_bench_sets(bench) == 1 && (b->sweeps || atx_bench_is_restored(bench)));
}

static at_status enqueue(atx_bench *bench, const atx_batch *b, atx_rotation rotation, at_error *err)
{
    for (int64_t i = 0; i < b->launches; i++)
        ATX_TRY(atx_bench_launch(bench, b->what, sets_of(bench, rotation, i), err));
    return AT_OK;
}

static void note(atx_bench *bench, atx_batch *b, atx_rotation rotation)
{
    for (int64_t i = 0; i < b->launches; i++)
        atx_bench_note(bench, b->what, sets_of(bench, rotation, i));
    b->last = rotation;
}

/* `ahead`: launches before the first, which may find what they like where nothing is to be restored. */
static at_status prepare(atx_bench *bench, const atx_batch *b, atx_rotation rotation, int ahead,
                         at_error *err)
{
    for (int64_t i = atx_bench_is_restored(bench) ? -ahead : 0; i < b->launches; i++)
        ATX_TRY(atx_bench_prepare(bench, sets_of(bench, rotation, i), to_avoid(b), err));
    return AT_OK;
}

/* Each launch of a batch has sets of its own, and so has the one ahead: where there are any. Behind a sweep
 * of the L2 it finds no lines of another one. */
static void limit_launches(atx_batch *b, const atx_bench *bench)
{
    const int64_t sets = atx_bench_sets(bench), most = sets > 1 ? sets - 1 : 1;
    const bool once = sets > 1 || atx_bench_can_sweep(bench) || atx_bench_is_restored(bench);
    if (once && b->launches > most)
        b->launches = most;
}

/* The same outputs the other way round, for other inputs, some with a known answer: what writes into its
 * neighbour's buffers is seen in one of them. */
static atx_rotation choose_second(atx_bench *bench, const atx_batch *b)
{
    const int sets = atx_bench_sets(bench);
    const atx_sets last = sets_of(bench, b->rotations[0], b->launches - 1);
    atx_rotation second = choose_rotation(bench, b);
    if (second.step == b->rotations[0].step) { /* from its other end */
        second.first = sets_of(bench, second, b->launches - 1).in;
        second.step = -second.step;
    }
    if (second.first == last.in)
        second.first = (second.first + 1) % sets;
    second.shift = (last.out - second.first + sets) % sets;
    return second;
}

static at_status record(atx_batch *b, int which, atx_gpu *gpu, atx_bench *bench, at_error *err)
{
    b->rotations[which] = which ? choose_second(bench, b) : choose_rotation(bench, b);
    ATX_TRY(atx_gpu_record_begin(gpu, err));
    at_status recorded = enqueue(bench, b, b->rotations[which], err);
    at_status status = atx_gpu_record_end(&b->graphs[which], gpu, recorded == AT_OK ? err : NULL);
    if (recorded != AT_OK || status != AT_OK)
        return recorded != AT_OK ? recorded : status;
    ATX_TRY(prepare(bench, b, b->rotations[which], 0, err));
    note(bench, b, b->rotations[which]);
    return atx_gpu_replay(gpu, b->graphs[which],
                          err); /* the first replay carries the graph's upload: not timed */
}

static int64_t launches_of(const graph_size *size, double launch_s)
{
    const double alone_s = launch_s - HOST_S;
    return alone_s < SHORT_S ? size->launches : (int64_t)ceil(size->seconds / alone_s);
}

/*
 * Chooses the number of launches for a launch of about `estimate_s`. A graph's launches are bound to their
 * buffers, so there are two of them, on different sets: what one leaves in outputs is no answer for the
 * other.
 */
at_status atx_batch_open(atx_batch *b, atx_gpu *gpu, atx_bench *bench, double estimate_s,
                         double graph_below_s, at_error *err)
{
    const int64_t sets = atx_bench_sets(bench), fewest = atx_bench_fewest_sets(bench);
    double launch_s = estimate_s > 1e-6 ? estimate_s : 1e-6;
    const int each = b->what->kernel ? atx_kernel_launches(b->what->kernel) : 1;
    b->launches = (int64_t)ceil(ATX_SAMPLE_S / launch_s);
    limit_launches(b, bench);
    b->sweeps = b->launches < fewest && atx_bench_can_sweep(bench);
    if (launch_s / each >= graph_below_s)
        return AT_OK;
    b->launches = launches_of(b->rough ? &ROUGH : &EXACT, launch_s);
    if (b->launches < fewest && !atx_bench_can_sweep(bench))
        b->launches = fewest;
    if (b->launches > MAX_BATCH / each)
        b->launches = MAX_BATCH / each > 0 ? MAX_BATCH / each : 1;
    limit_launches(b, bench);
    b->sweeps = b->launches < fewest && atx_bench_can_sweep(bench);
    at_status status = record(b, 0, gpu, bench, err);
    return status == AT_OK && sets > 1 ? record(b, 1, gpu, bench, err) : status;
}

void atx_batch_close(atx_batch *b, atx_gpu *gpu)
{
    for (int i = 0; i < 2; i++) {
        atx_gpu_drop(gpu, b->graphs[i]);
        b->graphs[i] = NULL;
    }
}

/* ---- samples ---- */

/* Of two graphs one that finds no answer, where there is one. */
static int choose_graph(atx_bench *bench, const atx_batch *b)
{
    if (!b->graphs[1])
        return 0;
    const int one = atx_bench_random(bench, 2);
    return finds_answers(bench, b, b->rotations[one]) ? !one : one;
}

/* So many launches of a batch, and one more ahead of them costs little. */
#define MANY_LAUNCHES 4

static int choose_ahead(atx_bench *bench, const atx_batch *b)
{
    const bool more = b->launches >= MANY_LAUNCHES && b->launches + 2 <= atx_bench_sets(bench);
    return has_lead(bench, b) ? 1 + (more ? atx_bench_random(bench, 2) : 0) : 0;
}

/* A launch of known answer, at random; of those on one set the last. -1: there is none. */
static int64_t choose_launch(atx_bench *bench, const atx_batch *b, atx_rotation rotation)
{
    const int64_t sets = atx_bench_sets(bench), first = b->launches > sets ? b->launches - sets : 0;
    const int64_t count = b->launches - first, from = atx_bench_random(bench, (int)count);
    for (int64_t i = 0; i < count && b->what->kernel; i++) {
        const int64_t launch = first + (from + i) % count;
        if (atx_bench_has_answer(bench, b->what, sets_of(bench, rotation, launch).in))
            return launch;
    }
    return -1;
}

/*
 * One launch goes ahead of the first event: on an idle device that event would be stamped at once, and the
 * microseconds until the host has submitted the next launch would be counted. Or two, at random: a kernel
 * that counts its launches does not know which of them it is. Before them, and so outside of what is timed,
 * sets are restored that a launch changes; where there is but one, restoring it or the sweep goes ahead. In a
 * search nothing goes ahead of a launch that takes milliseconds: it would take as long as the sample;
 * re-measurements are exact.
 */
static at_status begin_sample(atx_bench *bench, atx_batch *b, atx_rotation rotation, at_error *err)
{
    b->ahead = choose_ahead(bench, b);
    b->chosen = choose_launch(bench, b, rotation);
    at_status status = prepare(bench, b, rotation, b->ahead, err);
    if (status == AT_OK && b->sweeps)
        status = atx_bench_sweep(bench, err);
    if (status == AT_OK && b->poisons && b->chosen >= 0 && atx_bench_random(bench, 2))
        status = atx_bench_refresh(bench, sets_of(bench, rotation, b->chosen), err);
    for (int i = b->ahead; i > 0 && status == AT_OK; i--) {
        const atx_sets sets = sets_of(bench, rotation, -i);
        atx_bench_note(bench, b->what, sets);
        status = atx_bench_launch(bench, b->what, sets, err);
    }
    return status;
}

at_status atx_sample(double *seconds, atx_gpu *gpu, atx_bench *bench, atx_batch *b, at_error *err)
{
    double elapsed = 0;
    const int which = choose_graph(bench, b);
    const atx_rotation rotation = b->graphs[0] ? b->rotations[which] : choose_rotation(bench, b);
    at_status status = begin_sample(bench, b, rotation, err);
    ATX_THEN(status, atx_gpu_timer_start(gpu, err));
    ATX_THEN(status,
             b->graphs[0] ? atx_gpu_replay(gpu, b->graphs[which], err) : enqueue(bench, b, rotation, err));
    ATX_THEN(status, atx_gpu_timer_stop(gpu, err));
    note(bench, b, rotation);
    ATX_THEN(status, atx_gpu_timer_read(&elapsed, gpu, err));
    if (status == AT_OK)
        *seconds = elapsed / (double)b->launches;
    return status;
}

at_status atx_sample_check(atx_seen *out, atx_bench *bench, const atx_batch *b, bool thorough, at_error *err)
{
    *out = (atx_seen){ .right = true, .verdict = ATX_NO_VERDICT };
    if (b->chosen < 0)
        return AT_OK;
    ATX_TRY(atx_bench_compare(out, bench, b->what, sets_of(bench, b->last, b->chosen), thorough, err));
    if (!out->right) {
        out->verdict.launch -= b->launches - 1 - b->chosen;
        atx_seen_name_launch(out);
    }
    return AT_OK;
}

at_status atx_sample_reverify(atx_seen *seen, atx_gpu *gpu, atx_bench *bench, atx_batch *b, at_error *err)
{
    enum { CHANCES = 3 };
    atx_seen again = { .right = true };
    double seconds = 0;
    at_status status = atx_bench_renew(bench, err);
    ATX_THEN(status, atx_bench_fill_variables(bench, b->what, err));
    for (int i = 0; i < CHANCES && status == AT_OK && again.right; i++) {
        status = atx_sample(&seconds, gpu, bench, b, err);
        ATX_THEN(status, atx_sample_check(&again, bench, b, true, err));
    }
    if (status == AT_OK && again.right)
        *seen = again;
    else if (status == AT_OK)
        snprintf(seen->log + strlen(seen->log), sizeof seen->log - strlen(seen->log),
                 "; again on fresh buffers");
    return status;
}

static at_status measure_joules(double *joules, atx_gpu *gpu, atx_bench *bench, atx_batch *b,
                                const atx_nvml *scales, at_error *err)
{
    double moved_s = atx_now_s(), begun_s = 0, first = NAN, last = atx_nvml_joules(scales), seconds;
    int64_t launches = 0;
    for (;;) {
        at_status status = atx_sample(&seconds, gpu, bench, b, err);
        double now = atx_nvml_joules(scales), now_s = atx_now_s();
        if (status != AT_OK)
            return status;
        launches += b->launches + b->ahead;
        if (isnan(now) || (!(now > last) && now_s - moved_s > STILL_S))
            return atx_fail(err, AT_ERR_DEVICE, "NVML's energy counter %s",
                            isnan(now) ? "cannot be read any more" : "does not change");
        if (!(now > last))
            continue;
        last = now;
        moved_s = now_s;
        if (isnan(first)) {
            first = now;
            begun_s = now_s;
            launches = 0;
        } else if (now_s - begun_s >= ENERGY_S) {
            *joules = (now - first) / (double)launches;
            return AT_OK;
        }
    }
}

/* A sweep takes the energy of some fifty launches: more than it costs launches to find the L2 cold. */
at_status atx_measure_energy(double *joules, atx_gpu *gpu, atx_bench *bench, atx_batch *b,
                             const atx_nvml *scales, at_error *err)
{
    const bool sweeps = b->sweeps;
    b->sweeps = false;
    at_status status = measure_joules(joules, gpu, bench, b, scales, err);
    b->sweeps = sweeps;
    return status;
}

at_status atx_warm_up(atx_gpu *gpu, atx_bench *bench, double seconds, at_error *err)
{
    double now_s = atx_now_s(), until_s = now_s + seconds, risen_s = now_s, best_s = INFINITY;
    at_status status = AT_OK;
    for (int launches = 1; status == AT_OK && now_s < until_s && now_s - risen_s < WARM_STILL_S;) {
        double start_s = now_s;
        for (int i = 0; i < launches && status == AT_OK; i++)
            status = atx_bench_fill(bench, err);
        ATX_THEN(status, atx_gpu_wait(gpu, err));
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
