/*
 * runner.c - the device runner: a process that owns one GPU, serves one supervisor, and may be lost.
 *
 * It answers each request in order. When a kernel ruins the context it says which trial that was and ends;
 * the supervisor starts another runner.
 */
#include "runner/runner.h"

#include "runner/measure.h"
#include "runner/nvml.h"
#include "runner/sample.h"
#include "runner/turns.h"
#include "util/bug.h"
#include "util/clock.h"
#include "util/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP_S 0.5
#define FRESH_S   0.5 /* so long what NVML said is still true */

typedef struct runner {
    at__gpu *gpu;
    at__nvml *nvml;
    const at__nvml *scales; /* where the problem is also weighed; else NULL */
    at__bench *bench;
    bool warm;
    at__watch watch;  /* over the trials ... */
    double watched_s; /* ... looked at last; 0: not yet */
    bool cancelled;   /* the supervisor wants the final to come to its end */
    at__turns turns;  /* with the runners of other runs */
} runner;

static at_status reply(uint32_t kind, const at__str *body, at_error *err)
{
    at_status status = at__str_status(body, err);
    return status == AT_OK ? at__wire_send(AT__CHILD_FD, kind, body, err) : status;
}

static at_status say(uint32_t kind, at_error *err)
{
    at__str nothing = { 0 };
    return reply(kind, &nothing, err);
}

/* Says so when another run has the device: that time is not the request's. */
static at_status begin_turn(const runner *r, at_error *err)
{
    if (at__turns_try(&r->turns))
        return AT_OK;
    at_status status = say(AT__WAITS, err);
    at__turns_wait(&r->turns);
    return status == AT_OK ? say(AT__BEGINS, err) : status;
}

/* A failed request: the status and its words. */
static at_status reply_failure(at_status failure, const at_error *cause, at_error *err)
{
    at__str body = { 0 };
    at__put_i64(&body, failure);
    at__put_text(&body, cause->text);
    at_status status = reply(AT__FAILED, &body, err);
    at__str_clear(&body);
    return status;
}

/* Compilers can begin, while the context is made. */
static at_status say_found(const runner *r, at_error *err)
{
    int64_t cc = 0;
    at__str body = { 0 };
    at_status status = at__gpu_cc(&cc, r->gpu, err);
    at__put_i64(&body, cc);
    if (status == AT_OK)
        status = reply(AT__FOUND, &body, err);
    at__str_clear(&body);
    return status;
}

/*
 * The context is made last, when the supervisor knows all that it asks: it takes as long as all before it.
 * Where NVML cannot tell how much memory is free only a context can, and it is made first.
 */
static at_status hello(runner *r, int ordinal, at_error *err)
{
    at__device_info info;
    at__str body = { 0 };
    at_status status = at__gpu_find(&r->gpu, ordinal, err);
    if (status == AT_OK)
        status = say_found(r, err);
    if (status == AT_OK)
        status = at__gpu_describe(&info, r->gpu, err);
    if (status != AT_OK)
        return status;
    at__host_name(info.host, sizeof info.host);
    r->nvml = at__nvml_open(info.uuid);
    info.free_bytes = at__nvml_free_bytes(r->nvml);
    bool first = info.free_bytes < 0;
    if (first)
        status = at__gpu_enter(r->gpu, err);
    if (first && status == AT_OK)
        status = at__gpu_memory(&info.free_bytes, r->gpu, err);
    if (status != AT_OK)
        return status;
    at__turns_open(&r->turns, AT__TURNS_FOLDER, info.uuid, info.no_turns, sizeof info.no_turns);
    at__nvml_driver(r->nvml, info.driver, sizeof info.driver);
    info.other_processes = at__nvml_processes(r->nvml);
    info.other_processes -= first && info.other_processes > 0; /* this one */
    info.ecc_errors = at__nvml_ecc_errors(r->nvml);
    at__put_bytes(&body, &info, sizeof info);
    status = reply(AT__HELLO, &body, err);
    at__str_clear(&body);
    return status == AT_OK && !first ? at__gpu_enter(r->gpu, err) : status;
}

static at_status take_scales(runner *r, const at__setup *setup, at_error *err)
{
    r->scales = setup->energy ? r->nvml : NULL;
    if (setup->energy && isnan(at__nvml_joules(r->nvml)))
        return at_fail(
            err, AT_ERR_DEVICE,
            "a metric reads joules, and found %s; expected NVML's energy counter (libnvidia-ml.so.1, "
            "nvmlDeviceGetTotalEnergyConsumption, a GPU since Volta)",
            r->nvml ? "a device or a library without it" : "no NVML for this device");
    return AT_OK;
}

static at_status serve_setup(runner *r, at__reader *in, at_error *err)
{
    at__setup setup;
    at__str body = { 0 };
    at_status status = at__read_setup(&setup, in, err);

    at__bench_close(r->bench);
    r->bench = NULL;
    if (status == AT_OK)
        status = take_scales(r, &setup, err);
    if (status == AT_OK)
        status = at__bench_open(&r->bench, r->gpu, &setup, err);
    if (status == AT_OK && !r->warm) /* clocks rise once a runner */
        status = at__warm_up(r->gpu, r->bench, WARM_UP_S, err);
    if (status != AT_OK)
        return status;
    r->warm = true;
    at__put_i64(&body, at__bench_sets(r->bench));
    status = reply(AT__READY, &body, err);
    at__str_clear(&body);
    return status;
}

