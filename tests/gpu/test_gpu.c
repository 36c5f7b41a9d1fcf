/*
 * test_gpu.c - the whole loop on a real device: right kernels are timed, wrong ones are caught, bad ones
 * cost a trial and not the run.
 *
 * AUTOTUNE_EXE names the program whose workers are used; AUTOTUNE_SOURCE the folder of this source tree when
 * it is not where it was built.
 */
#include "device/device.h"
#include "tune/tune.h"
#include "util/clock.h"
#include "temporary.h"

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
    at_status status = atx_device_count(&count, NULL, &err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("no GPU: %s", err.text);
    cr_assert_eq(status, AT_OK, "%s", err.text);
}

/* What a run said of one problem: its trials, read back from the store, and whether one won. */
typedef struct record {
    const atx_problem *problem;
    atx_outcome outcomes[64];
    char names[64][ATX_MAX_NAME];
    char logs[64][160];
    int count;
    bool found;
} record;

static bool note_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    record *r = context;
    (void)fingerprint;
    if (r->count < 64) {
        r->outcomes[r->count] = row->outcome;
        snprintf(r->names[r->count], sizeof *r->names, "%s", row->template_name);
        snprintf(r->logs[r->count++], sizeof *r->logs, "%s %s", row->config, row->log);
    }
    return true;
}

static void note_result(void *context, const atx_result *result)
{
    record *r = context;
    while (r->problem != result->problem)
        r++;
    r->found = result->found;
    if (!result->found)
        fprintf(stderr, "no winner: %s\n", result->why);
}

