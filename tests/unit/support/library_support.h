/* library_support.h - databases with a winner and tuners on them, for the tests of <autotune/autotune.h>. */
#pragma once

#include "compile/builder.h"
#include "lang/catalog.h"
#include "store_support.h"

#include <autotune/autotune.h>

#include <criterion/criterion.h>
#include <unistd.h>

#define CONFIG "TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=in_fast" /* of tile_rows */

static const at_problem TUNED = { .struct_bytes = sizeof(at_problem),
                                  .op = "transpose",
                                  .type = AT_TYPE_F32,
                                  .size_count = 2,
                                  .sizes = { 1024, 2048 } };
static const at_target ON_H200 = { sizeof(at_target), "NVIDIA H200", "sm_90", 132 };

/* Every test has a folder of its own; nothing of the user's is read or written. */
static folder home;

static inline void set_up(void)
{
    home = folder_make();
    set_or_unset("HOME", home.path);
    set_or_unset("AUTOTUNE_DB", NULL);
    set_or_unset("AUTOTUNE_CACHE", NULL);
    set_or_unset("AUTOTUNE_NO_SHIPPED", "1"); /* a test is about its own winners, unless it says otherwise */
    set_or_unset("XDG_DATA_HOME", NULL);
    set_or_unset("XDG_CACHE_HOME", NULL);
}

static inline void tear_down(void)
{
    folder_remove(&home);
}

static inline void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static inline void put_winner(const char *shape, int64_t elements, const char *device, int sms)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    int64_t run = 0;
    atx_store *store = open_ok(home.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_template *t =
        atx_catalog_find_template(catalog, atx_catalog_find_op(catalog, "transpose"), "tile_rows");
    const atx_problem_key key = { "transpose", shape, "b4", elements, 8 * elements, 2 * elements };
    const atx_fingerprint f = { .cc = 90, .sms = sms, .memory_mib = 143155, .driver = "580", .cold = true };
    atx_fingerprint with_name = f;
    snprintf(with_name.device, sizeof with_name.device, "%s", device);
    atx_winner w = winner_of(CONFIG, 10e-6);
    w.template_name = t->name;
    w.template_hash = t->text.hash;
    w.geometry.grid[0] = elements / 1024;
    const atx_run_info info = { .command = "", .strategy = "auto", .seed = 1, .device_uuid = "", .host = "" };
    cr_assert_eq(atx_store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    cr_assert_eq(
        atx_store_put_source(store, t->text.hash, t->text.file, t->text.source, t->text.source_len, &err),
        AT_OK);
    cr_assert_eq(atx_store_put_winner(store, run, &key, &with_name, &w, &err), AT_OK, "%s", err.text);
    atx_store_close(store);
    atx_catalog_close(catalog);
}

static inline at_tuner *open_tuner(void)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    return tuner;
}

static inline at_tuner *tuner_with_winner(void)
{
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    return open_tuner();
}

static inline at_found *find_ok(at_tuner *tuner, at_problem problem, const at_target *target)
{
    at_error err = { 0 };
    at_found *found = NULL;
    cr_assert_eq(at_find(&found, tuner, &problem, target, &err), AT_OK, "%s", err.text);
    return found;
}

/* ---- for children that end while kernels are compiled ---- */

enum { WITHOUT_NVRTC = 4 }; /* their exit code then */

/* exit() runs handlers that are registered behind this before it takes NVRTC's data away. */
static inline void make_nvrtcs_data(void)
{
    static atx_nvrtc *nvrtc; /* a leak checker finds it here */
    atx_compiled c = { 0 };
    at_error err = { 0 };
    const atx_nvrtc_source source = { "extern \"C\" __global__ void k() {}", "k", 90, ATX_CUBIN };
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK ||
        atx_nvrtc_compile(nvrtc, &c.ok, &c.code, &c.log, &c.resources, &source, &err) != AT_OK)
        _exit(WITHOUT_NVRTC);
    atx_compiled_clear(&c); /* NVRTC stays open, and its data where it is */
}
