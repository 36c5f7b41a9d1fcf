/* session.c - what a device's thread needs, from its store to a problem's buffers; see contest.h. */
#include "tune/contest.h"

#include "lang/render.h"
#include "util/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static at_status compile_checks(at__session *s, at_error *err)
{
    at__str_add_bytes(&s->checks.source, at__embedded_verify[0].data, at__embedded_verify[0].len);
    at_status status = at__str_status(&s->checks.source, err);
    if (status == AT_OK)
        status = at__build_look_up(&s->checks, &s->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&s->checks, &s->builder, at__embedded_verify[0].path, err);
    if (status == AT_OK && !s->checks.ok)
        status = at_fail(err, AT_ERR_DEVICE, "NVRTC does not compile %s for sm_%d: %s",
                         at__embedded_verify[0].path, s->builder.cc, at__str_text(&s->checks.log));
    return status;
}

static void take_fingerprint(at__session *s)
{
    const at__device_info *info = at__device_info_of(s->device);
    at__fingerprint *f = &s->fingerprint;
    snprintf(f->device, sizeof f->device, "%s", info->name);
    snprintf(f->driver, sizeof f->driver, "%s", info->driver);
    snprintf(f->nvrtc, sizeof f->nvrtc, "%s",
             s->builder.nvrtc ? at__nvrtc_version(s->builder.nvrtc) : info->nvrtc);
    snprintf(f->tool, sizeof f->tool, "%s", AT_VERSION);
    f->cc = info->limits.cc;
    f->sms = info->limits.sms;
    f->memory_mib = info->limits.memory_bytes >> 20;
    f->cold = !s->options->warm;
}

at_status at__session_begin_run(int64_t *run_id, at__session *s, const char *strategy, at_error *err)
{
    char host[256] = "";
    const at__tune_options *o = s->options;
    gethostname(host, sizeof host - 1);
    at__run_info info = { .command = o->command ? o->command : "",
                          .strategy = strategy,
                          .seed = o->seed,
                          .device_uuid = at__device_info_of(s->device)->uuid,
                          .host = host,
                          .other_processes = at__device_info_of(s->device)->other_processes,
                          .ecc_errors = at__device_info_of(s->device)->ecc_errors };
    return at__store_begin_run(run_id, s->store, &info, err);
}

static at_status open_nvrtc(at__builder *b, at_error *err)
{
    at_status status = at__nvrtc_open(&b->nvrtc, err);
    if (status == AT_OK && !at__nvrtc_supports(b->nvrtc, b->cc))
        status = at_fail(err, AT_ERR_DEVICE,
                         "NVRTC %s (%s) cannot compile for sm_%d; install a newer or older CUDA toolkit",
                         at__nvrtc_version(b->nvrtc), at__nvrtc_path(b->nvrtc), b->cc);
    return status;
}

static at_status open_pool(at__session *s, int workers, at_error *err)
{
    if (s->options->cache_path && at__store_open(&s->cache, s->options->cache_path, AT__STORE_WRITE,
                                                 &s->builder.cache_error) == AT_OK) {
        at__store_limit_cubins(s->cache, s->options->cache_bytes);
        s->builder.cache = s->cache;
    }
    return at__pool_open(&s->builder.pool, (at__pool_options){ .workers = workers }, err);
}

static void tell_of_replay(const at__session *s)
{
    char text[512];
    const at__device_info *info = at__device_info_of(s->device);
    snprintf(text, sizeof text,
             "this is a %s: times are those of the recording, nothing is measured here; results go to %s",
             info->name, s->options->db_path);
    s->events->warning(s->events->context, text);
}

/* What makes figures doubtful before anything is measured. */
static void tell_of_doubts(const at__session *s)
{
    char text[256];
    const at__device_info *info = at__device_info_of(s->device);
    if (info->other_processes > 0) {
        snprintf(text, sizeof text,
                 "GPU %d: %lld other process%s use%s it; figures may suffer: end them, or take another GPU",
                 info->ordinal, (long long)info->other_processes, info->other_processes == 1 ? "" : "es",
                 info->other_processes == 1 ? "s" : "");
        s->events->warning(s->events->context, text);
    }
    if (info->ecc_errors > 0) {
        snprintf(text, sizeof text,
                 "GPU %d: %lld uncorrected memory errors since its driver was loaded; results may be wrong",
                 info->ordinal, (long long)info->ecc_errors);
        s->events->warning(s->events->context, text);
    }
}

