/*
 * remeasure.c - the fastest candidates timed once more. Rounds: each top candidate once, in random order, so
 * that drift of clocks and temperature hits all alike. Rivals are compared within rounds, by the confidence
 * interval of their ratio to the best, until each is clearly slower or within TIE_WIDTH, or time is up. A
 * round in which the watch saw the device throttle is measured again. A top candidate that the driver
 * refuses, or that is wrong, is left out from then on; its row says why.
 *
 * A kernel that is faster than the fastest plain copy can explain is not believed at once: more of its timed
 * launches are checked.
 *
 * Invariant: `times` holds whole rounds only, of those that are not left out, and these have batches
 * of one length, so that what the gaps between launches cost is the same for each.
 */
#include "runner/measure.h"

#include "runner/cubin_state.h"

#include "util/stats.h"
#include "util/clock.h"
#include "util/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REMEASURE_GRAPH_BELOW_S                                                                              \
    200e-6 /* in a re-measurement these launches too go into a graph: it saves 1 us between them */

#define FEWEST_ROUNDS  5  /* of a re-measurement that is slow, or cancelled */
#define MIN_ROUNDS     15 /* of any other                           */
#define MAX_ROUNDS     45
#define MAX_DISCARDED  50    /* rounds thrown away; after that the device is taken as it is */
#define ROUNDS_LIMIT_S 4.0   /* of device time for one re-measurement */
#define TIE_WIDTH      0.002 /* differences below this are not worth more rounds */
#define CANCEL_LIMIT_S 1.0   /* for the fewest rounds, once cancelled */

/* After each sample one launch is checked; where that takes as long as a good part of the sample, after one
 * of two samples or of three; and after the last. By the launches of a sample. */
static const struct {
    int64_t below;
    int each;
} CHECKS[] = { { 4, 3 }, { 16, 2 }, { INT64_MAX, 1 } };

/* Faster than a copy by so much: so many more samples are made, and checked. */
#define ABOVE_CEILING 1.05
#define MORE_CHECKS   12

/* Everything that is loaded and recorded for it. */
typedef struct remeasurement {
    const atx_remeasure_means *by;
    const atx_remeasure_request *asked;
    int count;
    atx_remeasure_row *rows; /* of the list; one that is not ATX_TIMED is left out */
    atx_module *modules[ATX_MAX_TOP_CANDIDATES];
    atx_loaded loaded[ATX_MAX_TOP_CANDIDATES];
    atx_batch batches[ATX_MAX_TOP_CANDIDATES];
    double times[MAX_ROUNDS * ATX_MAX_TOP_CANDIDATES]; /* rows are rounds */
    int rounds;
    double cancelled_s; /* when it was; 0: not yet */
} remeasurement;

/* Where top candidate i runs. */
static atx_bench *bench_of(const remeasurement *f, int i)
{
    return atx_bench_for(f->by->bench, f->asked->list[i].is_copy || f->asked->list[i].is_memcpy);
}

/* Does the user want it to end, and is there enough, or too little to come to it soon? */
static bool gives_up(remeasurement *f)
{
    if (f->cancelled_s <= 0 && f->by->cancelled && f->by->cancelled(f->by->context))
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
    if (status != AT_ERR_DEVICE || f->asked->list[i].is_memcpy ||
        (f->count > 1 && atx_gpu_may_pass(f->by->gpu)) || atx_gpu_is_lost(f->by->gpu))
        return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause->text);
    f->rows[i].outcome = ATX_LAUNCH_FAILED;
    snprintf(f->rows[i].log, sizeof f->rows[i].log, "%.*s", (int)sizeof f->rows[i].log - 1, cause->text);
    return AT_OK;
}

/* The findings of a check of top candidate i. */
static void keep_seen(remeasurement *f, int i, const atx_seen *seen)
{
    atx_remeasure_row *row = &f->rows[i];
    const bool above = row->verdict.above_ceiling;
    row->verdict = seen->verdict;
    row->verdict.above_ceiling = above;
    row->verdict.checked = f->loaded[i].checked;
    if (seen->right)
        return;
    row->outcome = row->verdict.outcome = ATX_WRONG_RESULT;
    snprintf(row->log, sizeof row->log, "%.*s", (int)sizeof row->log - 1, seen->log);
}

