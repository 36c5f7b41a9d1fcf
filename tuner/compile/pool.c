/*
 * pool.c - see pool.h.
 *
 * Jobs wait here, not with a worker: a kernel that compiles for long holds up nothing but its own worker. A
 * worker is sent a job only while it waits for one, so sending never blocks on a busy peer.
 */
#include "compile/pool.h"

#include "compile/ahead.h"
#include "compile/pool_frames.h"

#include "util/bug.h"
#include "util/clock.h"
#include "util/wire.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORKERS    ATX_POOL_MOST
#define DEADLINE_S     60.0
#define START_LIMIT_S  60.0 /* to open NVRTC, perhaps over a network file system */
#define MAX_BAD_STARTS 3    /* workers in a row that ended before they were ready */

/* Memory that a worker may use: its share of three quarters of the machine's memory, within these. */
#define MOST_BYTES  ((int64_t)8 << 30)
#define LEAST_BYTES ((int64_t)1 << 30)

enum { ANY_OWNER = -1 }; /* instead of an owner */

typedef struct job {
    int64_t tag;
    atx_str body;                  /* of its frame */
    bool again;                    /* its worker did nothing, and it waits for another */
    int lost_here, lost_elsewhere; /* with workers that died */
} job;

typedef struct worker {
    atx_site *site;  /* where its processes are */
    atx_child child; /* pid 0: none */
    atx_inbox inbox;
    bool ready, busy;
    int bad_starts;          /* in a row, of one that is elsewhere */
    job job;                 /* while busy */
    double since_s;          /* it was started, or was sent its job */
    atx_wait_time wait_time; /* since then ...                      */
    double used_s;           /* ... and the processor time that it had used before */
} worker;

struct atx_pool {
    worker *workers;
    int count, most; /* now; so many there is room for, two jobs each */
    double deadline_s;
    int64_t memory_bytes; /* of a worker */
    job *queue;           /* waiting jobs, oldest first; room for two a worker */
    int queued, running;
    atx_compiled *finished; /* oldest first; room for every job that is with the pool */
    size_t finished_count, finished_cap;
    int bad_starts;
    atx_ahead ahead;  /* headers that are compiled ahead ... */
    bool ahead_asked; /* ... once a text has wanted it       */
    char *headers;    /* the user's folders, as workers are told them */
    at_status broken; /* once not AT_OK, every pump ends so */
    at_error why;
};

/* ---- results ---- */

void atx_compiled_clear(atx_compiled *c)
{
    atx_str_clear(&c->code);
    atx_str_clear(&c->log);
    *c = (atx_compiled){ 0 };
}

/* Room was made when the job came in. */
static void finish(atx_pool *pool, worker *w, const atx_compiled *result)
{
    assert(pool->finished_count < pool->finished_cap);
    atx_compiled *out = &pool->finished[pool->finished_count++];
    *out = *result;
    out->worker = (int)(w - pool->workers);
    out->started_s = w->since_s;
    out->ended_s = atx_now_s();
    atx_str_clear(&w->job.body);
    w->busy = false;
    pool->running--;
}

static void finish_failed(atx_pool *pool, worker *w, const char *why)
{
    atx_compiled result = { .tag = w->job.tag, .resources = ATX_RESOURCES_UNKNOWN };
    result.compile_s = atx_now_s() - w->since_s;
    atx_str_add(&result.log, why);
    finish(pool, w, &result);
}

static bool read_result(atx_compiled *out, atx_reader *r)
{
    size_t code_len, log_len;
    *out = (atx_compiled){ .tag = atx_get_i64(r) };
    out->ok = atx_get_i64(r) != 0;
    out->resources.registers = atx_get_i64(r);
    out->resources.shared_bytes = atx_get_i64(r);
    out->resources.spill_bytes = atx_get_i64(r);
    out->resources.stack_bytes = atx_get_i64(r);
    out->resources.local_bytes = -1;
    out->compile_s = atx_get_f64(r);
    const void *code = atx_get_bytes(r, &code_len);
    atx_str_add_bytes(&out->code, code, code_len);
    const void *log = atx_get_bytes(r, &log_len);
    atx_str_add_bytes(&out->log, log, log_len);
    if (!r->bad && !out->code.failed && !out->log.failed)
        return true;
    atx_compiled_clear(out);
    return false;
}

