/*
 * test_library_options.c - options besides a problem: values of scalars, attributes of
 * launches, an end of waiting, no environment; and what operations there are.
 */
#include "fake_driver.h"
#include "library_support.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

TestSuite(library_options, .init = set_up, .fini = tear_down);

static const at_problem SCALE_9 = {
    .struct_bytes = sizeof(at_problem), .op = "scale", .type = AT_TYPE_F32, .size_count = 1, .sizes = { 9 }
};

static void write_at(const char *name, const char *text, mode_t mode)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, mode) == 0);
}

/* Its two last scalars are numbers, and so the caller's to choose; `n` is the problem's. */
/* Of the template. */
static const char *launch_lines = "",
                  *kernel_text =
                      "extern \"C\" __global__ void scale_plain(T *out, const T *in, long long n, long "
                      "long shift, long long most) { out[0] = in[0]; }\n";

static at_tuner *open_scale(at_open_options options)
{
    char text[800];
    static const char *const FOLDERS[] = { "templates", "templates/scale" };
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    char path[400];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", home.path, FOLDERS[i]);
        cr_assert_eq(mkdir(path, 0777), 0);
    }
    write_at(
        "templates/scale/op.cu",
        "/*!autotune\nop scale\nshape n\ntype T = f32\narg out T[n] output\narg in T[n] input\n"
        "arg n i64\narg shift i64 = 3\narg most i64 = 4\n"
        "reference scale_reference\ngrid 1\nblock 32\ncheck exact\ntraffic 8 * n\n*/\n"
        "extern \"C\" __global__ void scale_reference(T *out, const T *in, long long n, long long shift, "
        "long long most) { out[0] = in[0]; }\n",
        0666);
    snprintf(text, sizeof text, "/*!autotune\ntemplate plain\nparam A = 1 2\ngrid 48\nblock 32\n%s*/\n%s",
             launch_lines, kernel_text);
    write_at("templates/scale/plain.cu", text, 0666);
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.templates = path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    return tuner;
}

static at_status run(at_tuner *tuner, const at_run_options *options, at_error *err)
{
    const at_buffer buffers[] = { { .address = (void *)(uintptr_t)0x10000000 },
                                  { .address = (void *)(uintptr_t)0x20000000 } };
    return at_run(tuner, &SCALE_9, buffers, 2, NULL, options, err);
}

static void run_ok(at_tuner *tuner, const at_run_options *options)
{
    at_error err = { 0 };
    at_status status = run(tuner, options, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
}

Test(library_options, a_scalar_has_the_value_that_a_call_gives_it_and_no_other_call)
{
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    const at_scalar scalars[] = { { "most", 40 }, { "shift", -7 } };
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_tuner *tuner = open_scale(plain);
    options.scalars = scalars;
    options.scalar_count = 2;
    run_ok(tuner, &options);
    const int64_t given[] = { 9, -7, 40 }, declared[] = { 9, 3, 4 };
    fake_record r = fake_read();
    cr_assert_eq(memcmp(r.params + 2, given, sizeof given), 0);
    run_ok(tuner, NULL);
    r = fake_read();
    cr_assert_eq(memcmp(r.params + 2, declared, sizeof declared), 0);
    at_close(tuner);
}

Test(library_options, only_a_scalar_that_does_not_follow_from_the_problem_may_be_given)
{
    static const struct {
        const char *name, *expected;
    } CASES[] = { { "n", "which follows from the problem" },
                  { "in", "which is a buffer" },
                  { "alpha", "expected the name of a scalar" },
                  { NULL, "expected the name of a scalar" } };
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_error err = { 0 };
    at_tuner *tuner = open_scale(plain);
    run_ok(tuner, NULL);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const at_scalar scalar = { CASES[i].name, 1 };
        options.scalars = &scalar;
        options.scalar_count = 1;
        cr_assert_eq(run(tuner, &options, &err), AT_ERR_USAGE);
        cr_assert(strstr(err.text, CASES[i].expected), "%s", err.text);
    }
    options.scalars = NULL;
    cr_assert_eq(run(tuner, &options, &err), AT_ERR_USAGE);
    cr_assert_eq(fake_read().launches, 1, "nothing was launched");
    at_close(tuner);
}

