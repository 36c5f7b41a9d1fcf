/* test_export.c - a winner as a file of its own; whole files are compared in tests/cli/export.cmd. */
#include "export/export.h"
#include "lang/catalog.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHER "cudaError_t transpose_3x64x33_u8(T *out, const T *in, cudaStream_t stream)"

/* An exact answer. */
#define FOUND(a, template)                                                                                   \
    ((atx_found){ .match = ATX_MATCH_EXACT, .why = "", .t = (template), .answer = (a), .own = true })

static void export_one(atx_str *out, atx_answer *answer, bool with_main, at_status expected)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_problem problem;
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    const atx_template *t = atx_catalog_find_template(catalog, op, "tile");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_U8, (int64_t[]){ 3, 64, 33 }, 3, &err), AT_OK, "%s",
                 err.text);
    answer->winner.template_hash = t->text.hash;
    cr_assert_eq(
        atx_export_cu(out, &(atx_export_input){ &FOUND(answer, t), &problem, .with_main = with_main }, &err),
        expected, "%s", err.text);
    atx_catalog_close(catalog);
}

static atx_answer answer(void)
{
    return (atx_answer){
        .winner = { .template_name = "tile",
                    .config = "TILE_ROWS=8 TILE_COLS=8 PAD=1 ORDER=in_fast",
                    .ceiling_name = "memcpy",
                    .ties = "",
                    .objective = "",
                    .timing.median_s = 1e-6,
                    .ceiling_s = 1e-6,
                    .geometry.grid = { 120, 1, 1 },
                    .geometry.block = { 8, 8, 1 } },
        .fingerprint = { .device = "GPU",
                         .cc = 90,
                         .sms = 132,
                         .driver = "1",
                         .nvrtc = "13.0",
                         .cold = true },
        .measured_at = "2026-01-01T00:00:00Z",
        .traffic_bytes = 12672,
    };
}

Test(export, the_launcher_bakes_in_the_problem)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    export_one(&out, &a, false, AT_OK);
    cr_assert(strstr(out.data, LAUNCHER));
    cr_assert(strstr(
        out.data, "<<<dim3(120, 1, 1), dim3(8, 8, 1), 0, stream>>>(out, in, 3LL, 64LL, 33LL, 33LL, 64LL)"));
    cr_assert(!strstr(out.data, "#line"), "compiler messages must point into the exported file");
    cr_assert(!strstr(out.data, "int main"));
    atx_str_clear(&out);
}

Test(export, main_brings_the_reference_and_the_stored_time)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    export_one(&out, &a, true, AT_OK);
    cr_assert(strstr(out.data, "int main"));
    cr_assert(strstr(out.data, "transpose_reference<<<"));
    cr_assert(strstr(out.data, "autotune_stored_us = 1.0000"));
    atx_str_clear(&out);
}

Test(export, the_kernel_has_a_name_of_its_own)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    export_one(&out, &a, false, AT_OK);
    cr_assert(strstr(out.data, "\ntranspose_3x64x33_u8_kernel(T *__restrict__ out"),
              "two exports of a template must link together");
    cr_assert(!strstr(out.data, "transpose_tile"));
    cr_assert(!strstr(out.data, "AUTOTUNE"));
    atx_str_clear(&out);
}

Test(export, says_how_to_measure_it_again)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    export_one(&out, &a, false, AT_OK);
    cr_assert(strstr(out.data, " autotune tune transpose 3x64x33 u8 --device 0 --force\n"));
    atx_str_reset(&out);
    a.fingerprint.cold = false;
    export_one(&out, &a, false, AT_OK);
    cr_assert(strstr(out.data, "--force --warm\n"));
    atx_str_clear(&out);
}