/* Whether a job is one of this owner's. */
static bool belongs(int64_t tag, int owner)
{
    return owner == ANY_OWNER || tag >> 32 == owner;
}

bool atx_pool_take_of(atx_pool *pool, int owner, atx_compiled *out)
{
    for (size_t i = 0; i < pool->finished_count; i++) {
        atx_compiled *found = &pool->finished[i];
        if (!belongs(found->tag, owner))
            continue;
        *out = *found;
        pool->finished_count--;
        memmove(found, found + 1, (pool->finished_count - i) * sizeof *found);
        return true;
    }
    return false;
}

bool atx_pool_take(atx_pool *pool, atx_compiled *out)
{
    return atx_pool_take_of(pool, ANY_OWNER, out);
}

/* ---- workers ---- */

static void break_pool(atx_pool *pool, at_status status, const char *why)
{
    if (pool->broken == AT_OK)
        pool->broken = atx_fail(&pool->why, status, "%s", why);
}

/* The number of a process here; 0: it is elsewhere. */
static long number_of(const worker *w)
{
    return w->child.site ? 0 : (long)w->child.pid;
}

static void stop_worker(const atx_pool *pool, worker *w)
{
    long gone = number_of(w);
    atx_child_stop(&w->child, 0); /* it has nothing to lose */
    atx_ahead_own_remove(&pool->ahead, gone);
}

static bool any_lives(const atx_pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        if (pool->workers[i].child.pid != 0)
            return true;
    return false;
}

/* Where no worker is left, one that was elsewhere becomes one of this machine: its place may be gone. */
static bool comes_home(const atx_pool *pool, worker *w)
{
    if (!w->site || any_lives(pool))
        return false;
    w->site = NULL;
    return true;
}

static void start_worker(atx_pool *pool, worker *w)
{
    char memory[24];
    const char *argv[] = { "autotune", "__compile", memory, NULL };
    at_error err = { 0 };
    snprintf(memory, sizeof memory, "%lld", (long long)pool->memory_bytes);
    atx_inbox_clear(&w->inbox);
    w->ready = false;
    w->since_s = atx_now_s();
    w->wait_time = atx_wait_time_begin();
    w->child = (atx_child){ 0 };
    at_status status = atx_child_spawn_at(&w->child, w->site, argv, &err);
    if (status != AT_OK && comes_home(pool, w))
        status = atx_child_spawn(&w->child, argv, &err);
    if (status != AT_OK && !w->site)
        break_pool(pool, AT_ERR_SYSTEM, err.text);
}

/* The worker is gone (its child is zeroed), and `how` says why: its job has failed, and another one starts.
 */
static void replace_worker(atx_pool *pool, worker *w, const char *how)
{
    char why[256];
    if (w->busy) {
        snprintf(why, sizeof why, "the compiler %s", how);
        finish_failed(pool, w, why);
    }
    int *bad_starts = w->site ? &w->bad_starts : &pool->bad_starts;
    if (!w->ready && ++*bad_starts >= MAX_BAD_STARTS) {
        if (w->site && !comes_home(pool, w))
            return;
        if (bad_starts == &pool->bad_starts) {
            snprintf(why, sizeof why, "compile workers end before they can work: the last one %s", how);
            break_pool(pool, AT_ERR_SYSTEM, why);
        }
    }
    if (pool->broken == AT_OK)
        start_worker(pool, w);
}

/* Its job goes before all others. */
static void requeue(atx_pool *pool, worker *w)
{
    memmove(pool->queue + 1, pool->queue, (size_t)pool->queued * sizeof *pool->queue);
    pool->queue[0] = w->job;
    w->job = (job){ 0 };
    w->busy = false;
    pool->queued++;
    pool->running--;
}

static int workers_elsewhere(const atx_pool *pool)
{
    int count = 0;
    for (int i = 0; i < pool->count; i++)
        count += pool->workers[i].site != NULL;
    return count;
}

/*
 * The job of a worker that died goes to another one, once: the machine may have been out of memory. Where a
 * place is lost, the job may go from one of its workers to the next until all are known to be dead: that is
 * no fault of the kernel. There is room for it, as it is no longer running.
 */
