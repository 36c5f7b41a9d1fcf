/* test_lookup_predict.c - when a model's answer is given, and what stands in where none can be. */
#include "model_support.h"

#include "model/model.h"

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

TestSuite(lookup_predict, .init = begin_here, .fini = end_here);

static void write_model(void)
{
    at_error err = { 0 };
    atx_model *m = NULL;
    put_training_samples();
    cr_assert_eq(atx_model_learn(&m, w.catalog, &(atx_training_data){ &w.store, 1, NULL, 0 }, NULL, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_model_write(m, model_path, &err), AT_OK, "%s", err.text);
    atx_model_close(m);
}

/* A winner far from all that is asked, and slow by the law. */
static void put_far_winner(void)
{
    put("64x64", "tile_rows", TILE_ROWS, "NVIDIA H200");
}

Test(lookup_predict, a_model_answers_for_a_shape_that_was_never_tuned)
{
    write_model();
    put_far_winner();
    atx_found f = ask(1500, 1536, "H200");
    cr_assert_eq(f.match, ATX_MATCH_PREDICTED, "%s", f.why);
    cr_assert(strstr(f.answer->winner.config, "TILE=64 BLOCK_ROWS=8"), "%s", f.answer->winner.config);
    cr_assert_str_eq(f.answer->shape, "1500x1536");
    cr_assert_str_eq(f.answer->fingerprint.device, "NVIDIA H200");
    cr_assert(f.expected_s > 0 && f.expected_loss >= 0);
    cr_assert_eq(f.answer->winner.timing.median_s, 0, "nothing was measured");
    cr_assert_eq(f.geometry.grid[0], (1536 / 64) * 24);
    cr_assert(strstr(f.why, "288 trials of 12 problems on NVIDIA H200"), "%s", f.why);
    cr_assert_not(f.runner_up);
}

Test(lookup_predict, the_second_time_it_is_remembered)
{
    write_model();
    atx_found first = ask(1500, 1536, "H200");
    const atx_answer *answer = first.answer;
    atx_found again = ask(1500, 1536, "H200");
    cr_assert_eq(again.match, ATX_MATCH_PREDICTED);
    cr_assert_eq(again.answer, answer);
    cr_assert_eq(again.expected_s, first.expected_s);
}

Test(lookup_predict, a_winner_of_the_problem_goes_before_any_model)
{
    write_model();
    put("1500x1536", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_eq(ask(1500, 1536, "H200").match, ATX_MATCH_EXACT);
}

Test(lookup_predict, without_a_model_the_nearest_winner_answers)
{
    put_training_samples();
    put_far_winner();
    atx_found f = ask(1500, 1536, "H200");
    cr_assert_eq(f.match, ATX_MATCH_NEAR);
    cr_assert_eq(f.expected_s, 0);
}

Test(lookup_predict, a_near_winner_that_no_configuration_is_expected_to_beat_stays)
{
    write_model();
    atx_found f = ask(1500, 1536, "H200");
    char config[128];
    snprintf(config, sizeof config, "%s", f.answer->winner.config);
    put("1500x1568", "tile_rows", config, "NVIDIA H200");
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    f = ask(1500, 1536, "H200");
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    cr_assert_str_eq(f.answer->shape, "1500x1568");
    cr_assert(f.expected_s > 0, "what the model expects of it");
}

Test(lookup_predict, a_model_that_cannot_be_read_is_left_out_and_the_answer_says_so)
{
    put_far_winner();
    FILE *file = fopen(model_path, "w");
    fputs("no model", file);
    fclose(file);
    atx_found f = ask(1500, 1536, "H200");
    cr_assert_eq(f.match, ATX_MATCH_NEAR);
    cr_assert(strstr(f.why, "its model is left out"), "%s", f.why);
    cr_assert(strstr(f.why, "autotune learn"), "%s", f.why);
}

Test(lookup_predict, an_operation_that_the_model_does_not_know_gets_what_is_near)
{
    write_model();
    atx_target any = { .cc = 90 };
    atx_found f = ask_as("copy", ATX_F32, (int64_t[]){ 4096, 4096 }, 2, &any);
    cr_assert_eq(f.match, ATX_MATCH_NONE);
}

/* In the model's file: it knows this template only. */
static void make_template_another(void)
{
    at_error err = { 0 };
    atx_str bytes = { 0 };
    const atx_template *t =
        atx_catalog_find_template(w.catalog, atx_catalog_find_op(w.catalog, "transpose"), "tile_rows");
    cr_assert_eq(atx_str_read_file(&bytes, model_path, 1 << 24, &err), AT_OK);
    char *at = memmem(bytes.data, bytes.len, t->text.hash, 64), hash[ATX_HASH_TEXT];
    cr_assert_not_null(at);
    at[0] = at[0] == '0' ? '1' : '0';
    atx_hash_text(hash, bytes.data, bytes.len - 64);
    memcpy(bytes.data + bytes.len - 64, hash, 64);
    FILE *file = fopen(model_path, "wb");
    fwrite(bytes.data, 1, bytes.len, file);
    fclose(file);
    atx_str_clear(&bytes);
}

Test(lookup_predict, what_was_learned_of_a_template_that_has_changed_is_ignored)
{
    write_model();
    make_template_another();
    put_far_winner();
    cr_assert_eq(ask(1500, 1536, "H200").match, ATX_MATCH_NEAR);
}

Test(lookup_predict, on_another_device_a_near_winner_of_that_goes_before_the_model_of_this)
{
    write_model();
    put("1500x1600", "tile_rows", TILE_ROWS, "NVIDIA A100");
    cr_assert_eq(ask_on(1500, 1536, "A100", 80).match, ATX_MATCH_NEAR);
}

Test(lookup_predict, on_a_device_of_which_nothing_is_known_the_model_of_another_answers)
{
    write_model();
    atx_found f = ask_on(1500, 1536, "NVIDIA A100", 80);
    cr_assert(f.by_model && f.match == ATX_MATCH_OTHER_DEVICE, "%s", f.why);
    cr_assert(strstr(f.why, "on NVIDIA H200"), "%s", f.why);
    cr_assert_str_eq(f.answer->fingerprint.device, "NVIDIA H200");
    cr_assert_str_eq(f.device, "NVIDIA A100");
    cr_assert_eq(f.cc, 80);
}

/* ---- where a search begins ---- */

/* The expectations for 1500x1536, one text for all: its templates and configurations. */
static void expected_first(atx_str *out, int *count, const char *device)
{
    at_error err = { 0 };
    atx_problem p;
    atx_hint hints[ATX_MAX_EXPECTED];
    atx_target target = { .cc = 90, .sms = 132 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    snprintf(target.name, sizeof target.name, "%s", device);
    atx_lookup_close(w.lookup);
    cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 1500, 1536 }, 2, &err), AT_OK);
    *count = -1;
    cr_assert_eq(atx_lookup_expected(hints, count, ATX_MAX_EXPECTED, w.lookup, &p, &target, &err), AT_OK,
                 "%s", err.text);
    for (int i = 0; i < *count; i++) {
        atx_str_addf(out, "%s ", hints[i].t->name);
        atx_config_text(out, hints[i].t, &hints[i].config);
        atx_str_add(out, "\n");
    }
}

