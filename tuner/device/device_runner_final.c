/*
 * device_runner_final.c - the final on a runner.
 *
 * A kernel that faults or does not end takes the runner, and the final of all others, with it. Then each
 * finalist gets a final of its own, alone in a new process: those that fail there too are told of in their
 * rows, and the others play the final again. Where all are well alone nobody can be named, and the final has
 * failed.
 */
#include "device/device_runner_parts.h"

#include "util/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINAL_DEADLINE_S 120.0
#define ALONE_DEADLINE_S 30.0 /* and that of a trial */

/* What every final of a request has in common. */
typedef struct request {
    at__runner *d;
    uint64_t seed;
    double budget_until_s;
    at__final_notes *notes;
} request;

/* Asks for the final, again of a new runner when one died meanwhile. */
static at_status ask(at__runner *d, const at__str *body, at__str *answer, double deadline_s, at_error *err)
{
    if (at__runner_has_died(d) && at__cancel_asked(d->base.cancel))
        return at_fail(err, AT_ERR_CANCELLED, "before it began");
    d->plays = true;
    d->cancelled = false;
    at_status status = at__runner_ask(d, AT__FINAL, body, AT__FINAL_DONE, answer, deadline_s, err);
    for (int i = 1;
         i < AT__MAX_STARTS && status != AT_OK && status != AT_ERR_CANCELLED && at__runner_may_try_again(d);
         i++) {
        d->plays = false;
        d->cancelled = false;
        status = at__runner_restart(d, err);
        d->plays = true;
        if (status == AT_OK)
            status = at__runner_ask(d, AT__FINAL, body, AT__FINAL_DONE, answer, deadline_s, err);
    }
    d->plays = false;
    d->cancelled = false;
    return status;
}

static at_status play(const request *r, const at__finalist *list, int count, double deadline_s,
                      at__final_row *rows, at_error *err)
{
    at__str body = { 0 }, answer = { 0 };
    at__write_final(&body, list, count, r->seed, r->budget_until_s);
    at_status status = at__str_status(&body, err);
    if (status == AT_OK)
        status = ask(r->d, &body, &answer, deadline_s, err);
    if (status == AT_OK) {
        at__reader in = { answer.data, answer.data + answer.len, false };
        if (!at__read_plain(r->notes, sizeof *r->notes, &in) ||
            !at__read_plain(rows, (size_t)count * sizeof *rows, &in))
            status = at__bug(err, "the device runner sent a malformed final");
    }
    at__str_clear(&body);
    at__str_clear(&answer);
    return status;
}

/* A final without a result: its runner is no good any more, unless it only had too little time. */
static at_status failed(at__runner *d, at_status status, const at_error *cause, at_error *err)
{
    if (at__cancel_asked(d->base.cancel)) {
        if (status != AT_ERR_CANCELLED)
            at__child_stop(&d->child, 0);
        return at_fail(err, AT_ERR_CANCELLED, "%s", cause->text);
    }
    at_status again = at__runner_restart(d, err);
    return again == AT_OK ? at_fail(err, status, "the final failed: %s", cause->text) : again;
}

/* One finalist, alone. AT_OK also when it fails: *row says so. */
static at_status try_alone(at__final_row *row, const request *r, const at__finalist *finalist, at_error *err)
{
    at__runner *d = r->d;
    at_error cause = { 0 };
    at__final_row got = { .outcome = AT__TIMED };
    d->silences = MAX_SILENCES - 1;
    at_status status = play(r, finalist, 1, ALONE_DEADLINE_S + d->deadline_s, &got, &cause);
    bool silent = d->silences >= MAX_SILENCES;
    if (status == AT_OK && got.outcome == AT__TIMED)
        return AT_OK;
    if (status != AT_OK) {
        at_status after = failed(d, status, &cause, err);
        if (after != AT_ERR_DEVICE || d->base.lost)
            return after;
        got = (at__final_row){ .outcome = silent ? AT__TIMED_OUT : AT__CRASHED };
        snprintf(got.log, sizeof got.log, "%.*s", (int)(sizeof got.log - sizeof AT__AGAIN), cause.text);
    }
    const size_t len = strlen(got.log);
    snprintf(got.log + len, sizeof got.log - len, "%s", AT__AGAIN);
    *row = got;
    return AT_OK;
}

/* Which of those that take part fail alone; *found: some do. */
static at_status try_each_alone(bool *found, const request *r, const at__finalist *list, int count,
                                at__final_row *rows, at_error *err)
{
    at_status status = AT_OK;
    *found = false;
    for (int i = 0; i < count && status == AT_OK; i++) {
        if (list[i].is_memcpy || rows[i].outcome != AT__TIMED)
            continue;
        status = try_alone(&rows[i], r, &list[i], err);
        *found |= rows[i].outcome != AT__TIMED;
    }
    return status;
}

/* The final of those that take part. */
static at_status play_rest(const request *r, const at__finalist *list, int count, at__final_row *rows,
                           at_error *err)
{
    at__finalist *rest = malloc((size_t)count * sizeof *rest);
    at__final_row got[AT__MAX_FINALISTS];
    int places[AT__MAX_FINALISTS], left = 0;
    if (!rest)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < count; i++)
        if (rows[i].outcome == AT__TIMED) {
            places[left] = i;
            rest[left++] = list[i];
        }
    r->d->silences = 0;
    at_status status = left ? play(r, rest, left, FINAL_DEADLINE_S, got, err) : AT_OK;
    for (int i = 0; i < left && status == AT_OK; i++)
        rows[places[i]] = got[i];
    free(rest);
    return status;
}

at_status at__runner_final(at__device *device, const at__finalist *list, int count, uint64_t seed,
                           double budget_until_s, at__final_row *rows, at__final_notes *notes, at_error *err)
{
    request r = { (at__runner *)device, seed, budget_until_s, notes };
    bool again = true;
    at_status status = AT_OK;
    *notes = (at__final_notes){ .conditions = AT__CONDITIONS_UNKNOWN };
    for (int i = 0; i < count; i++)
        rows[i] = (at__final_row){ .outcome = AT__TIMED };
    while (again) {
        at_error cause = { 0 };
        again = false;
        status = play_rest(&r, list, count, rows, &cause);
        if (status != AT_OK)
            status = failed(r.d, status, &cause, err);
        if (status == AT_ERR_DEVICE && !device->lost && count > 1) {
            at_error alone = { 0 };
            at_status tried = try_each_alone(&again, &r, list, count, rows, &alone);
            if (tried != AT_OK)
                return at_fail(err, tried, "%s", alone.text);
        }
    }
    return status;
}
