/* test_seats.c - devices that come to a contest and go: what they bring, and what they take along. */
#include "device/device_kind.h"
#include "tune/contest_parts.h"
#include "tune/session_parts.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

static int left;

static void leave(at__device *device)
{
    (void)device;
    left++;
}

static const at__device_kind STUB = { .close = leave };

/* A contest that has just begun: of its own it has a device and a pool. */
static void begin(at__contest *c, at__env *env, int workers)
{
    at_error err = { 0 };
    at__pool_options options = { .workers = workers };
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    setenv("AT_WORKER_IDLE", "1", 1);
    cr_assert_eq(at__pool_open(&env->builder.pool, options, &err), AT_OK, "%s", err.text);
    c->env = env;
    cr_assert_eq(at__contest_seat_own(c, &err), AT_OK);
}

/* One device comes with so many compile workers, and leaves when the contest is over. */
static void come_and_go(at__contest *c, at__crew *crew, int workers)
{
    at__device device = { .kind = &STUB };
    const at__helper helper = { .device = &device, .workers = workers };
    const at__problem *problem = NULL;
    bool progressed = false;
    int64_t id = 0;
    at__helped helped = { .next = 0 };
    at_error err = { 0 };
    cr_assert_eq(at__crew_offer(&c->offer, crew, &c->problem, &err), AT_OK);
    cr_assert(at__crew_find(crew, &id, &problem, &helped) && at__crew_bring(crew, id, &helper));
    cr_assert_eq(at__contest_admit(c, &progressed, &err), AT_OK, "%s", err.text);
    cr_assert(progressed && c->seat_count == 2);
    at__contest_dismiss(c);
    at__crew_withdraw(c->offer);
}

/* The most is 256, of which six are left for who comes. */
Test(seats, who_leaves_takes_no_more_compile_workers_along_than_came)
{
    enum { OWN = 250, BROUGHT = 48 };
    at__env env = { .builder = { .pool = NULL } };
    at__contest c = { .env = NULL };
    at__crew *crew = at__crew_open();
    begin(&c, &env, OWN);
    come_and_go(&c, crew, BROUGHT);
    cr_assert_eq(at__pool_workers(env.builder.pool), OWN);
    at__crew_close(crew);
    at__pool_close(env.builder.pool);
    free(c.seats);
}

/* Else its descriptor would stay readable: whoever waits for the last trials would not wait at all. */
Test(seats, who_comes_when_the_user_wants_to_end_is_sent_back_at_once)
{
    at__env env = { .builder = { .pool = NULL } };
    at__contest c = { .env = &env, .tally = { .interrupted = true } };
    at__crew *crew = at__crew_open();
    at__device device = { .kind = &STUB };
    const at__helper helper = { .device = &device };
    const at__problem *problem = NULL;
    bool progressed = false;
    int64_t id = 0;
    at__helped helped = { .next = 0 };
    at_error err = { 0 };
    cr_assert_eq(at__contest_seat_own(&c, &err), AT_OK);
    cr_assert_eq(at__crew_offer(&c.offer, crew, &c.problem, &err), AT_OK);
    cr_assert(at__crew_find(crew, &id, &problem, &helped) && at__crew_bring(crew, id, &helper));
    for (int round = 0; round < 2; round++)
        cr_assert_eq(at__contest_admit(&c, &progressed, &err), AT_OK, "%s", err.text);
    struct pollfd fd = at__crew_fd(c.offer);
    cr_assert(left == 1 && c.seat_count == 1);
    cr_assert_eq(poll(&fd, 1, 0), 0);
    at__crew_withdraw(c.offer);
    at__crew_close(crew);
    free(c.seats);
}

/* One that was sent away, as its times do not compare, would else go to and fro between two of them. */
Test(seats, a_device_takes_part_in_each_problem_once)
{
    at__crew *crew = at__crew_open();
    at__offer *first = NULL, *second = NULL;
    const at__problem problems[2] = { { .op = NULL } }, *problem = NULL;
    at__helped one = { .next = 0 }, other = { .next = 0 };
    int64_t id = 0;
    at_error err = { 0 };
    cr_assert_eq(at__crew_offer(&first, crew, &problems[0], &err), AT_OK);
    cr_assert_eq(at__crew_offer(&second, crew, &problems[1], &err), AT_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert(at__crew_find(crew, &id, &problem, &one) && problem == &problems[i]);
        at__crew_leave(crew, id);
    }
    cr_assert_not(at__crew_find(crew, &id, &problem, &one));
    cr_assert(at__crew_find(crew, &id, &problem, &other) && problem == &problems[0]);
    at__crew_withdraw(first);
    at__crew_withdraw(second);
    at__crew_close(crew);
}

/* ---- who lends ---- */

static int queued_nothing(const at__device *device)
{
    (void)device;
    return 0;
}

static struct pollfd no_fd(const at__device *device)
{
    (void)device;
    return (struct pollfd){ .fd = -1 };
}

/* It refuses what it is asked, but is there for the next problem. */
static at_status refuse(at__device *device, at__measured *out, bool *got, at_error *err)
{
    (void)device, (void)out;
    *got = false;
    return at_fail(err, AT_ERR_DEVICE, "not this one");
}

static const at__device_kind REFUSING = { .queued = queued_nothing, .fd = no_fd, .pump = refuse };

typedef struct lending {
    at__session session;
    at__crew *crew;
    int64_t offer;
    at_status status;
} lending;

static void *lend(void *context)
{
    lending *l = context;
    at_error err = { 0 };
    l->status = at__session_lend(&l->session, l->crew, l->offer, &err);
    return NULL;
}

/* As the contest does that it was lent to: until it hears of the failure, and gives the device back. */
static void borrow_until_it_fails(at__offer *offer)
{
    at__helper helper;
    at__measured ignored;
    bool got = false;
    at_error err = { 0 };
    struct pollfd fd = at__crew_fd(offer);
    while (!at__crew_take(offer, &helper))
        poll(&fd, 1, -1);
    fd = at__device_fd(helper.device);
    while (at__device_pump(helper.device, &ignored, &got, &err) == AT_OK)
        poll(&fd, 1, -1);
    at__device_close(helper.device);
}

static int workers_after_lending(bool lost)
{
    enum { WORKERS = 3 };
    at__device device = { .kind = &REFUSING, .lost = lost };
    lending l = { .session = { .env = { .device = &device } }, .crew = at__crew_open() };
    at__offer *offer = NULL;
    const at__problem problem = { .op = NULL }, *found = NULL;
    at__helped helped = { .next = 0 };
    pthread_t thread;
    at_error err = { 0 };
    at__contest c = { .env = NULL };
    begin(&c, &l.session.env, WORKERS);
    cr_assert_eq(at__crew_offer(&offer, l.crew, &problem, &err), AT_OK);
    cr_assert(at__crew_find(l.crew, &l.offer, &found, &helped));
    cr_assert_eq(pthread_create(&thread, NULL, lend, &l), 0);
    borrow_until_it_fails(offer);
    pthread_join(thread, NULL);
    cr_assert_eq(l.status, AT_ERR_DEVICE);
    int workers = at__pool_workers(l.session.env.builder.pool);
    at__crew_withdraw(offer);
    at__crew_close(l.crew);
    at__pool_close(l.session.env.builder.pool);
    free(c.seats);
    return workers;
}

Test(seats, who_failed_while_it_was_lent_has_its_compile_workers_back_for_the_next_problem)
{
    cr_assert_eq(workers_after_lending(false), 3);
}

Test(seats, who_was_lost_while_it_was_lent_starts_none)
{
    cr_assert_eq(workers_after_lending(true), 1);
}