at_status at__session_open(at__session *s, const at__catalog *catalog, const at__tune_options *options,
                           at__device *device, int workers, const at__tune_events *events, at_error *err)
{
    *s = (at__session){
        .catalog = catalog, .options = options, .device = device, .seed = options->seed, .events = events
    };
    s->cancel.flag = options->cancel;
    s->builder.cancel = &s->cancel;
    at__device_set_cancel(device, &s->cancel);
    s->builder.cc = (int)at__device_info_of(device)->limits.cc;
    bool replay = at__device_info_of(device)->ordinal == AT__REPLAY_ORDINAL;
    at_status status = replay ? AT_OK : open_nvrtc(&s->builder, err);
    if (status == AT_OK)
        status = at__store_open(&s->store, options->db_path, AT__STORE_WRITE, err);
    if (status == AT_OK && !replay)
        status = open_pool(s, workers, err);
    if (status == AT_OK)
        take_fingerprint(s);
    if (status == AT_OK)
        status =
            at__session_begin_run(&s->run_id, s, options->strategy ? options->strategy->name : "auto", err);
    if (status == AT_OK)
        status = compile_checks(s, err);
    if (status == AT_OK && replay)
        tell_of_replay(s);
    else if (status == AT_OK)
        tell_of_doubts(s);
    return status;
}

void at__session_close(at__session *s)
{
    at__build_clear(&s->checks);
    if (s->device)
        at__device_set_cancel(s->device, NULL);
    at__pool_close(s->builder.pool);
    at__nvrtc_close(s->builder.nvrtc);
    at__store_close(s->cache);
    if (s->store)
        at__store_close(s->store);
    *s = (at__session){ 0 };
}

at_status at__session_set_up(at__session *s, const at__contest *c, at_error *err)
{
    const at__op *op = c->problem.op;
    at__setup setup = { .verify_cubin = s->checks.cubin.data,
                        .verify_len = s->checks.cubin.len,
                        .warm = s->options->warm,
                        .seed = s->seed };
    at__build reference = { 0 };

    if (op->recorded && s->builder.nvrtc)
        return at_fail(err, AT_ERR_INPUT,
                       "%s: the operation %s is recorded, its kernels are not here; expected --device "
                       "replay:FILE",
                       op->file, op->name);
    if (op->recorded)
        return AT_OK;
    at_status status = at__render_reference(&reference.source, op, c->problem.type, err);
    if (status == AT_OK)
        status = at__build_look_up(&reference, &s->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&reference, &s->builder, op->file, err);
    if (status == AT_OK && !reference.ok)
        status = at_fail(err, AT_ERR_INPUT, "%s: the reference kernel does not compile:\n%s", op->file,
                         at__str_text(&reference.log));
    if (status == AT_OK)
        status = at__session_buffers(&setup, &c->problem, &c->key, c->slots, err);
    if (status == AT_OK)
        status = at__kernel_bind(&setup.reference, &reference, op->reference, &op->launch, op, c->slots, err);
    if (status == AT_OK)
        status = at__device_setup(s->device, &setup, err);
    at__build_clear(&reference);
    return status;
}

/* The problem that `ceiling` names; false when the op has none, or is its own ceiling. */
bool at__session_ceiling(at__problem *out, const at__session *s, const at__contest *c)
{
    const at__op *op = c->problem.op;
    const at__op *copy = op->ceiling_op[0] ? at__catalog_find_op(s->catalog, op->ceiling_op) : NULL;
    int64_t sizes[AT__MAX_DIMS];
    if (!copy || copy == op)
        return false;
    for (int i = 0; i < op->ceiling_dim_count; i++)
        if (at__expr_eval(&sizes[i], op->ceiling_dims[i], c->slots, NULL) != AT_OK)
            return false;
    return at__problem_init(out, copy, c->problem.type, sizes, op->ceiling_dim_count, NULL) == AT_OK;
}

void at__session_trace(const at__session *s, const char *what, const char *detail, double start_s)
{
    int ordinal = at__device_info_of(s->device)->ordinal;
    at__trace_span(s->options->trace, AT__TRACK_DEVICE, ordinal < 0 ? 0 : ordinal, 0, what, detail, start_s,
                   at__now_s());
}
