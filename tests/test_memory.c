/*
 * test_memory.c - every allocation in turn fails: each call must say so, leave nothing behind and not crash.
 * Linked with --wrap for the allocator, so the sanitizers still watch.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/catalog.h"
#include "lang/declare_common.h"
#include "db/store.h"
#include "declare_support.h"
#include "exchange/cut.h"
#include "exchange/import.h"
#include "lang/render.h"
#include "space/space.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);

static long left = -1; /* allocations until one fails; below zero: none does */

static bool fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *data, size_t size)
{
    return fails() ? NULL : __real_realloc(data, size);
}

/* Runs with one allocation after the other failing (all early ones, some of many), until a run needs fewer.
 */
static void fail_each(at_status (*run)(at_error *err))
{
    for (long n = 0;; n += 1 + n / 200) {
        at_error err = { 0 };
        left = n;
        at_status status = run(&err);
        bool hit = left < 0;
        left = -1;
        if (!hit) {
            cr_assert_eq(status, AT_OK, "%s", err.text);
            cr_assert_gt(n, 0);
            return;
        }
        cr_assert(status == AT_ERR_MEMORY || status == AT_OK, "allocation %ld: %s", n, err.text);
        cr_assert(status == AT_OK || err.status == AT_ERR_MEMORY);
    }
}

static at_status read_both(at_error *err)
{
    static const char OP[] = MINI_OP_HEAD "type T = f32\nceiling copy rows cols\nshared 1\n" MINI_OP_TAIL;
    static const char COMMON[] = "/*!autotune\ncommon shared # s\n*/\n";
    static const char BUNDLE[] =
        "//!autotune common shared 33\n/*!autotune\ncommon shared # s\n*/\n" MINI_SPACE("use shared\n");
    static const char TEMPLATE[] = MINI_TEMPLATE("use shared\nparam A = 1..20 # m\nparam B = x y\nlet c = A "
                                                 "+ 1 # c\nrequire c > B && (A < 10 || B) # r\n"
                                                 "grid A c\nblock 1\nshared c\ndefault A=2 B=y\n");
    at__op *op = NULL;
    at__template *t = NULL;
    at__commons commons = { 0 };
    at_status status = at__op_read(&op, OP, strlen(OP), "op.cu", err);
    if (status == AT_OK)
        status = at__commons_add(&commons, COMMON, strlen(COMMON), "shared.cuh", err);
    if (status == AT_OK)
        status = at__template_read_with(&t, op, &commons, TEMPLATE, strlen(TEMPLATE), "t.cu", err);
    at__template_close(t);
    t = NULL;
    if (status == AT_OK)
        status = at__template_read(&t, op, BUNDLE, strlen(BUNDLE), "t.cu", err);
    at__template_close(t);
    at__commons_clear(&commons);
    at__op_close(op);
    return status;
}

Test(memory, declarations)
{
    fail_each(read_both);
}

/* Read once, with all memory: what is tested comes after. */
static at__op *op;
static at__template *t;
static int64_t slots[AT__MAX_SLOTS];

static at_status open_and_render(at_error *err)
{
    at__space *space = NULL;
    at__config config;
    at__str text = { 0 };
    at_status status = at__space_open(&space, t, slots, NULL, 0, err);
    if (status == AT_OK && at__space_count(space) > 0) {
        at__space_config(&config, space, 0);
        status = at__render(&text, t, AT__F32, &config, slots, err);
    }
    at__str_clear(&text);
    at__space_close(space);
    return status;
}

static void check_space(const char *source)
{
    op = read_op(MINI_OP);
    t = read_template(op, source);
    bind_problem(slots, op, 64, 64);
    fail_each(open_and_render);
    at__template_close(t);
    at__op_close(op);
}

Test(memory, spaces_and_rendering)
{
    check_space(MINI_SPACE(
        "param A = 1..30\nparam B = 1..30\nparam C = x y z\nlet ab = A * B\nrequire ab == 30 || C == C_y\n"
        "require B < 20\nconst D = ab + 1\n"));
}

Test(memory, empty_spaces)
{
    check_space(MINI_SPACE("param A = 1..30\nparam B = 1..30\nrequire A > B + 40 # never\n"));
}

