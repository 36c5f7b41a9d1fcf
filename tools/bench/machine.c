/*
 * machine.c - how fast the machine executes PTX: thread instructions a second on one core, without a watch.
 * "bench_machine"; needs NVRTC, no GPU.
 */
#include "compile/nvrtc.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 1024 };

static const char SOURCE[] =
    "extern \"C\" __global__ void transpose(float *out, const float *in, int n)\n"
    "{\n"
    "    __shared__ float tile[32][33];\n"
    "    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
    "    for (int k = 0; k < 32; k += 8)\n"
    "        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];\n"
    "    __syncthreads();\n"
    "    const int v = blockIdx.y * 32 + threadIdx.x, w = blockIdx.x * 32 + threadIdx.y;\n"
    "    for (int k = 0; k < 32; k += 8)\n"
    "        out[(w + k) * n + v] = tile[threadIdx.x][threadIdx.y + k];\n"
    "}\n"
    "extern \"C\" __global__ void multiply_add(float *out, const float *in, int n)\n"
    "{\n"
    "    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;\n"
    "    float a = in[i], b = 1.0f, c = 0.5f, d = 0.25f;\n"
    "    for (int k = 0; k < n / 8; k++) { b = b * a + c; c = c * a + d; d = d * a + b; }\n"
    "    out[i] = b + c + d;\n"
    "}\n"
    "extern \"C\" __global__ void divergent(unsigned *out, const unsigned *in, int n)\n"
    "{\n"
    "    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;\n"
    "    unsigned a = in[i] + i, steps = 0;\n"
    "    while (a > 1 && steps < n / 8) { a = a & 1 ? 3 * a + 1 : a / 2; steps++; }\n"
    "    out[i] = steps;\n"
    "}\n"
    "extern \"C\" __global__ void comparing(float *out, const float *in, int n)\n"
    "{\n"
    "    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;\n"
    "    float a = in[i], b = 1.0f + i; int m = 0;\n"
    "    for (int k = 0; k < n / 8; k++) { m += a < b; m += a >= b * 2; m ^= a == b; a += 3.0f; }\n"
    "    out[i] = m;\n"
    "}\n"
    "extern \"C\" __global__ void smallest(float *out, const float *in, int n)\n"
    "{\n"
    "    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;\n"
    "    float a = in[i], b = 1.0f + i, c = 0.5f;\n"
    "    for (int k = 0; k < n / 8; k++) { a = fmaxf(a, c) + 1.0f; b = fminf(a, b); c = fmaxf(b, c); }\n"
    "    out[i] = a + b + c;\n"
    "}\n"
    "extern \"C\" __global__ void approximate(float *out, const float *in, int n)\n"
    "{\n"
    "    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;\n"
    "    float a = in[i];\n"
    "    for (int k = 0; k < n / 32; k++) a = __fdividef(rsqrtf(a + 2.0f), a + 3.0f) + sqrtf(a * a);\n"
    "    out[i] = a;\n"
    "}\n"
    "extern \"C\" __global__ void converting(float *out, const float *in, int n)\n"
    "{\n"
    "    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;\n"
    "    float a = in[i];\n"
    "    for (int k = 0; k < n / 32; k++) {\n"
    "        unsigned two;\n"
    "        asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(two) : \"f\"(a), \"f\"(a));\n"
    "        a = (float)(short)two + rintf(a);\n"
    "    }\n"
    "    out[i] = a;\n"
    "}\n";

static void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "bench_machine: %s\n", err->text);
    exit(1);
}

static double cpu_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compile(atx_str *ptx)
{
    at_error err = { 0 };
    atx_nvrtc *nvrtc = NULL;
    atx_resources resources;
    atx_str log = { 0 };
    bool ok = false;
    must(atx_nvrtc_open(&nvrtc, &err), &err);
    must(atx_nvrtc_compile(nvrtc, &ok, ptx, &log, &resources,
                           &(atx_nvrtc_source){ SOURCE, "bench.cu", 90, ATX_PTX }, &err),
         &err);
    if (!ok)
        fprintf(stderr, "bench_machine: %s\n", atx_str_text(&log));
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
}

static void time_kernel(const atx_ptx_module *module, const char *name)
{
    const int64_t bytes = (int64_t)SIDE * SIDE * 4;
    at_error err = { 0 };
    atx_machine *machine = NULL;
    atx_machine_result result;
    int in = 0, out = 0;
    must(atx_machine_open(&machine, module, &err), &err);
    must(atx_machine_add_buffer(&out, machine,
                                &(atx_machine_buffer){ "out", bytes, 256, ATX_REGION_OUTPUT, NULL }, &err),
         &err);
    must(atx_machine_add_buffer(
             &in, machine, &(atx_machine_buffer){ "in", bytes, 256, ATX_REGION_INITIALISED, NULL }, &err),
         &err);
    struct {
        uint64_t out, in;
        int32_t n, unused;
    } arguments = { atx_machine_region_at(machine, out)->address, atx_machine_region_at(machine, in)->address,
                    SIDE, 0 };
    const atx_machine_launch launch = { .function = atx_ptx_find_entry(module, name),
                                        .grid = { SIDE / 32, SIDE / 32, 1 },
                                        .block = { 32, 8, 1 },
                                        .arguments = &arguments,
                                        .argument_bytes = 20 };
    const double begin_s = cpu_now_s();
    must(atx_machine_run(&result, machine, &launch, &err), &err);
    const double seconds = cpu_now_s() - begin_s;
    printf("%-14s %8.1f million thread instructions, %6.0f million a second %s\n", name,
           (double)result.thread_instructions * 1e-6, (double)result.thread_instructions * 1e-6 / seconds,
           result.finding.text);
    atx_machine_close(machine);
}

int main(void)
{
    at_error err = { 0 };
    atx_ptx_module *module = NULL;
    atx_str ptx = { 0 };
    compile(&ptx);
    must(atx_ptx_parse(&module, atx_str_text(&ptx), ptx.len, &err), &err);
    time_kernel(module, "transpose");
    time_kernel(module, "multiply_add");
    time_kernel(module, "divergent");
    time_kernel(module, "comparing");
    time_kernel(module, "smallest");
    time_kernel(module, "approximate");
    time_kernel(module, "converting");
    atx_ptx_close(module);
    atx_str_clear(&ptx);
    return 0;
}
