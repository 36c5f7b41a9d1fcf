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
#include "runner/device_lock.h"
#include "runner/hide.h"
#include "util/bug.h"
#include "util/clock.h"
#include "util/wire.h"

#include <math.h>
#include <stdio.h>

#define WARM_UP_S 0.5
#define FRESH_S   0.5 /* so long what NVML said is still true */

typedef struct runner {
    atx_gpu *gpu;
    atx_nvml *nvml;
    const atx_nvml *scales; /* where energy is measured; else NULL */
    atx_bench *bench;
    bool warm;
    atx_watch watch;      /* over the trials ... */
    double watched_s;     /* ... looked at last; 0: not yet */
    bool cancelled;       /* the supervisor wants the re-measurement to come to its end */
    atx_device_lock lock; /* with the runners of other runs */
    atx_hidden hidden;
} runner;

static at_status say(uint32_t kind, at_error *err)
{
    atx_str nothing = { 0 };
    return atx_runner_reply(kind, &nothing, err);
}

/* Says so when another run has the device: that time is not the request's. */
static at_status begin_turn(const runner *r, at_error *err)
{
    if (atx_device_lock_try(&r->lock))
        return AT_OK;
    at_status status = say(ATX_WAITS, err);
    atx_device_lock_wait(&r->lock);
    return status == AT_OK ? say(ATX_BEGINS, err) : status;
}

/* Compilers can begin, while the context is made. */
static at_status say_found(const runner *r, at_error *err)
{
    int64_t cc = 0;
    ATX_LOCAL(atx_str) body = { 0 };
    at_status status = atx_gpu_cc(&cc, r->gpu, err);
    atx_put_i64(&body, cc);
    ATX_THEN(status, atx_runner_reply(ATX_FOUND, &body, err));
    return status;
}

/* NVML may not show what the driver does. */
static void forget_unless_found(runner *r, const char *uuid)
{
    if (atx_nvml_find(r->nvml, uuid))
        return;
    atx_nvml_close(r->nvml);
    r->nvml = NULL;
}

/*
 * The context is made last, when the supervisor knows all that it asks: it takes as long as all before it.
 * Where NVML cannot tell how much memory is free only a context can, and it is made first.
 */
static at_status hello(runner *r, int ordinal, at_error *err)
{
    atx_device_info info;
    ATX_LOCAL(atx_str) body = { 0 };
    at_status status = atx_gpu_find(&r->gpu, r->hidden.others ? 0 : ordinal, err);
    if (status != AT_OK)
        atx_hide_none(&r->hidden, ordinal);
    ATX_THEN(status, say_found(r, err));
    ATX_THEN(status, atx_gpu_describe(&info, r->gpu, err));
    if (status != AT_OK)
        return status;
    atx_host_name(info.host, sizeof info.host);
    const int gpus = atx_nvml_count(r->nvml);
    forget_unless_found(r, info.uuid);
    info.ordinal = ordinal;
    if (r->hidden.others)
        info.visible = r->hidden.named ? r->hidden.named : gpus;
    info.free_bytes = atx_nvml_free_bytes(r->nvml);
    bool first = info.free_bytes < 0;
    if (first)
        status = atx_gpu_enter(r->gpu, err);
    if (first && status == AT_OK)
        status = atx_gpu_memory(&info.free_bytes, r->gpu, err);
    if (status != AT_OK)
        return status;
    atx_device_lock_open(&r->lock, ATX_DEVICE_LOCK_FOLDER, info.uuid, info.no_device_lock,
                         sizeof info.no_device_lock);
    atx_nvml_driver(r->nvml, info.driver, sizeof info.driver);
    info.other_processes = atx_nvml_processes(r->nvml);
    info.other_processes -= first && info.other_processes > 0; /* this one */
    info.ecc_errors = atx_nvml_ecc_errors(r->nvml);
    atx_put_bytes(&body, &info, sizeof info);
    status = atx_runner_reply(ATX_HELLO, &body, err);
    return status == AT_OK && !first ? atx_gpu_enter(r->gpu, err) : status;
}

static at_status take_scales(runner *r, const atx_setup *setup, at_error *err)
{
    r->scales = setup->energy ? r->nvml : NULL;
    if (setup->energy && isnan(atx_nvml_joules(r->nvml)))
        return atx_fail(
            err, AT_ERR_DEVICE,
            "a metric reads energy_j, and found %s; expected NVML's energy counter (libnvidia-ml.so.1, "
            "nvmlDeviceGetTotalEnergyConsumption, a GPU since Volta)",
            r->nvml ? "a device or a library without it" : "no NVML for this device");
    return AT_OK;
}

static at_status serve_setup(runner *r, atx_reader *in, at_error *err)
{
    atx_setup setup;
    ATX_LOCAL(atx_str) body = { 0 };
    at_status status = atx_read_setup(&setup, in, err);

    atx_bench_close(r->bench);
    r->bench = NULL;
    ATX_THEN(status, take_scales(r, &setup, err));
    ATX_THEN(status, atx_bench_open(&r->bench, r->gpu, &setup, err));
    if (status == AT_OK && !r->warm) /* clocks rise once a runner */
        status = atx_warm_up(r->gpu, r->bench, WARM_UP_S, err);
    if (status != AT_OK)
        return status;
    r->warm = true;
    atx_put_i64(&body, atx_bench_sets(r->bench));
    status = atx_runner_reply(ATX_READY, &body, err);
    return status;
}

/* A device that had nothing to do for a while is looked at anew. */
static void begin_watch(runner *r)
{
    if (r->watched_s > 0 && atx_now_s() - r->watched_s < FRESH_S)
        atx_watch_go_on(&r->watch);
    else
        atx_watch_begin(&r->watch, r->nvml);
}

