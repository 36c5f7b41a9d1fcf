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
    atx_catalog *catalog;
    atx_gpu *gpu;
    atx_nvrtc *nvrtc;
    atx_str verify[ATX_CHECK_PARTS];
    int cc;
    atx_limits limits;
    atx_store *winners; /* NULL: samples */
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

static void compile(checker *c, atx_str *cubin, const char *source, const char *name)
{
    at_error err = { 0 };
    atx_str log = { 0 };
    atx_resources resources;
    bool ok = false;
    must(atx_nvrtc_compile(c->nvrtc, &ok, cubin, &log, &resources,
                           &(atx_nvrtc_source){ source, name, c->cc, ATX_CUBIN }, &err),
         &err);
    if (!ok) {
        fprintf(stderr, "%s", atx_str_text(&log));
        exit(2);
    }
    atx_str_clear(&log);
}

static atx_bench *open_bench(checker *c, const atx_problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    atx_str source = { 0 };
    atx_build build = { 0 };
    atx_bench *bench = NULL;
    atx_setup setup = { .warm = true, .seed = 1 };

    must(atx_setup_describe(&setup, p, slots, &err), &err);
    must(atx_render_reference(&source, p, &err), &err);
    compile(c, &build.cubin, atx_str_text(&source), p->op->text.file);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        setup.verify[i] = (atx_check_part){ c->verify[i].data, c->verify[i].len };
    must(atx_reference_bind(&setup.reference, &build, p->op, slots, &err), &err);
    must(atx_validator_bind(&setup.validator, &build, p->op, slots, &err), &err);
    must(atx_bench_open(&bench, c->gpu, &setup, &err), &err);
    atx_build_clear(&build);
    atx_str_clear(&source);
    return bench;
}

static void verify(checker *c, atx_bench *bench, const atx_problem *p, const int64_t *slots,
                   const atx_template *t, const atx_config *config)
{
    at_error err = { 0 };
    atx_str source = { 0 }, text = { 0 };
    atx_build build = { 0 };
    atx_kernel kernel;
    atx_module *module = NULL;
    atx_seen verdict = { 0 };
    int64_t all[ATX_MAX_SLOTS];

    memcpy(all, slots, sizeof all);
    atx_config_text(&text, t, config);
    must(atx_config_bind(all, t, config, &err), &err);
    must(atx_render(&source, t, p->type, config, slots, &err), &err);
    compile(c, &build.cubin, atx_str_text(&source), t->text.file);
    must(atx_template_bind(&kernel, &build, t, all, &err), &err);
    must(atx_gpu_load_all(&module, c->gpu, &kernel, &err), &err);
    atx_loaded what = { .module = module, .kernel = &kernel };
    must(atx_bench_verify(&verdict, bench, &what, &err), &err);
    c->tried++;
    if (!verdict.right) {
        c->wrong++;
        printf("WRONG %s %s: %s\n", t->name, atx_str_text(&text), verdict.log);
    }
    atx_gpu_unload(c->gpu, module);
    atx_build_clear(&build);
    atx_str_clear(&source);
    atx_str_clear(&text);
}

/* Whether samples of this template are asked for. */
static bool wanted(const checker *c, const atx_template *t)
{
    size_t len = strlen(t->name);
    for (const char *at = c->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == len && strncmp(at, t->name, len) == 0)
            return true;
    return !c->only;
}

static void verify_samples(checker *c, atx_bench *bench, const atx_problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    atx_rng rng = { 5 };
    for (int i = 0; i < atx_catalog_template_count(c->catalog, p->op); i++) {
        const atx_template *t = atx_catalog_template(c->catalog, p->op, i);
        atx_space *space = NULL;
        if (!wanted(c, t))
            continue;
        must(atx_space_open(&space, t, slots, NULL, 0, &err), &err);
        int64_t count = atx_space_count(space);
        int some = count < c->samples ? (int)count : c->samples;
        printf("  %-14s %d of %lld\n", t->name, some, (long long)count);
        for (int k = 0; k < some; k++) {
            atx_config config;
            atx_space_config(&config, space, count <= c->samples ? k : atx_space_sample(space, &rng));
            verify(c, bench, p, slots, t, &config);
        }
        atx_space_close(space);
    }
}

