/* test_lookup_device.c - which device a name or number means. */
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

TestSuite(lookup_device, .init = begin_here, .fini = end_here);

static at_status mean(atx_target *out, at_error *err, const char *name, int64_t cc, bool with_shipped)
{
    atx_target asked = { .cc = cc };
    snprintf(asked.name, sizeof asked.name, "%s", name);
    return atx_lookup_device(out, &asked, w.store, with_shipped, err);
}

static void expect_device(const char *written, const char *meant)
{
    atx_target t;
    at_error err = { 0 };
    cr_assert_eq(mean(&t, &err, written, 0, true), AT_OK, "%s: %s", written, err.text);
    cr_expect_str_eq(t.name, meant, "%s", written);
    cr_expect(t.full);
}

static void expect_refusal(const char *written, const char *part)
{
    atx_target t;
    at_error err = { 0 };
    cr_expect_eq(mean(&t, &err, written, 0, true), AT_ERR_USAGE, "%s", written);
    cr_expect(strstr(err.text, part), "%s: %s", written, err.text);
}

Test(lookup_device, whole_words_of_one_name_mean_that_device)
{
    expect_device("NVIDIA H200", "NVIDIA H200");
    expect_device("nvidia h200", "NVIDIA H200");
    expect_device("H200", "NVIDIA H200");
    expect_device("h100", "NVIDIA H100 80GB HBM3");
    expect_device("H100 80GB", "NVIDIA H100 80GB HBM3");
    expect_device("hbm3", "NVIDIA H100 80GB HBM3");
}

Test(lookup_device, a_part_of_a_word_means_nothing_and_the_names_are_listed)
{
    static const char *const PARTS[] = { "H20", "0", "200", "VIDIA H200", "H", "80GB HBM", "-", " " };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        expect_refusal(PARTS[i], "'NVIDIA H100 80GB HBM3', 'NVIDIA H200'");
}

Test(lookup_device, words_of_several_names_are_refused_and_these_are_listed)
{
    expect_refusal("nvidia", "one of 'NVIDIA H100 80GB HBM3', 'NVIDIA H200'");
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H100 PCIe");
    expect_refusal("H100", "one of 'NVIDIA H100 PCIe', 'NVIDIA H100 80GB HBM3'");
    expect_device("PCIe", "NVIDIA H100 PCIe");
}

Test(lookup_device, a_name_in_full_goes_before_words_of_longer_ones)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200 NVL");
    expect_device("NVIDIA H200", "NVIDIA H200");
    expect_refusal("H200", "one of 'NVIDIA H200 NVL', 'NVIDIA H200'");
}

Test(lookup_device, a_gpu_that_nobody_measured_is_named_in_full)
{
    atx_target t;
    at_error err = { 0 };
    expect_device("tesla t4", "Tesla T4");
    expect_device("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
    expect_refusal("T4", "is named in full: 'Tesla T4'");
    expect_refusal("H20", "is named in full: 'NVIDIA H20'");
    cr_assert_eq(mean(&t, &err, "Tesla T4", 0, true), AT_OK);
    cr_expect_eq(t.cc, 75);
    cr_expect_eq(t.sms, 40);
}

/* Of a program that knows its GPU. */
Test(lookup_device, a_name_that_nobody_knows_is_taken_where_its_compute_capability_is_given)
{
    atx_target t;
    at_error err = { 0 };
    expect_refusal("Some GPU", "found 'Some GPU'");
    cr_assert_eq(mean(&t, &err, "Some GPU", 86, true), AT_OK, "%s", err.text);
    cr_expect_str_eq(t.name, "Some GPU");
}

Test(lookup_device, a_replay_is_meant_where_that_is_written)
{
    atx_target t;
    at_error err = { 0 };
    put("4096x4096", "tile_rows", TILE_ROWS, "replay of NVIDIA A100");
    cr_assert_eq(mean(&t, &err, "replay", 0, false), AT_OK, "%s", err.text);
    cr_expect_str_eq(t.name, "replay of NVIDIA A100");
    cr_assert_eq(mean(&t, &err, "A100", 0, false), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "'replay of NVIDIA A100'"), "%s", err.text);
}

/* `learn --db` takes other databases in. */
Test(lookup_device, what_only_the_users_model_knows_has_a_name_too)
{
    at_error err = { 0 };
    atx_model *m = NULL;
    for (int i = 0; i < 10; i++)
        put_tiles_on("Somebody's GPU", 512 + 64 * i, 512, 16, 64, 8);
    cr_assert_eq(atx_model_learn(&m, w.catalog, &(atx_training_data){ &w.store, 1, NULL, 0 }, NULL, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_model_write(m, model_path, &err), AT_OK, "%s", err.text);
    atx_model_close(m);
    cr_assert_eq(sqlite3_exec(w.store->db, "PRAGMA foreign_keys = OFF; UPDATE device SET name = 'Another'",
                              NULL, NULL, NULL),
                 SQLITE_OK);
    expect_device("somebody's", "Somebody's GPU");
}

Test(lookup_device, where_nothing_is_known_of_any_device_that_is_said)
{
    atx_target t;
    at_error err = { 0 };
    cr_assert_eq(mean(&t, &err, "GPU", 0, false), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "nothing is stored of any device"), "%s", err.text);
}

Test(lookup_device, an_answer_is_that_of_the_device_that_is_meant)
{
    put("100x100", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("100x100", "tile_rows", TILE_ROWS, "NVIDIA H20");
    atx_found f = ask(100, 100, "H20");
    cr_expect_str_eq(f.answer->fingerprint.device, "NVIDIA H20");
    cr_expect_eq(f.match, ATX_MATCH_EXACT);
    put("100x100", "tile_rows", TILE_ROWS, "NVIDIA H20 96GB"); /* named as soon as it is there */
    atx_lookup_look_again(w.lookup);
    cr_expect_str_eq(ask(100, 100, "96GB").answer->fingerprint.device, "NVIDIA H20 96GB");
}
