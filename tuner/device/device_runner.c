/*
 * device_runner.c - a device that is a runner process: the supervisor's end of runner_wire.h.
 *
 * Trials are sent ahead, up to ATX_DEVICE_QUEUE, and answered in order: the trial that a runner was working
 * on when it died or hung is the head of the queue. Invariant: the queue holds every trial without an
 * outcome, whole, and `setup` the open problem. So a runner can be replaced at any time: start another one,
 * send the problem and the queue again.
 */
#include "device/device_runner_internal.h"

#include "util/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETUP_DEADLINE_S 120.0
#define STOP_GRACE_S     2.0
#define REPLAY_DEADLINE_S                                                                                    \
    60.0 /* it takes as long as was recorded, also for trials that did not end in time */

/*
 * A crash is tried once more, alone at the head of a new process: a fault may come to light after the kernel
 * that caused it. So is a trial that did not end: its runner may have been stopped by a debugger, a suspended
 * container, a machine that swaps. So is a launch that failed where the refusal may pass: memory that earlier
 * kernels or other programs hold, an unknown error. Templates that fail always would take twice as
 * long, so after some that failed again in the same way the others of the problem are believed at once.
 */
#define MAX_CONFIRMED 8

/* The device that our functions were given is one of ours. */
static atx_runner *ours(atx_device *device)
{
    return (atx_runner *)device;
}

static const atx_runner *our_const(const atx_device *device)
{
    return (const atx_runner *)device;
}

static at_status spawn(atx_runner *d, at_error *err)
{
    const char *argv[] = { "autotune", "__device", d->spec, NULL };
    return atx_child_spawn_at(&d->child, d->site, argv, err);
}

/* Half-way. */
static void tell_found(const atx_runner *d, const atx_str *body)
{
    atx_reader in = { body->data, body->data + body->len, false };
    if (d->base.found)
        d->base.found(d->base.context, (int)atx_get_i64(&in));
}

/* A child that was spawned before is waited for. */
static at_status start_once(atx_runner *d, at_error *err)
{
    atx_str body = { 0 };
    at_status status = atx_runner_has_died(d) ? spawn(d, err) : AT_OK;
    ATX_THEN(status, atx_runner_expect(d, ATX_FOUND, &body, SETUP_DEADLINE_S, err));
    if (status == AT_OK) {
        tell_found(d, &body);
        status = atx_runner_expect(d, ATX_HELLO, &body, SETUP_DEADLINE_S, err);
    }
    if (status == AT_OK) {
        atx_reader in = { body.data, body.data + body.len, false };
        if (!atx_read_plain(&d->base.info, sizeof d->base.info, &in))
            status = atx_fail(err, AT_ERR_SYSTEM, "the device runner is another version of autotune");
        else if (d->number >= 0 && !d->recording)
            d->base.info.ordinal = d->number;
    }
    atx_str_clear(&body);
    return status;
}

static at_status start_runner(atx_runner *d, at_error *err)
{
    at_status status = start_once(d, err);
    for (int i = 1; i < ATX_MAX_STARTS && status == AT_ERR_DEVICE && atx_runner_may_try_again(d); i++)
        status = start_once(d, err);
    return status;
}

static void forget_queue(atx_runner *d)
{
    for (int i = 0; i < d->queue_count; i++)
        atx_str_clear(&d->queue[i].body);
    d->queue_count = 0;
}

static void runner_close(atx_device *device)
{
    ATX_FREED atx_runner *d = ours(device);
    atx_child_stop(&d->child, STOP_GRACE_S);
    forget_queue(d);
    atx_str_clear(&d->setup);
    atx_device_close(d->recording);
    free(d->spec);
}

at_status atx_device_count(int *out, atx_cancel *cancel, at_error *err)
{
    return atx_device_uuids(NULL, out, 0, cancel, err);
}

at_status atx_device_uuids(char (*uuids)[64], int *out, int most, atx_cancel *cancel, at_error *err)
{
    atx_runner d = { .base.cancel = cancel, .ordinal = ATX_COUNT_DEVICES };
    atx_str body = { 0 };
    const char *argv[] = { "autotune", "__device", "-1", NULL };
    int64_t count = 0;

    at_status status = atx_child_spawn(&d.child, argv, err);
    ATX_THEN(status, atx_runner_expect(&d, ATX_READY, &body, SETUP_DEADLINE_S, err));
    if (status == AT_OK) {
        atx_reader in = { body.data, body.data + body.len, false };
        count = atx_get_i64(&in);
        for (int i = 0; i < count && i < most; i++)
            snprintf(uuids[i], sizeof uuids[i], "%s", atx_get_text(&in));
        *out = (int)(uuids && count > most ? most : count);
    }
    atx_child_stop(&d.child, STOP_GRACE_S);
    atx_str_clear(&body);
    return status;
}

static at_status open_problem(atx_runner *d, at_error *err)
{
    ATX_LOCAL(atx_str) body = { 0 };
    return atx_runner_ask(d, ATX_SETUP, &d->setup, ATX_READY, &body, SETUP_DEADLINE_S, err);
}

