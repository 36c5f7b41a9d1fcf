/*
 * test_library.c - <autotune/autotune.h> as other programs see it: opening and finding. The core's headers
 * serve to fill databases. Source and code: test_library_code.c; running: test_library_run.c.
 */
#include "library_support.h"

#include <math.h>
#include <sys/stat.h>
#include <time.h>

TestSuite(library, .init = set_up, .fini = tear_down);

/* ---- opening ---- */

Test(library, says_its_version)
{
    cr_assert_str_eq(at_version(), "0.1.0");
    cr_assert_eq(at_version_number(), AT_VERSION_NUMBER);
}

Test(library, names_and_reads_types)
{
    at_type type = AT_TYPE_U8;
    cr_assert_str_eq(at_type_name(AT_TYPE_BF16), "bf16");
    cr_assert_str_eq(at_type_name((at_type)99), "");
    cr_assert_str_eq(at_type_name(AT_TYPE_NONE), "");
    cr_assert_eq(at_type_bits(AT_TYPE_C128), 128);
    cr_assert_eq(at_type_bits(AT_TYPE_F4_E2M1), 4);
    cr_assert_eq(at_type_bits(AT_TYPE_NONE), 0);
    cr_assert_eq(at_type_parse(&type, "float64", NULL), AT_OK);
    cr_assert_eq(type, AT_TYPE_F64);
    cr_assert_eq(at_type_parse(&type, "f33", NULL), AT_ERR_INPUT);
}

Test(library, does_not_open_a_database_that_is_not_there)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_NOT_FOUND);
    cr_assert(strstr(err.text, home.db), "%s", err.text);
    options.struct_bytes = 0;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_USAGE);
    cr_assert_null(tuner);
    at_close(NULL);
}

Test(library, does_not_open_what_is_no_database)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    FILE *file = fopen(home.db, "w");
    fputs("this is a text, and longer than the hundred bytes that tell what a file of SQLite's own is made "
          "of and by whom\n",
          file);
    fclose(file);
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_STORE, "%s", err.text);
}

/* ---- built-in results ---- */

static const at_problem SHIPPED = { .struct_bytes = sizeof(at_problem),
                                    .op = "transpose",
                                    .type = AT_TYPE_F32,
                                    .size_count = 2,
                                    .sizes = { 4096, 4096 } };

static at_match match_with(const at_open_options *options, const char *origin)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    cr_assert_eq(at_open(&tuner, options, &err), AT_OK, "%s", err.text);
    at_found *found = find_ok(tuner, SHIPPED, &ON_H200);
    at_match match = found->match;
    cr_assert_str_eq(found->origin, origin);
    at_found_close(found);
    at_close(tuner);
    return match;
}

Test(library, what_comes_with_it_answers_on_a_new_machine)
{
    set_or_unset("AUTOTUNE_NO_SHIPPED", NULL);
    cr_assert_eq(match_with(NULL, "shipped with autotune"), AT_MATCH_EXACT);
}

Test(library, a_shape_that_was_not_tuned_is_predicted_with_time_and_expected_loss)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    const at_problem problem = { .struct_bytes = sizeof(at_problem),
                                 .op = "transpose",
                                 .type = AT_TYPE_F32,
                                 .size_count = 2,
                                 .sizes = { 1500, 1531 } };
    set_or_unset("AUTOTUNE_NO_SHIPPED", NULL);
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_PREDICTED, "%s", found->why);
    cr_assert_str_eq(at_match_name(found->match), "predicted");
    cr_assert(found->expected_s > 2e-6 && found->expected_s < 2e-5, "%g", found->expected_s);
    cr_assert(found->expected_loss > 0 && found->expected_loss < 0.5, "%g", found->expected_loss);
    cr_assert(isnan(found->median_s) && !*found->measured_shape, "nothing was measured");
    cr_assert_str_eq(found->origin, "shipped with autotune");
    cr_assert_gt(found->launches[0]->grid[0], 0);
    at_found_close(found);
    at_close(tuner);
}

Test(library, what_comes_with_it_is_left_out_on_demand)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    set_or_unset("AUTOTUNE_NO_SHIPPED", NULL);
    options.no_shipped = 1;
    cr_assert_eq(match_with(&options, ""), AT_MATCH_NONE);
    set_or_unset("AUTOTUNE_NO_SHIPPED", "1");
    cr_assert_eq(match_with(NULL, ""), AT_MATCH_NONE);
}

