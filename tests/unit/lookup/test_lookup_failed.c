/*
 * test_lookup_failed.c - failed configurations are no answers: a winner that was found wrong after it had
 * won, a configuration that was found wrong for the problem that is asked about, and one that does not work
 * where it is to run.
 */
#include "lookup/lookup_internal.h"
#include "model_support.h"

#include "model/model.h"

#define DEVICE "NVIDIA H200"
#define SLOWER "TILE=16 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast"

TestSuite(lookup_failed, .init = begin, .fini = end);

/* Found wrong under the conditions of put(). */
static void put_verdict_on(const char *device, const char *shape, const char *template_name,
                           const char *config, atx_outcome outcome)
{
    at_error err = { 0 };
    const atx_template *t =
        atx_catalog_find_template(w.catalog, atx_catalog_find_op(w.catalog, "transpose"), template_name);
    const atx_problem_key key = { "transpose", shape, "b4", 1, 8, 0 };
    atx_fingerprint f = {
        .cc = 90, .sms = 132, .memory_mib = 1, .driver = "1", .nvrtc = "13.0", .tool = "1", .cold = true
    };
    snprintf(f.device, sizeof f.device, "%s", device);
    const atx_trial_row verdict = { .template_name = t->name,
                                    .template_hash = t->text.hash,
                                    .config = config,
                                    .outcome = outcome,
                                    .log = "1 byte differs",
                                    .source_hash = "" };
    cr_assert_eq(atx_store_put_verdict(w.store, 0, &key, &f, &verdict, &err), AT_OK, "%s", err.text);
}

static void put_verdict(const char *shape, const char *template_name, const char *config)
{
    put_verdict_on(DEVICE, shape, template_name, config, ATX_WRONG_RESULT);
}

/* Its time is that of a wrong kernel: what is twice as slow is not slow for that. */
Test(lookup_failed, in_the_place_of_a_wrong_winner_the_fastest_trial_that_is_left_answers)
{
    put("4096x4096", "reg_vec", REG_VEC, DEVICE);
    put("4096x4100", "naive", NAIVE, DEVICE);
    put_trial("4096x4096", "reg_vec", REG_VEC, 1e-5);
    put_trial("4096x4096", "tile_rows", SLOWER, 2.1e-5);
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 2e-5);
    cr_assert_eq(ask(4096, 4096, "").match, ATX_MATCH_EXACT);
    put_verdict("4096x4096", "reg_vec", REG_VEC);
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_found f = ask(4096, 4096, "");
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    cr_assert(f.own && f.runner_up);
    cr_assert_str_eq(f.answer->winner.config, TILE_ROWS);
    cr_assert(strstr(f.why, "this shape's winner is out of date: it was found wrong_result on 20") &&
                  strstr(f.why,
                         ": 1 byte differs; the configuration is its runner-up, the fastest trial that "
                         "is left: 20.00 us"),
              "%s", f.why);
}

Test(lookup_failed, a_wrong_winner_is_no_answer_for_other_shapes_either)
{
    put("4096x4096", "tile_rows", TILE_ROWS, DEVICE);
    put("64x64", "naive", NAIVE, DEVICE);
    cr_assert_str_eq(ask(4096, 4104, "").answer->shape, "4096x4096");
    put_verdict("4096x4096", "tile_rows", TILE_ROWS);
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_found f = ask(4096, 4104, "");
    cr_assert_str_eq(f.answer->shape, "64x64", "%s", f.why);
}

/* Whatever was asked before: answers do not depend on that. */
Test(lookup_failed, a_wrong_winner_is_known_as_such_when_all_winners_are_in_memory)
{
    put("4096x4096", "tile_rows", TILE_ROWS, DEVICE);
    put_trial("4096x4096", "naive", NAIVE, 2e-5);
    put_verdict("4096x4096", "tile_rows", TILE_ROWS);
    ask(64, 64, "");
    atx_found f = ask(4096, 4096, "");
    cr_assert(f.own, "%s", f.why);
    cr_assert_str_eq(f.t->name, "naive");
}

Test(lookup_failed, where_nothing_is_left_the_reason_tells)
{
    put("4096x4096", "tile_rows", TILE_ROWS, DEVICE);
    put_verdict("4096x4096", "tile_rows", TILE_ROWS);
    atx_found f = ask(4096, 4096, "");
    cr_assert_eq(f.match, ATX_MATCH_NONE, "%s", f.why);
    cr_assert(strstr(f.why, "it was found wrong_result on 20"), "%s", f.why);
}