/* Verified, with a module of its own, before it is timed. */
static at_status load_one(remeasurement *f, int i, at_error *err)
{
    const atx_top_candidate *it = &f->asked->list[i];
    atx_loaded *what = &f->loaded[i];
    atx_seen seen = { .right = true };
    *what =
        (atx_loaded){ .kernel = it->is_memcpy ? NULL : &it->kernel, .is_copy = it->is_copy || it->is_memcpy };
    f->batches[i] = (atx_batch){ .what = what, .poisons = true };
    if (it->is_memcpy)
        return AT_OK;
    at_status status = atx_gpu_load_all(&f->modules[i], f->by->gpu, &it->kernel, err);
    what->module = f->modules[i];
    ATX_THEN(status, atx_measure_verify(&seen, bench_of(f, i), what, err));
    if (status == AT_OK)
        keep_seen(f, i, &seen);
    return status;
}

/* After buffers were renewed: a kernel that writes its variables is loaded again, with the values that it
 * begins with, and its checked launches count no more. Others have valid variables: inputs are the same. */
static at_status forget_launches(remeasurement *f, int i, at_error *err)
{
    const atx_kernel *k = &f->asked->list[i].kernel;
    atx_loaded *what = &f->loaded[i];
    if (!what->kernel || !atx_cubin_has_state(k->cubin, k->cubin_len))
        return AT_OK;
    atx_gpu_unload(f->by->gpu, f->modules[i]);
    f->modules[i] = NULL;
    at_status status = atx_gpu_load_all(&f->modules[i], f->by->gpu, k, err);
    what->module = f->modules[i];
    what->launches = 0;
    return status == AT_OK ? atx_bench_fill_variables(bench_of(f, i), what, err) : status;
}

/* A launch of the last sample of top candidate i. */
static at_status check_one(remeasurement *f, int i, bool thorough, at_error *err)
{
    atx_seen seen = { .right = true };
    if (!f->loaded[i].kernel)
        return AT_OK;
    ATX_TRY(atx_measure_check(&seen, f->by->gpu, bench_of(f, i), &f->batches[i], thorough, err));
    keep_seen(f, i, &seen);
    return AT_OK;
}

/* Three launches, the last of which is the estimate. */
static at_status estimate(remeasurement *f, int i, at_error *err)
{
    atx_batch once = f->batches[i];
    once.launches = 1;
    for (int k = 0; k < 3; k++)
        ATX_TRY(gives_up(f) ? given_up(f, err)
                            : atx_sample(&f->times[i], f->by->gpu, bench_of(f, i), &once, err));
    return AT_OK;
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
    return atx_batch_open(&f->batches[i], f->by->gpu, bench_of(f, i), fastest_estimate(f),
                          REMEASURE_GRAPH_BELOW_S, err);
}

/* Does a step for each that takes part. */
static at_status for_each(remeasurement *f, at_status (*step)(remeasurement *f, int i, at_error *err),
                          at_error *err)
{
    for (int i = 0; i < f->count; i++) {
        at_error cause = { 0 };
        if (gives_up(f))
            return given_up(f, err);
        if (takes_part(f, i))
            ATX_TRY(left_out_or_lost(f, i, step(f, i, &cause), &cause, err));
    }
    return AT_OK;
}

/* One batch length for all: gaps between launches then cost every top candidate the same. */
static at_status load_all(remeasurement *f, at_error *err)
{
    ATX_TRY(for_each(f, load_one, err));
    ATX_TRY(for_each(f, forget_launches, err));
    ATX_TRY(for_each(f, estimate, err));
    return for_each(f, open_batch, err);
}

static void shuffle(int *order, int count, atx_rng *rng)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)atx_rng_below(rng, (uint64_t)i + 1), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
}

static bool is_to_be_checked(const remeasurement *f, int i)
{
    int k = 0;
    while (f->batches[i].launches >= CHECKS[k].below)
        k++;
    return atx_bench_random(bench_of(f, i), CHECKS[k].each) == 0;
}

static at_status sample_one(remeasurement *f, int i, at_error *err)
{
    double *seconds = &f->times[f->rounds * f->count + i];
    at_status status = atx_sample(seconds, f->by->gpu, bench_of(f, i), &f->batches[i], err);
    return status == AT_OK && is_to_be_checked(f, i) ? check_one(f, i, false, err) : status;
}