static void give_back(atx_pool *pool, worker *w)
{
    int *lost = w->site ? &w->job.lost_elsewhere : &w->job.lost_here;
    if (++*lost <= (w->site ? workers_elsewhere(pool) : 1))
        requeue(pool, w);
}

static void reap_worker(atx_pool *pool, worker *w)
{
    char how[128], text[160];
    long gone = number_of(w);
    atx_child_exit_status(&w->child, how, sizeof how);
    atx_ahead_own_remove(&pool->ahead, gone);
    if (w->busy)
        give_back(pool, w);
    if (w->busy)
        snprintf(text, sizeof text, "process died %d times: %s", w->job.lost_here + w->job.lost_elsewhere,
                 how);
    else
        snprintf(text, sizeof text, "process died: %s", how);
    replace_worker(pool, w, text);
}

/*
 * A compiler that worked for most of its time is too slow. One that did not was frozen, or had no processor:
 * its job goes to another worker, once.
 */
static void check_deadline(atx_pool *pool, worker *w)
{
    char text[96];
    double limit_s = w->busy ? pool->deadline_s : START_LIMIT_S;
    if ((w->ready && !w->busy) || atx_wait_time_waited_s(&w->wait_time) <= limit_s)
        return;
    bool worked = atx_child_used_s(&w->child) - w->used_s > limit_s / 2;
    stop_worker(pool, w);
    snprintf(text, sizeof text, "took longer than %g s and was stopped", limit_s);
    if (w->busy && !worked && !w->job.again) {
        requeue(pool, w);
        pool->queue[0].again = true;
    }
    replace_worker(pool, w, text);
}

static void handle_frame(atx_pool *pool, worker *w, uint32_t kind, atx_reader *body)
{
    atx_compiled result;
    if (kind == READY) {
        w->ready = true;
        w->bad_starts = pool->bad_starts = 0;
    } else if (kind == FAILED) {
        at_status status = atx_status_of(atx_get_i64(body));
        bool known = status == AT_ERR_DEVICE || status == AT_ERR_INTERNAL || status == AT_ERR_INPUT ||
                     status == AT_ERR_USAGE;
        break_pool(pool, known ? status : AT_ERR_SYSTEM, atx_get_text(body));
    } else if (w->busy && kind == RESULT && read_result(&result, body)) {
        finish(pool, w, &result);
    } else {
        w->inbox.ended = true; /* nonsense, or no memory for it: the worker is replaced */
    }
}

static void pump_worker(atx_pool *pool, worker *w)
{
    uint32_t kind;
    atx_reader body;
    if (w->child.pid == 0)
        return;
    atx_inbox_fill(&w->inbox, w->child.fd);
    while (atx_inbox_next(&w->inbox, &kind, &body))
        handle_frame(pool, w, kind, &body);
    if (pool->broken != AT_OK)
        return;
    if (w->inbox.ended)
        reap_worker(pool, w);
    else
        check_deadline(pool, w);
}

/* Gives the oldest waiting job to a worker. One that cannot be reached is found dead by the next pump. */
static void hand_out(atx_pool *pool, worker *w)
{
    if (atx_wire_send(w->child.fd, JOB, &pool->queue[0].body, NULL) != AT_OK)
        return;
    w->job = pool->queue[0];
    w->busy = true;
    w->since_s = atx_now_s();
    w->wait_time = atx_wait_time_begin();
    w->used_s = atx_child_used_s(&w->child);
    pool->running++;
    pool->queued--;
    memmove(pool->queue, pool->queue + 1, (size_t)pool->queued * sizeof *pool->queue);
}

static void hand_out_all(atx_pool *pool)
{
    for (int i = 0; i < pool->count && pool->queued > 0; i++) {
        worker *w = &pool->workers[i];
        if (w->child.pid != 0 && w->ready && !w->busy && !w->inbox.ended)
            hand_out(pool, w);
    }
}

at_status atx_pool_pump(atx_pool *pool, at_error *err)
{
    for (int i = 0; i < pool->count && pool->broken == AT_OK; i++)
        pump_worker(pool, &pool->workers[i]);
    if (pool->broken != AT_OK)
        return atx_fail(err, pool->broken, "%s", pool->why.text);
    hand_out_all(pool);
    return AT_OK;
}

