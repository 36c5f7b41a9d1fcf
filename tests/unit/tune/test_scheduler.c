/*
 * test_scheduler.c - the loop of a search run: what is proposed goes to the devices once, in its order, and
 * is stored. Catalog, space and store are real; the strategy and the devices follow the test's script.
 * Nothing is compiled: without NVRTC in the environment a kernel is ready at once, as for a replay.
 */
#include "store_support.h"
#include "tune/search_run_internal.h"

#include "device/device_kind.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void begin(void);
static void end(void);
TestSuite(scheduler, .init = begin, .fini = end);

enum { MOST = 400, DEVICES = 2, NEVER = -1 };

/* ---- the strategy: a list of answers ---- */

static struct script {
    int64_t answers[MOST]; /* indices, ATX_NOT_YET; then there are no more */
    int count, at;
    int before_first_report; /* proposals made by then */
    int64_t reported[MOST];
    double seconds[MOST];
    int reports;
    int64_t take_back; /* this one, when it could be measured, once; NEVER */
} script;

static at_status open_script(void **state, const atx_search *search, at_error *err)
{
    (void)search, (void)err;
    *state = &script;
    return AT_OK;
}

static int64_t propose(void *state)
{
    struct script *s = state;
    if (s->at == s->count)
        return ATX_NO_MORE;
    if (s->answers[s->at] == ATX_NOT_YET && s->reports == 0)
        return ATX_NOT_YET;
    s->at += s->answers[s->at] == ATX_NOT_YET;
    return s->at == s->count ? ATX_NO_MORE : s->answers[s->at++];
}

static bool consider(void *state, int64_t index, const atx_resources *resources)
{
    struct script *s = state;
    (void)resources;
    if (index != s->take_back)
        return true;
    s->take_back = NEVER;
    return false;
}

static void report(void *state, int64_t index, const atx_finding *finding)
{
    struct script *s = state;
    if (s->reports == 0)
        s->before_first_report = s->at;
    s->reported[s->reports] = index;
    s->seconds[s->reports++] = finding->seconds;
}

static void close_script(void *state)
{
    (void)state;
}

static const atx_strategy SCRIPTED = { .name = "scripted",
                                       .open = open_script,
                                       .propose = propose,
                                       .consider = consider,
                                       .report = report,
                                       .close = close_script };

static void propose_first(int count)
{
    for (int i = 0; i < count; i++)
        script.answers[script.count++] = i;
}

/* ---- devices: each measures what it gets, the oldest first ---- */

typedef struct card {
    atx_device device; /* first */
    atx_trial queue[ATX_DEVICE_QUEUE];
    int queued, most_queued, taken;
    int64_t got[MOST]; /* tags */
    double to_beat[MOST];
    int lost_after;   /* results; NEVER */
    int cancel_after; /* likewise: the user asks for the end */
    bool closed;
} card;

static card cards[DEVICES];
static atomic_int cancelled;

static void close_card(atx_device *device)
{
    ((card *)device)->closed = true;
}

static int queued(const atx_device *device)
{
    return ((const card *)device)->queued;
}

static at_status submit(atx_device *device, const atx_trial *trial, at_error *err)
{
    card *c = (card *)device;
    (void)err;
    cr_assert_lt(c->queued, ATX_DEVICE_QUEUE);
    c->got[c->taken] = trial->tag;
    c->to_beat[c->taken++] = trial->best_s;
    c->queue[c->queued++] = *trial;
    c->most_queued = c->queued > c->most_queued ? c->queued : c->most_queued;
    return AT_OK;
}

static struct pollfd no_fd(const atx_device *device)
{
    (void)device;
    return (struct pollfd){ .fd = -1 };
}

/* The later a candidate was proposed, the faster it is. */
static double time_of(int64_t tag)
{
    return 1e-3 / (double)(tag + 1);
}

