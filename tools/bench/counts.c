/*
 * counts.c - what the machine counts for the trials of a store: a line each, to learn from.
 * "bench_counts DB SHAPES >counts.tsv"; needs NVRTC, no GPU.
 */
#include "db/store.h"
#include "explain/program.h"
#include "explain/scene.h"
#include "lang/arch.h"
#include "lang/shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CC           90
#define BLOCKS       12  /* of a launch, spread over its grid         */
#define INSTRUCTIONS 4e6 /* of threads, that a trial may take, or so */

typedef struct counting {
    const at__catalog *catalog;
    at__nvrtc *nvrtc;
    at__scene *scene;
    const at__problem *problem;
    const at__problem_key *key;
    int64_t slots[AT__MAX_SLOTS];
} counting;

static void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "bench_counts: %s\n", err->text);
    exit(1);
}

static at_status run_some(at__tally_line *all, at__sample *sample, const counting *c,
                          const at__program *program, int64_t most, at_error *err)
{
    at__tally *tally = NULL;
    at_status status = at__tally_open(&tally, program->module, err);
    if (status == AT_OK)
        status = at__scene_count(tally, sample, c->scene, program, most, err);
    if (status == AT_OK)
        *all = at__tally_all(tally);
    at__tally_close(tally);
    return status;
}

/* One block tells how many may be run. */
static at_status count(at__tally_line *all, at__sample *sample, const counting *c, const at__template *t,
                       const at__config *config, at_error *err)
{
    int64_t own[AT__MAX_SLOTS];
    at__program program = { .module = NULL };
    memcpy(own, c->slots, (size_t)t->op->symbols.count * sizeof *own);
    at_status status = at__config_validate(own, t, config, err);
    if (status == AT_OK)
        status = at__program_of_template(&program, c->nvrtc, t, c->problem->type, config, own, CC, err);
    if (status == AT_OK && program.kernel.more_count)
        status = at_fail(err, AT_ERR_INPUT, "it has several launches");
    if (status == AT_OK)
        status = run_some(all, sample, c, &program, 1, err);
    if (status == AT_OK) {
        double fit = INSTRUCTIONS / (double)(all->lane_instructions + 1);
        if (fit >= 2)
            status = run_some(all, sample, c, &program, fit < BLOCKS ? (int64_t)fit : BLOCKS, err);
    }
    at__program_close(&program);
    return status;
}

static bool take_trial(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    const counting *c = context;
    at__config config;
    at__tally_line all;
    at__sample sample;
    at_error err = { 0 };
    const at__template *t = at__catalog_find_template(c->catalog, c->problem->op, row->template_name);
    if (row->outcome != AT__TIMED || !fingerprint->cold || !t ||
        !at__template_has_hash(t, row->template_hash) ||
        at__config_parse(&config, t, row->config, NULL) != AT_OK)
        return true;
    if (count(&all, &sample, c, t, &config, &err) != AT_OK) {
        fprintf(stderr, "%s %s: %s %s: %s\n", c->key->shape, c->key->type_key, t->name, row->config,
                err.text);
        return true;
    }
    printf("%s\t%s\t%s\t%s\t%.6g\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64, c->key->shape,
           at__dtype_name(c->problem->type), t->name, row->config, row->timing.median_s,
           (int)row->resources.registers, (int)row->resources.shared_bytes, sample.blocks, sample.of,
           all.warp_instructions, all.lane_instructions);
    for (int k = 0; k < AT__TRAFFIC_KINDS; k++)
        printf("\t%" PRId64 "\t%" PRId64 "\t%" PRId64, all.traffic[k].requests, all.traffic[k].cost,
               all.traffic[k].least);
    putchar('\n');
    return true;
}

static void count_problem(counting *c, at__store *store)
{
    at__problem_key key;
    at__str shape = { 0 };
    at__limits limits;
    at_error err = { 0 };
    at__arch_limits(&limits, CC);
    must(at__problem_key_of(&key, &shape, c->problem, &err), &err);
    must(at__problem_bind(c->slots, c->problem, &limits, &err), &err);
    const at__scene_options o = { .catalog = c->catalog,
                                  .nvrtc = c->nvrtc,
                                  .problem = c->problem,
                                  .slots = c->slots,
                                  .cc = CC,
                                  .seed = 1,
                                  .most_filled_bytes = 1 };
    must(at__scene_open(&c->scene, &o, &err), &err);
    c->key = &key;
    must(at__store_each_trial(store, &key, NULL, take_trial, c, &err), &err);
    fflush(stdout);
    at__scene_close(c->scene);
    at__str_clear(&shape);
}

static void read_shapes(at__shapes *out, const char *path, const at__catalog *catalog)
{
    at_error err = { 0 };
    char text[1 << 16];
    FILE *file = fopen(path, "r");
    size_t len = file ? fread(text, 1, sizeof text, file) : 0;
    if (!file || len == sizeof text) {
        fprintf(stderr, "bench_counts: %s: cannot be read, or is too long\n", path);
        exit(1);
    }
    fclose(file);
    must(at__shapes_parse(out, text, len, path, catalog, NULL, &err), &err);
}

int main(int argc, char **argv)
{
    counting c = { .catalog = NULL };
    at__catalog *catalog = NULL;
    at__store *store = NULL;
    at__shapes shapes = { 0 };
    at_error err = { 0 };
    if (argc != 3) {
        fprintf(stderr, "usage: bench_counts DB SHAPES\n");
        return 2;
    }
    must(at__catalog_open(&catalog, NULL, &err), &err);
    must(at__nvrtc_open(&c.nvrtc, &err), &err);
    must(at__store_open(&store, argv[1], AT__STORE_READ, &err), &err);
    read_shapes(&shapes, argv[2], catalog);
    c.catalog = catalog;
    for (int i = 0; i < (int)shapes.count; i++) {
        c.problem = &shapes.problems[i];
        count_problem(&c, store);
    }
    at__shapes_clear(&shapes);
    at__store_close(store);
    at__nvrtc_close(c.nvrtc);
    at__catalog_close(catalog);
    return 0;
}