static at_status measure(atx_measured *out, runner *r, const atx_trial *trial, at_error *err)
{
    begin_watch(r);
    at_status status = atx_measure_trial(out, r->gpu, r->bench, trial, r->scales, err);
    bool again = status == AT_OK && out->outcome == ATX_TIMED && atx_watch_disturbed(&r->watch);
    if (again) /* once is enough here */
        status = atx_measure_trial(out, r->gpu, r->bench, trial, r->scales, err);
    if (status == AT_OK && (again || out->outcome != ATX_TIMED))
        atx_watch_look(&r->watch);
    out->conditions = r->watch.now;
    r->watched_s = atx_now_s();
    return status;
}

static at_status serve_trial(runner *r, atx_reader *in, at_error *err)
{
    atx_trial trial;
    atx_measured measured;
    ATX_LOCAL(atx_str) body = { 0 };
    double start = atx_now_s();

    ATX_TRY(atx_read_trial(&trial, in, err));
    ATX_TRY(measure(&measured, r, &trial, err));
    measured.busy_s = atx_now_s() - start;
    atx_put_bytes(&body, &measured, sizeof measured);
    return atx_runner_reply(ATX_MEASURED, &body, err);
}

static bool is_cancelled(void *context)
{
    runner *r = context;
    if (!r->cancelled)
        r->cancelled = atx_remeasure_is_to_end();
    return r->cancelled;
}

static at_status serve_remeasure(runner *r, atx_reader *in, at_error *err)
{
    atx_top_candidate list[ATX_MAX_TOP_CANDIDATES];
    atx_remeasure_row rows[ATX_MAX_TOP_CANDIDATES];
    atx_remeasure_request request;
    ATX_LOCAL(atx_str) body = { 0 };
    atx_watch watch;
    const atx_remeasure_means means = { .gpu = r->gpu,
                                        .bench = r->bench,
                                        .watch = &watch,
                                        .scales = r->scales,
                                        .cancelled = is_cancelled,
                                        .context = r };

    r->cancelled = false;
    atx_watch_begin(&watch, r->nvml);
    ATX_TRY(atx_read_remeasure(&request, list, in, err));
    ATX_TRY(atx_remeasure(rows, &means, &request, err));
    atx_remeasure_notes notes = { .conditions = atx_nvml_read(r->nvml), .discarded = watch.discarded };
    snprintf(notes.why, sizeof notes.why, "%s", watch.what ? watch.what : "");
    atx_put_bytes(&body, &notes, sizeof notes);
    atx_put_bytes(&body, rows, (size_t)request.count * sizeof *rows);
    return atx_runner_reply(ATX_REMEASURED, &body, err);
}

static at_status serve(runner *r, uint32_t kind, const atx_str *body, at_error *err)
{
    atx_reader in = { body->data, body->data + body->len, false };
    if (kind == ATX_SETUP)
        return serve_setup(r, &in, err);
    if (!r->bench)
        return atx_bug(err, "no problem is open on the device");
    if (kind == ATX_TRIAL)
        return serve_trial(r, &in, err);
    if (kind == ATX_REMEASURE)
        return serve_remeasure(r, &in, err);
    return atx_bug(err, "the device runner was sent an unknown request, %u", (unsigned)kind);
}

static at_status serve_all(runner *r, at_error *err)
{
    at_status status = AT_OK;
    ATX_LOCAL(atx_str) body = { 0 };
    uint32_t kind = 0;

    while (status == AT_OK) {
        at_error cause = { 0 };
        if ((status = atx_wire_recv(ATX_CHILD_FD, &kind, &body, err)) != AT_OK || kind == 0)
            break;
        if (kind == ATX_CANCEL) /* it came when the re-measurement was over */
            continue;
        if ((status = begin_turn(r, err)) != AT_OK)
            break;
        at_status failure = serve(r, kind, &body, &cause);
        atx_device_lock_end(&r->lock);
        if (failure == AT_OK)
            continue;
        status = atx_runner_reply_failure(failure, &cause, err);
        if (atx_gpu_is_lost(r->gpu))
            break;
    }
    return status;
}

static at_status say_count(at_error *err)
{
    int count = 0;
    ATX_LOCAL(atx_str) body = { 0 };
    at_status status = atx_gpu_count(&count, err);
    if (status != AT_OK)
        return status;
    atx_put_i64(&body, count);
    for (int i = 0; i < count && status == AT_OK; i++) {
        char uuid[ATX_UUID_TEXT] = "";
        status = atx_gpu_uuid(uuid, i, err);
        atx_put_text(&body, uuid);
    }
    ATX_THEN(status, atx_runner_reply(ATX_READY, &body, err));
    return status;
}

int atx_runner_main(int ordinal, bool show_all)
{
    runner r = { .lock = { .door = -1, .device = -1 } };
    at_error err = { 0 };
    r.nvml = ordinal == ATX_COUNT_DEVICES ? NULL : atx_nvml_open();
    if (!show_all && ordinal != ATX_COUNT_DEVICES && !atx_nvml_uses_mig(r.nvml))
        atx_hide_others(&r.hidden, ordinal, atx_nvml_count(r.nvml));
    at_status status = ordinal == ATX_COUNT_DEVICES ? say_count(&err) : hello(&r, ordinal, &err);
    if (status != AT_OK) {
        at_error ignored;
        status = atx_runner_reply_failure(status, &err, &ignored);
    } else if (r.gpu) {
        status = serve_all(&r, &err);
    }
    atx_bench_close(r.bench);
    atx_nvml_close(r.nvml);
    atx_gpu_close(r.gpu);
    atx_device_lock_close(&r.lock);
    atx_hidden_clear(&r.hidden);
    return status == AT_OK ? 0 : 1;
}
