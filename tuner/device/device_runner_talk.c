/*
 * device_runner_talk.c - words to a runner and from it: each waits for so long, and ends when the user asks
 * to end.
 */
#include "device/device_runner_parts.h"

#include "util/bug.h"

#define SLICE_MS 50   /* of a wait: between two of them somebody may have asked to end it */
#define FRAME_S  30.0 /* within a message: whoever sends it is frozen */

static bool has_no_patience(void *context)
{
    (void)context;
    return false;
}

/* A final that has begun comes to an end of its own; anything else that is waited for is given up. */
static at_status pass_on_cancel(at__runner *d, at_error *err)
{
    at__str nothing = { 0 };
    if (!d->plays || d->waits)
        return at__cancel_due(d->base.cancel)
                   ? at_fail(err, AT_ERR_CANCELLED, "interrupted: device %d had not answered yet", d->ordinal)
                   : AT_OK;
    if (d->cancelled || !at__cancel_asked(d->base.cancel))
        return AT_OK;
    d->cancelled = true;
    d->since = at__patience_begin();
    at_status status = at__wire_send_while(d->child.fd, AT__CANCEL, &nothing, has_no_patience, NULL, err);
    return status == AT_ERR_SYSTEM ? AT_OK : status; /* it died or is frozen: the next receive says so */
}

/* What a cancelled final still has to do, a round and a check of each finalist, takes no longer than a trial.
 */
static bool is_overdue(at__runner *d, at__patience *patience, double deadline_s)
{
    double waited_s = at__patience_waited_s(patience);
    return (deadline_s >= 0 && waited_s >= deadline_s) ||
           (d->cancelled && at__patience_waited_s(&d->since) >= d->deadline_s);
}

/* What is left of it is of no use; who asked for it to end does not wait for another one. */
static at_status fell_silent(at__runner *d, double waited_s, at_error *err)
{
    if (!d->cancelled)
        at__child_stop(&d->child, 0);
    d->silences++;
    return at_fail(err, AT_ERR_DEVICE, "the runner of device %d said nothing for %.0f s", d->ordinal,
                   waited_s);
}

static bool frame_may_go_on(void *context)
{
    return at__patience_waited_s(context) < FRAME_S;
}

/* Waits for one frame, at most `deadline_s` (below zero: for as long as it takes). */
at_status at__runner_receive(at__runner *d, uint32_t *kind, at__str *body, double deadline_s, at_error *err)
{
    char how[256];
    at__patience patience = at__patience_begin();
    struct pollfd fd = { .fd = d->child.fd, .events = POLLIN };
    while (poll(&fd, 1, SLICE_MS) <= 0) {
        at_status status = pass_on_cancel(d, err);
        if (status != AT_OK)
            return status;
        if (is_overdue(d, &patience, deadline_s))
            return fell_silent(d, patience.waited_s, err);
    }
    patience = at__patience_begin();
    bool (*patient)(void *) =
        d->child.site ? NULL : frame_may_go_on; /* of a rank that is cut off others know */
    if (at__wire_recv_while(d->child.fd, kind, body, patient, &patience, NULL) == AT_OK && *kind != 0)
        return AT_OK;
    at__child_autopsy(&d->child, how, sizeof how);
    return at_fail(err, AT_ERR_DEVICE, "the runner of device %d ended: %s", d->ordinal, how);
}

/* A FAILED frame's status and words become the caller's. */
at_status at__runner_failure(const at__str *body, at_error *err)
{
    at__reader in = { body->data, body->data + body->len, false };
    at_status status = at__status_of(at__get_i64(&in));
    return at_fail(err, status, "%s", at__get_text(&in));
}

/* WAITS and BEGINS: what another run does with the device is not this one's time. */
bool at__runner_is_turn(at__runner *d, uint32_t kind)
{
    if (kind != AT__WAITS && kind != AT__BEGINS)
        return false;
    d->waits = kind == AT__WAITS;
    d->head = at__patience_begin();
    return true;
}

at_status at__runner_expect(at__runner *d, uint32_t wanted, at__str *body, double deadline_s, at_error *err)
{
    uint32_t kind = 0;
    at_status status;
    do
        status = at__runner_receive(d, &kind, body, d->waits ? -1.0 : deadline_s, err);
    while (status == AT_OK && at__runner_is_turn(d, kind));
    if (status == AT_ERR_CANCELLED)
        at__child_stop(&d->child, 0); /* its answer to this would be taken for one to the next request */
    if (status != AT_OK)
        return status;
    if (kind == AT__FAILED)
        return at__runner_failure(body, err);
    return kind == wanted
               ? AT_OK
               : at__bug(err, "the device runner sent message %u, not %u", (unsigned)kind, (unsigned)wanted);
}

typedef struct sending {
    at__runner *d;
    at__patience patience;
    double deadline_s;
} sending;

static bool has_patience(void *context)
{
    sending *s = context;
    return at__patience_waited_s(&s->patience) < s->deadline_s &&
           (s->d->plays || !at__cancel_due(s->d->base.cancel));
}

/* A send to a runner that died meanwhile fails; the receive behind it tells how it died. One that takes
 * nothing is found silent there. */
at_status at__runner_ask(at__runner *d, uint32_t kind, const at__str *request, uint32_t wanted,
                         at__str *answer, double deadline_s, at_error *err)
{
    if (at__runner_has_died(d))
        return at_fail(err, AT_ERR_DEVICE, "device %d has no runner any more", d->ordinal);
    sending s = { .d = d, .patience = at__patience_begin(), .deadline_s = deadline_s };
    at_status status = at__wire_send_while(d->child.fd, kind, request, has_patience, &s, err);
    if (s.patience.waited_s >= deadline_s)
        return fell_silent(d, s.patience.waited_s, err);
    return status == AT_OK || status == AT_ERR_SYSTEM ? at__runner_expect(d, wanted, answer, deadline_s, err)
                                                      : status;
}
