/*
 * session.c - opening and closing the resources of a device's thread. After any failure, closing ends all
 * that was begun: workers, NVRTC, cache and store, in the reverse order.
 */
#include "tune/session_internal.h"

#include "tune/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Recordings of other tuners name no driver, and are stored as warm: those do not clear the caches. */
static bool is_of_others(const atx_device_info *info)
{
    return strncmp(info->driver, ATX_REPLAY_RECORDING, strlen(ATX_REPLAY_RECORDING)) == 0;
}

static void take_fingerprint(atx_env *env)
{
    const atx_device_info *info = atx_device_info_of(env->device);
    atx_fingerprint *f = &env->fingerprint;
    snprintf(f->device, sizeof f->device, "%s", info->name);
    snprintf(f->driver, sizeof f->driver, "%s", info->driver);
    snprintf(f->nvrtc, sizeof f->nvrtc, "%s",
             env->builder.nvrtc ? atx_nvrtc_version(env->builder.nvrtc) : info->nvrtc);
    snprintf(f->tool, sizeof f->tool, "%s", AT_VERSION);
    f->cc = info->limits.cc;
    f->sms = info->limits.sms;
    f->memory_mib = info->limits.memory_bytes >> 20;
    f->cold = !env->options->warm && !is_of_others(info);
}

at_status atx_session_begin_run(int64_t *run_id, atx_session *s, const char *strategy, at_error *err)
{
    char host[256] = "";
    const atx_tune_options *o = s->env.options;
    gethostname(host, sizeof host - 1);
    if (atx_device_info_of(s->env.device)->host[0])
        snprintf(host, sizeof host, "%s", atx_device_info_of(s->env.device)->host);
    atx_run_info info = { .command = o->command ? o->command : "",
                          .strategy = strategy,
                          .seed = o->seed,
                          .device_uuid = atx_device_info_of(s->env.device)->uuid,
                          .host = host,
                          .other_processes = atx_device_info_of(s->env.device)->other_processes,
                          .ecc_errors = atx_device_info_of(s->env.device)->ecc_errors };
    return atx_store_begin_run(run_id, s->env.store, &info, err);
}

static at_status check_nvrtc(const atx_builder *b, const atx_device_info *info, at_error *err)
{
    at_status status = atx_nvrtc_check_driver(b->nvrtc, info->cuda, err);
    if (status != AT_OK || atx_nvrtc_supports(b->nvrtc, b->cc))
        return status;
    return atx_fail(err, AT_ERR_DEVICE,
                    "NVRTC %s (%s) cannot compile for sm_%d; install a newer or older CUDA toolkit",
                    atx_nvrtc_version(b->nvrtc), atx_nvrtc_path(b->nvrtc), b->cc);
}

static void open_cache(atx_session *s)
{
    atx_env *env = &s->env;
    if (!env->options->cache_path || atx_store_open_cache(&s->cache, env->options->cache_path, &env->cancel,
                                                          &env->builder.cache_error) != AT_OK)
        return;
    atx_store_limit_cubins(s->cache, env->options->cache_bytes);
    env->builder.cache = s->cache;
}

/* What makes figures doubtful before anything is measured. */
static void warn_of_lint(const atx_env *env)
{
    const atx_device_info *info = atx_device_info_of(env->device);
    if (atx_env_is_replay(env)) {
        atx_env_warn(env,
                     "this is a %s: times are those of the recording, nothing is measured here; results go "
                     "to %s",
                     info->name, env->options->db_path);
        return;
    }
    if (info->other_processes > 0)
        atx_env_warn(env,
                     "GPU %d: %lld other process%s use%s it; figures may suffer: end them, or take another "
                     "GPU",
                     info->ordinal, (long long)info->other_processes, info->other_processes == 1 ? "" : "es",
                     info->other_processes == 1 ? "s" : "");
    if (info->no_device_lock[0])
        atx_env_warn(
            env,
            "GPU %d: other runs of autotune on it are not kept from disturbing this one, as there is no "
            "lock to take turns with: %s",
            info->ordinal, info->no_device_lock);
    if (info->ecc_errors > 0)
        atx_env_warn(env,
                     "GPU %d: %lld uncorrected memory errors since its driver was loaded; results may be "
                     "wrong",
                     info->ordinal, (long long)info->ecc_errors);
}

