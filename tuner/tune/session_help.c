/*
 * session_help.c - a device that has no problem of its own takes part in another one's.
 *
 * The other one compiles, proposes and stores. So the compile workers of this session end meanwhile, but for
 * one, and the other session starts as many.
 */
#include "tune/session_parts.h"

#include "device/lent.h"
#include "tune/setup.h"
#include "util/clock.h"

#define GRACE_S 1.0 /* as in a search of its own */

/* While the problem is opened here its search may end. */
typedef struct opening {
    at__session *s;
    at__crew *crew;
    int64_t offer;
} opening;

static void tick(void *context)
{
    const opening *o = context;
    at__session_tick(o->s);
    if (!at__crew_wants(o->crew, o->offer))
        o->s->env.cancel.until_s = at__now_s();
}

static void pass_over(void *context, const char *name, const char *hash, const char *config)
{
    (void)context, (void)name, (void)hash, (void)config;
}

/* A replay looks for what it knows of a problem when it is first asked. */
static at_status read_recorded(const at__env *env, const at__problem *problem, at_error *err)
{
    at__problem_key key;
    at__str shape = { 0 };
    at_status status = at__problem_key_of(&key, &shape, problem, err);
    if (status == AT_OK)
        status = at__device_recorded(env->device, &key, env->options->warm || problem->op->recorded,
                                     pass_over, NULL, err);
    at__str_clear(&shape);
    return status;
}

static at_status open_problem(at__env *env, const at__problem *problem, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS];
    at__problem copies;
    at_status status = at__problem_bind(slots, problem, &at__device_info_of(env->device)->limits, err);
    if (status == AT_OK)
        status = at__setup_problem(env, problem, slots, err);
    if (status == AT_OK)
        status = read_recorded(env, problem, err);
    if (status == AT_OK && at__setup_ceiling(&copies, env, problem, slots))
        status = read_recorded(env, &copies, err);
    return status;
}

/* A device that is lost, or one whose user wants to end, compiles nothing any more. */
static bool goes_on(const at__session *s, at_status status)
{
    return status != AT_ERR_CANCELLED && !at__device_is_lost(s->env.device);
}

at_status at__session_lend(at__session *s, at__crew *crew, int64_t offer, at_error *err)
{
    at__lent *lent = NULL;
    at__pool *pool = s->env.builder.pool;
    at__site *sites[AT__POOL_MOST];
    int workers = pool ? at__pool_sites(pool, sites) : 0;
    at_status status = at__lent_open(&lent, s->env.device, err);
    if (status != AT_OK)
        return status;
    if (pool)
        at__pool_shrink(pool, 1);
    at__helper helper = { .device = at__lent_device(lent),
                          .run_id = s->env.run_id,
                          .workers = pool ? workers - at__pool_workers(pool) : 0,
                          .sites = sites + 1 };
    if (at__crew_bring(crew, offer, &helper))
        status = at__lent_serve(lent, err);
    at__lent_close(lent);
    if (!pool || !goes_on(s, status))
        return status;
    at_status grown = at__pool_grow(pool, workers, sites + 1, status == AT_OK ? err : NULL);
    return status == AT_OK ? grown : status;
}

at_status at__session_help(at__session *s, at__crew *crew, int64_t offer, const at__problem *problem,
                           at_error *err)
{
    opening o = { .s = s, .crew = crew, .offer = offer };
    at_error cause = { 0 };
    s->env.cancel = (at__cancel){ .flag = s->env.options->cancel, .tick = tick, .context = &o };
    at_status status = open_problem(&s->env, problem, &cause);
    bool wanted = at__crew_wants(crew, offer) && !at__cancel_asked(&s->env.cancel);
    s->env.cancel = (at__cancel){ .flag = s->env.options->cancel, .grace_s = GRACE_S };
    if (status == AT_OK && wanted)
        status = at__session_lend(s, crew, offer, &cause);
    else if (status != AT_OK && wanted)
        at__env_warn(&s->env, "GPU %d does not take part in a problem of another one: %s",
                     at__device_info_of(s->env.device)->ordinal, cause.text);
    at__crew_leave(crew, offer);
    if (status == AT_OK || status == AT_ERR_CANCELLED || status == AT_ERR_INPUT ||
        (status == AT_ERR_DEVICE && !at__device_is_lost(s->env.device)))
        return AT_OK;
    return at_fail(err, status, "%s", cause.text);
}
