/*
 * fixture_store.c - fills a store through the real API with a small, fixed history, for transcript tests.
 *
 *     fixture_store FILE          trials and a winner of transpose 4096x4096
 *     fixture_store FILE every    a winner for every template and element size; prints OP SHAPE DTYPE DEVICE
 * of each. The device is named after the template, to tell winners of a problem apart: "[tile]".
 */
#include "lang/layout.h"
#include "lang/arch.h"
#include "lang/catalog.h"
#include "space/space.h"
#include "db/store.h"
#include "tune/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(at_status status, const at_error *err)
{
    if (status != AT_OK) {
        fprintf(stderr, "fixture_store: %s\n", err->text);
        exit(1);
    }
}

#define WINNER "TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast"

static void put_history(atx_store *store, const atx_template *t)
{
    at_error err = { 0 };
    int64_t run = 0;
    const atx_problem_key key = { "transpose", "4096x4096", "b4", 4096 * 4096, 2LL * 4 * 4096 * 4096, 0 };
    const atx_fingerprint f = { .device = "NVIDIA H200",
                                .cc = 90,
                                .sms = 132,
                                .memory_mib = 143155,
                                .driver = "580.1",
                                .nvrtc = "13.0",
                                .tool = "0.1.0",
                                .cold = true };
    const atx_run_info info = {
        .command = "autotune", .strategy = "auto", .seed = 1, .device_uuid = "", .host = "here"
    };
    const atx_trial_row rows[] = {
        { .template_name = t->name,
          .template_hash = t->text.hash,
          .config = WINNER,
          .outcome = ATX_TIMED,
          .timing.median_s = 36e-6,
          .timing.min_s = 35e-6,
          .timing.spread = 0.01,
          .timing.samples = 7,
          .resources = { 32, 4224, 0, 0, 0 },
          .log = "",
          .source_hash = "" },
        { .template_name = t->name,
          .template_hash = t->text.hash,
          .config = "TILE=64 BLOCK_ROWS=4 PAD=0 UNROLL=no ORDER=in_fast",
          .outcome = ATX_TIMED,
          .timing.median_s = 72e-6,
          .timing.min_s = 70e-6,
          .timing.spread = 0.02,
          .timing.samples = 2,
          .resources = { 40, 16384, 40, 24, 48 },
          .log = "",
          .source_hash = "" },
        { .template_name = "tile",
          .template_hash = "x",
          .config = "TILE_ROWS=8",
          .outcome = ATX_CRASHED,
          .resources = ATX_RESOURCES_UNKNOWN,
          .log = "CUDA_ERROR_ILLEGAL_ADDRESS",
          .source_hash = "" },
    };
    const atx_winner winner = { .template_name = t->name,
                                .template_hash = t->text.hash,
                                .config = WINNER,
                                .source_hash = "",
                                .op_hash = "",
                                .timing.median_s = 36e-6,
                                .timing.min_s = 35e-6,
                                .timing.spread = 0.01,
                                .timing.samples = 45,
                                .ceiling_s = 34e-6,
                                .ceiling_name = "memcpy",
                                .ties = "tile_vec A=1\nsubtile B=2",
                                .trials = 3,
                                .space_count = 3,
                                .geometry = { .grid = { 16384, 1, 1 }, .block = { 32, 8, 1 } },
                                .resources = { 32, 4224, 0, 0, 0 },
                                .elapsed_s = 1,
                                .conditions = { 1980, 3201, 40, 300, 700, 0 } };
    must(atx_store_begin_run(&run, store, &info, &err), &err);
    must(atx_store_put_source(store, t->text.hash, t->text.file, t->text.source, t->text.source_len, &err),
         &err);
    must(atx_store_put_trials(store, run, &key, &f, rows, sizeof rows / sizeof *rows, &err), &err);
    must(atx_store_put_winner(store, run, &key, &f, &winner, &err), &err);
}

