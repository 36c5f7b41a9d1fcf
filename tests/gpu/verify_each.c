/*
 * verify_each.c - compiles and verifies kernels in one process, each launched once: small enough to run under
 * compute-sanitizer. Either a sample of every template's configurations, or the winners of a database.
 *
 *     compute-sanitizer --tool racecheck build/tests/gpu/verify_each [OPTIONS] SAMPLES PROBLEMS
 *     compute-sanitizer --tool racecheck build/tests/gpu/verify_each [OPTIONS] WINNERS.db PROBLEMS
 *
 * --templates DIR: more operations; --template NAME[,NAME]: samples of these templates only.
 *
 * PROBLEMS: shapes files (*.txt) and pairs of SHAPE DTYPE, or 'OP SHAPE' DTYPE. Problems without a winner are
 * named and passed over. Exit code 0: all right; 1: a candidate was wrong or refused; 2: could not run, or
 * there was nothing to verify.
 */
#include "runner/bench.h"
#include "compile/builder.h"
#include "lang/catalog.h"
#include "lang/render.h"
#include "lang/shapes.h"
#include "space/space.h"
#include "db/store.h"
#include "tune/setup.h"
#include "tune/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    at__catalog *catalog;
    at__gpu *gpu;
    at__nvrtc *nvrtc;
    at__str verify[AT__CHECK_PARTS];
    int cc;
    at__limits limits;
    at__store *winners; /* NULL: samples */
    int samples;
    const char *only; /* templates, with commas between them; NULL: all */
    int tried, wrong, without;
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
    at__setup setup = { .warm = true, .seed = 1 };

    must(at__setup_describe(&setup, p, slots, &err), &err);
    must(at__render_reference(&source, p, &err), &err);
    compile(c, &build.cubin, at__str_text(&source), p->op->file);
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        setup.verify[i] = (at__check_part){ c->verify[i].data, c->verify[i].len };
    must(at__kernel_bind(&setup.reference, &build, p->op->reference, &p->op->launch, p->op, slots, &err),
         &err);
    must(at__referee_bind(&setup.referee, &build, p->op, slots, &err), &err);
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
    must(at__template_bind(&kernel, &build, t, all, &err), &err);
    must(at__gpu_load_all(&module, c->gpu, &kernel, &err), &err);
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

/* Whether samples of this template are asked for. */
static bool wanted(const checker *c, const at__template *t)
{
    size_t len = strlen(t->name);
    for (const char *at = c->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == len && strncmp(at, t->name, len) == 0)
            return true;
    return !c->only;
}

static void verify_samples(checker *c, at__bench *bench, const at__problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    at__rng rng = { 5 };
    for (int i = 0; i < at__catalog_template_count(c->catalog, p->op); i++) {
        const at__template *t = at__catalog_template(c->catalog, p->op, i);
        at__space *space = NULL;
        if (!wanted(c, t))
            continue;
        must(at__space_open(&space, t, slots, NULL, 0, &err), &err);
        int64_t count = at__space_count(space);
        int some = count < c->samples ? (int)count : c->samples;
        printf("  %-14s %d of %lld\n", t->name, some, (long long)count);
        for (int k = 0; k < some; k++) {
            at__config config;
            at__space_config(&config, space, count <= c->samples ? k : at__space_sample(space, &rng));
            verify(c, bench, p, slots, t, &config);
        }
        at__space_close(space);
    }
}

static void verify_winner(checker *c, at__bench *bench, const at__problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    at__str shape = { 0 };
    at__problem_key key;
    at__answer answer = { 0 };
    at__config config;
    must(at__problem_key_of(&key, &shape, p, &err), &err);
    at_status status = at__store_find_winner(&answer, c->winners, &key, NULL, NULL, &err);
    const at__template *t =
        status == AT_OK ? at__catalog_find_template(c->catalog, p->op, answer.winner.template_name) : NULL;
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        die(&err);
    if (!t || !at__template_has_hash(t, answer.winner.template_hash)) {
        printf("  %s\n", status == AT_OK ? "its winner's template has changed" : "no winner");
        c->without++;
    } else {
        must(at__config_parse(&config, t, answer.winner.config, &err), &err);
        printf("  %s %s\n", t->name, answer.winner.config);
        verify(c, bench, p, slots, t, &config);
    }
    at__answer_clear(&answer);
    at__str_clear(&shape);
}

