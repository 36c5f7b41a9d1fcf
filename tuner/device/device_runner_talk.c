/*
 * device_runner_talk.c - words to a runner and from it: each waits for so long, and ends when the user asks
 * to end.
 */
#include "device/device_runner_internal.h"

#include "util/bug.h"

#define SLICE_MS 10   /* of a wait: between two of them it may have been asked to end */
#define FRAME_S  30.0 /* within a message: its sender is frozen */

static bool has_no_wait_time(void *context)
{
    (void)context;
    return false;
}

/* A re-measurement that has begun comes to an end of its own; anything else that is waited for is given up.
 */
static at_status pass_on_cancel(atx_runner *d, at_error *err)
{
    atx_str nothing = { 0 };
    if (!d->remeasures || d->waits)
        return atx_cancel_due(d->base.cancel)
                   ? atx_fail(err, AT_ERR_CANCELLED, "interrupted: device %d had not answered yet",
                              d->ordinal)
                   : AT_OK;
    if (d->base.cancel && d->base.cancel->tick)
        d->base.cancel->tick(d->base.cancel->context);
    if (d->cancelled || !atx_cancel_asked(d->base.cancel))
        return AT_OK;
    d->cancelled = true;
    d->since = atx_wait_time_begin();
    at_status status = atx_wire_send_while(d->child.fd, ATX_CANCEL, &nothing, has_no_wait_time, NULL, err);
    return status == AT_ERR_SYSTEM ? AT_OK : status; /* it died or is frozen: the next receive says so */
}

/* What a cancelled re-measurement still has to do, a round and a check of each top candidate, takes no longer
 * than a trial.
 */
static bool is_overdue(atx_runner *d, atx_wait_time *wait_time, double deadline_s)
{
    double waited_s = atx_wait_time_waited_s(wait_time);
    return (deadline_s >= 0 && waited_s >= deadline_s) ||
           (d->cancelled && atx_wait_time_waited_s(&d->since) >= d->deadline_s);
}

/* Its rest is of no use, and a user who has asked for the end does not wait for another one. */
static at_status fell_silent(atx_runner *d, double waited_s, at_error *err)
{
    if (!d->cancelled)
        atx_child_stop(&d->child, 0);
    d->silences++;
    return atx_fail(err, AT_ERR_DEVICE, "the runner of device %d sent nothing for %.0f s", d->ordinal,
                    waited_s);
}

static bool frame_may_go_on(void *context)
{
    return atx_wait_time_waited_s(context) < FRAME_S;
}

/* Waits for one frame, at most `deadline_s` (below zero: for as long as it takes). */
at_status atx_runner_receive(atx_runner *d, uint32_t *kind, atx_str *body, double deadline_s, at_error *err)
{
    char how[256];
    atx_wait_time wait_time = atx_wait_time_begin();
    struct pollfd fd = { .fd = d->child.fd, .events = POLLIN };
    while (poll(&fd, 1, SLICE_MS) <= 0) {
        ATX_TRY(pass_on_cancel(d, err));
        if (is_overdue(d, &wait_time, deadline_s))
            return fell_silent(d, wait_time.waited_s, err);
    }
    wait_time = atx_wait_time_begin();
    bool (*keep_waiting)(void *) =
        d->child.site ? NULL : frame_may_go_on; /* of a rank that is cut off others know */
    if (atx_wire_recv_while(d->child.fd, kind, body, keep_waiting, &wait_time, NULL) == AT_OK && *kind != 0)
        return AT_OK;
    atx_child_exit_status(&d->child, how, sizeof how);
    return atx_fail(err, AT_ERR_DEVICE, "the runner of device %d ended: %s", d->ordinal, how);
}

/* A FAILED frame's status and words become the caller's. */
at_status atx_runner_failure(const atx_str *body, at_error *err)
{
    atx_reader in = { body->data, body->data + body->len, false };
    at_status status = atx_status_of(atx_get_i64(&in));
    return atx_fail(err, status, "%s", atx_get_text(&in));
}

/* WAITS and BEGINS: the device's time for other runs is not this one's. */
bool atx_runner_is_turn(atx_runner *d, uint32_t kind)
{
    if (kind != ATX_WAITS && kind != ATX_BEGINS)
        return false;
    d->waits = kind == ATX_WAITS;
    d->head = atx_wait_time_begin();
    return true;
}

at_status atx_runner_expect(atx_runner *d, uint32_t wanted, atx_str *body, double deadline_s, at_error *err)
{
    uint32_t kind = 0;
    at_status status;
    do
        status = atx_runner_receive(d, &kind, body, d->waits ? -1.0 : deadline_s, err);
    while (status == AT_OK && atx_runner_is_turn(d, kind));
    if (status == AT_ERR_CANCELLED)
        atx_child_stop(&d->child, 0); /* its answer to this would be taken for one to the next request */
    if (status != AT_OK)
        return status;
    if (kind == ATX_FAILED)
        return atx_runner_failure(body, err);
    return kind == wanted
               ? AT_OK
               : atx_bug(err, "the device runner sent message %u, not %u", (unsigned)kind, (unsigned)wanted);
}

typedef struct sending {
    atx_runner *d;
    atx_wait_time wait_time;
    double deadline_s;
} sending;

static bool has_wait_time(void *context)
{
    sending *s = context;
    return atx_wait_time_waited_s(&s->wait_time) < s->deadline_s &&
           (s->d->remeasures || !atx_cancel_due(s->d->base.cancel));
}

/* A send to a runner that died meanwhile fails; the receive behind it tells how it died. One that takes
 * nothing is found silent there. */
at_status atx_runner_ask(atx_runner *d, uint32_t kind, const atx_str *request, uint32_t wanted,
                         atx_str *answer, double deadline_s, at_error *err)
{
    if (atx_runner_has_died(d))
        return atx_fail(err, AT_ERR_DEVICE, "device %d has no runner any more", d->ordinal);
    sending s = { .d = d, .wait_time = atx_wait_time_begin(), .deadline_s = deadline_s };
    at_status status = atx_wire_send_while(d->child.fd, kind, request, has_wait_time, &s, err);
    if (s.wait_time.waited_s >= deadline_s)
        return fell_silent(d, s.wait_time.waited_s, err);
    return status == AT_OK || status == AT_ERR_SYSTEM ? atx_runner_expect(d, wanted, answer, deadline_s, err)
                                                      : status;
}
