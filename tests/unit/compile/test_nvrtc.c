/* test_nvrtc.c - the real NVRTC, where there is one. No GPU is needed. */
#include "compile/nvrtc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One attempt at a compilation, and all that comes of it. */
typedef struct attempt {
    atx_nvrtc *nvrtc;
    bool ok;
    atx_str code, log;
    atx_resources resources;
    at_error err;
} attempt;

static attempt open_or_skip(void)
{
    attempt a = { 0 };
    if (atx_nvrtc_open(&a.nvrtc, &a.err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    return a;
}

static at_status compile(attempt *a, const char *source, int cc, atx_code kind)
{
    return atx_nvrtc_compile(a->nvrtc, &a->ok, &a->code, &a->log, &a->resources,
                             &(atx_nvrtc_source){ source, "t.cu", cc, kind }, &a->err);
}

static void attempt_clear(attempt *a)
{
    atx_nvrtc_close(a->nvrtc);
    atx_str_clear(&a->code);
    atx_str_clear(&a->log);
}

static const char COPY[] = "extern \"C\" __global__ void copy(const float *in, float *out)\n"
                           "{\n"
                           "    __shared__ float tile[64];\n"
                           "    tile[threadIdx.x] = in[threadIdx.x];\n"
                           "    __syncthreads();\n"
                           "    out[threadIdx.x] = tile[63 - threadIdx.x];\n"
                           "}\n";

Test(nvrtc, tells_its_version_and_where_it_is)
{
    attempt a = open_or_skip();
    const char *version = atx_nvrtc_version(a.nvrtc);
    cr_assert(atof(version) >= 11.8, "%s", version);
    cr_assert(strchr(version, '.'));
    cr_assert(strstr(atx_nvrtc_path(a.nvrtc), "nvrtc"), "%s", atx_nvrtc_path(a.nvrtc));
    attempt_clear(&a);
}

/* Cut, it would lead nowhere: what lies beside it would be looked for elsewhere. */
Test(nvrtc, knows_where_it_is_by_long_names_too)
{
    static const char *const FILES[] = { AT_NVRTC_FOLDER "/libnvrtc.so.13",
                                         AT_NVRTC_FOLDER "/libnvrtc.so.12" };
    const char *file = access(FILES[0], R_OK) == 0 ? FILES[0] : FILES[1];
    atx_str name = { 0 };
    if (access(file, R_OK) != 0)
        cr_skip_test("NVRTC is not in its usual place");
    for (int i = 0; i < 500; i++)
        atx_str_add(&name, "/.");
    atx_str_add(&name, file);
    setenv("AUTOTUNE_NVRTC", atx_str_text(&name), 1);
    attempt a = open_or_skip();
    cr_expect_str_eq(atx_nvrtc_path(a.nvrtc), atx_str_text(&name));
    attempt_clear(&a);
    atx_str_clear(&name);
}

Test(nvrtc, knows_what_it_compiles_for)
{
    attempt a = open_or_skip();
    cr_assert(atx_nvrtc_supports(a.nvrtc, 80) && atx_nvrtc_supports(a.nvrtc, 90));
    cr_assert(!atx_nvrtc_supports(a.nvrtc, 10) && !atx_nvrtc_supports(a.nvrtc, 0));
    cr_assert(!atx_nvrtc_supports(a.nvrtc, -1) && !atx_nvrtc_supports(a.nvrtc, 9999));
    cr_assert(atx_nvrtc_nearest(a.nvrtc, 90) == 90);
    cr_assert(atx_nvrtc_nearest(a.nvrtc, 9999) >= 90);
    cr_assert(atx_nvrtc_nearest(a.nvrtc, 10) == 0);
    attempt_clear(&a);
}

Test(nvrtc, compiles_a_kernel_to_a_cubin)
{
    attempt a = open_or_skip();
    cr_assert(compile(&a, COPY, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    cr_assert(a.ok && a.code.len > 100 && memcmp(a.code.data, "\177ELF", 4) == 0);
    cr_assert_str_eq(atx_str_text(&a.log), "", "a clean compilation says nothing");
    attempt_clear(&a);
}

Test(nvrtc, compiles_a_kernel_to_ptx)
{
    attempt a = open_or_skip();
    cr_assert(compile(&a, COPY, 80, ATX_PTX) == AT_OK, "%s", a.err.text);
    cr_assert(a.ok && strstr(atx_str_text(&a.code), ".entry copy"));
    cr_assert(strlen(atx_str_text(&a.code)) == a.code.len, "no final zero is counted");
    cr_assert(a.resources.registers == -1 && a.resources.spill_bytes == -1);
    attempt_clear(&a);
}

/* What ptxas of a plain architecture says of an instruction that only its variant has. */
Test(nvrtc, compiles_for_a_variant_where_the_text_says_so_or_the_code_needs_it)
{
    static const char FENCE[] = "extern \"C\" __global__ void k(int *out)\n{\n"
                                "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n    *out = 1;\n#endif\n"
                                "    asm volatile(\"wgmma.fence.sync.aligned;\");\n}\n";
    static const char ASKED[] = "//!autotune target sm_90a sm_100f\nextern \"C\" __global__ void k() {}\n"
                                "#ifndef __CUDA_ARCH_FEAT_SM90_ALL\nplain\n#endif\n";
    attempt a = open_or_skip();
    if (atof(atx_nvrtc_version(a.nvrtc)) < 12)
        cr_skip_test("this NVRTC knows no sm_90a");
    cr_assert_eq(compile(&a, FENCE, 90, ATX_CUBIN), AT_OK, "%s", a.err.text);
    cr_assert(a.ok, "%s", atx_str_text(&a.log));
    cr_assert_eq(compile(&a, FENCE, 80, ATX_CUBIN), AT_OK, "%s", a.err.text);
    cr_assert_not(a.ok, "sm_80 has no variant");
    cr_assert_eq(compile(&a, ASKED, 90, ATX_CUBIN), AT_OK, "%s", a.err.text);
    cr_assert(a.ok, "%s", atx_str_text(&a.log));
    cr_assert_eq(compile(&a, ASKED, 90, ATX_PTX), AT_OK, "%s", a.err.text);
    cr_assert(a.ok && strstr(atx_str_text(&a.code), ".target sm_90a"), "%s", atx_str_text(&a.log));
    cr_assert_eq(compile(&a, ASKED, 90, ATX_PORTABLE_PTX), AT_OK, "%s", a.err.text);
    cr_assert_not(a.ok, "code for newer devices is for no variant");
    cr_assert_eq(compile(&a, ASKED, 80, ATX_CUBIN), AT_OK, "%s", a.err.text);
    cr_assert_not(a.ok, "sm_80 is none of its targets");
    attempt_clear(&a);
}

Test(nvrtc, reads_resources)
{
    attempt a = open_or_skip();
    cr_assert(compile(&a, COPY, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    cr_assert(a.resources.registers >= 6 && a.resources.registers <= 64);
    cr_assert(a.resources.shared_bytes == 256);
    cr_assert(a.resources.spill_bytes == 0 && a.resources.stack_bytes == 0);
    attempt_clear(&a);
}

Test(nvrtc, reads_spills)
{
    static const char SOURCE[] =
        "extern \"C\" __global__ __launch_bounds__(1024, 2) void spill(float *p)\n"
        "{\n"
        "    float a[100];\n"
        "    _Pragma(\"unroll\") for (int i = 0; i < 100; i++) a[i] = p[i * 32 + threadIdx.x];\n"
        "    __syncthreads();\n"
        "    _Pragma(\"unroll\") for (int i = 0; i < 100; i++) p[threadIdx.x + 32 * i] = a[99 - i];\n"
        "}\n";
    attempt a = open_or_skip();
    cr_assert(compile(&a, SOURCE, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    cr_assert(a.ok && a.resources.spill_bytes > 0 && a.resources.stack_bytes > 0 &&
              a.resources.registers == 32);
    cr_assert(a.resources.shared_bytes == 0);
    attempt_clear(&a);
}

Test(nvrtc, reports_the_largest_of_several_kernels)
{
    static const char SOURCE[] =
        "extern \"C\" __global__ void a(float *p) { __shared__ float t[8]; t[threadIdx.x] = *p;"
        " __syncthreads(); *p = t[threadIdx.x ^ 1]; }\n"
        "extern \"C\" __global__ void b(float *p) { __shared__ float t[32]; t[threadIdx.x] = *p;"
        " __syncthreads(); *p = t[threadIdx.x ^ 1]; }\n";
    attempt a = open_or_skip();
    cr_assert(compile(&a, SOURCE, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    cr_assert(a.resources.shared_bytes == 128);
    attempt_clear(&a);
}

Test(nvrtc, refuses_with_the_line_of_the_template)
{
    static const char SOURCE[] = "constexpr int TILE = 32;\n"
                                 "#line 41 \"templates/transpose/tile.cu\"\n"
                                 "extern \"C\" __global__ void bad(float *p)\n"
                                 "{\n"
                                 "    *p = TILES;\n"
                                 "}\n";
    attempt a = open_or_skip();
    atx_str_add(&a.code, "old");
    cr_assert(compile(&a, SOURCE, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    cr_assert(!a.ok && a.code.len == 0);
    cr_assert(strstr(atx_str_text(&a.log), "templates/transpose/tile.cu(43): error"), "%s",
              atx_str_text(&a.log));
    cr_assert(strstr(atx_str_text(&a.log), "TILES"));
    attempt_clear(&a);
}

Test(nvrtc, refuses_what_the_assembler_refuses)
{
    static const char SOURCE[] = "extern \"C\" __global__ void big(float *p) { __shared__ float t[100000];"
                                 " t[threadIdx.x] = *p; __syncthreads(); *p = t[threadIdx.x ^ 1]; }\n";
    attempt a = open_or_skip();
    cr_assert(compile(&a, SOURCE, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    cr_assert(!a.ok && strstr(atx_str_text(&a.log), "too much shared data"), "%s", atx_str_text(&a.log));
    attempt_clear(&a);
}

/* NVRTC then reads less before each text. */
Test(nvrtc, leaves_textures_out_where_a_kernel_has_none)
{
    static const char PLAIN[] = "#ifdef __CUDACC_RTC_MINIMAL__\n"
                                "extern \"C\" __global__ void minimal(int *p) { *p = 1; }\n"
                                "#else\n"
                                "extern \"C\" __global__ void whole(int *p) { *p = 1; }\n"
                                "#endif\n",
                      TEXTURE[] = "extern \"C\" __global__ void read(float *p, cudaTextureObject_t t)\n"
                                  "{\n    *p = tex2D<float>(t, 1.0f, 2.0f);\n}\n",
                      REFUSED[] = "__global__ void k(int *p) { static_assert(sizeof *p == 8, \"\"); }\n",
                      WRONG[] = "extern \"C\" __global__ void read(float *p, cudaTextureObject_t t)\n"
                                "{\n    *p = tex2D<float>(t, 1.0f, 2.0f) + X;\n}\n";
    attempt a = open_or_skip();
    cr_assert(compile(&a, PLAIN, 80, ATX_PTX) == AT_OK && a.ok, "%s", atx_str_text(&a.log));
    cr_expect(strstr(atx_str_text(&a.code), "minimal") || atof(atx_nvrtc_version(a.nvrtc)) < 12);
    cr_assert(compile(&a, REFUSED, 80, ATX_PTX) == AT_OK && !a.ok);
    cr_assert(compile(&a, PLAIN, 80, ATX_PTX) == AT_OK && a.ok, "%s", atx_str_text(&a.log));
    cr_expect(!strstr(atx_str_text(&a.code), "whole"), "one configuration's own error is nobody else's");
    cr_assert(compile(&a, TEXTURE, 80, ATX_CUBIN) == AT_OK && a.ok, "%s", atx_str_text(&a.log));
    cr_assert(compile(&a, WRONG, 80, ATX_CUBIN) == AT_OK && !a.ok);
    cr_assert(strstr(atx_str_text(&a.log), "\"X\" is undefined"), "%s", atx_str_text(&a.log));
    cr_assert_not(strstr(atx_str_text(&a.log), "cudaTextureObject_t"), "%s", atx_str_text(&a.log));
    cr_assert(compile(&a, PLAIN, 80, ATX_PTX) == AT_OK && a.ok, "%s", atx_str_text(&a.log));
    cr_expect(strstr(atx_str_text(&a.code), "whole"), "a file that needed them is not compiled twice again");
    attempt_clear(&a);
}

Test(nvrtc, has_the_structs_of_the_runtime)
{
    static const char *const TEXTS[] = {
        "extern \"C\" __global__ void k(float *p, struct cudaExtent e) { *p = e.width; }\n",
        "struct Box : cudaExtent { int b; };\nextern \"C\" __global__ void k(float *p, Box e) { *p = "
        "e.width; }\n",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        attempt a = open_or_skip();
        cr_assert(compile(&a, TEXTS[i], 80, ATX_PTX) == AT_OK && a.ok, "%s", atx_str_text(&a.log));
        attempt_clear(&a);
    }
}

Test(nvrtc, finds_the_headers_of_half_types)
{
    static const char SOURCE[] = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                                 "extern \"C\" __global__ void k(__half *p, __nv_bfloat16 *q)\n"
                                 "{\n    p[1] += p[0];\n    q[1] += q[0];\n}\n";
    attempt a = open_or_skip();
    cr_assert(compile(&a, SOURCE, 80, ATX_CUBIN) == AT_OK, "%s", a.err.text);
    if (strstr(atx_str_text(&a.log), "found no headers of CUDA"))
        cr_skip_test("CUDA's headers are not installed beside NVRTC");
    cr_assert(a.ok, "%s", atx_str_text(&a.log));
    attempt_clear(&a);
}

/* However many warnings the compiler gave first, and whatever an error quotes of a configuration. */
Test(nvrtc, errors_of_a_log_come_before_warnings)
{
    static const char *const NUMBERS[] = { "64", "128" };
    atx_str causes[2] = { { 0 } };
    attempt a = open_or_skip();
    for (int i = 0; i < 2; i++) {
        char source[500];
        atx_log_error e;
        snprintf(source, sizeof source,
                 "#define __global__ __attribute__((global))\n"
                 "struct Tile { float at[%s]; };\n"
                 "extern \"C\" __global__ void k(float *y)\n{\n    int unused = 1;\n"
                 "    float x[%s] = y;\n    y[0] = missing;\n}\n",
                 NUMBERS[i], NUMBERS[i]);
        cr_assert(compile(&a, source, 90, ATX_CUBIN) == AT_OK && !a.ok, "%s", a.err.text);
        const char *text = atx_str_text(&a.log);
        cr_assert_eq(strncmp(text, "t.cu(6): error: ", 16), 0, "%s", text);
        cr_assert(strstr(text, "t.cu(7): error: ") < strstr(text, "): warning"), "%s", text);
        cr_assert(strstr(text, NUMBERS[i]), "the error quotes the number: %s", text);
        cr_assert(atx_nvrtc_first_error(&e, text));
        cr_assert(e.line == 6 && e.file_len == 4 && strncmp(e.text, "initial", 3) == 0, "%.*s", e.text_len,
                  e.text);
        atx_nvrtc_cause(&causes[i], text);
    }
    cr_assert_str_eq(atx_str_text(&causes[0]), atx_str_text(&causes[1]));
    atx_str_clear(&causes[0]);
    atx_str_clear(&causes[1]);
    attempt_clear(&a);
}

Test(nvrtc, keeps_warnings_and_drops_ptxas_information)
{
    static const char SOURCE[] = "extern \"C\" __global__ void k(float *p) { int unused; *p = 1; }\n";
    attempt a = open_or_skip();
    cr_assert(compile(&a, SOURCE, 80, ATX_CUBIN) == AT_OK && a.ok);
    cr_assert(strstr(atx_str_text(&a.log), "never referenced"), "%s", atx_str_text(&a.log));
    cr_assert(!strstr(atx_str_text(&a.log), "ptxas"), "%s", atx_str_text(&a.log));
    cr_assert(a.resources.registers > 0);
    attempt_clear(&a);
}

/* So does the cache of compiled kernels keep them. */
Test(nvrtc, resources_come_back_from_a_kept_log)
{
    static const atx_resources KEPT = {
        .registers = 40, .shared_bytes = 4224, .stack_bytes = 16, .spill_bytes = 24, .local_bytes = -1
    };
    static const char *const LOGS[] = { "", "k.cu(3): warning: never referenced\nand a second line" };
    for (int i = 0; i < 2; i++) {
        atx_str kept = { 0 }, log = { 0 };
        atx_resources found;
        atx_nvrtc_log_with_resources(&kept, LOGS[i], &KEPT);
        atx_nvrtc_digest(kept.data, &log, &found);
        cr_assert_str_eq(atx_str_text(&log), LOGS[i]);
        cr_assert(found.registers == 40 && found.shared_bytes == 4224 && found.spill_bytes == 24 &&
                  found.stack_bytes == 16);
        atx_str_clear(&kept);
        atx_str_clear(&log);
    }
}

/* An older version kept no resources, and PTX has none. */
Test(nvrtc, a_log_without_resources_leaves_them_unknown)
{
    const atx_resources UNKNOWN = ATX_RESOURCES_UNKNOWN;
    atx_str kept = { 0 }, log = { 0 };
    atx_resources found = { 0 };
    atx_nvrtc_log_with_resources(&kept, "a warning", &UNKNOWN);
    cr_assert_str_eq(atx_str_text(&kept), "a warning");
    atx_nvrtc_digest(kept.data, &log, &found);
    cr_assert(found.registers == -1 && found.shared_bytes == -1 && found.spill_bytes == -1);
    atx_str_clear(&kept);
    atx_str_clear(&log);
}

Test(nvrtc, cuts_a_log_that_nobody_would_read)
{
    atx_str source = { 0 };
    attempt a = open_or_skip();
    atx_str_add(&source, "extern \"C\" __global__ void k(float *p)\n{\n");
    for (int i = 0; i < 2000; i++)
        atx_str_addf(&source, "    int a_variable_with_a_long_name_that_fills_the_log_%d;\n", i);
    atx_str_add(&source, "}\n");
    cr_assert(compile(&a, atx_str_text(&source), 80, ATX_CUBIN) == AT_OK && a.ok);
    cr_assert(a.log.len > 60000 && a.log.len < 70000, "%zu", a.log.len);
    cr_assert(strstr(atx_str_text(&a.log), "left out"));
    cr_assert(a.resources.registers > 0, "which come after the cut");
    atx_str_clear(&source);
    attempt_clear(&a);
}

Test(nvrtc, one_handle_compiles_many)
{
    attempt a = open_or_skip();
    for (int i = 0; i < 3; i++) {
        cr_assert(compile(&a, COPY, 90, ATX_CUBIN) == AT_OK && a.ok);
        cr_assert(compile(&a, "not C++", 90, ATX_CUBIN) == AT_OK && !a.ok && a.log.len > 0);
    }
    attempt_clear(&a);
}

Test(nvrtc, names_the_architectures_when_it_lacks_one)
{
    attempt a = open_or_skip();
    cr_assert(compile(&a, COPY, 33, ATX_CUBIN) == AT_ERR_DEVICE);
    cr_assert(strstr(a.err.text, "compute capability 33; it knows") && strstr(a.err.text, " 90"), "%s",
              a.err.text);
    attempt_clear(&a);
}

Test(nvrtc, keys_differ_where_code_may_differ)
{
    atx_str sm80 = { 0 }, sm90 = { 0 }, ptx = { 0 }, again = { 0 };
    attempt a = open_or_skip();
    atx_nvrtc_key(&sm80, a.nvrtc, 80, ATX_CUBIN);
    atx_nvrtc_key(&sm90, a.nvrtc, 90, ATX_CUBIN);
    atx_nvrtc_key(&ptx, a.nvrtc, 80, ATX_PTX);
    cr_assert(compile(&a, COPY, 80, ATX_CUBIN) == AT_OK);
    atx_nvrtc_key(&again, a.nvrtc, 80, ATX_CUBIN);
    cr_assert_str_eq(sm80.data, again.data, "the same before and after the first compilation");
    cr_assert_str_neq(sm80.data, sm90.data);
    cr_assert_str_neq(sm80.data, ptx.data);
    cr_assert(strstr(sm80.data, atx_nvrtc_version(a.nvrtc)));
    atx_str_clear(&sm80);
    atx_str_clear(&sm90);
    atx_str_clear(&ptx);
    atx_str_clear(&again);
    attempt_clear(&a);
}

Test(nvrtc, says_what_to_do_when_it_is_missing)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    setenv("AUTOTUNE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    cr_assert(atx_nvrtc_open(&nvrtc, &err) == AT_ERR_DEVICE && !nvrtc);
    cr_assert(strstr(err.text, "/nonexistent/libnvrtc.so") && strstr(err.text, "AUTOTUNE_NVRTC"), "%s",
              err.text);
    atx_nvrtc_close(NULL);
}

Test(nvrtc, does_not_take_another_library_for_nvrtc)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    setenv("AUTOTUNE_NVRTC", "libm.so.6", 1);
    cr_assert(atx_nvrtc_open(&nvrtc, &err) == AT_ERR_DEVICE);
    cr_assert(strstr(err.text, "libm.so.6: not NVRTC"), "%s", err.text);
}