/* One file that declares both the op and its template; a buffer that is read and written. */
static const char SOURCE[] = "/*!autotune\n"
                             "op        negate\n"
                             "shape     n\n"
                             "type      T = storage\n"
                             "arg       data  T[n]  inout\n"
                             "reference negate_reference\n"
                             "block     256\n"
                             "grid      ceil_div(n, 256)\n"
                             "check     exact\n"
                             "traffic   2 * n * sizeof(T)\n"
                             "*/\n"
                             "/*!autotune\n"
                             "template  plain\n"
                             "param     THREADS = 64 128\n"
                             "grid      ceil_div(n, THREADS)\n"
                             "block     THREADS\n"
                             "*/\n"
                             "extern \"C\" __global__ void negate_reference(T *data) {}\n"
                             "extern \"C\" __global__ void negate_plain(T *data) {}\n";

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

Test(export, one_file_with_both_declarations_comes_once)
{
    at_error err = { 0 };
    atx_str out = { 0 };
    atx_op *op = NULL;
    atx_template *t = NULL;
    atx_problem problem;
    atx_answer a = answer();
    cr_assert_eq(atx_op_read(&op, SOURCE, strlen(SOURCE), "negate.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_template_read(&t, op, SOURCE, strlen(SOURCE), "negate.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 1000 }, 1, &err), AT_OK, "%s",
                 err.text);
    a.winner.template_name = "plain";
    a.winner.template_hash = t->text.hash;
    a.winner.config = "THREADS=128";
    cr_assert_eq(atx_export_cu(&out, &(atx_export_input){ &FOUND(&a, t), &problem, .with_main = true }, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(occurrences(out.data, "void negate_reference("), 1);
    cr_assert(strstr(out.data, "{ \"data\", 4000ull, 256, true, true, false },"),
              "read and written: never poisoned");
    atx_str_clear(&out);
    atx_template_close(t);
    atx_op_close(op);
}

/* Floats, a type of its own, and kernels that take other pointers than the op has arguments. */
#define NUMBERS_OP                                                                                           \
    "/*!autotune\nop scale\nshape n\ntype A = f32\ntype T = f16 f32\narg y T[n] output zero\n"               \
    "arg x A[n] input uniform -1 1\narg i i32[n] input permutation\narg eps A = 1e-5\narg f f16 = 0.5\n"     \
    "arg n i64\ncheck within 1e-3 relative\nreference scale_reference\nblock 32\ngrid 1\ntraffic n\n*/\n"    \
    "/*!autotune\ntemplate plain\ngrid 1\nblock 32\n*/\n"                                                    \
    "extern \"C\" __global__ void scale_reference(T *y, A *x, const int *i, float eps, __half f, int n)\n"   \
    "{ for (int k = 0; k < n; k++) y[i[k]] = (T)(x[k] * eps * (float)f); }\n"                                \
    "extern \"C\" __global__ void scale_plain(T *__restrict__ y, float2 *x, const unsigned *i, A eps, "      \
    "__half f, long long n)\n{ y[i[threadIdx.x]] = (T)(x[threadIdx.x].x * eps * (float)f); }\n"

/* With a table in a variable whose name is an argument's too, and one in a namespace. */
#define VARIABLES_OP                                                                                         \
    "/*!autotune\nop scale\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform -1 1\n"       \
    "arg w f32[9] input uniform 0 1 into w\narg v i32[4] input range 0 8 into ns::v\narg n i64\n"            \
    "arg up bool = n > 9\n"                                                                                  \
    "check within 1e-3 relative\nreference scale_reference\nblock 32\ngrid 1\ntraffic n\n*/\n"               \
    "/*!autotune\ntemplate plain\nscalar parts u16 = n / 8\nscalar part f32 = n / 4000\ngrid 1\n"            \
    "block 32\narg y x n up parts part\n*/\n"                                                                \
    "__constant__ float w[9];\nnamespace ns { __constant__ int v[5]; }\n"                                    \
    "extern \"C\" __global__ void scale_reference(T *y, const T *x, const float *w, const int *v, int n, "   \
    "bool)\n"                                                                                                \
    "{ for (int k = 0; k < n; k++) y[k] = x[k] * w[k % 9] * (float)v[k % 4]; }\n"                            \
    "extern \"C\" __global__ void scale_plain(T *y, const T *x, int n, bool, unsigned short, float)\n"       \
    "{ for (int k = threadIdx.x; k < n; k += 32) y[k] = x[k] * w[k % 9] * (float)ns::v[k % 4]; }\n"

/* Launches with attributes, and a tensor map. */
#define ATTRIBUTES_OP                                                                                        \
    "/*!autotune\nop scale\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform -1 1\n"       \
    "arg n i64\ncheck within 1e-3 relative\nreference scale_reference\nblock 32\ngrid 1\ntraffic n\n*/\n"    \
    "/*!autotune\ntemplate plain\ntarget specific\ntensormap boxes = x dims 4 n / 4 box 4 2 l2 128\n"        \
    "launch scale_first grid 32 block 32 cluster 16 cooperative carveout 50 arg y boxes\n"                   \
    "launch scale_second grid 1 block 32 programmatic shared 64 arg y x n\n*/\n"                             \
    "struct alignas(64) Map { char bytes[128]; };\n"                                                         \
    "extern \"C\" __global__ void scale_reference(T *y, const T *x, long long n) { y[0] = x[0]; }\n"         \
    "extern \"C\" __global__ void scale_first(T *y, const __grid_constant__ Map boxes) { y[0] = "            \
    "boxes.bytes[0]; }\n"                                                                                    \
    "extern \"C\" __global__ void scale_second(T *y, const T *x, long long n) { y[0] = x[0]; }\n"

static void export_numbers_of(atx_str *out, const char *source, atx_dtype type, bool with_main)
{
    at_error err = { 0 };
    atx_op *op = NULL;
    atx_template *t = NULL;
    atx_problem problem;
    atx_answer a = answer();
    cr_assert_eq(atx_op_read(&op, source, strlen(source), "scale.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_template_read(&t, op, source, strlen(source), "scale.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, op, type, (int64_t[]){ 1000 }, 1, &err), AT_OK, "%s", err.text);
    a.winner.template_name = "plain";
    a.winner.template_hash = t->text.hash;
    a.winner.config = "";
    cr_assert_eq(
        atx_export_cu(out, &(atx_export_input){ &FOUND(&a, t), &problem, .with_main = with_main }, &err),
        AT_OK, "%s", err.text);
    atx_template_close(t);
    atx_op_close(op);
}

static void export_numbers(atx_str *out, atx_dtype type, bool with_main)
{
    export_numbers_of(out, NUMBERS_OP, type, with_main);
}

Test(export, arguments_are_passed_as_their_types_and_as_the_kernel_takes_them)
{
    atx_str out = { 0 };
    export_numbers(&out, ATX_F32, true);
    cr_assert(
        strstr(out.data, "cudaError_t scale_1000_f32(T *y, const float *x, const int *i, cudaStream_t"));
    cr_assert(strstr(out.data,
                     "stream>>>(y, (float2 *)x, (const unsigned *)i, (float)1.00000000000000008e-05, "
                     "(__half)5.00000000000000000e-01, 1000LL);"));
    cr_assert(strstr(out.data, "1000 elements of 4 bytes, aligned to 256, written; all zero before\n"));
    cr_assert(
        strstr(out.data, ">>>((T *)buffers[0], (A *)(const float *)buffers[1], (const int *)buffers[2], "));
    atx_str_clear(&out);
}

/* By their full names, as arguments may have the same; the benchmark fills them once. */
Test(export, the_launcher_fills_variables_before_the_launch)
{
    atx_str out = { 0 };
    export_numbers_of(&out, VARIABLES_OP, ATX_F32, true);
    const char *fill =
        strstr(out.data, "cudaMemcpyToSymbolAsync(::w, w, 36, 0, cudaMemcpyDeviceToDevice, stream)");
    const char *more = strstr(out.data, "cudaMemcpyToSymbolAsync(::ns::v, v, 16, 0, ");
    const char *launch = strstr(
        out.data, "stream>>>(y, x, 1000LL, (bool)1, (unsigned short)125, (float)2.50000000000000000e-01)");
    cr_assert(fill && more && launch && fill < more && more < launch, "%s", out.data);
    cr_assert(strstr(out.data, "copied to ns::v before each launch; NULL: that stays as it is"));
    cr_assert(
        strstr(out.data, "(const float *)(fill ? buffers[2] : nullptr), (const int *)(fill ? buffers[3] : "));
    cr_assert(strstr(out.data, "36ull, 256, true, false, true },"), "filled once, so the same in all sets");
    atx_str_clear(&out);
}

Test(export, the_launcher_has_the_attributes_and_tensor_maps_of_its_launches)
{
    static const char *const EXPECTED[] = {
        "Compile with nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a.",
        ("cuTensorMapEncodeTiled(&boxes.map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)x, boxes_dims, "
         "boxes_strides"),
        "const cuuint64_t boxes_dims[] = { 4, 250 };",
        "const cuuint64_t boxes_strides[] = { 16 };",
        "cudaFuncAttributeNonPortableClusterSizeAllowed, 1)",
        "cudaFuncAttributePreferredSharedMemoryCarveout, 50)",
        "attributes[0].val.clusterDim.x = 16;",
        "attributes[1].id = cudaLaunchAttributeCooperative;",
        "config.numAttrs = 2;",
        "cudaLaunchKernelEx(&config, scale_first, y, boxes)",
        "attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;",
        "config.dynamicSmemBytes = 64;",
        "cudaLaunchKernelEx(&config, scale_second, y, x, 1000LL)",
    };
    atx_str out = { 0 };
    export_numbers_of(&out, ATTRIBUTES_OP, ATX_F32, true);
    const char *at = out.data;
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++)
        cr_expect(strstr(at, EXPECTED[i]), "%s", EXPECTED[i]);
    atx_str_clear(&out);
}

