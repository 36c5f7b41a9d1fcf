/* test_seats.c - devices that come to a contest and go: what they bring, and what they take along. */
#include "device/device_kind.h"
#include "tune/contest_parts.h"

#include <criterion/criterion.h>
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
