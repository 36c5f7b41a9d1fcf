/*
 * ask_kernels.c - the same kernels on a GPU and on the machine. A case is a line "OP SHAPE DTYPE | TEMPLATE
 * PARAM=VALUE ...".
 *
 *     ask_kernels [--templates DIR] list N <PROBLEMS         writes cases: N of each template, its default
 * where that is valid ask_kernels [--templates DIR] compile FOLDER <CASES    for sm_90, into FOLDER, as a
 * device needs them ask_kernels [--templates DIR] launch FOLDER <CASES     one launch each, for a profiler
 * too; prints hashes of outputs ask_kernels [--templates DIR] execute <CASES           the same hashes, by
 * the machine
 *
 * `launch` needs no compiler, `execute` no GPU, and the first two neither. Outputs begin as zeroes.
 */
#include "explain/instance.h"
#include "lang/arch.h"
#include "lang/render.h"
#include "lang/shapes.h"
#include "runner/gpu.h"
#include "space/space.h"
#include "util/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CC = 90, SEED = 5, SKIP = 77 };

typedef struct asker {
    const char *folder, *templates;
    atx_catalog *catalog;
    atx_nvrtc *nvrtc;
    atx_gpu *gpu;
    atx_limits limits;
    int wrong;
} asker;

/* One line, bound. */
typedef struct kernel_case {
    char line[512];
    atx_problem problem;
    const atx_template *t;
    atx_config config;
    int64_t op_slots[ATX_MAX_SLOTS], slots[ATX_MAX_SLOTS];
} kernel_case;

static void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "ask_kernels: %s\n", err->text);
    exit(2);
}

static atx_problem problem_of(const asker *a, const char *line)
{
    at_error err = { 0 };
    atx_shapes shapes = { 0 };
    must(atx_shapes_parse(&shapes, line, strlen(line), "cases", a->catalog, NULL, &err), &err);
    const atx_problem p = shapes.problems[0];
    atx_shapes_clear(&shapes);
    return p;
}

