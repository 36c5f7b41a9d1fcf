/* crew.c - see crew.h. Offers are known by numbers, since one may be withdrawn while its helper prepares. */
#include "tune/crew.h"

#include "util/clock.h"
#include "util/timed_wait.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MOMENT_S 0.05 /* the user may want to end, or a problem may be left over */

struct at__offer {
    at__crew *crew;
    at__offer *next;
    int64_t id;
    const at__problem *problem;
    int helping; /* who prepares, has come, or was taken */
    at__helper *come;
    size_t come_count, come_cap;
    int fd; /* eventfd */
};

struct at__crew {
    pthread_mutex_t lock;
    pthread_cond_t news;
    at__offer *offers;
    int64_t ids;
    int at_work;
};

at__crew *at__crew_open(void)
{
    at__crew *crew = calloc(1, sizeof *crew);
    if (crew) {
        pthread_mutex_init(&crew->lock, NULL);
        at__timed_wait_init(&crew->news);
    }
    return crew;
}

void at__crew_close(at__crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->news);
    free(crew);
}

static void add_at_work(at__crew *crew, int count)
{
    pthread_mutex_lock(&crew->lock);
    crew->at_work += count;
    pthread_cond_broadcast(&crew->news);
    pthread_mutex_unlock(&crew->lock);
}

void at__crew_begin(at__crew *crew)
{
    add_at_work(crew, 1);
}

void at__crew_end(at__crew *crew)
{
    add_at_work(crew, -1);
}

bool at__crew_is_idle(at__crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    bool idle = crew->at_work == 0;
    pthread_mutex_unlock(&crew->lock);
    return idle;
}

/* ---- offers ---- */

at_status at__crew_offer(at__offer **out, at__crew *crew, const at__problem *problem, at_error *err)
{
    at__offer *o = calloc(1, sizeof *o);
    if (!o)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    o->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (o->fd < 0) {
        at_fail(err, AT_ERR_SYSTEM, "no descriptor is left for a second device: %s", strerror(errno));
        free(o);
        return AT_ERR_SYSTEM;
    }
    o->crew = crew;
    o->problem = problem;
    pthread_mutex_lock(&crew->lock);
    o->id = ++crew->ids;
    o->next = crew->offers;
    crew->offers = o;
    pthread_cond_broadcast(&crew->news);
    pthread_mutex_unlock(&crew->lock);
    *out = o;
    return AT_OK;
}

bool at__crew_take(at__offer *o, at__helper *out)
{
    pthread_mutex_lock(&o->crew->lock);
    bool any = o->come_count > 0;
    if (any)
        *out = o->come[--o->come_count];
    uint64_t count;
    ssize_t got = any ? 0 : read(o->fd, &count, sizeof count); /* it was heard */
    (void)got;
    pthread_mutex_unlock(&o->crew->lock);
    return any;
}

struct pollfd at__crew_fd(const at__offer *o)
{
    return (struct pollfd){ .fd = o->fd, .events = POLLIN };
}

void at__crew_withdraw(at__offer *o)
{
    if (!o)
        return;
    pthread_mutex_lock(&o->crew->lock);
    at__offer **at = &o->crew->offers;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    pthread_mutex_unlock(&o->crew->lock);
    for (size_t i = 0; i < o->come_count; i++)
        at__device_close(o->come[i].device);
    close(o->fd);
    free(o->come);
    free(o);
}

/* ---- helpers ---- */

static at__offer *find(const at__crew *crew, int64_t id)
{
    at__offer *o = crew->offers;
    while (o && o->id != id)
        o = o->next;
    return o;
}

static bool has_helped(const at__helped *helped, int64_t id)
{
    bool has = false;
    for (int i = 0; i < AT__MOST_HELPED; i++)
        has |= helped->ids[i] == id;
    return has;
}

static at__offer *neediest(const at__crew *crew, const at__helped *helped)
{
    at__offer *best = NULL;
    for (at__offer *o = crew->offers; o; o = o->next)
        if (!has_helped(helped, o->id) && (!best || o->helping <= best->helping)) /* the oldest of equals */
            best = o;
    return best;
}

bool at__crew_find(at__crew *crew, int64_t *id, const at__problem **problem, at__helped *helped)
{
    pthread_mutex_lock(&crew->lock);
    at__offer *o = neediest(crew, helped);
    if (!o && crew->at_work) {
        at__timed_wait(&crew->news, &crew->lock, at__now_s() + MOMENT_S);
        o = neediest(crew, helped);
    }
    if (o) {
        o->helping++;
        helped->ids[helped->next] = o->id;
        helped->next = (helped->next + 1) % AT__MOST_HELPED;
        *id = o->id;
        *problem = o->problem;
    }
    pthread_mutex_unlock(&crew->lock);
    return o;
}

bool at__crew_wants(at__crew *crew, int64_t id)
{
    pthread_mutex_lock(&crew->lock);
    bool wanted = find(crew, id);
    pthread_mutex_unlock(&crew->lock);
    return wanted;
}

bool at__crew_bring(at__crew *crew, int64_t id, const at__helper *helper)
{
    uint64_t one = 1;
    pthread_mutex_lock(&crew->lock);
    at__offer *o = find(crew, id);
    bool come = o && at__grow(&o->come, &o->come_cap, o->come_count, sizeof *o->come);
    if (come) {
        o->come[o->come_count++] = *helper;
        ssize_t wrote = write(o->fd, &one, sizeof one);
        (void)wrote; /* full: it rings already */
    }
    pthread_mutex_unlock(&crew->lock);
    return come;
}

void at__crew_leave(at__crew *crew, int64_t id)
{
    pthread_mutex_lock(&crew->lock);
    at__offer *o = find(crew, id);
    if (o)
        o->helping--;
    pthread_mutex_unlock(&crew->lock);
}