static void verify_winner(checker *c, atx_bench *bench, const atx_problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    atx_str shape = { 0 };
    atx_problem_key key;
    atx_answer answer = { 0 };
    atx_config config;
    must(atx_problem_key_of(&key, &shape, p, &err), &err);
    at_status status = atx_store_find_winner(&answer, c->winners, &key, NULL, NULL, &err);
    const atx_template *t =
        status == AT_OK ? atx_catalog_find_template(c->catalog, p->op, answer.winner.template_name) : NULL;
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        die(&err);
    if (!t || !atx_template_has_hash(t, answer.winner.template_hash)) {
        printf("  %s\n", status == AT_OK ? "its winner's template has changed" : "no winner");
        c->without++;
    } else {
        must(atx_config_parse(&config, t, answer.winner.config, &err), &err);
        printf("  %s %s\n", t->name, answer.winner.config);
        verify(c, bench, p, slots, t, &config);
    }
    atx_answer_clear(&answer);
    atx_str_clear(&shape);
}

static void verify_problems(checker *c, atx_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        const atx_problem *p = &shapes->problems[i];
        at_error err = { 0 };
        atx_str shape = { 0 };
        int64_t slots[ATX_MAX_SLOTS];
        atx_problem_shape(&shape, p);
        printf("%s %s\n", atx_str_text(&shape), atx_dtype_name(p->type));
        must(atx_problem_bind(slots, p, &c->limits, &err), &err);
        atx_bench *bench = open_bench(c, p, slots);
        if (c->winners)
            verify_winner(c, bench, p, slots);
        else
            verify_samples(c, bench, p, slots);
        atx_bench_close(bench);
        atx_str_clear(&shape);
    }
    atx_shapes_clear(shapes);
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
        must(atx_store_open(&c->winners, what, ATX_STORE_READ, &err), &err);
}

int main(int argc, char **argv)
{
    const char *templates = NULL;
    checker c = { 0 };
    at_error err = { 0 };
    atx_device_info info;
    atx_str checks = { 0 };
    for (; argc > 2 && strncmp(argv[1], "--template", 10) == 0; argv += 2, argc -= 2)
        *(argv[1][10] ? &templates : &c.only) = argv[2];
    if (argc < 3) {
        fprintf(stderr, "usage: verify_each [--templates DIR] [--template NAME[,NAME]] SAMPLES|WINNERS.db "
                        "FILE.txt|SHAPE DTYPE [...]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what was right is known of a run that is ended, too */
    choose(&c, argv[1]);
    must(atx_catalog_open(&c.catalog, templates, &err), &err);
    must(atx_nvrtc_open(&c.nvrtc, &err), &err);
    must(atx_gpu_open(&c.gpu, 0, &err), &err);
    must(atx_gpu_info(&info, c.gpu, &err), &err);
    c.cc = (int)info.limits.cc;
    c.limits = info.limits;
    for (int i = 0; i < ATX_CHECK_PARTS; i++) {
        must(atx_setup_checks(&checks, (atx_check_kind)i, &err), &err);
        compile(&c, &c.verify[i], atx_str_text(&checks), "runner/verify.cu");
        atx_str_clear(&checks);
    }
    for (int i = 2; i < argc; i++) {
        char line[256];
        atx_shapes shapes = { 0 };
        bool file = ends_in(argv[i], ".txt");
        snprintf(line, sizeof line, "%s %s", argv[i], !file && i + 1 < argc ? argv[i + 1] : "");
        must(file ? atx_shapes_read(&shapes, argv[i], c.catalog, NULL, &err)
                  : atx_shapes_parse(&shapes, line, strlen(line), "arguments", c.catalog, NULL, &err),
             &err);
        verify_problems(&c, &shapes);
        i += !file;
    }
    if (c.without)
        printf("%d problems without a winner; ", c.without);
    printf("%d configurations, %d wrong\n", c.tried, c.wrong);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        atx_str_clear(&c.verify[i]);
    atx_store_close(c.winners);
    atx_gpu_close(c.gpu);
    atx_nvrtc_close(c.nvrtc);
    atx_catalog_close(c.catalog);
    return c.wrong ? 1 : c.tried ? 0 : 2;
}
