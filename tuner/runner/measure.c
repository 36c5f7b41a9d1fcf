/*
 * measure.c - a trial: verify (its launch is the first estimate), then up to MAX_SAMPLES batches; a
 * candidate whose median falls behind the best so far ends early.
 *
 * A re-measurement plays rounds: each top candidate once, in random order, so that drift of clocks and
 * temperature hits all alike. Rivals are compared within rounds, by the confidence interval of
 * their ratio to the best, until each is clearly slower or within TIE_WIDTH, or time is up. A round
 * in which the watch saw the device throttle is played again. A top candidate that the driver refuses is
 * left out from then on; its row says why.
 *
 * Invariant: `times` holds whole rounds only, of those that are not left out, and these have batches
 * of one length, so that what the gaps between launches cost is the same for each.
 */
#include "runner/measure.h"

#include "runner/sample.h"

#include "util/stats.h"
#include "util/clock.h"
#include "util/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMEASURE_GRAPH_BELOW_S                                                                              \
    200e-6 /* in a re-measurement these launches too go into a graph: it saves 1 us between them */

/*
 * The race. A launch this much slower than the best gets no more samples after the verified one, a long one
 * sooner, as nothing that happens once, such as loading the code, takes a third of it ...
 */
#define TOO_SLOW      2.5
#define TOO_SLOW_LONG 1.5
/* ... and one whose median so far is this much slower none after the first, the second, the fourth: in place
 * of the fourth, when two agree. */
#define SLOW_AFTER_1 1.5
#define SLOW_AFTER_2 1.25
#define SLOW_AFTER_4 1.06
/* Samples that agree so well are enough of them; others are more. */
#define AGREEMENT   0.005
#define FEW_SAMPLES 3
#define MAX_SAMPLES 7

#define LONG_S 1e-3 /* the host's 3 us before such a launch begins are lost in its noise */

#define FEWEST_ROUNDS  5  /* of a re-measurement that is slow, or cancelled */
#define MIN_ROUNDS     15 /* of any other                           */
#define MAX_ROUNDS     45
#define MAX_DISCARDED  50    /* rounds thrown away; after that the device is taken as it is */
#define ROUNDS_LIMIT_S 4.0   /* of device time for one re-measurement */
#define TIE_WIDTH      0.002 /* differences below this are not worth more rounds */
#define CANCEL_LIMIT_S 1.0   /* for the fewest rounds, once cancelled */

static bool agree(const double *samples, int count)
{
    double low = atx_quantile(samples, (size_t)count, 0.0), high = atx_quantile(samples, (size_t)count, 1.0);
    return count >= 2 && high - low <= AGREEMENT * high;
}

/* No more samples: there are enough, or more would not make it the best. */
static bool is_over(const double *samples, int count, double best_s)
{
    if (count == 0 || count >= MAX_SAMPLES)
        return count > 0;
    double slower = best_s > 0 ? atx_median(samples, (size_t)count) / best_s : 1.0;
    bool same = agree(samples, count);
    return slower > SLOW_AFTER_1 || (count >= 2 && slower > SLOW_AFTER_2) ||
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
    out->timing.median_s = atx_median(samples, (size_t)count);
    out->timing.spread = atx_spread(samples, (size_t)count);
    out->timing.min_s = atx_quantile(samples, (size_t)count, 0.0);
    out->timing.samples = count;
    out->saved_s =
        count < FEW_SAMPLES ? (double)(FEW_SAMPLES - count) * (double)launches * out->timing.median_s : 0;
}

/* A batch is at least one whole rotation for small problems; one of a too slow candidate would only cost
 * time. */
