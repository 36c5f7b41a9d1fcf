/* test_model.c - what a model learns of trials, and what becomes of its file. */
#include "model_support.h"

#include "lang/arch.h"
#include "model/grow.h"
#include "model/learn_rows.h"
#include "model/model.h"
#include "model/model_internal.h"
#include "util/rng.h"

TestSuite(model, .init = begin, .fini = end);

static atx_model *learn(const atx_model *before)
{
    at_error err = { 0 };
    atx_model *m = NULL;
    cr_assert_eq(atx_model_learn(&m, w.catalog, &(atx_training_data){ &w.store, 1, before, 0 }, NULL, &err),
                 AT_OK, "%s", err.text);
    return m;
}

static const atx_op *transpose(void)
{
    return atx_catalog_find_op(w.catalog, "transpose");
}

static atx_problem problem_of(int64_t *slots, int64_t rows, int64_t cols)
{
    at_error err = { 0 };
    atx_problem p;
    atx_limits limits;
    atx_arch_limits(&limits, 90);
    limits.sms = 132;
    cr_assert_eq(atx_problem_init(&p, transpose(), ATX_F32, (int64_t[]){ rows, cols }, 2, &err), AT_OK);
    cr_assert_eq(atx_problem_bind(slots, &p, &limits, &err), AT_OK, "%s", err.text);
    return p;
}

static atx_guess guess_on(const atx_model *m, const char *device, int64_t rows, int64_t cols)
{
    at_error err = { 0 };
    atx_predictor *p = NULL;
    atx_guess g;
    bool own = false;
    int64_t slots[ATX_MAX_SLOTS];
    atx_problem problem = problem_of(slots, rows, cols);
    cr_assert_eq(
        atx_predictor_open(&p, m, w.catalog, transpose(), &(atx_gpu_model){ .name = device }, &own, &err),
        AT_OK, "%s", err.text);
    cr_assert(own);
    cr_assert_eq(atx_predictor_best(&g, p, &problem, slots, &err), AT_OK, "%s", err.text);
    atx_predictor_close(p);
    return g;
}

static atx_guess guess_of(const atx_model *m, int64_t rows, int64_t cols)
{
    return guess_on(m, "NVIDIA H200", rows, cols);
}

static void expect_law(const atx_model *m, int64_t rows, int64_t cols)
{
    atx_str text = { 0 };
    atx_guess g = guess_of(m, rows, cols);
    atx_config_text(&text, g.t, &g.config);
    cr_assert(strstr(atx_str_text(&text), best_tile(cols)), "%lld columns: %s", (long long)cols,
              atx_str_text(&text));
    cr_assert(strstr(atx_str_text(&text), "BLOCK_ROWS=8"), "%s", atx_str_text(&text));
    atx_str_clear(&text);
}

Test(model, names_what_a_law_of_alignment_says_for_problems_that_it_never_saw)
{
    put_training_samples();
    atx_model *m = learn(NULL);
    cr_assert_not_null(m);
    expect_law(m, 1500, 1536);
    expect_law(m, 1500, 1531);
    expect_law(m, 800, 3200);
    expect_law(m, 800, 3205);
    atx_model_close(m);
}

Test(model, expects_about_the_time_that_the_law_gives)
{
    put_training_samples();
    atx_model *m = learn(NULL);
    atx_guess g = guess_of(m, 1500, 1536);
    double law = law_s(1500, 1536, 64, 8, 0);
    cr_assert(g.time_s > 0.7 * law && g.time_s < 1.4 * law, "%g, and not %g", g.time_s, law);
    cr_assert(g.expected_loss >= 0 && g.expected_loss < 0.5, "%g", g.expected_loss);
    atx_model_close(m);
}

static void put_h100(int problems, int least_tile, int best_rows)
{
    put_training_samples();
    for (int64_t i = 0; i < problems; i++)
        put_tiles_on("NVIDIA H100", 500 + 300 * i, 512 + 160 * i, least_tile, 64, best_rows);
}

static void expect_on_h100(int64_t rows, int64_t cols, const char *part)
{
    atx_str text = { 0 };
    atx_model *m = learn(NULL);
    atx_guess g = guess_on(m, "NVIDIA H100", rows, cols);
    atx_config_text(&text, g.t, &g.config);
    cr_assert(strstr(atx_str_text(&text), part), "%s", atx_str_text(&text));
    atx_str_clear(&text);
    atx_model_close(m);
}

