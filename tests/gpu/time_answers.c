/*
 * time_answers.c - times configurations of a problem against each other, interleaved: what a look-up answered
 * against what tuning found. For `tools/near_loss --time`.
 *
 *     time_answers SECONDS < LINES
 *
 * A line is "SHAPE DTYPE OP", then configurations, each "TEMPLATE CONFIG", all separated by tabs. Kernels are
 * compiled first, by as many processes as there are processors. Then each problem is laid out cold, and its
 * configurations play a final: verified, timed round by round in random order, verified again. Prints the
 * problem and the medians in microseconds, separated by tabs; "-" for one that is not valid or not right.
 * Ends after SECONDS: what was not timed is not printed.
 */
#include "runner/bench.h"
#include "runner/measure.h"
#include "runner/sample.h"
#include "compile/builder.h"
#include "lang/catalog.h"
#include "lang/render.h"
#include "lang/shapes.h"
#include "tune/setup.h"
#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096, MOST_CONFIGS = 8 };

typedef struct asked {
    at__problem problem;
    const at__template *t[MOST_CONFIGS];
    at__config config[MOST_CONFIGS];
    int count;
    char name[128];
} asked;

typedef struct timer {
    at__catalog *catalog;
    at__gpu *gpu;
    at__nvrtc *nvrtc;
    at__limits limits;
    bool warm;
    at__str verify[AT__CHECK_PARTS], reference[AT__DTYPES];
    const at__op *reference_of[AT__DTYPES];
    const char *folder;
    double until_s;
} timer;

static void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "time_answers: %s\n", err->text);
    exit(2);
}

static bool compile(at__nvrtc *nvrtc, at__str *cubin, const char *source, const char *name, int cc)
{
    at_error err = { 0 };
    at__str log = { 0 };
    at__resources resources;
    bool ok = false;
    must(at__nvrtc_compile(nvrtc, &ok, cubin, &log, &resources, source, name, cc, AT__CUBIN, &err), &err);
    at__str_clear(&log);
    return ok;
}

/* ---- reading ---- */

static void read_config(asked *a, const at__catalog *catalog, char *text)
{
    at_error err = { 0 };
    char *config = strchr(text, ' ');
    if (!config || a->count == MOST_CONFIGS)
        return;
    *config++ = '\0';
    const at__template *t = at__catalog_find_template(catalog, a->problem.op, text);
    if (!t)
        must(at_fail(&err, AT_ERR_INPUT, "%s: no template %s", a->name, text), &err);
    must(at__config_parse(&a->config[a->count], t, config, &err), &err);
    a->t[a->count++] = t;
}

static int read_lines(asked *list, const at__catalog *catalog)
{
    at_error err = { 0 };
    char line[4096];
    int count = 0;
    while (count < MOST && fgets(line, sizeof line, stdin)) {
        asked *a = &list[count++];
        at__shapes shapes = { 0 };
        line[strcspn(line, "\n")] = '\0';
        char *text = strtok(line, "\t");
        if (!text) {
            count--;
            continue;
        }
        snprintf(a->name, sizeof a->name, "%s", text);
        must(at__shapes_parse(&shapes, text, strlen(text), "a line", catalog, NULL, &err), &err);
        a->problem = shapes.problems[0];
        at__shapes_clear(&shapes);
        while ((text = strtok(NULL, "\t")))
            read_config(a, catalog, text);
    }
    return count;
}

/* ---- compiling ---- */

static void file_name(char *out, size_t size, const char *folder, int problem, int config)
{
    snprintf(out, size, "%s/%d.%d.cubin", folder, problem, config);
}

