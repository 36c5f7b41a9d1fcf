/*
 * try_packs.c - the kernels of packs on the machine: right for every size that they are taken for, on both
 * sides of tiles; and wrong for sizes that their conditions keep away from them, so that the conditions are
 * needed, and what the machine finds is found.
 *
 *     build/tests/machine/try_packs [--templates DIR] [TYPE...] ['OP TYPE NAME=FIRST..LAST ...' ...]
 *
 * A type: transposes of it, by the model that comes with the program. An operation with its sizes: its
 * declared defaults, for sizes that are drawn from the ranges. 'permute TYPE FILE': for the problems of a
 * file.
 *
 * Exit code 0: so it is; 1: it is not; 77: no NVRTC.
 */
#include "explain/instance.h"
#include "lang/arch.h"
#include "pack/pack_internal.h"
#include "util/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CC = 90, SKIP = 77, KERNELS = 12, SIZES = 9, DRAWN = 16, TEMPLATES = 4 };

static const int64_t ROWS[SIZES] = { 1, 3, 8, 17, 32, 33, 64, 70, 128 };

static void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "try_packs: %s\n", err->text);
    exit(1);
}

/* A kernel as it is compiled, once for all sizes. */
typedef struct compiled {
    atx_pack_general general;
    atx_program program;
} compiled;

typedef struct trying {
    const atx_catalog *catalog;
    atx_nvrtc *nvrtc;
    const atx_pack *pack;
    compiled kernels[KERNELS];
    int right, wrong, kept_away,
        found; /* runs: of the pack's choice; against the conditions, and flaws of those */
} trying;

static const atx_gpu_model *device_of(void)
{
    return atx_gpu_model_find("NVIDIA H200");
}

static atx_pack *make_pack(const atx_catalog *catalog, atx_predictor *predictor,
                           const atx_pack_domain *domain, int kernels)
{
    atx_limits limits;
    at_error err = { 0 };
    atx_pack *pack = NULL;
    atx_arch_limits(&limits, CC);
    const atx_pack_request request = { .domain = domain,
                                       .catalog = catalog,
                                       .predictor = predictor,
                                       .limits = &limits,
                                       .device = device_of()->name,
                                       .kernels = kernels,
                                       .problems = 80,
                                       .seed = 3 };
    must(atx_pack_make(&pack, &request, &err), &err);
    return pack;
}

static atx_pack *make_transposes(const atx_catalog *catalog, atx_dtype type)
{
    static const char *const WORDS[] = { "batch=1..2", "rows=1..4096", "cols=1..4096" };
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    at_error err = { 0 };
    atx_pack_domain domain;
    atx_model *model = NULL;
    atx_predictor *predictor = NULL;
    bool own;
    must(atx_pack_domain_read(&domain, op, type, WORDS, 3, &err), &err);
    must(atx_model_shipped(&model, op, device_of(), &err), &err);
    must(atx_predictor_open(&predictor, model, catalog, op, device_of(), &own, &err), &err);
    atx_pack *pack = make_pack(catalog, predictor, &domain, 6);
    atx_predictor_close(predictor);
    atx_model_close(model);
    return pack;
}

/* For any sizes: those of the example serve to make the text. */
static void compile(trying *t, int kernel)
{
    const atx_pack_kernel *k = &t->pack->kernels[kernel];
    compiled *c = &t->kernels[kernel];
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    must(atx_pack_general_open(&c->general, k, &err), &err);
    must(atx_problem_bind(slots, &k->example, &t->pack->limits, &err), &err);
    must(atx_config_bind(slots, &c->general.t, &k->config, &err), &err);
    const atx_program_request request = { &c->general.t, t->pack->domain.type, &k->config, slots, CC };
    must(atx_program_of_template(&c->program, t->nvrtc, &request, &err), &err);
}

/* Whether something is wrong with the kernel for these sizes; -1: no device launches that. */
static int run(trying *t, int kernel, atx_instance *instance, const atx_problem *problem, atx_flaw *flaw)
{
    static atx_flaws flaws; /* large */
    compiled *c = &t->kernels[kernel];
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    flaws.count = 0;
    must(atx_problem_bind(slots, problem, &t->pack->limits, &err), &err);
    if (atx_config_bind(slots, &c->general.t, &t->pack->kernels[kernel].config, NULL) != AT_OK ||
        atx_template_bind(&c->program.kernel, &c->program.build, &c->general.t, slots, NULL) != AT_OK)
        return -1;
    if (atx_instance_try(&flaws, instance, &c->program, &err) != AT_OK)
        return -1;
    if (flaws.count)
        *flaw = flaws.items[0];
    return flaws.count > 0;
}

