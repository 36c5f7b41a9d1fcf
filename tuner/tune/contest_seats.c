/*
 * contest_seats.c - the devices that measure for a contest: its own, and others of the model that came to
 * help.
 *
 * Cards of one model differ. Before one gets candidates it measures a gauge, the fastest plain copy, as does
 * the contest's own device, which plays the final. One that is further apart than the noise is sent away:
 * figures are then comparable as they are, and none is scaled, which would be right only for kernels that
 * are limited as the gauge is.
 */
#include "tune/contest_parts.h"

#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <stdio.h>

#define GAUGE_TAG  (-1)
#define GAUGES     2    /* on every card; the faster one counts */
#define APART      0.02 /* and more where the gauge itself is noisier ... */
#define MOST_APART 0.06 /* ... but not more than what the final forgives */

at_status atx_contest_seat_own(atx_contest *c, at_error *err)
{
    if (!atx_grow(&c->seats, &c->seat_cap, c->seat_count, sizeof *c->seats))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    c->seats[c->seat_count++] =
        (atx_seat){ .device = c->env->device, .run_id = c->env->run_id, .ready = true };
    return AT_OK;
}

void atx_contest_hire(atx_contest *c, atx_offer *offer, atx_contest *copies)
{
    c->offer = offer;
    c->gauge.copies = copies;
}

int atx_contest_ready_seats(const atx_contest *c)
{
    int count = 0;
    for (size_t i = 0; i < c->seat_count; i++)
        count += c->seats[i].device && c->seats[i].ready;
    return count;
}

/* One that is still compared with the first has nothing that anybody waits for. */
int atx_contest_queued(const atx_contest *c)
{
    int count = 0;
    for (size_t i = 0; i < c->seat_count; i++)
        if (c->seats[i].device && c->seats[i].ready)
            count += atx_device_queued(c->seats[i].device);
    return count;
}

int atx_contest_free_seat(const atx_contest *c)
{
    int best = -1, least = ATX_DEVICE_QUEUE;
    for (size_t i = 0; i < c->seat_count; i++) {
        const atx_seat *s = &c->seats[i];
        int queued = s->device && s->ready ? atx_device_queued(s->device) : least;
        if (queued < least) {
            least = queued;
            best = (int)i;
        }
    }
    return best;
}

/* ---- coming and going ---- */

/* The strategy knows for how many it proposes: two more are under way for each. */
static void widen(const atx_contest *c)
{
    const atx_pool *pool = c->env->builder.pool;
    int devices = atx_contest_ready_seats(c);
    if (c->strategy->widen)
        c->strategy->widen(c->strategy_state, devices,
                           (pool ? atx_pool_workers(pool) : 1) + 2 * (devices - 1));
}

static void send_away(atx_contest *c, size_t seat)
{
    atx_seat *s = &c->seats[seat];
    atx_pool *pool = c->env->builder.pool;
    atx_device_close(s->device);
    s->device = NULL;
    if (pool && s->workers)
        atx_pool_shrink(pool, atx_pool_workers(pool) - s->workers);
    if (s->ready)
        c->tally.helped_s += atx_now_s() - s->since_s;
    if (s->ready)
        widen(c);
}

void atx_contest_dismiss(atx_contest *c)
{
    for (size_t i = 1; i < c->seat_count; i++)
        if (c->seats[i].device)
            send_away(c, i);
}