/* Any timed launch may be the one that is checked: outputs are poisoned before a batch, and compared after
 * it. */
Test(export, sets_of_buffers_are_checked_between_timed_batches)
{
    atx_str out = { 0 };
    export_numbers(&out, ATX_F32, true);
    const char *poison = strstr(out.data, "autotune_fill_set(sets[s], s, poison, false, stream)");
    const char *timed = strstr(out.data, "cudaGraphLaunch(exec, stream)");
    const char *check = strstr(out.data, "autotune_is_right_set(sets[set], set, poison, expected)");
    cr_assert(poison && timed && check && poison < timed && timed < check, "%s", out.data);
    atx_str_clear(&out);
}

/* The self-test makes the op's own inputs, and applies its check. */
Test(export, the_self_test_knows_inputs_and_tolerances)
{
    atx_str out = { 0 };
    export_numbers(&out, ATX_F32, true);
    cr_assert(strstr(out.data, "    { 36, 0, 1, true, { 0ull, 0ull, 0ull, 0ull, 0ull, 0, 0 }, 0, "
                               "1.00000000000000002e-03, 0.0000"),
              "y");
    cr_assert(
        strstr(out.data, "    { 36, 1, 0, false, { 4611686018427387904ull, 13830554455654793216ull, 0ull, "),
        "x");
    cr_assert(strstr(out.data, "    { 20, 4, 0, false, { 0ull, 0ull, "), "i");
    cr_assert(!strstr(out.data, "bytes are wrong"), "nothing of it is compared bit for bit");
    atx_str_clear(&out);
}