at_status atx_session_begin(atx_session **out, const atx_session_plan *plan, at_error *err)
{
    atx_session *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return atx_no_memory(err);
    s->env = (atx_env){ .catalog = plan->catalog,
                        .options = plan->options,
                        .events = plan->events,
                        .seed = plan->options->seed,
                        .cancel.flag = plan->options->cancel };
    s->env.builder.cancel = &s->env.cancel;
    s->env.builder.claims = plan->claims;
    at_status status = AT_OK;
    if (!plan->replay)
        status = atx_pool_open(&s->env.builder.pool,
                               (atx_pool_options){ .workers = plan->workers, .sites = plan->sites }, err);
    if (status == AT_OK && !plan->replay)
        status = atx_nvrtc_open(&s->env.builder.nvrtc, err);
    if (status == AT_OK)
        *out = s;
    else
        atx_session_close(s);
    return status;
}

void atx_session_tick(atx_session *s)
{
    at_error ignored; /* reported again when the kernel is taken */
    at_status pumped = s->env.builder.pool ? atx_pool_pump(s->env.builder.pool, &ignored) : AT_OK;
    (void)pumped;
}

static at_status prepare(atx_session *s, at_error *err)
{
    if (s->env.builder.nvrtc && !s->cache)
        open_cache(s);
    at_status status = atx_setup_begin_checks(&s->env, err);
    s->prepared = status == AT_OK;
    return status;
}

/* What fails here fails again when the session is opened, and is told then. */
void atx_session_prepare(atx_session *s, int cc)
{
    at_error ignored;
    atx_builder *b = &s->env.builder;
    b->cc = cc;
    if (s->prepared || !b->nvrtc || !atx_nvrtc_supports(b->nvrtc, cc))
        return;
    atx_session_tick(s);
    at_status prepared = prepare(s, &ignored);
    (void)prepared;
}

static at_status open_session(atx_session *s, at_error *err)
{
    atx_env *env = &s->env;
    const atx_strategy *strategy = env->options->strategy;
    bool replay = atx_env_is_replay(env);
    at_status status = replay ? AT_OK : check_nvrtc(&env->builder, atx_device_info_of(env->device), err);
    if (status == AT_OK && !s->prepared)
        status = prepare(s, err);
    if (status == AT_OK)
        status =
            atx_store_open_unless(&env->store, env->options->db_path, ATX_STORE_WRITE, &env->cancel, err);
    if (status != AT_OK)
        return status;
    take_fingerprint(env);
    atx_store_set_cancel(env->store, &env->cancel); /* nothing is lost yet that was measured */
    status = atx_session_begin_run(&env->run_id, s, strategy ? strategy->name : "auto", err);
    atx_store_set_cancel(env->store, NULL);
    return status;
}

at_status atx_session_open(atx_session *s, atx_device *device, at_error *err)
{
    s->env.device = device;
    s->env.builder.cc = (int)atx_device_info_of(device)->limits.cc;
    atx_device_set_cancel(device, &s->env.cancel);
    ATX_TRY(open_session(s, err));
    warn_of_lint(&s->env);
    return AT_OK;
}

at_status atx_session_share(atx_session *s, int workers, at_error *err)
{
    atx_pool *pool = s->env.builder.pool;
    if (!pool)
        return AT_OK;
    atx_pool_shrink(pool, workers);
    return atx_pool_grow(pool, workers, NULL, err);
}

void atx_session_close(atx_session *s)
{
    if (!s)
        return;
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        atx_build_clear(&s->env.verify[i]);
    if (s->env.device)
        atx_device_set_cancel(s->env.device, NULL);
    atx_pool_close(s->env.builder.pool);
    atx_nvrtc_close(s->env.builder.nvrtc);
    atx_store_close(s->cache);
    atx_store_close(s->env.store);
    free(s);
}

atx_env *atx_session_env(atx_session *session)
{
    return &session->env;
}