static at_status start_again(atx_runner *d, at_error *err)
{
    atx_child_stop(&d->child, 0);
    d->waits = false;
    at_status status = start_runner(d, err);
    d->base.lost = status != AT_OK && status != AT_ERR_CANCELLED;
    return status == AT_OK && d->setup.len ? open_problem(d, err) : status;
}

static bool head_has_time(void *context)
{
    atx_runner *d = context;
    return atx_wait_time_waited_s(&d->head) <= d->deadline_s;
}

/*
 * A runner that died meanwhile is found by the next pump, which sends the queue again. So is one that hangs
 * with so much behind it that no more can be sent: its head has no time left then.
 */
static at_status send_trial(atx_runner *d, const atx_queued *q, at_error *err)
{
    at_status status = atx_wire_send_while(d->child.fd, ATX_TRIAL, &q->body, head_has_time, d, err);
    return status == AT_ERR_SYSTEM ? AT_OK : status;
}

at_status atx_runner_restart(atx_runner *d, at_error *err)
{
    at_status status = start_again(d, err);
    for (int i = 1;
         i < ATX_MAX_STARTS && status == AT_ERR_DEVICE && !d->base.lost && atx_runner_may_try_again(d); i++)
        status = start_again(d, err);
    d->head = atx_wait_time_begin();
    for (int i = 0; i < d->queue_count && status == AT_OK; i++)
        status = send_trial(d, &d->queue[i], err);
    return status;
}

static at_status runner_setup(atx_device *device, const atx_setup *setup, at_error *err)
{
    atx_runner *d = ours(device);
    at_error cause = { 0 };
    forget_queue(d);
    d->silences = 0;
    memset(d->confirmed, 0, sizeof d->confirmed);
    d->deadline_s = d->recording ? REPLAY_DEADLINE_S : atx_trial_deadline_s(setup);
    atx_str_reset(&d->setup);
    atx_write_setup(&d->setup, setup);
    ATX_TRY(atx_str_status(&d->setup, err));
    at_status status = open_problem(d, &cause);
    if (status == AT_ERR_DEVICE && atx_runner_has_died(d))
        status = atx_runner_restart(d, &cause);
    if (status == AT_OK)
        return AT_OK;
    if (status == AT_ERR_CANCELLED) {
        atx_str_reset(&d->setup);
        return atx_fail(err, status, "%s", cause.text);
    }
    /* A reference that faults leaves a ruined runner: the next problem deserves a new one. */
    atx_str_reset(&d->setup);
    at_status again = atx_runner_restart(d, err);
    return again == AT_OK ? atx_fail(err, status, "%s", cause.text) : again;
}

static int runner_queued(const atx_device *device)
{
    return our_const(device)->queue_count;
}

static at_status runner_submit(atx_device *device, const atx_trial *trial, at_error *err)
{
    atx_runner *d = ours(device);
    if (d->queue_count == ATX_DEVICE_QUEUE)
        return atx_bug(err, "the device's queue is full");
    atx_queued *q = &d->queue[d->queue_count];
    *q = (atx_queued){ .tag = trial->tag };
    atx_write_trial(&q->body, trial);
    at_status status = atx_str_status(&q->body, err);
    if (status != AT_OK) {
        atx_str_clear(&q->body);
        return status;
    }
    if (d->queue_count++ == 0)
        d->head = atx_wait_time_begin();
    return send_trial(d, q, err);
}

static struct pollfd runner_fd(const atx_device *device)
{
    const atx_runner *d = our_const(device);
    return (struct pollfd){ .fd = atx_runner_has_died(d) ? -1 : d->child.fd, .events = POLLIN };
}

static void pop(atx_runner *d)
{
    atx_str_clear(&d->queue[0].body);
    d->queue_count--;
    memmove(d->queue, d->queue + 1, (size_t)d->queue_count * sizeof *d->queue);
    d->head = atx_wait_time_begin();
}

/* Whether the head of the queue gets a second chance; how the first ended is told when the second ends. */
static bool suspect(atx_runner *d, atx_outcome outcome)
{
    atx_queued *head = &d->queue[0];
    if (!d->queue_count || head->again || d->confirmed[outcome] >= MAX_CONFIRMED)
        return false;
    head->again = true;
    return true;
}

/* The head of the queue has an outcome. */
static void conclude(atx_runner *d, atx_measured *out, bool failed)
{
    size_t len = strlen(out->log);
    if (failed && d->queue[0].again) {
        d->confirmed[out->outcome]++;
        snprintf(out->log + len, sizeof out->log - len, "%s", ATX_AGAIN);
    }
    pop(d);
}

