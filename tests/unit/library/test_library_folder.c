/* test_library_folder.c - at_run on operations and templates of a folder of one's own. */
#include "fake_driver.h"
#include "library_run_support.h"

#include <sys/stat.h>

TestSuite(library_folder, .init = set_up, .fini = tear_down);

static const at_problem FILL_9 = {
    .struct_bytes = sizeof(at_problem), .op = "fill", .type = AT_TYPE_F32, .size_count = 1, .sizes = { 9 }
};

static void write_file(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make_folder(const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    cr_assert_eq(mkdir(path, 0777), 0);
}

static at_tuner *open_templates(void)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[400];
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.templates = path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    return tuner;
}

/* An op whose only template takes sizes below ten. The fake driver reads five arguments. */
static at_tuner *tuner_of_small(void)
{
    make_folder("templates");
    make_folder("templates/fill");
    write_file("templates/fill/op.cu",
               "/*!autotune\nop fill\nshape n\ntype T = f32\narg out T[n] output\narg in T[n] input\n"
               "arg n i64\narg more i64 = n + 1\narg most i64 = n + 2\n"
               "reference fill_reference\ngrid 1\nblock 32\ncheck exact\ntraffic 8 * n\n*/\n"
               "extern \"C\" __global__ void fill_reference(T *out, const T *in, long long n, long long "
               "more, long long most) { out[0] = in[0]; }\n");
    write_file("templates/fill/small.cu",
               "/*!autotune\ntemplate small\nparam A = 1 2\nrequire n < 10 # it holds no more\ngrid 1\nblock "
               "32\n*/\n"
               "extern \"C\" __global__ void fill_small(T *out, const T *in, long long n, long long more, "
               "long long most) { out[0] = in[0]; }\n");
    return open_templates();
}

Test(library_folder, a_problem_that_no_template_takes_is_refused)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    at_problem problem = FILL_9;
    at_tuner *tuner = tuner_of_small();
    fake_use_context(1);
    run_or_skip(tuner, problem);
    problem.sizes[0] = 10;
    cr_assert_eq(run_at(tuner, problem, OUT, IN, &err), AT_ERR_NOT_FOUND, "%s", err.text);
    cr_assert(strstr(err.text, "it holds no more"), "%s", err.text);
    cr_assert_eq(at_prepare(&used, tuner, &problem, NULL, &err), AT_ERR_NOT_FOUND);
    cr_assert_eq(fake_read().launches, 1);
    at_close(tuner);
}

/* Cut, it would be a kernel that no driver finds. */
Test(library_folder, a_compilers_name_for_a_kernel_may_be_long)
{
    enum { LONG = 1500 };
    char text[LONG * 3], name[LONG + 1] = "";
    const at_problem problem = FILL_9;
    at_tuner *tuner = tuner_of_small();
    at_close(tuner);
    memset(name, 'n', LONG);
    snprintf(text, sizeof text,
             "/*!autotune\ntemplate small\nkernel fill_small<Tag>\ngrid 1\nblock 32\n*/\n"
             "namespace %s { struct Tag {}; }\nusing %s::Tag;\n"
             "template <class> __global__ void fill_small(T *out, const T *in, long long n, long long more, "
             "long long most) { out[0] = in[0]; }\n",
             name, name);
    write_file("templates/fill/small.cu", text);
    tuner = open_templates();
    fake_use_context(1);
    run_or_skip(tuner, problem);
    cr_assert(fake_name_len() >= LONG, "%zu", fake_name_len());
    at_close(tuner);
}

/* A program of one's own must not end because somebody saves a half-written kernel. */
Test(library_folder, a_wrong_file_of_the_folder_takes_only_itself_out)
{
    at_error err = { 0 };
    at_found *found = NULL;
    at_problem problem = FILL_9;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[400];
    at_tuner *tuner = tuner_of_small();
    cr_assert_str_eq(at_warnings(tuner), "");
    at_close(tuner);
    make_folder("templates/half");
    write_file("templates/fill/wrong.cu", "/*!autotune\ntemplate wrong\nparam A =\n*/\n");
    write_file("templates/half/op.cu", "/*!autotune\nop half\n*/\n");
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.templates = path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_assert(strstr(at_warnings(tuner), "fill/wrong.cu:3:10: ") && strstr(at_warnings(tuner), "half/op.cu:"),
              "%s", at_warnings(tuner));
    cr_assert_eq(at_find(&found, tuner, &problem, NULL, &err), AT_OK, "%s", err.text);
    at_found_close(found);
    problem.op = "half";
    cr_assert_eq(at_find(&found, tuner, &problem, NULL, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "no operation 'half'") && strstr(err.text, "Left out was: ") &&
                  strstr(err.text, "half/op.cu"),
              "%s", err.text);
    at_close(tuner);
}