static at_status time_candidate(atx_measured *out, atx_gpu *gpu, atx_bench *bench, const atx_trial *trial,
                                const atx_module *module, double first_s, const atx_nvml *scales,
                                at_error *err)
{
    double samples[MAX_SAMPLES];
    int count = 0;
    uint64_t set = 1;
    atx_batch b = {
        .module = module, .kernel = &trial->kernel, .is_copy = trial->is_copy, .no_lead = first_s >= LONG_S
    };

    if (!scales && is_too_slow(first_s, trial->best_s)) {
        summarise(out, &first_s, 1, (int64_t)ceil(ATX_SAMPLE_S / first_s));
        return AT_OK;
    }
    at_status status = atx_batch_open(&b, gpu, bench, first_s, ATX_GRAPH_BELOW_S, err);
    while (status == AT_OK && !is_over(samples, count, trial->best_s)) {
        status = atx_sample(&samples[count], gpu, bench, &b, &set, err);
        count++;
    }
    if (status == AT_OK)
        summarise(out, samples, count, b.launches);
    if (status == AT_OK && scales && !trial->is_copy)
        status = atx_measure_energy(&out->timing.joules, gpu, bench, &b, &set, scales, err);
    atx_gpu_drop(gpu, b.graph);
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

/*
 * A wrong result may be the doing of an earlier kernel that wrote where no guard zone is. So a suspect gets
 * fresh buffers and must be right SECOND_CHANCES times in a row to be cleared; one that fails now and then
 * fails.
 */
#define SECOND_CHANCES 3

static at_status revalidate(atx_seen *verdict, atx_bench *bench, const atx_module *module,
                            const atx_kernel *kernel, bool is_copy, at_error *err)
{
    atx_seen again = { .right = true };
    at_status status = atx_bench_renew(bench, err);
    for (int i = 0; i < SECOND_CHANCES && status == AT_OK && again.right; i++)
        status = atx_bench_verify(&again, bench, module, kernel, is_copy, err);
    if (status == AT_OK && again.right)
        *verdict = again;
    else if (status == AT_OK)
        snprintf(verdict->log + strlen(verdict->log), sizeof verdict->log - strlen(verdict->log),
                 "; again on fresh buffers");
    return status;
}

at_status atx_measure_trial(atx_measured *out, atx_gpu *gpu, atx_bench *bench, const atx_trial *trial,
                            const atx_nvml *scales, at_error *err)
{
    atx_measured m = { .tag = trial->tag, .outcome = ATX_TIMED, .resources = ATX_RESOURCES_UNKNOWN };
    atx_module *module = NULL;
    atx_seen verdict = { 0 };
    at_error cause = { 0 };
    const atx_kernel *kernel = &trial->kernel;

    bench = atx_bench_for(bench, trial->is_copy);
    at_status status = atx_gpu_load_all(&module, gpu, kernel, &cause);
    if (status == AT_OK) {
        m.resources = atx_module_resources(module);
        status = atx_bench_verify(&verdict, bench, module, kernel, trial->is_copy, &cause);
    }
    if (status == AT_OK && !verdict.right)
        status = revalidate(&verdict, bench, module, kernel, trial->is_copy, &cause);
    if (status == AT_OK && !verdict.right) {
        m.outcome = ATX_WRONG_RESULT;
        snprintf(m.log, sizeof m.log, "%s", verdict.log);
    } else if (status == AT_OK) {
        status = time_candidate(&m, gpu, bench, trial, module, verdict.seconds, scales, &cause);
    }
    if (status != AT_OK)
        status = refused_or_lost(&m, gpu, status, &cause);
    atx_gpu_unload(gpu, module);
    *out = m;
    return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause.text);
}

/* The re-measurement: everything that is loaded and recorded for it. */
typedef struct remeasurement {
    atx_gpu *gpu;
    atx_bench *bench;
    const atx_top_candidate *list;
    int count;
    atx_remeasure_row *rows; /* of the list; one that is not ATX_TIMED is left out */
    atx_module *modules[ATX_MAX_TOP_CANDIDATES];
    atx_batch batches[ATX_MAX_TOP_CANDIDATES];
    double times[MAX_ROUNDS * ATX_MAX_TOP_CANDIDATES]; /* rows are rounds */
    int rounds;
    atx_watch *watch;
    const atx_remeasure_limits *limits;
    double cancelled_s; /* when it was; 0: not yet */
} remeasurement;

