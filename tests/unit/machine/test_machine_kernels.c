/*
 * test_machine_kernels.c - what NVRTC makes of CUDA, on the machine: the shipped transposes and copies at
 * ragged shapes, and kernels with calls, assertions and several warps. No GPU is needed.
 */
#include "compile/nvrtc.h"
#include "lang/catalog.h"
#include "lang/render.h"
#include "machine/machine.h"
#include "space/space.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICKS = 3 };

static atx_nvrtc *open_or_skip(void)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    return nvrtc;
}

static atx_ptx_module *compile(atx_nvrtc *nvrtc, const char *source, int cc)
{
    atx_str code = { 0 }, log = { 0 }, text = { 0 };
    atx_resources resources;
    at_error err = { 0 };
    atx_ptx_module *module = NULL;
    bool ok = false;
    atx_str_add(&text, source);
    cr_assert(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources,
                                &(atx_nvrtc_source){ text.data, "t.cu", cc, ATX_PTX }, &err) == AT_OK,
              "%s", err.text);
    cr_assert(ok, "%s", atx_str_text(&log));
    cr_assert(atx_ptx_parse(&module, code.data, code.len, &err) == AT_OK, "%s", err.text);
    atx_str_clear(&text);
    atx_str_clear(&log);
    atx_str_clear(&code);
    return module;
}

/* ---- the shipped templates ---- */

typedef struct trial {
    atx_nvrtc *nvrtc;
    const atx_problem *problem;
    int64_t slots[ATX_MAX_SLOTS];
    unsigned char *in;
    int kernels;
} trial;

/* Where element (b, r, c) of the input must be in the output; both are dense. */
static int64_t place_of(const atx_problem *p, int64_t b, int64_t r, int64_t c)
{
    const int64_t rows = p->dims[1], cols = p->dims[2];
    return strcmp(p->op->name, "copy") == 0 ? (b * rows + r) * cols + c : (b * cols + c) * rows + r;
}

static void assert_right(const trial *t, const unsigned char *out, const char *name, const char *config)
{
    const int64_t *dims = t->problem->dims;
    const size_t bytes = (size_t)atx_dtype_bytes(t->problem->type);
    size_t i = 0;
    for (int64_t b = 0; b < dims[0]; b++)
        for (int64_t r = 0; r < dims[1]; r++)
            for (int64_t c = 0; c < dims[2]; c++, i++)
                cr_assert(memcmp(out + (size_t)place_of(t->problem, b, r, c) * bytes, t->in + i * bytes,
                                 bytes) == 0,
                          "%s %s: element %d, %d, %d", name, config, (int)b, (int)r, (int)c);
}

static int64_t add_argument(atx_machine *machine, const trial *t, const atx_template *template, int i,
                            const int64_t *slots, int *out_region)
{
    const atx_op *op = t->problem->op;
    const atx_arg *arg = atx_template_arg(template, i);
    at_error err = { 0 };
    int64_t value = 0;
    int region = 0;
    if (arg->role == ATX_SCALAR) {
        cr_assert(atx_scalar_value(&value, arg, slots, &err) == AT_OK, "%s", err.text);
        return value;
    }
    const bool input = arg->role == ATX_INPUT;
    cr_assert(atx_arg_bytes(&value, op, i, slots, &err) == AT_OK, "%s", err.text);
    cr_assert(
        atx_machine_add_buffer(
            &region, machine,
            &(atx_machine_buffer){ arg->name, value, 256,
                                   input ? ATX_REGION_READ_ONLY | ATX_REGION_INITIALISED : ATX_REGION_OUTPUT,
                                   input ? t->in : NULL },
            &err) == AT_OK,
        "%s", err.text);
    if (!input)
        *out_region = region;
    return (int64_t)atx_machine_region_at(machine, region)->address;
}