static void try_problem(trying *t, atx_problem problem)
{
    atx_str shape = { 0 };
    atx_geometry g;
    atx_instance *instance = NULL;
    atx_flaw flaw = { .count = 0 };
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    must(atx_problem_bind(slots, &problem, &t->pack->limits, &err), &err);
    const atx_instance_options o = { .catalog = t->catalog,
                                     .nvrtc = t->nvrtc,
                                     .problem = &problem,
                                     .slots = slots,
                                     .cc = CC,
                                     .seed = 7,
                                     .answer = true };
    must(atx_instance_open(&instance, &o, &err), &err);
    const int taken = atx_pack_find(&g, t->pack, &problem);
    atx_problem_shape(&shape, &problem);
    for (int k = 0; k < t->pack->kernel_count; k++) {
        must(atx_problem_bind(slots, &problem, &t->pack->limits, &err), &err);
        const bool allowed = atx_pack_allows(&g, &t->pack->kernels[k], slots);
        const int wrong = k == taken || !allowed ? run(t, k, instance, &problem, &flaw) : 0;
        t->right += k == taken && wrong == 0;
        t->wrong += k == taken && wrong != 0;
        t->kept_away += !allowed && wrong >= 0;
        t->found += !allowed && wrong > 0;
        if (k == taken && wrong)
            printf("%s %s for %s: %s\n", problem.op->name, t->pack->kernels[k].t->name, atx_str_text(&shape),
                   wrong < 0 ? "does not run" : atx_flaw_name(flaw.kind));
    }
    if (taken < 0) {
        printf("%s %s has no kernel\n", problem.op->name, atx_str_text(&shape));
        t->wrong++;
    }
    atx_str_clear(&shape);
    atx_instance_close(instance);
}

static void try_transpose(trying *t, const int64_t *sizes, int64_t align)
{
    atx_problem problem;
    at_error err = { 0 };
    must(atx_problem_init(&problem, t->pack->domain.op, t->pack->domain.type, sizes, 3, &err), &err);
    must(atx_problem_set_aligns(&problem, &align, 1, &err), &err);
    try_problem(t, problem);
}

/* The least and the largest of each size, and others. */
static void draw_sizes(int64_t *sizes, const atx_pack_domain *d, int turn, atx_rng *rng)
{
    for (int i = 0; i < d->op->shape.dim_count; i++) {
        const atx_pack_ranges *all = &d->dims[i];
        const atx_bounds r = all->items[atx_rng_below(rng, (uint64_t)all->count)];
        sizes[i] = turn == 0   ? r.low
                   : turn == 1 ? r.high
                               : r.low + (int64_t)atx_rng_below(rng, (uint64_t)(r.high - r.low + 1));
    }
}

static void open_pack(trying *t, atx_pack *pack)
{
    t->pack = pack;
    memset(t->kernels, 0, sizeof t->kernels);
    for (int k = 0; k < pack->kernel_count; k++)
        compile(t, k);
}

static void close_pack(trying *t, atx_pack *pack)
{
    for (int k = 0; k < pack->kernel_count; k++) {
        atx_program_close(&t->kernels[k].program);
        atx_pack_general_close(&t->kernels[k].general);
    }
    atx_pack_close(pack);
}

/* Adds the kernel if it is for one of the problems. */
static void add_kernel(atx_pack *pack, atx_pack_kernel k)
{
    atx_pack_kernel forms[2];
    atx_geometry unused;
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    if (pack->kernel_count == KERNELS) {
        fprintf(stderr, "try_packs: found more than %d templates for packs; raise TEMPLATES and KERNELS\n",
                TEMPLATES);
        exit(1);
    }
    for (int i = 0; i < pack->domain.problem_count; i++) {
        k.example = pack->domain.problems[i];
        must(atx_problem_bind(slots, &k.example, &pack->limits, &err), &err);
        const int count = atx_pack_forms(forms, &k, slots);
        if (count && atx_pack_allows(&unused, &forms[0], slots)) {
            pack->kernels[pack->kernel_count] = forms[pack->kernel_count % count]; /* general ones by turns */
            pack->kernel_count++;
            return;
        }
    }
}

/* Configurations of a template, far apart. */
static void add_kernels(atx_pack *pack, const atx_template *t, int count)
{
    int64_t all = 1;
    for (int i = 0; i < t->scope.param_count; i++)
        all *= t->scope.params[i].count;
    for (int n = 0; n < count; n++) {
        atx_pack_kernel k = { .t = t };
        int64_t number = (all / count + 1) * n;
        for (int i = 0; i < t->scope.param_count; i++) {
            k.config.values[i] = t->scope.params[i].values[number % t->scope.params[i].count];
            number /= t->scope.params[i].count;
        }
        add_kernel(pack, k);
    }
}

/* Of an operation whose kernels for packs are templates of their own: some of each, the first valid one is
 * taken. */
static atx_pack *make_of_all(const atx_catalog *catalog, const atx_pack_domain *domain, int sms)
{
    atx_pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        exit(1);
    pack->domain = *domain;
    atx_arch_limits(&pack->limits, CC);
    pack->limits.sms = sms;
    for (int i = 0; i < atx_catalog_template_count(catalog, domain->op); i++) {
        const atx_template *t = atx_catalog_template(catalog, domain->op, i);
        if (t->replace_count)
            add_kernels(pack, t, KERNELS / TEMPLATES);
    }
    pack->node_count = 1;
    return pack;
}