static at_status measure(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    card *c = (card *)device;
    *got = c->queued > 0;
    if (c->taken - c->queued == c->lost_after)
        return atx_fail(err, AT_ERR_DEVICE, "it fell off the bus");
    if (!*got)
        return AT_OK;
    const int64_t tag = c->queue[0].tag;
    const double s = time_of(tag);
    *out = (atx_measured){ .tag = tag, .outcome = ATX_TIMED, .timing = { s, s, 0, 7, 0 } };
    memmove(c->queue, c->queue + 1, (size_t)--c->queued * sizeof *c->queue);
    if (c->taken - c->queued == c->cancel_after)
        cancelled = 1;
    return AT_OK;
}

static const atx_device_kind CARD = {
    .close = close_card, .queued = queued, .submit = submit, .fd = no_fd, .pump = measure
};

/* ---- the search run ---- */

static atx_catalog *catalog;
static atx_tune_options options;
static atx_env env;
static atx_problem problem;
static int warnings;

static void ignore_progress(void *context, const atx_progress *progress)
{
    (void)context, (void)progress;
}

static void count_warning(void *context, const char *text)
{
    (void)context, (void)text;
    warnings++;
}

static int64_t new_run(void)
{
    static const atx_run_info INFO = { .command = "", .strategy = "scripted", .device_uuid = "", .host = "" };
    int64_t id = 0;
    at_error err = { 0 };
    cr_assert_eq(atx_store_begin_run(&id, env.store, &INFO, &err), AT_OK, "%s", err.text);
    return id;
}

static void begin(void)
{
    static const char *const TEMPLATES[] = { "tile_rows" };
    static const atx_tune_events EVENTS = { .progress = ignore_progress, .warning = count_warning };
    at_error err = { 0 };
    set_or_unset("AUTOTUNE_NO_SHIPPED", "1");
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, atx_catalog_find_op(catalog, "transpose"), ATX_F32,
                                  (int64_t[]){ 4096, 4096 }, 2, &err),
                 AT_OK, "%s", err.text);
    for (int i = 0; i < DEVICES; i++)
        cards[i] = (card){ .device = { .kind = &CARD, .info = { .ordinal = i, .limits = { .cc = 90 } } },
                           .lost_after = NEVER,
                           .cancel_after = NEVER };
    cards[0].device.info.limits = (atx_limits){ .cc = 90,
                                                .sms = 132,
                                                .warp_size = 32,
                                                .max_threads_per_block = 1024,
                                                .max_shared_bytes = 232448,
                                                .max_static_shared_bytes = 49152,
                                                .max_registers_per_block = 65536,
                                                .max_grid_x = 2147483647,
                                                .l2_bytes = 50 << 20,
                                                .memory_bytes = (int64_t)80 << 30 };
    options = (atx_tune_options){ .strategy = &SCRIPTED, .templates = TEMPLATES, .template_count = 1 };
    env = (atx_env){ .catalog = catalog,
                     .options = &options,
                     .events = &EVENTS,
                     .device = &cards[0].device,
                     .store = memory_ok(),
                     .fingerprint = H200,
                     .cancel = { .flag = &cancelled } };
    env.run_id = new_run();
    script.take_back = NEVER;
}

static void end(void)
{
    atx_store_close(env.store);
    atx_catalog_close(catalog);
}

static atx_search_run *open_run(void)
{
    atx_search_run *c = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_search_run_open(&c, &env, &problem, false, NULL, &err), AT_OK, "%s", err.text);
    return c;
}

static at_status run(atx_search_run *c, at_error *err)
{
    static const atx_progress NOTHING_SHOWN = { .device = 0 };
    return atx_search_run_run(c, &NOTHING_SHOWN, 0, err);
}

static void run_ok(atx_search_run *c)
{
    at_error err = { 0 };
    cr_assert_eq(run(c, &err), AT_OK, "%s", err.text);
}

static int stored(const char *condition)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM trial %s", condition);
    return atoi(scalar(env.store, sql).text);
}

