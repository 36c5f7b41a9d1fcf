/* test_library_headers.c - kernels that include what lies in folders of the user's. Part of test_library. */
#include "library_support.h"

#include <sys/stat.h>
#include <unistd.h>

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
    const at_target h200 = {
        .struct_bytes = sizeof(at_target), .device = "NVIDIA H200", .arch = "sm_90", .sms = 132
    };
    const at_problem problem = { .struct_bytes = sizeof(at_problem),
                                 .op = "twice",
                                 .type = AT_TYPE_F32,
                                 .size_count = 1,
                                 .sizes = { 1000 } };
    at_tuner *tuner = NULL;
    at_found *found = NULL;
    at_code *code = NULL;
    at_status status = at_open(&tuner, options, err);
    if (status == AT_OK)
        status = at_find(&found, tuner, &problem, &h200, err);
    if (status == AT_OK)
        status = at_compile(&code, tuner, found, AT_CODE_CUBIN, NULL, err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    at_code_close(code);
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

/* The template includes a file beside the folder of templates. */
Test(library_headers, templates_read_files_elsewhere_when_they_are_allowed_to)
{
    at_open_options options = with_headers();
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    put("t/twice/t.cu", "/*!autotune\ntemplate t\ngrid 1\nblock 1\n*/\n#include \"../../beside.h\"\n"
                        "extern \"C\" __global__ void twice_t(T *y) { y[0] *= TWO; }\n");
    put("beside.h", "#define TWO 2\n");
    setenv("AUTOTUNE_ALLOW", home.path, 1);
    options.allow = "";
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_expect(strstr(at_warnings(tuner), "/beside.h: found a file outside of the folder of templates"), "%s",
              at_warnings(tuner));
    cr_expect(strstr(at_warnings(tuner), "`allow` in a program"), "%s", at_warnings(tuner));
    at_close(tuner);
    options.allow = NULL;
    cr_expect_eq(compile_twice(&options, &err), AT_OK, "the environment's: %s", err.text);
    unsetenv("AUTOTUNE_ALLOW");
    options.allow = home.path;
    cr_expect_eq(compile_twice(&options, &err), AT_OK, "%s", err.text);
    options.allow = "/nowhere";
    cr_expect_eq(at_open(&tuner, &options, &err), AT_ERR_USAGE);
}

Test(library_headers, a_folder_that_is_not_there_is_refused)
{
    at_open_options options = with_headers();
    at_error err = { 0 };
    options.headers = "/nowhere";
    cr_expect_eq(compile_twice(&options, &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "headers: /nowhere: No such file"), "%s", err.text);
}

/* ---- which folders ---- */

/* PTX of the kernel, whose number is that of the header. */
static at_status ptx_of(char **ptx, at_tuner *tuner, at_error *err)
{
    const at_target h200 = {
        .struct_bytes = sizeof(at_target), .device = "NVIDIA H200", .arch = "sm_90", .sms = 132
    };
    const at_problem problem = { .struct_bytes = sizeof(at_problem),
                                 .op = "twice",
                                 .type = AT_TYPE_F32,
                                 .size_count = 1,
                                 .sizes = { 1000 } };
    at_found *found = NULL;
    at_code *code = NULL;
    at_status status = at_find(&found, tuner, &problem, &h200, err);
    if (status == AT_OK)
        status = at_compile(&code, tuner, found, AT_CODE_PTX, NULL, err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    at_found_close(found);
    *ptx = status == AT_OK ? strndup(code->data, code->bytes) : NULL;
    at_code_close(code);
    return status;
}

static at_tuner *must_open(const at_open_options *options)
{
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    cr_assert_eq(at_open(&tuner, options, &err), AT_OK, "%s", err.text);
    return tuner;
}

static void expect_number(at_tuner *tuner, const char *real)
{
    at_error err = { 0 };
    char *ptx = NULL;
    cr_assert_eq(ptx_of(&ptx, tuner, &err), AT_OK, "%s", err.text);
    cr_expect(strstr(ptx, real), "%s", ptx);
    free(ptx);
}

#define REAL_3 "0f40400000"
#define REAL_5 "0f40A00000"

static void write_number(const char *name, const char *number)
{
    char path[100], text[60];
    make(name);
    snprintf(path, sizeof path, "%s/lib", name);
    make(path);
    snprintf(path, sizeof path, "%s/lib/two.h", name);
    snprintf(text, sizeof text, "#define TWO %s\n", number);
    put(path, text);
}

Test(library_headers, each_tuner_of_a_process_has_its_own_folders)
{
    at_open_options options = with_headers();
    char three[300], five[300];
    write_number("three", "3.0f");
    write_number("five", "5.0f");
    snprintf(three, sizeof three, "%s/three", home.path);
    snprintf(five, sizeof five, "%s/five", home.path);
    options.headers = three;
    at_tuner *a = must_open(&options);
    options.headers = five;
    at_tuner *b = must_open(&options);
    expect_number(a, REAL_3);
    expect_number(b, REAL_5);
    expect_number(a, REAL_3);
    at_close(a);
    at_close(b);
}

Test(library_headers, relative_folders_are_those_of_the_moment_when_a_tuner_is_opened)
{
    at_open_options options = with_headers();
    write_number("three", "3.0f");
    cr_assert_eq(chdir(home.path), 0);
    options.headers = "three";
    at_tuner *named = must_open(&options);
    options.headers = NULL;
    setenv("AUTOTUNE_HEADERS", "three", 1);
    at_tuner *of_environment = must_open(&options);
    cr_assert_eq(chdir("/"), 0);
    unsetenv("AUTOTUNE_HEADERS");
    expect_number(named, REAL_3);
    expect_number(of_environment, REAL_3);
    at_close(named);
    at_close(of_environment);
}

Test(library_headers, folders_of_the_program_go_before_a_variable_that_names_none)
{
    at_open_options options = with_headers();
    at_error err = { 0 };
    setenv("AUTOTUNE_HEADERS", "/nowhere", 1);
    cr_expect_eq(compile_twice(&options, &err), AT_OK, "%s", err.text);
    options.headers = NULL;
    cr_expect_eq(compile_twice(&options, &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "headers: /nowhere: No such file"), "%s", err.text);
}

Test(library_headers, folders_may_be_links_and_have_blanks_in_their_names)
{
    static const char *const NAMES[] = { "with a blank", "link", "plain" };
    at_open_options options = with_headers();
    char path[300], linked[300], headers[300];
    write_number("with a blank", "3.0f");
    write_number("a:colon", "3.0f");
    snprintf(path, sizeof path, "%s/with a blank", home.path);
    snprintf(linked, sizeof linked, "%s/link", home.path);
    cr_assert_eq(symlink(path, linked), 0);
    snprintf(path, sizeof path, "%s/a:colon", home.path);
    snprintf(linked, sizeof linked, "%s/plain", home.path);
    cr_assert_eq(symlink(path, linked), 0);
    options.headers = headers;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(headers, sizeof headers, "%s/%s", home.path, NAMES[i]);
        at_tuner *tuner = must_open(&options);
        expect_number(tuner, REAL_3);
        at_close(tuner);
    }
}

Test(library_headers, a_header_that_changes_under_an_open_tuner_is_named)
{
    at_open_options options = with_headers();
    at_error err = { 0 };
    char *ptx = NULL;
    at_tuner *tuner = must_open(&options);
    put("inc/lib/two.h", "#define TWO 4\n");
    cr_assert_eq(ptx_of(&ptx, tuner, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "read or measured with: lib/two.h has changed; expected those"), "%s",
              err.text);
    at_close(tuner);
}

/* ---- winners that were measured with other headers ---- */

/* A winner of `twice`, as tuning stores it with the headers of now. */
static void store_winner(const at_open_options *options)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_str list = { 0 };
    char hash[ATX_HASH_TEXT];
    int64_t run = 0;
    const atx_catalog_options named = { .dir = options->templates, .headers = options->headers };
    cr_assert_eq(atx_catalog_open_with(&catalog, &named, &err), AT_OK, "%s", err.text);
    const atx_template *t = atx_catalog_find_template(catalog, atx_catalog_find_op(catalog, "twice"), "t");
    const atx_problem_key key = { "twice", "1000", "f32", 1000, 4000, 0 };
    const atx_fingerprint f = {
        .device = "NVIDIA H200", .cc = 90, .sms = 132, .driver = "580", .cold = true
    };
    atx_winner w = winner_of("", 10e-6);
    w.template_name = t->name;
    w.template_hash = t->text.hash;
    const atx_run_info info = { .command = "", .strategy = "auto", .seed = 1, .device_uuid = "", .host = "" };
    atx_store *store = open_ok(home.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    cr_assert_eq(
        atx_store_put_source(store, t->text.hash, t->text.file, t->text.source, t->text.source_len, &err),
        AT_OK);
    if (t->text.headers) {
        cr_assert_eq(atx_catalog_header_list(&list, catalog, t->text.headers, &err), AT_OK);
        atx_hash_text(hash, list.data, list.len);
        cr_assert_eq(atx_store_put_source(store, hash, "headers", list.data, list.len, &err), AT_OK);
    }
    cr_assert_eq(atx_store_put_winner(store, run, &key, &f, &w, &err), AT_OK, "%s", err.text);
    atx_str_clear(&list);
    atx_store_close(store);
    atx_catalog_close(catalog);
}

static void expect_answer(at_tuner *tuner, at_match match, const char *why)
{
    const at_target h200 = {
        .struct_bytes = sizeof(at_target), .device = "NVIDIA H200", .arch = "sm_90", .sms = 132
    };
    at_error err = { 0 };
    for (int64_t size = 1000; size <= 1001; size++) { /* its own problem, and one near it */
        const at_problem problem = { .struct_bytes = sizeof(at_problem),
                                     .op = "twice",
                                     .type = AT_TYPE_F32,
                                     .size_count = 1,
                                     .sizes = { size } };
        at_found *found = NULL;
        cr_assert_eq(at_find(&found, tuner, &problem, &h200, &err), AT_OK, "%s", err.text);
        cr_expect(found->match == (size > 1000 && match == AT_MATCH_EXACT ? AT_MATCH_NEAR : match), "%s",
                  found->why);
        cr_expect(strstr(found->why, match == AT_MATCH_EXACT ? "" : why), "%s", found->why);
        at_found_close(found);
    }
}

Test(library_headers, an_answer_says_which_header_is_missing_or_has_changed)
{
    at_open_options options = with_headers();
    unsetenv("AUTOTUNE_HEADERS");
    options.database = home.db;
    store_winner(&options);
    at_tuner *as_measured = must_open(&options);
    expect_answer(as_measured, AT_MATCH_EXACT, "");
    put("inc/lib/two.h", "#define TWO 3\n");
    at_tuner *changed = must_open(&options);
    expect_answer(changed, AT_MATCH_NONE,
                  "read or measured with: lib/two.h has changed; expected those, or a new run");
    options.headers = "";
    at_tuner *missing = must_open(&options);
    expect_answer(missing, AT_MATCH_NONE,
                  "includes <lib/two.h> from a folder that was named before, and none is now");
    put("inc/lib/two.h", "#define TWO 2\n");
    expect_answer(as_measured, AT_MATCH_EXACT, "");
    at_close(as_measured);
    at_close(changed);
    at_close(missing);
}

/* The tuner's templates were read with others. */
Test(library_headers, a_tuner_that_was_opened_before_the_headers_came_is_to_be_opened_again)
{
    at_open_options options = with_headers();
    options.database = home.db;
    put("inc/lib/two.h", "#define TWO 1\n");
    atx_store_close(open_ok(home.db, ATX_STORE_WRITE));
    at_tuner *old = must_open(&options);
    put("inc/lib/two.h", "#define TWO 2\n");
    store_winner(&options);
    expect_answer(old, AT_MATCH_NONE,
                  "they were others when this program read its templates; expected that it opens them "
                  "again");
    at_close(old);
}

/* As where CUDA's own header of a name did before, and a folder of the user's has one now. */
Test(library_headers, a_folder_that_takes_over_a_header_is_told_of)
{
    at_open_options options = with_headers();
    const char *inc = options.headers;
    unsetenv("AUTOTUNE_HEADERS");
    options.database = home.db;
    options.headers = "";
    store_winner(&options);
    at_tuner *without = must_open(&options);
    expect_answer(without, AT_MATCH_EXACT, "");
    options.headers = inc;
    at_tuner *with = must_open(&options);
    expect_answer(
        with, AT_MATCH_NONE,
        "found <lib/two.h> in a folder that --headers or AUTOTUNE_HEADERS names, and the kernel was "
        "measured without that folder");
    at_close(without);
    at_close(with);
}