static atx_training_samples training_samples_on(const atx_model *m, const char *device)
{
    atx_training_samples found = { .device = "" };
    for (int i = 0; strcmp(found.device, device) != 0; i++)
        cr_assert(atx_model_of_op(&found, m, i), "nothing of %s", device);
    return found;
}

/* On this one only tiles of 64 were tried, of which one configuration is best. */
Test(model, device_that_another_knows_more_of_also_chooses_from_what_was_only_tried_there)
{
    put_h100(14, 64, 8);
    atx_model *m = learn(NULL);
    atx_training_samples here = training_samples_on(m, "NVIDIA H100");
    cr_assert_eq(here.candidates, 2, "%d", (int)here.candidates);
    cr_assert_eq(here.trials, 14 * 8);
    cr_assert_eq(here.problems, 14);
    atx_model_close(m);
}

/* The same, where the other knows less: it has 120 trials beside 160. */
Test(model, device_that_knows_more_than_another_also_chooses_from_what_was_only_tried_there)
{
    for (int64_t i = 0; i < 20; i++)
        put_tiles(500 + 300 * i, 512 + 160 * i, 64, 64);
    for (int64_t i = 0; i < 5; i++)
        put_tiles_on("NVIDIA H100", 700 + 300 * i, 511 + 160 * i, 16, 64, 8);
    atx_model *m = learn(NULL);
    atx_training_samples here = training_samples_on(m, "NVIDIA H200");
    cr_assert_eq(here.candidates, 2, "%d", (int)here.candidates);
    cr_assert_eq(here.trials, 20 * 8);
    cr_assert_eq(here.problems, 20);
    atx_model_close(m);
}

Test(model, trials_of_another_device_do_not_go_before_its_own)
{
    put_h100(8, 16, 2);
    expect_on_h100(1500, 1536, "TILE=64 BLOCK_ROWS=2");
}

Test(model, trial_that_was_disturbed_does_not_make_all_answers_doubtful)
{
    put_training_samples();
    put_trial("2048x4096", "tile_rows", "TILE=64 BLOCK_ROWS=8 PAD=0 UNROLL=yes ORDER=in_fast",
              100 * law_s(2048, 4096, 64, 8, 0));
    atx_model *m = learn(NULL);
    atx_training_samples training_samples;
    cr_assert(atx_model_of_op(&training_samples, m, 0));
    cr_assert(training_samples.expected_loss > 0.02 && training_samples.expected_loss < 0.3, "%g",
              training_samples.expected_loss);
    atx_model_close(m);
}

/* Rows that a feature says all about, and noise beside it. */
static int trees_of(double noise)
{
    enum { ROWS = 400 };
    static uint8_t bins[ROWS], used[ROWS];
    static float weights[ROWS], left[ROWS];
    at_error err = { 0 };
    atx_rng rng = { .state = 1 };
    atx_forest forest = { .count = 0 };
    const atx_training_set training_set = { .bins = bins,
                                            .rows = ROWS,
                                            .features = 1,
                                            .bin_counts = (int[]){ 98 },
                                            .weights = weights,
                                            .left = left,
                                            .used = used };
    const atx_growth growth = { .trees = 200,
                                .leaves = ATX_MAX_LEAVES,
                                .rate = 0.1,
                                .least_weight = 1,
                                .feature_share = 1,
                                .validated = true };
    for (int i = 0; i < ROWS; i++) {
        bins[i] = (uint8_t)(1 + i % 97);
        used[i] = i % 4 != 0;
        weights[i] = 1;
        left[i] = (float)(bins[i] / 97.0 + noise * ((double)atx_rng_below(&rng, 1000) / 500 - 1));
    }
    cr_assert_eq(atx_forest_grow(&forest, &training_set, &growth, &rng, &err), AT_OK, "%s", err.text);
    const int count = forest.count;
    atx_forest_clear(&forest);
    return count;
}

Test(model, grows_no_more_trees_when_they_help_no_longer_where_they_did_not_learn)
{
    int noisy = trees_of(0.5), clear = trees_of(0);
    cr_assert(noisy < 60, "%d", noisy);
    cr_assert(clear > noisy, "%d and %d", clear, noisy);
}

/* Eight rows of each group, of which a feature takes away half; the offsets of groups follow none. Returns
 * what the trees say that the feature makes. */