/* Where top candidate i runs. */
static atx_bench *bench_of(const remeasurement *f, int i)
{
    return atx_bench_for(f->bench, f->list[i].is_copy || f->list[i].is_memcpy);
}

/* Has the user lost patience, and is there enough, or no hope of it soon? */
static bool gives_up(remeasurement *f)
{
    if (f->cancelled_s <= 0 && f->limits->cancelled && f->limits->cancelled(f->limits->context))
        f->cancelled_s = atx_now_s();
    return f->cancelled_s > 0 &&
           (f->rounds >= FEWEST_ROUNDS || atx_now_s() - f->cancelled_s > CANCEL_LIMIT_S);
}

static at_status given_up(const remeasurement *f, at_error *err)
{
    if (f->rounds >= FEWEST_ROUNDS)
        return atx_fail(err, AT_ERR_CANCELLED, "while energy was measured");
    return atx_fail(err, AT_ERR_CANCELLED, "after %d of at least %d rounds", f->rounds, FEWEST_ROUNDS);
}

static bool takes_part(const remeasurement *f, int i)
{
    return f->rows[i].outcome == ATX_TIMED;
}

/*
 * A refusal of top candidate i that leaves the context as it was concerns that one alone: it is left out.
 * Where the reason may be another's, it fails the re-measurement, unless there is no other.
 */
static at_status left_out_or_lost(remeasurement *f, int i, at_status status, const at_error *cause,
                                  at_error *err)
{
    if (status != AT_ERR_DEVICE || f->list[i].is_memcpy || (f->count > 1 && atx_gpu_may_pass(f->gpu)) ||
        atx_gpu_is_lost(f->gpu))
        return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause->text);
    f->rows[i].outcome = ATX_LAUNCH_FAILED;
    snprintf(f->rows[i].log, sizeof f->rows[i].log, "%.*s", (int)sizeof f->rows[i].log - 1, cause->text);
    return AT_OK;
}

static at_status load_one(remeasurement *f, int i, at_error *err)
{
    const atx_kernel *k = &f->list[i].kernel;
    if (f->list[i].is_memcpy)
        return AT_OK;
    at_status status = atx_gpu_load_all(&f->modules[i], f->gpu, k, err);
    if (status == AT_OK)
        status = atx_bench_fill_variables(bench_of(f, i), f->modules[i], k, err);
    f->batches[i] = (atx_batch){ .module = f->modules[i], .kernel = k, .is_copy = f->list[i].is_copy };
    return status;
}

/* Three launches, the last of which is the estimate. */
static at_status estimate(remeasurement *f, int i, at_error *err)
{
    atx_batch once = f->batches[i];
    uint64_t set = 0;
    at_status status = AT_OK;
    once.launches = 1;
    for (int k = 0; k < 3 && status == AT_OK; k++)
        status = gives_up(f) ? given_up(f, err)
                             : atx_sample(&f->times[i], f->gpu, bench_of(f, i), &once, &set, err);
    return status;
}

static double fastest_estimate(const remeasurement *f)
{
    double fastest = INFINITY;
    for (int i = 0; i < f->count; i++)
        if (takes_part(f, i))
            fastest = fmin(fastest, f->times[i]);
    return fastest;
}

static at_status open_batch(remeasurement *f, int i, at_error *err)
{
    return atx_batch_open(&f->batches[i], f->gpu, bench_of(f, i), fastest_estimate(f),
                          REMEASURE_GRAPH_BELOW_S, err);
}

