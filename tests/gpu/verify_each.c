/*
 * verify_each.c - compiles and verifies a sample of every template's configurations in one process, each
 * launched once: small enough to run under compute-sanitizer.
 *
 *     compute-sanitizer --tool racecheck build/tests/gpu/verify_each SAMPLES SHAPE DTYPE [SHAPE DTYPE ...]
 *
 * Exit code 0: all right; 1: a candidate was wrong or refused; 2: could not run.
 */
#include "bench.h"
#include "builder.h"
#include "catalog.h"
#include "render.h"
#include "shapes.h"
#include "space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    at__catalog *catalog;
    at__gpu *gpu;
    at__nvrtc *nvrtc;
    at__str check_cubin;
    int cc;
    at__limits limits;
    int tried, wrong;
} checker;

static void die(const at_error *err)
{
    fprintf(stderr, "verify_each: %s\n", err->text);
    exit(2);
}

static void must(at_status status, const at_error *err)
{
    if (status != AT_OK)
        die(err);
}

static void compile(checker *c, at__str *cubin, const char *source, const char *name)
{
    at_error err = { 0 };
    at__str log = { 0 };
    at__resources resources;
    bool ok = false;
    must(at__nvrtc_compile(c->nvrtc, &ok, cubin, &log, &resources, source, name, c->cc, AT__CUBIN, &err),
         &err);
    if (!ok) {
        fprintf(stderr, "%s", at__str_text(&log));
        exit(2);
    }
    at__str_clear(&log);
}

static at__bench *open_bench(checker *c, const at__problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    at__str source = { 0 };
    at__build build = { 0 };
    at__bench *bench = NULL;
    at__setup setup = { .element_bytes = at__dtype_bytes(p->type), .warm = true, .seed = 1 };

    must(at__render_reference(&source, p->op, p->type, &err), &err);
    compile(c, &build.cubin, at__str_text(&source), p->op->file);
    setup.check_cubin = c->check_cubin.data;
    setup.check_len = c->check_cubin.len;
    must(at__kernel_bind(&setup.reference, &build, p->op->reference, &p->op->launch, p->op, slots, &err),
         &err);
    for (int i = 0; i < p->op->arg_count; i++) {
        int64_t elements = 0;
        if (p->op->args[i].role == AT__SCALAR)
            continue;
        must(at__expr_eval(&elements, p->op->args[i].expr, slots, &err), &err);
        setup.buffers[setup.buffer_count++] =
            (at__buffer){ p->op->args[i].role, elements * setup.element_bytes, at__problem_align_of(p, i) };
    }
    must(at__bench_open(&bench, c->gpu, &setup, &err), &err);
    at__build_clear(&build);
    at__str_clear(&source);
    return bench;
}

static void verify(checker *c, at__bench *bench, const at__problem *p, const int64_t *slots,
                   const at__template *t, const at__config *config)
{
    at_error err = { 0 };
    at__str source = { 0 }, text = { 0 };
    at__build build = { 0 };
    at__kernel kernel;
    at__module *module = NULL;
    at__verdict verdict = { 0 };
    int64_t all[AT__MAX_SLOTS];

    memcpy(all, slots, sizeof all);
    at__config_text(&text, t, config);
    must(at__config_bind(all, t, config, &err), &err);
    must(at__render(&source, t, p->type, config, slots, &err), &err);
    compile(c, &build.cubin, at__str_text(&source), t->file);
    must(at__kernel_bind(&kernel, &build, t->kernel, &t->launch, p->op, all, &err), &err);
    must(at__gpu_load(&module, c->gpu, kernel.cubin, kernel.name, kernel.geometry.shared_bytes, &err), &err);
    must(at__bench_verify(&verdict, bench, module, &kernel, false, &err), &err);
    c->tried++;
    if (!verdict.right) {
        c->wrong++;
        printf("WRONG %s %s: %s\n", t->name, at__str_text(&text), verdict.log);
    }
    at__gpu_unload(c->gpu, module);
    at__build_clear(&build);
    at__str_clear(&source);
    at__str_clear(&text);
}

static void verify_problem(checker *c, const at__problem *p, int samples)
{
    at_error err = { 0 };
    int64_t slots[AT__MAX_SLOTS];
    at__rng rng = { 5 };

    must(at__problem_bind(slots, p, &c->limits, &err), &err);
    at__bench *bench = open_bench(c, p, slots);
    for (int i = 0; i < at__catalog_template_count(c->catalog, p->op); i++) {
        at__space *space = NULL;
        must(at__space_open(&space, at__catalog_template(c->catalog, p->op, i), slots, NULL, 0, &err), &err);
        int64_t count = at__space_count(space);
        int wanted = count < samples ? (int)count : samples;
        printf("  %-14s %d of %lld\n", at__space_template(space)->name, wanted, (long long)count);
        for (int k = 0; k < wanted; k++) {
            at__config config;
            at__space_config(&config, space, count <= samples ? k : at__space_sample(space, &rng));
            verify(c, bench, p, slots, at__space_template(space), &config);
        }
        at__space_close(space);
    }
    at__bench_close(bench);
}

int main(int argc, char **argv)
{
    checker c = { 0 };
    at_error err = { 0 };
    at__device_info info;
    if (argc < 4) {
        fprintf(stderr, "usage: verify_each SAMPLES SHAPE DTYPE [SHAPE DTYPE ...]\n");
        return 2;
    }
    must(at__catalog_open(&c.catalog, NULL, &err), &err);
    must(at__nvrtc_open(&c.nvrtc, &err), &err);
    must(at__gpu_open(&c.gpu, 0, &err), &err);
    must(at__gpu_info(&info, c.gpu, &err), &err);
    c.cc = (int)info.limits.cc;
    c.limits = info.limits;
    compile(&c, &c.check_cubin, (const char *)at__embedded_checks[0].data, at__embedded_checks[0].path);
    for (int i = 2; i + 1 < argc; i += 2) {
        char line[256];
        at__shapes shapes = { 0 };
        snprintf(line, sizeof line, "%s %s", argv[i], argv[i + 1]);
        must(at__shapes_parse(&shapes, line, strlen(line), "arguments", c.catalog,
                              (at__shape_defaults){ .op = "transpose", .type = AT__F32 }, &err),
             &err);
        printf("%s\n", line);
        verify_problem(&c, &shapes.problems[0], atoi(argv[1]));
        at__shapes_clear(&shapes);
    }
    printf("%d configurations, %d wrong\n", c.tried, c.wrong);
    at__str_clear(&c.check_cubin);
    at__gpu_close(c.gpu);
    at__nvrtc_close(c.nvrtc);
    at__catalog_close(c.catalog);
    return c.wrong ? 1 : 0;
}
