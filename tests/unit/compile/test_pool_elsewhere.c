/* test_pool_elsewhere.c - compile workers of another process, a rank, which may be lost: what becomes of
 * jobs. */
#include "compile/pool.h"
#include "util/fail.h"
#include "pool_support.h"

#include <criterion/criterion.h>
#include <signal.h>

/* A place that is none: its children are this process's own. */
typedef struct place {
    atx_site site;
    bool gone; /* it makes no more children */
    int pids[16], count;
} place;

static at_status spawn_there(atx_site *site, atx_child *out, const char *const *argv, at_error *err)
{
    place *p = (place *)site;
    if (p->gone)
        return atx_fail(err, AT_ERR_DEVICE, "%s is gone", site->name);
    ATX_TRY(atx_child_spawn(out, argv, err));
    p->pids[p->count++] = out->pid;
    out->site = site;
    return AT_OK;
}

static void kill_there(atx_site *site, const atx_child *child)
{
    (void)site;
    kill(child->pid, SIGKILL);
}

static void exit_status_there(atx_site *site, atx_child *child, char *out, size_t size)
{
    (void)site;
    child->site = NULL;
    atx_child_exit_status(child, out, size);
}

static void stop_there(atx_site *site, atx_child *child, double grace_s)
{
    (void)grace_s;
    kill_there(site, child);
    exit_status_there(site, child, (char[100]){ 0 }, 100);
}

static atx_pool *open_elsewhere(place *p)
{
    atx_pool *pool = NULL;
    at_error err = { 0 };
    atx_site *sites[2] = { &p->site, &p->site };
    *p = (place){ .site = { "elsewhere", spawn_there, kill_there, stop_there, exit_status_there } };
    atx_pool_options options = { .workers = 2, .sites = sites, .deadline_s = HOURS_MS };
    cr_assert(atx_pool_open(&pool, options, &err) == AT_OK, "%s", err.text);
    return pool;
}

/* Once it is in the midst of the slow job, which is no result until then. */
static void kill_who_compiles(atx_pool *pool, place *p)
{
    at_error err = { 0 };
    atx_compiled result;
    int i = 0;
    for (; p->pids[i] == 0 || work_of(p->pids[i]) < compiles_s; i = (i + 1) % p->count) {
        cr_assert(step(pool, &err) == AT_OK, "%s", err.text);
        cr_assert_not(atx_pool_take(pool, &result), "%s", atx_str_text(&result.log));
    }
    cr_assert_eq(kill(p->pids[i], SIGKILL), 0);
    p->pids[i] = 0;
}

/* A rank ends its workers one after the other, and the job goes from one to the next. */
Test(pool_elsewhere, a_job_outlives_all_workers_of_one_place, .init = need_nvrtc)
{
    place p;
    atx_pool *pool = open_elsewhere(&p);
    submit_slow(pool, 1);
    for (int i = 0; i < 3; i++)
        kill_who_compiles(pool, &p);
    atx_compiled result = wait_for_one(pool); /* workers that were started since have died, too */
    cr_assert_str_eq(atx_str_text(&result.log),
                     "the compiler process died 3 times: killed by signal 9 (Killed)");
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool_elsewhere, where_a_place_with_all_workers_is_gone_one_here_does_the_jobs, .init = need_nvrtc)
{
    place p;
    atx_pool *pool = open_elsewhere(&p);
    for (int i = 0; i < 3; i++)
        submit(pool, i, GOOD);
    p.gone = true;
    for (int i = 0; i < 2; i++)
        cr_assert_eq(kill(p.pids[i], SIGKILL), 0);
    for (int i = 0; i < 3; i++) {
        atx_compiled result = wait_for_one(pool);
        cr_assert(result.ok, "%s", atx_str_text(&result.log));
        atx_compiled_clear(&result);
    }
    atx_pool_close(pool);
}

/* The others may belong to a device that goes, while those of a lost place have not been started again. */
Test(pool_elsewhere, a_pool_that_loses_its_last_living_worker_by_shrinking_starts_one, .init = need_nvrtc)
{
    place p;
    at_error err = { 0 };
    atx_pool *pool = open_elsewhere(&p);
    p.gone = true;
    cr_assert_eq(kill(p.pids[0], SIGKILL), 0);
    while (kill(p.pids[0], 0) == 0) /* until the pool has seen it */
        cr_assert(step(pool, &err) == AT_OK, "%s", err.text);
    atx_pool_shrink(pool, 1);
    submit(pool, 1, GOOD);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.ok, "%s", atx_str_text(&result.log));
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}