Test(library_options, attributes_of_a_launch_reach_the_driver)
{
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    const int attributes[32] = { 0 }; /* whatever they are: the driver's business */
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_tuner *tuner = open_scale(plain);
    options.attributes = attributes;
    options.attribute_count = 2;
    run_ok(tuner, &options);
    fake_record r = fake_read();
    cr_assert_eq(r.attributes, attributes);
    cr_assert_eq(r.attribute_count, 2);
    cr_assert_eq(r.block[0], 32);
    cr_assert_eq(r.params[2], 9);
    run_ok(tuner, NULL);
    cr_assert_eq(fake_read().attribute_count, 0);
    at_close(tuner);
}

Test(library_options, what_a_template_says_of_its_launch_reaches_the_driver)
{
    enum { CLUSTER = 4, COOPERATIVE = 2 };
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    const struct {
        int id, unused;
        unsigned value[16];
    } own = { .id = 7 };
    at_run_options options = AT_RUN_OPTIONS_INIT;
    const at_found *found = NULL;
    at_error err = { 0 };
    launch_lines = "cluster 16\ncooperative\ncarveout 0\n";
    at_tuner *tuner = open_scale(plain);
    options.attributes = &own;
    options.attribute_count = 1;
    fake_limit_resident(3);
    run_ok(tuner, &options);
    const fake_record r = fake_read();
    cr_assert_eq(r.grid[0], 48);
    cr_assert_eq(r.attribute_count, 3);
    cr_assert_eq(r.attribute_ids[0], CLUSTER);
    cr_assert_eq(r.attribute_values[0][0], 16);
    cr_assert_eq(r.attribute_values[0][1], 1);
    cr_assert_eq(r.attribute_ids[1], COOPERATIVE);
    cr_assert_eq(r.attribute_values[1][0], 1);
    cr_assert_eq(r.attribute_ids[2], 7, "the caller's own come behind them");
    cr_assert_eq(at_prepare(&found, tuner, &SCALE_9, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(found->launches[0]->cluster[0], 16);
    cr_assert_eq(found->launches[0]->cooperative, 1);
    cr_assert_eq(found->launches[0]->programmatic, 0);
    cr_assert_eq(found->launches[0]->carveout, 1);
    at_close(tuner);
}

/* The fake driver's map begins with the address. */
Test(library_options, a_tensor_map_is_made_of_the_buffer_of_the_call)
{
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    const at_found *found = NULL;
    at_error err = { 0 };
    launch_lines = "tensormap map = in dims 16 4 box 8 2\narg map n out most shift\n";
    kernel_text =
        "struct alignas(64) Map { char bytes[128]; };\nextern \"C\" __global__ void scale_plain(const "
        "__grid_constant__ Map map, long long n, T *out, long long most, long long shift) { out[0] = "
        "map.bytes[0]; }\n";
    at_tuner *tuner = open_scale(plain);
    run_ok(tuner, NULL);
    const fake_record r = fake_read();
    cr_assert_eq(r.params[0], 0x20000000, "the second buffer");
    cr_assert_eq(r.params[1], 9);
    cr_assert_eq(r.params[2], 0x10000000);
    cr_assert_eq(at_prepare(&found, tuner, &SCALE_9, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(found->launches[0]->args[0]->role, AT_ROLE_TENSOR_MAP);
    cr_assert_eq(found->launches[0]->args[0]->bytes, 128);
    cr_assert_eq(found->launches[0]->args[0]->buffer, 1);
    at_close(tuner);
}

Test(library_options, a_cooperative_grid_that_is_not_resident_at_once_is_not_launched)
{
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    launch_lines = "cluster 16\ncooperative\n";
    at_tuner *tuner = open_scale(plain);
    fake_limit_resident(2);
    at_status status = run(tuner, NULL, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_ERR_DEVICE);
    cr_assert(strstr(err.text, "found a cooperative grid of 48 blocks; expected at most 32, as many as this "
                               "device holds at once"),
              "%s", err.text);
    cr_assert_eq(fake_read().launches, 0);
    at_close(tuner);
}

static volatile int cancelled;

static void *cancel_soon(void *unused)
{
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
    return unused;
}

Test(library_options, waiting_for_a_tuning_ends_when_the_caller_says_so)
{
    at_open_options slow = AT_OPEN_OPTIONS_INIT;
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_error err = { 0 };
    pthread_t thread;
    char program[400], db[400];
    struct timespec before, after;
    write_at("slow", "#!/bin/sh\nexec sleep 300\n", 0777); /* a program that tunes for ever */
    snprintf(program, sizeof program, "%s/slow", home.path);
    snprintf(db, sizeof db, "%s/slow.db", home.path);
    slow.program = program;
    slow.database = db;
    slow.tune_s = 300;
    at_tuner *tuner = open_scale(slow);
    options.cancel = &cancelled;
    cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    cr_assert_eq(run(tuner, &options, &err), AT_ERR_CANCELLED, "%s", err.text);
    clock_gettime(CLOCK_MONOTONIC, &after);
    cr_assert(after.tv_sec - before.tv_sec < 60, "long before the budget is over");
    cr_assert_eq(fake_read().launches, 0);
    pthread_join(thread, NULL);
    at_close(tuner);
}

Test(library_options, operations_are_told_without_a_problem)
{
    const at_open_options plain = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    at_tuner *tuner = open_scale(plain);
    const at_op *op = NULL;
    bool scale = false, transpose = false, permute = false;
    int i = 0;
    for (; at_op_at(&op, tuner, i, &err) == AT_OK; i++) {
        if (strcmp(op->name, "scale") == 0)
            scale = op->size_count == 1 && strcmp(op->sizes[0], "n") == 0 && op->buffer_count == 2 &&
                    strcmp(op->buffers[0], "out") == 0 && op->scalar_count == 2 &&
                    strcmp(op->scalars[1], "most") == 0;
        if (strcmp(op->name, "transpose") == 0)
            transpose = op->size_count == 3 && op->buffer_count == 2 && op->scalar_count == 0;
        if (strcmp(op->name, "permute") == 0)
            permute = op->takes_layout && op->size_count == 0;
    }
    cr_assert_eq(err.status, AT_ERR_NOT_FOUND, "%s", err.text);
    cr_assert(scale && transpose && permute);
    cr_assert_eq(at_op_at(&op, tuner, -1, &err), AT_ERR_NOT_FOUND);
    at_close(tuner);
}

static at_match match_of(const at_open_options *options)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_found *found = NULL;
    at_target target = AT_TARGET_INIT;
    at_problem problem = TUNED;
    target.device = "NVIDIA H200";
    cr_assert_eq(at_open(&tuner, options, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_find(&found, tuner, &problem, &target, &err), AT_OK, "%s", err.text);
    at_match match = found->match;
    at_found_close(found);
    at_close(tuner);
    return match;
}

/* A library within another program must ignore environment variables if asked to. */
Test(library_options, no_environment_variable_counts_where_none_is_to)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    setenv("AUTOTUNE_DB", "/nowhere/at/all.db", 1);
    setenv("AUTOTUNE_CACHE", "/nowhere/cache.db", 1);
    setenv("AUTOTUNE_HEADERS", "/nowhere/include", 1);
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_USAGE, "it counts: %s", err.text);
    unsetenv("AUTOTUNE_HEADERS");
    setenv("AUTOTUNE_NO_SHIPPED", "1", 1);
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    cr_assert_eq(match_of(&options), AT_MATCH_NONE, "they count");
    setenv("AUTOTUNE_HEADERS", "/nowhere/include", 1);
    options.no_environment = 1;
    at_match match = match_of(&options);
    cr_assert(match != AT_MATCH_NONE, "the winners of autotune answer: %s", at_match_name(match));
}
