/*
 * test_lookup_models.c - which of two models is asked, the user's or that which ships, for what device, and
 * how far a model of another device reaches.
 */
#include "db/store_internal.h"
#include "model/model.h"
#include "model_support.h"

static char model_path[96];

static void begin_here(void)
{
    begin();
    snprintf(model_path, sizeof model_path, "%s" ATX_MODEL_SUFFIX, w.path);
}

static void end_here(void)
{
    end();
    unlink(model_path);
}

TestSuite(lookup_models, .init = begin_here, .fini = end_here);

/* Writes the user's, of trials on a device of 78 multiprocessors. */
static void learn_on(const char *device)
{
    static const int64_t SIDES[][2] = { { 512, 512 },  { 1024, 960 }, { 700, 2048 }, { 2048, 4096 },
                                        { 513, 511 },  { 1000, 961 }, { 701, 2041 }, { 2048, 4097 },
                                        { 999, 1024 }, { 999, 1023 } };
    at_error err = { 0 };
    atx_model *m = NULL;
    for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++)
        put_tiles_on(device, SIDES[i][0], SIDES[i][1], 16, 64, 8);
    cr_assert_eq(sqlite3_exec(w.store->db, "UPDATE device SET sms = 78", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(atx_model_learn(&m, w.catalog, &(atx_training_data){ &w.store, 1, NULL, 0 }, NULL, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_model_write(m, model_path, &err), AT_OK, "%s", err.text);
    atx_model_close(m);
}

static void open_with_shipped(void)
{
    at_error err = { 0 };
    unsetenv("AUTOTUNE_NO_SHIPPED");
    cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_add_shipped(w.lookup);
}

static void open_again(void)
{
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
}

/* What answers for 1500x1531, which nobody tuned. */
static atx_found predicted_on(const char *device, int64_t cc)
{
    atx_found f = ask_on(1500, 1531, device, cc);
    cr_assert_eq(f.match, ATX_MATCH_PREDICTED, "%s: %s", device, f.why);
    return f;
}

/* The same where a model chose it that does not know the device. */
static atx_found chosen_on(const char *device, int64_t cc)
{
    atx_found f = ask_on(1500, 1531, device, cc);
    cr_assert(f.by_model, "%s: %s", device, f.why);
    cr_assert_eq(f.match, ATX_MATCH_OTHER_DEVICE, "%s: %s", device, f.why);
    return f;
}

/* ---- which of two ---- */

Test(lookup_models, of_two_that_learned_on_the_device_the_users_answers)
{
    learn_on("NVIDIA H200");
    open_with_shipped();
    atx_found f = predicted_on("NVIDIA H200", 90);
    cr_expect_not(f.shipped);
    cr_expect(strstr(f.why, "240 trials of 10 problems on NVIDIA H200"), "%s", f.why);
}

Test(lookup_models, one_that_learned_on_the_device_goes_before_the_users_that_did_not)
{
    learn_on("NVIDIA A100");
    open_with_shipped();
    atx_found f = predicted_on("NVIDIA H200", 90);
    cr_expect(f.shipped);
    cr_expect(strstr(f.why, " on NVIDIA H200 "), "%s", f.why);
    cr_expect_not(predicted_on("NVIDIA A100", 90).shipped, "the user's did");
}

/* By bandwidth the user's is nearer to the second, and what ships, an H100 and an H200, to the first. */
Test(lookup_models, of_two_that_know_other_devices_the_one_whose_device_is_most_like_it_answers)
{
    learn_on("NVIDIA A30");
    open_with_shipped();
    atx_found f = chosen_on("NVIDIA B300 SXM6 AC", 90);
    cr_expect(f.shipped);
    cr_expect_str_eq(f.answer->fingerprint.device, "NVIDIA H200");
    f = chosen_on("NVIDIA A10", 90);
    cr_expect_not(f.shipped);
    cr_expect_str_eq(f.answer->fingerprint.device, "NVIDIA A30");
}

/* All are of one architecture, most have as many multiprocessors: their bandwidths tell them apart. */
Test(lookup_models, the_part_whose_device_is_most_like_the_one_that_is_asked_for_answers)
{
    static const struct {
        const char *device, *like;
        int64_t cc, sms;
    } DEVICES[] = {
        { "NVIDIA H100 NVL", "NVIDIA H100 80GB HBM3", 90, 132 },
        { "NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", 90, 114 },
        { "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA H100 80GB HBM3", 90, 16 },
        { "NVIDIA H200 MIG 1g.18gb", "NVIDIA H200", 90, 16 },
        { "NVIDIA H200 NVL", "NVIDIA H200", 90, 132 },
        { "NVIDIA B200", "NVIDIA H200", 100, 148 },
        { "Tesla T4", "NVIDIA H100 80GB HBM3", 75, 40 },
    };
    open_with_shipped();
    for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; i++) {
        atx_target target = { .cc = DEVICES[i].cc, .sms = DEVICES[i].sms, .full = true };
        snprintf(target.name, sizeof target.name, "%s", DEVICES[i].device);
        atx_found f = ask_as("transpose", ATX_F32, (int64_t[]){ 3000, 5000 }, 2, &target);
        cr_expect_str_eq(f.answer->fingerprint.device, DEVICES[i].like, "%s: %s", DEVICES[i].device, f.why);
        cr_expect_eq(f.match, ATX_MATCH_OTHER_DEVICE, "%s: %s", DEVICES[i].device, f.why);
        cr_expect_eq(f.cc, DEVICES[i].cc);
        cr_expect_eq(f.sms, DEVICES[i].sms);
    }
}

Test(lookup_models, a_model_of_another_device_promises_no_time)
{
    open_with_shipped();
    atx_found f = chosen_on("NVIDIA A100-SXM4-80GB", 80);
    cr_expect(strstr(f.why, "nothing was tuned on NVIDIA A100-SXM4-80GB; "), "%s", f.why);
    cr_expect_eq(f.expected_s, 0);
    cr_expect_eq(f.expected_loss, 0);
    cr_expect_str_eq(f.device, "NVIDIA A100-SXM4-80GB");
    cr_expect_str_eq(f.answer->fingerprint.device, "NVIDIA H100 80GB HBM3", "where the trials are from");
    f = ask_on(3000, 5000, "NVIDIA H200", 90);
    cr_expect(f.expected_s > 0 && f.expected_loss > 0, "its own does");
}

/* Only few are kept ready. */
Test(lookup_models, answers_do_not_depend_on_which_devices_and_operations_were_asked_about_before)
{
    static const char *const DEVICES[] = { "NVIDIA H200", "NVIDIA A100", "GPU 1", "GPU 2", "GPU 3",
                                           "GPU 4",       "GPU 5",       "GPU 6", "GPU 7", "NVIDIA H100" };
    enum { COUNT = sizeof DEVICES / sizeof *DEVICES };
    char first[COUNT][256];
    learn_on("NVIDIA A100");
    for (int i = 0; i < COUNT; i++) { /* each by a look-up of its own */
        open_again();
        open_with_shipped();
        atx_found f = ask_on(1500, 1531, DEVICES[i], 90);
        snprintf(first[i], sizeof first[i], "%d %s %s %s", f.shipped, f.answer->fingerprint.device,
                 f.answer->winner.template_name, f.answer->winner.config);
    }
    open_again();
    open_with_shipped();
    for (int i = 0; i < COUNT; i++) {
        char again[256];
        const atx_target target = { .cc = 90, .sms = 132, .name = "NVIDIA H200" };
        atx_found f = ask_on(1500, 1531, DEVICES[i], 90);
        snprintf(again, sizeof again, "%d %s %s %s", f.shipped, f.answer->fingerprint.device,
                 f.answer->winner.template_name, f.answer->winner.config);
        cr_expect_str_eq(again, first[i]);
        f = ask_as("copy", ATX_F32, (int64_t[]){ 4096 + i }, 1, &target);
        cr_expect(f.match == ATX_MATCH_NONE || strcmp(f.t->op->name, "copy") == 0, "%s", f.why);
    }
}

Test(lookup_models, the_users_is_read_once)
{
    learn_on("NVIDIA H200");
    predicted_on("NVIDIA H200", 90);
    cr_assert_eq(unlink(model_path), 0);
    cr_expect_eq(ask_on(1500, 1600, "NVIDIA H200", 90).match, ATX_MATCH_PREDICTED);
}

/* ---- for what device ---- */

Test(lookup_models, what_is_not_known_of_the_device_is_that_of_the_one_that_was_learned_on)
{
    static const struct {
        int64_t cc, sms, expected_cc, expected_sms;
    } DEVICES[] = {
        { 90, 60, 90, 60 },
        { 90, 0, 90, 78 },
        { 0, 0, 90, 78 },
        { 80, 0, 80, 108 /* an A100's */ },
    };
    learn_on("NVIDIA H200");
    for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; i++) {
        const atx_target target = { .cc = DEVICES[i].cc, .sms = DEVICES[i].sms, .name = "NVIDIA H200" };
        atx_found f = ask_as("transpose", ATX_F32, (int64_t[]){ 1500, 1531 }, 2, &target);
        cr_assert_eq(f.match, ATX_MATCH_PREDICTED, "%s", f.why);
        cr_expect_eq(f.cc, DEVICES[i].expected_cc, "%zu", i);
        cr_expect_eq(f.sms, DEVICES[i].expected_sms, "%zu: %lld", i, (long long)f.sms);
    }
}

