/*
 * replay_process.c - a replay as a process: what a runner is to a GPU (runner_wire.h), for a supervisor on
 * another machine. A trial's recording is found by what its identity begins with.
 */
#include "device/device.h"

#include "device/runner_wire.h"
#include "util/wire.h"
#include "util/bug.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LOOK_MS 1000

typedef struct replayer {
    at__device *device;
    bool warm;
    atomic_int cancelled; /* the supervisor wants the final to end */
    at__cancel cancel;
    bool over;
} replayer;

static at_status reply(uint32_t kind, const at__str *body, at_error *err)
{
    at_status status = at__str_status(body, err);
    return status == AT_OK ? at__wire_send(AT__CHILD_FD, kind, body, err) : status;
}

static at_status reply_bytes(uint32_t kind, const void *bytes, size_t size, at_error *err)
{
    at__str body = { 0 };
    at__put_bytes(&body, bytes, size);
    at_status status = reply(kind, &body, err);
    at__str_clear(&body);
    return status;
}

static at_status reply_number(uint32_t kind, int64_t number, at_error *err)
{
    at__str body = { 0 };
    at__put_i64(&body, number);
    at_status status = reply(kind, &body, err);
    at__str_clear(&body);
    return status;
}

static at_status reply_failure(at_status failure, const at_error *cause, at_error *err)
{
    at__str body = { 0 };
    at__put_i64(&body, failure);
    at__put_text(&body, cause->text);
    at_status status = reply(AT__FAILED, &body, err);
    at__str_clear(&body);
    return status;
}

static void ignore(void *context, const char *template_name, const char *template_hash, const char *config)
{
    (void)context, (void)template_name, (void)template_hash, (void)config;
}

/* "transpose 4096x4096 b4 tile TILE=32": reads what was recorded of such a problem, once. */
static at_status load(replayer *r, const char *identity, at_error *err)
{
    at__str words[3] = { 0 };
    at_status status = AT_OK;
    for (int i = 0; i < 3 && status == AT_OK; i++) {
        size_t len = strcspn(identity, " ");
        at__str_add_bytes(&words[i], identity, len);
        status = at__str_status(&words[i], err);
        identity += len + (identity[len] == ' ');
    }
    at__problem_key key = { .op = at__str_text(&words[0]),
                            .shape = at__str_text(&words[1]),
                            .type_key = at__str_text(&words[2]) };
    if (status == AT_OK)
        status = at__device_recorded(r->device, &key, r->warm, ignore, NULL, err);
    for (int i = 0; i < 3; i++)
        at__str_clear(&words[i]);
    return status;
}

static at_status serve_setup(replayer *r, at__reader *in, at_error *err)
{
    at__setup setup;
    at_status status = at__read_setup(&setup, in, err);
    if (status != AT_OK)
        return status;
    r->warm = setup.warm;
    status = at__device_setup(r->device, &setup, err);
    return status == AT_OK ? reply_number(AT__READY, 1, err) : status;
}

static at_status serve_trial(replayer *r, at__reader *in, at_error *err)
{
    at__trial trial;
    at_status status = at__read_trial(&trial, in, err);
    if (status == AT_OK)
        status = load(r, trial.kernel.identity, err);
    return status == AT_OK ? at__device_submit(r->device, &trial, err) : status;
}

static at_status serve_final(replayer *r, at__reader *in, at_error *err)
{
    at__finalist list[AT__MAX_FINALISTS];
    at__final_row rows[AT__MAX_FINALISTS];
    at__final_notes notes;
    int count = 0;
    uint64_t seed = 0;
    double budget_until_s = 0;
    at__str body = { 0 };
    at_status status = at__read_final(list, &count, &seed, &budget_until_s, in, err);
    r->cancelled = 0;
    for (int i = 0; i < count && status == AT_OK; i++)
        if (!list[i].is_memcpy)
            status = load(r, list[i].kernel.identity, err);
    if (status == AT_OK)
        status = at__device_final(r->device, list, count, seed, budget_until_s, rows, &notes, err);
    if (status != AT_OK)
        return status;
    at__put_bytes(&body, &notes, sizeof notes);
    at__put_bytes(&body, rows, (size_t)count * sizeof *rows);
    status = reply(AT__FINAL_DONE, &body, err);
    at__str_clear(&body);
    return status;
}

/* While a final is played. */
static void look_for_cancel(void *context)
{
    replayer *r = context;
    if (!r->cancelled)
        r->cancelled = at__final_is_to_end();
}

static at_status serve(replayer *r, uint32_t kind, const at__str *body, at_error *err)
{
    at__reader in = { at__str_text(body), at__str_text(body) + body->len, false };
    switch (kind) {
    case AT__SETUP:
        return serve_setup(r, &in, err);
    case AT__TRIAL:
        return serve_trial(r, &in, err);
    case AT__FINAL:
        return serve_final(r, &in, err);
    case AT__CANCEL: /* it came when the final was over */
        return AT_OK;
    default:
        return at__bug(err, "a replay was sent an unknown request, %u", (unsigned)kind);
    }
}

static at_status take_request(replayer *r, at_error *err)
{
    at__str body = { 0 };
    uint32_t kind = 0;
    at_error cause = { 0 };
    at_status status = at__wire_recv(AT__CHILD_FD, &kind, &body, err);
    r->over = status != AT_OK || kind == 0;
    if (!r->over) {
        at_status failure = serve(r, kind, &body, &cause);
        status = failure == AT_OK ? AT_OK : reply_failure(failure, &cause, err);
    }
    at__str_clear(&body);
    return status;
}

static at_status answer(replayer *r, at_error *err)
{
    at__measured measured;
    bool got = true;
    at_status status = AT_OK;
    while (status == AT_OK && got) {
        status = at__device_pump(r->device, &measured, &got, err);
        if (status == AT_OK && got)
            status = reply_bytes(AT__MEASURED, &measured, sizeof measured, err);
    }
    return status;
}

static at_status serve_all(replayer *r, at_error *err)
{
    at_status status = AT_OK;
    while (status == AT_OK && !r->over) {
        struct pollfd fds[2] = { { .fd = AT__CHILD_FD, .events = POLLIN }, at__device_fd(r->device) };
        poll(fds, 2, LOOK_MS);
        if (fds[0].revents)
            status = take_request(r, err);
        if (status == AT_OK)
            status = answer(r, err);
    }
    return status;
}

int at__replay_main(const char *spec)
{
    replayer r = { .device = NULL };
    at_error err = { 0 }, unheard;
    at_status status = at__device_open(&r.device, spec, NULL, &err);
    if (status != AT_OK) {
        status = reply_failure(status, &err, &unheard);
        return status == AT_OK ? 0 : 1;
    }
    at__device_info here = *at__device_info_of(r.device), *info = &here;
    at__host_name(here.host, sizeof here.host);
    r.cancel = (at__cancel){ .flag = &r.cancelled, .tick = look_for_cancel, .context = &r };
    at__device_set_cancel(r.device, &r.cancel);
    status = reply_number(AT__FOUND, info->limits.cc, &err);
    if (status == AT_OK)
        status = reply_bytes(AT__HELLO, info, sizeof *info, &err);
    if (status == AT_OK)
        status = serve_all(&r, &err);
    at__device_close(r.device);
    return status == AT_OK ? 0 : 1;
}
