/*
 * bench_scale.c - what 1 to 1,024 GPUs make of a list of problems, or of one large space, by simulation.
 *
 * The strategies are the real ones, and the processor time that they take is measured while they run. Time is
 * simulated: what becomes of a trial is recorded (or made up, --made-up), how long it takes is modelled by
 * device/pace.h, and GPUs are handed out as tune/ does it: problems first, then places in the searches of
 * others, each after it has opened the problem.
 *
 * A problem has a thread, which proposes for all of its GPUs; all problems share one supervisor, which every
 * trial keeps busy for a moment: it takes what was measured and stores it. Events are handled in the order of
 * their times; a handler may take a thread or the supervisor beyond the time of the next event, which then
 * waits for it.
 */
#include "bench_made_up.h"
#include "device/pace.h"
#include "util/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUEUE       4  /* trials with a device, ATX_DEVICE_QUEUE */
#define READY_LIMIT 64 /* as in tune/search_run.c                   */
#define MOST_CORES  256
enum { COPIES = 36, CALIBRATIONS = 2 };
#define LATENCY_S 100e-6 /* until a trial is with the device */
#define MOST_GPUS 8192

static const atx_usage USAGE = {
    "bench_scale [options] [FILE...]",
    "Simulates tuning the problems of recordings (or, with --made-up, one of the folder's spaces, whose "
    "times "
    "are\nmade up) on many GPUs, and prints how long it takes, what is found, and what the GPUs wait for.",
};

typedef struct settings {
    int64_t cores, problems, max_trials, message_us, setup_ms, remeasure_ms, seed;
    const atx_strategy *strategy;
    double worth;
    int step;
} settings;

typedef enum kind { SET_UP, COPIED, COMPILED, MEASURED, OVER } kind;

typedef struct event {
    double at_s;
    int64_t order; /* of equals the first */
    kind kind;
    int problem, gpu;
    int64_t index;
} event;

typedef struct gpu {
    int problem; /* -1: none */
    bool ready;  /* it gets candidates */
    int queued, helped;
    double free_s, ready_since_s;
    double busy_s, setup_s, ready_s; /* ready_s: sum over searches */
} gpu;

typedef enum phase { WAITING, OPENING, SEARCHING, ENDING, DONE } phase;

typedef struct problem {
    const atx_bench_space *space;
    phase phase;
    void *state;
    int boss, helping, devices; /* gpus; devices: that are ready, the boss too */
    int64_t *ready, ready_first, ready_count;
    size_t ready_cap;
    double core_free_s[MOST_CORES];
    int cores, compiling;
    int64_t under_way, tried;
    bool exhausted;
    double thread_s, thread_busy_s; /* its thread is free then; was busy for so long */
    double best_s, compile_s, measure_s;
    double begun_s;
} problem;

typedef struct sim {
    const settings *set;
    event *heap;
    size_t heap_count, heap_cap;
    int64_t orders;
    gpu *gpus;
    int gpu_count;
    problem *problems;
    int problem_count, next;
    double now_s, supervisor_s, supervisor_busy_s, compile_busy_s;
    bool failed; /* out of memory */
} sim;