Test(lookup_models, an_answer_says_what_it_is_and_nothing_that_was_not_measured)
{
    learn_on("NVIDIA H200");
    atx_found f = predicted_on("H200", 90);
    const atx_winner *winner = &f.answer->winner;
    atx_config config;
    cr_expect_str_eq(f.t->name, winner->template_name);
    cr_expect_str_eq(winner->template_hash, f.t->text.hash);
    cr_assert_eq(atx_config_parse(&config, f.t, winner->config, NULL), AT_OK);
    cr_expect_eq(
        memcmp(config.values, f.config.values, (size_t)f.t->scope.param_count * sizeof *config.values), 0);
    cr_expect_str_eq(f.answer->fingerprint.device, "NVIDIA H200");
    cr_expect(f.answer->fingerprint.cold);
    cr_expect_eq(winner->resources.registers, -1);
    cr_expect_eq(winner->conditions.sm_clock_mhz, -1);
    cr_expect_eq(strlen(f.answer->measured_at), strlen("2026-11-20T21:52:57Z"), "when it was learned");
    cr_expect_gt(f.expected_loss, 0);
}

/* ---- how far ---- */

/* Two factors of two away; then more than four. */
Test(lookup_models, a_near_winner_goes_before_the_model_of_another_device_and_a_far_one_does_not)
{
    learn_on("NVIDIA H200");
    put("128x128", "tile_rows", TILE_ROWS, "NVIDIA A100");
    atx_found f = ask_on(1500, 1536, "A100", 90);
    cr_expect(f.by_model && strstr(f.why, "nothing near this shape was tuned on NVIDIA A100; "), "%s", f.why);
    put("3000x3072", "tile_rows", TILE_ROWS, "NVIDIA A100");
    open_again();
    cr_expect_eq(ask_on(1500, 1536, "A100", 90).match, ATX_MATCH_NEAR);
    cr_expect_eq(ask_on(1500, 1536, "H200", 90).match, ATX_MATCH_PREDICTED, "its own model knows better");
}

