/* test_lookup.c - answers for problems that were, and were not, tuned. */
#include "lookup_support.h"

TestSuite(lookup, .init = begin, .fini = end);

Test(lookup, a_tuned_problem_is_exact)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found f = ask(4096, 4096, "h200");
    cr_assert_eq(f.match, ATX_MATCH_EXACT);
    cr_assert_eq(f.geometry.grid[0], 128 * 128, "as the template says, not as the row does");
    cr_assert_eq(f.geometry.block[0], 32);
    cr_assert_str_eq(f.why, "");
    cr_assert_str_eq(f.t->name, "tile_rows");
}

Test(lookup, another_shape_gives_its_configuration_and_a_geometry_for_this_one)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found f = ask(2048, 2048, "");
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    cr_assert_eq(f.geometry.grid[0], 64 * 64);
    cr_assert(strstr(f.why, "4096x4096"), "%s", f.why);
}

Test(lookup, requirements_are_checked_for_the_shape_that_is_asked_for)
{
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    cr_assert_eq(ask(4092, 4100, "").match, ATX_MATCH_NEAR);
    atx_found f = ask(4097, 4095, "");
    cr_assert_eq(f.match, ATX_MATCH_NONE, "16-byte accesses on rows of 4095 elements");
    cr_assert(strstr(f.why, "none of the 1 stored winners of transpose for 4-byte elements fits"), "%s",
              f.why);
    cr_assert(strstr(f.why, "4096x4096") && strstr(f.why, "reg_vec needs cols % SQUARE == 0"), "%s", f.why);
}

Test(lookup, the_nearest_that_fits_is_the_answer_not_the_nearest)
{
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put("64x64", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(4097, 4097, "").answer->shape, "64x64");
}

/* 16-byte accesses do not fit rows of 4095 elements; the others were tried too, when 4096x4096 was tuned. */
Test(lookup, where_a_winner_does_not_fit_the_fastest_other_trial_that_does_is_the_answer)
{
    const char *const slower = "TILE=16 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast";
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put("64x64", "naive", NAIVE, "NVIDIA H200");
    put_trial("4096x4096", "reg_vec", REG_VEC, 1e-5);
    put_trial("4096x4096", "tile_rows", slower, 1.1e-5);
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 1.05e-5);
    atx_found f = ask(4097, 4095, "");
    cr_assert_eq(f.match, ATX_MATCH_NEAR);
    cr_assert_str_eq(f.why,
                     "this shape was not tuned; the configuration is the best trial of 4096x4096 that fits");
    cr_assert_str_eq(f.t->name, "tile_rows");
    cr_assert_str_eq(f.answer->winner.config, TILE_ROWS);
    cr_assert_str_eq(f.answer->winner.template_name, "tile_rows");
    cr_assert(f.answer->winner.timing.median_s == 1.05e-5 && f.answer->winner.resources.registers == 40);
    cr_assert_eq(f.answer->winner.geometry.grid[0], 0, "the winner's launch is not this one's");
    cr_assert_eq(f.geometry.grid[0], 129 * 128);
    cr_assert_str_eq(ask(4097, 4095, "").answer->winner.config, TILE_ROWS, "remembered");
}

Test(lookup, a_winner_of_a_farther_shape_goes_before_a_runner_up_that_was_much_slower)
{
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put("2047x2047", "naive", NAIVE, "NVIDIA H200");
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 3e-5);
    cr_assert_str_eq(ask(4098, 4094, "").t->name, "naive");
}

/* 64 KiB take as long as an empty launch does, whatever the kernel; 4 MiB do not. */
Test(lookup, a_problem_that_is_over_at_once_tells_nothing_about_larger_ones)
{
    put("128x128", "naive", NAIVE, "NVIDIA H200");
    put("16384x16384", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(1024, 1024, "").answer->shape, "16384x16384");
    cr_assert_str_eq(ask(64, 64, "").answer->shape, "128x128");
}

