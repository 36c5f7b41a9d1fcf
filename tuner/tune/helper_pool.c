/* helper_pool.c - see helper_pool.h. Help requests are known by numbers, since one may be withdrawn while its
 * helper prepares. */
#include "tune/helper_pool.h"

#include "util/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MOMENT_S 0.05 /* the user may want to end, or a problem may be left over */

struct atx_help_request {
    atx_helper_pool *helper_pool;
    atx_help_request *next;
    int64_t id;
    const atx_problem *problem;
    int helping; /* who prepares, has come, or was taken */
    atx_helper *come;
    size_t come_count, come_cap;
    int fd; /* eventfd */
};

struct atx_helper_pool {
    pthread_mutex_t lock;
    pthread_cond_t news;
    atx_help_request *help_requests;
    int64_t ids;
    int at_work;
};

atx_helper_pool *atx_helper_pool_open(void)
{
    atx_helper_pool *helper_pool = calloc(1, sizeof *helper_pool);
    if (helper_pool) {
        pthread_mutex_init(&helper_pool->lock, NULL);
        atx_timed_wait_init(&helper_pool->news);
    }
    return helper_pool;
}

void atx_helper_pool_close(atx_helper_pool *helper_pool)
{
    if (!helper_pool)
        return;
    pthread_mutex_destroy(&helper_pool->lock);
    pthread_cond_destroy(&helper_pool->news);
    free(helper_pool);
}

static void add_at_work(atx_helper_pool *helper_pool, int count)
{
    pthread_mutex_lock(&helper_pool->lock);
    helper_pool->at_work += count;
    pthread_cond_broadcast(&helper_pool->news);
    pthread_mutex_unlock(&helper_pool->lock);
}

void atx_helper_pool_begin(atx_helper_pool *helper_pool)
{
    add_at_work(helper_pool, 1);
}

void atx_helper_pool_end(atx_helper_pool *helper_pool)
{
    add_at_work(helper_pool, -1);
}

bool atx_helper_pool_is_idle(atx_helper_pool *helper_pool)
{
    pthread_mutex_lock(&helper_pool->lock);
    bool idle = helper_pool->at_work == 0;
    pthread_mutex_unlock(&helper_pool->lock);
    return idle;
}

/* ---- help requests ---- */

at_status atx_helper_pool_help_request(atx_help_request **out, atx_helper_pool *helper_pool,
                                       const atx_problem *problem, at_error *err)
{
    atx_help_request *o = calloc(1, sizeof *o);
    if (!o)
        return atx_no_memory(err);
    o->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (o->fd < 0) {
        atx_fail(err, AT_ERR_SYSTEM, "no descriptor is left for a second device: %s", strerror(errno));
        free(o);
        return AT_ERR_SYSTEM;
    }
    o->helper_pool = helper_pool;
    o->problem = problem;
    pthread_mutex_lock(&helper_pool->lock);
    o->id = ++helper_pool->ids;
    o->next = helper_pool->help_requests;
    helper_pool->help_requests = o;
    pthread_cond_broadcast(&helper_pool->news);
    pthread_mutex_unlock(&helper_pool->lock);
    *out = o;
    return AT_OK;
}

bool atx_helper_pool_take(atx_help_request *o, atx_helper *out)
{
    pthread_mutex_lock(&o->helper_pool->lock);
    bool any = o->come_count > 0;
    if (any)
        *out = o->come[--o->come_count];
    uint64_t count;
    ssize_t got = any ? 0 : read(o->fd, &count, sizeof count);
    (void)got;
    pthread_mutex_unlock(&o->helper_pool->lock);
    return any;
}

struct pollfd atx_helper_pool_fd(const atx_help_request *o)
{
    return (struct pollfd){ .fd = o->fd, .events = POLLIN };
}

void atx_helper_pool_withdraw(atx_help_request *o)
{
    if (!o)
        return;
    pthread_mutex_lock(&o->helper_pool->lock);
    atx_help_request **at = &o->helper_pool->help_requests;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    pthread_mutex_unlock(&o->helper_pool->lock);
    for (size_t i = 0; i < o->come_count; i++)
        atx_device_close(o->come[i].device);
    close(o->fd);
    free(o->come);
    free(o);
}

/* ---- helpers ---- */

static atx_help_request *find(const atx_helper_pool *helper_pool, int64_t id)
{
    atx_help_request *o = helper_pool->help_requests;
    while (o && o->id != id)
        o = o->next;
    return o;
}

static bool has_helped(const atx_helped *helped, int64_t id)
{
    bool has = false;
    for (int i = 0; i < ATX_MOST_HELPED; i++)
        has |= helped->ids[i] == id;
    return has;
}

static atx_help_request *neediest(const atx_helper_pool *helper_pool, const atx_helped *helped)
{
    atx_help_request *best = NULL;
    for (atx_help_request *o = helper_pool->help_requests; o; o = o->next)
        if (!has_helped(helped, o->id) && (!best || o->helping <= best->helping)) /* the oldest of equals */
            best = o;
    return best;
}

bool atx_helper_pool_find(atx_helper_pool *helper_pool, int64_t *id, const atx_problem **problem,
                          atx_helped *helped)
{
    pthread_mutex_lock(&helper_pool->lock);
    atx_help_request *o = neediest(helper_pool, helped);
    if (!o && helper_pool->at_work) {
        atx_timed_wait(&helper_pool->news, &helper_pool->lock, atx_now_s() + MOMENT_S);
        o = neediest(helper_pool, helped);
    }
    if (o) {
        o->helping++;
        helped->ids[helped->next] = o->id;
        helped->next = (helped->next + 1) % ATX_MOST_HELPED;
        *id = o->id;
        *problem = o->problem;
    }
    pthread_mutex_unlock(&helper_pool->lock);
    return o;
}

bool atx_helper_pool_wants(atx_helper_pool *helper_pool, int64_t id)
{
    pthread_mutex_lock(&helper_pool->lock);
    bool wanted = find(helper_pool, id);
    pthread_mutex_unlock(&helper_pool->lock);
    return wanted;
}

bool atx_helper_pool_bring(atx_helper_pool *helper_pool, int64_t id, const atx_helper *helper)
{
    uint64_t one = 1;
    pthread_mutex_lock(&helper_pool->lock);
    atx_help_request *o = find(helper_pool, id);
    bool come = o && atx_grow(&o->come, &o->come_cap, o->come_count, sizeof *o->come);
    if (come) {
        o->come[o->come_count++] = *helper;
        ssize_t wrote = write(o->fd, &one, sizeof one);
        (void)wrote; /* full: it rings already */
    }
    pthread_mutex_unlock(&helper_pool->lock);
    return come;
}

void atx_helper_pool_leave(atx_helper_pool *helper_pool, int64_t id)
{
    pthread_mutex_lock(&helper_pool->lock);
    atx_help_request *o = find(helper_pool, id);
    if (o)
        o->helping--;
    pthread_mutex_unlock(&helper_pool->lock);
}