static at_status seat(atx_contest *c, const atx_helper *helper, at_error *err)
{
    atx_pool *pool = c->env->builder.pool;
    if (!atx_grow(&c->seats, &c->seat_cap, c->seat_count, sizeof *c->seats)) {
        atx_device_close(helper->device);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    atx_seat *s = &c->seats[c->seat_count++];
    *s = (atx_seat){ .device = helper->device, .run_id = helper->run_id };
    if (!pool)
        return AT_OK;
    int before = atx_pool_workers(pool);
    at_status status = atx_pool_grow(pool, before + helper->workers, helper->sites, err);
    s->workers = atx_pool_workers(pool) - before; /* a pool has only so many */
    return status;
}

at_status atx_contest_lose(atx_contest *c, size_t seat, at_status status, const at_error *why, at_error *err)
{
    if (seat == 0)
        return at_fail(err, status, "%s", why->text);
    if (status != AT_ERR_CANCELLED)
        atx_env_warn(c->env, "GPU %d, which took part in %s, is lost, and others go on without it: %s",
                     atx_device_info_of(c->seats[seat].device)->ordinal, c->key.shape, why->text);
    send_away(c, seat);
    status = AT_OK;
    for (size_t i = 0; i < c->candidate_count && status == AT_OK; i++) {
        atx_candidate *a = c->candidates[i];
        if (a->seat == (int)seat && a->away) {
            a->away = false;
            status = atx_contest_make_ready(c, i, err);
        }
    }
    return status;
}

/* ---- the gauge ---- */

bool atx_contest_is_gauge(const atx_measured *m)
{
    return m->tag == GAUGE_TAG;
}

/* Nobody can be compared with the contest's own device. */
static void work_alone(atx_contest *c)
{
    c->gauge.failed = true;
    atx_contest_dismiss(c);
}

static at_status choose_gauge(atx_contest *c, at_error *err)
{
    atx_gauge *g = &c->gauge;
    atx_candidate *of_copies = NULL;
    const atx_candidate *a = NULL;
    int count = 0;
    at_status status = AT_OK;
    if (g->copies)
        status = atx_contest_leaders(g->copies, &of_copies, &count, 1, 0, err);
    g->is_copy = count > 0;
    a = g->is_copy ? of_copies : c->tally.best;
    if (status == AT_OK && a)
        status = atx_contest_kernel(&g->kernel, g->is_copy ? g->copies : c, a, err);
    g->chosen = status == AT_OK && a;
    if (status == AT_OK || status == AT_ERR_MEMORY || status == AT_ERR_CANCELLED)
        return status;
    work_alone(c); /* no launch can be made of it */
    return AT_OK;
}

static at_status ask_for_gauge(atx_contest *c, atx_seat *s, bool *progressed, at_error *err)
{
    atx_trial trial = { .tag = GAUGE_TAG, .kernel = c->gauge.kernel, .is_copy = c->gauge.is_copy };
    at_status status = AT_OK;
    while (status == AT_OK && s->asked < GAUGES && atx_device_queued(s->device) < ATX_DEVICE_QUEUE) {
        status = atx_device_submit(s->device, &trial, err);
        s->asked++;
        *progressed = true;
    }
    return status;
}

static bool is_like(const atx_seat *a, const atx_seat *b)
{
    double limit = fmin(MOST_APART, fmax(APART, a->gauge_spread + b->gauge_spread));
    return fabs(a->gauge_s / b->gauge_s - 1) <= limit;
}

static void trace_comparison(const atx_contest *c, const atx_seat *s, const atx_seat *own)
{
    char text[64];
    int ordinal = atx_device_info_of(s->device)->ordinal;
    snprintf(text, sizeof text, "%.4f times as long here", s->gauge_s / own->gauge_s);
    atx_trace_span(c->env->options->trace, ATX_TRACK_DEVICE, ordinal < 0 ? 0 : ordinal, 0, "compared", text,
                   s->since_s, s->since_s);
}

/* Those that were compared with the first. */
static void judge(atx_contest *c)
{
    const atx_seat *own = &c->seats[0];
    for (size_t i = 1; i < c->seat_count && own->gauged >= GAUGES; i++) {
        atx_seat *s = &c->seats[i];
        if (!s->device || s->ready || s->gauged < GAUGES)
            continue;
        s->ready = is_like(s, own);
        s->since_s = atx_now_s();
        trace_comparison(c, s, own);
        if (s->ready) {
            widen(c);
            continue;
        }
        atx_env_warn(c->env,
                     "GPU %d does not take part in %s: the same copy takes %.3f times as long on it as on "
                     "GPU %d, and times of both would not compare",
                     atx_device_info_of(s->device)->ordinal, c->key.shape, s->gauge_s / own->gauge_s,
                     atx_device_info_of(own->device)->ordinal);
        send_away(c, i);
    }
}

void atx_contest_gauged(atx_contest *c, size_t seat, const atx_measured *m)
{
    atx_seat *s = &c->seats[seat];
    if (m->outcome != ATX_TIMED) {
        if (seat == 0)
            work_alone(c);
        else
            send_away(c, seat);
        return;
    }
    if (!s->gauged || m->timing.median_s < s->gauge_s) {
        s->gauge_s = m->timing.median_s;
        s->gauge_spread = m->timing.spread;
    }
    s->gauged++;
    judge(c);
}

at_status atx_contest_admit(atx_contest *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    atx_helper helper;
    bool anybody = false;
    while (status == AT_OK && c->offer && atx_crew_take(c->offer, &helper)) {
        if (c->gauge.failed || c->tally.interrupted)
            atx_device_close(helper.device);
        else
            status = seat(c, &helper, err);
        *progressed = true;
    }
    if (!c->offer || c->tally.interrupted)
        return status;
    for (size_t i = 1; i < c->seat_count; i++)
        anybody |= c->seats[i].device && !c->seats[i].ready;
    if (status == AT_OK && anybody && !c->gauge.chosen)
        status = choose_gauge(c, err);
    for (size_t i = 0; i < c->seat_count && status == AT_OK && anybody && c->gauge.chosen; i++)
        if (c->seats[i].device)
            status = ask_for_gauge(c, &c->seats[i], progressed, err);
    return status;
}
