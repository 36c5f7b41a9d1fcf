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

enum { PICKS = 3, MOST_ARGS = 16 };

static at__nvrtc *open_or_skip(void)
{
    at__nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    if (at__nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    return nvrtc;
}

static at__ptx_module *compile(at__nvrtc *nvrtc, const char *source, int cc)
{
    at__str code = { 0 }, log = { 0 }, text = { 0 };
    at__resources resources;
    at_error err = { 0 };
    at__ptx_module *module = NULL;
    bool ok = false;
    at__str_add(&text, source);
    cr_assert(at__nvrtc_compile(nvrtc, &ok, &code, &log, &resources, text.data, "t.cu", cc, AT__PTX, &err) ==
                  AT_OK,
              "%s", err.text);
    cr_assert(ok, "%s", at__str_text(&log));
    cr_assert(at__ptx_parse(&module, code.data, code.len, &err) == AT_OK, "%s", err.text);
    at__str_clear(&text);
    at__str_clear(&log);
    at__str_clear(&code);
    return module;
}

/* ---- the shipped templates ---- */

typedef struct trial {
    at__nvrtc *nvrtc;
    const at__problem *problem;
    int64_t slots[AT__MAX_SLOTS];
    unsigned char *in;
    int kernels;
} trial;

/* Where element (b, r, c) of the input must be in the output; both are dense. */
static int64_t place_of(const at__problem *p, int64_t b, int64_t r, int64_t c)
{
    const int64_t rows = p->dims[1], cols = p->dims[2];
    return strcmp(p->op->name, "copy") == 0 ? (b * rows + r) * cols + c : (b * cols + c) * rows + r;
}

static void assert_right(const trial *t, const unsigned char *out, const char *name, const char *config)
{
    const int64_t *dims = t->problem->dims;
    const size_t bytes = (size_t)at__dtype_bytes(t->problem->type);
    size_t i = 0;
    for (int64_t b = 0; b < dims[0]; b++)
        for (int64_t r = 0; r < dims[1]; r++)
            for (int64_t c = 0; c < dims[2]; c++, i++)
                cr_assert(memcmp(out + (size_t)place_of(t->problem, b, r, c) * bytes, t->in + i * bytes,
                                 bytes) == 0,
                          "%s %s: element %d, %d, %d", name, config, (int)b, (int)r, (int)c);
}

static int64_t add_argument(at__machine *machine, const trial *t, int i, const int64_t *slots,
                            int *out_region)
{
    const at__op *op = t->problem->op;
    at_error err = { 0 };
    int64_t value = 0;
    int region = 0;
    if (op->args[i].role == AT__SCALAR) {
        cr_assert(at__scalar_value(&value, &op->args[i], slots, &err) == AT_OK, "%s", err.text);
        return value;
    }
    const bool input = op->args[i].role == AT__INPUT;
    cr_assert(at__arg_bytes(&value, op, i, slots, &err) == AT_OK, "%s", err.text);
    cr_assert(
        at__machine_add_buffer(&region, machine, op->args[i].name, value, 256,
                               input ? AT__REGION_READ_ONLY | AT__REGION_INITIALISED : AT__REGION_OUTPUT,
                               input ? t->in : NULL, &err) == AT_OK,
        "%s", err.text);
    if (!input)
        *out_region = region;
    return (int64_t)at__machine_region_at(machine, region)->address;
}

static void run_config(trial *t, const at__template *template, const at__config *config)
{
    at__str text = { 0 }, words = { 0 };
    at_error err = { 0 };
    at__geometry g = { 0 };
    at__machine *machine = NULL;
    at__machine_result result = { 0 };
    int64_t slots[AT__MAX_SLOTS], arguments[MOST_ARGS];
    int out = 0;
    memcpy(slots, t->slots, sizeof slots);
    cr_assert(at__config_bind(slots, template, config, &err) == AT_OK, "%s", err.text);
    cr_assert(at__render(&text, template, t->problem->type, config, slots, &err) == AT_OK, "%s", err.text);
    cr_assert(at__geometry_of(&g, &template->launch, slots, &err) == AT_OK, "%s", err.text);
    at__config_text(&words, template, config);
    at__ptx_module *module = compile(t->nvrtc, text.data, 90);
    cr_assert(at__machine_open(&machine, module, &err) == AT_OK, "%s", err.text);
    for (int i = 0; i < template->arg_count; i++)
        arguments[i] = add_argument(machine, t, template->args[i], slots, &out);
    at__machine_launch launch = { .function = at__ptx_find_entry(module, template->kernel),
                                  .shared_bytes = g.shared_bytes,
                                  .arguments = arguments,
                                  .argument_bytes = 8 * template->arg_count };
    for (int k = 0; k < 3; k++) {
        launch.grid[k] = (uint32_t)g.grid[k];
        launch.block[k] = (uint32_t)g.block[k];
    }
    cr_assert(at__machine_run(&result, machine, &launch, &err) == AT_OK, "%s %s: %s", template->name,
              words.data, err.text);
    cr_assert(result.finding.kind == AT__FINDING_NONE, "%s %s: %s:%d: %s", template->name, words.data,
              result.finding.file, result.finding.line, result.finding.text);
    assert_right(t, at__machine_region_at(machine, out)->data, template->name, words.data);
    t->kernels++;
    at__machine_close(machine);
    at__ptx_close(module);
    at__str_clear(&text);
    at__str_clear(&words);
}

static void run_template(trial *t, const at__template *template)
{
    at__space *space = NULL;
    at_error err = { 0 };
    at__rng rng = { 5 };
    cr_assert(at__space_open(&space, template, t->slots, NULL, 0, &err) == AT_OK, "%s", err.text);
    for (int i = 0; i < PICKS && i < at__space_count(space); i++) {
        at__config config;
        at__space_config(&config, space, at__space_sample(space, &rng));
        run_config(t, template, &config);
    }
    at__space_close(space);
}

/* All templates of the op on one problem, three configurations each. */
static void run_problem(const char *op_name, at__dtype type, int64_t batch, int64_t rows, int64_t cols)
{
    static const at__limits LIMITS = { .cc = 90,
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
    const size_t bytes = (size_t)(batch * rows * cols * at__dtype_bytes(type));
    trial t = { .nvrtc = open_or_skip(), .in = malloc(bytes) };
    at__catalog *catalog = NULL;
    at_error err = { 0 };
    at__problem problem;
    for (size_t i = 0; i < bytes; i++)
        t.in[i] = (unsigned char)((i * 2654435761u) >> 13);
    cr_assert(at__catalog_open(&catalog, NULL, &err) == AT_OK, "%s", err.text);
    const at__op *op = at__catalog_find_op(catalog, op_name);
    cr_assert(at__problem_init(&problem, op, type, sizes, 3, &err) == AT_OK, "%s", err.text);
    cr_assert(at__problem_bind(t.slots, &problem, &LIMITS, &err) == AT_OK, "%s", err.text);
    t.problem = &problem;
    for (int i = 0; i < at__catalog_template_count(catalog, op); i++)
        run_template(&t, at__catalog_template(catalog, op, i));
    cr_assert(t.kernels >= PICKS);
    at__catalog_close(catalog);
    at__nvrtc_close(t.nvrtc);
    free(t.in);
}

Test(machine_kernels, transposes_of_words_are_right)
{
    run_problem("transpose", AT__F32, 2, 67, 45);
}

Test(machine_kernels, transposes_of_bytes_are_right)
{
    run_problem("transpose", AT__U8, 1, 128, 96);
}

Test(machine_kernels, transposes_of_halves_and_narrow_ones_are_right)
{
    run_problem("transpose", AT__F16, 3, 64, 8);
}

Test(machine_kernels, transposes_of_sixteen_bytes_are_right)
{
    run_problem("transpose", AT__C128, 1, 33, 31);
}

Test(machine_kernels, copies_are_right)
{
    run_problem("copy", AT__F32, 1, 61, 130);
}

/* ---- kernels of CUDA ---- */

static char printed[1000]; /* by the last kernel */

/* Runs kernel k(int *) with 64 threads and a buffer of 64 numbers. */
static at__machine_result run_cuda(int32_t out[64], const char *source, int cc)
{
    at__nvrtc *nvrtc = open_or_skip();
    at__ptx_module *module = compile(nvrtc, source, cc);
    at__machine *machine = NULL;
    at__machine_result result = { 0 };
    at_error err = { 0 };
    int region = 0;
    cr_assert(at__machine_open(&machine, module, &err) == AT_OK, "%s", err.text);
    cr_assert(at__machine_add_buffer(&region, machine, "p", 256, 256, AT__REGION_OUTPUT, NULL, &err) ==
              AT_OK);
    const uint64_t address = at__machine_region_at(machine, region)->address;
    const at__machine_launch launch = { .function = at__ptx_find_entry(module, "k"),
                                        .grid = { 1, 1, 1 },
                                        .block = { 64, 1, 1 },
                                        .arguments = &address,
                                        .argument_bytes = 8,
                                        .warp_budget = 100000 };
    cr_assert(at__machine_run(&result, machine, &launch, &err) == AT_OK, "%s", err.text);
    memcpy(out, at__machine_region_at(machine, region)->data, 256);
    snprintf(printed, sizeof printed, "%s", at__machine_printed(machine));
    at__machine_close(machine);
    at__ptx_close(module);
    at__nvrtc_close(nvrtc);
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
        const at__machine_result r = run_cuda(out, SOURCE, ARCHITECTURES[i]);
        cr_assert(r.finding.kind == AT__FINDING_NONE, "%s", r.finding.text);
        for (int t = 0; t < 64; t++)
            cr_assert(out[t] == wanted[t], "sm_%d, thread %d: %d, not %d", ARCHITECTURES[i], t, out[t],
                      wanted[t]);
    }
}

Test(machine_kernels, an_access_beyond_and_an_endless_loop_end_the_launch)
{
    int32_t out[64];
    at__machine_result r = run_cuda(out,
                                    "extern \"C\" __global__ void k(int *p)\n{\n"
                                    "    if (threadIdx.x == 5)\n        p[threadIdx.x + 60] = 1;\n}\n",
                                    90);
    cr_assert(r.finding.kind == AT__FINDING_BOUNDS, "%s", r.finding.text);
    cr_assert(r.finding.thread_at[0] == 5 && r.finding.lane == 5);
    r = run_cuda(
        out, "extern \"C\" __global__ void k(int *p)\n{\n    for (;;)\n        atomicAdd(p, 1);\n}\n", 90);
    cr_assert(r.finding.kind == AT__FINDING_ENDLESS, "%s", r.finding.text);
}

Test(machine_kernels, what_a_kernel_prints_is_kept)
{
    int32_t out[64];
    const at__machine_result r = run_cuda(out,
                                          "extern \"C\" int printf(const char *, ...);\n"
                                          "extern \"C\" __global__ void k(int *p)\n{\n"
                                          "    if (threadIdx.x % 40 == 2)\n"
                                          "        printf(\"%d|%5.2f|%s|%llx|%c%%\\n\", -(int)threadIdx.x, "
                                          "1.5, \"word\", 1ull << 40, 'x');\n}\n",
                                          90);
    cr_assert(r.finding.kind == AT__FINDING_NONE, "%s", r.finding.text);
    cr_assert_str_eq(printed, "-2| 1.50|word|10000000000|x%\n-42| 1.50|word|10000000000|x%\n");
}