static void compile_one(const timer *t, at__nvrtc *nvrtc, const asked *a, int problem, int k)
{
    char path[256];
    at__str source = { 0 }, cubin = { 0 };
    int64_t slots[AT__MAX_SLOTS];
    if (at__problem_bind(slots, &a->problem, &t->limits, NULL) != AT_OK ||
        at__config_validate(slots, a->t[k], &a->config[k], NULL) != AT_OK ||
        at__render(&source, a->t[k], a->problem.type, &a->config[k], slots, NULL) != AT_OK)
        return;
    if (compile(nvrtc, &cubin, at__str_text(&source), a->t[k]->file, (int)t->limits.cc)) {
        file_name(path, sizeof path, t->folder, problem, k);
        FILE *file = fopen(path, "wb");
        if (file) {
            fwrite(cubin.data, 1, cubin.len, file);
            fclose(file);
        }
    }
    at__str_clear(&source);
    at__str_clear(&cubin);
}

/* Each process takes every n-th kernel. */
static void compile_all(const timer *t, const asked *list, int count)
{
    at_error err = { 0 };
    int workers = (int)sysconf(_SC_NPROCESSORS_ONLN), job = 0;
    for (int w = 0; w < workers; w++) {
        if (fork() != 0)
            continue;
        at__nvrtc *nvrtc = NULL;
        must(at__nvrtc_open(&nvrtc, &err), &err);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < list[i].count; k++, job++)
                if (job % workers == w && at__now_s() < t->until_s)
                    compile_one(t, nvrtc, &list[i], i, k);
        _exit(0);
    }
    while (wait(NULL) > 0) {
    }
}

/* ---- timing ---- */

static at__bench *open_bench(timer *t, const at__problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    at__str source = { 0 };
    at__build build = { 0 };
    at__bench *bench = NULL;
    at__setup setup = { .seed = 1 };
    must(at__setup_describe(&setup, p, slots, &err), &err);
    at__str *cubin = &t->reference[p->type];
    if (t->reference_of[p->type] != p->op || p->op->layout_count) { /* a layout is part of the text */
        at__str_clear(cubin);
        t->reference_of[p->type] = p->op;
        must(at__render_reference(&source, p, &err), &err);
        if (!compile(t->nvrtc, cubin, at__str_text(&source), p->op->file, (int)t->limits.cc))
            must(at_fail(&err, AT_ERR_INPUT, "%s: the reference does not compile", p->op->file), &err);
        at__str_clear(&source);
    }
    at__str_add_bytes(&build.cubin, cubin->data, cubin->len);
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        setup.verify[i] = (at__check_part){ t->verify[i].data, t->verify[i].len };
    must(at__kernel_bind(&setup.reference, &build, p->op->reference, &p->op->launch, p->op, slots, &err),
         &err);
    must(at__referee_bind(&setup.referee, &build, p->op, slots, &err), &err);
    must(at__bench_open(&bench, t->gpu, &setup, &err), &err);
    at__build_clear(&build);
    return bench;
}

/* The configurations whose kernels are there, as finalists; entrant[i] says which. */
static int finalists(at__finalist *out, at__build *builds, int *entrant, const timer *t, const asked *a,
                     int problem, const int64_t *slots)
{
    char path[256];
    int count = 0;
    for (int k = 0; k < a->count; k++) {
        int64_t all[AT__MAX_SLOTS];
        at__str *cubin = &builds[count].cubin;
        file_name(path, sizeof path, t->folder, problem, k);
        memcpy(all, slots, sizeof all);
        if (at__config_bind(all, a->t[k], &a->config[k], NULL) != AT_OK ||
            at__str_read_file(cubin, path, (size_t)64 << 20, NULL) != AT_OK)
            continue;
        out[count] = (at__finalist){ .is_copy = false };
        if (at__template_bind(&out[count].kernel, &builds[count], a->t[k], all, NULL) == AT_OK)
            entrant[count++] = k;
    }
    return count;
}

