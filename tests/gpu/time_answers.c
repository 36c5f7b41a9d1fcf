/*
 * time_answers.c - times configurations of a problem against each other, interleaved: what a look-up answered
 * against what tuning found. For `tools/near_loss --time`.
 *
 *     time_answers SECONDS < LINES
 *
 * A line is "SHAPE DTYPE OP", then configurations, each "TEMPLATE CONFIG", all separated by tabs. Kernels are
 * compiled first, by as many processes as there are processors. Then each problem is laid out cold, and its
 * configurations play a re-measurement: verified, timed round by round in random order, verified again.
 * Prints the problem and the medians in microseconds, separated by tabs; "-" for one that is not valid or not
 * right. Ends after SECONDS: what was not timed is not printed.
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
#include "temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096, MOST_CONFIGS = 8 };

typedef struct asked {
    atx_problem problem;
    const atx_template *t[MOST_CONFIGS];
    atx_config config[MOST_CONFIGS];
    int count;
    char name[128];
} asked;

typedef struct timer {
    atx_catalog *catalog;
    atx_gpu *gpu;
    atx_nvrtc *nvrtc;
    atx_limits limits;
    bool warm;
    atx_str verify[ATX_CHECK_PARTS], reference[ATX_DTYPES];
    const atx_op *reference_of[ATX_DTYPES];
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

static bool compile(atx_nvrtc *nvrtc, atx_str *cubin, const char *source, const char *name, int cc)
{
    at_error err = { 0 };
    atx_str log = { 0 };
    atx_resources resources;
    bool ok = false;
    must(atx_nvrtc_compile(nvrtc, &ok, cubin, &log, &resources,
                           &(atx_nvrtc_source){ source, name, cc, ATX_CUBIN }, &err),
         &err);
    atx_str_clear(&log);
    return ok;
}

/* ---- reading ---- */

static void read_config(asked *a, const atx_catalog *catalog, char *text)
{
    at_error err = { 0 };
    char *config = strchr(text, ' ');
    if (!config || a->count == MOST_CONFIGS)
        return;
    *config++ = '\0';
    const atx_template *t = atx_catalog_find_template(catalog, a->problem.op, text);
    if (!t)
        must(atx_fail(&err, AT_ERR_INPUT, "%s: no template %s", a->name, text), &err);
    must(atx_config_parse(&a->config[a->count], t, config, &err), &err);
    a->t[a->count++] = t;
}