/* The trial at the head of the queue took its runner with it. */
static at_status blame_head(atx_runner *d, atx_measured *out, bool *got, atx_outcome outcome, const char *why,
                            at_error *err)
{
    d->silences = 0;
    if (outcome == ATX_TIMED_OUT && !d->queue[0].again && atx_cancel_asked(d->base.cancel)) {
        forget_queue(d); /* a second deadline is not waited for, and one is no proof */
        return atx_runner_restart(d, err);
    }
    if (suspect(d, outcome))
        return atx_runner_restart(d, err);
    if (d->queue_count) {
        *out = (atx_measured){ .tag = d->queue[0].tag,
                               .outcome = outcome,
                               .resources = ATX_RESOURCES_UNKNOWN,
                               .conditions = ATX_CONDITIONS_UNKNOWN };
        out->busy_s = atx_wait_time_waited_s(&d->head);
        snprintf(out->log, sizeof out->log, "%s", why);
        *got = true;
        conclude(d, out, true);
    }
    return atx_runner_restart(d, err);
}

/* The runner itself reports the head of the queue. */
static at_status hear(atx_runner *d, const atx_measured *m, atx_measured *out, bool *got, at_error *err)
{
    bool failed = m->outcome == ATX_LAUNCH_FAILED && m->doubtful;
    if (failed && suspect(d, m->outcome))
        return atx_runner_restart(d, err);
    *out = *m;
    *got = true;
    conclude(d, out, failed);
    return AT_OK;
}

static at_status take_frame(atx_runner *d, atx_measured *out, bool *got, at_error *err)
{
    ATX_LOCAL(atx_str) body = { 0 };
    uint32_t kind = 0;
    atx_measured m;
    at_error cause = { 0 };

    at_status status = atx_runner_receive(d, &kind, &body, 0.0, &cause);
    atx_reader in = { atx_str_text(&body), atx_str_text(&body) + body.len, false };
    if (status != AT_OK) {
        status = blame_head(d, out, got, ATX_CRASHED, cause.text, err);
    } else if (atx_runner_is_turn(d, kind)) {
        status = AT_OK;
    } else if (kind == ATX_FAILED) {
        status = atx_runner_failure(&body, &cause);
        status = status == AT_ERR_INTERNAL ? atx_fail(err, status, "%s", cause.text) /* no kernel's fault */
                                           : blame_head(d, out, got, ATX_CRASHED, cause.text, err);
    } else if (kind == ATX_MEASURED && d->queue_count && atx_read_plain(&m, sizeof m, &in)) {
        status = hear(d, &m, out, got, err);
    } else {
        status = atx_bug(err, "the device runner sent message %u when a trial was under way", (unsigned)kind);
    }
    return status;
}

static at_status runner_pump(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    char why[96];
    atx_runner *d = ours(device);
    struct pollfd fd = runner_fd(device);

    *got = false;
    if (d->waits && atx_cancel_due(d->base.cancel)) {
        forget_queue(d);
        d->waits = false;
        atx_child_stop(&d->child, 0);
        return AT_OK;
    }
    if (poll(&fd, 1, 0) > 0)
        return take_frame(d, out, got, err);
    if (d->queue_count && !d->waits && atx_wait_time_waited_s(&d->head) > d->deadline_s) {
        snprintf(why, sizeof why, "did not end within %.1f s; its runner was killed", d->deadline_s);
        return blame_head(d, out, got, ATX_TIMED_OUT, why, err);
    }
    return AT_OK;
}

static at_status runner_await(atx_device *device, at_error *err)
{
    return start_runner(ours(device), err);
}

static at_status runner_recorded(atx_device *device, const atx_problem_key *key, bool warm,
                                 atx_recorded_visit *visit, void *context, at_error *err)
{
    atx_runner *d = ours(device);
    return d->recording ? atx_device_recorded(d->recording, key, warm, visit, context, err) : AT_OK;
}

static atx_resources runner_resources(atx_device *device, const char *identity)
{
    atx_runner *d = ours(device);
    return d->recording ? atx_device_recorded_resources(d->recording, identity) : ATX_RESOURCES_UNKNOWN;
}

static const atx_device_kind RUNNER = {
    .close = runner_close,
    .await = runner_await,
    .setup = runner_setup,
    .queued = runner_queued,
    .submit = runner_submit,
    .fd = runner_fd,
    .pump = runner_pump,
    .remeasure = atx_runner_remeasure,
    .recorded = runner_recorded,
    .recorded_resources = runner_resources,
};

at_status atx_device_start_runner(atx_device **out, const atx_runner_at *at, at_error *err)
{
    atx_runner *d = calloc(1, sizeof *d);
    if (!d) {
        atx_device_close(at->recording);
        return atx_no_memory(err);
    }
    d->base.kind = &RUNNER;
    d->ordinal = at->ordinal;
    d->site = at->site;
    d->number = at->number;
    d->recording = at->recording;
    d->spec = atx_text_copy(at->spec, strlen(at->spec));
    at_status status = d->spec ? spawn(d, err) : atx_no_memory(err);
    if (status == AT_OK)
        *out = &d->base;
    else
        runner_close(&d->base);
    return status;
}
