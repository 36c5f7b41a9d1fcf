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

struct atx_offer {
    atx_crew *crew;
    atx_offer *next;
    int64_t id;
    const atx_problem *problem;
    int helping; /* who prepares, has come, or was taken */
    atx_helper *come;
    size_t come_count, come_cap;
    int fd; /* eventfd */
};

struct atx_crew {
    pthread_mutex_t lock;
    pthread_cond_t news;
    atx_offer *offers;
    int64_t ids;
    int at_work;
};

atx_crew *atx_crew_open(void)
{
    atx_crew *crew = calloc(1, sizeof *crew);
    if (crew) {
        pthread_mutex_init(&crew->lock, NULL);
        atx_timed_wait_init(&crew->news);
    }
    return crew;
}

void atx_crew_close(atx_crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->news);
    free(crew);
}

static void add_at_work(atx_crew *crew, int count)
{
    pthread_mutex_lock(&crew->lock);
    crew->at_work += count;
    pthread_cond_broadcast(&crew->news);
    pthread_mutex_unlock(&crew->lock);
}

void atx_crew_begin(atx_crew *crew)
{
    add_at_work(crew, 1);
}

void atx_crew_end(atx_crew *crew)
{
    add_at_work(crew, -1);
}

bool atx_crew_is_idle(atx_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    bool idle = crew->at_work == 0;
    pthread_mutex_unlock(&crew->lock);
    return idle;
}

/* ---- offers ---- */

at_status atx_crew_offer(atx_offer **out, atx_crew *crew, const atx_problem *problem, at_error *err)
{
    atx_offer *o = calloc(1, sizeof *o);
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

bool atx_crew_take(atx_offer *o, atx_helper *out)
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

struct pollfd atx_crew_fd(const atx_offer *o)
{
    return (struct pollfd){ .fd = o->fd, .events = POLLIN };
}

void atx_crew_withdraw(atx_offer *o)
{
    if (!o)
        return;
    pthread_mutex_lock(&o->crew->lock);
    atx_offer **at = &o->crew->offers;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    pthread_mutex_unlock(&o->crew->lock);
    for (size_t i = 0; i < o->come_count; i++)
        atx_device_close(o->come[i].device);
    close(o->fd);
    free(o->come);
    free(o);
}

/* ---- helpers ---- */

static atx_offer *find(const atx_crew *crew, int64_t id)
{
    atx_offer *o = crew->offers;
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

static atx_offer *neediest(const atx_crew *crew, const atx_helped *helped)
{
    atx_offer *best = NULL;
    for (atx_offer *o = crew->offers; o; o = o->next)
        if (!has_helped(helped, o->id) && (!best || o->helping <= best->helping)) /* the oldest of equals */
            best = o;
    return best;
}

bool atx_crew_find(atx_crew *crew, int64_t *id, const atx_problem **problem, atx_helped *helped)
{
    pthread_mutex_lock(&crew->lock);
    atx_offer *o = neediest(crew, helped);
    if (!o && crew->at_work) {
        atx_timed_wait(&crew->news, &crew->lock, atx_now_s() + MOMENT_S);
        o = neediest(crew, helped);
    }
    if (o) {
        o->helping++;
        helped->ids[helped->next] = o->id;
        helped->next = (helped->next + 1) % ATX_MOST_HELPED;
        *id = o->id;
        *problem = o->problem;
    }
    pthread_mutex_unlock(&crew->lock);
    return o;
}

bool atx_crew_wants(atx_crew *crew, int64_t id)
{
    pthread_mutex_lock(&crew->lock);
    bool wanted = find(crew, id);
    pthread_mutex_unlock(&crew->lock);
    return wanted;
}

bool atx_crew_bring(atx_crew *crew, int64_t id, const atx_helper *helper)
{
    uint64_t one = 1;
    pthread_mutex_lock(&crew->lock);
    atx_offer *o = find(crew, id);
    bool come = o && atx_grow(&o->come, &o->come_cap, o->come_count, sizeof *o->come);
    if (come) {
        o->come[o->come_count++] = *helper;
        ssize_t wrote = write(o->fd, &one, sizeof one);
        (void)wrote; /* full: it rings already */
    }
    pthread_mutex_unlock(&crew->lock);
    return come;
}

void atx_crew_leave(atx_crew *crew, int64_t id)
{
    pthread_mutex_lock(&crew->lock);
    atx_offer *o = find(crew, id);
    if (o)
        o->helping--;
    pthread_mutex_unlock(&crew->lock);
}