/* Does a step for each that takes part. */
static at_status for_each(remeasurement *f, at_status (*step)(remeasurement *f, int i, at_error *err),
                          at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < f->count && status == AT_OK; i++) {
        at_error cause = { 0 };
        if (gives_up(f))
            return given_up(f, err);
        if (takes_part(f, i))
            status = left_out_or_lost(f, i, step(f, i, &cause), &cause, err);
    }
    return status;
}

/* One batch length for all: gaps between launches then cost every top candidate the same. */
static at_status load_all(remeasurement *f, at_error *err)
{
    at_status status = for_each(f, load_one, err);
    if (status == AT_OK)
        status = for_each(f, estimate, err);
    return status == AT_OK ? for_each(f, open_batch, err) : status;
}

static void shuffle(int *order, int count, atx_rng *rng)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)atx_rng_below(rng, (uint64_t)i + 1), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
}

/* A round that is left counts for nothing. */
static at_status play_round(remeasurement *f, atx_rng *rng, uint64_t *set, at_error *err)
{
    int order[ATX_MAX_TOP_CANDIDATES];
    at_status status = AT_OK;
    for (int i = 0; i < f->count; i++)
        order[i] = i;
    shuffle(order, f->count, rng);
    for (int i = 0; i < f->count && status == AT_OK; i++) {
        const int k = order[i];
        at_error cause = { 0 };
        if (gives_up(f))
            return AT_OK;
        if (!takes_part(f, k))
            continue;
        status = atx_sample(&f->times[f->rounds * f->count + k], f->gpu, bench_of(f, k), &f->batches[k], set,
                            &cause);
        status = left_out_or_lost(f, k, status, &cause, err);
    }
    f->rounds++;
    if (status == AT_OK && f->watch->discarded < MAX_DISCARDED && atx_watch_disturbed(f->watch))
        f->rounds--;
    return status;
}

static double column_median(const remeasurement *f, int i)
{
    double column[MAX_ROUNDS];
    for (int r = 0; r < f->rounds; r++)
        column[r] = f->times[r * f->count + i];
    return atx_median(column, (size_t)f->rounds);
}

/* A kernel of the op itself, right so far. */
static bool is_rival(const remeasurement *f, int i)
{
    return takes_part(f, i) && !f->list[i].is_copy && !f->list[i].is_memcpy;
}

/* -1: there is none. */
static int best_of(const remeasurement *f)
{
    int best = -1;
    for (int i = 0; i < f->count; i++)
        if (is_rival(f, i) && (best < 0 || column_median(f, i) < column_median(f, best)))
            best = i;
    return best;
}

static atx_pair against(const remeasurement *f, int i, int best)
{
    return atx_compare_pairs(f->times, (size_t)f->rounds, (size_t)f->count, (size_t)i, (size_t)best);
}

/* Each rival is either clearly slower than the best, or so close that more rounds would not matter. */
static bool converged(const remeasurement *f)
{
    int best = best_of(f);
    for (int i = 0; i < f->count; i++) {
        if (i == best || !is_rival(f, i))
            continue;
        atx_pair pair = against(f, i, best);
        if (pair.low <= 1.0 && pair.high - pair.low > TIE_WIDTH)
            return false;
    }
    return true;
}

static bool wants_more(const remeasurement *f, double until_s)
{
    double now_s = atx_now_s();
    if (f->rounds < FEWEST_ROUNDS)
        return true;
    if (f->rounds >= MAX_ROUNDS || now_s >= until_s)
        return false;
    if (f->rounds < MIN_ROUNDS)
        return true;
    bool in_time = f->limits->budget_until_s <= 0 || now_s < f->limits->budget_until_s;
    return in_time && (f->rounds % 5 != 0 || !converged(f));
}

static at_status play(remeasurement *f, uint64_t seed, at_error *err)
{
    atx_rng rng = { seed };
    uint64_t set = 0;
    double until_s = atx_now_s() + ROUNDS_LIMIT_S;
    at_status status = AT_OK;
    while (status == AT_OK && wants_more(f, until_s) && !gives_up(f))
        status = play_round(f, &rng, &set, err);
    return status == AT_OK && f->rounds < FEWEST_ROUNDS ? given_up(f, err) : status;
}

