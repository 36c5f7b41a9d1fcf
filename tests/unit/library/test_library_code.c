/* test_library_code.c - source, cubins and PTX of answers, with real compilations. */
#include "library_support.h"

#include <locale.h>
#include <math.h>
#include <sys/stat.h>

TestSuite(library_code, .init = set_up, .fini = tear_down);

Test(library_code, gives_the_source)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    char *source = NULL;
    cr_assert_eq(at_source(&source, found, NULL), AT_OK);
    cr_assert(strstr(source, "constexpr int TILE = 32;"));
    cr_assert(strstr(source, found->launches[0]->kernel));
    at_free(source);
    at_found_close(found);
    at_close(tuner);
}

/* The category LC_NUMERIC of a locale that writes 1,5, as glibc keeps it: offsets, then the texts. */
static bool choose_comma_locale(void)
{
    static const struct {
        uint32_t magic, count, offsets[6];
        char texts[22];
    } NUMERIC = {
        0x20031115 ^ LC_NUMERIC, 6, { 32, 34, 36, 40, 44, 48 }, ",\0.\0\3\3\0\0,\0\0\0.\0\0\0UTF-8"
    };
    char path[256];
    snprintf(path, sizeof path, "%s/comma", home.path);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", home.path);
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(&NUMERIC, 54, 1, file) == 1 && fclose(file) == 0);
    set_or_unset("LOCPATH", home.path);
    return setlocale(LC_NUMERIC, "comma") != NULL;
}

Test(library_code, means_the_same_in_a_program_whose_numbers_have_a_comma)
{
    static const char OP[] =
        "/*!autotune\nop scaled # out = factor * in\nshape n\ntype T = f32\n"
        "arg out T[n] output\narg in T[n] input uniform 0.5 1.5\narg factor f32 = 0.75\n"
        "reference scaled_reference\ngrid n\nblock 1\ncheck within 1e-3 relative\n"
        "traffic 2 * n * sizeof(T)\n*/\n"
        "extern \"C\" __global__ void scaled_reference(T *out, const T *in, float f) {}\n";
    static const char MINE[] = "/*!autotune\ntemplate mine\nparam N = 1\nfixed 1\ngrid n\nblock 1\n*/\n"
                               "extern \"C\" __global__ void scaled_mine(T *out, const T *in, float f) {}\n";
    const at_problem scaled = { .struct_bytes = sizeof(at_problem),
                                .op = "scaled",
                                .type = AT_TYPE_F32,
                                .size_count = 1,
                                .sizes = { 64 } };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[256], number[8], *source = NULL;
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    if (!choose_comma_locale())
        cr_skip_test("this C library keeps its locales in another way");
    snprintf(number, sizeof number, "%.1f", 1.5);
    cr_assert_str_eq(number, "1,5");

    snprintf(path, sizeof path, "%s/scaled", home.path);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/scaled/op.cu", home.path);
    put_text(path, OP);
    snprintf(path, sizeof path, "%s/scaled/mine.cu", home.path);
    put_text(path, MINE);
    options.templates = home.path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(at_warnings(tuner), "");
    at_found *found = find_ok(tuner, scaled, &ON_H200);
    cr_assert_eq(at_source(&source, found, &err), AT_OK, "%s", err.text);
    cr_assert(strstr(source, "factor = (float)7.5"), "%s", source);
    snprintf(number, sizeof number, "%.1f", 1.5);
    cr_assert_str_eq(number, "1,5", "the program's own locale is as it was");
    at_free(source);
    at_found_close(found);
    at_close(tuner);
}

