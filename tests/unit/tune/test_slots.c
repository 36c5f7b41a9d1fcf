/* test_slots.c - devices that come to a search run and go: what they bring, and what they take along. */
#include "device/device_kind.h"
#include "tune/search_run_internal.h"
#include "tune/session_parts.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

static int left;

static void leave(atx_device *device)
{
    (void)device;
    left++;
}

static const atx_device_kind STUB = { .close = leave };

/* A search run that has just begun: of its own it has a device and a pool. */
static void begin(atx_search_run *c, atx_env *env, int workers)
{
    at_error err = { 0 };
    atx_pool_options options = { .workers = workers };
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    setenv("AT_WORKER_IDLE", "1", 1);
    cr_assert_eq(atx_pool_open(&env->builder.pool, options, &err), AT_OK, "%s", err.text);
    c->env = env;
    cr_assert_eq(atx_search_run_device_slot_own(c, &err), AT_OK);
}

/* One device comes with so many compile workers, and leaves when the search run is over. */
static void come_and_go(atx_search_run *c, atx_helper_pool *helper_pool, int workers)
{
    atx_device device = { .kind = &STUB };
    const atx_helper helper = { .device = &device, .workers = workers };
    const atx_problem *problem = NULL;
    bool progressed = false;
    int64_t id = 0;
    atx_helped helped = { .next = 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_helper_pool_help_request(&c->devices.help_request, helper_pool, &c->problem, &err),
                 AT_OK);
    cr_assert(atx_helper_pool_find(helper_pool, &id, &problem, &helped) &&
              atx_helper_pool_bring(helper_pool, id, &helper));
    cr_assert_eq(atx_search_run_admit(c, &progressed, &err), AT_OK, "%s", err.text);
    cr_assert(progressed && c->devices.device_slot_count == 2);
    atx_search_run_dismiss(c);
    atx_helper_pool_withdraw(c->devices.help_request);
}

/* The most is 256, of which six are left for who comes. */
Test(device_slots, who_leaves_takes_no_more_compile_workers_along_than_came)
{
    enum { OWN = 250, BROUGHT = 48 };
    atx_env env = { .builder = { .pool = NULL } };
    atx_search_run c = { .env = NULL };
    atx_helper_pool *helper_pool = atx_helper_pool_open();
    begin(&c, &env, OWN);
    come_and_go(&c, helper_pool, BROUGHT);
    cr_assert_eq(atx_pool_workers(env.builder.pool), OWN);
    atx_helper_pool_close(helper_pool);
    atx_pool_close(env.builder.pool);
    free(c.devices.device_slots);
}

/* Else its descriptor would stay readable: whoever waits for the last trials would not wait at all. */
Test(device_slots, who_comes_when_the_user_wants_to_end_is_sent_back_at_once)
{
    atx_env env = { .builder = { .pool = NULL } };
    atx_search_run c = { .env = &env, .account.tally = { .interrupted = true } };
    atx_helper_pool *helper_pool = atx_helper_pool_open();
    atx_device device = { .kind = &STUB };
    const atx_helper helper = { .device = &device };
    const atx_problem *problem = NULL;
    bool progressed = false;
    int64_t id = 0;
    atx_helped helped = { .next = 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_search_run_device_slot_own(&c, &err), AT_OK);
    cr_assert_eq(atx_helper_pool_help_request(&c.devices.help_request, helper_pool, &c.problem, &err), AT_OK);
    cr_assert(atx_helper_pool_find(helper_pool, &id, &problem, &helped) &&
              atx_helper_pool_bring(helper_pool, id, &helper));
    for (int round = 0; round < 2; round++)
        cr_assert_eq(atx_search_run_admit(&c, &progressed, &err), AT_OK, "%s", err.text);
    struct pollfd fd = atx_helper_pool_fd(c.devices.help_request);
    cr_assert(left == 1 && c.devices.device_slot_count == 1);
    cr_assert_eq(poll(&fd, 1, 0), 0);
    atx_helper_pool_withdraw(c.devices.help_request);
    atx_helper_pool_close(helper_pool);
    free(c.devices.device_slots);
}

