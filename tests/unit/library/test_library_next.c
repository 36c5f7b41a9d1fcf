/*
 * test_library_next.c - what is known best for a problem does not work on this machine: its compiler is too
 * old, its driver does not load the kernel, or the device has less than the kernel takes. The next best that
 * works is run, and at_prepare's answer warns.
 *
 * Five arguments are what the fake driver reads.
 */
#include "library/library.h"

#include "fake_driver.h"
#include "library_support.h"

#include <sys/stat.h>
#include <time.h>

TestSuite(library_next, .init = set_up, .fini = tear_down);

static const at_problem FILL = {
    .struct_bytes = sizeof(at_problem), .op = "fill", .type = AT_TYPE_F32, .size_count = 1, .sizes = { 9 }
};

static void write_template(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/templates/fill/%s.cu", home.path, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

#define ARGUMENTS "(T *out, const T *in, long long n, long long more, long long most) { out[0] = in[0]; }\n"
#define KERNEL(name, lines, code)                                                                            \
    "/*!autotune\ntemplate " name "\n" lines "grid 1\n*/\n" code                                             \
    "extern \"C\" __global__ void fill_" name ARGUMENTS

/* Of `fast` this compiler takes no configuration below A = 5. */
static void write_templates(void)
{
    char path[400];
    snprintf(path, sizeof path, "%s/templates", home.path);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/templates/fill", home.path);
    cr_assert_eq(mkdir(path, 0777), 0);
    write_template("op",
                   "/*!autotune\nop fill\nshape n\ntype T = f32\narg out T[n] output\narg in T[n] input\n"
                   "arg n i64\narg more i64 = n + 1\narg most i64 = n + 2\n"
                   "reference fill_reference\ngrid 1\nblock 32\ncheck exact\ntraffic 8 * n\n*/\n"
                   "extern \"C\" __global__ void fill_reference" ARGUMENTS);
    write_template("fast", KERNEL("fast", "param A = 1 2 3 4 5\nblock 64\n",
                                  "static_assert(A > 4, \"needs a newer compiler\");\n"));
    write_template("slow", KERNEL("slow", "param B = 1 2\nblock 32\n", ""));
    write_template("wide", KERNEL("wide", "param C = 1\nblock 96\nshared 60000\n", ""));
}

/* What was measured, the winner first. */
typedef struct measured {
    const char *template_name, *config;
    double seconds;
} measured;

static void put_on(const char *device, const measured *list, int count)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    char path[400];
    snprintf(path, sizeof path, "%s/templates", home.path);
    atx_store *store = open_ok(home.db, ATX_STORE_WRITE);
    const atx_catalog_options options = { .dir = path };
    cr_assert_eq(atx_catalog_open_with(&catalog, &options, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "fill");
    const atx_problem_key key = { "fill", "9", "f32", 9, 72, 0 };
    atx_fingerprint f = { .cc = 90, .sms = 132, .memory_mib = 143155, .driver = "580", .cold = true };
    snprintf(f.device, sizeof f.device, "%s", device);
    for (int i = 0; i < count; i++) {
        const atx_template *t = atx_catalog_find_template(catalog, op, list[i].template_name);
        atx_trial_row row = trial_of(list[i].config, list[i].seconds);
        atx_winner w = winner_of(list[i].config, list[i].seconds);
        row.template_name = w.template_name = t->name;
        row.template_hash = w.template_hash = t->text.hash;
        put_ok(store, &key, &f, &row, 1);
        if (i == 0)
            cr_assert_eq(atx_store_put_winner(store, 0, &key, &f, &w, &err), AT_OK, "%s", err.text);
    }
    atx_store_close(store);
    atx_catalog_close(catalog);
}

static at_tuner *open_here(void)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[400];
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.templates = path;
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    return tuner;
}

static at_tuner *open_with(const measured *list, int count)
{
    write_templates();
    put_on("NVIDIA H200", list, count);
    return open_here();
}

static at_status run(at_tuner *tuner, at_error *err)
{
    const at_buffer buffers[] = { { .address = (void *)(uintptr_t)0x10000000 },
                                  { .address = (void *)(uintptr_t)0x20000000 } };
    return at_run(tuner, &FILL, buffers, 2, NULL, NULL, err);
}

