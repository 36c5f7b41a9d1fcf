/*
 * search_run_slots.c - the devices that measure for a search run: its own, and others of the model that came
 * to help.
 *
 * Cards of one model differ. Before one gets candidates it measures a calibration kernel, the fastest plain
 * copy, as does the search run's own device, which also makes the re-measurement. One that differs by more
 * than the noise gets no candidates. So times are compared as measured: scaling them would be right only for
 * kernels that are limited as the calibration kernel is.
 */
#include "tune/search_run_internal.h"

#include "util/clock.h"

#include <math.h>
#include <stdio.h>

#define CALIBRATION_TAG (-1)
#define CALIBRATIONS    2    /* on every card; the faster one counts */
#define APART           0.02 /* and more where the calibration kernel itself is noisier ... */
#define MOST_APART      0.06 /* ... but not more than what the re-measurement forgives */

at_status atx_search_run_device_slot_own(atx_search_run *c, at_error *err)
{
    if (!atx_grow(&c->devices.device_slots, &c->devices.device_slot_cap, c->devices.device_slot_count,
                  sizeof *c->devices.device_slots))
        return atx_no_memory(err);
    c->devices.device_slots[c->devices.device_slot_count++] =
        (atx_device_slot){ .device = c->env->device, .run_id = c->env->run_id, .ready = true };
    return AT_OK;
}

void atx_search_run_hire(atx_search_run *c, atx_help_request *help_request, atx_search_run *copies)
{
    c->devices.help_request = help_request;
    c->devices.calibration.copies = copies;
}

int atx_search_run_ready_device_slots(const atx_search_run *c)
{
    int count = 0;
    for (size_t i = 0; i < c->devices.device_slot_count; i++)
        count += c->devices.device_slots[i].device && c->devices.device_slots[i].ready;
    return count;
}

/* A device that is still compared with the first has no candidates. */
int atx_search_run_queued(const atx_search_run *c)
{
    int count = 0;
    for (size_t i = 0; i < c->devices.device_slot_count; i++)
        if (c->devices.device_slots[i].device && c->devices.device_slots[i].ready)
            count += atx_device_queued(c->devices.device_slots[i].device);
    return count;
}