/* The middle configuration of a template for a problem; false when it has none. */
static bool put_middle(atx_store *store, const atx_template *t, const atx_problem *p,
                       const atx_limits *limits)
{
    at_error err = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_space *space = NULL;
    atx_config config;
    atx_geometry g;
    atx_problem_key key;
    atx_str shape = { 0 }, text = { 0 };
    atx_fingerprint f = {
        .cc = limits->cc, .sms = limits->sms, .driver = "580.1", .nvrtc = "13.0", .cold = true
    };

    must(atx_problem_bind(slots, p, limits, &err), &err);
    must(atx_space_open(&space, t, slots, NULL, 0, &err), &err);
    int64_t count = atx_space_count(space);
    if (count > 0) {
        atx_space_config(&config, space, count / 2);
        must(atx_config_bind(slots, t, &config, &err), &err);
        must(atx_geometry_of(&g, &t->call.steps[0].launch, slots, &err), &err);
        must(atx_problem_key_of(&key, &shape, p, &err), &err);
        atx_config_text(&text, t, &config);
        snprintf(f.device, sizeof f.device, "[%s]", t->name);
        const atx_winner winner = { .template_name = t->name,
                                    .template_hash = t->text.hash,
                                    .config = atx_str_text(&text),
                                    .source_hash = "",
                                    .op_hash = "",
                                    .timing.median_s = 1e-5,
                                    .timing.min_s = 1e-5,
                                    .ceiling_name = "",
                                    .ties = "",
                                    .geometry = g,
                                    .resources = ATX_RESOURCES_UNKNOWN,
                                    .conditions = ATX_CONDITIONS_UNKNOWN };
        must(
            atx_store_put_source(store, t->text.hash, t->text.file, t->text.source, t->text.source_len, &err),
            &err);
        must(atx_store_put_winner(store, 0, &key, &f, &winner, &err), &err);
        printf("%s %s %s %s\n", key.op, key.shape, atx_dtype_name(p->type), f.device);
    }
    atx_space_close(space);
    atx_str_clear(&shape);
    atx_str_clear(&text);
    return count > 0;
}

/* The first of a few layouts that are no transpose: even, ragged, rows that stay. */
static bool make_layout(atx_problem *out, const atx_op *op, atx_dtype type, size_t i)
{
    static const int64_t EXTENTS[][3] = { { 64, 80, 96 }, { 33, 50, 77 }, { 40, 30, 64 } };
    static const int PERMUTATIONS[][3] = { { 2, 1, 0 }, { 2, 1, 0 }, { 1, 0, 2 } };
    at_error err = { 0 };
    atx_layout_pair layout;
    if (i == sizeof EXTENTS / sizeof *EXTENTS)
        return false;
    must(atx_layout_permuted(&layout, 3, EXTENTS[i], PERMUTATIONS[i], NULL, &err), &err);
    must(atx_layout_problem(out, op, type, &layout, &err), &err);
    return true;
}

/* Without those that have a default. */
static int needed_sizes(const atx_op *op)
{
    int count = 0;
    for (int i = 0; i < op->shape.dim_count; i++)
        count += !op->shape.dims[i].optional;
    return count;
}

/* The first of a few shapes that the operation takes and for which the template has configurations: even,
 * ragged, narrow, many small. */
static void put_template(atx_store *store, const atx_template *t, atx_dtype type, const atx_limits *limits)
{
    static const int64_t SHAPES[][4] = {
        { 1, 1, 1024, 768 }, { 1, 1, 515, 1003 }, { 1, 1, 100000, 6 }, { 1, 1000, 8, 6 }, { 64, 8, 4, 64 }
    };
    at_error err = { 0 };
    atx_problem problem;
    int64_t slots[ATX_MAX_SLOTS];
    bool found = false;
    for (size_t i = 0; t->op->shape.layout_count && !found && make_layout(&problem, t->op, type, i); i++)
        found = put_middle(store, t, &problem, limits);
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES && !t->op->shape.layout_count && !found; i++) {
        const int needed = needed_sizes(t->op), most = needed > 3 ? 4 : 3;
        const int count = t->op->shape.dim_count < most ? t->op->shape.dim_count : most;
        found = atx_problem_init(&problem, t->op, type, SHAPES[i] + 4 - count, count, &err) == AT_OK &&
                atx_problem_bind(slots, &problem, limits, &err) == AT_OK &&
                put_middle(store, t, &problem, limits);
    }
}

static void put_every(atx_store *store, const atx_catalog *catalog)
{
    static const unsigned ONE_OF_EACH_SIZE =
        1u << ATX_U8 | 1u << ATX_F16 | 1u << ATX_F32 | 1u << ATX_F64 | 1u << ATX_C128;
    at_error err = { 0 };
    atx_limits limits;
    must(atx_arch_parse(&limits, "sm_90", &err), &err);
    for (int o = 0; o < atx_catalog_op_count(catalog); o++) {
        const atx_op *op = atx_catalog_op(catalog, o);
        for (int i = 0; i < atx_catalog_template_count(catalog, op); i++)
            for (int type = 0; type < ATX_DTYPES; type++)
                if ((op->storage ? ONE_OF_EACH_SIZE : op->types) & 1u << type)
                    put_template(store, atx_catalog_template(catalog, op, i), (atx_dtype)type, &limits);
    }
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_store *store = NULL;
    bool every = argc == 3 && strcmp(argv[2], "every") == 0;
    if (argc != 2 && !every)
        return 2;
    must(atx_catalog_open(&catalog, NULL, &err), &err);
    must(atx_store_open(&store, argv[1], ATX_STORE_WRITE, &err), &err);
    if (every)
        put_every(store, catalog);
    else
        put_history(store, atx_catalog_find_template(catalog, atx_catalog_find_op(catalog, "transpose"),
                                                     "tile_rows"));
    atx_store_close(store);
    atx_catalog_close(catalog);
    return 0;
}