/* A device that had nothing to do for a while is looked at anew. */
static void begin_watch(runner *r)
{
    if (r->watched_s > 0 && at__now_s() - r->watched_s < FRESH_S)
        at__watch_go_on(&r->watch);
    else
        at__watch_begin(&r->watch, r->nvml);
}

static at_status measure(at__measured *out, runner *r, const at__trial *trial, at_error *err)
{
    begin_watch(r);
    at_status status = at__measure_trial(out, r->gpu, r->bench, trial, r->scales, err);
    bool again = status == AT_OK && out->outcome == AT__TIMED && at__watch_disturbed(&r->watch);
    if (again) /* once is enough here */
        status = at__measure_trial(out, r->gpu, r->bench, trial, r->scales, err);
    if (status == AT_OK && (again || out->outcome != AT__TIMED))
        at__watch_look(&r->watch);
    out->conditions = r->watch.now;
    r->watched_s = at__now_s();
    return status;
}

static at_status serve_trial(runner *r, at__reader *in, at_error *err)
{
    at__trial trial;
    at__measured measured;
    at__str body = { 0 };
    double start = at__now_s();

    at_status status = at__read_trial(&trial, in, err);
    if (status == AT_OK)
        status = measure(&measured, r, &trial, err);
    if (status != AT_OK)
        return status;
    measured.busy_s = at__now_s() - start;
    at__put_bytes(&body, &measured, sizeof measured);
    status = reply(AT__MEASURED, &body, err);
    at__str_clear(&body);
    return status;
}

static bool is_cancelled(void *context)
{
    runner *r = context;
    if (!r->cancelled)
        r->cancelled = at__final_is_to_end();
    return r->cancelled;
}

static at_status serve_final(runner *r, at__reader *in, at_error *err)
{
    at__finalist list[AT__MAX_FINALISTS];
    at__final_row rows[AT__MAX_FINALISTS];
    int count = 0;
    uint64_t seed = 0;
    at__str body = { 0 };
    at__watch watch;
    at__final_limits limits = { .cancelled = is_cancelled, .context = r, .scales = r->scales };

    r->cancelled = false;
    at__watch_begin(&watch, r->nvml);
    at_status status = at__read_final(list, &count, &seed, &limits.budget_until_s, in, err);
    if (status == AT_OK)
        status = at__measure_final(rows, r->gpu, r->bench, list, count, seed, &watch, &limits, err);
    if (status != AT_OK)
        return status;
    at__final_notes notes = { .conditions = at__nvml_read(r->nvml), .discarded = watch.discarded };
    snprintf(notes.why, sizeof notes.why, "%s", watch.what ? watch.what : "");
    at__put_bytes(&body, &notes, sizeof notes);
    at__put_bytes(&body, rows, (size_t)count * sizeof *rows);
    status = reply(AT__FINAL_DONE, &body, err);
    at__str_clear(&body);
    return status;
}

static at_status serve(runner *r, uint32_t kind, const at__str *body, at_error *err)
{
    at__reader in = { body->data, body->data + body->len, false };
    if (kind == AT__SETUP)
        return serve_setup(r, &in, err);
    if (!r->bench)
        return at__bug(err, "no problem is open on the device");
    if (kind == AT__TRIAL)
        return serve_trial(r, &in, err);
    if (kind == AT__FINAL)
        return serve_final(r, &in, err);
    return at__bug(err, "the device runner was sent an unknown request, %u", (unsigned)kind);
}

static at_status serve_all(runner *r, at_error *err)
{
    at_status status = AT_OK;
    at__str body = { 0 };
    uint32_t kind = 0;

    while (status == AT_OK) {
        at_error cause = { 0 };
        if ((status = at__wire_recv(AT__CHILD_FD, &kind, &body, err)) != AT_OK || kind == 0)
            break;
        if (kind == AT__CANCEL) /* it came when the final was over */
            continue;
        if ((status = begin_turn(r, err)) != AT_OK)
            break;
        at_status failure = serve(r, kind, &body, &cause);
        at__turns_end(&r->turns);
        if (failure == AT_OK)
            continue;
        status = reply_failure(failure, &cause, err);
        if (at__gpu_is_lost(r->gpu))
            break;
    }
    at__str_clear(&body);
    return status;
}

static at_status say_count(at_error *err)
{
    int count = 0;
    at__str body = { 0 };
    at_status status = at__gpu_count(&count, err);
    if (status != AT_OK)
        return status;
    at__put_i64(&body, count);
    for (int i = 0; i < count && status == AT_OK; i++) {
        char uuid[AT__UUID_TEXT] = "";
        status = at__gpu_uuid(uuid, i, err);
        at__put_text(&body, uuid);
    }
    if (status == AT_OK)
        status = reply(AT__READY, &body, err);
    at__str_clear(&body);
    return status;
}

int at__runner_main(int ordinal)
{
    runner r = { .turns = { .door = -1, .device = -1 } };
    at_error err = { 0 };
    at_status status = ordinal == AT__COUNT_DEVICES ? say_count(&err) : hello(&r, ordinal, &err);
    if (status != AT_OK) {
        at_error unheard;
        status = reply_failure(status, &err, &unheard);
    } else if (r.gpu) {
        status = serve_all(&r, &err);
    }
    at__bench_close(r.bench);
    at__nvml_close(r.nvml);
    at__gpu_close(r.gpu);
    at__turns_close(&r.turns);
    return status == AT_OK ? 0 : 1;
}