static void expect_compiles(const char *source, atx_dtype type, bool with_main)
{
    char folder[64], path[80], command[400];
    atx_str out = { 0 };
    export_numbers_of(&out, source, type, with_main);
    cr_assert_not_null(mkdtemp(TEMPORARY(folder, "export")));
    snprintf(path, sizeof path, "%s/scale.cu", folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(out.data, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && nvcc -std=c++17 -arch=sm_90 -Xcompiler -Wall -Werror all-warnings -c scale.cu",
             folder);
    int code = system(command);
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
    cr_assert_eq(code, 0, "nvcc refuses it");
    atx_str_clear(&out);
}

Test(export, what_computes_compiles_without_a_warning)
{
    if (system("nvcc --version >/dev/null 2>&1") != 0)
        cr_skip_test("nvcc does not run here");
    expect_compiles(NUMBERS_OP, ATX_F32, true);
    expect_compiles(NUMBERS_OP, ATX_F16, false);
    expect_compiles(VARIABLES_OP, ATX_F32, true);
    expect_compiles(VARIABLES_OP, ATX_F32, false);
    expect_compiles(ATTRIBUTES_OP, ATX_F32, true);
}

/* Text from a database may come from anybody: it must stay inside its comment. */
Test(export, nothing_from_the_store_becomes_code)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    snprintf(a.fingerprint.device, sizeof a.fingerprint.device, "GPU\nint evil;");
    snprintf(a.fingerprint.driver, sizeof a.fingerprint.driver, "1\\");
    a.winner.ceiling_name = "memcpy\r\nint evil;";
    export_one(&out, &a, false, AT_OK);
    for (const char *at = out.data; (at = strstr(at, "int evil")); at++) {
        const char *line = at;
        while (line > out.data && line[-1] != '\n')
            line--;
        cr_assert(strncmp(line, "//", 2) == 0, "%.60s", line);
    }
    cr_assert(!strstr(out.data, "\\\n"), "a comment line that goes on");
    atx_str_clear(&out);
}

