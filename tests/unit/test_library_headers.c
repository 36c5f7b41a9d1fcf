/* test_library_headers.c - kernels that include what lies in folders of the user's. Part of test_library. */
#include "library_support.h"

#include <sys/stat.h>

TestSuite(library_headers, .init = set_up, .fini = tear_down);

static void put(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

static void make(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    cr_assert_eq(mkdir(path, 0777), 0);
}

/* The op `twice` in t, its header in inc/lib. */
static at_open_options with_headers(void)
{
    static char templates[300], headers[300];
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    make("t");
    make("t/twice");
    make("inc");
    make("inc/lib");
    put("inc/lib/two.h", "#define TWO 2\n");
    put("t/twice/op.cu",
        "/*!autotune\nop twice\nshape n\ntype T = f32\narg y T[n] output\nreference r\ngrid 1\n"
        "block 1\ntraffic 4 * n\n*/\nextern \"C\" __global__ void r(T *y) {}\n");
    put("t/twice/t.cu", "/*!autotune\ntemplate t\ngrid 1\nblock 1\n*/\n#include <lib/two.h>\n"
                        "extern \"C\" __global__ void twice_t(T *y) { y[0] *= TWO; }\n");
    snprintf(templates, sizeof templates, "%s/t", home.path);
    snprintf(headers, sizeof headers, "%s/inc", home.path);
    options.templates = templates;
    options.headers = headers;
    options.cache = "";
    return options;
}

static at_status compile_twice(const at_open_options *options, at_error *err)
{
    const at_target h200 = { .version = 1, .device = "NVIDIA H200", .cc = 90, .sms = 132 };
    const at_problem problem = { .op = "twice", .type = AT_F32, .size_count = 1, .sizes = { 1000 } };
    at_tuner *tuner = NULL;
    at_found *found = NULL;
    void *code = NULL;
    size_t bytes = 0;
    at_status status = at_open(&tuner, options, err);
    if (status == AT_OK)
        status = at_find(&found, tuner, &problem, &h200, err);
    if (status == AT_OK)
        status = at_compile(&code, &bytes, tuner, found, AT_CODE_CUBIN, err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    at_free(code);
    at_found_close(found);
    at_close(tuner);
    return status;
}

Test(library_headers, kernels_may_include_headers_of_folders_that_the_program_names)
{
    at_open_options options = with_headers();
    at_error err = { 0 };
    unsetenv("AUTOTUNE_HEADERS");
    cr_expect_eq(compile_twice(&options, &err), AT_OK, "%s", err.text);
    setenv("AUTOTUNE_HEADERS", options.headers, 1);
    options.headers = "";
    cr_expect_eq(compile_twice(&options, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "lib/two.h") && strstr(err.text, "--headers"), "%s", err.text);
    options.headers = NULL;
    cr_expect_eq(compile_twice(&options, &err), AT_OK, "%s", err.text);
}

/* A program that was compiled before version 3 has other memory behind its members. */
Test(library_headers, options_of_version_2_name_no_headers)
{
    at_open_options options = with_headers();
    at_error err = { 0 };
    unsetenv("AUTOTUNE_HEADERS");
    options.version = 2;
    options.headers = "/nowhere";
    cr_expect_eq(compile_twice(&options, &err), AT_ERR_INPUT, "%s", err.text);
    options.version = 3;
    cr_expect_eq(compile_twice(&options, &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "headers: /nowhere: No such file"), "%s", err.text);
}