static void read_case(kernel_case *c, const asker *a, const char *line)
{
    char words[512], name[ATX_MAX_NAME];
    at_error err = { 0 };
    snprintf(c->line, sizeof c->line, "%.*s", (int)strcspn(line, "\n"), line);
    snprintf(words, sizeof words, "%s", c->line);
    char *bar = strchr(words, '|');
    if (!bar)
        must(AT_ERR_INPUT,
             &(at_error){ .text = "found no '|' in a line; expected 'OP SHAPE DTYPE | TEMPLATE ...'" });
    *bar = '\0';
    c->problem = problem_of(a, words);
    bar += 1 + strspn(bar + 1, " ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(bar, " "), bar);
    bar += strcspn(bar, " ");
    bar += strspn(bar, " ");
    c->t = atx_catalog_find_template(a->catalog, c->problem.op, name);
    if (!c->t)
        must(atx_fail(&err, AT_ERR_INPUT, "%s: found no template '%s'", c->line, name), &err);
    memcpy(c->config.values, c->t->scope.defaults, sizeof c->config.values);
    if (*bar)
        must(atx_config_change(&c->config, c->t, bar, &err), &err);
    must(atx_problem_bind(c->op_slots, &c->problem, &a->limits, &err), &err);
    memcpy(c->slots, c->op_slots, sizeof c->slots);
    must(atx_config_validate(c->slots, c->t, &c->config, &err), &err);
}

/* ---- list ---- */

static void list_problem(const asker *a, const char *line, int *left, atx_rng *rng)
{
    const atx_problem p = problem_of(a, line);
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    must(atx_problem_bind(slots, &p, &a->limits, &err), &err);
    for (int i = 0; i < atx_catalog_template_count(a->catalog, p.op); i++) {
        const atx_template *t = atx_catalog_template(a->catalog, p.op, i);
        atx_config config;
        atx_str text = { 0 };
        atx_space *space = NULL;
        must(atx_space_open(&space, t, slots, NULL, 0, &err), &err);
        memcpy(config.values, t->scope.defaults, sizeof config.values);
        const bool usual = atx_space_find(space, &config) >= 0 && left[i] % 2 == 0;
        if (atx_space_count(space) > 0 && left[i] > 0) {
            if (!usual)
                atx_space_config(&config, space, atx_space_sample(space, rng));
            atx_config_text(&text, t, &config);
            printf("%.*s | %s %s\n", (int)strcspn(line, "\n"), line, t->name, atx_str_text(&text));
            left[i]--;
        }
        atx_str_clear(&text);
        atx_space_close(space);
    }
}

/* `most` of each template of an op; lines of one op stand together. */
static void list(const asker *a, int most)
{
    enum { MOST_TEMPLATES = 64 };
    int left[MOST_TEMPLATES];
    char line[256];
    atx_rng rng = { SEED };
    const atx_op *op = NULL;
    while (fgets(line, sizeof line, stdin)) {
        if (*line == '#' || *line == '\n')
            continue;
        const atx_op *next = problem_of(a, line).op;
        for (int i = 0; i < MOST_TEMPLATES && next != op; i++)
            left[i] = most;
        op = next;
        list_problem(a, line, left, &rng);
    }
}

/* ---- compile ---- */

static void path_of(char *out, size_t size, const asker *a, const kernel_case *c)
{
    char hash[ATX_HASH_TEXT];
    atx_hash_text(hash, c->line, strlen(c->line));
    snprintf(out, size, "%s/%.16s.cubin", a->folder, hash);
}

static void compile(const asker *a, const kernel_case *c)
{
    char path[4096];
    at_error err = { 0 };
    atx_str source = { 0 }, code = { 0 }, log = { 0 };
    atx_resources resources;
    bool ok = false;
    path_of(path, sizeof path, a, c);
    must(atx_render(&source, c->t, c->problem.type, &c->config, c->slots, &err), &err);
    must(atx_nvrtc_compile(a->nvrtc, &ok, &code, &log, &resources,
                           &(atx_nvrtc_source){ atx_str_text(&source), c->t->text.file, CC, ATX_CUBIN },
                           &err),
         &err);
    if (!ok)
        must(atx_fail(&err, AT_ERR_INPUT, "%s: %.300s", c->line, atx_str_text(&log)), &err);
    FILE *to = fopen(path, "we");
    if (!to || fwrite(code.data, 1, code.len, to) != code.len || fclose(to) != 0)
        must(atx_fail(&err, AT_ERR_INPUT, "%s: could not be written", path), &err);
    atx_str_clear(&source);
    atx_str_clear(&code);
    atx_str_clear(&log);
}

/* ---- launch and execute ---- */

static atx_instance *open_instance(const asker *a, const kernel_case *c)
{
    at_error err = { 0 };
    atx_instance *instance = NULL;
    const atx_instance_options o = { .catalog = a->catalog,
                                     .nvrtc = a->nvrtc,
                                     .problem = &c->problem,
                                     .slots = c->op_slots,
                                     .cc = CC,
                                     .seed = SEED };
    must(atx_instance_open(&instance, &o, &err), &err);
    return instance;
}

static void add_hash(atx_str *to, const atx_buffer *b, const unsigned char *bytes)
{
    char hash[ATX_HASH_TEXT];
    atx_hash_text(hash, bytes, (size_t)b->bytes);
    atx_str_addf(to, " %s=%.16s", b->name, hash);
}

/* Of outputs up to this size their bytes are written too, beside the cubin, so that a difference can be
 * looked at. */
enum { KEPT_BYTES = 1 << 16 };

static void keep(const asker *a, const kernel_case *c, const atx_buffer *b, const unsigned char *bytes)
{
    char path[4096];
    path_of(path, sizeof path, a, c);
    snprintf(path + strlen(path) - strlen("cubin"), 64, "%s", b->name);
    FILE *to = b->bytes <= KEPT_BYTES ? fopen(path, "we") : NULL;
    if (to && b->bytes && fwrite(bytes, 1, (size_t)b->bytes, to) == 0)
        fprintf(stderr, "%s: could not be written\n", path);
    if (to)
        fclose(to);
}

static void read_cubin(atx_build *build, const asker *a, const kernel_case *c)
{
    char path[4096], bytes[65536];
    size_t n;
    path_of(path, sizeof path, a, c);
    FILE *from = fopen(path, "re");
    if (!from)
        must(AT_ERR_INPUT,
             &(at_error){ .text = "a kernel was not compiled; expected `compile` of the same cases before" });
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        atx_str_add_bytes(&build->cubin, bytes, n);
    fclose(from);
}

static at_status launch_steps(const asker *a, const atx_kernel *k, const atx_ptr *at, at_error *err)
{
    atx_module *module = NULL;
    at_status status = atx_gpu_load_all(&module, a->gpu, k, err);
    size_t next = 0;
    for (atx_kernel_launch one; status == AT_OK && atx_kernel_next(&one, k, &next);) {
        int64_t values[ATX_MAX_ARGS];
        void *params[ATX_MAX_ARGS];
        for (int n = 0; n < one.arg_count; n++) {
            values[n] = one.args[n].buffer >= 0 ? (int64_t)at[one.args[n].buffer] : one.args[n].value;
            params[n] = &values[n];
        }
        status = atx_gpu_launch_step(a->gpu, module, one.step, &one.geometry, params, err);
    }
    if (status == AT_OK)
        status = atx_gpu_wait(a->gpu, err);
    atx_gpu_unload(a->gpu, module);
    return status;
}

static void launch(asker *a, const kernel_case *c)
{
    at_error err = { 0 };
    atx_build build = { 0 };
    atx_kernel kernel;
    atx_ptr at[ATX_MAX_ARGS] = { 0 };
    const unsigned char *begin;
    const atx_buffer *b;
    atx_instance *instance = open_instance(a, c);
    read_cubin(&build, a, c);
    must(atx_template_bind(&kernel, &build, c->t, c->slots, &err), &err);
    for (int i = 0; (b = atx_instance_buffer(&begin, instance, i)); i++) {
        must(atx_gpu_alloc(&at[i], a->gpu, b->bytes, &err), &err);
        must(atx_gpu_zero(a->gpu, at[i], b->bytes, &err), &err);
        if (begin)
            must(atx_gpu_write(a->gpu, at[i], begin, b->bytes, &err), &err);
    }
    must(launch_steps(a, &kernel, at, &err), &err);
    atx_str hashes = { 0 };
    for (int i = 0; (b = atx_instance_buffer(&begin, instance, i)); i++) {
        unsigned char *bytes = atx_role_is_output(b->role) ? malloc((size_t)b->bytes + 1) : NULL;
        if (bytes) {
            must(atx_gpu_read(a->gpu, bytes, at[i], b->bytes, &err), &err);
            add_hash(&hashes, b, bytes);
            keep(a, c, b, bytes);
        }
        free(bytes);
        atx_gpu_free(a->gpu, at[i]);
    }
    printf("%s :%s\n", c->line, atx_str_text(&hashes));
    atx_str_clear(&hashes);
    atx_build_clear(&build);
    atx_instance_close(instance);
}

/* " out=0123456789abcdef" of each output, or why there are none. */
static void execute(atx_str *to, asker *a, const kernel_case *c)
{
    at_error err = { 0 };
    unsigned char *out[ATX_MAX_ARGS];
    const unsigned char *begin;
    const atx_buffer *b;
    atx_program p = { .module = NULL };
    atx_instance *instance = open_instance(a, c);
    must(atx_program_of_template(
             &p, a->nvrtc, &(atx_program_request){ c->t, c->problem.type, &c->config, c->slots, CC }, &err),
         &err);
    const at_status status = atx_instance_run(out, instance, &p, &err);
    if (status != AT_OK)
        atx_str_addf(to, " %s", err.text);
    a->wrong += status != AT_OK;
    for (int i = 0; (b = atx_instance_buffer(&begin, instance, i)); i++)
        if (out[i]) {
            add_hash(to, b, out[i]);
            if (a->folder)
                keep(a, c, b, out[i]);
            free(out[i]);
        }
    atx_program_close(&p);
    atx_instance_close(instance);
}

static void hold(asker *a, const kernel_case *c, const char *wanted)
{
    atx_str found = { 0 };
    execute(&found, a, c);
    if (strcmp(atx_str_text(&found), wanted) != 0) {
        printf("%s: found%s; expected%s\n", c->line, atx_str_text(&found), wanted);
        a->wrong++;
    }
    atx_str_clear(&found);
}

static void print_executed(asker *a, const kernel_case *c)
{
    atx_str found = { 0 };
    execute(&found, a, c);
    printf("%s :%s\n", c->line, atx_str_text(&found));
    atx_str_clear(&found);
}

static void each_case(asker *a, const char *what)
{
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        kernel_case c = { .t = NULL };
        char *wanted = strstr(line, " :");
        if (*line == '#' || *line == '\n')
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (wanted) {
            *wanted = '\0';
            wanted += 2;
        }
        read_case(&c, a, line);
        if (strcmp(what, "compile") == 0)
            compile(a, &c);
        else if (strcmp(what, "launch") == 0)
            launch(a, &c);
        else if (strcmp(what, "held") == 0)
            hold(a, &c, wanted ? wanted : "");
        else
            print_executed(a, &c);
        fflush(stdout);
    }
}