static int count_expected(void)
{
    atx_str text = { 0 };
    int count = 0;
    expected_first(&text, &count, "NVIDIA H200");
    atx_str_clear(&text);
    return count;
}

Test(lookup_predict, a_search_begins_with_the_few_that_a_model_expects_to_be_fastest)
{
    atx_str text = { 0 };
    int count = 0;
    write_model();
    expected_first(&text, &count, "NVIDIA H200");
    cr_assert_eq(count, ATX_MAX_EXPECTED);
    cr_assert_eq(strncmp(atx_str_text(&text), "tile_rows TILE=64 BLOCK_ROWS=8 ", 31), 0, "%s",
                 atx_str_text(&text));
    const char *second = strchr(atx_str_text(&text), '\n') + 1, *third = strchr(second, '\n') + 1;
    size_t first_len = (size_t)(second - atx_str_text(&text));
    cr_assert(strncmp(atx_str_text(&text), second, first_len) != 0 &&
                  strncmp(atx_str_text(&text), third, first_len) != 0 && strcmp(second, third) != 0,
              "%s", atx_str_text(&text));
    atx_str_clear(&text);
}

/* A trial costs little: nobody has to be as sure as an answer needs. */
Test(lookup_predict, a_search_on_another_device_begins_with_what_the_model_expects_too)
{
    atx_str text = { 0 };
    int count = 0;
    write_model();
    put("1500x1600", "tile_rows", TILE_ROWS, "NVIDIA A100");
    expected_first(&text, &count, "NVIDIA A100");
    cr_assert_eq(count, ATX_MAX_EXPECTED);
    atx_str_clear(&text);
}

Test(lookup_predict, a_search_without_a_model_or_with_a_damaged_one_begins_as_ever)
{
    cr_assert_eq(count_expected(), 0);
    FILE *file = fopen(model_path, "w");
    fputs("no model", file);
    fclose(file);
    cr_assert_eq(count_expected(), 0);
}

Test(lookup_predict, a_search_that_wants_no_model_begins_as_ever)
{
    write_model();
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    cr_assert_eq(count_expected(), 0);
}

Test(lookup_predict, a_search_whose_templates_have_changed_since_begins_as_ever)
{
    write_model();
    make_template_another();
    cr_assert_eq(count_expected(), 0);
}