Test(lookup_models, the_environment_may_leave_models_out)
{
    learn_on("NVIDIA H200");
    put("1600x1600", "tile_rows", TILE_ROWS, "NVIDIA H200");
    setenv("AUTOTUNE_NO_MODEL", "", 1);
    cr_expect_eq(ask_on(1500, 1531, "H200", 90).match, ATX_MATCH_PREDICTED);
    setenv("AUTOTUNE_NO_MODEL", "0", 1);
    cr_expect_eq(ask_on(1500, 1532, "H200", 90).match, ATX_MATCH_PREDICTED);
    setenv("AUTOTUNE_NO_MODEL", "yes", 1);
    cr_expect_eq(ask_on(1500, 1533, "H200", 90).match, ATX_MATCH_NEAR);
}

/* ---- the text of an answer ---- */

static void put_winners(int first, int last)
{
    for (int i = first; i <= last; i++) {
        char shape[32];
        snprintf(shape, sizeof shape, "64x%d", 64 + i);
        put(shape, "tile_rows", TILE_ROWS, "NVIDIA H200");
    }
}

/* The device of the winners counts: a model is of few problems' worth only from eight on. */
Test(lookup_models, what_was_measured_since_is_told_where_enough_problems_were)
{
    learn_on("NVIDIA H200");
    for (int i = 0; i < 240; i++)
        put_law(3000, 1000 + i);
    put_winners(1, ATX_MIN_TRAINING_SAMPLES - 1);
    cr_expect_null(strstr(predicted_on("H200", 90).why, "autotune learn"), "%s",
                   predicted_on("H200", 90).why);
    put_winners(ATX_MIN_TRAINING_SAMPLES, ATX_MIN_TRAINING_SAMPLES);
    open_again();
    cr_expect(
        strstr(predicted_on("H200", 90).why, "; `autotune learn` would take up to 5760 trials of yours in"),
        "%s", predicted_on("H200", 90).why);
}

Test(lookup_models, what_a_model_has_seen_is_not_told)
{
    learn_on("NVIDIA H200");
    put_winners(1, ATX_MIN_TRAINING_SAMPLES);
    cr_expect_null(strstr(predicted_on("H200", 90).why, "autotune learn"), "%s",
                   predicted_on("H200", 90).why);
}

Test(lookup_models, an_own_winner_that_is_out_of_date_is_told)
{
    learn_on("NVIDIA H200");
    put_row(w.store, (row){ "1500x1531", "tile_rows", TILE_ROWS, "NVIDIA H200", "of another day", 0, false });
    atx_found f = predicted_on("H200", 90);
    cr_expect(strstr(f.why, "this shape was not tuned as its templates are now;"), "%s", f.why);
}

Test(lookup_models, where_there_is_no_model_none_is_left_out)
{
    put("1600x1600", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found f = ask_on(1500, 1531, "H200", 90);
    cr_expect_eq(f.match, ATX_MATCH_NEAR);
    cr_expect_null(strstr(f.why, "left out"), "%s", f.why);
}

Test(lookup_models, a_search_gets_no_more_than_it_asks_for)
{
    at_error err = { 0 };
    atx_problem p;
    atx_hint hints[ATX_MAX_EXPECTED] = { { .t = NULL } };
    int count = -1;
    const atx_target target = { .cc = 90, .sms = 132, .name = "NVIDIA H200" };
    learn_on("NVIDIA H200");
    cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&p, atx_catalog_find_op(w.catalog, "transpose"), ATX_F32,
                                  (int64_t[]){ 1500, 1536 }, 2, &err),
                 AT_OK);
    cr_assert_eq(atx_lookup_expected(hints, &count, 2, w.lookup, &p, &target, &err), AT_OK, "%s", err.text);
    cr_expect_eq(count, 2);
    cr_expect(hints[1].t && !hints[2].t);
}