static void open_compiler(asker *a)
{
    at_error err = { 0 };
    if (atx_nvrtc_open(&a->nvrtc, &err) == AT_OK)
        return;
    printf("skipped: %s\n", err.text);
    exit(SKIP);
}

int main(int argc, char **argv)
{
    static const char USAGE[] =
        "usage: ask_kernels [--templates DIR] list N|compile FOLDER|launch FOLDER|execute [FOLDER]|held\n";
    asker a = { .folder = NULL };
    at_error err = { 0 };
    if (argc > 2 && strcmp(argv[1], "--templates") == 0) {
        a.templates = argv[2];
        argv += 2;
        argc -= 2;
    }
    const char *what = argc > 1 ? argv[1] : "";
    const bool alone = strcmp(what, "execute") == 0 || strcmp(what, "held") == 0;
    if (argc < 2 || (argc < 3 && !alone)) {
        fputs(USAGE, stderr);
        return 2;
    }
    a.folder = argc > 2 ? argv[2] : NULL;
    atx_arch_limits(&a.limits, CC);
    must(atx_catalog_open(&a.catalog, a.templates, &err), &err);
    if (strcmp(what, "launch") == 0)
        must(atx_gpu_open(&a.gpu, 0, &err), &err);
    else if (strcmp(what, "list") != 0)
        open_compiler(&a);
    if (strcmp(what, "list") == 0)
        list(&a, atoi(argv[2]));
    else
        each_case(&a, what);
    if (a.gpu)
        atx_gpu_close(a.gpu);
    atx_nvrtc_close(a.nvrtc);
    atx_catalog_close(a.catalog);
    return a.wrong ? 1 : 0;
}
