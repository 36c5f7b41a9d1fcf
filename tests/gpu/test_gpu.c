/*
 * test_gpu.c - the whole loop on a real device: right kernels are timed, wrong ones are caught, bad ones
 * cost a trial and not the run.
 *
 * AUTOTUNE_EXE names the program whose workers are used; AUTOTUNE_SOURCE the folder of this source tree when
 * it is not where it was built.
 */
#include "device.h"
#include "tune.h"
#include "util/clock.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *source_dir(void)
{
    const char *dir = getenv("AUTOTUNE_SOURCE");
    return dir ? dir : AT_SOURCE_DIR;
}

static void need_gpu(void)
{
    at_error err = { 0 };
    int count = 0;
    if (at__device_count(&count, NULL, &err) != AT_OK)
        cr_skip_test("no GPU: %s", err.text);
}

/* What a run said: outcomes of one problem by template, read back from its store. */
typedef struct record {
    int64_t outcomes[AT__OUTCOMES];
    at__outcome last_of[64];
    char names[64][AT__MAX_NAME];
    char logs[64][160];
    int count;
    int results, found;
    double share;
} record;

static bool note_trial(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    record *r = context;
    (void)fingerprint;
    r->outcomes[row->outcome]++;
    if (r->count < 64) {
        r->last_of[r->count] = row->outcome;
        snprintf(r->names[r->count], sizeof *r->names, "%s", row->template_name);
        snprintf(r->logs[r->count++], sizeof *r->logs, "%s %s", row->config, row->log);
    }
    return true;
}

static void note_result(void *context, const at__result *result)
{
    record *r = context;
    r->results++;
    r->found += result->found;
    if (!result->found)
        fprintf(stderr, "no winner: %s\n", result->why);
    else
        r->share = result->answer->winner.ceiling_s / result->answer->winner.median_s;
}

