/* test_slots.c - devices that come to a search run and go: what they bring, and what they take along. */
#include "device/device_kind.h"
#include "tune/search_run_internal.h"
#include "tune/session_internal.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- what devices do for a search run ---- */

enum { CARDS = 3 };

static int queue_of[CARDS]; /* by ordinal */

static int queued(const atx_device *device)
{
    return queue_of[device->info.ordinal];
}

static const atx_device_kind CARD = { .close = leave, .queued = queued };

static int warned;

static void count_warning(void *context, const char *text)
{
    (void)context, (void)text;
    warned++;
}

/* A search run with a device of its own and two that came to help. */
typedef struct cards {
    atx_tune_events events;
    atx_tune_options options;
    atx_strategy strategy;
    atx_env env;
    atx_device devices[CARDS];
    atx_device_slot slots[CARDS];
    atx_candidate candidates[4], *list[4];
    atx_search_run c;
} cards;

static void deal(cards *s, bool ready)
{
    *s = (cards){ .events = { .warning = count_warning } };
    s->env = (atx_env){ .events = &s->events, .options = &s->options, .device = &s->devices[0] };
    s->c = (atx_search_run){ .env = &s->env,
                             .key.shape = "1000",
                             .proposals.strategy = &s->strategy,
                             .devices = { .device_slots = s->slots, .device_slot_count = CARDS } };
    for (int i = 0; i < CARDS; i++) {
        s->devices[i] = (atx_device){ .kind = &CARD, .info.ordinal = i };
        s->slots[i] = (atx_device_slot){ .device = &s->devices[i], .ready = ready || i == 0 };
    }
}

Test(device_slots, a_trial_goes_to_the_device_with_the_least_to_do)
{
    cards s;
    deal(&s, true);
    memcpy(queue_of, (int[]){ 2, 0, 1 }, sizeof queue_of);
    cr_assert_eq(atx_search_run_free_device_slot(&s.c), 1);
    s.slots[1].ready = false; /* not compared with the first so far */
    cr_assert_eq(atx_search_run_free_device_slot(&s.c), 2);
    cr_assert(atx_search_run_queued(&s.c) == 3 && atx_search_run_ready_device_slots(&s.c) == 2);
    s.slots[2].device = NULL;
    cr_assert_eq(atx_search_run_free_device_slot(&s.c), 0);
    queue_of[0] = ATX_DEVICE_QUEUE;
    cr_assert_eq(atx_search_run_free_device_slot(&s.c), -1, "all have enough");
}

static void calibrate(cards *s, size_t slot, double first_s, double second_s)
{
    const double seconds[] = { first_s, second_s };
    for (int i = 0; i < 2; i++) {
        const atx_measured m = { .outcome = ATX_TIMED, .timing.median_s = seconds[i] };
        atx_search_run_calibrated(&s->c, slot, &m);
    }
}

/* By the faster of two times of the calibration kernel, up to 2 % away from the first device's. */
Test(device_slots, a_card_that_is_as_fast_takes_part_and_another_leaves_with_a_warning)
{
    cards s;
    deal(&s, false);
    calibrate(&s, 1, 1.4e-5, 1.01e-5);
    cr_assert_not(s.slots[1].ready, "the first device has no time so far");
    calibrate(&s, 0, 1e-5, 1e-5);
    calibrate(&s, 2, 1.03e-5, 1.03e-5);
    cr_assert(s.slots[1].device && s.slots[1].ready && warned == 1 && left == 1);
    cr_assert_null(s.slots[2].device);
}

Test(device_slots, a_card_that_cannot_be_compared_leaves_and_without_the_first_all_do)
{
    cards s;
    const atx_measured failed = { .outcome = ATX_CRASHED };
    deal(&s, false);
    atx_search_run_calibrated(&s.c, 2, &failed);
    cr_assert(left == 1 && s.slots[1].device && !s.slots[2].device);
    atx_search_run_calibrated(&s.c, 0, &failed);
    cr_assert(left == 2 && s.slots[0].device && !s.slots[1].device && s.c.devices.calibration.failed);
}

/* Candidates 1 and 3 were with the device that is lost; 0 is with another, 2 is measured already. */
Test(device_slots, what_a_lost_device_had_is_ready_for_the_others)
{
    cards s;
    at_error err = { 0 };
    const at_error why = { .text = "it fell off the bus" };
    deal(&s, true);
    for (int i = 0; i < 4; i++) {
        s.candidates[i] = (atx_candidate){ .device_slot = i == 0 ? 2 : 1, .away = i != 2 };
        s.list[i] = &s.candidates[i];
    }
    s.c.candidates.candidates = s.list;
    s.c.candidates.candidate_count = 4;
    cr_assert_eq(atx_search_run_lose(&s.c, 1, AT_ERR_DEVICE, &why, &err), AT_OK);
    cr_assert(left == 1 && warned == 1 && !s.slots[1].device);
    cr_assert_eq(s.c.candidates.ready_count, 2);
    cr_assert(s.c.candidates.ready[0] == 1 && s.c.candidates.ready[1] == 3);
    cr_assert(s.candidates[0].away && !s.candidates[1].away && !s.candidates[3].away);
    cr_assert_eq(atx_search_run_lose(&s.c, 0, AT_ERR_DEVICE, &why, &err), AT_ERR_DEVICE,
                 "its own is the run");
    free(s.c.candidates.ready);
}