static void remeasure_rows(remeasurement *f)
{
    for (int i = 0; i < f->count; i++) {
        double column[MAX_ROUNDS];
        if (!takes_part(f, i))
            continue;
        for (int r = 0; r < f->rounds; r++)
            column[r] = f->times[r * f->count + i];
        f->rows[i].timing = (atx_timing){ .median_s = atx_median(column, (size_t)f->rounds),
                                          .min_s = atx_quantile(column, (size_t)f->rounds, 0.0),
                                          .spread = atx_spread(column, (size_t)f->rounds),
                                          .samples = f->rounds };
    }
}

/* With the best of those that are right. */
static void find_ties(remeasurement *f)
{
    int best = best_of(f);
    for (int i = 0; i < f->count; i++)
        f->rows[i].tied = best >= 0 && i != best && is_rival(f, i) && against(f, i, best).low <= 1.0;
}

/* What is not an entrant of the op itself is compared by time alone. */
static at_status measure_energy_of(remeasurement *f, int i, at_error *err)
{
    uint64_t set = 0;
    if (!is_rival(f, i))
        return AT_OK;
    return atx_measure_energy(&f->rows[i].timing.joules, f->gpu, bench_of(f, i), &f->batches[i], &set,
                              f->limits->scales, err);
}

/* Fast because wrong must not win: once more, after the timing. */
static at_status verify_one(remeasurement *f, int i, at_error *err)
{
    atx_seen verdict = { .right = true };
    atx_remeasure_row *row = &f->rows[i];
    const atx_top_candidate *it = &f->list[i];
    if (it->is_memcpy)
        return AT_OK;
    at_status status =
        atx_bench_verify(&verdict, bench_of(f, i), f->modules[i], &it->kernel, it->is_copy, err);
    if (status == AT_OK && !verdict.right)
        status = revalidate(&verdict, bench_of(f, i), f->modules[i], &it->kernel, it->is_copy, err);
    if (status == AT_OK && !verdict.right) {
        row->outcome = ATX_WRONG_RESULT;
        snprintf(row->log, sizeof row->log, "%.*s", (int)sizeof row->log - 1, verdict.log);
    }
    return status;
}

/* Also of a re-measurement that is cancelled: what has been timed is not left without a check. */
static at_status verify_again(remeasurement *f, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < f->count && status == AT_OK; i++) {
        at_error cause = { 0 };
        if (takes_part(f, i))
            status = left_out_or_lost(f, i, verify_one(f, i, &cause), &cause, err);
    }
    return status;
}

at_status atx_remeasure(atx_remeasure_row *rows, atx_gpu *gpu, atx_bench *bench,
                        const atx_top_candidate *list, int count, uint64_t seed, atx_watch *watch,
                        const atx_remeasure_limits *limits, at_error *err)
{
    remeasurement *f = calloc(1, sizeof *f);
    if (!f)
        return atx_no_memory(err);
    f->gpu = gpu;
    f->bench = bench;
    f->list = list;
    f->count = count;
    f->rows = rows;
    f->watch = watch;
    f->limits = limits;
    for (int i = 0; i < count; i++)
        rows[i] = (atx_remeasure_row){ .outcome = ATX_TIMED };
    at_status status = load_all(f, err);
    if (status == AT_OK)
        status = play(f, seed, err);
    if (status == AT_OK)
        remeasure_rows(f);
    if (status == AT_OK && limits->scales)
        status = for_each(f, measure_energy_of, err);
    if (status == AT_OK)
        status = verify_again(f, err);
    if (status == AT_OK)
        find_ties(f);
    for (int i = 0; i < count; i++) {
        atx_gpu_drop(gpu, f->batches[i].graph);
        atx_gpu_unload(gpu, f->modules[i]);
    }
    free(f);
    return status;
}