static at_status open_catalog(at_error *err)
{
    at__catalog *catalog = NULL;
    at_status status = at__catalog_open(&catalog, AT_SOURCE_DIR "/templates", err);
    at__catalog_close(catalog);
    return status;
}

Test(memory, the_catalog)
{
    fail_each(open_catalog);
}

/* What was cut when there was memory. */
static at__str cut_well;

/* A branch that nobody had the memory to decide must not stay in a text that is called complete. */
static at_status cut_a_kernel(at_error *err)
{
    static const char RENDERED[] =
        "constexpr int A = 4;\nconstexpr int B = A * 2;\nenum { C = 1 };\nint unused() { return 1; }\n"
        "extern \"C\" __global__ void k(T *out, const T *in)\n{\n    const int none = 7;\n"
        "    if (A == 4 && (B > 9 || out))\n        out[0] = in[0];\n    if (A > B) {\n        out[1] = "
        "in[1];\n"
        "    } else {\n        out[2] = in[C == 1 ? 3 : 4];\n    }\n}\n";
    const at__cutting cutting = { .rendered = RENDERED, .kernel = "k", .name = "kernel", .type_bytes = 4 };
    at__str text = { 0 };
    at_status status = at__cut(&text, &cutting, err);
    if (status == AT_OK && !cut_well.data)
        at__str_add_bytes(&cut_well, text.data, text.len);
    if (status == AT_OK)
        cr_assert_str_eq(text.data, cut_well.data);
    at__str_clear(&text);
    return status;
}

Test(memory, cutting_a_kernel_out)
{
    cr_assert_eq(cut_a_kernel(NULL), AT_OK);
    cr_assert_null(strstr(cut_well.data, "A > B"), "%s", cut_well.data);
    fail_each(cut_a_kernel);
    at__str_clear(&cut_well);
}

static char dump[4096], dump_well[4096]; /* a sink that needs no memory */

static bool add_to_dump(void *context, const char *line)
{
    (void)context;
    cr_assert_lt(strlen(dump) + strlen(line), sizeof dump);
    strcat(dump, line);
    return true;
}

static at__store *dumped;

static at_status write_dump(at_error *err)
{
    static const at__dump_options ALL = { 0 };
    dump[0] = '\0';
    at_status status = at__store_dump(dumped, &ALL, add_to_dump, NULL, err);
    if (status == AT_OK)
        cr_assert_str_eq(dump, dump_well);
    return status;
}

Test(memory, dumping_a_database)
{
    char folder[] = "/tmp/autotune-memory-XXXXXX", path[64], text[1000];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/db", folder);
    memset(text, 'x', sizeof text);
    cr_assert_eq(at__store_open(&dumped, path, AT__STORE_WRITE, NULL), AT_OK);
    cr_assert_eq(at__store_put_source(dumped, "hash", "a.cu", text, sizeof text, NULL), AT_OK);
    cr_assert_eq(at__store_dump(dumped, &(at__dump_options){ 0 }, add_to_dump, NULL, NULL), AT_OK);
    strcpy(dump_well, dump);
    fail_each(write_dump);
    at__store_close(dumped);
    unlink(path);
    rmdir(folder);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    while ((text = strstr(text, word)) != NULL) {
        count++;
        text++;
    }
    return count;
}

static at_status import_recording(at_error *err)
{
    static const char *const PATHS[] = { AT_SOURCE_DIR "/tests/data/import/scale_t4.json",
                                         AT_SOURCE_DIR "/tests/data/import/scale_cache.json",
                                         AT_SOURCE_DIR "/tests/data/import/scale_t1.json" };
    const at__import_options options = { .name = NULL };
    at__import import = { 0 };
    at_status status = at__import_read(&import, PATHS, 3, &options, err);
    /* One of five conditions is broken by one of the recordings, and left out there; no other is. */
    for (size_t i = 0; status == AT_OK && i < import.count; i++)
        cr_assert_geq(count_of(at__str_text(&import.items[i].declaration), "\nrequire "), 4, "%s",
                      at__str_text(&import.items[i].declaration));
    at__import_clear(&import);
    return status;
}

Test(memory, importing)
{
    fail_each(import_recording);
}
