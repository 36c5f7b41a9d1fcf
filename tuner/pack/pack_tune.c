/*
 * pack_tune.c - a table of losses, problem by problem, from the devices. Kernels are compiled once, by the
 * workers of the first device; then each device has a thread, which takes the next problem as long as there
 * is time. What the model expects of problems that were not reached is corrected by that (pack_correct.c).
 */
#include "pack/pack_tune.h"

#include "pack/pack_bench.h"
#include "util/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 16, LEAST_LEARNED = ATX_MIN_TRAINING_SAMPLES + 2 };

struct atx_pack_tuner {
    const atx_catalog *catalog;
    const atx_tune_options *options;
    atx_pack_bench *benches[MOST_DEVICES];
    int count;
    double begun_s, seconds; /* begun: with the first measurement; 0: not yet */
};

static bool is_cancelled(const atx_pack_tuner *t)
{
    return t->options->cancel && *t->options->cancel;
}

/* ---- the devices ---- */

static at_status count_devices(int *out, const atx_tune_options *o, at_error *err)
{
    atx_cancel cancel = { .flag = o->cancel };
    *out = o->device_count;
    at_status status = o->device_count ? AT_OK : atx_device_count(out, &cancel, err);
    *out = *out > MOST_DEVICES ? MOST_DEVICES : *out;
    if (status == AT_OK && *out < 1)
        status = atx_fail(err, AT_ERR_DEVICE, "found no CUDA device; expected one that measures");
    return status;
}

/* Those of another model do not take part. */
static void keep_one_model(atx_pack_tuner *t)
{
    int kept = 1;
    for (int i = 1; i < t->count; i++)
        if (strcmp(atx_pack_bench_device(t->benches[i])->name, atx_pack_bench_device(t->benches[0])->name) ==
            0)
            t->benches[kept++] = t->benches[i];
        else
            atx_pack_bench_close(t->benches[i]);
    t->count = kept;
}

at_status atx_pack_tuner_open(atx_pack_tuner **out, const atx_catalog *catalog,
                              const atx_tune_options *options, double seconds, at_error *err)
{
    int count = 0;
    atx_pack_tuner *t = calloc(1, sizeof *t);
    *out = t;
    if (!t)
        return atx_no_memory(err);
    t->catalog = catalog;
    t->options = options;
    at_status status = count_devices(&count, options, err);
    const int cores = options->jobs > 0 ? options->jobs : atx_pool_cores();
    for (; t->count < count && status == AT_OK; t->count++) {
        char number[16];
        snprintf(number, sizeof number, "%d", t->count);
        status = atx_pack_bench_start(&t->benches[t->count], catalog, options,
                                      options->device_count ? options->devices[t->count] : number,
                                      t->count || cores < count ? (cores + count - 1) / count : cores, err);
    }
    for (int i = 0; i < t->count && status == AT_OK; i++)
        status = atx_pack_bench_await(t->benches[i], err);
    if (status == AT_OK)
        keep_one_model(t);
    t->seconds = seconds;
    return status;
}

void atx_pack_tuner_close(atx_pack_tuner *t)
{
    for (int i = 0; t && i < t->count; i++)
        atx_pack_bench_close(t->benches[i]);
    free(t);
}

const atx_device_info *atx_pack_tuner_device(const atx_pack_tuner *t)
{
    return atx_pack_bench_device(t->benches[0]);
}

/* ---- the table ---- */

/* What the devices' threads share. */
typedef struct work {
    atx_pack_tuner *tuner;
    const atx_pack_table *table;
    atx_pack_entry *entries;
    bool tune; /* atx_pack_entries */
    double until_s;
    int least;            /* problems, also when the time is over */
    pthread_mutex_t lock; /* of the members below */
    int next;
    at_status status;
    at_error err;
} work;

typedef struct worker {
    work *w;
    atx_pack_bench *bench;
    pthread_t thread;
    bool started;
} worker;

static int draw(work *w)
{
    pthread_mutex_lock(&w->lock);
    const bool more = w->status == AT_OK && w->next < w->table->problems &&
                      (atx_now_s() < w->until_s || w->next < w->least) && !is_cancelled(w->tuner);
    const int place = more ? w->next++ : -1;
    pthread_mutex_unlock(&w->lock);
    return place;
}

/* However slow: it is valid. */
static float loss_of(double kernel_s, double best_s)
{
    const float loss = (float)(kernel_s / best_s - 1);
    return loss < 0.99F * ATX_PACK_INVALID ? loss : 0.99F * ATX_PACK_INVALID;
}

/* A row of the table; a kernel that was wrong is so for all problems. The store may know more than is wanted.
 */
