/* test_space.c - spaces against published ones; large and empty ones, errors, fixes; samples and neighbours.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "space_support.h"

/* ---- against published spaces ---- */

static int row_columns; /* qsort has no context; each test is a process of its own */

static int compare_rows(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    for (int i = 0; i < row_columns; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* SHA-256 of all rows, sorted, as comma-separated lines; its first 16 digits. */
static void hash_rows(char out[17], const fixture *f)
{
    int n = row_columns = f->t->scope.param_count;
    int64_t count = atx_space_count(f->space);
    int64_t *rows = malloc((size_t)(count * n) * sizeof *rows);
    char text[ATX_HASH_TEXT];
    atx_sha256 h;

    for (int64_t i = 0; i < count; i++) {
        atx_config config;
        atx_space_config(&config, f->space, i);
        memcpy(rows + i * n, config.values, (size_t)n * sizeof *rows);
    }
    qsort(rows, (size_t)count, (size_t)n * sizeof *rows, compare_rows);
    atx_sha256_init(&h);
    for (int64_t i = 0; i < count * n; i++) {
        char number[24];
        int len = snprintf(number, sizeof number, "%lld%c", (long long)rows[i], i % n == n - 1 ? '\n' : ',');
        atx_sha256_add(&h, number, (size_t)len);
    }
    atx_sha256_text(&h, text);
    snprintf(out, 17, "%.16s", text);
    free(rows);
}

static void check_published(const char *source, double raw, int64_t valid, const char *hash)
{
    fixture f = open_space(source);
    char text[17];
    cr_assert_eq(atx_space_count(f.space), valid, "%lld", (long long)atx_space_count(f.space));
    cr_assert_float_eq(atx_space_raw_count(f.space), raw, 0.5);
    if (hash) {
        hash_rows(text, &f);
        cr_assert_str_eq(text, hash);
    }
    close_space(&f);
}

/* Spaces of Kernel Tuner's benchmark (Willemsen et al., ICPP 2025), with counts and checksums made by two
 * other programs. */
Test(space, dedispersion)
{
    check_published(
        MINI_SPACE(
            "param bx = 1 2 4 8 16 32\nparam by = 32..256:8\nparam bz = 1\nparam tx = 1..4\nparam ty = 1..8\n"
            "param sx = 0 1\nparam sy = 0 1\nparam unroll = 0\n"
            "require bx * by >= 32 && bx * by <= 1024\nrequire tx > 1 || sx == 0\nrequire ty > 1 || sy == 0\n"
            "require bx * by * bz <= 1024\n"),
        22272, 11130, "082468d192376cb5");
}

Test(space, gemm)
{
    check_published(
        MINI_SPACE(
            "param GEMMK = 0\nparam MWG = 16 32 64 128\nparam NWG = 16 32 64 128\nparam KWG = 16 32\n"
            "param MDIMC = 8 16 32\nparam NDIMC = 8 16 32\nparam MDIMA = 8 16 32\nparam NDIMB = 8 16 32\n"
            "param KWI = 2\nparam VWM = 1 2 4 8\nparam VWN = 1 2 4 8\nparam STRM = 0 1\nparam STRN = 0 1\n"
            "param SA = 0 1\nparam SB = 0 1\nparam KREG = 1\nparam PRECISION = 32\n"
            "require KWG % KWI == 0\nrequire MWG % (MDIMC * VWM) == 0\nrequire NWG % (NDIMC * VWN) == 0\n"
            "require MWG % (MDIMA * VWM) == 0\nrequire NWG % (NDIMB * VWN) == 0\n"
            "require KWG % ((MDIMC * NDIMC) / MDIMA) == 0\nrequire KWG % ((MDIMC * NDIMC) / NDIMB) == 0\n"
            "require !(MWG == 128 && NWG == 128 && MDIMC == 8 && NDIMC == 8)\n"),
        663552, 116928, "77461b82f67e61c5");
}

#define HOTSPOT                                                                                              \
    "param grid_width = 4096\nparam grid_height = 4096\nparam bx = 1 2 4 8 16 32..1024:32\nparam by = 1 2 "  \
    "4 8 16 32\n"                                                                                            \
    "param tx = 1..10\nparam ty = 1..10\nparam t_ = 1..10\nparam max_tfactor = 10\nparam unroll = 1..10\n"   \
    "param sh_power = 0 1\nparam per_sm = 0..4\n"                                                            \
    "let S = (bx * tx + 2 * t_) * (by * ty + 2 * t_) * (2 + sh_power) * 4\n"                                 \
    "require bx * by >= 32\nrequire bx * by <= 1024\nrequire t_ % unroll == 0\nrequire S <= 49152\n"         \
    "require per_sm == 0 || S * per_sm <= 102400\n"

Test(space, hotspot)
{
    check_published(MINI_SPACE(HOTSPOT), 22200000, 349853, "fe7746c682e2f784");
}

Test(space, expdist)
{
    check_published(
        MINI_SPACE(
            "param bx = 1024 512 256 128 64 32\nparam by = 1 2 4 8 16 32\nparam tx = 1..8\nparam ty = 1..8\n"
            "param shared_mem = 0..2\nparam ux = 1..8\nparam uy = 1..8\nparam column = 0 1\nparam acc = 0\n"
            "param blocks = 1 2 4 8 16 32 64 128 256 512 1024\n"
            "require column != 0 || blocks <= 1\nrequire column != 0 || shared_mem != 2\n"
            "require tx % ux == 0\nrequire ty % uy == 0\nrequire bx * by <= 1024\n"),
        9732096, 294000, "b81a2c226527ce30");
}

Test(space, microhh)
{
    check_published(
        MINI_SPACE("param BX = 1 2 4 8 16 32 128 256 512 1024\nparam BY = 1 2 4 8 16 32\nparam BZ = 1 2 4\n"
                   "param STATIC_STRIDES = 0\nparam TX = 1 2 4 8\nparam TY = 1 2 4\nparam TZ = 1 2 4\n"
                   "param STRATEGY = 0\nparam REWRITE = 0\nparam PER_MP = 0..4\nparam UX = 1 2 4 8\nparam UY "
                   "= 1 2 4\n"
                   "param UZ = 1 2 4\nlet B = BX * BY * BZ\nrequire B * PER_MP <= 1024\nrequire B >= 32 && B "
                   "<= 1536\n"
                   "require UX == 0 || TX % UX == 0\nrequire UY == 0 || TY % UY == 0\nrequire UZ == 0 || TZ "
                   "% UZ == 0\n"
                   "require BX * TX > 0\nrequire BY * TY > 0\nrequire BZ * TZ > 0\n"),
        1166400, 138600, "cbcc502e96f7bc02");
}

#define PRL(N)                                                                                               \
    "param CACHE_L = 0 1\nparam CACHE_P = 0 1\nparam G_RES = 2\nparam L_RES = 2 1 0\nparam P_RES = 2 1 0\n"  \
    "param IN_L = " N "\nparam LCB_L = 1.." N "\nparam PCB_L = 1.." N                                        \
    "\nparam DIM_L = 0 1\nparam WG_L = 1.." N "\n"                                                           \
    "param WI_L = 1.." N "\nparam IN_R = " N "\nparam LCB_R = 1.." N "\nparam PCB_R = 1.." N                 \
    "\nparam DIM_R = 0 1\n"                                                                                  \
    "param WG_R = 1.." N "\nparam WI_R = 1.." N "\nparam L_RED = 1\nparam P_BACK = 0\nparam L_BACK = 1\n"    \
    "require L_RES <= G_RES\nrequire P_RES <= L_RES\n"                                                       \
    "require IN_L % LCB_L == 0\nrequire LCB_L % PCB_L == 0\nrequire IN_L / LCB_L % WG_L == 0\n"              \
    "require LCB_L / PCB_L % WI_L == 0\nrequire WI_L <= IN_L + WG_L - 1 / WG_L\n"                            \
    "require IN_R % LCB_R == 0\nrequire LCB_R % PCB_R == 0\nrequire IN_R / LCB_R % WG_R == 0\n"              \
    "require LCB_R / PCB_R % WI_R == 0\nrequire WI_R <= IN_R + WG_R - 1 / WG_R\n"                            \
    "require DIM_R != DIM_L\nrequire WG_R == 1 || WG_R % LCB_R == 0\n"

Test(space, record_linkage_4x4)
{
    check_published(MINI_SPACE(PRL("4")), 9437184, 10800, "ddbd5b623b138ce2");
}

Test(space, record_linkage_64x64)
{
    check_published(MINI_SPACE(PRL("64")), 4.0 * 9 * 4 * 281474976710656.0, 1340640, NULL);
}

/* ---- large spaces ---- */

Test(space, independent_parameters_cost_nothing)
{
    fixture f =
        open_space(MINI_SPACE("param A = 1..4096\nparam B = 1..4096\nparam C = 1..4096\nparam D = 1..1000\n"
                              "param E = 1..1000\nrequire D + E == 1000\n"));
    atx_config config;
    atx_rng rng = { 7 };
    cr_assert_eq(atx_space_count(f.space), (int64_t)4096 * 4096 * 4096 * 999);
    for (int i = 0; i < 1000; i++) {
        int64_t index = atx_space_sample(f.space, &rng);
        atx_space_config(&config, f.space, index);
        cr_assert_eq(atx_space_find(f.space, &config), index);
    }
    close_space(&f);
}

Test(space, saturates)
{
    char source[4096] = "/*!autotune\ntemplate t\n";
    for (int i = 0; i < 20; i++)
        snprintf(source + strlen(source), 64, "param P%d = 1..1000\n", i);
    strcat(source, "grid 1\nblock 1\n*/ mini_t");
    fixture f = open_space(source);
    int64_t neighbours[10];
    atx_config config;
    cr_assert_eq(atx_space_count(f.space), INT64_MAX);
    cr_assert_float_eq(atx_space_raw_count(f.space) / 1e60, 1, 1e-9);
    atx_space_config(&config, f.space, INT64_MAX - 1);
    cr_assert_eq(atx_space_find(f.space, &config), INT64_MAX - 1);
    for (int i = 0; i < 20; i++)
        config.values[i] = 1000;
    cr_assert_eq(atx_space_find(f.space, &config), -1, "beyond what has an index");
    cr_assert_gt(atx_space_neighbours(neighbours, 10, f.space, 0, ATX_HAMMING), 10);
    close_space(&f);
}

/* ---- empty spaces, errors, fixes ---- */

static void check_refusal(const char *source, const char *expected)
{
    fixture f = open_space(source);
    cr_assert_eq(atx_space_count(f.space), 0);
    cr_assert_str_eq(atx_space_refusal(f.space), expected);
    atx_config config = { { 0 } };
    cr_assert_eq(atx_space_find(f.space, &config), -1);
    close_space(&f);
}

Test(space, tells_what_made_it_empty)
{
    check_refusal(MINI_SPACE("param A = 1 2\nrequire rows > 100 # too small\n"), "rows > 100 (too small)");
    check_refusal(MINI_SPACE("param A = 1 2\nrequire A > 2\n"), "A > 2");
    check_refusal(
        MINI_SPACE(
            "param A = 1..10\nparam B = 1..10\nrequire A > 9 # a\nrequire B > 9 # b\nrequire A != B # c\n"),
        "A > 9 (a)");
    check_refusal(MINI_SPACE("param A = 5\nparam B = 1 2\nrequire A > B * 5 # single\n"),
                  "A > B * 5 (single)");
    fixture f = open_space(MINI_SPACE("param A = 1 2\n"));
    cr_assert_null(atx_space_refusal(f.space));
    close_space(&f);
}

Test(space, reports_what_cannot_be_evaluated)
{
    at_error err = { 0 };
    cr_assert_eq(open_error(MINI_SPACE("param A = 0 1\nparam B = 4 8\nrequire B / A > 1\n"), &err),
                 AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:5:11: division by zero in 'B / A' with A=0 B=4");
    cr_assert_eq(open_error(MINI_SPACE("param A = x y\nlet b = 1 / A\nrequire b > 0\n"), &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:4:11: division by zero in '1 / A' with A=x");
    cr_assert_eq(open_error(MINI_SPACE("param A = 1 2\nrequire 1 / (rows - 64)\n"), &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:4:11: division by zero in '1 / (rows - 64)'");
}

/* Whatever the order of the walk, a row that another requirement refuses needs no value. */
Test(space, a_refused_row_needs_no_value)
{
    fixture f = open_space(MINI_SPACE("param A = 0 1 2\nparam B = 4 8\nrequire B / A > 1\nrequire A > 0\n"));
    cr_assert_eq(atx_space_count(f.space), 4);
    close_space(&f);
    f = open_space(
        MINI_SPACE("param A = 0 1 2\nparam B = 1..30\nlet q = B / A\nrequire q > 1\nrequire A * B > 50\n"));
    cr_assert_eq(atx_space_count(f.space), 5);
    close_space(&f);
    check_refusal(MINI_SPACE("require 1 / (rows - 64)\nrequire rows > 64\n"), "rows > 64");
}

Test(space, reads_fixes)
{
    atx_fix fix;
    at_error err = { 0 };
    cr_assert_eq(atx_fix_parse(&fix, "tile_rows.PAD=-1", &err), AT_OK);
    cr_assert_str_eq(fix.template_name, "tile_rows");
    cr_assert_str_eq(fix.param, "PAD");
    cr_assert_str_eq(fix.value, "-1");
    static const char *const BAD[] = { "", "a", "a.b", "a=1", "a.=1", ".b=1", "a.b=", "=a.b" };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        cr_assert_eq(atx_fix_parse(&fix, BAD[i], &err), AT_ERR_INPUT, "%s", BAD[i]);
        cr_assert_not_null(strstr(err.text, "expected TEMPLATE.PARAMETER=VALUE"));
    }
    char text[200] = "a.b=";
    memset(text + 4, '1', 100);
    cr_assert_eq(atx_fix_parse(&fix, text, &err), AT_ERR_INPUT);
}

#define FIXABLE MINI_SPACE("param A = 1..4\nparam B = 1..4\nparam C = x y\nrequire A * B > 3\n")

Test(space, obeys_fixes)
{
    static const atx_fix FIXES[] = { { "t", "A", "2" }, { "other", "A", "9" }, { "t", "C", "y" } };
    fixture f;
    atx_config config;
    cr_assert_eq(try_open(&f, FIXABLE, FIXES, 3, NULL), AT_OK);
    cr_assert_eq(atx_space_count(f.space), 3);
    cr_assert_float_eq(atx_space_raw_count(f.space), 4, 1e-9);
    for (int64_t i = 0; i < 3; i++) {
        atx_space_config(&config, f.space, i);
        cr_assert_eq(config.values[0], 2);
        cr_assert_eq(config.values[2], 1);
        cr_assert_eq(atx_space_find(f.space, &config), i);
        config.values[0] = 3;
        cr_assert_eq(atx_space_find(f.space, &config), -1);
    }
    close_space(&f);
}

Test(space, refuses_bad_fixes)
{
    static const struct {
        atx_fix fixes[2];
        const char *message;
    } BAD[] = {
        { { { "t", "D", "2" } }, "found 't.D'; template t has the parameters A B C" },
        { { { "t", "A", "5" } }, "found 't.A=5'; expected one of 1 2 3 4" },
        { { { "t", "C", "1" } }, "found 't.C=1'; expected one of x y" },
        { { { "t", "A", "1" }, { "t", "A", "2" } }, "found 't.A' fixed to different values" },
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        fixture f;
        at_error err = { 0 };
        int count = BAD[i].fixes[1].param[0] ? 2 : 1;
        cr_assert_eq(try_open(&f, FIXABLE, BAD[i].fixes, count, &err), AT_ERR_INPUT);
        cr_assert_not_null(strstr(err.text, BAD[i].message), "%s", err.text);
        close_space(&f);
    }
}

/* ---- sampling and neighbours ---- */

Test(space, samples_every_configuration_about_equally)
{
    fixture f = open_space(MINI_SPACE("param A = 1..5\nparam B = 1..5\nparam C = x y\nrequire A < B\n"));
    int hits[20] = { 0 };
    atx_rng rng = { 42 };
    cr_assert_eq(atx_space_count(f.space), 20);
    for (int i = 0; i < 20000; i++)
        hits[atx_space_sample(f.space, &rng)]++;
    for (int i = 0; i < 20; i++)
        cr_assert(hits[i] > 850 && hits[i] < 1150, "%d", hits[i]);
    close_space(&f);
}

static bool are_adjacent(const atx_template *t, const atx_config *a, const atx_config *b)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        int x = 0, y = 0;
        while (t->scope.params[i].values[x] != a->values[i])
            x++;
        while (t->scope.params[i].values[y] != b->values[i])
            y++;
        if (abs(x - y) > 1)
            return false;
    }
    return differing(t, a, b) == 1;
}

/* Do they differ in one parameter, with no configuration between them that differs in it alone? */
static bool are_nearest(const fixture *f, int64_t a, int64_t b)
{
    atx_places x, y;
    atx_space_places(&x, f->space, a);
    atx_space_places(&y, f->space, b);
    int differing = 0, param = 0;
    for (int i = 0; i < f->t->scope.param_count; i++)
        if (x.of[i] != y.of[i]) {
            differing++;
            param = i;
        }
    int from = x.of[param], to = y.of[param], step = from < to ? 1 : -1;
    for (int place = from + step; differing == 1 && place != to; place += step) {
        x.of[param] = (uint16_t)place;
        if (atx_space_find_places(f->space, &x) >= 0)
            return false;
    }
    return differing == 1;
}

static void check_neighbours(const fixture *f, int64_t index, atx_neighbourhood kind)
{
    int64_t found[512], expected = 0, n = atx_space_neighbours(found, 512, f->space, index, kind);
    atx_config here, other;
    atx_space_config(&here, f->space, index);
    for (int64_t i = 0; i < atx_space_count(f->space); i++) {
        atx_space_config(&other, f->space, i);
        bool near = kind == ATX_HAMMING    ? differing(f->t, &here, &other) == 1
                    : kind == ATX_ADJACENT ? are_adjacent(f->t, &here, &other)
                                           : are_nearest(f, index, i);
        bool listed = false;
        for (int64_t k = 0; k < n; k++)
            listed |= found[k] == i;
        cr_assert_eq(listed, near);
        expected += near;
    }
    cr_assert_eq(n, expected);
    cr_assert_eq(atx_space_neighbours(NULL, 0, f->space, index, kind), n);
}

Test(space, finds_neighbours)
{
    fixture f = open_space(
        MINI_SPACE("param A = 4 1 3 2 5\nparam B = 1..5\nparam C = x y z\nparam D = 7\nparam E = 1..3\n"
                   "require A < B\nrequire C == C_x || E > 1\n"));
    for (int64_t i = 0; i < atx_space_count(f.space); i++) {
        check_neighbours(&f, i, ATX_HAMMING);
        check_neighbours(&f, i, ATX_ADJACENT);
        check_neighbours(&f, i, ATX_NEAREST);
    }
    close_space(&f);
}

Test(space, knows_configurations_by_the_places_of_their_values)
{
    fixture f = open_space(MINI_SPACE("param A = 40 10 30\nparam B = x y\nparam C = 7\nparam D = 1 2\n"
                                      "require B == B_y || A < 20\n"));
    atx_places places = { { 2, 1, 0, 0 } };
    atx_config config;
    int64_t index = atx_space_find_places(f.space, &places);
    cr_assert_geq(index, 0);
    atx_space_config(&config, f.space, index);
    cr_assert_eq(config.values[0], 30);
    cr_assert_eq(config.values[1], 1, "y");
    cr_assert_eq(config.values[2], 7);
    for (int64_t i = 0; i < atx_space_count(f.space); i++) {
        atx_space_places(&places, f.space, i);
        cr_assert_eq(atx_space_find_places(f.space, &places), i);
    }
    static const atx_places NOT_VALID[] = {
        { { 0, 0, 0, 0 } }, /* the requirement        */
        { { 0, 1, 1, 0 } }, /* C has one value        */
        { { 3, 1, 0, 0 } }, /* A has three            */
    };
    for (size_t i = 0; i < sizeof NOT_VALID / sizeof *NOT_VALID; i++)
        cr_assert_eq(atx_space_find_places(f.space, &NOT_VALID[i]), -1);
    close_space(&f);
}

Test(space, tells_which_values_are_allowed)
{
    fixture f;
    const atx_fix fix = { "t", "A", "30" };
    int first = -1;
    at_error err = { 0 };
    cr_assert_eq(try_open(&f, MINI_SPACE("param A = 40 10 30\nparam B = 1..4\n"), &fix, 1, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_space_allowed(&first, f.space, 0), 1);
    cr_assert_eq(first, 2);
    cr_assert_eq(atx_space_allowed(&first, f.space, 1), 4);
    cr_assert_eq(first, 0);
    close_space(&f);
}