static void time_problem(timer *t, const asked *a, int problem)
{
    at_error err = { 0 };
    int64_t slots[AT__MAX_SLOTS] = { 0 };
    at__finalist list[MOST_CONFIGS];
    at__final_row rows[MOST_CONFIGS];
    at__build builds[MOST_CONFIGS] = { 0 };
    int entrant[MOST_CONFIGS];
    double times[MOST_CONFIGS] = { 0 };
    at__watch watch;
    must(at__problem_bind(slots, &a->problem, &t->limits, &err), &err);
    int count = finalists(list, builds, entrant, t, a, problem, slots);
    at__bench *bench = open_bench(t, &a->problem, slots);
    at__final_limits limits = { .budget_until_s = at__now_s() + 0.4 };
    at__watch_begin(&watch, NULL);
    if (!t->warm)
        must(at__warm_up(t->gpu, bench, 0.3, &err), &err);
    t->warm = true;
    if (count)
        must(at__measure_final(rows, t->gpu, bench, list, count, 1, &watch, &limits, &err), &err);
    for (int i = 0; i < count; i++)
        times[entrant[i]] = rows[i].outcome == AT__TIMED ? rows[i].timing.median_s : 0;
    printf("%s", a->name);
    for (int k = 0; k < a->count; k++)
        times[k] > 0 ? printf("\t%.4f", 1e6 * times[k]) : printf("\t-");
    printf("\n");
    fflush(stdout);
    at__bench_close(bench);
    for (int k = 0; k < MOST_CONFIGS; k++)
        at__build_clear(&builds[k]);
}

/* In a process of its own: after a fork CUDA is of no use any more. */
static void limits_of_device(at__limits *out)
{
    at_error err = { 0 };
    int ends[2];
    if (pipe(ends) != 0)
        exit(2);
    if (fork() == 0) {
        at__gpu *gpu = NULL;
        at__device_info info;
        must(at__gpu_open(&gpu, 0, &err), &err);
        must(at__gpu_info(&info, gpu, &err), &err);
        _exit(write(ends[1], &info.limits, sizeof info.limits) == (ssize_t)sizeof info.limits ? 0 : 2);
    }
    close(ends[1]);
    if (read(ends[0], out, sizeof *out) != (ssize_t)sizeof *out)
        must(at_fail(&err, AT_ERR_DEVICE, "no device"), &err);
    close(ends[0]);
}

int main(int argc, char **argv)
{
    timer t = { .until_s = at__now_s() + (argc > 1 ? strtod(argv[1], NULL) : 60) };
    at_error err = { 0 };
    at__device_info info;
    at__str checks = { 0 };
    char folder[] = "/tmp/time_answers.XXXXXX";
    asked *list = calloc(MOST, sizeof *list);
    t.folder = mkdtemp(folder);
    if (!list || !t.folder)
        return 2;
    must(at__catalog_open(&t.catalog, NULL, &err), &err);
    int count = read_lines(list, t.catalog);
    limits_of_device(&t.limits);
    compile_all(&t, list, count);
    fprintf(stderr, "time_answers: compiled, %.1f s left\n", t.until_s - at__now_s());
    must(at__nvrtc_open(&t.nvrtc, &err), &err);
    must(at__gpu_open(&t.gpu, 0, &err), &err);
    must(at__gpu_info(&info, t.gpu, &err), &err);
    t.limits = info.limits;
    for (int i = 0; i < AT__CHECK_PARTS; i++) {
        must(at__setup_checks(&checks, i, &err), &err);
        compile(t.nvrtc, &t.verify[i], at__str_text(&checks), "runner/verify.cu", (int)t.limits.cc);
        at__str_clear(&checks);
    }
    for (int i = 0; i < count && at__now_s() < t.until_s; i++)
        time_problem(&t, &list[i], i);
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        at__str_clear(&t.verify[i]);
    for (int i = 0; i < AT__DTYPES; i++)
        at__str_clear(&t.reference[i]);
    at__gpu_close(t.gpu);
    at__nvrtc_close(t.nvrtc);
    at__catalog_close(t.catalog);
    free(list);
    return 0;
}