int atx_search_run_free_device_slot(const atx_search_run *c)
{
    int best = -1, least = ATX_DEVICE_QUEUE;
    for (size_t i = 0; i < c->devices.device_slot_count; i++) {
        const atx_device_slot *s = &c->devices.device_slots[i];
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
static void widen(const atx_search_run *c)
{
    const atx_pool *pool = c->env->builder.pool;
    int devices = atx_search_run_ready_device_slots(c);
    if (c->proposals.strategy->widen)
        c->proposals.strategy->widen(c->proposals.strategy_state, devices,
                                     (pool ? atx_pool_workers(pool) : 1) + 2 * (devices - 1));
}

static void send_away(atx_search_run *c, size_t device_slot)
{
    atx_device_slot *s = &c->devices.device_slots[device_slot];
    atx_pool *pool = c->env->builder.pool;
    atx_device_close(s->device);
    s->device = NULL;
    if (pool && s->workers)
        atx_pool_shrink(pool, atx_pool_workers(pool) - s->workers);
    if (s->ready)
        c->account.tally.helped_s += atx_now_s() - s->since_s;
    if (s->ready)
        widen(c);
}

void atx_search_run_dismiss(atx_search_run *c)
{
    for (size_t i = 1; i < c->devices.device_slot_count; i++)
        if (c->devices.device_slots[i].device)
            send_away(c, i);
}

static at_status device_slot(atx_search_run *c, const atx_helper *helper, at_error *err)
{
    atx_pool *pool = c->env->builder.pool;
    if (!atx_grow(&c->devices.device_slots, &c->devices.device_slot_cap, c->devices.device_slot_count,
                  sizeof *c->devices.device_slots)) {
        atx_device_close(helper->device);
        return atx_no_memory(err);
    }
    atx_device_slot *s = &c->devices.device_slots[c->devices.device_slot_count++];
    *s = (atx_device_slot){ .device = helper->device, .run_id = helper->run_id };
    if (!pool)
        return AT_OK;
    int before = atx_pool_workers(pool);
    at_status status = atx_pool_grow(pool, before + helper->workers, helper->sites, err);
    s->workers = atx_pool_workers(pool) - before; /* a pool has only so many */
    return status;
}

at_status atx_search_run_lose(atx_search_run *c, size_t device_slot, at_status status, const at_error *why,
                              at_error *err)
{
    if (device_slot == 0)
        return atx_fail(err, status, "%s", why->text);
    if (status != AT_ERR_CANCELLED)
        atx_env_warn(c->env, "GPU %d, which took part in %s, is lost, and others go on without it: %s",
                     atx_device_info_of(c->devices.device_slots[device_slot].device)->ordinal, c->key.shape,
                     why->text);
    send_away(c, device_slot);
    status = AT_OK;
    for (size_t i = 0; i < c->candidates.candidate_count && status == AT_OK; i++) {
        atx_candidate *a = c->candidates.candidates[i];
        if (a->device_slot == (int)device_slot && a->away) {
            a->away = false;
            status = atx_search_run_make_ready(c, i, err);
        }
    }
    return status;
}

/* ---- the calibration kernel ---- */

bool atx_search_run_is_calibration(const atx_measured *m)
{
    return m->tag == CALIBRATION_TAG;
}

/* No other device can be compared with the search run's own. */
static void work_alone(atx_search_run *c)
{
    c->devices.calibration.failed = true;
    atx_search_run_dismiss(c);
}

static at_status choose_calibration(atx_search_run *c, at_error *err)
{
    atx_calibration *g = &c->devices.calibration;
    atx_candidate *of_copies = NULL;
    atx_candidate *a = NULL;
    int count = 0;
    at_status status = AT_OK;
    if (g->copies)
        status = atx_search_run_leaders(g->copies, &of_copies, &count, 1, 0, err);
    g->is_copy = count > 0;
    a = g->is_copy ? of_copies : c->account.tally.best;
    if (status == AT_OK && a)
        status = atx_search_run_kernel(&g->kernel, g->is_copy ? g->copies : c, a, err);
    g->chosen = status == AT_OK && a;
    if (status == AT_OK || status == AT_ERR_MEMORY || status == AT_ERR_CANCELLED)
        return status;
    work_alone(c); /* no launch can be made of it */
    return AT_OK;
}

static at_status ask_for_calibration(atx_search_run *c, atx_device_slot *s, bool *progressed, at_error *err)
{
    atx_trial trial = { .tag = CALIBRATION_TAG,
                        .kernel = c->devices.calibration.kernel,
                        .is_copy = c->devices.calibration.is_copy };
    at_status status = AT_OK;
    while (status == AT_OK && s->asked < CALIBRATIONS && atx_device_queued(s->device) < ATX_DEVICE_QUEUE) {
        status = atx_device_submit(s->device, &trial, err);
        s->asked++;
        *progressed = true;
    }
    return status;
}

static bool is_like(const atx_device_slot *a, const atx_device_slot *b)
{
    double limit = fmin(MOST_APART, fmax(APART, a->calibration_spread + b->calibration_spread));
    return fabs(a->calibration_s / b->calibration_s - 1) <= limit;
}

static void trace_comparison(const atx_search_run *c, const atx_device_slot *s, const atx_device_slot *own)
{
    char text[64];
    int ordinal = atx_device_info_of(s->device)->ordinal;
    snprintf(text, sizeof text, "%.4f times as long here", s->calibration_s / own->calibration_s);
    atx_trace_span(c->env->options->trace, (atx_trace_row){ ATX_TRACK_DEVICE, ordinal < 0 ? 0 : ordinal, 0 },
                   "compared", text, s->since_s, s->since_s);
}

/* Those that were compared with the first. */
static void admit_compared(atx_search_run *c)
{
    const atx_device_slot *own = &c->devices.device_slots[0];
    for (size_t i = 1; i < c->devices.device_slot_count && own->calibrated >= CALIBRATIONS; i++) {
        atx_device_slot *s = &c->devices.device_slots[i];
        if (!s->device || s->ready || s->calibrated < CALIBRATIONS)
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
                     atx_device_info_of(s->device)->ordinal, c->key.shape,
                     s->calibration_s / own->calibration_s, atx_device_info_of(own->device)->ordinal);
        send_away(c, i);
    }
}

void atx_search_run_calibrated(atx_search_run *c, size_t device_slot, const atx_measured *m)
{
    atx_device_slot *s = &c->devices.device_slots[device_slot];
    if (m->outcome != ATX_TIMED) {
        if (device_slot == 0)
            work_alone(c);
        else
            send_away(c, device_slot);
        return;
    }
    if (!s->calibrated || m->timing.median_s < s->calibration_s) {
        s->calibration_s = m->timing.median_s;
        s->calibration_spread = m->timing.spread;
    }
    s->calibrated++;
    admit_compared(c);
}

at_status atx_search_run_admit(atx_search_run *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    atx_helper helper;
    bool any = false;
    while (status == AT_OK && c->devices.help_request &&
           atx_helper_pool_take(c->devices.help_request, &helper)) {
        if (c->devices.calibration.failed || c->account.tally.interrupted)
            atx_device_close(helper.device);
        else
            status = device_slot(c, &helper, err);
        *progressed = true;
    }
    if (!c->devices.help_request || c->account.tally.interrupted)
        return status;
    for (size_t i = 1; i < c->devices.device_slot_count; i++)
        any |= c->devices.device_slots[i].device && !c->devices.device_slots[i].ready;
    if (status == AT_OK && any && !c->devices.calibration.chosen)
        status = choose_calibration(c, err);
    for (size_t i = 0;
         i < c->devices.device_slot_count && status == AT_OK && any && c->devices.calibration.chosen; i++)
        if (c->devices.device_slots[i].device)
            status = ask_for_calibration(c, &c->devices.device_slots[i], progressed, err);
    return status;
}
