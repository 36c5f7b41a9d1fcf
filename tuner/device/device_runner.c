/*
 * device_runner.c - a device that is a runner process: the supervisor's end of runner_wire.h.
 *
 * Trials are sent ahead, up to AT__DEVICE_QUEUE, and answered in order: what a runner that died or
 * hung had under way is the head of the queue. Invariant: the queue holds every trial without an
 * outcome, whole, and `setup` the open problem. So any runner can be replaced at any time: start
 * another one, send the problem and the queue again.
 */
#include "device/device_runner_parts.h"

#include "util/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETUP_DEADLINE_S  120.0
#define STOP_GRACE_S      2.0
#define REPLAY_DEADLINE_S 60.0 /* it takes as long as was recorded, also for what did not end in time */

/*
 * A crash is tried once more, alone at the head of a new process: a fault may come to light after the kernel
 * that caused it. So is a trial that did not end: its runner may have been stopped by a debugger, a suspended
 * container, a machine that swaps. So is a launch that failed where the refusal may pass: memory that earlier
 * kernels or other programs hold, an error that nobody knows. Templates that fail always would take twice as
 * long, so after some that failed again in the same way the others of the problem are believed at once.
 */
#define MAX_CONFIRMED 8

/* The device that our functions were given is one of ours. */
static at__runner *ours(at__device *device)
{
    return (at__runner *)device;
}

static const at__runner *our_const(const at__device *device)
{
    return (const at__runner *)device;
}

static at_status spawn(at__runner *d, at_error *err)
{
    const char *argv[] = { "autotune", "__device", d->spec, NULL };
    return at__child_spawn_at(&d->child, d->site, argv, err);
}

/* Half-way. */
static void tell_found(const at__runner *d, const at__str *body)
{
    at__reader in = { body->data, body->data + body->len, false };
    if (d->base.found)
        d->base.found(d->base.context, (int)at__get_i64(&in));
}

/* A child that was spawned before is waited for. */
static at_status start_once(at__runner *d, at_error *err)
{
    at__str body = { 0 };
    at_status status = at__runner_has_died(d) ? spawn(d, err) : AT_OK;
    if (status == AT_OK)
        status = at__runner_expect(d, AT__FOUND, &body, SETUP_DEADLINE_S, err);
    if (status == AT_OK) {
        tell_found(d, &body);
        status = at__runner_expect(d, AT__HELLO, &body, SETUP_DEADLINE_S, err);
    }
    if (status == AT_OK) {
        at__reader in = { body.data, body.data + body.len, false };
        if (!at__read_plain(&d->base.info, sizeof d->base.info, &in))
            status = at_fail(err, AT_ERR_SYSTEM, "the device runner is another version of autotune");
        else if (d->number >= 0 && !d->tape)
            d->base.info.ordinal = d->number;
    }
    at__str_clear(&body);
    return status;
}

static at_status start_runner(at__runner *d, at_error *err)
{
    at_status status = start_once(d, err);
    for (int i = 1; i < AT__MAX_STARTS && status == AT_ERR_DEVICE && at__runner_may_try_again(d); i++)
        status = start_once(d, err);
    return status;
}

static void forget_queue(at__runner *d)
{
    for (int i = 0; i < d->queue_count; i++)
        at__str_clear(&d->queue[i].body);
    d->queue_count = 0;
}

static void runner_close(at__device *device)
{
    at__runner *d = ours(device);
    at__child_stop(&d->child, STOP_GRACE_S);
    forget_queue(d);
    at__str_clear(&d->setup);
    at__device_close(d->tape);
    free(d->spec);
    free(d);
}

at_status at__device_count(int *out, at__cancel *cancel, at_error *err)
{
    return at__device_uuids(NULL, out, 0, cancel, err);
}

at_status at__device_uuids(char (*uuids)[64], int *out, int most, at__cancel *cancel, at_error *err)
{
    at__runner d = { .base.cancel = cancel, .ordinal = AT__COUNT_DEVICES };
    at__str body = { 0 };
    const char *argv[] = { "autotune", "__device", "-1", NULL };
    int64_t count = 0;

    at_status status = at__child_spawn(&d.child, argv, err);
    if (status == AT_OK)
        status = at__runner_expect(&d, AT__READY, &body, SETUP_DEADLINE_S, err);
    if (status == AT_OK) {
        at__reader in = { body.data, body.data + body.len, false };
        count = at__get_i64(&in);
        for (int i = 0; i < count && i < most; i++)
            snprintf(uuids[i], sizeof uuids[i], "%s", at__get_text(&in));
        *out = (int)(uuids && count > most ? most : count);
    }
    at__child_stop(&d.child, STOP_GRACE_S);
    at__str_clear(&body);
    return status;
}

