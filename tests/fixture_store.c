/* fixture_store.c - fills a store through the real API with a small, fixed history, for transcript tests. */
#include "catalog.h"
#include "store.h"

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

static void put_history(at__store *store, const at__template *t)
{
    at_error err = { 0 };
    int64_t run = 0;
    const at__problem_key key = { "transpose", "4096x4096", "b4", 4096 * 4096, 2LL * 4 * 4096 * 4096 };
    const at__fingerprint f = { .device = "NVIDIA H200",
                                .cc = 90,
                                .sms = 132,
                                .memory_mib = 143155,
                                .driver = "580.1",
                                .nvrtc = "13.0",
                                .tool = "0.1.0",
                                .cold = true };
    const at__run_info info = {
        .command = "autotune", .strategy = "auto", .seed = 1, .device_uuid = "", .host = "here"
    };
    const at__trial_row rows[] = {
        { .template_name = t->name,
          .template_hash = t->hash,
          .config = WINNER,
          .outcome = AT__TIMED,
          .median_s = 36e-6,
          .min_s = 35e-6,
          .spread = 0.01,
          .samples = 7,
          .registers = 32,
          .shared_bytes = 4224,
          .log = "",
          .source_hash = "" },
        { .template_name = t->name,
          .template_hash = t->hash,
          .config = "TILE=64 BLOCK_ROWS=4 PAD=0 UNROLL=no ORDER=in_fast",
          .outcome = AT__TIMED,
          .median_s = 72e-6,
          .min_s = 70e-6,
          .spread = 0.02,
          .samples = 2,
          .registers = 40,
          .shared_bytes = 16384,
          .log = "",
          .source_hash = "" },
        { .template_name = "tile",
          .template_hash = "x",
          .config = "TILE_ROWS=8",
          .outcome = AT__CRASHED,
          .registers = -1,
          .shared_bytes = -1,
          .log = "CUDA_ERROR_ILLEGAL_ADDRESS",
          .source_hash = "" },
    };
    const at__winner winner = { .template_name = t->name,
                                .template_hash = t->hash,
                                .config = WINNER,
                                .source_hash = "",
                                .op_hash = "",
                                .median_s = 36e-6,
                                .min_s = 35e-6,
                                .spread = 0.01,
                                .samples = 45,
                                .ceiling_s = 34e-6,
                                .ceiling_name = "memcpy",
                                .ties = "tile_vec A=1\nsubtile B=2",
                                .trials = 3,
                                .space_count = 3,
                                .grid = { 16384, 1, 1 },
                                .block = { 32, 8, 1 },
                                .registers = 32,
                                .elapsed_s = 1,
                                .conditions = { 1980, 3201, 40, 300, 0 } };
    must(at__store_begin_run(&run, store, &info, &err), &err);
    must(at__store_put_source(store, t->hash, t->file, t->source, t->source_len, &err), &err);
    must(at__store_put_trials(store, run, &key, &f, rows, sizeof rows / sizeof *rows, &err), &err);
    must(at__store_put_winner(store, run, &key, &f, &winner, &err), &err);
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    at__catalog *catalog = NULL;
    at__store *store = NULL;
    if (argc != 2)
        return 2;
    must(at__catalog_open(&catalog, NULL, &err), &err);
    const at__op *op = at__catalog_find_op(catalog, "transpose");
    must(at__store_open(&store, argv[1], AT__STORE_WRITE, &err), &err);
    put_history(store, at__catalog_find_template(catalog, op, "tile_rows"));
    at__store_close(store);
    at__catalog_close(catalog);
    return 0;
}