/* Tunes problems in one run; `records` has one for each. */
static void tune(record *records, const atx_catalog *catalog, const atx_problem *problems,
                 size_t problem_count, const char *const *templates, int template_count, int64_t max_trials)
{
    char db[64];
    at_error err = { 0 };
    atx_store *store = NULL;
    static const char *const DEVICE = "0";
    atx_tune_options options = { .devices = &DEVICE,
                                 .device_count = 1,
                                 .seed = 7,
                                 .strategy = &atx_strategy_random,
                                 .max_trials = max_trials,
                                 .templates = templates,
                                 .template_count = template_count,
                                 .db_path = db };
    atx_tune_events events = { .context = records, .result = note_result };

    for (size_t i = 0; i < problem_count; i++)
        records[i].problem = &problems[i];
    close(mkstemp(TEMPORARY(db, "test")));
    cr_assert_eq(atx_tune(problems, problem_count, catalog, &options, &events, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_open(&store, db, ATX_STORE_READ, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < problem_count; i++) {
        atx_problem_key key;
        atx_str shape = { 0 };
        cr_assert_eq(atx_problem_key_of(&key, &shape, &problems[i], &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_store_each_trial(store, &key, NULL, note_trial, &records[i], &err), AT_OK, "%s",
                     err.text);
        atx_str_clear(&shape);
    }
    atx_store_close(store);
    unlink(db);
}

static const struct {
    const char *name;
    atx_outcome outcome;
    const char *says;
} FAULTS[] = {
    { "good", ATX_TIMED, "" },
    { "wrong_one", ATX_WRONG_RESULT, "element 500001" },
    { "unwritten", ATX_WRONG_RESULT, "element 1000002" },
    { "writes_behind", ATX_WRONG_RESULT, "behind" },
    { "writes_before", ATX_WRONG_RESULT, "before" },
    { "writes_input", ATX_WRONG_RESULT, "input" },
    { "race", ATX_WRONG_RESULT, "differ from the reference" },
    { "unset_shared", ATX_WRONG_RESULT, "differ from the reference" },
    { "accumulates", ATX_WRONG_RESULT, "differ from the reference" },
    { "out_of_bounds", ATX_CRASHED, "ILLEGAL_ADDRESS" },
    { "misaligned", ATX_CRASHED, "MISALIGNED" },
    { "traps", ATX_CRASHED, "" },
    { "forever", ATX_TIMED_OUT, "did not end" },
    { "recursion", ATX_CRASHED, "" },
    { "no_compile", ATX_COMPILE_FAILED, "inn" },
    { "big_static", ATX_COMPILE_FAILED, "too much shared data" },
    { "big_block", ATX_LAUNCH_FAILED, "expected at most 1024" },
    { "big_shared", ATX_LAUNCH_FAILED, "INVALID_VALUE" },
    { "registers", ATX_LAUNCH_FAILED, "takes so many registers" },
};
enum { FAULT_COUNT = sizeof FAULTS / sizeof *FAULTS };

Test(gpu, bad_kernels_cost_a_trial_and_not_the_run, .timeout = 300)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_problem problem;
    char dir[512];
    const char *names[FAULT_COUNT];
    int seen[FAULT_COUNT] = { 0 };
    static record r;

    need_gpu();
    snprintf(dir, sizeof dir, "%s/tests/data/faults", source_dir());
    cr_assert_eq(atx_catalog_open(&catalog, dir, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < FAULT_COUNT; i++)
        names[i] = FAULTS[i].name;
    cr_assert_eq(atx_problem_init(&problem, atx_catalog_find_op(catalog, "copy"), ATX_F32,
                                  (int64_t[]){ 1000003 }, 1, &err),
                 AT_OK, "%s", err.text);
    tune(&r, catalog, &problem, 1, names, FAULT_COUNT, 0);
    cr_expect_eq(r.count, FAULT_COUNT);
    for (int i = 0; i < r.count; i++)
        for (int k = 0; k < FAULT_COUNT; k++)
            if (strcmp(r.names[i], FAULTS[k].name) == 0) {
                seen[k]++;
                cr_expect_eq(r.outcomes[i], FAULTS[k].outcome, "%s: expected %s, found %s (%s)",
                             FAULTS[k].name, atx_outcome_name(FAULTS[k].outcome),
                             atx_outcome_name(r.outcomes[i]), r.logs[i]);
                cr_expect(strstr(r.logs[i], FAULTS[k].says), "%s: its log does not say '%s': %s",
                          FAULTS[k].name, FAULTS[k].says, r.logs[i]);
            }
    for (int k = 0; k < FAULT_COUNT; k++)
        cr_expect_eq(seen[k], 1, "%s: %d trials", FAULTS[k].name, seen[k]);
    cr_expect(r.found, "the good kernel among the bad ones must win");
    atx_catalog_close(catalog);
}

/* Each crash costs one or two of these; the figure is for whoever wonders where the time goes. */
Test(gpu, a_runner_starts_within_seconds, .timeout = 60)
{
    enum { STARTS = 5 };
    need_gpu();
    for (int i = 0; i < STARTS; i++) {
        at_error err = { 0 };
        atx_device *device = NULL;
        double start_s = atx_now_s();
        cr_assert_eq(atx_device_open(&device, "0", NULL, &err), AT_OK, "%s", err.text);
        double opened_s = atx_now_s();
        atx_device_close(device);
        fprintf(stderr, "runner: started in %.3f s, ended in %.3f s\n", opened_s - start_s,
                atx_now_s() - opened_s);
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

static atx_problem problem_of(const atx_op *op, atx_dtype type, int shape)
{
    at_error err = { 0 };
    atx_problem problem;
    int64_t aligns[2];
    for (int i = 0; i < 2; i++) {
        int64_t align = SHAPES[shape].aligns[i], least = atx_dtype_bytes(type);
        aligns[i] = align && align < least ? least : align;
    }
    cr_assert_eq(atx_problem_init(&problem, op, type, SHAPES[shape].sizes, SHAPES[shape].count, &err), AT_OK,
                 "%s", err.text);
    cr_assert_eq(atx_problem_set_aligns(&problem, aligns, 2, &err), AT_OK, "%s", err.text);
    return problem;
}

/* Random samples of every template's space: not one wrong result, at any element size. */
Test(gpu, every_template_is_right_on_ragged_shapes, .timeout = 900)
{
    static const atx_dtype TYPES[] = { ATX_U8, ATX_F16, ATX_F32, ATX_F64, ATX_C128 };
    enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES, COUNT = TYPE_COUNT * sizeof SHAPES / sizeof *SHAPES };
    static atx_problem problems[COUNT];
    static record records[COUNT];
    at_error err = { 0 };
    atx_catalog *catalog = NULL;

    need_gpu();
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < COUNT; i++)
        problems[i] =
            problem_of(atx_catalog_find_op(catalog, "transpose"), TYPES[i % TYPE_COUNT], i / TYPE_COUNT);
    tune(records, catalog, problems, COUNT, NULL, 0, 24);
    for (int i = 0; i < COUNT; i++) {
        const record *r = &records[i];
        const char *type = atx_dtype_name(problems[i].type);
        for (int k = 0; k < r->count; k++)
            cr_expect_eq(r->outcomes[k], ATX_TIMED, "shape %d, %s: %s %s: %s", i / TYPE_COUNT, type,
                         r->names[k], r->logs[k], atx_outcome_name(r->outcomes[k]));
        cr_expect_gt(r->count, 0, "shape %d, %s", i / TYPE_COUNT, type);
        cr_expect(r->found, "shape %d, %s", i / TYPE_COUNT, type);
    }
    atx_catalog_close(catalog);
}