static at_status open_problem(at__runner *d, at_error *err)
{
    at__str body = { 0 };
    at_status status = at__runner_ask(d, AT__SETUP, &d->setup, AT__READY, &body, SETUP_DEADLINE_S, err);
    at__str_clear(&body);
    return status;
}

static at_status start_again(at__runner *d, at_error *err)
{
    at__child_stop(&d->child, 0);
    d->waits = false;
    at_status status = start_runner(d, err);
    d->base.lost = status != AT_OK && status != AT_ERR_CANCELLED;
    return status == AT_OK && d->setup.len ? open_problem(d, err) : status;
}

static bool head_has_time(void *context)
{
    at__runner *d = context;
    return at__patience_waited_s(&d->head) <= d->deadline_s;
}

/*
 * A runner that died meanwhile is found by the next pump, which sends the queue again. So is one that hangs
 * with so much behind it that no more can be sent: its head has no time left then.
 */
static at_status send_trial(at__runner *d, const at__queued *q, at_error *err)
{
    at_status status = at__wire_send_while(d->child.fd, AT__TRIAL, &q->body, head_has_time, d, err);
    return status == AT_ERR_SYSTEM ? AT_OK : status;
}

at_status at__runner_restart(at__runner *d, at_error *err)
{
    at_status status = start_again(d, err);
    for (int i = 1;
         i < AT__MAX_STARTS && status == AT_ERR_DEVICE && !d->base.lost && at__runner_may_try_again(d); i++)
        status = start_again(d, err);
    d->head = at__patience_begin();
    for (int i = 0; i < d->queue_count && status == AT_OK; i++)
        status = send_trial(d, &d->queue[i], err);
    return status;
}

static at_status runner_setup(at__device *device, const at__setup *setup, at_error *err)
{
    at__runner *d = ours(device);
    at_error cause = { 0 };
    forget_queue(d);
    d->silences = 0;
    memset(d->confirmed, 0, sizeof d->confirmed);
    d->deadline_s = d->tape ? REPLAY_DEADLINE_S : at__trial_deadline_s(setup);
    at__str_reset(&d->setup);
    at__write_setup(&d->setup, setup);
    at_status status = at__str_status(&d->setup, err);
    if (status != AT_OK)
        return status;
    status = open_problem(d, &cause);
    if (status == AT_ERR_DEVICE && at__runner_has_died(d))
        status = at__runner_restart(d, &cause);
    if (status == AT_OK)
        return AT_OK;
    if (status == AT_ERR_CANCELLED) {
        at__str_reset(&d->setup);
        return at_fail(err, status, "%s", cause.text);
    }
    /* A reference that faults leaves a ruined runner: the next problem deserves a new one. */
    at__str_reset(&d->setup);
    at_status again = at__runner_restart(d, err);
    return again == AT_OK ? at_fail(err, status, "%s", cause.text) : again;
}

static int runner_queued(const at__device *device)
{
    return our_const(device)->queue_count;
}

static at_status runner_submit(at__device *device, const at__trial *trial, at_error *err)
{
    at__runner *d = ours(device);
    if (d->queue_count == AT__DEVICE_QUEUE)
        return at__bug(err, "the device's queue is full");
    at__queued *q = &d->queue[d->queue_count];
    *q = (at__queued){ .tag = trial->tag };
    at__write_trial(&q->body, trial);
    at_status status = at__str_status(&q->body, err);
    if (status != AT_OK) {
        at__str_clear(&q->body);
        return status;
    }
    if (d->queue_count++ == 0)
        d->head = at__patience_begin();
    return send_trial(d, q, err);
}

static struct pollfd runner_fd(const at__device *device)
{
    const at__runner *d = our_const(device);
    return (struct pollfd){ .fd = at__runner_has_died(d) ? -1 : d->child.fd, .events = POLLIN };
}

static void pop(at__runner *d)
{
    at__str_clear(&d->queue[0].body);
    d->queue_count--;
    memmove(d->queue, d->queue + 1, (size_t)d->queue_count * sizeof *d->queue);
    d->head = at__patience_begin();
}

/* Whether the head of the queue gets a second chance; how the first ended is told when the second ends. */
static bool suspect(at__runner *d, at__outcome outcome)
{
    at__queued *head = &d->queue[0];
    if (!d->queue_count || head->again || d->confirmed[outcome] >= MAX_CONFIRMED)
        return false;
    head->again = true;
    return true;
}

/* The head of the queue has an outcome. */
static void conclude(at__runner *d, at__measured *out, bool failed)
{
    size_t len = strlen(out->log);
    if (failed && d->queue[0].again) {
        d->confirmed[out->outcome]++;
        snprintf(out->log + len, sizeof out->log - len, "%s", AT__AGAIN);
    }
    pop(d);
}