static void tune(record *r, const at__catalog *catalog, const at__problem *problem,
                 const char *const *templates, int template_count, int64_t max_trials)
{
    char db[] = "/tmp/autotune-test-XXXXXX";
    at_error err = { 0 };
    at__store *store = NULL;
    at__problem_key key;
    at__str shape = { 0 };
    static const char *const DEVICE = "0";
    at__tune_options options = { .devices = &DEVICE,
                                 .device_count = 1,
                                 .seed = 7,
                                 .strategy = &at__strategy_random,
                                 .max_trials = max_trials,
                                 .templates = templates,
                                 .template_count = template_count,
                                 .db_path = db };
    at__tune_events events = { .context = r, .result = note_result };

    close(mkstemp(db));
    cr_assert_eq(at__tune(problem, 1, catalog, &options, &events, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__store_open(&store, db, AT__STORE_READ, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__problem_key_of(&key, &shape, problem, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__store_each_trial(store, &key, NULL, note_trial, r, &err), AT_OK, "%s", err.text);
    at__store_close(store);
    at__str_clear(&shape);
    unlink(db);
}

static const struct {
    const char *name;
    at__outcome outcome;
    const char *says;
} FAULTS[] = {
    { "good", AT__TIMED, "" },
    { "wrong_one", AT__WRONG_RESULT, "element 500001" },
    { "unwritten", AT__WRONG_RESULT, "element 1000002" },
    { "writes_behind", AT__WRONG_RESULT, "behind" },
    { "writes_before", AT__WRONG_RESULT, "before" },
    { "writes_input", AT__WRONG_RESULT, "input" },
    { "race", AT__WRONG_RESULT, "differ from the reference" },
    { "unset_shared", AT__WRONG_RESULT, "differ from the reference" },
    { "accumulates", AT__WRONG_RESULT, "differ from the reference" },
    { "out_of_bounds", AT__CRASHED, "ILLEGAL_ADDRESS" },
    { "misaligned", AT__CRASHED, "MISALIGNED" },
    { "traps", AT__CRASHED, "" },
    { "forever", AT__TIMED_OUT, "did not end" },
    { "recursion", AT__CRASHED, "" },
    { "no_compile", AT__COMPILE_FAILED, "inn" },
    { "big_static", AT__COMPILE_FAILED, "too much shared data" },
    { "compiles_long", AT__COMPILE_FAILED, "took longer than" },
    { "big_block", AT__LAUNCH_FAILED, "INVALID_VALUE" },
    { "big_shared", AT__LAUNCH_FAILED, "INVALID_VALUE" },
    { "registers", AT__LAUNCH_FAILED, "LAUNCH_OUT_OF_RESOURCES" },
};
enum { FAULT_COUNT = sizeof FAULTS / sizeof *FAULTS };

Test(gpu, bad_kernels_cost_a_trial_and_not_the_run, .timeout = 300)
{
    at_error err = { 0 };
    at__catalog *catalog = NULL;
    at__problem problem;
    char dir[512];
    const char *names[FAULT_COUNT];
    static record r;

    need_gpu();
    snprintf(dir, sizeof dir, "%s/tests/data/faults", source_dir());
    cr_assert_eq(at__catalog_open(&catalog, dir, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < FAULT_COUNT; i++)
        names[i] = FAULTS[i].name;
    cr_assert_eq(at__problem_init(&problem, at__catalog_find_op(catalog, "copy"), AT__F32,
                                  (int64_t[]){ 1000003 }, 1, &err),
                 AT_OK, "%s", err.text);
    tune(&r, catalog, &problem, names, FAULT_COUNT, 0);
    cr_expect_eq(r.count, FAULT_COUNT);
    for (int i = 0; i < r.count; i++)
        for (int k = 0; k < FAULT_COUNT; k++)
            if (strcmp(r.names[i], FAULTS[k].name) == 0) {
                cr_expect_eq(r.last_of[i], FAULTS[k].outcome, "%s: expected %s, found %s (%s)",
                             FAULTS[k].name, at__outcome_name(FAULTS[k].outcome),
                             at__outcome_name(r.last_of[i]), r.logs[i]);
                cr_expect(strstr(r.logs[i], FAULTS[k].says), "%s: its log does not say '%s': %s",
                          FAULTS[k].name, FAULTS[k].says, r.logs[i]);
            }
    cr_expect_eq(r.found, 1, "the good kernel among the bad ones must win");
    at__catalog_close(catalog);
}

/* Each crash costs one or two of these; the figure is for whoever wonders where the time goes. */
Test(gpu, a_runner_starts_within_seconds, .timeout = 60)
{
    enum { STARTS = 5 };
    need_gpu();
    for (int i = 0; i < STARTS; i++) {
        at_error err = { 0 };
        at__device *device = NULL;
        double start_s = at__now_s();
        cr_assert_eq(at__device_open(&device, "0", NULL, &err), AT_OK, "%s", err.text);
        double opened_s = at__now_s();
        at__device_close(device);
        fprintf(stderr, "runner: started in %.3f s, ended in %.3f s\n", opened_s - start_s,
                at__now_s() - opened_s);
        cr_expect_lt(opened_s - start_s, 10);
    }
}

static const struct {
    int64_t sizes[3];
    int count;
    int64_t aligns[2]; /* at least an element's bytes; 0: full */
} SHAPES[] = {
    { { 1, 1 }, 2, { 0 } },           { { 1, 5000 }, 2, { 0 } },       { { 5000, 1 }, 2, { 0 } },
    { { 257, 255 }, 2, { 0 } },       { { 1024, 768 }, 2, { 0 } },     { { 1000003, 3 }, 2, { 0 } },
    { { 3, 1000003 }, 2, { 0 } },     { { 7, 130, 66 }, 3, { 0 } },    { { 70000, 2, 2 }, 3, { 0 } },
    { { 2200000, 33 }, 2, { 0 } },    { { 1024, 768 }, 2, { 1, 1 } },  { { 257, 255 }, 2, { 1, 256 } },
    { { 7, 130, 66 }, 3, { 64, 2 } }, { { 1000003, 3 }, 2, { 4, 1 } }, { { 3, 1000003 }, 2, { 1, 8 } },
    { { 70000, 2, 2 }, 3, { 1, 1 } },
};

static at__problem problem_of(const at__op *op, at__dtype type, size_t shape)
{
    at_error err = { 0 };
    at__problem problem;
    int64_t aligns[2];
    for (int i = 0; i < 2; i++) {
        int64_t align = SHAPES[shape].aligns[i], least = at__dtype_bytes(type);
        aligns[i] = align && align < least ? least : align;
    }
    cr_assert_eq(at__problem_init(&problem, op, type, SHAPES[shape].sizes, SHAPES[shape].count, &err), AT_OK,
                 "%s", err.text);
    cr_assert_eq(at__problem_set_aligns(&problem, aligns, 2, &err), AT_OK, "%s", err.text);
    return problem;
}

/* Random samples of every template's space: not one wrong result, at any element size. */
Test(gpu, every_template_is_right_on_ragged_shapes, .timeout = 900)
{
    static const at__dtype TYPES[] = { AT__U8, AT__F16, AT__F32, AT__F64, AT__C128 };
    at_error err = { 0 };
    at__catalog *catalog = NULL;

    need_gpu();
    cr_assert_eq(at__catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    for (size_t s = 0; s < sizeof SHAPES / sizeof *SHAPES; s++)
        for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
            record r = { 0 };
            at__problem problem = problem_of(at__catalog_find_op(catalog, "transpose"), TYPES[t], s);
            tune(&r, catalog, &problem, NULL, 0, 24);
            for (int i = 0; i < r.count; i++)
                cr_expect_eq(r.last_of[i], AT__TIMED, "shape %zu, %s: %s %s: %s", s, at__dtype_name(TYPES[t]),
                             r.names[i], r.logs[i], at__outcome_name(r.last_of[i]));
            cr_expect_eq(r.found, 1, "shape %zu, %s", s, at__dtype_name(TYPES[t]));
        }
    at__catalog_close(catalog);
}
