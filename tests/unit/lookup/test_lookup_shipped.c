/*
 * test_lookup_shipped.c - the winners that come with the program, below those of a store. 4096x4096 of four
 * bytes is among them, tuned on an NVIDIA H200; 4096x4099 is not.
 */
#include "lang/shapes.h"
#include "lookup/lookup_internal.h"
#include "lookup_support.h"
#include "model/model.h"
#include "store_support.h"

#define DEVICE "NVIDIA H200"

static void begin_with_them(void)
{
    unsetenv("AUTOTUNE_NO_SHIPPED");
    begin();
}

TestSuite(lookup_shipped, .init = begin_with_them, .fini = end);

/* On a machine whose GPUs are of this model. */
static void open_lookup_on(const char *model, atx_store *store)
{
    at_error err = { 0 };
    cr_assert_eq(atx_lookup_open(&w.lookup, store, w.catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_add_shipped(w.lookup);
    snprintf(w.lookup->here, sizeof w.lookup->here, "%s", model);
}

static void open_lookup(atx_store *store)
{
    open_lookup_on("", store);
}

Test(lookup_shipped, of_several_models_that_of_this_machine_answers_where_none_is_named)
{
    const char *const MODELS[] = { "NVIDIA H200", "NVIDIA H100 80GB HBM3" };
    for (int i = 0; i < 2; i++) {
        open_lookup_on(MODELS[i], NULL);
        atx_found f = ask(4096, 4096, "");
        cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
        cr_expect_str_eq(f.answer->fingerprint.device, MODELS[i]);
        atx_lookup_close(w.lookup);
        w.lookup = NULL;
    }
}

Test(lookup_shipped, a_machine_of_another_model_gets_that_with_the_most_winners_of_the_operation)
{
    static const atx_shipped_group GROUPS[] = {
        { "rows", "NVIDIA H100", "b4", 0, 5, 90 },       { "rows", "NVIDIA H200", "b4", 5, 5, 80 },
        { "transpose", "NVIDIA H100", "b4", 10, 3, 70 }, { "transpose", "NVIDIA H200", "b4", 13, 4, 60 },
        { "permute", "NVIDIA B200", "b4", 17, 99, 99 },
    };
    static const char OTHER[] = "NVIDIA GeForce RTX 4090";
    cr_expect_str_eq(atx_shipped_device(GROUPS, 5, "transpose", OTHER), "NVIDIA H200");
    cr_expect_str_eq(atx_shipped_device(GROUPS, 5, "rows", OTHER), "NVIDIA H100", "as many, and newer ones");
    cr_expect_str_eq(atx_shipped_device(GROUPS, 5, "transpose", "NVIDIA H100"), "NVIDIA H100", "its own");
    cr_expect_str_eq(atx_shipped_device(GROUPS, 5, "copy", OTHER), "NVIDIA B200", "nothing is of this one");
    cr_expect_str_eq(atx_shipped_device(GROUPS, 0, "copy", OTHER), "");
}

Test(lookup_shipped, what_ships_of_other_operations_does_not_choose_the_device)
{
    atx_shipped_group groups[] = {
        { "transpose", "NVIDIA H200", "b4", 0, 4, 10 },
        { "rows", "NVIDIA H100", "b4", 4, 1, 20 },
    };
    for (groups[1].count = 1; groups[1].count < 100; groups[1].count += 33)
        cr_expect_str_eq(atx_shipped_device(groups, 2, "transpose", ""), "NVIDIA H200");
}

Test(lookup_shipped, answer_exactly_where_there_is_no_store)
{
    open_lookup(NULL);
    atx_found f = ask(4096, 4096, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_assert(f.shipped);
    cr_assert_str_eq(f.answer->fingerprint.device, DEVICE);
    cr_assert_gt(f.answer->winner.timing.median_s, 0);
}

Test(lookup_shipped, answer_who_names_no_device_on_a_new_machine)
{
    open_lookup(NULL);
    atx_found f = ask_on(4096, 4096, "", 0);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_assert(f.shipped);
}

Test(lookup_shipped, answer_for_another_device_as_other_winners_do)
{
    open_lookup(NULL);
    atx_found f = ask_on(4096, 4096, "NVIDIA A100-SXM4-80GB", 80);
    cr_assert_eq(f.match, ATX_MATCH_OTHER_DEVICE, "%s", f.why);
    cr_assert(f.shipped);
    cr_assert(strstr(f.why, "on NVIDIA H100 80GB HBM3"), "the one most like it: %s", f.why);
}

Test(lookup_shipped, own_exact_answer_goes_before_them)
{
    put("4096x4096", "tile_rows", TILE_ROWS, DEVICE);
    open_lookup(w.store);
    atx_found f = ask(4096, 4096, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_assert_not(f.shipped);
    cr_assert_str_eq(f.t->name, "tile_rows");
}

/* It may be newer, and may have been measured cold: what the user measured is the user's machine. */
Test(lookup_shipped, own_exact_answer_goes_before_them_though_it_was_measured_warm)
{
    put_row(w.store, (row){ "4096x4096", "tile_rows", TILE_ROWS, DEVICE, NULL, 0, true });
    open_lookup(w.store);
    ask(4096, 4099, DEVICE); /* now both are in memory */
    cr_assert_not(ask(4096, 4096, DEVICE).shipped);
}

Test(lookup_shipped, exact_one_goes_before_own_near_answer)
{
    put("4096x4100", "tile_rows", TILE_ROWS, DEVICE);
    open_lookup(w.store);
    atx_found f = ask(4096, 4096, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_assert(f.shipped);
}

Test(lookup_shipped, own_near_answer_goes_before_one_that_is_farther)
{
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    put("4096x4099", "tile_rows", TILE_ROWS, DEVICE);
    open_lookup(w.store);
    atx_found f = ask(4096, 4101, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    cr_assert_not(f.shipped, "%s", f.why);
    cr_assert_str_eq(f.answer->shape, "4096x4099");
}

Test(lookup_shipped, nearer_one_goes_before_own_answer_that_is_farther)
{
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    put("64x64", "naive", NAIVE, DEVICE);
    open_lookup(w.store);
    atx_found f = ask(4096, 4099, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    cr_assert(f.shipped, "%s", f.why);
}

Test(lookup_shipped, their_model_answers_for_a_shape_that_nobody_tuned)
{
    open_lookup(NULL);
    atx_found f = ask(1500, 1531, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_PREDICTED, "%s", f.why);
    cr_assert(f.shipped);
    cr_assert(f.expected_s > 2e-6 && f.expected_s < 2e-5, "%g", f.expected_s);
}

Test(lookup_shipped, their_model_is_of_the_templates_that_are_built_in)
{
    static const char *const OPS[] = { "transpose",      "permute",       "cast_transpose", "gather_rows",
                                       "scatter_rows",   "softmax",       "rmsnorm",        "group_quant",
                                       "silu_mul_quant", "rmsnorm_quant", "block_quant",    "rope",
                                       "moe_permute",    "moe_unpermute", "kv_gather",      "kv_write",
                                       "copy",           "sum",           "argmax" };
    enum { COUNT = sizeof OPS / sizeof *OPS, BOTH = COUNT - 3 }; /* the last ones: too few rows of an H100 */
    static const char *const DEVICES[] = { DEVICE, "NVIDIA H100 80GB HBM3" };
    atx_training_samples training_samples;
    atx_model *model = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_model_unpack(&model, atx_shipped_model, atx_shipped_model_bytes, &err), AT_OK, "%s",
                 err.text);
    cr_assert(atx_model_of_op(&training_samples, model, 0) && atx_shipped_model_bytes < (4 << 20));
    for (int i = 0; i < 2 * COUNT; i++) {
        const char *name = OPS[i % COUNT], *device = DEVICES[i / COUNT];
        atx_predictor *p = NULL;
        bool own = false;
        const atx_op *op = atx_catalog_find_op(w.catalog, name);
        cr_assert_eq(
            atx_predictor_open(&p, model, w.catalog, op, &(atx_gpu_model){ .name = device }, &own, &err),
            AT_OK, "%s: %s: the op was changed since: db/files.md says how the model is made", name,
            err.text);
        cr_expect_eq(own, i < COUNT + BOTH, "%s on %s", name, device);
        atx_predictor_close(p);
    }
    atx_model_close(model);
}

/*
 * A model sees a template's lets and consts by their names: a template that names one otherwise, though its
 * code be the same, is answered for by what is left. Where the model that ships is made anew, so are these.
 */
Test(lookup_shipped, their_model_answers_as_when_it_was_made)
{
    static const char *const ANSWERS[][3] = {
        { "2767x5180 f32", "skew",
          "WIDTH=256 RUN=128 THREADS=256 QUARTERS=4 BESIDE=1 PREFETCH=128 ALIGN=32 AHEAD=2 ORDER=out_fast" },
        { "4783x2452 u8", "skew",
          "WIDTH=64 RUN=128 THREADS=256 QUARTERS=4 BESIDE=2 PREFETCH=128 ALIGN=32 AHEAD=2 ORDER=out_fast" },
        { "641581x108 f16", "skew",
          "WIDTH=256 RUN=256 THREADS=512 QUARTERS=4 BESIDE=1 PREFETCH=128 ALIGN=32 AHEAD=2 ORDER=out_fast" },
    };
    const atx_target target = { DEVICE, 90, 132, true };
    open_lookup(NULL);
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        at_error err = { 0 };
        atx_found found;
        atx_shapes shapes = { 0 };
        const char *text = ANSWERS[i][0];
        cr_assert_eq(atx_shapes_parse(&shapes, text, strlen(text), "here", w.catalog, NULL, &err), AT_OK,
                     "%s", err.text);
        cr_assert_eq(atx_lookup_find(&found, w.lookup, &shapes.problems[0], &target, &err), AT_OK, "%s",
                     err.text);
        cr_assert_eq(found.match, ATX_MATCH_PREDICTED, "%s", found.why);
        cr_expect_str_eq(found.answer->winner.template_name, ANSWERS[i][1], "%s", text);
        cr_expect_str_eq(found.answer->winner.config, ANSWERS[i][2], "%s", text);
        atx_shapes_clear(&shapes);
    }
}

/* No permutation of bytes is among the winners, so that nothing is near. */
Test(lookup_shipped, their_model_answers_for_permutations_of_types_that_no_winner_has)
{
    at_error err = { 0 };
    atx_found found;
    atx_shapes shapes = { 0 };
    const char text[] = "permute 248x110x287 2,1,0 u8";
    const atx_target target = { DEVICE, 90, 132, true };
    open_lookup(NULL);
    cr_assert_eq(atx_shapes_parse(&shapes, text, strlen(text), "here", w.catalog, NULL, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_lookup_find(&found, w.lookup, &shapes.problems[0], &target, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(found.match, ATX_MATCH_PREDICTED, "%s", found.why);
    atx_shapes_clear(&shapes);
}

Test(lookup_shipped, exact_one_takes_the_place_of_own_winner_that_is_out_of_date)
{
    put_row(w.store, (row){ "4096x4096", "tile_rows", TILE_ROWS, DEVICE, "of another day", 0, false });
    open_lookup(w.store);
    atx_found f = ask(4096, 4096, DEVICE);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_assert(f.shipped);
}

Test(lookup_shipped, own_device_is_meant_where_none_is_named)
{
    put_row(w.store, (row){ "4096x4100", "tile_rows", TILE_ROWS, "NVIDIA A100-SXM4-80GB", NULL, 80, false });
    open_lookup(w.store);
    atx_found f = ask_on(4096, 4096, "", 0);
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    cr_assert_not(f.shipped, "%s", f.why);
}

Test(lookup_shipped, what_is_stored_later_takes_their_place)
{
    at_error err = { 0 };
    atx_store *reader = NULL;
    cr_assert_eq(atx_store_open(&reader, w.path, ATX_STORE_READ, &err), AT_OK, "%s", err.text);
    open_lookup(reader);
    cr_assert(ask(4096, 4096, DEVICE).shipped);
    put("4096x4096", "tile_rows", TILE_ROWS, DEVICE);
    for (int i = 0; i < 100 && ask(4096, 4096, DEVICE).shipped; i++)
        usleep(100000);
    cr_assert_not(ask(4096, 4096, DEVICE).shipped);
    cr_assert(ask(4096, 4099, DEVICE).shipped, "the others still answer");
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_store_close(reader);
}

Test(lookup_shipped, the_environment_leaves_them_out)
{
    setenv("AUTOTUNE_NO_SHIPPED", "1", 1);
    open_lookup(NULL);
    cr_assert_eq(ask(4096, 4096, DEVICE).match, ATX_MATCH_NONE);
}

Test(lookup_shipped, do_not_answer_who_does_not_ask_for_them)
{
    cr_assert_eq(ask(4096, 4096, DEVICE).match, ATX_MATCH_NONE);
}

Test(lookup_shipped, begin_a_search)
{
    at_error err = { 0 };
    atx_problem p;
    atx_hint hints[8];
    int count = 0;
    const atx_target target = { DEVICE, 90, 132, true };
    open_lookup(w.store);
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 4096, 4099 }, 2, &err), AT_OK);
    cr_assert_eq(atx_lookup_hints(hints, &count, 8, w.lookup, &p, &target, &err), AT_OK, "%s", err.text);
    cr_assert_gt(count, 0);
}

/* Of any kind: the pages are the program's own, and every process shares them. */
Test(lookup_shipped, are_never_written)
{
    at_error err = { 0 };
    atx_store *shipped = NULL;
    cr_assert_eq(atx_store_open_shipped(&shipped, &err), AT_OK, "%s", err.text);
    cr_assert_neq(sqlite3_exec(shipped->db, "DELETE FROM winner", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_neq(sqlite3_exec(shipped->db, "CREATE TABLE mine (x)", NULL, NULL, NULL), SQLITE_OK);
    atx_store_close(shipped);
}

/* Two at once, as two tuners of a process have them. */
Test(lookup_shipped, are_there_for_any_number)
{
    at_error err = { 0 };
    atx_store *one = NULL, *other = NULL;
    cr_assert_eq(atx_store_open_shipped(&one, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_open_shipped(&other, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(scalar(one, "SELECT count(*) > 100 FROM best").text, "1");
    atx_store_close(one);
    cr_assert_str_eq(scalar(other, "SELECT count(*) > 100 FROM best").text, "1");
    atx_store_close(other);
}
