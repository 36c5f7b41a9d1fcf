/*
 * lookup_support.h - a store with winners and trials that look-ups are asked of. `begin` and `end` are a
 * suite's fixture; a Criterion test is a process of its own, so that `w` is nobody else's.
 */
#ifndef AUTOTUNE_TEST_LOOKUP_SUPPORT_H
#define AUTOTUNE_TEST_LOOKUP_SUPPORT_H

#include "db/store.h"
#include "lookup/lookup.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct world {
    char path[64];
    at__catalog *catalog;
    at__store *store;
    at__lookup *lookup;
} world;

static world w;

static inline void begin(void)
{
    at_error err = { 0 };
    snprintf(w.path, sizeof w.path, "/tmp/autotune-lookup-XXXXXX");
    close(mkstemp(w.path));
    cr_assert_eq(at__catalog_open(&w.catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__store_open(&w.store, w.path, AT__STORE_WRITE, &err), AT_OK, "%s", err.text);
}

static inline void end(void)
{
    char other[80];
    at__lookup_close(w.lookup);
    at__store_close(w.store);
    at__catalog_close(w.catalog);
    unlink(w.path);
    snprintf(other, sizeof other, "%s-wal", w.path);
    unlink(other);
    snprintf(other, sizeof other, "%s-shm", w.path);
    unlink(other);
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

static inline void put_row(at__store *store, row r)
{
    at_error err = { 0 };
    const at__op *op = at__catalog_find_op(w.catalog, "transpose");
    const at__template *t = at__catalog_find_template(w.catalog, op, r.template_name);
    const at__problem_key key = { "transpose", r.shape, "b4", 1, 8, 0 };
    at__fingerprint f = { .cc = r.cc ? r.cc : 90,
                          .sms = 132,
                          .memory_mib = 1,
                          .driver = "1",
                          .nvrtc = "13.0",
                          .tool = "1",
                          .cold = !r.warm };
    const at__winner winner = { .template_name = t->name,
                                .template_hash = r.hash ? r.hash : t->hash,
                                .config = r.config,
                                .timing.median_s = 1e-5,
                                .trials = 1,
                                .space_count = 1,
                                .geometry.grid = { 7, 1, 1 },
                                .geometry.block = { 32, 8, 1 } };
    snprintf(f.device, sizeof f.device, "%s", r.device);
    cr_assert_eq(at__store_put_winner(store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
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
    const at__op *op = at__catalog_find_op(w.catalog, "transpose");
    const at__template *t = at__catalog_find_template(w.catalog, op, template_name);
    const at__problem_key key = { "transpose", shape, "b4", 1, 8, 0 };
    at__fingerprint f = { .cc = 90, .sms = 132, .memory_mib = 1, .nvrtc = "13.0", .tool = "1", .cold = true };
    snprintf(f.device, sizeof f.device, "%s", device);
    snprintf(f.driver, sizeof f.driver, "%s", driver);
    const at__trial_row trial = { .template_name = t->name,
                                  .template_hash = hash ? hash : t->hash,
                                  .config = config,
                                  .outcome = AT__TIMED,
                                  .timing.median_s = seconds,
                                  .timing.min_s = seconds,
                                  .timing.samples = 7,
                                  .resources.registers = 40,
                                  .resources.shared_bytes = -1,
                                  .resources.local_bytes = -1,
                                  .log = "",
                                  .source_hash = "" };
    cr_assert_eq(at__store_put_trials(w.store, 0, &key, &f, &trial, 1, &err), AT_OK, "%s", err.text);
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

static inline at__found ask_as(const char *op, at__dtype type, const int64_t *sizes, int count,
                               const at__target *target)
{
    at_error err = { 0 };
    at__found found;
    at__problem problem;
    if (!w.lookup)
        cr_assert_eq(at__lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__problem_init(&problem, at__catalog_find_op(w.catalog, op), type, sizes, count, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(at__lookup_find(&found, w.lookup, &problem, target, &err), AT_OK, "%s", err.text);
    return found;
}

static inline at__found ask_on(int64_t rows, int64_t cols, const char *device, int64_t cc)
{
    at__target target = { .cc = cc, .sms = cc ? 132 : 0 };
    snprintf(target.name, sizeof target.name, "%s", device);
    return ask_as("transpose", AT__F32, (int64_t[]){ rows, cols }, 2, &target);
}

static inline at__found ask(int64_t rows, int64_t cols, const char *device)
{
    return ask_on(rows, cols, device, 90);
}

#endif
