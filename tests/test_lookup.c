/* test_lookup.c - what the store answers for problems that were, and were not, tuned. */
#include "lookup.h"
#include "store.h"

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

static void begin(void)
{
    at_error err = { 0 };
    snprintf(w.path, sizeof w.path, "/tmp/autotune-lookup-XXXXXX");
    close(mkstemp(w.path));
    cr_assert_eq(at__catalog_open(&w.catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__store_open(&w.store, w.path, AT__STORE_WRITE, &err), AT_OK, "%s", err.text);
}

static void end(void)
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

TestSuite(lookup, .init = begin, .fini = end);

#define TILE_ROWS "TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast"
#define REG_VEC   "SQUARE=4 BLOCK_X=8 BLOCK_Y=32 SQUARES=1 ORDER=in_fast"

static void put_into(at__store *store, const char *shape, const char *template_name, const char *config,
                     const char *device)
{
    at_error err = { 0 };
    const at__op *op = at__catalog_find_op(w.catalog, "transpose");
    const at__template *t = at__catalog_find_template(w.catalog, op, template_name);
    const at__problem_key key = { "transpose", shape, "b4", 1, 8 };
    at__fingerprint f = {
        .cc = 90, .sms = 132, .memory_mib = 1, .driver = "1", .nvrtc = "13.0", .tool = "1", .cold = true
    };
    const at__winner winner = { .template_name = t->name,
                                .template_hash = t->hash,
                                .config = config,
                                .source_hash = "",
                                .op_hash = "",
                                .median_s = 1e-5,
                                .ceiling_name = "",
                                .ties = "",
                                .trials = 1,
                                .space_count = 1,
                                .grid = { 7, 1, 1 },
                                .block = { 32, 8, 1 } };
    snprintf(f.device, sizeof f.device, "%s", device);
    cr_assert_eq(at__store_put_winner(store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
}

static void put(const char *shape, const char *template_name, const char *config, const char *device)
{
    put_into(w.store, shape, template_name, config, device);
}

static at__found ask(int64_t rows, int64_t cols, const char *device)
{
    at_error err = { 0 };
    at__found found;
    at__problem problem;
    at__target target = { .cc = 90, .sms = 132 };
    snprintf(target.name, sizeof target.name, "%s", device);
    if (!w.lookup)
        cr_assert_eq(at__lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__problem_init(&problem, at__catalog_find_op(w.catalog, "transpose"), AT__F32,
                                  (int64_t[]){ rows, cols }, 2, &err),
                 AT_OK, "%s", err.text);
    cr_assert_eq(at__lookup_find(&found, w.lookup, &problem, &target, &err), AT_OK, "%s", err.text);
    return found;
}

Test(lookup, a_tuned_problem_is_exact_with_its_stored_geometry)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    at__found f = ask(4096, 4096, "h200");
    cr_assert_eq(f.match, AT__MATCH_EXACT);
    cr_assert_eq(f.geometry.grid[0], 7);
    cr_assert_str_eq(f.t->name, "tile_rows");
}

Test(lookup, another_shape_gives_its_configuration_and_a_geometry_for_this_one)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    at__found f = ask(2048, 2048, "");
    cr_assert_eq(f.match, AT__MATCH_NEAR, "%s", f.why);
    cr_assert_eq(f.geometry.grid[0], 64 * 64);
    cr_assert(strstr(f.why, "4096x4096"), "%s", f.why);
}

Test(lookup, requirements_are_checked_for_the_shape_that_is_asked_for)
{
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    cr_assert_eq(ask(4092, 4100, "").match, AT__MATCH_NEAR);
    at__found f = ask(4097, 4095, "");
    cr_assert_eq(f.match, AT__MATCH_NONE, "16-byte accesses on rows of 4095 elements");
    cr_assert(strstr(f.why, "fits"), "%s", f.why);
}

Test(lookup, aspect_matters_not_area)
{
    put("1024x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("2x2097152", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(2048, 2048, "").answer->shape, "1024x4096");
    cr_assert_str_eq(ask(4, 1048576, "").answer->shape, "2x2097152");
}

Test(lookup, the_alignment_of_rows_goes_before_size)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("1023x1025", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask(4095, 4097, "").answer->shape, "1023x1025");
    cr_assert_str_eq(ask(1024, 1024, "").answer->shape, "4096x4096");
}

Test(lookup, another_device_is_named_as_such)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA A100");
    at__found f = ask(4096, 4096, "H200");
    cr_assert_eq(f.match, AT__MATCH_OTHER_DEVICE);
    cr_assert(strstr(f.why, "A100") && strstr(f.why, "H200"), "%s", f.why);
    put("64x64", "tile_rows", TILE_ROWS, "NVIDIA H200");
    at__lookup_close(w.lookup);
    w.lookup = NULL;
    cr_assert_eq(ask(4096, 4096, "H200").match, AT__MATCH_NEAR, "the same device goes before the same shape");
}

Test(lookup, an_empty_store_says_so)
{
    at__found f = ask(4096, 4096, "");
    cr_assert_eq(f.match, AT__MATCH_NONE);
    cr_assert(strstr(f.why, "no winner of transpose"), "%s", f.why);
}

Test(lookup, what_another_connection_writes_is_seen)
{
    at_error err = { 0 };
    at__store *other = NULL;
    cr_assert_eq(ask(4096, 4096, "").match, AT__MATCH_NONE);
    cr_assert_eq(at__store_open(&other, w.path, AT__STORE_WRITE, &err), AT_OK, "%s", err.text);
    put_into(other, "4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    at__store_close(other);
    usleep(150000); /* a look-up asks for changes ten times a second */
    cr_assert_eq(ask(4096, 4096, "").match, AT__MATCH_EXACT);
}

Test(lookup, a_configuration_of_a_changed_template_is_no_answer)
{
    at_error err = { 0 };
    const at__problem_key key = { "transpose", "64x64", "b4", 1, 8 };
    const at__fingerprint f = { .device = "NVIDIA H200",
                                .cc = 90,
                                .sms = 132,
                                .memory_mib = 1,
                                .driver = "1",
                                .nvrtc = "13.0",
                                .tool = "1",
                                .cold = true };
    const at__winner winner = { .template_name = "tile_rows",
                                .template_hash = "of another day",
                                .config = TILE_ROWS,
                                .source_hash = "",
                                .op_hash = "",
                                .median_s = 1,
                                .ceiling_name = "",
                                .ties = "",
                                .trials = 1,
                                .space_count = 1,
                                .grid = { 1, 1, 1 },
                                .block = { 1, 1, 1 } };
    cr_assert_eq(at__store_put_winner(w.store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
    cr_assert_eq(ask(64, 64, "").match, AT__MATCH_NONE);
}