/* A tile of 32 columns: of two, 30 have nothing to do, where it won 16. */
Test(lookup, a_kernel_whose_threads_would_stand_idle_gives_way_to_a_farther_one)
{
    put("1048576x16", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("262144x2", "naive", NAIVE, "NVIDIA H200");
    cr_assert_str_eq(ask(1048576, 2, "").t->name, "naive");
    cr_assert_str_eq(ask(1048576, 12, "").t->name, "tile_rows");
}

Test(lookup, a_kernel_whose_threads_would_stand_idle_is_better_than_none)
{
    put("1048576x16", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_eq(ask(1048576, 2, "").match, ATX_MATCH_NEAR);
}

Test(lookup, of_the_trials_that_fit_one_with_busy_threads_goes_before_a_little_faster_one)
{
    put("1048576x16", "reg_vec", REG_VEC, "NVIDIA H200");
    put_trial("1048576x16", "tile_rows", TILE_ROWS, 1e-5);
    put_trial("1048576x16", "naive", NAIVE, 1.1e-5);
    atx_found f = ask(1048576, 2, "");
    cr_assert_str_eq(f.t->name, "naive");
    cr_assert(f.answer->winner.timing.median_s == 1.1e-5);
    cr_assert_str_eq(ask(1048576, 15, "").t->name, "tile_rows");
}

Test(lookup, aspect_matters_not_area)
{
    put("1024x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("2x2097152", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(2048, 2048, "").answer->shape, "1024x4096");
    cr_assert_str_eq(ask(4, 1048576, "").answer->shape, "2x2097152");
}

Test(lookup, the_alignment_of_rows_goes_before_size)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("1023x1025", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(4095, 4097, "").answer->shape, "1023x1025");
    cr_assert_str_eq(ask(1024, 1024, "").answer->shape, "4096x4096");
}

Test(lookup, another_device_is_named_as_such)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA A100");
    atx_found f = ask(4096, 4096, "H200");
    cr_assert_eq(f.match, ATX_MATCH_OTHER_DEVICE);
    cr_assert(strstr(f.why, "A100") && strstr(f.why, "H200"), "%s", f.why);
    put("64x64", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    cr_assert_eq(ask(4096, 4096, "H200").match, ATX_MATCH_NEAR, "the same device goes before the same shape");
}

Test(lookup, an_empty_store_says_so)
{
    atx_found f = ask(4096, 4096, "");
    cr_assert_eq(f.match, ATX_MATCH_NONE);
    cr_assert(strstr(f.why, "no winner of transpose"), "%s", f.why);
}

Test(lookup, what_another_connection_writes_is_seen)
{
    at_error err = { 0 };
    atx_store *other = NULL;
    cr_assert_eq(ask(4096, 4096, "").match, ATX_MATCH_NONE);
    cr_assert_eq(atx_store_open(&other, w.path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    put_row(other, (row){ "4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200", NULL, 0, false });
    atx_store_close(other);
    while (ask(4096, 4096, "").match == ATX_MATCH_NONE)
        usleep(10000); /* a look-up asks for changes ten times a second */
    cr_assert_eq(ask(4096, 4096, "").match, ATX_MATCH_EXACT);
}

Test(lookup, a_search_begins_with_what_another_connection_has_written)
{
    at_error err = { 0 };
    atx_store *other = NULL;
    atx_hint hints[8];
    atx_problem p;
    const atx_target target = { .name = "NVIDIA H200", .cc = 90 };
    int count = 0;
    cr_assert_eq(ask(4096, 4096, "").match, ATX_MATCH_NONE);
    cr_assert_eq(atx_store_open(&other, w.path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    put_row(other, (row){ "4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200", NULL, 0, false });
    atx_store_close(other);
    atx_lookup_look_again(w.lookup);
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 4096, 2048 }, 2, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_lookup_hints(hints, &count, 8, w.lookup, &p, &target, &err), AT_OK, "%s", err.text);
    cr_assert_eq(count, 1);
}

Test(lookup, a_search_knows_the_trials_of_the_problem_whose_winner_it_begins_with)
{
    at_error err = { 0 };
    atx_hint hints[8];
    atx_elsewhere_trial trials[8];
    atx_problem p;
    const atx_target target = { .name = "NVIDIA H200", .cc = 90 };
    int count = 0;
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    for (int i = 0; i < 20; i++) {
        char config[64];
        snprintf(config, sizeof config, "TILE=%d BLOCK_ROWS=%d PAD=%d UNROLL=no ORDER=in_fast", 16 << i % 2,
                 1 << i / 2 % 5, i / 10);
        put_trial("4096x4096", "tile_rows", config, 1e-5 + 1e-6 * i);
    }
    put_trial("2048x2048", "tile_rows", TILE_ROWS, 1e-7);
    ask(64, 64, "");
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 4096, 2048 }, 2, &err), AT_OK, "%s",
                 err.text);
    atx_lookup_look_again(w.lookup);
    cr_assert_eq(atx_lookup_hints(hints, &count, 8, w.lookup, &p, &target, &err), AT_OK, "%s", err.text);
    cr_assert_eq(count, 1);
    cr_assert_eq(atx_lookup_trials(trials, &count, 8, w.lookup, &hints[0], &err), AT_OK, "%s", err.text);
    cr_assert_eq(count, 8);
    const int chosen[8] = { 0, 1, 2, 3, 4, 8, 12, 16 }; /* the fastest four, and every fourth of the others */
    for (int i = 0; i < 8; i++)
        cr_expect_float_eq(trials[i].seconds, 1e-5 + 1e-6 * chosen[i], 1e-12, "%d: %g", i, trials[i].seconds);
}

Test(lookup, a_winner_of_a_changed_template_is_no_answer)
{
    put_row(w.store, (row){ "64x64", "tile_rows", TILE_ROWS, "NVIDIA H200", "of another day", 0, false });
    atx_found f = ask(64, 64, "");
    cr_assert_eq(f.match, ATX_MATCH_NONE);
    cr_assert(strstr(f.why, "its template tile_rows is another one now"), "%s", f.why);

    put("128x128", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    f = ask(64, 64, "");
    cr_assert_eq(f.match, ATX_MATCH_NEAR);
    cr_assert(strstr(f.why, "this shape's winner is out of date") && strstr(f.why, "128x128"), "%s", f.why);
}

/* The winner of 4096x4096, of a template that has changed since. */
static void put_outdated(void)
{
    put_row(w.store, (row){ "4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200", "of another day", 0, false });
    put_trial_as("4096x4096", "tile_rows", TILE_ROWS, 1e-5, "of another day", "1");
}

Test(lookup, where_a_winner_is_out_of_date_its_problems_fastest_trial_that_is_not_is_the_answer)
{
    put_outdated();
    put_trial("4096x4096", "naive", NAIVE, 1.3e-5);
    put_trial("4096x4096", "reg_vec", REG_VEC, 1.02e-5);
    atx_found f = ask(4096, 4096, "");
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "it won no re-measurement");
    cr_assert(f.own && f.runner_up);
    cr_assert_str_eq(f.why, "this shape's winner is out of date: its template tile_rows is another one now, "
                            "or is missing; the configuration is its runner-up, the fastest trial whose "
                            "template is the same: 10.20 us, the winner took 10.00 us");
    cr_assert_str_eq(f.t->name, "reg_vec");
    cr_assert_str_eq(f.answer->shape, "4096x4096");
    cr_assert(f.answer->winner.timing.median_s == 1.02e-5 && f.answer->winner.resources.registers == 40);
    cr_assert_eq(f.geometry.block[0], 8, "that of the runner-up, not of the winner");
    atx_found again = ask(4096, 4096, "");
    cr_assert(again.own && again.answer->winner.timing.median_s == 1.02e-5, "remembered");
}

Test(lookup, an_own_runner_up_goes_before_near_winners_unless_it_was_much_slower)
{
    put_outdated();
    put("4096x4095", "naive", NAIVE, "NVIDIA H200");
    put("2048x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 1.001e-5);
    cr_assert(ask(4096, 4096, "").own, "a thousandth lost here, against a shape of half the rows");
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 2e-5);
    atx_found f = ask(4096, 4096, "");
    cr_assert(!f.own && !f.runner_up);
    cr_assert_str_eq(f.answer->shape, "2048x4096");
    cr_assert(strstr(f.why, "out of date") && strstr(f.why, "that of 2048x4096"), "%s", f.why);
}

/* It cannot be better than the fastest trial here. */
Test(lookup, a_near_winner_that_was_tried_here_is_passed_over)
{
    put_outdated();
    put("2048x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put_trial("4096x4096", "tile_rows", TILE_ROWS, 2e-5);
    put_trial("4096x4096", "reg_vec", REG_VEC, 3e-5);
    atx_found f = ask(4096, 4096, "");
    cr_assert(f.own);
    cr_assert_str_eq(f.t->name, "tile_rows");
}

Test(lookup, trials_of_changed_templates_and_of_other_devices_are_no_runners_up)
{
    put_outdated();
    put_trial_as("4096x4096", "reg_vec", REG_VEC, 1e-5, "of another day", "1");
    cr_assert_eq(ask(4096, 4096, "H200").match, ATX_MATCH_NONE);
    put_row(w.store, (row){ "4096x4096", "naive", NAIVE, "NVIDIA A100", NULL, 80, false });
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    cr_assert_eq(ask(4096, 4096, "H200").match, ATX_MATCH_OTHER_DEVICE);
}

/* After an update the program has measured a little, and was stopped before there was a winner. */
Test(lookup, trials_under_another_driver_of_the_same_device_count_too)
{
    put_outdated();
    put_trial_as("4096x4096", "tile_rows", TILE_ROWS, 1.1e-5, NULL, "2");
    atx_found f = ask(4096, 4096, "");
    cr_assert(f.own);
    cr_assert_str_eq(f.answer->fingerprint.driver, "2");
}

Test(lookup, a_winner_stands_while_its_template_and_requirements_do)
{
    at_error err = { 0 };
    atx_problem problem;
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    const atx_template *t = atx_catalog_find_template(w.catalog, op, "reg_vec");
    atx_answer a = { .winner = { .template_name = "reg_vec",
                                 .template_hash = t->text.hash,
                                 .config = REG_VEC,
                                 .objective = "" },
                     .fingerprint = { .cc = 90, .sms = 132 } };
    atx_geometry g = { .shared_bytes = -1 };
    a.winner.geometry.grid[0] = 7; /* which is not asked */
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 4096, 4096 }, 2, &err), AT_OK);
    cr_assert_eq(atx_lookup_check_winner(&g, &a, w.store, w.catalog, &problem, &err), AT_OK, "%s", err.text);
    cr_assert(g.grid[0] > 7 && g.block[0] >= 1 && g.shared_bytes >= 0, "the template's own");
    a.winner.config = "SQUARE=4 GONE=1";
    cr_assert_eq(atx_lookup_check_winner(&g, &a, w.store, w.catalog, &problem, &err), AT_ERR_NOT_FOUND,
                 "a parameter is gone");
    a.winner.config = REG_VEC;
    a.winner.template_hash = "of another day";
    cr_assert_eq(atx_lookup_check_winner(&g, &a, w.store, w.catalog, &problem, &err), AT_ERR_NOT_FOUND);
    cr_assert(strstr(err.text, "template reg_vec is another one now"), "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 4095, 4095 }, 2, &err), AT_OK);
    a.winner.template_hash = t->text.hash;
    cr_assert_eq(atx_lookup_check_winner(&g, &a, w.store, w.catalog, &problem, &err), AT_ERR_NOT_FOUND);
    cr_assert(strstr(err.text, "SQUARE"), "%s", err.text);
}