static int read_lines(asked *list, const atx_catalog *catalog)
{
    at_error err = { 0 };
    char line[4096];
    int count = 0;
    while (count < MOST && fgets(line, sizeof line, stdin)) {
        asked *a = &list[count++];
        atx_shapes shapes = { 0 };
        line[strcspn(line, "\n")] = '\0';
        char *text = strtok(line, "\t");
        if (!text) {
            count--;
            continue;
        }
        snprintf(a->name, sizeof a->name, "%s", text);
        must(atx_shapes_parse(&shapes, text, strlen(text), "a line", catalog, NULL, &err), &err);
        a->problem = shapes.problems[0];
        atx_shapes_clear(&shapes);
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

static void compile_one(const timer *t, atx_nvrtc *nvrtc, const asked *a, int problem, int k)
{
    char path[256];
    atx_str source = { 0 }, cubin = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    if (atx_problem_bind(slots, &a->problem, &t->limits, NULL) != AT_OK ||
        atx_config_validate(slots, a->t[k], &a->config[k], NULL) != AT_OK ||
        atx_render(&source, a->t[k], a->problem.type, &a->config[k], slots, NULL) != AT_OK)
        return;
    if (compile(nvrtc, &cubin, atx_str_text(&source), a->t[k]->text.file, (int)t->limits.cc)) {
        file_name(path, sizeof path, t->folder, problem, k);
        FILE *file = fopen(path, "wb");
        if (file) {
            fwrite(cubin.data, 1, cubin.len, file);
            fclose(file);
        }
    }
    atx_str_clear(&source);
    atx_str_clear(&cubin);
}

/* Each process takes every n-th kernel. */
static void compile_all(const timer *t, const asked *list, int count)
{
    at_error err = { 0 };
    int workers = (int)sysconf(_SC_NPROCESSORS_ONLN), job = 0;
    for (int w = 0; w < workers; w++) {
        if (fork() != 0)
            continue;
        atx_nvrtc *nvrtc = NULL;
        must(atx_nvrtc_open(&nvrtc, &err), &err);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < list[i].count; k++, job++)
                if (job % workers == w && atx_now_s() < t->until_s)
                    compile_one(t, nvrtc, &list[i], i, k);
        _exit(0);
    }
    while (wait(NULL) > 0) {
    }
}

/* ---- timing ---- */

static atx_bench *open_bench(timer *t, const atx_problem *p, const int64_t *slots)
{
    at_error err = { 0 };
    atx_str source = { 0 };
    atx_build build = { 0 };
    atx_bench *bench = NULL;
    atx_setup setup = { .seed = 1 };
    must(atx_setup_describe(&setup, p, slots, &err), &err);
    atx_str *cubin = &t->reference[p->type];
    if (t->reference_of[p->type] != p->op || p->op->shape.layout_count) { /* a layout is part of the text */
        atx_str_clear(cubin);
        t->reference_of[p->type] = p->op;
        must(atx_render_reference(&source, p, &err), &err);
        if (!compile(t->nvrtc, cubin, atx_str_text(&source), p->op->text.file, (int)t->limits.cc))
            must(atx_fail(&err, AT_ERR_INPUT, "%s: the reference does not compile", p->op->text.file), &err);
        atx_str_clear(&source);
    }
    atx_str_add_bytes(&build.cubin, cubin->data, cubin->len);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        setup.verify[i] = (atx_check_part){ t->verify[i].data, t->verify[i].len };
    must(atx_reference_bind(&setup.reference, &build, p->op, slots, &err), &err);
    must(atx_validator_bind(&setup.validator, &build, p->op, slots, &err), &err);
    must(atx_bench_open(&bench, t->gpu, &setup, &err), &err);
    atx_build_clear(&build);
    return bench;
}

/* The configurations whose kernels are there, as top candidates; entrant[i] says which. */
static int top_candidates(atx_top_candidate *out, atx_build *builds, int *entrant, const timer *t,
                          const asked *a, int problem, const int64_t *slots)
{
    char path[256];
    int count = 0;
    for (int k = 0; k < a->count; k++) {
        int64_t all[ATX_MAX_SLOTS];
        atx_str *cubin = &builds[count].cubin;
        file_name(path, sizeof path, t->folder, problem, k);
        memcpy(all, slots, sizeof all);
        if (atx_config_bind(all, a->t[k], &a->config[k], NULL) != AT_OK ||
            atx_str_read_file(cubin, path, (size_t)64 << 20, NULL) != AT_OK)
            continue;
        out[count] = (atx_top_candidate){ .is_copy = false };
        if (atx_template_bind(&out[count].kernel, &builds[count], a->t[k], all, NULL) == AT_OK)
            entrant[count++] = k;
    }
    return count;
}

static void time_problem(timer *t, const asked *a, int problem)
{
    at_error err = { 0 };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_top_candidate list[MOST_CONFIGS];
    atx_remeasure_row rows[MOST_CONFIGS];
    atx_build builds[MOST_CONFIGS] = { 0 };
    int entrant[MOST_CONFIGS];
    double times[MOST_CONFIGS] = { 0 };
    atx_watch watch;
    must(atx_problem_bind(slots, &a->problem, &t->limits, &err), &err);
    int count = top_candidates(list, builds, entrant, t, a, problem, slots);
    atx_bench *bench = open_bench(t, &a->problem, slots);
    const atx_remeasure_means means = { .gpu = t->gpu, .bench = bench, .watch = &watch };
    const atx_remeasure_request request = {
        .list = list, .count = count, .seed = 1, .budget_until_s = atx_now_s() + 0.4
    };
    atx_watch_begin(&watch, NULL);
    if (!t->warm)
        must(atx_warm_up(t->gpu, bench, 0.3, &err), &err);
    t->warm = true;
    if (count)
        must(atx_remeasure(rows, &means, &request, &err), &err);
    for (int i = 0; i < count; i++)
        times[entrant[i]] = rows[i].outcome == ATX_TIMED ? rows[i].timing.median_s : 0;
    printf("%s", a->name);
    for (int k = 0; k < a->count; k++)
        times[k] > 0 ? printf("\t%.4f", 1e6 * times[k]) : printf("\t-");
    printf("\n");
    fflush(stdout);
    atx_bench_close(bench);
    for (int k = 0; k < MOST_CONFIGS; k++)
        atx_build_clear(&builds[k]);
}

/* In a process of its own: after a fork CUDA is of no use any more. */
static void limits_of_device(atx_limits *out)
{
    at_error err = { 0 };
    int ends[2];
    if (pipe(ends) != 0)
        exit(2);
    if (fork() == 0) {
        atx_gpu *gpu = NULL;
        atx_device_info info;
        must(atx_gpu_open(&gpu, 0, &err), &err);
        must(atx_gpu_info(&info, gpu, &err), &err);
        _exit(write(ends[1], &info.limits, sizeof info.limits) == (ssize_t)sizeof info.limits ? 0 : 2);
    }
    close(ends[1]);
    if (read(ends[0], out, sizeof *out) != (ssize_t)sizeof *out)
        must(atx_fail(&err, AT_ERR_DEVICE, "no device"), &err);
    close(ends[0]);
}

int main(int argc, char **argv)
{
    timer t = { .until_s = atx_now_s() + (argc > 1 ? strtod(argv[1], NULL) : 60) };
    at_error err = { 0 };
    atx_device_info info;
    atx_str checks = { 0 };
    char folder[64];
    asked *list = calloc(MOST, sizeof *list);
    t.folder = mkdtemp(TEMPORARY(folder, "time_answers"));
    if (!list || !t.folder)
        return 2;
    must(atx_catalog_open(&t.catalog, NULL, &err), &err);
    int count = read_lines(list, t.catalog);
    limits_of_device(&t.limits);
    compile_all(&t, list, count);
    fprintf(stderr, "time_answers: compiled, %.1f s left\n", t.until_s - atx_now_s());
    must(atx_nvrtc_open(&t.nvrtc, &err), &err);
    must(atx_gpu_open(&t.gpu, 0, &err), &err);
    must(atx_gpu_info(&info, t.gpu, &err), &err);
    t.limits = info.limits;
    for (int i = 0; i < ATX_CHECK_PARTS; i++) {
        must(atx_setup_checks(&checks, (atx_check_kind)i, &err), &err);
        compile(t.nvrtc, &t.verify[i], atx_str_text(&checks), "runner/verify.cu", (int)t.limits.cc);
        atx_str_clear(&checks);
    }
    for (int i = 0; i < count && atx_now_s() < t.until_s; i++)
        time_problem(&t, &list[i], i);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        atx_str_clear(&t.verify[i]);
    for (int i = 0; i < ATX_DTYPES; i++)
        atx_str_clear(&t.reference[i]);
    atx_gpu_close(t.gpu);
    atx_nvrtc_close(t.nvrtc);
    atx_catalog_close(t.catalog);
    free(list);
    return 0;
}