void atx_pool_wait_all(atx_pool *pool, const struct pollfd *also, int also_count, int timeout_ms)
{
    struct pollfd polled[MAX_WORKERS + ATX_POOL_ALSO];
    nfds_t count = 0;
    for (int i = 0; pool && i < pool->count; i++)
        if (pool->workers[i].child.pid != 0)
            polled[count++] = (struct pollfd){ .fd = pool->workers[i].child.fd, .events = POLLIN };
    for (int i = 0; i < also_count && i < ATX_POOL_ALSO; i++)
        polled[count++] = also[i];
    poll(polled, count, timeout_ms);
}

void atx_pool_wait(atx_pool *pool, const struct pollfd *also, int timeout_ms)
{
    atx_pool_wait_all(pool, also, also ? 1 : 0, timeout_ms);
}

/* ---- jobs ---- */

int atx_pool_workers(const atx_pool *pool)
{
    return pool->count;
}

int atx_pool_busy(const atx_pool *pool)
{
    return pool->queued + pool->running + (int)pool->finished_count;
}

int atx_pool_busy_of(const atx_pool *pool, int owner)
{
    int busy = 0;
    for (int i = 0; i < pool->count; i++)
        busy += pool->workers[i].busy && belongs(pool->workers[i].job.tag, owner);
    for (int i = 0; i < pool->queued; i++)
        busy += belongs(pool->queue[i].tag, owner);
    for (size_t i = 0; i < pool->finished_count; i++)
        busy += belongs(pool->finished[i].tag, owner);
    return busy;
}

bool atx_pool_has_room(const atx_pool *pool)
{
    return pool->queued + pool->running < 2 * pool->count;
}

/* The folder is made when the first text wants it. */
static const char *ahead_for(atx_pool *pool, const char *source)
{
    if (!atx_ahead_wanted(source))
        return "";
    if (!pool->ahead_asked)
        atx_ahead_open(&pool->ahead, pool->count);
    pool->ahead_asked = true;
    return atx_str_text(&pool->ahead.path);
}

at_status atx_pool_submit(atx_pool *pool, int64_t tag, const char *source, const char *name, int cc,
                          atx_code kind, at_error *err)
{
    job added = { .tag = tag };
    if (!atx_pool_has_room(pool))
        return atx_bug(err, "the compile workers have as many jobs as they can take");
    atx_put_i64(&added.body, tag);
    atx_put_i64(&added.body, cc);
    atx_put_i64(&added.body, kind);
    atx_put_text(&added.body, name);
    atx_put_text(&added.body, source);
    atx_put_text(&added.body, ahead_for(pool, source));
    atx_put_text(&added.body, pool->headers);
    if (added.body.failed || !atx_grow(&pool->finished, &pool->finished_cap, (size_t)atx_pool_busy(pool),
                                       sizeof *pool->finished)) {
        atx_str_clear(&added.body);
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for a compile job");
    }
    pool->queue[pool->queued++] = added;
    hand_out_all(pool);
    return AT_OK;
}

void atx_pool_drop_of(atx_pool *pool, int owner)
{
    int kept = 0;
    atx_compiled finished = { 0 };
    for (int i = 0; i < pool->count; i++) {
        worker *w = &pool->workers[i];
        if (!w->busy || !belongs(w->job.tag, owner))
            continue;
        stop_worker(pool, w);
        atx_str_clear(&w->job.body);
        w->busy = false;
        pool->running--;
        if (pool->broken == AT_OK)
            start_worker(pool, w);
    }
    for (int i = 0; i < pool->queued; i++)
        if (belongs(pool->queue[i].tag, owner))
            atx_str_clear(&pool->queue[i].body);
        else
            pool->queue[kept++] = pool->queue[i];
    pool->queued = kept;
    while (atx_pool_take_of(pool, owner, &finished))
        atx_compiled_clear(&finished);
}