Test(library, what_was_tuned_goes_before_what_comes_with_it)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    set_or_unset("AUTOTUNE_NO_SHIPPED", NULL);
    options.database = home.db;
    put_winner("4096x4096", 4096 * 4096, "NVIDIA H200", 132);
    cr_assert_eq(match_with(&options, "database"), AT_MATCH_EXACT);
}

Test(library, without_a_default_database_nothing_is_known)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    at_found *found = find_ok(tuner, TUNED, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NONE);
    cr_assert(strstr(found->why, "no such database"), "%s", found->why);
    cr_assert(strstr(found->why, "not measured"), "%s", found->why);
    cr_assert_str_eq(found->template_name, "tile_vec");
    cr_assert(isnan(found->median_s));
    cr_assert_gt(found->launches[0]->grid[0], 0);
    at_found_close(found);

    found = find_ok(tuner, TUNED, NULL);
    cr_assert_null(found->template_name, "no device, no limits to check against");
    cr_assert_str_eq(found->config, "");
    char *source = NULL;
    cr_assert_eq(at_source(&source, found, &err), AT_ERR_NOT_FOUND);
    at_found_close(found);
    at_close(tuner);
}

/* ---- finding ---- */

/* An op of the user's with metrics, and its winner for 1000: 2 us with TILE=4. */
static void put_measured(at_open_options *options)
{
    static char folder_path[200], op_path[230], template_path[230];
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    int64_t run = 0;
    snprintf(folder_path, sizeof folder_path, "%s/mine", home.path);
    snprintf(op_path, sizeof op_path, "%s/op.cu", folder_path);
    snprintf(template_path, sizeof template_path, "%s/t.cu", folder_path);
    cr_assert_eq(mkdir(folder_path, 0777), 0);
    put_text(op_path, "/*!autotune\nop measured\nshape n\ntype T = f32\narg y T[n] output\nreference r\n"
                      "grid 1\nblock 1\ntraffic 4 * n\nmetric rate = n / median_s / param.TILE\n"
                      "metric none = 1 / (n - n)\n*/\nextern \"C\" __global__ void r(T *y) {}\n");
    put_text(template_path, "/*!autotune\ntemplate t\nparam TILE = 1 4\ngrid 1\nblock 1\n*/\n"
                            "extern \"C\" __global__ void measured_t(T *y) {}\n");
    cr_assert_eq(atx_catalog_open(&catalog, folder_path, &err), AT_OK, "%s", err.text);
    atx_store *store = open_ok(home.db, ATX_STORE_WRITE);
    const atx_op *op = atx_catalog_find_op(catalog, "measured");
    const atx_template *t = atx_catalog_find_template(catalog, op, "t");
    const atx_problem_key key = { "measured", "1000", "f32", 1000, 4000, 0 };
    const atx_fingerprint f = {
        .device = "NVIDIA H200", .cc = 90, .sms = 132, .memory_mib = 143155, .driver = "580", .cold = true
    };
    atx_winner w = winner_of("TILE=4", 2e-6);
    w.template_name = t->name;
    w.template_hash = t->text.hash;
    const atx_run_info info = { .command = "", .strategy = "auto", .seed = 1, .device_uuid = "", .host = "" };
    cr_assert_eq(atx_store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_winner(store, run, &key, &f, &w, &err), AT_OK, "%s", err.text);
    atx_store_close(store);
    atx_catalog_close(catalog);
    options->database = home.db;
    options->templates = folder_path;
}

Test(library, metrics_are_told_of_what_was_measured_of_this_very_problem)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_problem problem = { .struct_bytes = sizeof(at_problem),
                           .op = "measured",
                           .type = AT_TYPE_F32,
                           .size_count = 1,
                           .sizes = { 1000 } };
    put_measured(&options);
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    cr_assert_eq(found->metric_count, 2);
    cr_assert_str_eq(found->metrics[0]->name, "rate");
    cr_assert_float_eq(found->metrics[0]->value, 125e6, 1);
    cr_assert_str_eq(found->metrics[1]->name, "none");
    cr_assert(isnan(found->metrics[1]->value));
    at_found_close(found);
    problem.sizes[0] = 2000;
    found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR, "%s", found->why);
    cr_assert_eq(found->metric_count, 0);
    at_found_close(found);
    at_close(tuner);
}

