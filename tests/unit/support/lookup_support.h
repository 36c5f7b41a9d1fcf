/*
 * lookup_support.h - a store with winners and trials that look-ups are asked of. `begin` and `end` are a
 * suite's fixture; a Criterion test is a process of its own, so that `w` is nobody else's.
 */
#pragma once

#include "db/store.h"
#include "lookup/lookup.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct world {
    char path[64];
    atx_catalog *catalog;
    atx_store *store;
    atx_lookup *lookup;
} world;

static world w;

static inline void begin(void)
{
    at_error err = { 0 };
    close(mkstemp(TEMPORARY(w.path, "lookup")));
    cr_assert_eq(atx_catalog_open(&w.catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_open(&w.store, w.path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
}

static inline void end(void)
{
    static const char *const BESIDE[] = { "", "-wal", "-shm", "-model" };
    char path[80];
    atx_lookup_close(w.lookup);
    atx_store_close(w.store);
    atx_catalog_close(w.catalog);
    for (size_t i = 0; i < sizeof BESIDE / sizeof *BESIDE; i++) {
        snprintf(path, sizeof path, "%s%s", w.path, BESIDE[i]);
        unlink(path);
    }
}

#define TILE_ROWS "TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast"
#define NAIVE     "BLOCK_X=32 BLOCK_Y=8 SIDE=store ORDER=in_fast"
#define REG_VEC   "SQUARE=4 BLOCK_X=8 BLOCK_Y=32 SQUARES=1 ORDER=in_fast"

/* A row, as far as these tests care. Zero: the usual. */
typedef struct row {
    const char *shape, *template_name, *config, *device, *hash;
    int64_t cc;
    bool warm;
} row;

static inline void put_row(atx_store *store, row r)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    const atx_template *t = atx_catalog_find_template(w.catalog, op, r.template_name);
    const atx_problem_key key = { "transpose", r.shape, "b4", 1, 8, 0 };
    atx_fingerprint f = { .cc = r.cc ? r.cc : 90,
                          .sms = 132,
                          .memory_mib = 1,
                          .driver = "1",
                          .nvrtc = "13.0",
                          .tool = "1",
                          .cold = !r.warm };
    const atx_winner winner = { .template_name = t->name,
                                .template_hash = r.hash ? r.hash : t->text.hash,
                                .config = r.config,
                                .timing.median_s = 1e-5,
                                .trials = 1,
                                .space_count = 1,
                                .geometry.grid = { 7, 1, 1 },
                                .geometry.block = { 32, 8, 1 } };
    snprintf(f.device, sizeof f.device, "%s", r.device);
    cr_assert_eq(atx_store_put_winner(store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
}

static inline void put(const char *shape, const char *template_name, const char *config, const char *device)
{
    put_row(w.store, (row){ shape, template_name, config, device, NULL, 0, false });
}

/* A trial under the conditions of put(). */
static inline void put_trial_on(const char *device, const char *shape, const char *template_name,
                                const char *config, double seconds, const char *hash, const char *driver)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    const atx_template *t = atx_catalog_find_template(w.catalog, op, template_name);
    const atx_problem_key key = { "transpose", shape, "b4", 1, 8, 0 };
    atx_fingerprint f = { .cc = 90, .sms = 132, .memory_mib = 1, .nvrtc = "13.0", .tool = "1", .cold = true };
    snprintf(f.device, sizeof f.device, "%s", device);
    snprintf(f.driver, sizeof f.driver, "%s", driver);
    const atx_trial_row trial = { .template_name = t->name,
                                  .template_hash = hash ? hash : t->text.hash,
                                  .config = config,
                                  .outcome = ATX_TIMED,
                                  .timing.median_s = seconds,
                                  .timing.min_s = seconds,
                                  .timing.samples = 7,
                                  .resources.registers = 40,
                                  .resources.shared_bytes = -1,
                                  .resources.local_bytes = -1,
                                  .log = "",
                                  .source_hash = "" };
    cr_assert_eq(atx_store_put_trials(w.store, 0, &key, &f, &trial, 1, &err), AT_OK, "%s", err.text);
}

static inline void put_trial_as(const char *shape, const char *template_name, const char *config,
                                double seconds, const char *hash, const char *driver)
{
    put_trial_on("NVIDIA H200", shape, template_name, config, seconds, hash, driver);
}

static inline void put_trial(const char *shape, const char *template_name, const char *config, double seconds)
{
    put_trial_as(shape, template_name, config, seconds, NULL, "1");
}

static inline atx_found ask_as(const char *op, atx_dtype type, const int64_t *sizes, int count,
                               const atx_target *target)
{
    at_error err = { 0 };
    atx_found found;
    atx_problem problem;
    if (!w.lookup)
        cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, atx_catalog_find_op(w.catalog, op), type, sizes, count, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(atx_lookup_find(&found, w.lookup, &problem, target, &err), AT_OK, "%s", err.text);
    return found;
}

static inline atx_found ask_on(int64_t rows, int64_t cols, const char *device, int64_t cc)
{
    atx_target target = { .cc = cc, .sms = cc ? 132 : 0 };
    snprintf(target.name, sizeof target.name, "%s", device);
    return ask_as("transpose", ATX_F32, (int64_t[]){ rows, cols }, 2, &target);
}

static inline atx_found ask(int64_t rows, int64_t cols, const char *device)
{
    return ask_on(rows, cols, device, 90);
}