static bool before(const event *a, const event *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

static void post(sim *s, double at_s, kind what, int which, int device, int64_t index)
{
    if (!atx_grow(&s->heap, &s->heap_cap, s->heap_count, sizeof *s->heap)) {
        s->failed = true;
        return;
    }
    event e = { at_s, s->orders++, what, which, device, index };
    size_t i = s->heap_count++;
    for (; i > 0 && before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = e;
}

static event next_event(sim *s)
{
    event top = s->heap[0], last = s->heap[--s->heap_count];
    size_t i = 0;
    for (size_t child = 1; child < s->heap_count; child = 2 * i + 1) {
        child += child + 1 < s->heap_count && before(&s->heap[child + 1], &s->heap[child]);
        if (!before(&s->heap[child], &last))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

/* ---- what things take ---- */

static double cpu_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As measured: from the smallest kernel of a transpose to the largest, one core each. */
static double compile_s_of(int64_t index)
{
    return 0.04 + 0.08 * atx_fraction(index, 1);
}

/* One that is behind the best gets fewer samples: see runner/measure.c. */
static double trial_s_of(const problem *p, int64_t index)
{
    const atx_finding *f = &p->space->findings[index];
    double slower = p->best_s > 0 ? f->seconds / p->best_s : 1;
    atx_measured m = { .outcome = f->outcome, .timing.median_s = f->seconds };
    m.timing.samples = slower > 1.5 ? 1 : slower > 1.25 ? 2 : slower > 1.06 ? 4 : 7;
    return atx_pace_trial_s(&m);
}

static double calibration_s_of(const problem *p)
{
    atx_measured m = { .outcome = ATX_TIMED, .timing = { .median_s = p->space->sorted_s[0], .samples = 7 } };
    return atx_pace_trial_s(&m);
}

/* ---- a search ---- */

static void widen(sim *s, problem *p)
{
    p->cores = (int)fmin((double)s->set->cores * p->devices, MOST_CORES);
    if (s->set->strategy->widen)
        s->set->strategy->widen(p->state, p->devices, p->cores + 2 * (p->devices - 1));
}

static int free_gpu(const sim *s, int which)
{
    int best = -1, least = QUEUE;
    for (int i = 0; i < s->gpu_count; i++) {
        const gpu *g = &s->gpus[i];
        if (g->problem == which && g->ready && g->queued < least) {
            least = g->queued;
            best = i;
        }
    }
    return best;
}

static void compile(sim *s, problem *p, int which, int64_t index)
{
    int core = 0;
    for (int i = 1; i < p->cores; i++)
        if (p->core_free_s[i] < p->core_free_s[core])
            core = i;
    double took_s = compile_s_of(index);
    p->core_free_s[core] = fmax(p->core_free_s[core], p->thread_s) + took_s;
    s->compile_busy_s += took_s;
    p->compiling++;
    post(s, p->core_free_s[core], COMPILED, which, -1, index);
}

static void propose(sim *s, problem *p, int which)
{
    while (!p->exhausted && p->ready_count < READY_LIMIT && p->compiling < 2 * p->cores) {
        double from_s = cpu_now_s();
        int64_t index = s->set->strategy->propose(p->state);
        double took_s = cpu_now_s() - from_s;
        p->thread_s += took_s;
        p->thread_busy_s += took_s;
        if (index == ATX_NOT_YET)
            return;
        p->exhausted = index < 0;
        if (index < 0)
            return;
        p->under_way++;
        compile(s, p, which, index);
    }
}

static bool is_wanted(sim *s, problem *p, int64_t index)
{
    if (!s->set->strategy->consider)
        return true;
    double from_s = cpu_now_s();
    bool wanted = s->set->strategy->consider(p->state, index, &p->space->findings[index].resources);
    double took_s = cpu_now_s() - from_s;
    p->thread_s += took_s;
    p->thread_busy_s += took_s;
    p->exhausted &= wanted; /* it makes room for another one */
    p->under_way -= !wanted;
    return wanted;
}

static void feed(sim *s, problem *p, int which)
{
    int i = 0;
    while (p->ready_count && (i = free_gpu(s, which)) >= 0) {
        int64_t index = p->ready[p->ready_first++];
        p->ready_count--;
        if (!is_wanted(s, p, index))
            continue;
        gpu *g = &s->gpus[i];
        double took_s = trial_s_of(p, index);
        g->free_s = fmax(g->free_s, p->thread_s + LATENCY_S) + took_s;
        g->queued++;
        p->measure_s += took_s;
        p->compile_s += compile_s_of(index);
        s->gpus[i].busy_s += took_s;
        post(s, g->free_s, MEASURED, which, i, index);
    }
}

static void report(sim *s, problem *p, int64_t index)
{
    const atx_finding *f = &p->space->findings[index];
    double from_s = cpu_now_s();
    p->tried++;
    p->under_way--;
    if (f->outcome == ATX_TIMED && (p->best_s <= 0 || f->seconds < p->best_s))
        p->best_s = f->seconds;
    s->set->strategy->report(p->state, index, f);
    if (s->set->strategy->pace && p->measure_s > 0)
        s->set->strategy->pace(p->state, p->devices * p->compile_s / p->measure_s);
    p->thread_busy_s += cpu_now_s() - from_s;
    p->thread_s += cpu_now_s() - from_s;
}

/* The supervisor takes a message, then the problem's thread goes on. */
static void hear(sim *s, problem *p)
{
    double took_s = 1e-6 * (double)s->set->message_us;
    s->supervisor_s = fmax(s->supervisor_s, s->now_s) + took_s;
    s->supervisor_busy_s += took_s;
    p->thread_s = fmax(p->thread_s, s->supervisor_s);
}

static void assign(sim *s, int device);

/* The boss plays the re-measurement; the others are free for the next problem. */
static void end_search(sim *s, problem *p, int which)
{
    double final_s = 1e-3 * (double)s->set->remeasure_ms, at_s = fmax(p->thread_s, s->now_s);
    p->phase = ENDING;
    s->set->strategy->close(p->state);
    for (int i = 0; i < s->gpu_count; i++) {
        gpu *g = &s->gpus[i];
        if (g->problem != which)
            continue;
        if (g->ready)
            g->ready_s += at_s - g->ready_since_s;
        g->ready = false;
        if (i == p->boss)
            continue;
        g->problem = -1;
        assign(s, i);
    }
    s->gpus[p->boss].busy_s += final_s;
    post(s, at_s + final_s, OVER, which, p->boss, -1);
}

static void go_on(sim *s, problem *p, int which)
{
    p->thread_s = fmax(p->thread_s, s->now_s);
    int64_t left;
    do { /* what is put off makes room */
        left = p->under_way;
        propose(s, p, which);
        left = p->under_way > left ? p->under_way : left;
        feed(s, p, which);
    } while (p->under_way < left);
    if (p->exhausted && !p->under_way)
        end_search(s, p, which);
}

static void let_in(sim *s, int which, int i)
{
    gpu *g = &s->gpus[i];
    double calibration_s =
        i == s->problems[which].boss ? 0 : CALIBRATIONS * calibration_s_of(&s->problems[which]);
    s->gpus[i].busy_s += calibration_s;
    g->ready = true;
    g->ready_since_s = s->now_s;
    g->free_s = s->now_s + calibration_s;
    s->problems[which].devices++;
    widen(s, &s->problems[which]);
}

static bool begin_search(sim *s, problem *p, int which)
{
    at_error err;
    atx_search search = p->space->search;
    search.seed = (uint64_t)(s->set->seed + which);
    search.max_trials = s->set->max_trials > 0 ? s->set->max_trials : search.total;
    search.slots = p->space->slots;
    search.ahead = (int)s->set->cores;
    search.worth = s->set->worth;
    p->phase = SEARCHING;
    if (s->set->strategy->open(&p->state, &search, &err) != AT_OK)
        return false;
    for (int i = 0; i < s->gpu_count; i++)
        if (s->gpus[i].problem == which && s->gpus[i].free_s <= s->now_s &&
            (i == p->boss || s->gpus[i].helped))
            let_in(s, which, i);
    return true;
}

/* ---- who does what ---- */

static int neediest(const sim *s)
{
    int best = -1;
    for (int i = 0; i < s->problem_count; i++) {
        const problem *p = &s->problems[i];
        if ((p->phase == OPENING || p->phase == SEARCHING) &&
            (best < 0 || p->helping < s->problems[best].helping))
            best = i;
    }
    return best;
}

static void assign(sim *s, int i)
{
    gpu *g = &s->gpus[i];
    double setup_s = 1e-3 * (double)s->set->setup_ms;
    bool own = s->next < s->problem_count;
    int which = own ? s->next++ : neediest(s);
    if (which < 0)
        return;
    problem *p = &s->problems[which];
    g->problem = which;
    g->helped = 0;
    g->setup_s += setup_s;
    g->free_s = s->now_s + setup_s;
    if (own) {
        p->phase = OPENING;
        p->boss = i;
        p->begun_s = p->thread_s = s->now_s;
    } else {
        p->helping++;
    }
    post(s, s->now_s + setup_s, SET_UP, which, i, -1);
}

static void is_set_up(sim *s, problem *p, const event *e)
{
    gpu *g = &s->gpus[e->gpu];
    if (g->problem != e->problem) /* its search is over, and it went elsewhere */
        return;
    if (e->gpu == p->boss) {
        double copies_s = COPIES * calibration_s_of(p);
        s->gpus[e->gpu].busy_s += copies_s;
        g->free_s = s->now_s + copies_s;
        post(s, g->free_s, COPIED, e->problem, e->gpu, -1);
        return;
    }
    g->helped = 1;
    if (p->phase == SEARCHING)
        let_in(s, e->problem, e->gpu);
}

static void handle(sim *s, const event *e)
{
    problem *p = &s->problems[e->problem];
    s->now_s = e->at_s;
    switch (e->kind) {
    case SET_UP:
        is_set_up(s, p, e);
        break;
    case COPIED:
        s->failed |= !begin_search(s, p, e->problem);
        break;
    case COMPILED:
        hear(s, p);
        p->compiling--;
        if (p->space->findings[e->index].outcome == ATX_COMPILE_FAILED)
            report(s, p, e->index);
        else if (atx_grow(&p->ready, &p->ready_cap, (size_t)(p->ready_first + p->ready_count),
                          sizeof *p->ready))
            p->ready[p->ready_first + p->ready_count++] = e->index;
        else
            s->failed = true;
        break;
    case MEASURED:
        hear(s, p);
        s->gpus[e->gpu].queued--;
        report(s, p, e->index);
        break;
    case OVER:
        p->phase = DONE;
        s->gpus[e->gpu].problem = -1;
        assign(s, e->gpu);
        break;
    }
    if (p->phase == SEARCHING && !s->failed)
        go_on(s, p, e->problem);
}

/* ---- one run ---- */

typedef struct result {
    double wall_s, loss, worst, busy, setup, starved, idle, supervisor, thread;
    int64_t trials;
} result;

static void sum_up(result *out, const sim *s)
{
    double all_s = s->gpu_count * s->now_s;
    *out = (result){ .wall_s = s->now_s };
    for (int i = 0; i < s->problem_count; i++) {
        const problem *p = &s->problems[i];
        double loss = p->best_s / p->space->sorted_s[0] - 1;
        out->loss += loss / s->problem_count;
        out->worst = fmax(out->worst, loss);
        out->trials += p->tried;
        out->thread = fmax(out->thread, p->thread_busy_s / (p->thread_s - p->begun_s));
    }
    double measured_s = 0;
    for (int i = 0; i < s->gpu_count; i++) {
        out->busy += s->gpus[i].busy_s / all_s;
        out->setup += s->gpus[i].setup_s / all_s;
        measured_s += s->gpus[i].ready_s;
    }
    for (int i = 0; i < s->problem_count; i++)
        measured_s -= s->problems[i].measure_s;
    out->starved = fmax(0, measured_s / all_s);
    out->idle = fmax(0, 1 - out->busy - out->setup - out->starved);
    out->supervisor = s->supervisor_busy_s / s->now_s;
}

static at_status simulate(result *out, const settings *set, const atx_bench_space *spaces, size_t count,
                          int gpus, at_error *err)
{
    sim s = { .set = set, .gpu_count = gpus, .problem_count = (int)set->problems };
    s.gpus = calloc((size_t)gpus, sizeof *s.gpus);
    s.problems = calloc((size_t)s.problem_count, sizeof *s.problems);
    s.failed = !s.gpus || !s.problems;
    for (int i = 0; i < s.problem_count && !s.failed; i++)
        s.problems[i] = (problem){ .space = &spaces[(size_t)i % count], .boss = -1, .cores = 1 };
    for (int i = 0; i < gpus && !s.failed; i++)
        s.gpus[i].problem = -1;
    for (int i = 0; i < gpus && !s.failed; i++)
        assign(&s, i);
    while (!s.failed && s.heap_count) {
        event e = next_event(&s);
        handle(&s, &e);
    }
    if (!s.failed)
        sum_up(out, &s);
    for (int i = 0; s.problems && i < s.problem_count; i++)
        free(s.problems[i].ready);
    free(s.problems);
    free(s.gpus);
    free(s.heap);
    return s.failed ? atx_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
}

static void print_result(const result *r, int gpus, double alone_s)
{
    printf("| %d | %.1f | %.1f | %.0f %% | %lld | %.2f %% | %.1f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% "
           "| %.0f "
           "%% | %.0f %% |\n",
           gpus, r->wall_s, alone_s / r->wall_s, 100 * alone_s / r->wall_s / gpus, (long long)r->trials,
           100 * r->loss, 100 * r->worst, 100 * r->busy, 100 * r->setup, 100 * r->starved, 100 * r->idle,
           100 * r->thread, 100 * r->supervisor);
    fflush(stdout);
}

static at_status run_all(const settings *set, const atx_bench_space *spaces, size_t count, int64_t most,
                         at_error *err)
{
    result r = { 0 }, first = { 0 };
    at_status status = AT_OK;
    puts("| GPUs | s | times | efficiency | trials | loss | worst | measuring | opening | waiting | nothing "
         "to "
         "do | strategy | supervisor |\n"
         "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (int gpus = 1; gpus <= most && status == AT_OK; gpus *= set->step) {
        status = simulate(&r, set, spaces, count, gpus, err);
        if (gpus == 1)
            first = r;
        if (status == AT_OK)
            print_result(&r, gpus, first.wall_s);
    }
    return status;
}

/* ---- the program ---- */

static at_status run_made_up(settings *set, const char *dir, const char *name, int64_t most, at_error *err)
{
    atx_bench_space space = { .search = { .spaces = NULL } };
    atx_catalog *catalog = NULL;
    at_status status = atx_made_up_open(&space, &catalog, dir, name, err);
    set->problems = set->problems ? set->problems : 1;
    if (status == AT_OK)
        status = run_all(set, &space, 1, most, err);
    atx_made_up_close(&space, catalog);
    return status;
}

static at_status run_recorded(settings *set, const char *dir, const atx_words *files, int64_t most,
                              at_error *err)
{
    atx_bench_spaces spaces = { 0 };
    at_status status = atx_bench_spaces_open(&spaces, dir, err);
    for (int i = 0; i < files->count && status == AT_OK; i++)
        status = atx_bench_spaces_read(&spaces, files->items[i], 100, err);
    if (status == AT_OK && !spaces.count)
        status = atx_fail(err, AT_ERR_USAGE, "expected recordings with spaces of 100 configurations or more");
    set->problems = set->problems ? set->problems : (int64_t)spaces.count;
    if (status == AT_OK)
        status = run_all(set, spaces.items, spaces.count, most, err);
    atx_bench_spaces_close(&spaces);
    return status;
}

int main(int argc, char **argv)
{
    settings set = { .cores = 16, .message_us = 100, .setup_ms = 500, .remeasure_ms = 1000 };
    atx_words files = { 0 };
    const char *dir = NULL, *made_up = NULL, *name = "model";
    int64_t most = 1024, per_mille = 5, step = 2;
    bool help = false;
    at_error err = { 0 };
    const atx_option TABLE[] = {
        { "--gpus", ATX_OPT_COUNT, "N", "1, 2, 4 ... up to N of them (default 1024)", &most },
        { "--step", ATX_OPT_COUNT, "N", "from one number of GPUs to the next: times N (default 2)", &step },
        { "--problems", ATX_OPT_COUNT, "N", "so many, of the recordings' in turn (default: each once)",
          &set.problems },
        { "--made-up", ATX_OPT_TEXT, "SPACE", "one space of the folder, with times that are made up",
          &made_up },
        { "--strategy", ATX_OPT_TEXT, "NAME", "default model", &name },
        { "--max-trials", ATX_OPT_COUNT, "N", "of a problem (default: until the strategy ends)",
          &set.max_trials },
        { "--worth", ATX_OPT_COUNT, "N", "end when less than N per mille is expected (default 5)",
          &per_mille },
        { "--cores", ATX_OPT_COUNT, "N", "that compile, of each GPU (default 16)", &set.cores },
        { "--message-us", ATX_OPT_COUNT, "N", "of the supervisor, a trial or compilation (default 100)",
          &set.message_us },
        { "--setup-ms", ATX_OPT_COUNT, "N", "until a device has opened a problem (default 500)",
          &set.setup_ms },
        { "--remeasure-ms", ATX_OPT_COUNT, "N", "of a re-measurement (default 1000)", &set.remeasure_ms },
        { "--seed", ATX_OPT_COUNT, "N", "default 0", &set.seed },
        { "--templates", ATX_OPT_TEXT, "DIR", "where the spaces are declared", &dir },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    at_status status = atx_options_parse(TABLE, argc, argv, &files, &help, &err);
    if (status == AT_OK && help) {
        atx_str page = { 0 };
        atx_options_help(&page, &USAGE, TABLE, 110);
        fputs(atx_str_text(&page), stdout);
        atx_str_clear(&page);
        return 0;
    }
    set.step = (int)(step < 2 ? 2 : step);
    set.worth = (double)per_mille / 1000;
    set.strategy = atx_strategy_find(name);
    if (status == AT_OK && !set.strategy)
        status = atx_fail(&err, AT_ERR_USAGE, "no strategy is called %s", name);
    if (status == AT_OK && (most < 1 || most > MOST_GPUS || set.cores < 1))
        status = atx_fail(&err, AT_ERR_USAGE, "--gpus: expected 1 to %d; --cores: 1 or more", MOST_GPUS);
    if (status == AT_OK)
        status = made_up ? run_made_up(&set, dir, made_up, most, &err)
                         : run_recorded(&set, dir, &files, most, &err);
    if (status != AT_OK)
        fprintf(stderr, "bench_scale: %s\n", err.text);
    return status == AT_OK ? 0 : 1;
}
