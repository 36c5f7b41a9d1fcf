/*
 * scale_sim.c - see scale_sim.h.
 *
 * The strategies are the real ones, and the processor time that they take is measured while they run. Time is
 * simulated: what becomes of a trial is recorded (or made up, --made-up), how long it takes is modelled by
 * device/pace.h, and GPUs are handed out as tune/ does it: problems first, of several GPUs the most expensive
 * first, then places in the searches of others, each after it has opened the problem. Each GPU has compilers;
 * those of one host slow each other down. While a problem is re-measured the next one's copies and first
 * candidates are compiled.
 *
 * A problem has a thread, which proposes for all of its GPUs; all problems share one supervisor, which every
 * trial keeps busy for a moment: it takes what was measured and stores it. Events are handled in the order of
 * their times; a handler may take a thread or the supervisor beyond the time of the next event, which then
 * waits for it.
 */
#include "scale_sim.h"

#include "bench_made_up.h"
#include "bench_noise.h"
#include "compile/pool.h"
#include "device/pace.h"
#include "tune/cost.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define QUEUE       4  /* trials with a device, ATX_DEVICE_QUEUE */
#define READY_LIMIT 64 /* as in tune/search_run.c                   */
enum { COPIES = 12, CALIBRATIONS = 2 };
#define LATENCY_S 100e-6 /* until a trial is with the device */

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
    int ahead;   /* the problem that comes next, -1: none was drawn yet */
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
    int64_t *waiting, waiting_first, waiting_count; /* for a compiler; below zero: copies */
    size_t waiting_cap;
    int cores, running, compiling; /* compiling: without copies */
    int copies_left;
    double opened_s; /* below zero: not yet */
    int64_t under_way, tried;
    bool exhausted;
    double thread_s, thread_busy_s; /* its thread is free then; was busy for so long */
    double best_s, compile_s, measure_s;
    double begun_s;
} problem;

