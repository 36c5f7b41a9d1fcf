/*
 * session_help.c - a device that has no problem of its own takes part in another one's.
 *
 * The other one compiles, proposes and stores. So the compile workers of this session end meanwhile, but for
 * one, and the other session starts as many.
 */
#include "tune/session_internal.h"

#include "device/borrowed.h"
#include "tune/setup.h"
#include "util/clock.h"

#define GRACE_S 1.0 /* as in a search of its own */

/* While the problem is opened here its search may end. */
typedef struct opening {
    atx_session *s;
    atx_helper_pool *helper_pool;
    int64_t help_request;
} opening;

static void tick(void *context)
{
    const opening *o = context;
    atx_session_tick(o->s);
    if (!atx_helper_pool_wants(o->helper_pool, o->help_request))
        o->s->env.cancel.until_s = atx_now_s();
}

static void pass_over(void *context, const char *name, const char *hash, const char *config)
{
    (void)context, (void)name, (void)hash, (void)config;
}

/* A replay looks for what it knows of a problem when it is first asked. */
static at_status read_recorded(const atx_env *env, const atx_problem *problem, at_error *err)
{
    atx_problem_key key;
    ATX_LOCAL(atx_str) shape = { 0 };
    ATX_TRY(atx_problem_key_of(&key, &shape, problem, err));
    return atx_device_recorded(env->device, &key, env->options->warm || problem->op->recorded, pass_over,
                               NULL, err);
}

static at_status open_problem(atx_env *env, const atx_problem *problem, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_problem copies;
    ATX_TRY(atx_problem_bind(slots, problem, &atx_device_info_of(env->device)->limits, err));
    ATX_TRY(atx_setup_problem(env, problem, slots, err));
    ATX_TRY(read_recorded(env, problem, err));
    if (atx_setup_ceiling(&copies, env, problem, slots))
        return read_recorded(env, &copies, err);
    return AT_OK;
}

/* A device that is lost or cancelled compiles nothing any more. */
static bool goes_on(const atx_session *s, at_status status)
{
    return status != AT_ERR_CANCELLED && !atx_device_is_lost(s->env.device);
}

at_status atx_session_lend(atx_session *s, atx_helper_pool *helper_pool, int64_t help_request, at_error *err)
{
    atx_borrowed *borrowed = NULL;
    atx_pool *pool = s->env.builder.pool;
    atx_site *sites[ATX_POOL_MOST];
    int workers = pool ? atx_pool_sites(pool, sites) : 0;
    at_status status = atx_borrowed_open(&borrowed, s->env.device, err);
    if (status != AT_OK)
        return status;
    if (pool)
        atx_pool_shrink(pool, 1);
    atx_helper helper = { .device = atx_borrowed_device(borrowed),
                          .run_id = s->env.run_id,
                          .workers = pool ? workers - atx_pool_workers(pool) : 0,
                          .sites = sites + 1 };
    if (atx_helper_pool_bring(helper_pool, help_request, &helper))
        status = atx_borrowed_serve(borrowed, err);
    atx_borrowed_close(borrowed);
    if (!pool || !goes_on(s, status))
        return status;
    at_status grown = atx_pool_grow(pool, workers, sites + 1, status == AT_OK ? err : NULL);
    return status == AT_OK ? grown : status;
}

at_status atx_session_help(atx_session *s, atx_helper_pool *helper_pool, int64_t help_request,
                           const atx_problem *problem, at_error *err)
{
    opening o = { .s = s, .helper_pool = helper_pool, .help_request = help_request };
    at_error cause = { 0 };
    s->env.cancel = (atx_cancel){ .flag = s->env.options->cancel, .tick = tick, .context = &o };
    at_status status = open_problem(&s->env, problem, &cause);
    bool wanted = atx_helper_pool_wants(helper_pool, help_request) && !atx_cancel_asked(&s->env.cancel);
    s->env.cancel = (atx_cancel){ .flag = s->env.options->cancel, .grace_s = GRACE_S };
    if (status == AT_OK && wanted)
        status = atx_session_lend(s, helper_pool, help_request, &cause);
    else if (status != AT_OK && wanted)
        atx_env_warn(&s->env, "GPU %d does not take part in a problem of another one: %s",
                     atx_device_info_of(s->env.device)->ordinal, cause.text);
    atx_helper_pool_leave(helper_pool, help_request);
    if (status == AT_OK || status == AT_ERR_CANCELLED || status == AT_ERR_INPUT ||
        (status == AT_ERR_DEVICE && !atx_device_is_lost(s->env.device)))
        return AT_OK;
    return atx_fail(err, status, "%s", cause.text);
}