static void run_config(trial *t, const atx_template *template, const atx_config *config)
{
    atx_str text = { 0 }, words = { 0 };
    at_error err = { 0 };
    atx_geometry g = { 0 };
    atx_machine *machine = NULL;
    atx_machine_result result = { 0 };
    int64_t slots[ATX_MAX_SLOTS], arguments[ATX_MAX_ARGS] = { 0 };
    int out = 0;
    memcpy(slots, t->slots, sizeof slots);
    cr_assert(atx_config_bind(slots, template, config, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_render(&text, template, t->problem->type, config, slots, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_geometry_of(&g, &template->call.steps[0].launch, slots, &err) == AT_OK, "%s", err.text);
    atx_config_text(&words, template, config);
    atx_ptx_module *module = compile(t->nvrtc, text.data, 90);
    cr_assert(atx_machine_open(&machine, module, &err) == AT_OK, "%s", err.text);
    const int entry = atx_ptx_find_entry(module, template->call.steps[0].kernel);
    cr_assert(entry >= 0, "%s %s", template->name, words.data);
    const atx_ptx_function *f = &module->functions[entry];
    cr_assert(f->param_count == template->call.steps[0].arg_count &&
              f->param_bytes <= (int64_t)sizeof arguments);
    for (int i = 0; i < f->param_count; i++) {
        const atx_ptx_variable *v = &module->variables[f->params[i]];
        const int64_t value =
            add_argument(machine, t, template, template->call.steps[0].args[i], slots, &out);
        memcpy((unsigned char *)arguments + v->offset, &value, (size_t)v->bytes);
    }
    atx_machine_launch launch = { .function = entry,
                                  .shared_bytes = g.shared_bytes,
                                  .arguments = arguments,
                                  .argument_bytes = f->param_bytes };
    for (int k = 0; k < 3; k++) {
        launch.grid[k] = (uint32_t)g.grid[k];
        launch.block[k] = (uint32_t)g.block[k];
    }
    cr_assert(atx_machine_run(&result, machine, &launch, &err) == AT_OK, "%s %s: %s", template->name,
              words.data, err.text);
    cr_assert(result.finding.kind == ATX_FINDING_NONE, "%s %s: %s:%d: %s", template->name, words.data,
              result.finding.file, result.finding.line, result.finding.text);
    assert_right(t, atx_machine_region_at(machine, out)->data, template->name, words.data);
    t->kernels++;
    atx_machine_close(machine);
    atx_ptx_close(module);
    atx_str_clear(&text);
    atx_str_clear(&words);
}

static void run_template(trial *t, const atx_template *template)
{
    atx_space *space = NULL;
    at_error err = { 0 };
    atx_rng rng = { 5 };
    cr_assert(atx_space_open(&space, template, t->slots, NULL, 0, &err) == AT_OK, "%s", err.text);
    for (int i = 0; i < PICKS && i < atx_space_count(space); i++) {
        atx_config config;
        atx_space_config(&config, space, atx_space_sample(space, &rng));
        run_config(t, template, &config);
    }
    atx_space_close(space);
}

/* All templates of the op on one problem, three configurations each. */
static void run_problem(const char *op_name, atx_dtype type, int64_t batch, int64_t rows, int64_t cols)
{
    static const atx_limits LIMITS = { .cc = 90,
                                       .sms = 2,
                                       .warp_size = 32,
                                       .max_threads_per_block = 1024,
                                       .max_shared_bytes = 232448,
                                       .max_static_shared_bytes = 49152,
                                       .max_registers_per_block = 65536,
                                       .max_grid_x = 2147483647,
                                       .l2_bytes = 50 << 20,
                                       .memory_bytes = (int64_t)80 << 30 };
    const int64_t sizes[3] = { batch, rows, cols };
    const size_t bytes = (size_t)(batch * rows * cols * atx_dtype_bytes(type));
    trial t = { .nvrtc = open_or_skip(), .in = malloc(bytes) };
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    atx_problem problem;
    for (size_t i = 0; i < bytes; i++)
        t.in[i] = (unsigned char)((i * 2654435761u) >> 13);
    cr_assert(atx_catalog_open(&catalog, NULL, &err) == AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, op_name);
    cr_assert(atx_problem_init(&problem, op, type, sizes, 3, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_problem_bind(t.slots, &problem, &LIMITS, &err) == AT_OK, "%s", err.text);
    t.problem = &problem;
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++)
        run_template(&t, atx_catalog_template(catalog, op, i));
    cr_assert(t.kernels >= PICKS);
    atx_catalog_close(catalog);
    atx_nvrtc_close(t.nvrtc);
    free(t.in);
}

Test(machine_kernels, transposes_of_words_are_right)
{
    run_problem("transpose", ATX_F32, 2, 67, 45);
}

Test(machine_kernels, transposes_of_bytes_are_right)
{
    run_problem("transpose", ATX_U8, 1, 128, 96);
}

Test(machine_kernels, transposes_of_halves_and_narrow_ones_are_right)
{
    run_problem("transpose", ATX_F16, 3, 64, 8);
}

Test(machine_kernels, transposes_of_sixteen_bytes_are_right)
{
    run_problem("transpose", ATX_C128, 1, 33, 31);
}

Test(machine_kernels, copies_are_right)
{
    run_problem("copy", ATX_F32, 1, 61, 130);
}

/* ---- kernels of CUDA ---- */

static char printed[1000]; /* by the last kernel */

/* Runs kernel k(int *) with 64 threads and a buffer of 64 numbers. */
static atx_machine_result run_cuda(int32_t out[64], const char *source, int cc)
{
    atx_nvrtc *nvrtc = open_or_skip();
    atx_ptx_module *module = compile(nvrtc, source, cc);
    atx_machine *machine = NULL;
    atx_machine_result result = { 0 };
    at_error err = { 0 };
    int region = 0;
    cr_assert(atx_machine_open(&machine, module, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_machine_add_buffer(&region, machine,
                                     &(atx_machine_buffer){ "p", 256, 256, ATX_REGION_OUTPUT, NULL },
                                     &err) == AT_OK);
    const uint64_t address = atx_machine_region_at(machine, region)->address;
    const atx_machine_launch launch = { .function = atx_ptx_find_entry(module, "k"),
                                        .grid = { 1, 1, 1 },
                                        .block = { 64, 1, 1 },
                                        .arguments = &address,
                                        .argument_bytes = 8,
                                        .warp_budget = 100000 };
    cr_assert(atx_machine_run(&result, machine, &launch, &err) == AT_OK, "%s", err.text);
    memcpy(out, atx_machine_region_at(machine, region)->data, 256);
    snprintf(printed, sizeof printed, "%s", atx_machine_printed(machine));
    atx_machine_close(machine);
    atx_ptx_close(module);
    atx_nvrtc_close(nvrtc);
    return result;
}

static const int ARCHITECTURES[] = { 75, 80, 90, 100, 120 };

Test(machine_kernels, every_architecture_has_the_same_answer)
{
    static const char SOURCE[] =
        "__device__ __noinline__ int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }\n"
        "extern \"C\" __global__ void k(int *p)\n{\n"
        "    __shared__ int s[64];\n    int t = threadIdx.x, sum = 0;\n"
        "    s[t] = gcd(t * 6, 36);\n    __syncthreads();\n"
        "    for (int i = 0; i <= t; i++) sum += i & 1 ? s[i] : -s[i];\n"
        "    switch (t % 7) { case 0: sum *= 3; break; case 2: sum -= 5; break; case 3: sum ^= 77; break;\n"
        "    case 4: sum = __popc(sum); break; case 5: sum = max(sum, 9); break; case 6: sum /= 7; }\n"
        "    p[t] = sum + __shfl_xor_sync(0xffffffffu, sum, 3) * (int)(1.0f + t);\n}\n";
    int32_t wanted[64], sums[64];
    for (int t = 0, sum = 0; t < 64; t++) {
        int a = t * 6, b = 36;
        while (b) {
            const int rest = a % b;
            a = b;
            b = rest;
        }
        sum += t & 1 ? a : -a;
        const int cases[7] = {
            sum * 3, sum, sum - 5, sum ^ 77, __builtin_popcount((unsigned)sum), sum > 9 ? sum : 9, sum / 7
        };
        sums[t] = cases[t % 7];
    }
    for (int t = 0; t < 64; t++)
        wanted[t] = sums[t] + sums[t ^ 3] * (1 + t);
    for (size_t i = 0; i < sizeof ARCHITECTURES / sizeof *ARCHITECTURES; i++) {
        int32_t out[64];
        const atx_machine_result r = run_cuda(out, SOURCE, ARCHITECTURES[i]);
        cr_assert(r.finding.kind == ATX_FINDING_NONE, "%s", r.finding.text);
        for (int t = 0; t < 64; t++)
            cr_assert(out[t] == wanted[t], "sm_%d, thread %d: %d, not %d", ARCHITECTURES[i], t, out[t],
                      wanted[t]);
    }
}

Test(machine_kernels, an_access_beyond_and_an_endless_loop_end_the_launch)
{
    int32_t out[64];
    atx_machine_result r = run_cuda(out,
                                    "extern \"C\" __global__ void k(int *p)\n{\n"
                                    "    if (threadIdx.x == 5)\n        p[threadIdx.x + 60] = 1;\n}\n",
                                    90);
    cr_assert(r.finding.kind == ATX_FINDING_BOUNDS, "%s", r.finding.text);
    cr_assert(r.finding.thread_at[0] == 5 && r.finding.lane == 5);
    r = run_cuda(
        out, "extern \"C\" __global__ void k(int *p)\n{\n    for (;;)\n        atomicAdd(p, 1);\n}\n", 90);
    cr_assert(r.finding.kind == ATX_FINDING_ENDLESS, "%s", r.finding.text);
}

Test(machine_kernels, what_a_kernel_prints_is_kept)
{
    int32_t out[64];
    const atx_machine_result r = run_cuda(out,
                                          "extern \"C\" int printf(const char *, ...);\n"
                                          "extern \"C\" __global__ void k(int *p)\n{\n"
                                          "    if (threadIdx.x % 40 == 2)\n"
                                          "        printf(\"%d|%5.2f|%s|%llx|%c%%\\n\", -(int)threadIdx.x, "
                                          "1.5, \"word\", 1ull << 40, 'x');\n}\n",
                                          90);
    cr_assert(r.finding.kind == ATX_FINDING_NONE, "%s", r.finding.text);
    cr_assert_str_eq(printed, "-2| 1.50|word|10000000000|x%\n-42| 1.50|word|10000000000|x%\n");
}
