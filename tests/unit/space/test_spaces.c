/*
 * test_spaces.c - search spaces that papers compare (data/spaces): how many configurations, and which.
 *
 * The checksum is the start of the SHA-256 of all rows, every parameter in the order of its declaration,
 * sorted numerically column by column, numbers joined by commas, a newline behind each row. It was made with
 * other programs, so that it says what is right, not what we do.
 */
#include "lang/catalog.h"
#include "space/space.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(spaces);

static const struct {
    const char *name;
    int64_t count;
    double raw;
    const char *checksum; /* "": too many rows to sort in a test, or not known */
} SPACES[] = {
    { "dedispersion", 11130, 22272, "082468d192376cb5" },
    { "expdist", 294000, 9732096, "b81a2c226527ce30" },
    { "hotspot", 349853, 22200000, "fe7746c682e2f784" },
    { "gemm", 116928, 663552, "77461b82f67e61c5" },
    { "microhh", 138600, 1166400, "cbcc502e96f7bc02" },
    { "prl_2", 1200, 36864, "d7d3db138257b02e" },
    { "prl_4", 10800, 9437184, "ddbd5b623b138ce2" },
    { "prl_8", 48720, 2415919104, "324514d2f72112b4" },
    { "prl_16", 181440, 0, "" },
    { "prl_32", 514080, 0, "" },
    { "prl_64", 1340640, 4.0 * 9 * 4 * 281474976710656.0, "" },
    { "prl_64_pow2", 1340640, 0, "" },
    { "prl_256_pow2", 6391440, 0, "" },
    { "prl_1024_pow2", 23111088, 0, "" },
};
enum { SPACE_COUNT = sizeof SPACES / sizeof *SPACES };

static atx_catalog *catalog;

static void open_catalog(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, AT_SOURCE_DIR "/tests/data/spaces", &err), AT_OK, "%s", err.text);
}

static void close_catalog(void)
{
    atx_catalog_close(catalog);
}

static atx_space *open_space(const char *name)
{
    const int64_t size = 1;
    int64_t slots[ATX_MAX_SLOTS];
    atx_limits limits = { 0 };
    atx_problem problem;
    atx_space *space = NULL;
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(catalog, "spaces");
    cr_assert(op);
    const atx_template *t = atx_catalog_find_template(catalog, op, name);
    cr_assert(t, "%s", name);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, &size, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_open(&space, t, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    return space;
}

static int columns; /* of the rows that are compared */

static int by_columns(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    for (int i = 0; i < columns; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The first 16 digits. */
static void checksum(char out[17], int64_t *rows, int64_t count)
{
    atx_sha256 hash;
    char line[ATX_MAX_PARAMS * 22], text[ATX_HASH_TEXT];
    atx_sha256_init(&hash);
    qsort(rows, (size_t)count, (size_t)columns * sizeof *rows, by_columns);
    for (int64_t i = 0; i < count; i++) {
        int len = 0;
        for (int c = 0; c < columns; c++)
            len += snprintf(line + len, sizeof line - (size_t)len, "%s%lld", c ? "," : "",
                            (long long)rows[i * columns + c]);
        line[len++] = '\n';
        atx_sha256_add(&hash, line, (size_t)len);
    }
    atx_sha256_text(&hash, text);
    snprintf(out, 17, "%.16s", text);
}

Test(spaces, have_the_published_sizes, .init = open_catalog, .fini = close_catalog)
{
    for (int i = 0; i < SPACE_COUNT; i++) {
        atx_space *space = open_space(SPACES[i].name);
        cr_assert_eq(atx_space_count(space), SPACES[i].count, "%s: %lld", SPACES[i].name,
                     (long long)atx_space_count(space));
        if (SPACES[i].raw > 0)
            cr_assert_float_eq(atx_space_raw_count(space), SPACES[i].raw, 0.5);
        atx_space_close(space);
    }
}

Test(spaces, have_the_published_configurations, .init = open_catalog, .fini = close_catalog)
{
    for (int i = 0; i < SPACE_COUNT; i++) {
        char found[17];
        if (!*SPACES[i].checksum)
            continue;
        atx_space *space = open_space(SPACES[i].name);
        int64_t count = atx_space_count(space);
        columns = atx_space_template(space)->scope.param_count;
        int64_t *rows = malloc((size_t)(count * columns) * sizeof *rows);
        cr_assert(rows);
        atx_space_rows(rows, space, 0, count);
        checksum(found, rows, count);
        cr_assert_str_eq(found, SPACES[i].checksum, "%s", SPACES[i].name);
        free(rows);
        atx_space_close(space);
    }
}

/* Rows written at once are those that are read one by one, wherever one starts. */
Test(spaces, rows_are_the_configurations_in_order, .init = open_catalog, .fini = close_catalog)
{
    for (int i = 0; i < SPACE_COUNT; i++) {
        enum { BLOCK = 300 };
        static int64_t rows[BLOCK * ATX_MAX_PARAMS];
        atx_space *space = open_space(SPACES[i].name);
        int n = atx_space_template(space)->scope.param_count;
        atx_rng rng = { (uint64_t)i + 1 };
        for (int k = 0; k < 20; k++) {
            int64_t first = atx_space_sample(space, &rng), count = atx_space_count(space) - first;
            count = count < BLOCK ? count : BLOCK;
            atx_space_rows(rows, space, first, count);
            for (int64_t r = 0; r < count; r++) {
                atx_config config;
                atx_space_config(&config, space, first + r);
                cr_assert_eq(memcmp(rows + r * n, config.values, (size_t)n * sizeof *rows), 0);
                cr_assert_eq(atx_space_find(space, &config), first + r);
            }
        }
        atx_space_close(space);
    }
}

/* No group of the factored spaces has more rows than one side of record linkage. */
Test(spaces, are_factored, .init = open_catalog, .fini = close_catalog)
{
    atx_space *space = open_space("prl_1024_pow2");
    cr_assert_eq(atx_space_group_count(space), 6);
    cr_assert_lt(atx_space_bytes(space), 100000);
    atx_space_close(space);
}