/* A round that is left counts for nothing. */
static at_status measure_round(remeasurement *f, atx_rng *rng, at_error *err)
{
    int order[ATX_MAX_TOP_CANDIDATES];
    at_status status = AT_OK;
    for (int i = 0; i < f->count; i++)
        order[i] = i;
    shuffle(order, f->count, rng);
    for (int i = 0; i < f->count && status == AT_OK; i++) {
        at_error cause = { 0 };
        if (gives_up(f))
            return AT_OK;
        if (takes_part(f, order[i]))
            status = left_out_or_lost(f, order[i], sample_one(f, order[i], &cause), &cause, err);
    }
    f->rounds++;
    if (status == AT_OK && f->by->watch->discarded < MAX_DISCARDED && atx_watch_disturbed(f->by->watch))
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
    return takes_part(f, i) && !f->asked->list[i].is_copy && !f->asked->list[i].is_memcpy;
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
    bool in_time = f->asked->budget_until_s <= 0 || now_s < f->asked->budget_until_s;
    return in_time && (f->rounds % 5 != 0 || !converged(f));
}

static at_status measure_rounds(remeasurement *f, at_error *err)
{
    atx_rng rng = { f->asked->seed };
    double until_s = atx_now_s() + ROUNDS_LIMIT_S;
    at_status status = AT_OK;
    while (status == AT_OK && wants_more(f, until_s) && !gives_up(f))
        status = measure_round(f, &rng, err);
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

/* Entrants that are not of the op itself are compared by time alone. */
static at_status measure_energy_of(remeasurement *f, int i, at_error *err)
{
    if (!is_rival(f, i))
        return AT_OK;
    return atx_measure_energy(&f->rows[i].timing.joules, f->by->gpu, bench_of(f, i), &f->batches[i],
                              f->by->scales, err);
}

/* The fastest copy's time; 0: there is none. */
static double fastest_copy_s(const remeasurement *f)
{
    double fastest = INFINITY;
    for (int i = 0; i < f->count; i++)
        if (takes_part(f, i) && !is_rival(f, i))
            fastest = fmin(fastest, f->rows[i].timing.median_s);
    return isfinite(fastest) ? fastest : 0;
}

/* One more sample, and a launch of it checked. */
static at_status sample_and_check(remeasurement *f, int i, at_error *err)
{
    double seconds = 0;
    ATX_TRY(atx_sample(&seconds, f->by->gpu, bench_of(f, i), &f->batches[i], err));
    return check_one(f, i, true, err);
}

/* A kernel that is fast because it is wrong must not win: the last timed launch is checked again. */
static at_status check_last(remeasurement *f, int i, at_error *err)
{
    int checks = 1;
    if (is_rival(f, i) && !atx_bench_is_warm(f->by->bench) &&
        f->rows[i].timing.median_s * ABOVE_CEILING < fastest_copy_s(f)) {
        f->rows[i].verdict.above_ceiling = true;
        checks += MORE_CHECKS;
    }
    for (int k = 0; k < checks && takes_part(f, i); k++)
        ATX_TRY(sample_and_check(f, i, err));
    return AT_OK;
}

/* Also where the re-measurement is cancelled: timed kernels are still checked. */
static at_status check_all(remeasurement *f, at_error *err)
{
    for (int i = 0; i < f->count; i++) {
        at_error cause = { 0 };
        if (takes_part(f, i))
            ATX_TRY(left_out_or_lost(f, i, check_last(f, i, &cause), &cause, err));
    }
    return AT_OK;
}

static at_status measure_all(remeasurement *f, at_error *err)
{
    ATX_TRY(atx_bench_move(f->by->bench, err));
    ATX_TRY(load_all(f, err));
    ATX_TRY(measure_rounds(f, err));
    remeasure_rows(f);
    if (f->by->scales)
        ATX_TRY(for_each(f, measure_energy_of, err));
    ATX_TRY(check_all(f, err));
    find_ties(f);
    return AT_OK;
}

at_status atx_remeasure(atx_remeasure_row *rows, const atx_remeasure_means *means,
                        const atx_remeasure_request *request, at_error *err)
{
    ATX_FREED remeasurement *f = calloc(1, sizeof *f);
    if (!f)
        return atx_no_memory(err);
    f->by = means;
    f->asked = request;
    f->count = request->count;
    f->rows = rows;
    for (int i = 0; i < f->count; i++)
        rows[i] = (atx_remeasure_row){ .outcome = ATX_TIMED, .verdict = ATX_NO_VERDICT };
    at_status status = measure_all(f, err);
    for (int i = 0; i < f->count; i++) {
        atx_batch_close(&f->batches[i], means->gpu);
        atx_gpu_unload(means->gpu, f->modules[i]);
    }
    return status;
}