static double learned_difference(bool grouped)
{
    enum { GROUPS = 12, EACH = 8, ALL = GROUPS * EACH };
    static const int OFFSETS[GROUPS] = { 0, 9, 3, 8, 0, 7, 9, 0, 8, 1, 9, 0 };
    static uint8_t bins[ALL][2], used[ALL];
    static float weights[ALL], left[ALL];
    static int groups[ALL];
    at_error err = { 0 };
    atx_rng rng = { .state = 1 };
    atx_forest forest = { .count = 0 };
    const atx_training_set training_set = { .bins = &bins[0][0],
                                            .rows = ALL,
                                            .features = 2,
                                            .bin_counts = (int[]){ 3, GROUPS + 1 },
                                            .weights = weights,
                                            .left = left,
                                            .used = used,
                                            .groups = grouped ? groups : NULL,
                                            .group_count = GROUPS };
    const atx_growth growth = {
        .trees = 60, .leaves = 2, .rate = 0.2, .least_weight = 1, .calm = 1, .feature_share = 1
    };
    for (int i = 0; i < ALL; i++) {
        groups[i] = i / EACH;
        bins[i][0] = (uint8_t)(1 + (i + i / EACH) % EACH / (EACH / 2));
        bins[i][1] = (uint8_t)(1 + groups[i]);
        used[i] = 1;
        weights[i] = 1;
        left[i] = (float)(0.5 * bins[i][0] + OFFSETS[groups[i]]);
    }
    cr_assert_eq(atx_forest_grow(&forest, &training_set, &growth, &rng, &err), AT_OK, "%s", err.text);
    const uint8_t low[] = { 1, 3 }, high[] = { 2, 3 };
    const double difference = (double)(atx_forest_sum(&forest, 0, forest.count, high) -
                                       atx_forest_sum(&forest, 0, forest.count, low));
    atx_forest_clear(&forest);
    return difference / ATX_LEAF_UNIT;
}

/* Without groups, all trees go to the offsets. */
Test(model, learns_what_differs_within_groups_before_what_groups_differ_by)
{
    cr_expect_float_eq(learned_difference(true), 0.5, 0.05, "%g", learned_difference(true));
    cr_expect_lt(learned_difference(false), 0.3, "%g", learned_difference(false));
}

/* Three rows of many features: a quarter is the same in all, another quarter only the second row has. */
enum { MANY = 400, ROWS = 3 };

static void name_many(char (*names)[ATX_MAX_NAME], float *numbers)
{
    for (int k = 0; k < MANY; k++) {
        const char *kind = k % 4 == 0 ? "alike" : k % 4 == 1 ? "of one row" : "differs";
        snprintf(names[k], ATX_MAX_NAME, "%s %d", kind, k);
        for (int r = 0; r < ROWS; r++)
            numbers[r * MANY + k] = k % 4 == 0             ? (float)k
                                    : k % 4 == 1 && r != 1 ? NAN
                                                           : (float)(k + 1000 * r);
    }
}

Test(model, looks_at_features_that_differ_before_those_that_do_not)
{
    static atx_op_model part;
    static char names[MANY][ATX_MAX_NAME];
    static float numbers[ROWS * MANY];
    atx_group g = {
        .known = &part, .names = names, .name_count = MANY, .numbers = numbers, .row_count = ROWS
    };
    int differ = 0, of_one_row = 0;
    name_many(names, numbers);
    atx_choose_features(&g);
    cr_expect_eq(part.feature_count, ATX_MAX_SEEN, "%d features", part.feature_count);
    for (int k = 0; k < part.feature_count; k++) {
        int from = atoi(strpbrk(part.names[k], "0123456789"));
        differ += from % 4 >= 2;
        of_one_row += from % 4 == 1;
        cr_expect_neq(from % 4, 0, "%s is among them", part.names[k]);
        cr_expect_eq(numbers[part.feature_count + k], (float)(from + 1000), "%s has another's number",
                     part.names[k]);
    }
    cr_expect_eq(differ, MANY / 2, "%d of %d that differ", differ, MANY / 2);
    cr_expect_eq(of_one_row, ATX_MAX_SEEN - MANY / 2, "%d of one row", of_one_row);
}

static double fastest_of(const atx_samples *s, int problem)
{
    double best = INFINITY;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].problem == problem)
            best = fmin(best, s->items[i].seconds);
    return best;
}

