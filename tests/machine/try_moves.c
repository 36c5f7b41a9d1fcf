/*
 * try_moves.c - every template of the operations that only move data, on the machine: right, and nothing
 * found, on ragged shapes and in every element size.
 *
 *     build/tests/machine/try_moves [--templates DIR] [--only TEMPLATE] [--type TYPE] [--part K/N]
 *                                   [--each N] [--count] [--verbose]
 *
 * --type: in this one alone. --part: the K-th of N equal parts of all templates, as ctest runs them.
 * --each: each N-th pair of the shapes; all of them where $AUTOTUNE_TEST_ALL is set. --count: prints how
 * often each template, shape and type would be tried, and runs nothing. The right answer is that of the op's
 * reference kernel, which is itself held against a plain loop. Exit code 0: all is right; 1: something is
 * not; 77: no NVRTC.
 */
#include "moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CC = 90, SKIP = 77, MOST_SHOWN = 3 };

static const atx_dtype TYPES[] = { ATX_C128, ATX_U64, ATX_U32, ATX_U16, ATX_U8 };
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

typedef struct tally {
    int cases, kernels, wrong, impossible;
} tally;

typedef struct prober {
    const atx_catalog *catalog;
    const char *only;
    const char *type; /* NULL: all */
    int part, parts;  /* the templates whose number, from 1, is `part` modulo `parts` */
    int each;         /* of the shapes, so many-th pair */
    bool count_only, verbose;
    atx_nvrtc *nvrtc;
    tally all;
} prober;

static void describe(const char *name, const struct tried *on, const char *words)
{
    atx_str shape = { 0 };
    atx_problem_shape(&shape, &on->problem);
    printf("%s/%s %s %s [%s]", on->problem.op->name, name, atx_str_text(&shape),
           atx_dtype_name(on->problem.type), words);
    atx_str_clear(&shape);
}

static atx_instance *instance_of(const prober *p, struct tried *on)
{
    at_error err = { 0 };
    const atx_instance_options o = { .catalog = p->catalog,
                                     .nvrtc = p->nvrtc,
                                     .problem = &on->problem,
                                     .slots = on->slots,
                                     .cc = CC,
                                     .seed = 7,
                                     .answer = true };
    if (!on->instance)
        must(atx_instance_open(&on->instance, &o, &err), &err);
    return on->instance;
}

/* ---- templates ---- */

static void tell(const group *g, const trial *r, const atx_flaw *flaw, const char *why)
{
    atx_str text = { 0 };
    if (flaw)
        atx_flaw_text(&text, flaw);
    describe(g->t->name, &g->on->items[r->problem], r->words);
    printf(": %s: %s\n", flaw ? atx_flaw_name(flaw->kind) : "does_not_run", flaw ? atx_str_text(&text) : why);
    fflush(stdout);
    atx_str_clear(&text);
}

/* False: it is wrong, which is told where `loud`. */
static bool try_trial(prober *p, const group *g, const trial *r, bool loud)
{
    static atx_flaws flaws; /* large */
    char name[32];
    at_error err = { 0 };
    atx_program program = { .compiled = true,
                            .module = g->modules[r->text / TEXTS_OF_A_BATCH],
                            .kernel = r->kernel };
    snprintf(name, sizeof name, "kernel_%zu", r->text);
    flaws.count = 0;
    program.entries[0] = atx_ptx_find_entry(program.module, name);
    const at_status status =
        atx_instance_try(&flaws, instance_of(p, &g->on->items[r->problem]), &program, &err);
    if (status == AT_ERR_USAGE && r->changed) { /* clusters below one another, in a grid without height */
        p->all.impossible++;
        return true;
    }
    p->all.cases++;
    if (status == AT_OK && flaws.count == 0)
        return true;
    p->all.wrong++;
    if (loud)
        tell(g, r, status == AT_OK ? &flaws.items[0] : NULL, err.text);
    return false;
}

static void count_trials(const group *g)
{
    for (size_t i = 0; i < g->trial_count; i++) {
        describe(g->t->name, &g->on->items[g->trials[i].problem], "");
        printf("\n");
    }
}

static void try_template(prober *p, const atx_template *t, problems *on)
{
    group g;
    int wrong = 0;
    if (p->only && strcmp(p->only, t->name) != 0)
        return;
    const clock_t start = clock();
    group_collect(&g, t, on);
    p->all.kernels += (int)g.text_count;
    if (p->count_only)
        count_trials(&g);
    else
        group_compile(&g, p->nvrtc, CC);
    const clock_t compiled = clock();
    for (size_t i = 0; i < g.trial_count && !p->count_only; i++)
        wrong += !try_trial(p, &g, &g.trials[i], wrong < MOST_SHOWN);
    if (p->verbose)
        printf("%s %s: %zu cases, %zu kernels, %.2f s, %.2f s of it for compiling\n", t->name,
               atx_dtype_name(on->items[0].problem.type), g.trial_count, g.text_count,
               (double)(clock() - start) / CLOCKS_PER_SEC, (double)(compiled - start) / CLOCKS_PER_SEC);
    fflush(stdout);
    group_clear(&g);
}

/* ---- references ---- */