Test(lookup, a_narrow_shape_learns_from_narrow_ones)
{
    put("1048576x16", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("1000003x1001", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(1000003, 3, "").answer->shape, "1048576x16");
    cr_assert_str_eq(ask(999999, 999, "").answer->shape, "1000003x1001");
}

Test(lookup, a_batch_is_no_side)
{
    const atx_target any = { .name = "" };
    put("1023x1025", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found f = ask_as("transpose", ATX_F32, (int64_t[]){ 3, 1024, 1024 }, 3, &any);
    cr_assert_str_eq(f.answer->shape, "4096x4096");
}

Test(lookup, another_shape_on_another_device_counts_less_than_the_same_shape)
{
    put_row(w.store, (row){ "4096x4096", "tile_rows", TILE_ROWS, "NVIDIA A100", NULL, 80, false });
    put_row(w.store, (row){ "4096x4080", "tile_rows", TILE_ROWS, "NVIDIA H100", NULL, 90, false });
    put_row(w.store, (row){ "4096x4080", "tile_rows", TILE_ROWS, "NVIDIA L40", NULL, 89, false });
    put_row(w.store, (row){ "4096x4080", "tile_rows", TILE_ROWS, "NVIDIA V100", NULL, 70, false });
    cr_assert_str_eq(ask(4096, 4096, "H200").answer->fingerprint.device, "NVIDIA A100",
                     "the same shape first");
    cr_assert_str_eq(ask_on(4096, 4064, "H200", 90).answer->fingerprint.device, "NVIDIA H100", "the same cc");
    cr_assert_str_eq(ask_on(4096, 4064, "H200", 75).answer->fingerprint.device, "NVIDIA V100", "the nearest");
}

Test(lookup, an_answer_for_one_target_is_not_given_to_another)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put_row(w.store, (row){ "4096x2048", "tile_rows", TILE_ROWS, "NVIDIA A100", NULL, 80, false });
    cr_assert_str_eq(ask_on(1024, 1024, "H200", 90).answer->shape, "4096x4096");
    cr_assert_str_eq(ask_on(1024, 1024, "A100", 80).answer->shape, "4096x2048");
    cr_assert_eq(ask_on(1024, 1024, "T4", 80).match, ATX_MATCH_OTHER_DEVICE);
    cr_assert_str_eq(ask_on(1024, 1024, "T4", 80).answer->shape, "4096x2048");
    cr_assert_str_eq(ask_on(1024, 1024, "T4", 90).answer->shape, "4096x4096");
}

Test(lookup, what_is_remembered_is_what_was_found)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found first = ask(2048, 1024, "");
    atx_found again = ask(2048, 1024, "");
    cr_assert_eq(again.match, ATX_MATCH_NEAR);
    cr_assert_eq(again.t, first.t);
    cr_assert_eq(memcmp(&again.geometry, &first.geometry, sizeof first.geometry), 0);
    cr_assert_eq(memcmp(&again.config, &first.config, sizeof first.config), 0);
    cr_assert_str_eq(again.answer->shape, "4096x4096");
    for (int i = 1; i < 5000; i++) /* more than are remembered */
        cr_assert_eq(ask(i, 4096, "").geometry.grid[0], (i + 31) / 32 * 128);
}