Test(library, finds_exactly_what_was_tuned)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    cr_assert_str_eq(found->why, "");
    cr_assert_str_eq(found->op, "transpose");
    cr_assert_str_eq(found->shape, "1024x2048");
    cr_assert_str_eq(found->type, "f32");
    cr_assert_str_eq(found->device, "NVIDIA H200");
    cr_assert_str_eq(found->arch, "sm_90");
    cr_assert_eq(found->sms, 132);
    cr_assert_str_eq(found->template_name, "tile_rows");
    cr_assert_str_eq(found->config, CONFIG);
    cr_assert_eq(found->launches[0]->grid[0], 32 * 64);
    cr_assert_eq(found->launches[0]->block[0], 32);
    cr_assert_eq(found->launches[0]->block[1], 8);
    cr_assert_float_eq(found->median_s, 10e-6, 1e-12);
    cr_assert_float_eq(found->gb_per_s, 8e-9 * 1024 * 2048 / 10e-6, 1e-3);
    cr_assert_float_eq(found->gflop_per_s, 2e-9 * 1024 * 2048 / 10e-6, 1e-3);
    cr_assert_str_eq(found->measured_shape, "1024x2048");
    at_found_close(found);
    at_close(tuner);
}

Test(library, tells_the_arguments_of_the_kernel)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    cr_assert_eq(found->launches[0]->arg_count, 7);
    cr_assert_str_eq(found->launches[0]->args[0]->name, "out");
    cr_assert_eq(found->launches[0]->args[0]->role, AT_ROLE_OUTPUT);
    cr_assert_eq(found->launches[0]->args[0]->bytes, 4 * 1024 * 2048);
    cr_assert_eq(found->launches[0]->args[1]->role, AT_ROLE_INPUT);
    cr_assert_eq(found->launches[0]->args[3]->role, AT_ROLE_SCALAR);
    cr_assert_eq(found->launches[0]->args[3]->bytes, 8);
    cr_assert_eq(found->launches[0]->args[3]->value, 1024);
    at_found_close(found);
    at_close(tuner);
}

Test(library, tells_the_types_of_the_arguments)
{
    const at_problem gather = { .struct_bytes = sizeof(at_problem),
                                .op = "gather_rows",
                                .type = AT_TYPE_I32,
                                .size_count = 3,
                                .sizes = { 100, 64, 128 } };
    const struct {
        at_problem problem;
        int arg;
        at_type type;
        int opaque;
    } CASES[] = {
        { TUNED, 0, AT_TYPE_F32, 1 },  /* a transpose moves elements of any type */
        { TUNED, 3, AT_TYPE_I64, 0 },  /* a size                                 */
        { gather, 0, AT_TYPE_U8, 0 },  /* rows of bytes                          */
        { gather, 2, AT_TYPE_I32, 0 }, /* the kernel computes with its indices   */
    };
    at_tuner *tuner = tuner_with_winner();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_found *found = find_ok(tuner, CASES[i].problem, &ON_H200);
        const at_arg *arg = found->launches[0]->args[CASES[i].arg];
        cr_assert_eq(arg->type, CASES[i].type, "%s: %s", arg->name, at_type_name(arg->type));
        cr_assert_eq(arg->opaque, CASES[i].opaque, "%s", arg->name);
        at_found_close(found);
    }
    at_close(tuner);
}

Test(library, leading_dimensions_are_part_of_the_problem)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    problem.pitches[0] = 2048; /* as dense */
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT);
    at_found_close(found);
    problem.pitches[0] = 2080;
    found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    cr_assert_str_eq(found->shape, "1024x2048/2080x1024");
    cr_assert_eq(found->launches[0]->args[1]->bytes, 4 * 1024 * 2080);
    cr_assert_eq(found->launches[0]->args[5]->value, 2080);
    cr_assert_eq(found->launches[0]->args[6]->value, 1024);
    at_found_close(found);
    at_close(tuner);
}