void atx_pool_shrink(atx_pool *pool, int workers)
{
    while (pool->count > 1 && pool->count > workers) {
        worker *last = &pool->workers[--pool->count];
        if (last->busy)
            requeue(pool, last);
        stop_worker(pool, last);
        atx_inbox_clear(&last->inbox);
    }
    if (!any_lives(pool) && pool->broken == AT_OK) /* those that are left are of a lost place */
        start_worker(pool, &pool->workers[0]);
}

int atx_pool_sites(const atx_pool *pool, atx_site *sites[ATX_POOL_MOST])
{
    for (int i = 0; i < pool->count; i++)
        sites[i] = pool->workers[i].site;
    return pool->count;
}

at_status atx_pool_grow(atx_pool *pool, int workers, atx_site *const *sites, at_error *err)
{
    int count = workers < MAX_WORKERS ? workers : MAX_WORKERS, before = pool->count;
    if (count > pool->most) {
        job *queue = realloc(pool->queue, 2 * (size_t)count * sizeof *queue);
        pool->queue = queue ? queue : pool->queue;
        worker *list = realloc(pool->workers, (size_t)count * sizeof *list);
        pool->workers = list ? list : pool->workers;
        if (!queue || !list)
            return atx_no_memory(err);
        pool->most = count;
    }
    for (; pool->count < count && pool->broken == AT_OK; pool->count++) {
        pool->workers[pool->count] = (worker){ .site = sites ? sites[pool->count - before] : NULL };
        start_worker(pool, &pool->workers[pool->count]);
    }
    return AT_OK;
}

/* ---- the pool ---- */

int atx_pool_cores(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0)
        return CPU_COUNT(&cores);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than a cpu_set_t holds */
    return online > 0 ? (int)online : 1;
}

static int64_t fair_share(int workers)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double share = 0.75 * machine / workers;
    return share > (double)MOST_BYTES    ? MOST_BYTES
           : share < (double)LEAST_BYTES ? LEAST_BYTES
                                         : (int64_t)share;
}

at_status atx_pool_open(atx_pool **out, atx_pool_options options, at_error *err)
{
    at_status status = AT_OK;
    int count = options.workers > 0 ? options.workers : atx_pool_cores();
    const char *headers = getenv(ATX_HEADERS_ENV);
    atx_pool *pool = calloc(1, sizeof *pool);

    if (count > MAX_WORKERS)
        count = MAX_WORKERS;
    if (pool) {
        pool->deadline_s = options.deadline_s > 0 ? options.deadline_s : DEADLINE_S;
        pool->memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : fair_share(count);
        pool->workers = calloc((size_t)count, sizeof *pool->workers);
        pool->queue = calloc(2 * (size_t)count, sizeof *pool->queue);
        pool->headers = atx_text_copy(headers ? headers : "", headers ? strlen(headers) : 0);
    }
    if (!pool || !pool->workers || !pool->queue || !pool->headers) {
        status = atx_no_memory(err);
        goto done;
    }
    pool->most = count;
    for (pool->count = 0; pool->count < count && pool->broken == AT_OK; pool->count++) {
        worker *w = &pool->workers[pool->count];
        w->site = options.sites ? options.sites[pool->count] : NULL;
        start_worker(pool, w);
    }
    if (pool->broken != AT_OK) {
        status = atx_fail(err, pool->broken, "%s", pool->why.text);
        goto done;
    }
    *out = pool;
    pool = NULL;
done:
    atx_pool_close(pool);
    return status;
}

void atx_pool_close(atx_pool *pool)
{
    if (!pool)
        return;
    for (int i = 0; i < pool->count; i++) /* a worker has nothing to lose; all end at once */
        atx_child_kill(&pool->workers[i].child);
    for (int i = 0; i < pool->count; i++) {
        atx_child_stop(&pool->workers[i].child, 0);
        atx_inbox_clear(&pool->workers[i].inbox);
        if (pool->workers[i].busy)
            atx_str_clear(&pool->workers[i].job.body);
    }
    for (int i = 0; i < pool->queued; i++)
        atx_str_clear(&pool->queue[i].body);
    for (size_t i = 0; i < pool->finished_count; i++)
        atx_compiled_clear(&pool->finished[i]);
    atx_ahead_close(&pool->ahead);
    free(pool->headers);
    free(pool->workers);
    free(pool->queue);
    free(pool->finished);
    free(pool);
}
