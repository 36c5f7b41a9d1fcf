/*
 * device_runner_remeasure.c - the re-measurement on a runner.
 *
 * A kernel that faults or does not end also ends the runner, and with it the re-measurement of all others.
 * Then each top candidate gets a re-measurement of its own, alone in a new process: the rows of those that
 * fail there say so, and the others are measured again. If all of them work alone, no kernel can be named,
 * and the re-measurement has failed.
 */
#include "device/device_runner_internal.h"

#include "util/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMEASURE_DEADLINE_S 120.0
#define ALONE_DEADLINE_S     30.0 /* and that of a trial */

/* Shared by the re-measurements of a request. */
typedef struct asked {
    atx_runner *d;
    const atx_remeasure_request *request; /* of all top candidates */
    atx_remeasure_notes *notes;
} asked;

/* Asks for the re-measurement, again of a new runner when one died meanwhile. */
static at_status ask(atx_runner *d, const atx_str *body, atx_str *answer, double deadline_s, at_error *err)
{
    if (atx_runner_has_died(d) && atx_cancel_asked(d->base.cancel))
        return atx_fail(err, AT_ERR_CANCELLED, "before it began");
    d->remeasures = true;
    d->cancelled = false;
    at_status status = atx_runner_ask(d, ATX_REMEASURE, body, ATX_REMEASURED, answer, deadline_s, err);
    for (int i = 1;
         i < ATX_MAX_STARTS && status != AT_OK && status != AT_ERR_CANCELLED && atx_runner_may_try_again(d);
         i++) {
        d->remeasures = false;
        d->cancelled = false;
        status = atx_runner_restart(d, err);
        d->remeasures = true;
        ATX_THEN(status, atx_runner_ask(d, ATX_REMEASURE, body, ATX_REMEASURED, answer, deadline_s, err));
    }
    d->remeasures = false;
    d->cancelled = false;
    return status;
}

static at_status measure(const asked *r, const atx_top_candidate *list, int count, double deadline_s,
                         atx_remeasure_row *rows, at_error *err)
{
    atx_str body = { 0 }, answer = { 0 };
    const atx_remeasure_request some = {
        .list = list, .count = count, .seed = r->request->seed, .budget_until_s = r->request->budget_until_s
    };
    atx_write_remeasure(&body, &some);
    at_status status = atx_str_status(&body, err);
    ATX_THEN(status, ask(r->d, &body, &answer, deadline_s, err));
    if (status == AT_OK) {
        atx_reader in = { answer.data, answer.data + answer.len, false };
        if (!atx_read_plain(r->notes, sizeof *r->notes, &in) ||
            !atx_read_plain(rows, (size_t)count * sizeof *rows, &in))
            status = atx_bug(err, "the device runner sent a malformed re-measurement");
    }
    atx_str_clear(&body);
    atx_str_clear(&answer);
    return status;
}

/* A re-measurement without a result: its runner is no good any more, unless it only had too little time. */
static at_status failed(atx_runner *d, at_status status, const at_error *cause, at_error *err)
{
    if (atx_cancel_asked(d->base.cancel)) {
        if (status != AT_ERR_CANCELLED)
            atx_child_stop(&d->child, 0);
        return atx_fail(err, AT_ERR_CANCELLED, "%s", cause->text);
    }
    at_status again = atx_runner_restart(d, err);
    return again == AT_OK ? atx_fail(err, status, "the re-measurement failed: %s", cause->text) : again;
}

/* One top candidate, alone. AT_OK also when it fails: *row says so. */
static at_status try_alone(atx_remeasure_row *row, const asked *r, const atx_top_candidate *top_candidate,
                           at_error *err)
{
    atx_runner *d = r->d;
    at_error cause = { 0 };
    atx_remeasure_row got = { .outcome = ATX_TIMED, .verdict = ATX_NO_VERDICT };
    d->silences = MAX_SILENCES - 1;
    at_status status = measure(r, top_candidate, 1, ALONE_DEADLINE_S + d->deadline_s, &got, &cause);
    bool silent = d->silences >= MAX_SILENCES;
    if (status == AT_OK && got.outcome == ATX_TIMED)
        return AT_OK;
    if (status != AT_OK) {
        at_status after = failed(d, status, &cause, err);
        if (after != AT_ERR_DEVICE || d->base.lost)
            return after;
        got =
            (atx_remeasure_row){ .outcome = silent ? ATX_TIMED_OUT : ATX_CRASHED, .verdict = ATX_NO_VERDICT };
        snprintf(got.log, sizeof got.log, "%.*s", (int)(sizeof got.log - sizeof ATX_AGAIN), cause.text);
    }
    const size_t len = strlen(got.log);
    snprintf(got.log + len, sizeof got.log - len, "%s", ATX_AGAIN);
    *row = got;
    return AT_OK;
}

/* Which of those that take part fail alone; *found: some do. */
static at_status try_each_alone(bool *found, const asked *r, atx_remeasure_row *rows, at_error *err)
{
    at_status status = AT_OK;
    const atx_top_candidate *list = r->request->list;
    *found = false;
    for (int i = 0; i < r->request->count && status == AT_OK; i++) {
        if (list[i].is_memcpy || rows[i].outcome != ATX_TIMED)
            continue;
        status = try_alone(&rows[i], r, &list[i], err);
        *found |= rows[i].outcome != ATX_TIMED;
    }
    return status;
}

/* The re-measurement of those that take part. */
static at_status measure_rest(const asked *r, atx_remeasure_row *rows, at_error *err)
{
    const int count = r->request->count;
    ATX_FREED atx_top_candidate *rest = malloc((size_t)count * sizeof *rest);
    atx_remeasure_row got[ATX_MAX_TOP_CANDIDATES];
    int places[ATX_MAX_TOP_CANDIDATES], left = 0;
    if (!rest)
        return atx_no_memory(err);
    for (int i = 0; i < count; i++)
        if (rows[i].outcome == ATX_TIMED) {
            places[left] = i;
            rest[left++] = r->request->list[i];
        }
    r->d->silences = 0;
    at_status status = left ? measure(r, rest, left, REMEASURE_DEADLINE_S, got, err) : AT_OK;
    for (int i = 0; i < left && status == AT_OK; i++)
        rows[places[i]] = got[i];
    return status;
}

at_status atx_runner_remeasure(atx_device *device, const atx_remeasure_request *request,
                               atx_remeasure_row *rows, atx_remeasure_notes *notes, at_error *err)
{
    const asked r = { (atx_runner *)device, request, notes };
    bool again = true;
    at_status status = AT_OK;
    *notes = (atx_remeasure_notes){ .conditions = ATX_CONDITIONS_UNKNOWN };
    for (int i = 0; i < request->count; i++)
        rows[i] = (atx_remeasure_row){ .outcome = ATX_TIMED, .verdict = ATX_NO_VERDICT };
    while (again) {
        at_error cause = { 0 };
        again = false;
        status = measure_rest(&r, rows, &cause);
        if (status != AT_OK)
            status = failed(r.d, status, &cause, err);
        if (status == AT_ERR_DEVICE && !device->lost && request->count > 1) {
            at_error alone = { 0 };
            at_status tried = try_each_alone(&again, &r, rows, &alone);
            if (tried != AT_OK)
                return atx_fail(err, tried, "%s", alone.text);
        }
    }
    return status;
}