Test(library, a_permutation_that_is_a_transpose_has_its_answers)
{
    const int64_t extents[] = { 6, 8, 64 };
    const int order[] = { 2, 0, 1 }, twice[] = { 0, 0, 1 };
    at_problem problem = AT_PROBLEM_INIT;
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    cr_assert_eq(at_permute(&problem, AT_TYPE_F32, 3, extents, order, &err), AT_OK, "%s", err.text);
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_expect_str_eq(found->op, "transpose");
    cr_expect_str_eq(found->shape, "48x64");
    at_found_close(found);
    problem.layout.strides_out[0] = 7; /* gaps that no transpose has */
    problem.layout.strides_out[1] = 60;
    problem.layout.strides_out[2] = 1000;
    found = find_ok(tuner, problem, &ON_H200);
    cr_expect_str_eq(found->op, "permute");
    cr_expect_str_eq(found->shape, "6x8x64:2.1.0/out=1000x60x7");
    at_found_close(found);
    cr_expect_eq(at_permute(&problem, AT_TYPE_F32, 3, extents, twice, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "index 0 a second time"), "%s", err.text);
    cr_expect_eq(at_permute(&problem, AT_TYPE_F32, 17, extents, order, &err), AT_ERR_USAGE);
    problem.size_count = 1;
    cr_expect_eq(at_find(&found, tuner, &problem, NULL, &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "a layout"), "%s", err.text);
    at_close(tuner);
}

Test(library, types_of_one_size_share_a_result_where_only_bits_move)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    problem.type = AT_TYPE_I32;
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT);
    cr_assert_str_eq(found->type, "i32");
    at_found_close(found);
    at_close(tuner);
}

/* The template was another one when it won; one trial of the present one is known. */
Test(library, a_winner_that_is_out_of_date_gives_way_to_its_runner_up)
{
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    atx_store *store = open_ok(home.db, ATX_STORE_WRITE);
    atx_str hash = { 0 };
    atx_str_add(&hash, scalar(store, "SELECT hash FROM template").text);
    cr_assert_eq(sqlite3_exec(store->db, "UPDATE template SET hash = 'old'", NULL, NULL, NULL), SQLITE_OK);
    const atx_problem_key key = { "transpose", "1024x2048", "b4", 1024 * 2048, 8 * 1024 * 2048, 0 };
    const atx_fingerprint f = { "NVIDIA H200", 90, 132, 143155, "580", "", "", true };
    atx_trial_row row = trial_of("TILE=64 BLOCK_ROWS=4 PAD=0 UNROLL=no ORDER=in_fast", 11e-6);
    row.template_name = "tile_rows";
    row.template_hash = atx_str_text(&hash);
    put_ok(store, &key, &f, &row, 1);
    atx_store_close(store);
    at_tuner *tuner = open_tuner();
    at_found *found = find_ok(tuner, TUNED, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    cr_assert(strstr(found->why, "out of date") && strstr(found->why, "runner-up"), "%s", found->why);
    cr_assert_str_eq(found->config, "TILE=64 BLOCK_ROWS=4 PAD=0 UNROLL=no ORDER=in_fast");
    cr_assert_str_eq(found->measured_shape, "1024x2048");
    cr_assert(found->median_s == 11e-6 && isnan(found->ceiling_s));
    at_found_close(found);
    at_close(tuner);
    atx_str_clear(&hash);
}

Test(library, another_shape_gets_a_near_answer)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner,
                              (at_problem){ .struct_bytes = sizeof(at_problem),
                                            .op = "transpose",
                                            .type = AT_TYPE_F32,
                                            .size_count = 2,
                                            .sizes = { 1024, 4096 } },
                              &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR, "%s", found->why);
    cr_assert(*found->why);
    cr_assert_str_eq(found->measured_shape, "1024x2048");
    cr_assert_eq(found->launches[0]->grid[0], 32 * 128);
    at_found_close(found);
    at_close(tuner);
}

Test(library, another_device_gets_what_is_known_of_this_one)
{
    at_tuner *tuner = tuner_with_winner();
    const at_target target = { sizeof(at_target), "NVIDIA A100", "sm_80", 108 };
    at_found *found = find_ok(tuner, TUNED, &target);
    cr_assert_eq(found->match, AT_MATCH_OTHER_DEVICE, "%s", found->why);
    cr_assert_str_eq(found->device, "NVIDIA A100");
    cr_assert_str_eq(found->arch, "sm_80");
    cr_assert_str_eq(found->measured_device, "NVIDIA H200");
    at_found_close(found);
    at_close(tuner);
}