/* One of the kernels of a template, by turns. */
static int one_of(const atx_pack *pack, const char *name, int turn)
{
    int found[KERNELS] = { 0 }, count = 0;
    for (int k = 0; k < pack->kernel_count; k++)
        if (strcmp(pack->kernels[k].t->name, name) == 0)
            found[count++] = k;
    return count ? found[turn % count] : 0;
}

/* By turns with another kernel first; of large problems one of `runs`, whose boxes are larger there. */
static void try_of_all(trying *t, const atx_pack_domain *domain, int sms)
{
    atx_pack *pack = make_of_all(t->catalog, domain, sms);
    open_pack(t, pack);
    for (int i = 0; i < domain->problem_count; i++) {
        const int first = sms > 1 ? i : one_of(pack, "runs", i);
        for (int k = 0; k < pack->kernel_count; k++)
            pack->nodes[0].order[k] = (unsigned char)((first + k) % pack->kernel_count);
        try_problem(t, domain->problems[i]);
    }
    close_pack(t, pack);
}

/* The problems of a file, for a device and, as if they were large, for one of a single multiprocessor. */
static void try_listed(trying *t, const atx_op *op, atx_dtype type, const char *file)
{
    atx_shapes shapes = { 0 };
    atx_pack_domain domain;
    at_error err = { 0 };
    must(atx_shapes_read(&shapes, file, t->catalog, &(atx_shape_defaults){ .op = op->name, .type = &type },
                         &err),
         &err);
    must(atx_pack_domain_list(&domain, op, type, &shapes, file, &err), &err);
    try_of_all(t, &domain, (int)device_of()->sms);
    try_of_all(t, &domain, 1);
    atx_pack_domain_clear(&domain);
    atx_shapes_clear(&shapes);
}

/* "group_quant bf16 tokens=1..300 hidden=512"; returns whether some runs are to be against the conditions. */
static bool try_op(trying *t, char *text)
{
    const char *words[32];
    int count = 0;
    char *rest = NULL;
    atx_dtype type;
    atx_pack_domain domain;
    atx_rng rng = { 5 };
    at_error err = { 0 };
    for (char *word = strtok_r(text, " ", &rest); word && count < 32; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    must(atx_dtype_parse(&type, words[1], strlen(words[1]), &err), &err);
    const atx_op *op = atx_catalog_find_op(t->catalog, words[0]);
    if (op->shape.layout_count) {
        try_listed(t, op, type, words[2]);
        return true;
    }
    must(atx_pack_domain_read(&domain, op, type, words + 2, count - 2, &err), &err);
    atx_pack *pack = make_pack(t->catalog, NULL, &domain, 8);
    open_pack(t, pack);
    for (int i = 0; i < DRAWN; i++) {
        int64_t sizes[ATX_MAX_DIMS];
        atx_problem problem;
        draw_sizes(sizes, &domain, i, &rng);
        must(atx_problem_init(&problem, domain.op, type, sizes, domain.op->shape.dim_count, &err), &err);
        try_problem(t, problem);
    }
    close_pack(t, pack);
    return false;
}

static void try_type(trying *t, atx_dtype type)
{
    atx_pack *pack = make_transposes(t->catalog, type);
    open_pack(t, pack);
    for (int r = 0; r < SIZES; r++)
        for (int c = 0; c < SIZES; c++)
            try_transpose(t, (int64_t[]){ 1 + (r + c) % 2, ROWS[r], ROWS[c] },
                          (r + c) % 3 ? 256 : atx_dtype_bytes(type));
    close_pack(t, pack);
}

int main(int argc, char **argv)
{
    trying t = { .catalog = NULL };
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    bool typed = false;
    const bool own = argc > 2 && strcmp(argv[1], "--templates") == 0;
    if (atx_nvrtc_open(&t.nvrtc, &err) != AT_OK)
        return SKIP;
    must(atx_catalog_open(&catalog, own ? argv[2] : NULL, &err), &err);
    t.catalog = catalog;
    for (int i = own ? 3 : 1; i < argc; i++) {
        atx_dtype type;
        if (strchr(argv[i], ' ')) {
            typed |= try_op(&t, argv[i]);
            continue;
        }
        typed = true;
        must(atx_dtype_parse(&type, argv[i], strlen(argv[i]), &err), &err);
        try_type(&t, type);
    }
    printf("%d right, %d wrong of the pack's choice; %d runs against the conditions, of which %d are found "
           "wrong\n",
           t.right, t.wrong, t.kept_away, t.found);
    atx_catalog_close(catalog);
    atx_nvrtc_close(t.nvrtc);
    return t.right == 0 || t.wrong > 0 || (typed && t.found == 0);
}