static void take_row(work *w, int place, double best_s, const double *kernel_s)
{
    const atx_pack_table *t = w->table;
    float *row = t->losses + (size_t)place * (size_t)t->count;
    bool *wanted = t->wanted ? t->wanted + (size_t)place * (size_t)t->count : NULL;
    pthread_mutex_lock(&w->lock);
    t->measured[place] = best_s > 0;
    for (int k = 0; k < t->count; k++) {
        if (kernel_s[k] < 0)
            w->entries[k].wrong = true;
        if (best_s <= 0 || kernel_s[k] == 0)
            continue;
        row[k] = kernel_s[k] < 0 ? ATX_PACK_INVALID : loss_of(kernel_s[k], best_s);
        if (wanted)
            wanted[k] = true;
    }
    pthread_mutex_unlock(&w->lock);
}

static const bool *wanted_of(const atx_pack_table *t, int problem)
{
    return t->wanted ? t->wanted + (size_t)problem * (size_t)t->count : NULL;
}

static void *work_main(void *context)
{
    worker *me = context;
    work *w = me->w;
    at_error err = { 0 };
    double best_s, *kernel_s = malloc(((size_t)w->table->count + 1) * sizeof *kernel_s);
    at_status status = kernel_s ? AT_OK : atx_no_memory(&err);
    for (int place; kernel_s && status == AT_OK && (place = draw(w)) >= 0;) {
        const atx_pack_entries entries = { w->entries, wanted_of(w->table, place), w->table->count, w->tune };
        status = atx_pack_bench_run(me->bench, &best_s, kernel_s, &w->table->samples[place].problem, &entries,
                                    &err);
        if (status == AT_OK)
            take_row(w, place, best_s, kernel_s);
    }
    pthread_mutex_lock(&w->lock);
    if (w->status == AT_OK && status != AT_OK) {
        w->status = status;
        w->err = err;
    }
    pthread_mutex_unlock(&w->lock);
    free(kernel_s);
    return NULL;
}

static at_status run_workers(work *w, at_error *err)
{
    worker workers[MOST_DEVICES] = { 0 };
    atx_pack_tuner *t = w->tuner;
    pthread_mutex_init(&w->lock, NULL);
    for (int i = 0; i < t->count; i++) {
        workers[i] = (worker){ .w = w, .bench = t->benches[i] };
        workers[i].started = pthread_create(&workers[i].thread, NULL, work_main, &workers[i]) == 0;
    }
    for (int i = 0; i < t->count; i++)
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&w->lock);
    if (w->status != AT_OK)
        return atx_fail(err, w->status, "%s", w->err.text);
    return workers[0].started ? AT_OK : atx_fail(err, AT_ERR_SYSTEM, "a thread could not be started");
}

/* No pack may have a kernel that was wrong anywhere. */
static void strike_wrong(const atx_pack_table *t, const atx_pack_entry *entries)
{
    for (int k = 0; k < t->count && t->wrong; k++)
        t->wrong[k] = t->wrong[k] || entries[k].wrong;
    for (int k = 0; k < t->count; k++)
        for (int p = 0; p < t->problems && entries[k].wrong; p++)
            t->losses[(size_t)p * (size_t)t->count + (size_t)k] = ATX_PACK_INVALID;
}

/* What was not measured. */
static bool correct(const atx_pack_table *t, const atx_pack_corrections *corrections, const float *expected)
{
    float *row = malloc(((size_t)t->count + 1) * sizeof *row);
    bool good = row != NULL;
    for (int p = 0; good && p < t->problems; p++) {
        const size_t first = (size_t)p * (size_t)t->count;
        memcpy(row, expected + first, (size_t)t->count * sizeof *row);
        good = atx_pack_correct(row, corrections, &t->samples[p]);
        for (int k = 0; good && k < t->count; k++)
            if (t->losses[first + (size_t)k] < ATX_PACK_INVALID &&
                !(t->measured[p] && (!t->wanted || t->wanted[first + (size_t)k])))
                t->losses[first + (size_t)k] = row[k];
    }
    free(row);
    return good;
}

static at_status check_cancelled(const atx_pack_tuner *t, at_error *err)
{
    return !is_cancelled(t)
               ? AT_OK
               : atx_fail(
                     err, AT_ERR_CANCELLED,
                     "interrupted; what was measured is kept in %s, and the same command goes on with it",
                     t->options->db_path);
}

static at_status run(work *w, double share, at_error *err)
{
    atx_pack_tuner *t = w->tuner;
    t->begun_s = t->begun_s > 0 ? t->begun_s : atx_now_s();
    w->until_s = t->begun_s + share * t->seconds;
    const at_status status = run_workers(w, err);
    return status == AT_OK ? check_cancelled(t, err) : status;
}