Test(library, sees_what_is_stored_later)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem other = { .struct_bytes = sizeof(at_problem),
                         .op = "transpose",
                         .type = AT_TYPE_F32,
                         .size_count = 2,
                         .sizes = { 512, 512 } };
    at_found *found = find_ok(tuner, other, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    at_found_close(found);
    put_winner("512x512", 512 * 512, "NVIDIA H200", 132);
    nanosleep(&(struct timespec){ .tv_nsec = 150000000 },
              NULL); /* it looks ten times a second, no more often */
    found = find_ok(tuner, other, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    at_found_close(found);
    at_close(tuner);
}

Test(library, refuses_questions_that_make_no_sense)
{
    static const struct {
        at_problem problem;
        at_status status;
        const char *says;
    } CASES[] = {
        { { .struct_bytes = sizeof(at_problem),
            .op = "transpos",
            .type = AT_TYPE_F32,
            .size_count = 2,
            .sizes = { 4, 4 } },
          AT_ERR_INPUT,
          "transpose" },
        { { .struct_bytes = sizeof(at_problem),
            .op = "transpose",
            .type = AT_TYPE_F32,
            .size_count = 1,
            .sizes = { 4 } },
          AT_ERR_INPUT,
          "rows" },
        { { .struct_bytes = sizeof(at_problem),
            .op = "transpose",
            .type = AT_TYPE_F32,
            .size_count = 2,
            .sizes = { 4, -4 } },
          AT_ERR_INPUT,
          "0 or more" },
        { { .struct_bytes = sizeof(at_problem),
            .op = "transpose",
            .type = AT_TYPE_F32,
            .size_count = 2,
            .sizes = { 0, 4 } },
          AT_ERR_INPUT,
          "count > 0" },
        { { .struct_bytes = sizeof(at_problem),
            .op = "transpose",
            .type = AT_TYPE_F32,
            .size_count = 17,
            .sizes = { 4 } },
          AT_ERR_USAGE,
          "size_count" },
        { { .struct_bytes = sizeof(at_problem),
            .op = "transpose",
            .type = (at_type)77,
            .size_count = 2,
            .sizes = { 4, 4 } },
          AT_ERR_USAGE,
          "type" },
        { { .struct_bytes = sizeof(at_problem),
            .op = NULL,
            .type = AT_TYPE_F32,
            .size_count = 2,
            .sizes = { 4, 4 } },
          AT_ERR_INPUT,
          "expected one of" },
    };
    at_tuner *tuner = tuner_with_winner();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_error err = { 0 };
        at_found *found = NULL;
        cr_assert_eq(at_find(&found, tuner, &CASES[i].problem, NULL, &err), CASES[i].status, "%zu: %s", i,
                     err.text);
        cr_assert(strstr(err.text, CASES[i].says), "%zu: %s", i, err.text);
        cr_assert_null(found);
    }
    at_close(tuner);
}

/* ---- problems as text ---- */

Test(library, reads_problems_as_the_program_does)
{
    static const struct {
        const char *text, *op, *shape;
    } CASES[] = {
        { "transpose 1024x2048 f32", "transpose", "1024x2048" },
        { "transpose 3x17x1000/1001x32@4 f16", "transpose", "3x17x1000/1001x32@4" },
        { "cast_transpose 8x8 bf16 to=e5m2", "cast_transpose", "8x8" },
        { "permute 6x8x64:1.0.2 f32", "permute", "6x8x64:1.0.2" },
        { "64x32", "transpose", "64x32" },
    };
    at_tuner *tuner = tuner_with_winner();
    at_error err = { 0 };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_problem problem = AT_PROBLEM_INIT;
        cr_assert_eq(at_problem_parse(&problem, tuner, CASES[i].text, &err), AT_OK, "%s", err.text);
        cr_expect_str_eq(problem.op, CASES[i].op);
        at_found *found = find_ok(tuner, problem, &ON_H200);
        cr_expect(strstr(found->shape, CASES[i].shape), "%s: %s", CASES[i].text, found->shape);
        at_found_close(found);
    }
    at_problem problem = AT_PROBLEM_INIT;
    cr_expect_eq(at_problem_parse(&problem, tuner, "transpose 8y8", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "8y8"), "%s", err.text);
    cr_expect_eq(at_problem_parse(&problem, tuner, "transpose 8x8 to=e5m2", &err), AT_ERR_INPUT);
    cr_expect_eq(at_problem_parse(&problem, tuner, "8x8\n16x16", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "found 2 problems; expected one"), "%s", err.text);
    cr_expect_null(problem.op);
    at_close(tuner);
}
