/*
 * session.c - opening and closing what a device's thread needs. Whatever fails, closing ends all that was
 * begun: workers, NVRTC, cache and store, in the reverse order.
 */
#include "tune/session_parts.h"

#include "tune/setup.h"

#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static at_status compile_verify(at__env *env, at_error *err)
{
    at_status status = at__setup_checks(&env->verify.source, err);
    if (status == AT_OK)
        status = at__build_look_up(&env->verify, &env->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&env->verify, &env->builder, "runner/verify.cu", err);
    if (status == AT_OK && !env->verify.ok)
        status = at_fail(err, AT_ERR_DEVICE, "NVRTC does not compile runner/verify.cu for sm_%d: %s",
                         env->builder.cc, at__str_text(&env->verify.log));
    return status;
}

static void take_fingerprint(at__env *env)
{
    const at__device_info *info = at__device_info_of(env->device);
    at__fingerprint *f = &env->fingerprint;
    snprintf(f->device, sizeof f->device, "%s", info->name);
    snprintf(f->driver, sizeof f->driver, "%s", info->driver);
    snprintf(f->nvrtc, sizeof f->nvrtc, "%s",
             env->builder.nvrtc ? at__nvrtc_version(env->builder.nvrtc) : info->nvrtc);
    snprintf(f->tool, sizeof f->tool, "%s", AT_VERSION);
    f->cc = info->limits.cc;
    f->sms = info->limits.sms;
    f->memory_mib = info->limits.memory_bytes >> 20;
    f->cold = !env->options->warm;
}

at_status at__session_begin_run(int64_t *run_id, at__session *s, const char *strategy, at_error *err)
{
    char host[256] = "";
    const at__tune_options *o = s->env.options;
    gethostname(host, sizeof host - 1);
    at__run_info info = { .command = o->command ? o->command : "",
                          .strategy = strategy,
                          .seed = o->seed,
                          .device_uuid = at__device_info_of(s->env.device)->uuid,
                          .host = host,
                          .other_processes = at__device_info_of(s->env.device)->other_processes,
                          .ecc_errors = at__device_info_of(s->env.device)->ecc_errors };
    return at__store_begin_run(run_id, s->env.store, &info, err);
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
    at__env *env = &s->env;
    if (env->options->cache_path &&
        at__store_open_cache(&s->cache, env->options->cache_path, &env->builder.cache_error) == AT_OK) {
        at__store_limit_cubins(s->cache, env->options->cache_bytes);
        env->builder.cache = s->cache;
    }
    return at__pool_open(&env->builder.pool, (at__pool_options){ .workers = workers }, err);
}

/* What makes figures doubtful before anything is measured. */
static void warn_of_doubts(const at__env *env)
{
    const at__device_info *info = at__device_info_of(env->device);
    if (at__env_is_replay(env)) {
        at__env_warn(env,
                     "this is a %s: times are those of the recording, nothing is measured here; results go "
                     "to %s",
                     info->name, env->options->db_path);
        return;
    }
    if (info->other_processes > 0)
        at__env_warn(env,
                     "GPU %d: %lld other process%s use%s it; figures may suffer: end them, or take another "
                     "GPU",
                     info->ordinal, (long long)info->other_processes, info->other_processes == 1 ? "" : "es",
                     info->other_processes == 1 ? "s" : "");
    if (info->no_turns[0])
        at__env_warn(
            env,
            "GPU %d: other runs of autotune on it are not kept from disturbing this one, as there is no "
            "lock to take turns with: %s",
            info->ordinal, info->no_turns);
    if (info->ecc_errors > 0)
        at__env_warn(env,
                     "GPU %d: %lld uncorrected memory errors since its driver was loaded; results may be "
                     "wrong",
                     info->ordinal, (long long)info->ecc_errors);
}

static at_status open_session(at__session *s, int workers, at_error *err)
{
    at__env *env = &s->env;
    bool replay = at__env_is_replay(env);
    at_status status = replay ? AT_OK : open_nvrtc(&env->builder, err);
    if (status == AT_OK)
        status = at__store_open(&env->store, env->options->db_path, AT__STORE_WRITE, err);
    if (status == AT_OK && !replay)
        status = open_pool(s, workers, err);
    if (status == AT_OK) {
        const at__strategy *strategy = env->options->strategy;
        take_fingerprint(env);
        status = at__session_begin_run(&env->run_id, s, strategy ? strategy->name : "auto", err);
    }
    if (status == AT_OK)
        status = compile_verify(env, err);
    return status;
}

at_status at__session_open(at__session **out, const at__catalog *catalog, const at__tune_options *options,
                           at__device *device, int workers, const at__tune_events *events, at_error *err)
{
    at__session *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    s->env = (at__env){ .catalog = catalog,
                        .options = options,
                        .events = events,
                        .device = device,
                        .seed = options->seed,
                        .cancel.flag = options->cancel };
    s->env.builder.cancel = &s->env.cancel;
    s->env.builder.cc = (int)at__device_info_of(device)->limits.cc;
    at__device_set_cancel(device, &s->env.cancel);
    at_status status = open_session(s, workers, err);
    if (status == AT_OK) {
        warn_of_doubts(&s->env);
        *out = s;
    } else {
        at__session_close(s);
    }
    return status;
}

void at__session_close(at__session *s)
{
    if (!s)
        return;
    at__build_clear(&s->env.verify);
    at__device_set_cancel(s->env.device, NULL);
    at__pool_close(s->env.builder.pool);
    at__nvrtc_close(s->env.builder.nvrtc);
    at__store_close(s->cache);
    at__store_close(s->env.store);
    free(s);
}

at__env *at__session_env(at__session *session)
{
    return &session->env;
}