/* The trial at the head of the queue took its runner with it. */
static at_status blame_head(at__runner *d, at__measured *out, bool *got, at__outcome outcome, const char *why,
                            at_error *err)
{
    d->silences = 0;
    if (outcome == AT__TIMED_OUT && !d->queue[0].again && at__cancel_asked(d->base.cancel)) {
        forget_queue(d); /* nobody waits for a second deadline, and one is no proof */
        return at__runner_restart(d, err);
    }
    if (suspect(d, outcome))
        return at__runner_restart(d, err);
    if (d->queue_count) {
        *out = (at__measured){ .tag = d->queue[0].tag,
                               .outcome = outcome,
                               .resources = AT__RESOURCES_UNKNOWN,
                               .conditions = AT__CONDITIONS_UNKNOWN };
        out->busy_s = at__patience_waited_s(&d->head);
        snprintf(out->log, sizeof out->log, "%s", why);
        *got = true;
        conclude(d, out, true);
    }
    return at__runner_restart(d, err);
}

/* The runner itself tells what became of the head of the queue. */
static at_status hear(at__runner *d, const at__measured *m, at__measured *out, bool *got, at_error *err)
{
    bool failed = m->outcome == AT__LAUNCH_FAILED && m->doubtful;
    if (failed && suspect(d, m->outcome))
        return at__runner_restart(d, err);
    *out = *m;
    *got = true;
    conclude(d, out, failed);
    return AT_OK;
}

static at_status take_frame(at__runner *d, at__measured *out, bool *got, at_error *err)
{
    at__str body = { 0 };
    uint32_t kind = 0;
    at__measured m;
    at_error cause = { 0 };

    at_status status = at__runner_receive(d, &kind, &body, 0.0, &cause);
    at__reader in = { at__str_text(&body), at__str_text(&body) + body.len, false };
    if (status != AT_OK) {
        status = blame_head(d, out, got, AT__CRASHED, cause.text, err);
    } else if (at__runner_is_turn(d, kind)) {
        status = AT_OK;
    } else if (kind == AT__FAILED) {
        status = at__runner_failure(&body, &cause);
        status = status == AT_ERR_INTERNAL ? at_fail(err, status, "%s", cause.text) /* no kernel's fault */
                                           : blame_head(d, out, got, AT__CRASHED, cause.text, err);
    } else if (kind == AT__MEASURED && d->queue_count && at__read_plain(&m, sizeof m, &in)) {
        status = hear(d, &m, out, got, err);
    } else {
        status = at__bug(err, "the device runner sent message %u when a trial was under way", (unsigned)kind);
    }
    at__str_clear(&body);
    return status;
}

static at_status runner_pump(at__device *device, at__measured *out, bool *got, at_error *err)
{
    char why[96];
    at__runner *d = ours(device);
    struct pollfd fd = runner_fd(device);

    *got = false;
    if (d->waits && at__cancel_due(d->base.cancel)) {
        forget_queue(d);
        d->waits = false;
        at__child_stop(&d->child, 0);
        return AT_OK;
    }
    if (poll(&fd, 1, 0) > 0)
        return take_frame(d, out, got, err);
    if (d->queue_count && !d->waits && at__patience_waited_s(&d->head) > d->deadline_s) {
        snprintf(why, sizeof why, "did not end within %.1f s; its runner was killed", d->deadline_s);
        return blame_head(d, out, got, AT__TIMED_OUT, why, err);
    }
    return AT_OK;
}

static at_status runner_await(at__device *device, at_error *err)
{
    return start_runner(ours(device), err);
}

static at_status runner_recorded(at__device *device, const at__problem_key *key, bool warm,
                                 at__recorded_visit *visit, void *context, at_error *err)
{
    at__runner *d = ours(device);
    return d->tape ? at__device_recorded(d->tape, key, warm, visit, context, err) : AT_OK;
}

static at__resources runner_resources(at__device *device, const char *identity)
{
    at__runner *d = ours(device);
    return d->tape ? at__device_recorded_resources(d->tape, identity) : AT__RESOURCES_UNKNOWN;
}

static const at__device_kind RUNNER = {
    .close = runner_close,
    .await = runner_await,
    .setup = runner_setup,
    .queued = runner_queued,
    .submit = runner_submit,
    .fd = runner_fd,
    .pump = runner_pump,
    .final = at__runner_final,
    .recorded = runner_recorded,
    .recorded_resources = runner_resources,
};

at_status at__device_start_runner(at__device **out, const at__runner_at *at, at_error *err)
{
    at__runner *d = calloc(1, sizeof *d);
    if (!d) {
        at__device_close(at->tape);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    d->base.kind = &RUNNER;
    d->ordinal = at->ordinal;
    d->site = at->site;
    d->number = at->number;
    d->tape = at->tape;
    d->spec = at__text_copy(at->spec, strlen(at->spec));
    at_status status = d->spec ? spawn(d, err) : at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        *out = &d->base;
    else
        runner_close(&d->base);
    return status;
}