/* One that was sent away, as its times do not compare, would else go to and fro between two of them. */
Test(device_slots, a_device_takes_part_in_each_problem_once)
{
    atx_helper_pool *helper_pool = atx_helper_pool_open();
    atx_help_request *first = NULL, *second = NULL;
    const atx_problem problems[2] = { { .op = NULL } }, *problem = NULL;
    atx_helped one = { .next = 0 }, other = { .next = 0 };
    int64_t id = 0;
    at_error err = { 0 };
    cr_assert_eq(atx_helper_pool_help_request(&first, helper_pool, &problems[0], &err), AT_OK);
    cr_assert_eq(atx_helper_pool_help_request(&second, helper_pool, &problems[1], &err), AT_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert(atx_helper_pool_find(helper_pool, &id, &problem, &one) && problem == &problems[i]);
        atx_helper_pool_leave(helper_pool, id);
    }
    cr_assert_not(atx_helper_pool_find(helper_pool, &id, &problem, &one));
    cr_assert(atx_helper_pool_find(helper_pool, &id, &problem, &other) && problem == &problems[0]);
    atx_helper_pool_withdraw(first);
    atx_helper_pool_withdraw(second);
    atx_helper_pool_close(helper_pool);
}

/* ---- who lends ---- */

static int queued_nothing(const atx_device *device)
{
    (void)device;
    return 0;
}

static struct pollfd no_fd(const atx_device *device)
{
    (void)device;
    return (struct pollfd){ .fd = -1 };
}

/* It refuses what it is asked, but is there for the next problem. */
static at_status refuse(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    (void)device, (void)out;
    *got = false;
    return atx_fail(err, AT_ERR_DEVICE, "not this one");
}

static const atx_device_kind REFUSING = { .queued = queued_nothing, .fd = no_fd, .pump = refuse };

typedef struct lending {
    atx_session session;
    atx_helper_pool *helper_pool;
    int64_t help_request;
    at_status status;
} lending;

static void *lend(void *context)
{
    lending *l = context;
    at_error err = { 0 };
    l->status = atx_session_lend(&l->session, l->helper_pool, l->help_request, &err);
    return NULL;
}

/* As the search run does that it was borrowed to: until it hears of the failure, and gives the device back.
 */
static void borrow_until_it_fails(atx_help_request *help_request)
{
    atx_helper helper;
    atx_measured ignored;
    bool got = false;
    at_error err = { 0 };
    struct pollfd fd = atx_helper_pool_fd(help_request);
    while (!atx_helper_pool_take(help_request, &helper))
        poll(&fd, 1, -1);
    fd = atx_device_fd(helper.device);
    while (atx_device_pump(helper.device, &ignored, &got, &err) == AT_OK)
        poll(&fd, 1, -1);
    atx_device_close(helper.device);
}

static int workers_after_lending(bool lost)
{
    enum { WORKERS = 3 };
    atx_device device = { .kind = &REFUSING, .lost = lost };
    lending l = { .session = { .env = { .device = &device } }, .helper_pool = atx_helper_pool_open() };
    atx_help_request *help_request = NULL;
    const atx_problem problem = { .op = NULL }, *found = NULL;
    atx_helped helped = { .next = 0 };
    pthread_t thread;
    at_error err = { 0 };
    atx_search_run c = { .env = NULL };
    begin(&c, &l.session.env, WORKERS);
    cr_assert_eq(atx_helper_pool_help_request(&help_request, l.helper_pool, &problem, &err), AT_OK);
    cr_assert(atx_helper_pool_find(l.helper_pool, &l.help_request, &found, &helped));
    cr_assert_eq(pthread_create(&thread, NULL, lend, &l), 0);
    borrow_until_it_fails(help_request);
    pthread_join(thread, NULL);
    cr_assert_eq(l.status, AT_ERR_DEVICE);
    int workers = atx_pool_workers(l.session.env.builder.pool);
    atx_helper_pool_withdraw(help_request);
    atx_helper_pool_close(l.helper_pool);
    atx_pool_close(l.session.env.builder.pool);
    free(c.devices.device_slots);
    return workers;
}

Test(device_slots, who_failed_while_it_was_borrowed_has_its_compile_workers_back_for_the_next_problem)
{
    cr_assert_eq(workers_after_lending(false), 3);
}

Test(device_slots, who_was_lost_while_it_was_borrowed_starts_none)
{
    cr_assert_eq(workers_after_lending(true), 1);
}