/* It won for another shape, and was tried for this one. */
Test(lookup_failed, what_is_known_to_be_wrong_for_this_very_problem_is_passed_over)
{
    put("4096x4096", "tile_rows", TILE_ROWS, DEVICE);
    put("64x64", "naive", NAIVE, DEVICE);
    put_verdict("4096x4104", "tile_rows", TILE_ROWS);
    cr_assert_str_eq(ask(4096, 4104, DEVICE).t->name, "naive");
    cr_assert_str_eq(ask(4096, 4112, DEVICE).t->name, "tile_rows");
    cr_assert_eq(ask(4096, 4096, DEVICE).match, ATX_MATCH_EXACT);
}

Test(lookup_failed, what_is_known_to_be_wrong_on_this_device_is_not_taken_from_another)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H100");
    put("64x64", "naive", NAIVE, "NVIDIA H100");
    put_verdict_on(DEVICE, "4096x4096", "tile_rows", TILE_ROWS, ATX_CRASHED);
    atx_found f = ask(4096, 4096, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_OTHER_DEVICE, "%s", f.why);
    cr_assert_str_eq(f.t->name, "naive");
}

/* ---- winners that come with the program ---- */

static void open_with_shipped(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_add_shipped(w.lookup);
}

Test(lookup_failed, a_shipped_winner_that_was_found_wrong_here_is_no_answer)
{
    char name[64], config[256];
    unsetenv("AUTOTUNE_NO_SHIPPED");
    open_with_shipped();
    atx_found f = ask(4096, 4096, DEVICE);
    cr_assert(f.match == ATX_MATCH_EXACT && f.shipped, "%s", f.why);
    snprintf(name, sizeof name, "%s", f.t->name);
    snprintf(config, sizeof config, "%s", f.answer->winner.config);
    put_verdict("4096x4096", name, config);
    atx_lookup_close(w.lookup);
    open_with_shipped();
    f = ask(4096, 4096, DEVICE);
    cr_assert_neq(f.match, ATX_MATCH_EXACT);
    cr_assert(strcmp(f.t->name, name) != 0 || strcmp(f.answer->winner.config, config) != 0, "%s", f.why);
    cr_assert(strstr(f.why, "it was found wrong_result on 20") || f.match == ATX_MATCH_PREDICTED, "%s",
              f.why);
}

/* ---- kernels that do not work here ---- */

static void exclude(atx_exclusions *x, int64_t rows, int64_t cols, const char *template_name,
                    const char *config)
{
    at_error err = { 0 }, why = { 0 };
    atx_problem p;
    atx_config c;
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    const atx_template *t = atx_catalog_find_template(w.catalog, op, template_name);
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ rows, cols }, 2, &err), AT_OK);
    cr_assert_eq(atx_config_parse(&c, t, config, &err), AT_OK, "%s", err.text);
    atx_fail(&why, AT_ERR_INPUT, "%s does not compile\nfor many reasons", template_name);
    cr_assert_eq(atx_exclude(x, &p, 90, t, &c, &why, &err), AT_OK);
}

Test(lookup_failed, what_does_not_work_here_gives_way_to_the_next_best)
{
    atx_exclusions *x = atx_exclusions_open();
    put("4096x4096", "reg_vec", REG_VEC, DEVICE);
    put_trial("4096x4096", "reg_vec", REG_VEC, 1e-5);
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 1.05e-5);
    put_trial("4096x4096", "naive", NAIVE, 1.1e-5);
    ask(64, 64, "");
    atx_lookup_exclude(w.lookup, x);
    exclude(x, 4096, 4096, "reg_vec", REG_VEC);
    atx_found f = ask(4096, 4096, "");
    cr_assert_str_eq(f.t->name, "tile_rows", "%s", f.why);
    cr_assert(strstr(f.why, "it does not work here: reg_vec does not compile; "), "%s", f.why);
    exclude(x, 4096, 4096, "tile_rows", TILE_ROWS);
    cr_assert_str_eq(ask(4096, 4096, "").t->name, "naive", "also where the answer was remembered");
    exclude(x, 4096, 4096, "naive", NAIVE);
    cr_assert_eq(ask(4096, 4096, "").match, ATX_MATCH_NONE);
    cr_assert_eq(ask(4096, 4104, "").match, ATX_MATCH_NEAR, "another problem is another matter");
    cr_assert_eq(ask_on(4096, 4096, "", 80).match, ATX_MATCH_EXACT, "and so is another capability");
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_exclusions_close(x);
}