static void verify_problems(checker *c, at__shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        const at__problem *p = &shapes->problems[i];
        at_error err = { 0 };
        at__str shape = { 0 };
        int64_t slots[AT__MAX_SLOTS];
        at__problem_shape(&shape, p);
        printf("%s %s\n", at__str_text(&shape), at__dtype_name(p->type));
        must(at__problem_bind(slots, p, &c->limits, &err), &err);
        at__bench *bench = open_bench(c, p, slots);
        if (c->winners)
            verify_winner(c, bench, p, slots);
        else
            verify_samples(c, bench, p, slots);
        at__bench_close(bench);
        at__str_clear(&shape);
    }
    at__shapes_clear(shapes);
}

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

/* What is to be verified: a number of samples, or a database of winners. */
static void choose(checker *c, const char *what)
{
    at_error err = { 0 };
    char *end;
    long samples = strtol(what, &end, 10);
    if (*end == '\0' && samples > 0 && samples < 1000000)
        c->samples = (int)samples;
    else
        must(at__store_open(&c->winners, what, AT__STORE_READ, &err), &err);
}

int main(int argc, char **argv)
{
    const char *templates = NULL;
    checker c = { 0 };
    at_error err = { 0 };
    at__device_info info;
    at__str checks = { 0 };
    for (; argc > 2 && strncmp(argv[1], "--template", 10) == 0; argv += 2, argc -= 2)
        *(argv[1][10] ? &templates : &c.only) = argv[2];
    if (argc < 3) {
        fprintf(stderr, "usage: verify_each [--templates DIR] [--template NAME[,NAME]] SAMPLES|WINNERS.db "
                        "FILE.txt|SHAPE DTYPE [...]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what was right is known of a run that is ended, too */
    choose(&c, argv[1]);
    must(at__catalog_open(&c.catalog, templates, &err), &err);
    must(at__nvrtc_open(&c.nvrtc, &err), &err);
    must(at__gpu_open(&c.gpu, 0, &err), &err);
    must(at__gpu_info(&info, c.gpu, &err), &err);
    c.cc = (int)info.limits.cc;
    c.limits = info.limits;
    for (int i = 0; i < AT__CHECK_PARTS; i++) {
        must(at__setup_checks(&checks, i, &err), &err);
        compile(&c, &c.verify[i], at__str_text(&checks), "runner/verify.cu");
        at__str_clear(&checks);
    }
    for (int i = 2; i < argc; i++) {
        char line[256];
        at__shapes shapes = { 0 };
        bool file = ends_in(argv[i], ".txt");
        snprintf(line, sizeof line, "%s %s", argv[i], !file && i + 1 < argc ? argv[i + 1] : "");
        must(file ? at__shapes_read(&shapes, argv[i], c.catalog, NULL, &err)
                  : at__shapes_parse(&shapes, line, strlen(line), "arguments", c.catalog, NULL, &err),
             &err);
        verify_problems(&c, &shapes);
        i += !file;
    }
    if (c.without)
        printf("%d problems without a winner; ", c.without);
    printf("%d configurations, %d wrong\n", c.tried, c.wrong);
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        at__str_clear(&c.verify[i]);
    at__store_close(c.winners);
    at__gpu_close(c.gpu);
    at__nvrtc_close(c.nvrtc);
    at__catalog_close(c.catalog);
    return c.wrong ? 1 : c.tried ? 0 : 2;
}