/* The op `fill`, whose kernel finds `more` elements in a variable. Five arguments are what the fake driver
 * reads.
 */
Test(library_folder, what_goes_into_a_variable_is_copied_there_before_each_launch)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[400];
    const at_problem problem = FILL_9;
    const at_buffer buffers[] = { { at_address(OUT), 0 },
                                  { at_address(OUT + 0x100000), 0 },
                                  { at_address(IN), 0 } };
    make_folder("templates");
    make_folder("templates/fill");
    write_file(
        "templates/fill/op.cu",
        "/*!autotune\nop fill\nshape n\ntype T = f32\narg out T[n] output\narg c T[7] input uniform 0 1 "
        "into c\narg in T[n] input uniform 0 1\narg n i64\narg more i64 = n + 1\narg most i64 = n + 2\n"
        "reference fill_reference\ngrid 1\nblock 32\ntraffic 8 * n\n*/\n"
        "extern \"C\" __global__ void fill_reference(T *out, const T *c, const T *in, long long n, long long "
        "more, long long most) { out[0] = in[0] * c[0]; }\n");
    write_file("templates/fill/small.cu",
               "/*!autotune\ntemplate small\ngrid 1\nblock 32\n*/\n__constant__ T c[7];\n"
               "extern \"C\" __global__ void fill_small(T *out, const T *in, long long n, long long more, "
               "long long most) { out[0] = in[0] * c[0]; }\n");
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.templates = path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    at_status status = at_run(tuner, &problem, buffers, 3, at_address(0x77), NULL, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    for (int before = 0; before < 2; before++) {
        const fake_copy c = fake_copied();
        cr_assert(c.to == FAKE_VARIABLE && c.from == OUT + 0x100000 && c.bytes == 28);
        cr_assert_eq(c.stream, at_address(0x77));
        cr_assert_eq(c.launches, before, "before the launch, each time");
        const int64_t expected[] = { OUT, IN, 9, 10, 11 };
        cr_assert_eq(memcmp(fake_read().params, expected, sizeof expected), 0);
        cr_assert_eq(at_run(tuner, &problem, buffers, 3, at_address(0x77), NULL, &err), AT_OK, "%s",
                     err.text);
    }
    at_close(tuner);
}

/* The fake driver reads five arguments. */
Test(library_folder, a_buffer_of_no_elements_may_be_missing)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[400];
    at_problem problem = { .struct_bytes = sizeof(at_problem),
                           .op = "twice",
                           .type = AT_TYPE_F32,
                           .size_count = 2,
                           .sizes = { 1, 9 } };
    const at_buffer buffers[] = { { at_address(OUT), 0 }, { NULL, 0 }, { at_address(IN), 0 } };
    make_folder("templates");
    make_folder("templates/twice");
    write_file(
        "templates/twice/op.cu",
        "/*!autotune\nop twice\nshape too=no|yes n\ntype T = f32\narg out T[n] output\n"
        "arg again T[too == too_yes ? n : 0] output\narg in T[n] input uniform 0 1\narg n i64\n"
        "arg too i64\nreference twice_reference\ngrid 1\nblock 32\ntraffic 8 * n\n*/\n"
        "extern \"C\" __global__ void twice_reference(T *out, T *again, const T *in, long long n, long long "
        "too) { out[0] = in[0]; if (too == 2) again[0] = in[0]; }\n");
    write_file(
        "templates/twice/small.cu",
        "/*!autotune\ntemplate small\nparam N = 32\ngrid 1\nblock N\n*/\n"
        "extern \"C\" __global__ void twice_small(T *out, T *again, const T *in, long long n, long long too) "
        "{ out[0] = in[0]; if (too == 2) again[0] = in[0]; }\n");
    snprintf(path, sizeof path, "%s/templates", home.path);
    options.templates = path;
    options.database = home.db;
    tuner = tuner_with_winner();
    at_close(tuner);
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    at_status status = at_run(tuner, &problem, buffers, 3, NULL, NULL, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    const int64_t expected[] = { OUT, 0, IN, 9, 1 };
    fake_record r = fake_read();
    cr_assert_eq(memcmp(r.params, expected, sizeof expected), 0);
    problem.sizes[0] = 2;
    cr_assert_eq(at_run(tuner, &problem, buffers, 3, NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "again: found NULL; expected device memory"), "%s", err.text);
    at_close(tuner);
}