static void run_ok(at_tuner *tuner)
{
    at_error err = { 0 };
    at_status status = run(tuner, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
}

/* It is what at_run uses, and says what it is instead of. */
static void expect_instead(at_tuner *tuner, const char *template_name, const char *config,
                           const char *warning)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    run_ok(tuner);
    cr_assert_eq(at_prepare(&used, tuner, &FILL, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(used->template_name, template_name, "%s", used->warning);
    cr_assert_str_eq(used->config, config, "%s", used->warning);
    cr_assert(strstr(used->warning, warning) && strstr(used->warning, " takes its place"), "'%s'",
              used->warning);
    cr_assert_null(strchr(used->warning, '\n'), "one line of the compiler's many");
}

static const measured FAST_AND_SLOW[] = {
    { "fast", "A=1", 5e-6 }, { "fast", "A=2", 6e-6 }, { "slow", "B=2", 8e-6 }, { "slow", "B=1", 9e-6 }
};

Test(library_next, a_winner_that_does_not_compile_gives_way_to_the_fastest_trial_that_does)
{
    at_tuner *tuner = open_with(FAST_AND_SLOW, 4);
    expect_instead(tuner, "slow", "B=2", "fast.cu with A=1 does not compile for sm_90: ");
    cr_assert_eq(fake_read().block[0], 32);
    const at_found *used = NULL;
    cr_assert_eq(at_prepare(&used, tuner, &FILL, NULL, NULL), AT_OK);
    cr_assert_eq(used->match, AT_MATCH_NEAR);
    cr_assert(strstr(used->why, "it does not work here: ") && strstr(used->why, "its runner-up"), "%s",
              used->why);
    cr_assert(used->median_s == 8e-6, "it was measured for this very problem");
    at_close(tuner);
}

Test(library_next, so_does_one_that_the_driver_does_not_load)
{
    static const measured LIST[] = { { "slow", "B=1", 5e-6 }, { "fast", "A=5", 6e-6 } };
    at_tuner *tuner = open_with(LIST, 2);
    fake_refuse_code("fill_slow");
    expect_instead(tuner, "fast", "A=5", "slow.cu with B=1 cannot be loaded: ");
    cr_assert_eq(fake_read().block[0], 64);
    fake_refuse_code(NULL);
    at_close(tuner);
}

Test(library_next, so_does_one_whose_shared_memory_is_not_to_be_had)
{
    static const measured LIST[] = { { "wide", "C=1", 5e-6 }, { "slow", "B=1", 6e-6 } };
    at_tuner *tuner = open_with(LIST, 2);
    fake_limit_shared(50000);
    expect_instead(tuner, "slow", "B=1", "wide.cu with C=1 cannot be loaded: ");
    fake_limit_shared(0);
    at_close(tuner);
}

Test(library_next, so_does_one_that_takes_too_many_registers_for_its_block)
{
    static const measured LIST[] = { { "fast", "A=5", 5e-6 }, { "slow", "B=1", 6e-6 } };
    at_tuner *tuner = open_with(LIST, 2);
    fake_limit_threads(32);
    expect_instead(tuner, "slow", "B=1", "found a block of 64 threads; expected at most 32");
    fake_limit_threads(0);
    at_close(tuner);
}

Test(library_next, what_won_on_another_device_gives_way_too)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    write_templates();
    put_on("NVIDIA H100", FAST_AND_SLOW, 4);
    at_tuner *tuner = open_here();
    expect_instead(tuner, "slow", "B=2", "fast.cu with A=1 does not compile for sm_90: ");
    cr_assert_eq(at_prepare(&used, tuner, &FILL, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_OTHER_DEVICE);
    at_close(tuner);
}

/* What the device of the tests has more of than the tables say: found out when a kernel is to be run. */
#define LARGE(name)                                                                                          \
    KERNEL(name, "param A = 1 2 3\nrequire device.l2_bytes < 60 * 1024 * 1024\nblock 64\n", "")

/* To find that out compiles nothing: it is none of the twelve that are tried. */
Test(library_next, twelve_that_are_not_valid_on_this_device_are_no_tries)
{
    static const char *const NAMES[] = { "one", "two", "three", "four" };
    static const char *const CONFIGS[] = { "A=1", "A=2", "A=3" };
    at_error err = { 0 };
    const at_found *used = NULL;
    measured list[13] = { { NULL, NULL, 0 } };
    write_templates();
    write_template("one", LARGE("one"));
    write_template("two", LARGE("two"));
    write_template("three", LARGE("three"));
    write_template("four", LARGE("four"));
    for (int i = 0; i < 12; i++)
        list[i] = (measured){ NAMES[i / 3], CONFIGS[i % 3], 1e-6 * (i + 1) };
    list[12] = (measured){ "fast", "A=1", 13e-6 };
    put_on("NVIDIA H200", list, 13);
    at_tuner *tuner = open_here();
    run_ok(tuner);
    cr_assert_eq(at_prepare(&used, tuner, &FILL, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(used->template_name, "slow", "%s", used->warning);
    cr_assert(strstr(used->warning, "is not valid on this device; slow with B=1 takes its place"), "'%s'",
              used->warning);
    at_close(tuner);
}

/* Nothing else was measured: a template's default is right at least. */
Test(library_next, where_nothing_measured_works_a_valid_configuration_stands_in)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    at_tuner *tuner = open_with(FAST_AND_SLOW, 2);
    expect_instead(tuner, "slow", "B=1", "fast.cu with A=1 does not compile for sm_90: ");
    cr_assert_eq(at_prepare(&used, tuner, &FILL, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_NONE);
    at_close(tuner);
}

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A refusal costs what a compilation costs: once. */
Test(library_next, where_nothing_works_the_first_reason_is_told_and_nothing_is_compiled_again)
{
    at_error err = { 0 };
    at_tuner *tuner = open_with(FAST_AND_SLOW, 4);
    fake_refuse_code("fill_"); /* whatever compiles */
    double start_s = processor_s();
    at_status status = run(tuner, &err);
    double first_s = processor_s() - start_s;
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_ERR_INPUT);
    cr_assert(strstr(err.text, "fast.cu with A=1 does not compile for sm_90: "), "%s", err.text);
    start_s = processor_s();
    cr_assert_eq(run(tuner, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "fast.cu with A=1 does not compile for sm_90: "), "%s", err.text);
    cr_assert_lt(processor_s() - start_s, first_s / 4, "%g s", first_s);
    fake_refuse_code(NULL);
    at_close(tuner);
}

/* The launch that at_find told is that of its own kernel: the code of another one would be wrong for it. */
Test(library_next, after_at_compile_has_failed_at_find_answers_with_the_next_best)
{
    at_error err = { 0 };
    at_code *code = NULL;
    at_tuner *tuner = open_with(FAST_AND_SLOW, 4);
    at_found *first = find_ok(tuner, FILL, &ON_H200);
    cr_assert_eq(first->match, AT_MATCH_EXACT);
    for (int i = 0; i < 3; i++) {
        at_found *found = find_ok(tuner, FILL, &ON_H200);
        at_status status = at_compile(&code, tuner, found, AT_CODE_CUBIN, NULL, &err);
        if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
            cr_skip_test("NVRTC is not installed");
        cr_assert_eq(status, i < 2 ? AT_ERR_INPUT : AT_OK, "%d: %s", i, err.text);
        cr_assert_str_eq(found->template_name, i < 2 ? "fast" : "slow");
        at_found_close(found);
    }
    at_code_close(code);
    cr_assert_eq(at_compile(&code, tuner, first, AT_CODE_PTX, NULL, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "fast.cu with A=1 does not compile for sm_90: "), "%s", err.text);
    at_found_close(first);
    at_close(tuner);
}

static void take_line(void *context, const char *text)
{
    char *lines = context; /* of 2000 characters */
    strncat(lines, text, 1999 - strlen(lines));
    strncat(lines, "\n", 1999 - strlen(lines));
}

/* Who only calls at_run sees no answer that has a warning. */
Test(library_next, a_program_can_hear_what_at_run_does_without)
{
    char lines[2000] = "", path[400];
    at_error err = { 0 };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_tuner *tuner = open_with(FAST_AND_SLOW, 4); /* the files, and what was measured */
    at_close(tuner);
    tuner = NULL;
    write_template("broken", "/*!autotune\ntemplate broken\nparam\n*/\n");
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.database = home.db;
    options.templates = path;
    options.log = take_line;
    options.log_context = lines;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_assert(strstr(lines, "broken.cu:3:"), "%s", lines);
    run_ok(tuner);
    cr_assert(strstr(lines, "fast.cu with A=1 does not compile for sm_90: "), "%s", lines);
    at_close(tuner);
}

/* The kernel is as it was measured elsewhere: another process may have it compiled. */
Test(library_next, what_works_needs_no_warning)
{
    static const measured LIST[] = { { "fast", "A=5", 5e-6 }, { "slow", "B=1", 6e-6 } };
    const at_found *used = NULL;
    at_tuner *tuner = open_with(LIST, 2);
    run_ok(tuner);
    cr_assert_eq(at_prepare(&used, tuner, &FILL, NULL, NULL), AT_OK);
    cr_assert_str_eq(used->warning, "");
    cr_assert_eq(used->match, AT_MATCH_EXACT);
    at_close(tuner);
}

/* exit() takes NVRTC's data away. A caller's own thread cannot end the program while it waits; another one
 * can end it while a thread of the library compiles its first kernel, which takes seconds for some. */
Test(library_next, exit_waits_for_a_preparation_before_the_first_kernel_is_compiled)
{
    static const measured LIST[] = { { "fast", "A=1", 5e-6 } };
    at_error err = { 0 };
    const at_found *used = NULL;
    at_preparation *p = NULL;
    write_templates();
    for (int i = 0; i < 2; i++) /* nothing compiles, so no kernel brings a guard with it */
        write_template(i ? "slow" : "wide", "");
    write_template("fast", KERNEL("fast", "param A = 1 2\nblock 64\n", "#error no compiler is new enough\n"));
    put_on("NVIDIA H200", LIST, 1);
    at_tuner *tuner = open_here();
    cr_assert_eq(at_prepare_start(&p, tuner, &FILL, NULL, &err), AT_OK, "%s", err.text);
    const at_status status = at_prepare_finish(&used, p, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_ERR_INPUT, "no kernel compiled: %s", err.text);
    cr_assert_not_null(tuner->guard);
    at_close(tuner);
}