/* All losses of the table are those that are expected. */
static at_status measure(work *w, double share, at_error *err)
{
    const atx_pack_table *t = w->table;
    atx_pack_corrections *corrections = NULL;
    const size_t bytes = (size_t)t->problems * (size_t)t->count * sizeof *t->losses;
    float *expected = malloc(bytes + 1);
    if (!expected)
        return atx_no_memory(err);
    memcpy(expected, t->losses, bytes);
    at_status status = atx_pack_bench_compile(w->tuner->benches[0], w->entries, t->count, err);
    ATX_THEN(status, run(w, share, err));
    if (status == AT_OK) {
        strike_wrong(t, w->entries);
        status = atx_pack_corrections_make(&corrections, t, expected, err);
    }
    if (status == AT_OK && !correct(t, corrections, expected))
        status = atx_no_memory(err);
    atx_pack_corrections_close(corrections);
    free(expected);
    return status;
}

int atx_pack_forget_measured(bool *measured, int problems)
{
    int drawn = 0;
    for (int p = 0; p < problems; p++) {
        drawn = measured[p] ? p + 1 : drawn;
        measured[p] = false;
    }
    return drawn;
}

at_status atx_pack_tuner_measure(atx_pack_tuner *t, const atx_pack_table *table, double share, at_error *err)
{
    work w = { .tuner = t,
               .table = table,
               .tune = table->tuned,
               .least = atx_pack_forget_measured(table->measured, table->problems) };
    w.entries = calloc((size_t)table->count + 1, sizeof *w.entries);
    if (!w.entries)
        return atx_no_memory(err);
    for (int k = 0; k < table->count; k++)
        w.entries[k].kernel = table->kernels[k];
    const at_status status = measure(&w, share, err);
    for (int k = 0; k < table->count; k++)
        atx_build_clear(&w.entries[k].build);
    free(w.entries);
    return status;
}

/* ---- an operation that no model knows ---- */

static at_status learn(atx_pack_learned *out, const atx_pack_tuner *t, const atx_op *op, at_error *err)
{
    const atx_device_info *info = atx_pack_tuner_device(t);
    const atx_gpu_model device = { .name = info->name, .cc = info->limits.cc, .sms = info->limits.sms };
    atx_cancel cancel = { .flag = t->options->cancel };
    atx_store *store = NULL;
    bool own = false;
    at_status status = atx_store_open(&store, t->options->db_path, ATX_STORE_READ, err);
    ATX_THEN(status, atx_model_learn(&out->model, t->catalog, &(atx_training_data){ &store, 1, NULL, 0 },
                                     &cancel, err));
    if (status == AT_OK && !out->model)
        status = atx_fail(
            err, AT_ERR_NOT_FOUND,
            "%s: found too few trials of %s; expected at least 100, of at least %d problems: more time",
            t->options->db_path, op->name, ATX_MIN_TRAINING_SAMPLES);
    ATX_THEN(status, atx_predictor_open(&out->predictor, out->model, t->catalog, op, &device, &own, err));
    atx_store_close(store);
    return status;
}

static bool is_same_problem(const atx_problem *a, const atx_problem *b)
{
    bool same = true;
    for (int i = 0; i < atx_problem_first_align(a->op) + a->op->shape.align_count; i++)
        same = same && a->dims[i] == b->dims[i];
    return same;
}

/* Each problem once; returns how many. */
static int take_distinct(atx_pack_sample *out, const atx_pack_sample *samples, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        int same = 0;
        while (same < n && !is_same_problem(&out[same].problem, &samples[i].problem))
            same++;
        if (same == n)
            out[n++] = samples[i];
    }
    return n;
}

at_status atx_pack_tuner_learn(atx_pack_learned *out, atx_pack_tuner *t, const atx_pack_sample *samples,
                               int count, double share, at_error *err)
{
    bool *measured = calloc((size_t)count + 1, sizeof *measured);
    atx_pack_sample *distinct = malloc(((size_t)count + 1) * sizeof *distinct);
    const atx_pack_table table = { .samples = distinct,
                                   .measured = measured,
                                   .problems = distinct ? take_distinct(distinct, samples, count) : 0 };
    work w = { .tuner = t, .table = &table, .tune = true, .least = LEAST_LEARNED };
    at_status status = measured && distinct ? run(&w, share, err) : atx_no_memory(err);
    ATX_THEN(status, learn(out, t, samples[0].problem.op, err));
    free(distinct);
    free(measured);
    return status;
}

void atx_pack_learned_clear(atx_pack_learned *learned)
{
    atx_predictor_close(learned->predictor);
    atx_model_close(learned->model);
}