Test(export, a_configuration_that_the_template_does_not_have_is_refused)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    a.winner.config = "TILE_ROWS=8; system(\"rm\")";
    export_one(&out, &a, false, AT_ERR_INPUT);
    atx_str_clear(&out);
}

/* Threads that the kernel was not written for, or shared memory that it has not, would be wrong in silence.
 */
Test(export, the_launch_is_what_the_template_declares_whatever_the_store_says)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    a.winner.geometry = (atx_geometry){ .grid = { 1, 2, 3 }, .block = { 4, 5, 6 }, .shared_bytes = 77777 };
    export_one(&out, &a, false, AT_OK);
    cr_assert(strstr(out.data, "<<<dim3(120, 1, 1), dim3(8, 8, 1), 0, stream>>>"), "%s", out.data);
    cr_assert(!strstr(out.data, "77777"));
    atx_str_clear(&out);
}

Test(export, a_configuration_that_breaks_a_requirement_is_refused)
{
    atx_str out = { 0 };
    atx_answer a = answer();
    a.winner.config = "TILE_ROWS=64 TILE_COLS=64 PAD=1 ORDER=in_fast";
    export_one(&out, &a, false, AT_ERR_INPUT);
    atx_str_clear(&out);
}

/* Whoever has the file alone finds the op again; a built-in one is found without. */
Test(export, the_command_that_measures_again_names_the_folder_of_the_users_own)
{
    static const char *const ROWS[][2] = {
        { "templates", "tune transpose 3x64x33 u8 --templates templates --device 0 --force\n" },
        { "templates/", "u8 --templates templates/ --device 0 --force\n" },
        { "templates/transpose", "u8 --templates templates/transpose --device 0 --force\n" },
        { "template", "u8 --device 0 --force\n" },
        { "elsewhere", "u8 --device 0 --force\n" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        at_error err = { 0 };
        atx_catalog *catalog = NULL;
        atx_problem problem;
        atx_str out = { 0 };
        atx_answer a = answer();
        cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
        const atx_op *op = atx_catalog_find_op(catalog, "transpose"); /* of templates/transpose/op.cu */
        const atx_template *t = atx_catalog_find_template(catalog, op, "tile");
        cr_assert_eq(atx_problem_init(&problem, op, ATX_U8, (int64_t[]){ 3, 64, 33 }, 3, &err), AT_OK);
        a.winner.template_hash = t->text.hash;
        cr_assert_eq(atx_export_cu(
                         &out, &(atx_export_input){ &FOUND(&a, t), &problem, .templates = ROWS[i][0] }, &err),
                     AT_OK, "%s", err.text);
        cr_assert(strstr(out.data, ROWS[i][1]), "%s: %s", ROWS[i][0], out.data);
        atx_str_clear(&out);
        atx_catalog_close(catalog);
    }
}