static int stored_in(int64_t run_id)
{
    char condition[80];
    snprintf(condition, sizeof condition, "WHERE run_id = %d", (int)run_id);
    return stored(condition);
}

Test(scheduler, each_proposal_is_measured_once_in_its_order_and_stored)
{
    propose_first(10);
    atx_search_run *c = open_run();
    run_ok(c);
    const atx_search_run_count *tally = atx_search_run_tally(c);
    cr_assert_eq(cards[0].taken, 10);
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(cards[0].got[i], i);
        cr_assert_eq(script.reported[i], i);
        cr_assert_float_eq(script.seconds[i], time_of(i), 1e-12);
    }
    cr_assert(tally->decided == 10 && tally->outcomes[ATX_TIMED] == 10 && tally->failed == 0);
    cr_assert_eq(tally->best->index, 9);
    cr_assert_eq(stored(""), 10);
    cr_assert_not(tally->interrupted);
    atx_search_run_close(c);
}

Test(scheduler, a_device_has_a_short_queue_and_each_trial_the_time_to_beat)
{
    propose_first(12);
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert_eq(cards[0].most_queued, ATX_DEVICE_QUEUE);
    for (int i = 0; i < 12; i++) {
        const int known = i / ATX_DEVICE_QUEUE * ATX_DEVICE_QUEUE; /* results when it was given out */
        cr_assert_float_eq(cards[0].to_beat[i], known ? time_of(known - 1) : 0, 1e-12, "%d", i);
    }
    atx_search_run_close(c);
}

/* The device never waits for a slow compilation, and a strategy learns before it has proposed everything. */
Test(scheduler, proposals_run_ahead_of_the_device_up_to_a_limit)
{
    propose_first(150);
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert_geq(script.before_first_report, 2 * ATX_DEVICE_QUEUE);
    cr_assert_leq(script.before_first_report, 64 + ATX_DEVICE_QUEUE);
    cr_assert(cards[0].taken == 150 && stored("") == 150);
    atx_search_run_close(c);
}

static int reports_when_spare = NEVER;

static void note_spare(void *context)
{
    const struct script *s = context;
    cr_assert_eq(s->at, s->count, "%d of %d are proposed", s->at, s->count);
    if (reports_when_spare == NEVER)
        reports_when_spare = s->reports;
}

Test(scheduler, compilers_are_lent_once_all_is_proposed_while_the_last_are_measured)
{
    propose_first(30);
    env.spare = note_spare;
    env.spare_context = &script;
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert(reports_when_spare >= 0 && reports_when_spare < 30, "%d", reports_when_spare);
    atx_search_run_close(c);
}

Test(scheduler, a_strategy_that_wants_a_report_first_is_asked_again_after_it)
{
    script.answers[0] = 5;
    script.answers[1] = ATX_NOT_YET;
    script.answers[2] = 3;
    script.count = 3;
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert_eq(script.before_first_report, 1);
    cr_assert(script.reports == 2 && script.reported[0] == 5 && script.reported[1] == 3);
    atx_search_run_close(c);
}

static void expect_bug(const char *text)
{
    at_error err = { 0 };
    atx_search_run *c = open_run();
    cr_assert_eq(run(c, &err), AT_ERR_INTERNAL);
    cr_assert(strstr(err.text, text), "%s", err.text);
    atx_search_run_close(c);
}

Test(scheduler, a_strategy_that_waits_while_nothing_is_under_way_is_a_bug)
{
    script.answers[script.count++] = ATX_NOT_YET;
    expect_bug("strategy scripted waits for nothing");
}

Test(scheduler, a_proposal_that_is_no_configuration_is_a_bug)
{
    script.answers[script.count++] = (int64_t)1 << 40;
    expect_bug("strategy scripted proposed configuration 1099511627776 of ");
}