/* The output of a plain loop; bytes between rows are 0, as outputs begin here. */
static unsigned char *plain_loop(const atx_problem *p, const unsigned char *in, int64_t out_bytes)
{
    const size_t es = (size_t)atx_dtype_bytes(p->type);
    const int64_t *d = p->dims, from_pitch = d[p->op->shape.pitch_count ? 3 : 2],
                  to_pitch = d[p->op->shape.pitch_count ? 4 : 2];
    const bool swapped = strcmp(p->op->name, "transpose") == 0;
    unsigned char *out = calloc((size_t)out_bytes, 1);
    for (int64_t b = 0; out && b < d[0]; b++)
        for (int64_t r = 0; r < d[1]; r++)
            for (int64_t c = 0; c < d[2]; c++) {
                const int64_t from = (b * d[1] + r) * from_pitch + c,
                              to = swapped ? (b * d[2] + c) * to_pitch + r : from;
                memcpy(out + (size_t)to * es, in + (size_t)from * es, es);
            }
    return out;
}

/* The reference kernel, on every problem. */
static void try_reference(prober *p, const struct tried *on)
{
    at_error err = { 0 };
    atx_instance *instance = NULL;
    atx_program program = { .module = NULL };
    unsigned char *out[ATX_MAX_ARGS];
    const unsigned char *in = NULL, *begin;
    const atx_instance_options o = { .catalog = p->catalog,
                                     .nvrtc = p->nvrtc,
                                     .problem = &on->problem,
                                     .slots = on->slots,
                                     .cc = CC,
                                     .seed = 7 };
    must(atx_instance_open(&instance, &o, &err), &err);
    must(atx_program_of_reference(&program, p->nvrtc, &on->problem, on->slots, CC, &err), &err);
    must(atx_instance_run(out, instance, &program, &err), &err);
    const atx_buffer *b;
    for (int i = 0; (b = atx_instance_buffer(&begin, instance, i)); i++)
        in = b->role == ATX_INPUT ? begin : in;
    for (int i = 0; (b = atx_instance_buffer(&begin, instance, i)); i++) {
        unsigned char *right = out[i] && in ? plain_loop(&on->problem, in, b->bytes) : NULL;
        if (right && memcmp(right, out[i], (size_t)b->bytes) != 0) {
            p->all.wrong++;
            describe(on->problem.op->expected.reference, on, "");
            printf(": is not what a plain loop gives\n");
        }
        free(right);
        free(out[i]);
    }
    p->all.cases++;
    atx_program_close(&program);
    atx_instance_close(instance);
}

/* ---- all ---- */

static void try_unit(prober *p, const atx_op *op, atx_dtype type)
{
    problems on = { .count = 0 };
    problems_of(&on, op, type, p->each);
    for (int i = 0; i < on.count && !p->only && !p->count_only && p->part == 1; i++)
        if (on.items[i].constant_sizes)
            try_reference(p, &on.items[i]);
    for (int n = 0; n < atx_catalog_template_count(p->catalog, op); n++)
        if (n % p->parts + 1 == p->part)
            try_template(p, atx_catalog_template(p->catalog, op, n), &on);
    problems_clear(&on);
}

static void try_all(prober *p)
{
    static const char *const OPS[] = { "transpose", "copy" };
    for (int op = 0; op < 2; op++)
        for (int i = 0; i < TYPE_COUNT; i++)
            if (!p->type || strcmp(p->type, atx_dtype_name(TYPES[i])) == 0)
                try_unit(p, atx_catalog_find_op(p->catalog, OPS[op]), TYPES[i]);
}

static bool read_each(prober *p, const char *text)
{
    char rest;
    const bool read = sscanf(text, "%d%c", &p->each, &rest) == 1 && p->each >= 1;
    p->each = getenv("AUTOTUNE_TEST_ALL") ? 1 : p->each;
    return read;
}

/* "2/3" */
static bool read_part(prober *p, const char *text)
{
    char rest;
    return sscanf(text, "%d/%d%c", &p->part, &p->parts, &rest) == 2 && p->part >= 1 && p->part <= p->parts;
}

static bool read_arguments(prober *p, const char **templates, int argc, char **argv)
{
    bool understood = true;
    for (int i = 1; i < argc && understood; i++)
        if (strcmp(argv[i], "--count") == 0)
            p->count_only = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            p->verbose = true;
        else if (i + 1 < argc && strcmp(argv[i], "--templates") == 0)
            *templates = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--only") == 0)
            p->only = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--type") == 0)
            p->type = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--each") == 0)
            understood = read_each(p, argv[++i]);
        else
            understood = i + 1 < argc && strcmp(argv[i], "--part") == 0 && read_part(p, argv[++i]);
    return understood;
}

int main(int argc, char **argv)
{
    const char *templates = NULL;
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    prober p = { .part = 1, .parts = 1, .each = 1 };
    if (!read_arguments(&p, &templates, argc, argv)) {
        fprintf(stderr, "usage: try_moves [--templates DIR] [--only TEMPLATE] [--type TYPE] [--part K/N] "
                        "[--each N] [--count] [--verbose]\n");
        return 2;
    }
    if (atx_nvrtc_open(&p.nvrtc, &err) != AT_OK) {
        printf("skipped: %s\n", err.text);
        return SKIP;
    }
    must(atx_catalog_open(&catalog, templates, &err), &err);
    p.catalog = catalog;
    try_all(&p);
    if (!p.count_only)
        printf("%d cases, %d kernels, %d wrong; %d variants cannot be\n", p.all.cases, p.all.kernels,
               p.all.wrong, p.all.impossible);
    atx_catalog_close(catalog);
    atx_nvrtc_close(p.nvrtc);
    return p.all.wrong == 0 && (p.all.cases > 0 || p.count_only) ? 0 : 1;
}
