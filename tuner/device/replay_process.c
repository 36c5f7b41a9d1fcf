/*
 * replay_process.c - a replay as a process, which serves the protocol of a runner (runner_wire.h) for a
 * supervisor on another machine. A trial's recording is found by the beginning of its identity.
 */
#include "device/device.h"

#include "device/runner_wire.h"
#include "util/wire.h"
#include "util/bug.h"

#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#define LOOK_MS 1000

typedef struct replayer {
    atx_device *device;
    bool warm;
    atomic_int cancelled; /* the supervisor wants the re-measurement to end */
    atx_cancel cancel;
    bool over;
} replayer;

static at_status reply_bytes(uint32_t kind, const void *bytes, size_t size, at_error *err)
{
    ATX_LOCAL(atx_str) body = { 0 };
    atx_put_bytes(&body, bytes, size);
    return atx_runner_reply(kind, &body, err);
}

static at_status reply_number(uint32_t kind, int64_t number, at_error *err)
{
    ATX_LOCAL(atx_str) body = { 0 };
    atx_put_i64(&body, number);
    return atx_runner_reply(kind, &body, err);
}

static void ignore(void *context, const char *template_name, const char *template_hash, const char *config)
{
    (void)context, (void)template_name, (void)template_hash, (void)config;
}

/* "transpose 4096x4096 b4 tile TILE=32": reads the recording of such a problem, once. */
static at_status load(replayer *r, const char *identity, at_error *err)
{
    atx_str words[3] = { 0 };
    at_status status = AT_OK;
    for (int i = 0; i < 3 && status == AT_OK; i++) {
        size_t len = strcspn(identity, " ");
        atx_str_add_bytes(&words[i], identity, len);
        status = atx_str_status(&words[i], err);
        identity += len + (identity[len] == ' ');
    }
    atx_problem_key key = { .op = atx_str_text(&words[0]),
                            .shape = atx_str_text(&words[1]),
                            .type_key = atx_str_text(&words[2]) };
    ATX_THEN(status, atx_device_recorded(r->device, &key, r->warm, ignore, NULL, err));
    for (int i = 0; i < 3; i++)
        atx_str_clear(&words[i]);
    return status;
}

static at_status serve_setup(replayer *r, atx_reader *in, at_error *err)
{
    atx_setup setup;
    ATX_TRY(atx_read_setup(&setup, in, err));
    r->warm = setup.warm;
    ATX_TRY(atx_device_setup(r->device, &setup, err));
    return reply_number(ATX_READY, 1, err);
}

static at_status serve_trial(replayer *r, atx_reader *in, at_error *err)
{
    atx_trial trial;
    ATX_TRY(atx_read_trial(&trial, in, err));
    ATX_TRY(load(r, trial.kernel.identity, err));
    return atx_device_submit(r->device, &trial, err);
}

static at_status serve_remeasure(replayer *r, atx_reader *in, at_error *err)
{
    atx_top_candidate list[ATX_MAX_TOP_CANDIDATES];
    atx_remeasure_row rows[ATX_MAX_TOP_CANDIDATES];
    atx_remeasure_notes notes;
    atx_remeasure_request request;
    ATX_LOCAL(atx_str) body = { 0 };
    at_status status = atx_read_remeasure(&request, list, in, err);
    r->cancelled = 0;
    for (int i = 0; i < request.count && status == AT_OK; i++)
        if (!list[i].is_memcpy)
            status = load(r, list[i].kernel.identity, err);
    ATX_THEN(status, atx_device_remeasure(r->device, &request, rows, &notes, err));
    if (status != AT_OK)
        return status;
    atx_put_bytes(&body, &notes, sizeof notes);
    atx_put_bytes(&body, rows, (size_t)request.count * sizeof *rows);
    status = atx_runner_reply(ATX_REMEASURED, &body, err);
    return status;
}

/* While a re-measurement is played. */
static void look_for_cancel(void *context)
{
    replayer *r = context;
    if (!r->cancelled)
        r->cancelled = atx_remeasure_is_to_end();
}

static at_status serve(replayer *r, uint32_t kind, const atx_str *body, at_error *err)
{
    atx_reader in = { atx_str_text(body), atx_str_text(body) + body->len, false };
    switch (kind) {
    case ATX_SETUP:
        return serve_setup(r, &in, err);
    case ATX_TRIAL:
        return serve_trial(r, &in, err);
    case ATX_REMEASURE:
        return serve_remeasure(r, &in, err);
    case ATX_CANCEL: /* it came when the re-measurement was over */
        return AT_OK;
    default:
        return atx_bug(err, "a replay was sent an unknown request, %u", (unsigned)kind);
    }
}

static at_status take_request(replayer *r, at_error *err)
{
    ATX_LOCAL(atx_str) body = { 0 };
    uint32_t kind = 0;
    at_error cause = { 0 };
    at_status status = atx_wire_recv(ATX_CHILD_FD, &kind, &body, err);
    r->over = status != AT_OK || kind == 0;
    if (!r->over) {
        at_status failure = serve(r, kind, &body, &cause);
        status = failure == AT_OK ? AT_OK : atx_runner_reply_failure(failure, &cause, err);
    }
    return status;
}

static at_status answer(replayer *r, at_error *err)
{
    atx_measured measured;
    bool got = true;
    while (got) {
        ATX_TRY(atx_device_pump(r->device, &measured, &got, err));
        if (got)
            ATX_TRY(reply_bytes(ATX_MEASURED, &measured, sizeof measured, err));
    }
    return AT_OK;
}

static at_status serve_all(replayer *r, at_error *err)
{
    while (!r->over) {
        struct pollfd fds[2] = { { .fd = ATX_CHILD_FD, .events = POLLIN }, atx_device_fd(r->device) };
        poll(fds, 2, LOOK_MS);
        if (fds[0].revents)
            ATX_TRY(take_request(r, err));
        ATX_TRY(answer(r, err));
    }
    return AT_OK;
}

int atx_replay_main(const char *spec)
{
    replayer r = { .device = NULL };
    at_error err = { 0 }, ignored;
    at_status status = atx_device_open(&r.device, spec, NULL, &err);
    if (status != AT_OK) {
        status = atx_runner_reply_failure(status, &err, &ignored);
        return status == AT_OK ? 0 : 1;
    }
    atx_device_info here = *atx_device_info_of(r.device), *info = &here;
    atx_host_name(here.host, sizeof here.host);
    r.cancel = (atx_cancel){ .flag = &r.cancelled, .tick = look_for_cancel, .context = &r };
    atx_device_set_cancel(r.device, &r.cancel);
    status = reply_number(ATX_FOUND, info->limits.cc, &err);
    ATX_THEN(status, reply_bytes(ATX_HELLO, info, sizeof *info, &err));
    ATX_THEN(status, serve_all(&r, &err));
    atx_device_close(r.device);
    return status == AT_OK ? 0 : 1;
}