Test(scheduler, what_the_strategy_takes_back_is_not_measured_unless_it_is_proposed_again)
{
    propose_first(3);
    script.take_back = 1;
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert(cards[0].taken == 2 && cards[0].got[0] == 0 && cards[0].got[1] == 2);
    cr_assert_eq(c->candidates.deferred, 1);
    atx_search_run_close(c);
}

Test(scheduler, what_was_taken_back_and_comes_again_is_measured_once)
{
    propose_first(3);
    script.take_back = 1;
    script.answers[script.count++] = ATX_NOT_YET;
    script.answers[script.count++] = 1;
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert(script.reports == 3 && script.reported[2] == 1);
    cr_assert(c->candidates.deferred == 0 && c->candidates.candidate_count == 3);
    atx_search_run_close(c);
}

Test(scheduler, what_an_earlier_run_has_measured_is_not_measured_again)
{
    propose_first(6);
    atx_search_run *c = open_run();
    run_ok(c);
    atx_search_run_close(c);
    const int64_t first = env.run_id;
    env.run_id = new_run();
    script = (struct script){ .take_back = NEVER };
    propose_first(8);
    c = open_run();
    run_ok(c);
    cr_assert_eq(atx_search_run_tally(c)->known, 6);
    cr_assert_eq(cards[0].taken, 8, "six and two");
    cr_assert_eq(script.reports, 8, "the strategy hears of all");
    cr_assert(stored_in(first) == 6 && stored_in(env.run_id) == 2);
    atx_search_run_close(c);
}

Test(scheduler, who_wants_to_end_gets_what_is_with_the_device_and_no_more)
{
    propose_first(50);
    cards[0].cancel_after = 6;
    atx_search_run *c = open_run();
    run_ok(c);
    cr_assert(atx_search_run_tally(c)->interrupted);
    cr_assert_eq(cards[0].taken, 8, "two queues full");
    cr_assert_eq(cards[0].queued, 0);
    cr_assert_eq(stored(""), 8);
    atx_search_run_close(c);
}

Test(scheduler, what_was_measured_before_the_device_was_lost_is_stored)
{
    at_error err = { 0 };
    propose_first(50);
    cards[0].lost_after = 5;
    atx_search_run *c = open_run();
    cr_assert_eq(run(c, &err), AT_ERR_DEVICE);
    cr_assert_str_eq(err.text, "it fell off the bus");
    cr_assert_eq(stored(""), 5);
    atx_search_run_close(c);
}

/* The second one is as one that came to help and is as fast. */
static int64_t add_card(atx_search_run *c)
{
    at_error err = { 0 };
    const int64_t run_id = new_run();
    cr_assert_eq(atx_search_run_device_slot_own(c, &err), AT_OK);
    c->devices.device_slots[1].device = &cards[1].device;
    c->devices.device_slots[1].run_id = run_id;
    return run_id;
}

Test(scheduler, two_devices_share_the_trials_and_each_stores_its_own)
{
    propose_first(40);
    atx_search_run *c = open_run();
    const int64_t second = add_card(c);
    run_ok(c);
    cr_assert(cards[0].taken == 20 && cards[1].taken == 20, "%d and %d", cards[0].taken, cards[1].taken);
    cr_assert(stored_in(env.run_id) == 20 && stored_in(second) == 20);
    cr_assert(cards[1].closed && !cards[0].closed, "who came to help goes at the end");
    atx_search_run_close(c);
}

Test(scheduler, trials_of_a_helper_that_is_lost_are_measured_by_the_other)
{
    propose_first(40);
    cards[1].lost_after = 3;
    atx_search_run *c = open_run();
    const int64_t second = add_card(c);
    run_ok(c);
    cr_assert(stored_in(second) == 3 && stored_in(env.run_id) == 37);
    cr_assert(script.reports == 40 && warnings == 1);
    cr_assert(cards[1].closed);
    atx_search_run_close(c);
}
