/*
 * compile.c - where the time of compiling candidates goes; no GPU needed.
 *
 *     bench_compile [ROWS COLS]       default 4096 4096
 *
 * Of every template of `transpose`, for 4-byte elements and sm_90: a few configurations, evenly from its
 * space, each compiled to PTX (the front end and the optimiser) and to machine code (ptxas too), as the tuner
 * compiles them. An empty kernel shows what every compilation costs before it begins. Processor time of this
 * one thread.
 */
#include "lang/arch.h"
#include "lang/catalog.h"
#include "compile/nvrtc.h"
#include "lang/render.h"
#include "space/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONFIGS = 9, CC = 90 };

static void must(at_status status, const at_error *err)
{
    if (status != AT_OK) {
        fprintf(stderr, "bench_compile: %s\n", err->text);
        exit(1);
    }
}

static double cpu_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double compile_ms(atx_nvrtc *nvrtc, const char *source, atx_code kind)
{
    atx_str code = { 0 }, log = { 0 };
    atx_resources resources;
    at_error err = { 0 };
    bool ok = false;
    double started_s = cpu_now_s();
    must(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources,
                           &(atx_nvrtc_source){ source, "bench.cu", CC, kind }, &err),
         &err);
    double ms = 1e3 * (cpu_now_s() - started_s);
    if (!ok)
        fprintf(stderr, "bench_compile: %s\n", atx_str_text(&log));
    atx_str_clear(&code);
    atx_str_clear(&log);
    return ms;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static void print_row(const char *name, int64_t lines, double *ptx, double *cubin, int count)
{
    double to_ptx = median(ptx, count), to_cubin = median(cubin, count);
    printf("%-12s %6" PRId64 " %8.1f %8.1f %8.0f %%\n", name, lines, to_ptx, to_cubin,
           100 * (1 - to_ptx / to_cubin));
}

static void measure_empty(atx_nvrtc *nvrtc)
{
    static const char SOURCE[] = "extern \"C\" __global__ void empty(void) {}\n";
    double ptx[CONFIGS], cubin[CONFIGS];
    compile_ms(nvrtc, SOURCE, ATX_CUBIN); /* the first one loads the compiler */
    for (int i = 0; i < CONFIGS; i++) {
        ptx[i] = compile_ms(nvrtc, SOURCE, ATX_PTX);
        cubin[i] = compile_ms(nvrtc, SOURCE, ATX_CUBIN);
    }
    print_row("(empty)", 1, ptx, cubin, CONFIGS);
}

static int64_t lines_of(const char *text)
{
    int64_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void measure_template(atx_nvrtc *nvrtc, const atx_template *t, const int64_t *slots)
{
    double ptx[CONFIGS], cubin[CONFIGS];
    at_error err = { 0 };
    atx_space *space = NULL;
    atx_str source = { 0 };
    must(atx_space_open(&space, t, slots, NULL, 0, &err), &err);
    int64_t total = atx_space_count(space);
    int count = total < CONFIGS ? (int)total : CONFIGS;
    for (int i = 0; i < count; i++) {
        atx_config config;
        atx_space_config(&config, space, total * i / count);
        atx_str_reset(&source);
        must(atx_render(&source, t, ATX_F32, &config, slots, &err), &err);
        ptx[i] = compile_ms(nvrtc, atx_str_text(&source), ATX_PTX);
        cubin[i] = compile_ms(nvrtc, atx_str_text(&source), ATX_CUBIN);
    }
    if (count)
        print_row(t->name, lines_of(atx_str_text(&source)), ptx, cubin, count);
    atx_str_clear(&source);
    atx_space_close(space);
}

int main(int argc, char **argv)
{
    const int64_t sizes[] = { argc == 3 ? atoll(argv[1]) : 4096, argc == 3 ? atoll(argv[2]) : 4096 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_limits limits;
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_nvrtc *nvrtc = NULL;
    atx_problem problem;

    must(atx_catalog_open(&catalog, NULL, &err), &err);
    must(atx_nvrtc_open(&nvrtc, &err), &err);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    atx_arch_limits(&limits, CC);
    must(atx_problem_init(&problem, op, ATX_F32, sizes, 2, &err), &err);
    must(atx_problem_bind(slots, &problem, &limits, &err), &err);
    printf("NVRTC %s, transpose %" PRId64 "x%" PRId64 " f32, medians\n", atx_nvrtc_version(nvrtc), sizes[0],
           sizes[1]);
    printf("%-12s %6s %8s %8s %10s\n", "template", "lines", "PTX, ms", "cubin", "of it ptxas");
    measure_empty(nvrtc);
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++)
        measure_template(nvrtc, atx_catalog_template(catalog, op, i), slots);
    atx_nvrtc_close(nvrtc);
    atx_catalog_close(catalog);
    return 0;
}