Test(lookup, measured_cold_goes_before_measured_warm)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put_row(w.store, (row){ "4096x4096", "reg_vec", REG_VEC, "NVIDIA H200", NULL, 0, true });
    put_row(w.store, (row){ "64x64", "tile_rows", TILE_ROWS, "NVIDIA H200", NULL, 0, true });
    cr_assert_str_eq(ask(4096, 4096, "").t->name, "tile_rows");
    cr_assert_eq(ask(64, 64, "").match, ATX_MATCH_EXACT, "warm where there is nothing else");
}

/* Of two models whose names have what is asked for. */
Test(lookup, measured_cold_goes_before_measured_warm_on_another_model)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put_row(w.store, (row){ "4096x4096", "reg_vec", REG_VEC, "NVIDIA H200 NVL", NULL, 0, true });
    cr_assert_str_eq(ask(4096, 4096, "nvidia h200").t->name, "tile_rows");
}

Test(lookup, ops_and_element_sizes_are_not_mixed)
{
    const atx_target any = { .name = "" };
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found f = ask_as("transpose", ATX_F64, (int64_t[]){ 4096, 4096 }, 2, &any);
    cr_assert_eq(f.match, ATX_MATCH_NONE);
    cr_assert(strstr(f.why, "8-byte elements"), "%s", f.why);
    cr_assert(strstr(f.why, "autotune tune transpose 4096x4096 f64"), "%s", f.why);
    cr_assert_eq(ask_as("transpose", ATX_I32, (int64_t[]){ 4096, 4096 }, 2, &any).match, ATX_MATCH_EXACT);
    cr_assert_eq(ask_as("copy", ATX_F32, (int64_t[]){ 4096, 4096 }, 2, NULL).match, ATX_MATCH_NONE);
}

Test(lookup, a_long_row_is_not_near_a_square)
{
    put("2048x2048", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("4x1048576", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(1, 4194304, "").answer->shape, "4x1048576", "the same number of elements");
}

/* ---- declared by the op: `near` ---- */
