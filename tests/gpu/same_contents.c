/*
 * same_contents.c - what inputs hold, made on a GPU and on the host: the same numbers, bit for bit, of every
 * generator. Prints how long the GPU takes for each. Exit code 1: they differ; 3: no GPU.
 */
#include "compile/nvrtc.h"
#include "declare/data.h"
#include "declare/dtype.h"
#include "runner/gpu.h"
#include "tune/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST = 300007, DEVICE = 1 << 26, SEED = 77 }; /* numbers that are compared, and that are timed */

static void must(at_status status, const at_error *err)
{
    if (status != AT_OK) {
        fprintf(stderr, "same_contents: %s\n", err->text);
        exit(2);
    }
}

static uint64_t bits(double value)
{
    return atx_bits_of_double(value);
}

typedef struct contents {
    const char *name;
    int how;
    atx_dtype type;
    uint64_t a, b;
    double skew;
} contents;

static const contents KINDS[] = {
    { "uniform", ATX_UNIFORM, ATX_F32, 0x4008000000000000u, 0xbff0000000000000u, 0 }, /* 3, -1 */
    { "normal", ATX_NORMAL, ATX_F16, 0x4000000000000000u, 0x3ff0000000000000u, 0 },
    { "range", ATX_RANGE, ATX_I32, 5, 1000, 0 },
    { "permutation", ATX_PERMUTATION, ATX_I64, 0, 0, 0 },
    { "spread", ATX_SPREAD, ATX_I32, 1000, 0, 0 },
    { "sorted range", ATX_SORTED, ATX_I32, 5, 1000000, 0 },
    { "sorted uniform f32", ATX_SORTED_UNIFORM, ATX_F32, 0x4008000000000000u, 0xbff0000000000000u, 0 },
    { "sorted uniform f64", ATX_SORTED_UNIFORM, ATX_F64, 0x4008000000000000u, 0xbff0000000000000u, 0 },
    { "prefix", ATX_PREFIX, ATX_I64, 3, 512, 0 },
    { "offsets skew 0", ATX_OFFSETS, ATX_I32, 0, 0, 0 },
    { "offsets skew 0.3", ATX_OFFSETS, ATX_I32, 0, 0, 0.3 },
    { "offsets skew 1", ATX_OFFSETS, ATX_I64, 0, 0, 1 },
    { "offsets skew 4", ATX_OFFSETS, ATX_I32, 0, 0, 4 },
    { "columns", ATX_COLUMNS, ATX_I32, 100000, 0, 2 },
    { "segments", ATX_SEGMENTS, ATX_I32, 0, 0, 2 },
};

/* Of so many numbers: rows of 16 elements, or those of so many elements. */
static atx_filling filling_of(const contents *k, int64_t count)
{
    const uint64_t rows = (uint64_t)(k->how == ATX_OFFSETS ? count - 1 : count / 16 + 1);
    return (atx_filling){ .a = k->a,
                          .b = k->b,
                          .rows = rows,
                          .total = k->how == ATX_OFFSETS ? 16 * rows : (uint64_t)count,
                          .variance = bits(k->skew * k->skew),
                          .other = SEED + 1,
                          .lock = 12345 };
}

static double generate(atx_gpu *gpu, const atx_module *module, atx_ptr to, const contents *k, int64_t count)
{
    at_error err = { 0 };
    const atx_filling f = filling_of(k, count);
    const uint64_t how = (uint64_t)atx_dtype_number(k->type, 0) | (uint64_t)k->how << 8;
    uint64_t values[] = { to,     (uint64_t)count, SEED,       how,     f.a,   f.b,
                          f.rows, f.total,         f.variance, f.other, f.lock };
    void *params[sizeof values / sizeof *values];
    const atx_geometry g = { .grid = { 4096, 1, 1 }, .block = { 256, 1, 1 } };
    double seconds = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        params[i] = &values[i];
    must(atx_gpu_timer_start(gpu, &err), &err);
    must(atx_gpu_launch(gpu, module, &g, params, &err), &err);
    must(atx_gpu_timer_stop(gpu, &err), &err);
    must(atx_gpu_timer_read(&seconds, gpu, &err), &err);
    return seconds;
}

/* How many are not what the host makes. */
static int64_t compare(atx_gpu *gpu, const atx_module *module, atx_ptr at, const contents *k)
{
    at_error err = { 0 };
    const int number = atx_dtype_number(k->type, 0), bytes = atx_number_bytes(number);
    const atx_filling f = filling_of(k, HOST);
    unsigned char *got = malloc((size_t)HOST * (size_t)bytes);
    int64_t wrong = 0;
    if (!got)
        exit(2);
    (void)generate(gpu, module, at, k, HOST);
    must(atx_gpu_read(gpu, got, at, (int64_t)HOST * bytes, &err), &err);
    for (uint64_t i = 0; i < HOST; i++)
        wrong += atx_bits_at(got, i, bytes) != atx_generate(i, HOST, number, k->how, &f, SEED);
    free(got);
    return wrong;
}

static void compile(atx_str *cubin, int cc)
{
    at_error err = { 0 };
    atx_nvrtc *nvrtc = NULL;
    atx_str source = { 0 }, log = { 0 };
    atx_resources resources;
    bool ok = false;
    must(atx_nvrtc_open(&nvrtc, &err), &err);
    must(atx_setup_checks(&source, ATX_CHECK_GENERATE_ROWS, &err), &err);
    must(atx_nvrtc_compile(nvrtc, &ok, cubin, &log, &resources,
                           &(atx_nvrtc_source){ atx_str_text(&source), "runner/verify.cu", cc, ATX_CUBIN },
                           &err),
         &err);
    if (!ok) {
        fprintf(stderr, "%s", atx_str_text(&log));
        exit(2);
    }
    atx_str_clear(&source);
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
}

int main(void)
{
    at_error err = { 0 };
    atx_gpu *gpu = NULL;
    atx_module *module = NULL;
    atx_device_info info;
    atx_str cubin = { 0 };
    atx_ptr at = 0;
    int64_t wrong = 0;
    if (atx_gpu_open(&gpu, 0, &err) != AT_OK) {
        printf("no GPU: %s\n", err.text);
        return 3;
    }
    must(atx_gpu_info(&info, gpu, &err), &err);
    compile(&cubin, (int)info.limits.cc);
    must(atx_gpu_load(&module, gpu, cubin.data, "verify_generate", 0, &err), &err);
    must(atx_gpu_alloc(&at, gpu, (int64_t)8 * DEVICE, &err), &err);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const int64_t differ = compare(gpu, module, at, &KINDS[i]);
        (void)generate(gpu, module, at, &KINDS[i], DEVICE);
        const double seconds = generate(gpu, module, at, &KINDS[i], DEVICE);
        printf("%-20s %lld of %d differ; %.2f ms for %d\n", KINDS[i].name, (long long)differ, HOST,
               1e3 * seconds, DEVICE);
        wrong += differ;
    }
    atx_gpu_free(gpu, at);
    atx_gpu_unload(gpu, module);
    atx_gpu_close(gpu);
    atx_str_clear(&cubin);
    return wrong ? 1 : 0;
}