Test(model, of_too_many_trials_each_problem_keeps_its_fastest_and_some_of_the_others)
{
    at_error err = { 0 };
    atx_samples all = { 0 }, few = { 0 };
    put_training_samples();
    cr_assert_eq(atx_samples_read(&all, w.store, w.catalog, ATX_MOST_SAMPLES, &err), AT_OK, "%s", err.text);
    cr_assert_gt(all.count, 20 * all.problem_count);
    cr_assert_eq(atx_samples_read(&few, w.store, w.catalog, 20 * all.problem_count, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(few.count, 20 * all.problem_count);
    cr_assert_eq(few.problem_count, all.problem_count);
    for (int i = 0; i < (int)all.problem_count; i++)
        cr_assert_float_eq(fastest_of(&few, i), fastest_of(&all, i), 0);
    cr_assert_lt(few.items[19].seconds, 1.01 * all.items[all.count / all.problem_count - 1].seconds);
    cr_assert_gt(few.items[19].seconds, few.items[9].seconds);
    atx_samples_clear(&few);
    atx_samples_clear(&all);
}

Test(model, learns_nothing_from_few_problems)
{
    put_law(512, 512);
    put_law(1000, 961);
    cr_assert_null(learn(NULL));
}

/* reg_vec is faster than the best tiles on half of the problems and slower on the others, for no reason. */
static void put_rivals(void)
{
    static const char *const OTHERS[] = { "SQUARE=4 BLOCK_X=8 BLOCK_Y=32 SQUARES=1 ORDER=in_fast",
                                          "SQUARE=4 BLOCK_X=8 BLOCK_Y=32 SQUARES=1 ORDER=out_fast",
                                          "SQUARE=4 BLOCK_X=8 BLOCK_Y=16 SQUARES=1 ORDER=in_fast",
                                          "SQUARE=4 BLOCK_X=8 BLOCK_Y=16 SQUARES=1 ORDER=out_fast" };
    for (int64_t i = 0; i < 24; i++) {
        static const int FASTER[24] = {
            1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1
        };
        char shape[64];
        int64_t rows = 512 + 64 * i, cols = 1024 + 128 * (i % 5);
        put_law(rows, cols);
        snprintf(shape, sizeof shape, "%lldx%lld", (long long)rows, (long long)cols);
        for (int k = 0; k < 4; k++)
            put_trial(shape, "reg_vec", OTHERS[k], law_s(rows, cols, 64, 8, 0) * (FASTER[i] ? 0.96 : 1.04));
    }
}

Test(model, names_another_template_that_may_be_as_good_before_more_of_the_same)
{
    at_error err = { 0 };
    atx_predictor *p = NULL;
    atx_guess top[3];
    int count = 0;
    bool own = false;
    int64_t slots[ATX_MAX_SLOTS];
    put_rivals();
    atx_model *m = learn(NULL);
    atx_problem problem = problem_of(slots, 1500, 1536);
    cr_assert_eq(atx_predictor_open(&p, m, w.catalog, transpose(), &(atx_gpu_model){ .name = "NVIDIA H200" },
                                    &own, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_predictor_top(top, &count, 3, p, &problem, slots, &err), AT_OK, "%s", err.text);
    cr_assert_eq(count, 3);
    cr_assert_neq(top[0].t, top[1].t, "%s twice: %g and %g, expected loss %g", top[0].t->name, top[0].slower,
                  top[1].slower, top[0].expected_loss);
    cr_assert(top[1].slower >= top[0].slower && top[1].slower <= top[0].slower + top[0].expected_loss + 0.01,
              "%g after %g, expected loss %g", top[1].slower, top[0].slower, top[0].expected_loss);
    atx_predictor_close(p);
    atx_model_close(m);
}

static void pack(atx_str *out, const atx_model *m)
{
    at_error err = { 0 };
    cr_assert_eq(atx_model_pack(out, m, &err), AT_OK, "%s", err.text);
}

/* The time of learning is the only other thing in it. */
Test(model, is_the_same_for_the_same_trials)
{
    atx_str a = { 0 }, b = { 0 };
    put_training_samples();
    atx_model *m = learn(NULL), *n = learn(NULL);
    atx_guess g = guess_of(m, 1500, 1531), h = guess_of(n, 1500, 1531);
    cr_assert(memcmp(&g.config, &h.config, sizeof g.config) == 0 && g.time_s == h.time_s);
    pack(&a, m);
    pack(&b, n);
    cr_assert_eq(a.len, b.len);
    atx_str_clear(&a);
    atx_str_clear(&b);
    atx_model_close(m);
    atx_model_close(n);
}

Test(model, packed_and_unpacked_says_the_same)
{
    at_error err = { 0 };
    atx_str bytes = { 0 }, again = { 0 };
    atx_model *n = NULL;
    put_training_samples();
    atx_model *m = learn(NULL);
    pack(&bytes, m);
    cr_assert_eq(atx_model_unpack(&n, bytes.data, bytes.len, &err), AT_OK, "%s", err.text);
    pack(&again, n);
    cr_assert(again.len == bytes.len && memcmp(again.data, bytes.data, bytes.len) == 0);
    atx_guess g = guess_of(m, 1500, 1531), h = guess_of(n, 1500, 1531);
    cr_assert(memcmp(&g.config, &h.config, sizeof g.config) == 0);
    atx_str_clear(&bytes);
    atx_str_clear(&again);
    atx_model_close(m);
    atx_model_close(n);
}

/* The checksum made right again, so that the reader itself has to notice. */
static void sign(atx_str *bytes)
{
    char hash[ATX_HASH_TEXT];
    atx_hash_text(hash, bytes->data, bytes->len - 64);
    memcpy(bytes->data + bytes->len - 64, hash, 64);
}

Test(model, a_damaged_file_is_refused_or_harmless)
{
    atx_str bytes = { 0 };
    atx_rng rng = { 7 };
    put_training_samples();
    atx_model *m = learn(NULL), *n = NULL;
    pack(&bytes, m);
    for (size_t len = 0; len < bytes.len; len += 1 + bytes.len / 97)
        cr_assert_eq(atx_model_unpack(&n, bytes.data, len, NULL), AT_ERR_INPUT, "cut off after %zu", len);
    for (int i = 0; i < 400; i++) {
        size_t at = 8 + (size_t)atx_rng_below(&rng, bytes.len - 72);
        char was = bytes.data[at];
        bytes.data[at] = (char)(was + 1 + (char)atx_rng_below(&rng, 255));
        if (bytes.data[at] != was)
            cr_assert_eq(atx_model_unpack(&n, bytes.data, bytes.len, NULL), AT_ERR_INPUT, "byte %zu", at);
        sign(&bytes);
        atx_predictor *p = NULL;
        atx_guess g;
        bool own;
        int64_t slots[ATX_MAX_SLOTS];
        atx_problem problem = problem_of(slots, 1500, 1531);
        if (atx_model_unpack(&n, bytes.data, bytes.len, NULL) == AT_OK) {
            if (atx_predictor_open(&p, n, w.catalog, transpose(), &(atx_gpu_model){ .name = "" }, &own,
                                   NULL) == AT_OK &&
                atx_predictor_best(&g, p, &problem, slots, NULL) == AT_OK)
                cr_assert_eq(atx_config_validate(slots, g.t, &g.config, NULL), AT_OK);
            atx_predictor_close(p);
            atx_model_close(n);
        }
        bytes.data[at] = was;
        sign(&bytes);
    }
    atx_str_clear(&bytes);
    atx_model_close(m);
}

/* Some operations on many devices: their number would be cut, and the file stand where a good one was. */
Test(model, one_of_more_parts_than_a_file_can_tell_is_not_written)
{
    at_error err = { 0 };
    atx_str bytes = { 0 };
    atx_model m = { .count = 256, .ops = calloc(256, sizeof *m.ops) };
    cr_assert(m.ops);
    cr_assert_eq(atx_model_pack(&bytes, &m, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "found 256 operations") && strstr(err.text, "at most 255"), "%s", err.text);
    m.count = 255;
    cr_assert_eq(atx_model_pack(&bytes, &m, &err), AT_OK, "%s", err.text);
    atx_str_clear(&bytes);
    free(m.ops);
}

Test(model, a_file_that_is_not_there_is_told_from_one_that_is_none)
{
    atx_model *m = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_model_read(&m, "/tmp/no such model", &err), AT_ERR_NOT_FOUND);
    cr_assert_eq(atx_model_read(&m, w.path, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, w.path) && strstr(err.text, "autotune learn"), "%s", err.text);
}

/* Half as many again, and no fewer than a hundred. */
Test(model, is_renewed_when_enough_is_new)
{
    at_error err = { 0 };
    int64_t newest = 0;
    cr_assert_eq(atx_store_newest_trial(&newest, w.store, &err), AT_OK, "%s", err.text);
    cr_assert_eq(newest, 0);
    cr_assert_eq(atx_model_is_behind(NULL, 99), 0);
    cr_assert_eq(atx_model_is_behind(NULL, 100), 100);
    put_training_samples();
    cr_assert_eq(atx_store_newest_trial(&newest, w.store, &err), AT_OK, "%s", err.text);
    cr_assert_eq(newest, 288);
    atx_model *m = learn(NULL);
    cr_assert_eq(atx_model_is_behind(m, 288), 0);
    cr_assert_eq(atx_model_is_behind(m, 288 + 143), 0, "less than half");
    cr_assert_eq(atx_model_is_behind(m, 288 + 144), 144);
    cr_assert_eq(atx_model_is_behind(m, 150), 150, "another database is where the old one was");
    atx_model_close(m);
}

Test(model, remembers_in_its_file_how_far_it_has_read_and_who_wanted_it_so)
{
    at_error err = { 0 };
    atx_model *n = NULL;
    atx_str bytes = { 0 };
    put_training_samples();
    atx_model *m = learn(NULL);
    cr_assert_not(atx_model_is_kept(m));
    atx_model_keep(m);
    pack(&bytes, m);
    cr_assert_eq(atx_model_unpack(&n, bytes.data, bytes.len, &err), AT_OK, "%s", err.text);
    cr_assert(atx_model_is_kept(n));
    cr_assert_eq(atx_model_is_behind(n, 288 + 143), 0);
    cr_assert_eq(atx_model_is_behind(n, 288 + 144), 144);
    atx_str_clear(&bytes);
    atx_model_close(m);
    atx_model_close(n);
}

/* Made of other databases, before its own one has a trial. */
Test(model, remembers_who_wanted_it_so_also_where_its_own_store_is_empty)
{
    at_error err = { 0 };
    atx_model *m = NULL, *n = NULL;
    atx_str bytes = { 0 };
    atx_store *own = NULL;
    char path[80];
    put_training_samples();
    snprintf(path, sizeof path, "%s-own", w.path);
    cr_assert_eq(atx_store_open(&own, path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    atx_store *const stores[] = { own, w.store };
    cr_assert_eq(atx_model_learn(&m, w.catalog, &(atx_training_data){ stores, 2, NULL, 0 }, NULL, &err),
                 AT_OK, "%s", err.text);
    atx_model_keep(m);
    pack(&bytes, m);
    cr_assert_eq(atx_model_unpack(&n, bytes.data, bytes.len, &err), AT_OK, "%s", err.text);
    cr_assert(atx_model_is_kept(n));
    cr_assert_eq(atx_model_newest(n), 0);
    atx_str_clear(&bytes);
    atx_model_close(m);
    atx_model_close(n);
    atx_store_close(own);
    unlink(path);
}

/* At whatever moment: the flag is there from the start, or rises after so many looks at it. */
static int looks;
static atomic_int ended;

static void count_look(void *context)
{
    int *left = context;
    looks++;
    if (--*left == 0)
        ended = 1;
}

Test(model, learning_ends_when_it_is_asked_to)
{
    at_error err = { 0 };
    put_training_samples();
    for (int after = 1; after < 400; after = after * 3) {
        int left = after;
        atx_model *m = NULL;
        atx_cancel cancel = { .flag = &ended, .tick = count_look, .context = &left };
        ended = 0;
        looks = 0;
        cr_assert_eq(
            atx_model_learn(&m, w.catalog, &(atx_training_data){ &w.store, 1, NULL, 0 }, &cancel, &err),
            AT_ERR_CANCELLED, "after %d looks", after);
        cr_assert(!m && looks <= after + 1, "%d looks after %d", looks, after);
    }
}

/* The second store has only tried tiles of 32. */
Test(model, that_begins_with_another_keeps_what_that_knew)
{
    at_error err = { 0 };
    put_training_samples();
    atx_model *first = learn(NULL);
    atx_store_close(w.store);
    unlink(w.path);
    cr_assert_eq(atx_store_open(&w.store, w.path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    for (int64_t i = 0; i < 14; i++)
        put_tiles(700 + 64 * i, 900 + 33 * i, 32, 32);
    atx_model *second = learn(first);
    expect_law(first, 1500, 1531);
    expect_law(second, 1500, 1536);
    expect_law(second, 1500, 1531);
    atx_model_close(first);
    atx_model_close(second);
}