/* Each try is a compilation: a template that does not compile is not tried in each configuration. */
Test(lookup_failed, after_three_of_a_template_the_rest_of_it_is_excluded)
{
    atx_exclusions *x = atx_exclusions_open();
    at_error first = { 0 };
    atx_problem p;
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 64, 64 }, 2, &first), AT_OK);
    static const char *const CONFIGS[] = { "TILE=16 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast",
                                           "TILE=16 BLOCK_ROWS=8 PAD=0 UNROLL=yes ORDER=out_fast",
                                           "TILE=32 BLOCK_ROWS=8 PAD=0 UNROLL=yes ORDER=out_fast" };
    put("64x64", "tile_rows", TILE_ROWS, DEVICE);
    cr_assert_eq(ask(64, 64, "").match, ATX_MATCH_EXACT);
    atx_lookup_exclude(w.lookup, x);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(ask(64, 64, "").match, ATX_MATCH_EXACT, "%d", i);
        exclude(x, 64, 64, "tile_rows", CONFIGS[i]);
    }
    cr_assert_eq(ask(64, 64, "").match, ATX_MATCH_NONE);
    cr_assert_eq(atx_exclusions_of(&first, x, &p, 90).tried, 3);
    cr_assert(strstr(first.text, "tile_rows does not compile"), "%s", first.text);
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_exclusions_close(x);
}

/* To find out that a requirement does not hold takes no time: the template's other configurations may. */
Test(lookup_failed, what_is_not_valid_does_not_exclude_the_rest_of_its_template)
{
    atx_exclusions *x = atx_exclusions_open();
    at_error err = { 0 };
    atx_problem p;
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    const atx_template *t = atx_catalog_find_template(w.catalog, op, "tile_rows");
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 64, 64 }, 2, &err), AT_OK);
    atx_config c = { { 0 } };
    for (int i = 0; i < 5; i++) {
        c.values[0] = i;
        cr_assert_eq(atx_exclude_invalid(x, &p, 90, t, &c, &err), AT_OK);
        cr_assert_not_null(atx_excluded(x, &p, 90, t, &c));
    }
    c.values[0] = 5;
    cr_assert_null(atx_excluded(x, &p, 90, t, &c));
    cr_assert_eq(atx_exclusions_of(&err, x, &p, 90).tried, 0);
    cr_assert_eq(atx_exclusions_of(&err, x, &p, 90).invalid, 5);
    cr_assert_str_eq(err.text, "tile_rows is not valid on this device");
    atx_exclusions_close(x);
}

/* ---- predictions ---- */

static char model_path[96];

/* The expectation for a shape that was never tuned. */
static atx_found ask_model(char config[256])
{
    at_error err = { 0 };
    atx_model *m = NULL;
    snprintf(model_path, sizeof model_path, "%s" ATX_MODEL_SUFFIX, w.path);
    put_training_samples();
    cr_assert_eq(atx_model_learn(&m, w.catalog, &(atx_training_data){ &w.store, 1, NULL, 0 }, NULL, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_model_write(m, model_path, &err), AT_OK, "%s", err.text);
    atx_model_close(m);
    atx_found f = ask(1500, 1536, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_PREDICTED, "%s", f.why);
    snprintf(config, 256, "%s", f.answer->winner.config);
    return f;
}

static void expect_something_else(const char *config)
{
    atx_found f = ask(1500, 1536, DEVICE);
    cr_assert_neq(f.match, ATX_MATCH_EXACT);
    cr_assert(f.match == ATX_MATCH_NONE || strcmp(f.answer->winner.config, config) != 0, "%s", f.why);
    unlink(model_path);
}

Test(lookup_failed, a_prediction_that_is_known_to_be_wrong_for_this_problem_is_not_given)
{
    char config[256];
    atx_found f = ask_model(config);
    put_verdict("1500x1536", f.t->name, config);
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    expect_something_else(config);
}

Test(lookup_failed, a_prediction_that_does_not_work_here_gives_way_to_the_next)
{
    char config[256];
    atx_exclusions *x = atx_exclusions_open();
    atx_found f = ask_model(config);
    atx_lookup_exclude(w.lookup, x);
    exclude(x, 1500, 1536, f.t->name, config);
    expect_something_else(config);
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_exclusions_close(x);
}