static at_code *compile_or_skip(at_tuner *tuner, const at_found *found, at_code_kind kind)
{
    at_error err = { 0 };
    at_code *code = NULL;
    at_status status = at_compile(&code, tuner, found, kind, NULL, &err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    return code;
}

/* wgmma and the like are in code for sm_90a alone: sm_90 promises to run on later devices, too. Code that
 * mentions them is made for it without being asked. */
Test(library_code, compiles_for_what_one_architecture_alone_has)
{
    static const char OP[] = "/*!autotune\nop newest\nshape n\ntype T = f32\narg out T[n] output\n"
                             "arg in T[n] input\nreference newest_reference\ngrid n\nblock 1\n"
                             "check exact\ntraffic 8 * n\n*/\n"
                             "extern \"C\" __global__ void newest_reference(T *out, const T *in) {}\n";
    static const char MINE[] =
        "/*!autotune\ntemplate mine\nparam N = 1\ngrid 1\nblock 32\n*/\n"
        "#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)\n#error needs sm_90a\n#endif\n"
        "extern \"C\" __global__ void newest_mine(T *out, const T *in) {}\n";
    static const char *const REFUSED[] = { "sm_80a", "sm_90f", "sm_90b", "a" };
    const at_problem newest = { .struct_bytes = sizeof(at_problem),
                                .op = "newest",
                                .type = AT_TYPE_F32,
                                .size_count = 1,
                                .sizes = { 64 } };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_target target = ON_H200;
    char path[256];
    at_tuner *tuner = NULL;
    at_found *found = NULL;
    at_code *code = NULL;
    at_error err = { 0 };
    snprintf(path, sizeof path, "%s/newest", home.path);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/newest/op.cu", home.path);
    put_text(path, OP);
    snprintf(path, sizeof path, "%s/newest/mine.cu", home.path);
    put_text(path, MINE);
    options.templates = home.path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(at_warnings(tuner), "");
    target.arch = "sm_90a";
    found = find_ok(tuner, newest, &target);
    cr_assert_str_eq(found->arch, "sm_90a");
    at_code_close(compile_or_skip(tuner, found, AT_CODE_CUBIN));
    at_code_close(compile_or_skip(tuner, found, AT_CODE_PTX));
    at_found_close(found);
    target.arch = "sm_90";
    found = find_ok(tuner, newest, &target);
    cr_assert_str_eq(found->arch, "sm_90a");
    at_code_close(compile_or_skip(tuner, found, AT_CODE_CUBIN));
    at_found_close(found);
    target.arch = "sm_80";
    found = find_ok(tuner, newest, &target);
    cr_assert_str_eq(found->arch, "sm_80");
    cr_assert_eq(at_compile(&code, tuner, found, AT_CODE_CUBIN, NULL, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "needs sm_90a"), "%s", err.text);
    at_found_close(found);
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        target.arch = REFUSED[i];
        cr_assert_eq(at_find(&found, tuner, &newest, &target, &err), AT_ERR_USAGE, "%s", REFUSED[i]);
    }
    at_close(tuner);
}

Test(library_code, compiles_cubins_and_ptx)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    at_code *code = compile_or_skip(tuner, found, AT_CODE_CUBIN);
    cr_assert_gt(code->bytes, 1000);
    cr_assert_eq(memcmp(code->data, "\177ELF", 4), 0);
    cr_assert_eq(code->kernel_count, 1);
    cr_assert_str_eq(code->kernels[0], "transpose_tile_rows");
    at_code_close(code);
    code = compile_or_skip(tuner, found, AT_CODE_PTX);
    cr_assert_eq(strlen(code->data), code->bytes);
    cr_assert(strstr(code->data, ".target sm_90"));
    at_code_close(code);
    at_found_close(found);
    at_close(tuner);
}

Test(library_code, keeps_cubins_in_the_cache)
{
    char path[256];
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    at_code_close(compile_or_skip(tuner, found, AT_CODE_CUBIN));
    at_code_close(compile_or_skip(tuner, found, AT_CODE_CUBIN));
    at_found_close(found);
    at_close(tuner);
    snprintf(path, sizeof path, "%s/.cache/autotune/kernels.db", home.path);
    atx_store *cache = open_ok(path, ATX_STORE_READ);
    cr_assert_str_eq(scalar(cache, "SELECT count(*) FROM cubin").text, "1");
    cr_assert_str_eq(scalar(cache, "SELECT substr(stored_at, 1, 9) FROM cubin").text, "winner 20",
                     "goes last");
    atx_store_close(cache);
}