typedef struct sim {
    const scale_settings *set;
    event *heap;
    size_t heap_count, heap_cap;
    int64_t orders;
    gpu *gpus;
    int gpu_count;
    problem *problems;
    int problem_count, next, running; /* running: compilations */
    double now_s, supervisor_s, supervisor_busy_s;
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

/*
 * As measured with kernels of 48 transposes, one core each: of 9,630 half take 45 to 107 ms beside 8 other
 * compilers, one of 20 less than 33 and one of 20 more than 192. The more compilers there are at once the
 * longer: in the mean 84 and 105 ms where one and four H200 of a host of 64 cores have them work, of which 9
 * and 36 are busy on average; with H100 98 and 125 ms. So does what the host does for a trial, which then
 * takes 0.3 and 0.9 ms more, and for a re-measurement, which takes up to 17 % more.
 */
#define COMPILE_S         0.064
#define SLOWER_A_COMPILER 0.010
#define BUSY_OF_ONE       9     /* beyond these each compiler makes ... */
#define TRIAL_S           16e-6 /* ... a trial longer by so much ... */
#define REMEASUREMENT     0.004 /* ... and a re-measurement by this share */
#define GPUS_A_HOST       4
static double compile_s_of(int64_t index)
{
    const double part = fmin(fmax(atx_fraction(index, 1), 0.005), 0.995);
    return COMPILE_S * cbrt(part / (1 - part));
}

static double took_to_compile_s(const sim *s, int64_t index)
{
    const int hosts = (s->gpu_count + GPUS_A_HOST - 1) / GPUS_A_HOST;
    return compile_s_of(index) * (1 + SLOWER_A_COMPILER * s->running / hosts);
}

/* Compilers of a host that are busy beside those of one GPU. */
static double busy_beside(const sim *s)
{
    const int hosts = (s->gpu_count + GPUS_A_HOST - 1) / GPUS_A_HOST;
    return fmax(0, (double)s->running / hosts - BUSY_OF_ONE);
}

/* One that is behind the best gets fewer samples: see runner/measure.c. */
static double trial_s_of(const problem *p, int64_t index)
{
    const atx_finding *f = &p->space->findings[index];
    double slower = p->best_s > 0 ? f->seconds / p->best_s : 1;
    atx_measured m = { .outcome = f->outcome, .timing.median_s = f->seconds };
    m.timing.samples = slower > 1.25 ? 2 : slower > 1.06 ? 4 : 7;
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
    p->cores = (int)fmin((double)s->set->cores * p->devices, ATX_POOL_MOST);
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

static void compile_waiting(sim *s, problem *p)
{
    while (p->waiting_count && p->running < p->cores) {
        const int64_t index = p->waiting[p->waiting_first++];
        p->waiting_count--;
        p->running++;
        s->running++;
        post(s, fmax(p->thread_s, s->now_s) + took_to_compile_s(s, index), COMPILED, (int)(p - s->problems),
             -1, index);
    }
}

static void compile(sim *s, problem *p, int64_t index)
{
    if (!atx_grow(&p->waiting, &p->waiting_cap, (size_t)(p->waiting_first + p->waiting_count),
                  sizeof *p->waiting)) {
        s->failed = true;
        return;
    }
    p->waiting[p->waiting_first + p->waiting_count++] = index;
    p->compiling += index >= 0;
    compile_waiting(s, p);
}

static void propose(sim *s, problem *p)
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
        compile(s, p, index);
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
        double took_s = trial_s_of(p, index) + TRIAL_S * busy_beside(s);
        g->free_s = fmax(g->free_s, p->thread_s + LATENCY_S) + took_s;
        g->queued++;
        p->measure_s += took_s;
        p->compile_s += took_to_compile_s(s, index);
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
    atx_finding said = *f;
    said.seconds *= atx_bench_noise(s->set->noise, (uint64_t)(s->set->seed + (p - s->problems)), index);
    s->set->strategy->report(p->state, index, &said);
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

/* Opens the search; compilers get the copies and the first candidates. */
static bool begin(sim *s, int which, double at_s)
{
    at_error err;
    problem *p = &s->problems[which];
    atx_search search = p->space->search;
    search.seed = (uint64_t)(s->set->seed + which);
    search.max_trials = s->set->max_trials > 0 ? s->set->max_trials : search.total;
    search.slots = p->space->slots;
    search.ahead = (int)s->set->cores;
    search.worth = s->set->worth;
    search.hints = p->space->hints;
    search.hint_count = s->set->hints ? p->space->hint_count : 0;
    search.elsewhere = p->space->elsewhere;
    search.elsewhere_count = s->set->hints ? p->space->elsewhere_count : 0;
    p->thread_s = at_s;
    p->cores = (int)fmin((double)s->set->cores, ATX_POOL_MOST);
    p->copies_left = COPIES;
    p->opened_s = -1;
    if (s->set->strategy->open(&p->state, &search, &err) != AT_OK)
        return false;
    for (int i = 0; i < COPIES; i++)
        compile(s, p, -1 - i);
    propose(s, p);
    return true;
}

static void assign(sim *s, int device);

/* The boss plays the re-measurement; the others are free for the next problem. */
static void end_search(sim *s, problem *p, int which)
{
    double final_s = 1e-3 * (double)s->set->remeasure_ms * (1 + REMEASUREMENT * busy_beside(s)),
           at_s = fmax(p->thread_s, s->now_s);
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
    if (s->next < s->problem_count && (s->gpu_count == 1 || s->next + s->gpu_count <= s->problem_count)) {
        s->gpus[p->boss].ahead = s->next++;
        s->failed |= !begin(s, s->gpus[p->boss].ahead, at_s);
    }
}

static void go_on(sim *s, problem *p, int which)
{
    p->thread_s = fmax(p->thread_s, s->now_s);
    int64_t left;
    do { /* what is put off makes room */
        left = p->under_way;
        propose(s, p);
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

static void begin_search(sim *s, problem *p, int which)
{
    p->phase = SEARCHING;
    for (int i = 0; i < s->gpu_count; i++)
        if (s->gpus[i].problem == which && s->gpus[i].free_s <= s->now_s &&
            (i == p->boss || s->gpus[i].helped))
            let_in(s, which, i);
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
    bool own = g->ahead >= 0 || s->next < s->problem_count;
    int which = g->ahead >= 0 ? g->ahead : own ? s->next++ : neediest(s);
    if (which < 0)
        return;
    problem *p = &s->problems[which];
    g->problem = which;
    g->helped = 0;
    g->setup_s += setup_s;
    g->free_s = s->now_s + setup_s;
    if (own) {
        s->failed |= g->ahead < 0 && !begin(s, which, s->now_s);
        g->ahead = -1;
        p->phase = OPENING;
        p->boss = i;
        p->begun_s = s->now_s;
    } else {
        p->helping++;
    }
    post(s, s->now_s + setup_s, SET_UP, which, i, -1);
}

/* All copies are compiled, and the GPU is there to measure them. */
static void measure_copies(sim *s, problem *p)
{
    const double copy_s = calibration_s_of(p), fed_s = p->opened_s + (COPIES - 1) * copy_s;
    gpu *g = &s->gpus[p->boss];
    g->busy_s += COPIES * copy_s;
    g->free_s = fmax(fed_s, s->now_s) + copy_s; /* the others were measured as they came */
    post(s, g->free_s, COPIED, (int)(p - s->problems), p->boss, -1);
}

static void is_set_up(sim *s, problem *p, const event *e)
{
    gpu *g = &s->gpus[e->gpu];
    if (g->problem != e->problem) /* its search is over, and it went elsewhere */
        return;
    if (e->gpu == p->boss) {
        p->opened_s = s->now_s;
        if (!p->copies_left)
            measure_copies(s, p);
        return;
    }
    g->helped = 1;
    if (p->phase == SEARCHING)
        let_in(s, e->problem, e->gpu);
}

/* Its compiler takes the next job. */
static void is_compiled(sim *s, problem *p, int64_t index)
{
    hear(s, p);
    p->running--;
    s->running--;
    compile_waiting(s, p);
    if (index < 0) {
        if (!--p->copies_left && p->opened_s >= 0)
            measure_copies(s, p);
        return;
    }
    p->compiling--;
    if (p->space->findings[index].outcome == ATX_COMPILE_FAILED)
        report(s, p, index);
    else if (atx_grow(&p->ready, &p->ready_cap, (size_t)(p->ready_first + p->ready_count), sizeof *p->ready))
        p->ready[p->ready_first + p->ready_count++] = index;
    else
        s->failed = true;
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
        begin_search(s, p, e->problem);
        break;
    case COMPILED:
        is_compiled(s, p, e->index);
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
    else if (e->kind == COMPILED && !s->failed)
        propose(s, p);
}

/* ---- one run ---- */

static void sum_up(scale_result *out, const sim *s)
{
    double all_s = s->gpu_count * s->now_s;
    *out = (scale_result){ .wall_s = s->now_s };
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

/* The spaces in turn; of several GPUs the most expensive first. */
static at_status lay_out(sim *s, const atx_bench_space *spaces, size_t count, at_error *err)
{
    const size_t wanted = (size_t)s->problem_count;
    atx_problem *list = calloc(wanted, sizeof *list);
    atx_cost *costs = calloc(wanted, sizeof *costs);
    at_status status = AT_ERR_MEMORY;
    if (!list || !costs) {
        atx_fail(err, status, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < wanted; i++)
        list[i] = spaces[i % count].problem;
    status = atx_cost_sorted(costs, list, wanted, err);
    for (size_t i = 0; i < wanted && status == AT_OK; i++) {
        const size_t place = s->gpu_count > 1 ? costs[i].place : i;
        s->problems[i] = (problem){ .space = &spaces[place % count], .boss = -1, .cores = 1 };
    }
done:
    free(costs);
    free(list);
    return status;
}

at_status scale_simulate(scale_result *out, const scale_settings *set, const atx_bench_space *spaces,
                         size_t count, int gpus, at_error *err)
{
    sim s = { .set = set, .gpu_count = gpus, .problem_count = (int)set->problems };
    s.gpus = calloc((size_t)gpus, sizeof *s.gpus);
    s.problems = calloc((size_t)s.problem_count, sizeof *s.problems);
    s.failed = !s.gpus || !s.problems;
    at_status status = s.failed ? AT_OK : lay_out(&s, spaces, count, err);
    if (status != AT_OK)
        goto done;
    for (int i = 0; i < gpus && !s.failed; i++)
        s.gpus[i].problem = s.gpus[i].ahead = -1;
    for (int i = 0; i < gpus && !s.failed; i++) {
        s.now_s = 1e-3 * (double)(set->start_ms + i % GPUS_A_HOST * set->next_ms);
        assign(&s, i);
    }
    while (!s.failed && s.heap_count) {
        event e = next_event(&s);
        handle(&s, &e);
    }
    if (!s.failed)
        sum_up(out, &s);
    status = s.failed ? atx_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
done:
    for (int i = 0; s.problems && i < s.problem_count; i++) {
        free(s.problems[i].ready);
        free(s.problems[i].waiting);
    }
    free(s.problems);
    free(s.gpus);
    free(s.heap);
    return status;
}
