/* test_space.c - enumeration against brute force and against published spaces, indices, neighbours, limits.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare_support.h"
#include "space.h"

typedef struct fixture {
    at__op *op;
    at__template *t;
    at__space *space;
    int64_t slots[AT__MAX_SLOTS];
} fixture;

static at_status try_open(fixture *f, const char *source, const at__fix *fixes, int fix_count, at_error *err)
{
    memset(f, 0, sizeof *f);
    f->op = read_op(MINI_OP);
    f->t = read_template(f->op, source);
    bind_problem(f->slots, f->op, 64, 64);
    return at__space_open(&f->space, f->t, f->slots, fixes, fix_count, err);
}

static fixture open_space(const char *source)
{
    fixture f;
    at_error err = { 0 };
    cr_assert_eq(try_open(&f, source, NULL, 0, &err), AT_OK, "%s", err.text);
    return f;
}

static void close_space(fixture *f)
{
    at__space_close(f->space);
    at__template_close(f->t);
    at__op_close(f->op);
}

static at_status open_error(const char *source, at_error *err)
{
    fixture f;
    at_status status = try_open(&f, source, NULL, 0, err);
    close_space(&f);
    return status;
}

/* ---- against brute force ---- */

static bool is_valid(const fixture *f, const at__config *config)
{
    int64_t slots[AT__MAX_SLOTS], value;
    memcpy(slots, f->slots, sizeof slots);
    cr_assert_eq(at__config_bind(slots, f->t, config, NULL), AT_OK);
    for (size_t i = 0; i < f->t->require_count; i++) {
        cr_assert_eq(at__expr_eval(&value, f->t->requires[i].expr, slots, NULL), AT_OK);
        if (!value)
            return false;
    }
    return true;
}

/* Counts like an odometer through all combinations of declared values. */
static bool next_combination(int *digits, const at__template *t)
{
    for (int i = t->param_count - 1; i >= 0; i--) {
        if (++digits[i] < t->params[i].count)
            return true;
        digits[i] = 0;
    }
    return false;
}

static int64_t differing(const at__template *t, const at__config *a, const at__config *b)
{
    int64_t count = 0;
    for (int i = 0; i < t->param_count; i++)
        count += a->values[i] != b->values[i];
    return count;
}

/* Each valid configuration has one index, which finds it; no other has any. */
static void check_against_brute_force(const fixture *f)
{
    int digits[AT__MAX_PARAMS] = { 0 };
    int64_t valid = 0, count = at__space_count(f->space);
    char *seen = calloc((size_t)count + 1, 1);
    do {
        at__config config = { { 0 } }, back;
        for (int i = 0; i < f->t->param_count; i++)
            config.values[i] = f->t->params[i].values[digits[i]];
        int64_t index = at__space_find(f->space, &config);
        if (!is_valid(f, &config)) {
            cr_assert_eq(index, -1);
            continue;
        }
        valid++;
        cr_assert(index >= 0 && index < count);
        cr_assert_eq(seen[index], 0);
        seen[index] = 1;
        at__space_config(&back, f->space, index);
        cr_assert_eq(differing(f->t, &config, &back), 0);
    } while (next_combination(digits, f->t));
    cr_assert_eq(valid, count, "%lld valid, %lld counted", (long long)valid, (long long)count);
    free(seen);
}

static const char *const SPACES[] = {
    MINI_SPACE(""),
    MINI_SPACE("param A = 1\n"),
    MINI_SPACE("param A = 3 1 2\n"),
    MINI_SPACE("param A = 1..5\nparam B = x y z\nparam C = 0..10:5\n"),
    MINI_SPACE("param A = 1..9\nparam B = 1..9\nparam C = 1..9\nrequire A * B <= 20\nrequire C > A\n"),
    MINI_SPACE("param A = 1..9\nparam B = 1..9\nparam C = 1..9\nparam D = u v\n"
               "let ab = A * B\nlet abc = ab + C\nlet unused = 1 / (A - 1 + 1)\nrequire abc % 7 == "
               "3\nrequire D == D_v || A > 4\n"),
    MINI_SPACE("param Z = 1..4\nparam A = 1..9\nparam B = 1..9\nrequire B % A == 0\nrequire Z * B == 12 || A "
               "== 1\n"),
    MINI_SPACE("param A = 1..6\nparam B = 0..6\nrequire B == 0 || A % B == 0\nrequire A <= rows\n"),
    MINI_SPACE("param A = 1..6\nparam B = 1\nparam C = 1..3\nrequire A * B > C * B\nrequire B > 0\n"),
    MINI_SPACE("param A = 1..6\nparam B = 1..6\nparam C = 1..6\nparam D = 1..6\nrequire A + B == 7\nrequire "
               "C + D == 3\n"),
    MINI_SPACE("param A = 1..6\nparam B = 1..6\nparam C = 1..6\nrequire A + B + C > 0\nrequire A == B\n"),
    MINI_SPACE("param A = 1..20\nparam B = 1..20\nparam C = 1..20\nrequire A * B * C == 360\nrequire A < "
               "B\nrequire is_pow2(C)\n"),
};

Test(space, agrees_with_brute_force)
{
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++) {
        fixture f = open_space(SPACES[i]);
        check_against_brute_force(&f);
        close_space(&f);
    }
}

/* Long walks: what follows is found again by what the requirements still depend on. */
static const char *const LONG_SPACES[] = {
    MINI_SPACE(
        "param A = 1..8\nparam B = 1..8\nparam C = 1..8\nparam D = 1..8\nparam E = 1..8\nparam F = 1..8\n"
        "param G = 1..8\nrequire (3 * A + 5 * B + 7 * C + 9 * D + 11 * E + 13 * F + 15 * G) % 97 == 5\n"),
    MINI_SPACE(
        "param A = 1..8\nparam B = 1..8\nparam C = 1..8\nparam D = 1..8\nparam E = 1..8\nparam F = 1..8\n"
        "param G = 1..8\nlet most = max(A, max(B, C)) * D\nlet sum = (most + E + F * G) % 31\n"
        "require sum == 7 || (A + B + C + D + E + F + G) % 53 == 9\n"
        "require A > 4 ? gcd(B + F, 12) + G != 6 : (C ^ E ^ G) % 5 != 2\n"),
    MINI_SPACE(
        "param G = 1..8\nparam F = 1..8\nparam E = 1..8\nparam D = 1..8\nparam C = 1..8\nparam B = 1..8\n"
        "param A = 1..8\nrequire (A * B % 7 + C * D % 7 + E * F % 7) % 11 == G\n"
        "require G == A || (A + B + C + D + E + F) % 3 == 0 && F % E != 1\n"),
};

Test(space, agrees_with_brute_force_after_a_long_walk)
{
    for (size_t i = 0; i < sizeof LONG_SPACES / sizeof *LONG_SPACES; i++) {
        fixture f = open_space(LONG_SPACES[i]);
        cr_assert_gt(at__space_count(f.space), 1000);
        check_against_brute_force(&f);
        close_space(&f);
    }
}

/* Adds nine parameters of ten values: A1 to A9. */
static void add_tens(char *text, char letter)
{
    for (int i = 1; i <= 9; i++)
        sprintf(text + strlen(text), "param %c%d = 1..10\n", letter, i);
}

/* 10^18 combinations, of which only the last parameter decides; by walking alone it would take for ever. */
Test(space, what_only_the_last_parameter_decides, .timeout = 60)
{
    static const char SUM[] =
        "let sum = 3 * A1 + 5 * A2 + 7 * A3 + 9 * A4 + 11 * A5 + 13 * A6 + 15 * A7 + 17 * A8 + "
        "19 * A9 + 21 * B1 + 23 * B2 + 25 * B3 + 27 * B4 + 29 * B5 + 31 * B6 + 33 * B7 + "
        "35 * B8 + 37 * B9\n";
    char text[4000], params[1000] = "";
    add_tens(params, 'A');
    add_tens(params, 'B');
    snprintf(text, sizeof text, MINI_SPACE("%s%s%s"), params, SUM,
             "require sum % 1009 == 5 && sum % 503 == 7\nrequire sum % 2 == 0 || sum % 3 == 1\n");
    fixture f = open_space(text);
    cr_assert_eq(at__space_count(f.space), 0);
    cr_assert_not_null(strstr(at__space_refusal(f.space), "sum"));
    close_space(&f);
}

static int ticks;

static void count_tick(void *context)
{
    (void)context;
    ticks++;
}

/* Each of these sums is another: nothing is found again, and whoever waits may lose patience. */
Test(space, a_walk_ends_when_it_is_told_to, .timeout = 60)
{
    fixture f = { 0 };
    at_error err = { 0 };
    atomic_int flag = 1;
    at__stop stop = { .flag = &flag, .tick = count_tick };
    char text[4000], params[1000] = "";
    f.op = read_op(MINI_OP);
    add_tens(params, 'A');
    snprintf(text, sizeof text,
             MINI_SPACE("%srequire (A1 + 10 * A2 + 100 * A3 + 1000 * A4 + 10000 * A5 + 100000 * A6 + "
                        "1000000 * A7 + 10000000 * A8 + 100000000 * A9) %% 1000000007 == 5\n"),
             params);
    f.t = read_template(f.op, text);
    bind_problem(f.slots, f.op, 64, 64);
    cr_assert_eq(at__space_open_until(&f.space, f.t, f.slots, NULL, 0, &stop, &err), AT_ERR_STOPPED);
    cr_assert_not_null(strstr(err.text, "interrupted while the configurations of template"), "%s", err.text);
    cr_assert_null(f.space);
    cr_assert_eq(ticks, 1);
    close_space(&f);
}

/* ---- against brute force: spaces that a generator makes ---- */

static int pick(at__rng *rng, int count)
{
    return (int)at__rng_below(rng, (uint64_t)count);
}

/* An operand: a parameter, a let or a small number. */
static void add_operand(at__str *out, at__rng *rng, int params, int lets)
{
    int which = pick(rng, params + lets + 2);
    if (which < params)
        at__str_addf(out, "P%d", which);
    else if (which < params + lets)
        at__str_addf(out, "L%d", which - params);
    else
        at__str_addf(out, "%d", 1 + pick(rng, 6));
}

/* "P0 * P2 + L1", sometimes guarded so that one side is not always evaluated. */
static void add_sum(at__str *out, at__rng *rng, int params, int lets)
{
    static const char *const SIGNS[] = { "+", "*", "-", "%", "/" };
    int terms = 1 + pick(rng, 3);
    for (int i = 0; i < terms; i++) {
        int sign = pick(rng, 5);
        if (i)
            at__str_addf(out, " %s ", SIGNS[sign]);
        if (i && sign >= 3) { /* divisors are not zero: what fails is tested elsewhere */
            at__str_addf(out, "%d", 1 + pick(rng, 4));
            continue;
        }
        add_operand(out, rng, params, lets);
    }
}

static void add_requirement(at__str *out, at__rng *rng, int params, int lets)
{
    static const char *const SIGNS[] = { "<=", ">=", "==", "!=", "<" };
    at__str_add(out, "require ");
    if (pick(rng, 3) == 0) {
        add_operand(out, rng, params, lets);
        at__str_add(out, pick(rng, 2) ? " == 1 || " : " > 2 || ");
    }
    add_sum(out, rng, params, lets);
    at__str_addf(out, " %s ", SIGNS[pick(rng, 5)]);
    add_sum(out, rng, params, lets);
    at__str_add(out, "\n");
}

static void generate(at__str *out, uint64_t seed)
{
    at__rng rng = { seed };
    int params = 2 + pick(&rng, 5), lets = pick(&rng, 3), requirements = 1 + pick(&rng, 5);
    at__str_add(out, "/*!autotune\ntemplate t\n");
    for (int i = 0; i < params; i++)
        at__str_addf(out, "param P%d = %d..%d\n", i, pick(&rng, 3), 3 + pick(&rng, 4));
    for (int i = 0; i < lets; i++) {
        at__str_addf(out, "let L%d = ", i);
        add_sum(out, &rng, params, i);
        at__str_add(out, "\n");
    }
    for (int i = 0; i < requirements; i++)
        add_requirement(out, &rng, params, lets);
    at__str_add(out, "grid 1\nblock 1\n*/\nvoid mini_t() {}\n");
}

Test(space, agrees_with_brute_force_on_generated_spaces, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        at__str source = { 0 };
        generate(&source, seed);
        fixture f = open_space(at__str_text(&source));
        check_against_brute_force(&f);
        close_space(&f);
        at__str_clear(&source);
    }
}

/* Ten columns of ten bits: keys of two words. */
Test(space, rows_may_need_more_than_one_word)
{
    at__str source = { 0 };
    at__str_add(&source, "/*!autotune\ntemplate t\n");
    for (int i = 0; i < 10; i++)
        at__str_addf(&source, "param P%d = 1..1000\n", i);
    for (int i = 9; i > 0; i--)
        at__str_addf(&source, "require P%d - P%d == %d\n", i, i - 1, i % 2 ? 90 : 100);
    at__str_add(&source, "grid 1\nblock 1\n*/\nvoid mini_t() {}\n");
    fixture f = open_space(at__str_text(&source));
    int64_t count = at__space_count(f.space);
    cr_assert_eq(count, 1000 - 5 * 90 - 4 * 100);
    for (int64_t i = 0; i < count; i++) {
        at__config config;
        at__space_config(&config, f.space, i);
        for (int k = 1; k < 10; k++)
            cr_assert_eq(config.values[k] - config.values[k - 1], k % 2 ? 90 : 100);
        cr_assert_eq(config.values[0], i + 1, "in order");
        cr_assert_eq(at__space_find(f.space, &config), i);
        config.values[9]--;
        cr_assert_eq(at__space_find(f.space, &config), -1);
    }
    close_space(&f);
    at__str_clear(&source);
}

/* B and C make no difference to what follows A, so it is found once; each row must still be its own. */
Test(space, what_is_found_once_and_copied_is_right)
{
    fixture f = open_space(MINI_SPACE("param A = 1..8\nparam B = 1..8\nparam C = 1..8\nparam D = 1..8\n"
                                      "param E = 1..8\nrequire A * B <= 20\nrequire B + C == 9\n"
                                      "require A % D == 0\nrequire D >= E\n"));
    check_against_brute_force(&f);
    close_space(&f);
}

/* 10^12 combinations hang on one requirement that reads all of them: it is broken long before the last. */
Test(space, gives_up_what_is_broken_already, .timeout = 60)
{
    enum { PARAMS = 8, MOST = 200, VALUES = 32 };
    int64_t ways[MOST + 1] = { 0 }, next[MOST + 1], expected = 0;
    ways[1] = 1; /* tuples of so many numbers, by their product */
    for (int i = 0; i < PARAMS; i++) {
        memset(next, 0, sizeof next);
        for (int product = 1; product <= MOST; product++)
            for (int v = 1; v <= VALUES && v * product <= MOST; v++)
                next[v * product] += ways[product];
        memcpy(ways, next, sizeof ways);
    }
    for (int product = 1; product <= MOST; product++)
        expected += ways[product];
    fixture f = open_space(MINI_SPACE("param A = 1..32\nparam B = 1..32\nparam C = 1..32\nparam D = 1..32\n"
                                      "param E = 1..32\nparam F = 1..32\nparam G = 1..32\nparam H = 1..32\n"
                                      "let half = A * B * C * D\nrequire half * E * F * G * H <= 200\n"));
    cr_assert_eq(at__space_count(f.space), expected, "%lld, not %lld", (long long)at__space_count(f.space),
                 (long long)expected);
    close_space(&f);
}

/* What cannot be evaluated must be found behind each combination, not only behind the first. */
Test(space, a_failure_is_not_remembered_as_nothing)
{
    at_error err = { 0 };
    cr_assert_eq(open_error(MINI_SPACE("param A = 0..3\nparam B = 1..4\nparam C = 1..4\n"
                                       "require B <= 3\nrequire 6 / A > 0 || B == 9\nrequire A + C < 9\n"
                                       "require B + C < 8\n"),
                            &err),
                 AT_ERR_INPUT);
    cr_assert(strstr(err.text, "division by zero"), "%s", err.text);
}

Test(space, orders_a_group_as_declared)
{
    /* The walk starts with C and B; rows come out by A first. */
    fixture f = open_space(
        MINI_SPACE("param A = 1..9\nparam B = 1..9\nparam C = 9..30\nrequire C == 9 + B\nrequire A >= B\n"));
    at__config last, config;
    at__space_config(&last, f.space, 0);
    for (int64_t i = 1; i < at__space_count(f.space); i++) {
        at__space_config(&config, f.space, i);
        int p = 0;
        while (config.values[p] == last.values[p])
            p++;
        cr_assert_gt(config.values[p], last.values[p]);
        last = config;
    }
    close_space(&f);
}

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
    int n = row_columns = f->t->param_count;
    int64_t count = at__space_count(f->space);
    int64_t *rows = malloc((size_t)(count * n) * sizeof *rows);
    char text[AT__HASH_TEXT];
    at__sha256 h;

    for (int64_t i = 0; i < count; i++) {
        at__config config;
        at__space_config(&config, f->space, i);
        memcpy(rows + i * n, config.values, (size_t)n * sizeof *rows);
    }
    qsort(rows, (size_t)count, (size_t)n * sizeof *rows, compare_rows);
    at__sha256_init(&h);
    for (int64_t i = 0; i < count * n; i++) {
        char number[24];
        int len = snprintf(number, sizeof number, "%lld%c", (long long)rows[i], i % n == n - 1 ? '\n' : ',');
        at__sha256_add(&h, number, (size_t)len);
    }
    at__sha256_text(&h, text);
    snprintf(out, 17, "%.16s", text);
    free(rows);
}

static void check_published(const char *source, double raw, int64_t valid, const char *hash)
{
    fixture f = open_space(source);
    char text[17];
    cr_assert_eq(at__space_count(f.space), valid, "%lld", (long long)at__space_count(f.space));
    cr_assert_float_eq(at__space_raw_count(f.space), raw, 0.5);
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
    at__config config;
    at__rng rng = { 7 };
    cr_assert_eq(at__space_count(f.space), (int64_t)4096 * 4096 * 4096 * 999);
    for (int i = 0; i < 1000; i++) {
        int64_t index = at__space_sample(f.space, &rng);
        at__space_config(&config, f.space, index);
        cr_assert_eq(at__space_find(f.space, &config), index);
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
    at__config config;
    cr_assert_eq(at__space_count(f.space), INT64_MAX);
    cr_assert_float_eq(at__space_raw_count(f.space) / 1e60, 1, 1e-9);
    at__space_config(&config, f.space, INT64_MAX - 1);
    cr_assert_eq(at__space_find(f.space, &config), INT64_MAX - 1);
    for (int i = 0; i < 20; i++)
        config.values[i] = 1000;
    cr_assert_eq(at__space_find(f.space, &config), -1, "beyond what has an index");
    cr_assert_gt(at__space_neighbours(neighbours, 10, f.space, 0, AT__HAMMING), 10);
    close_space(&f);
}

/* ---- empty spaces, errors, fixes ---- */

static void check_refusal(const char *source, const char *expected)
{
    fixture f = open_space(source);
    cr_assert_eq(at__space_count(f.space), 0);
    cr_assert_str_eq(at__space_refusal(f.space), expected);
    at__config config = { { 0 } };
    cr_assert_eq(at__space_find(f.space, &config), -1);
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
    cr_assert_null(at__space_refusal(f.space));
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
    cr_assert_eq(at__space_count(f.space), 4);
    close_space(&f);
    f = open_space(
        MINI_SPACE("param A = 0 1 2\nparam B = 1..30\nlet q = B / A\nrequire q > 1\nrequire A * B > 50\n"));
    cr_assert_eq(at__space_count(f.space), 5);
    close_space(&f);
    check_refusal(MINI_SPACE("require 1 / (rows - 64)\nrequire rows > 64\n"), "rows > 64");
}

Test(space, reads_fixes)
{
    at__fix fix;
    at_error err = { 0 };
    cr_assert_eq(at__fix_parse(&fix, "tile_rows.PAD=-1", &err), AT_OK);
    cr_assert_str_eq(fix.template_name, "tile_rows");
    cr_assert_str_eq(fix.param, "PAD");
    cr_assert_str_eq(fix.value, "-1");
    static const char *const BAD[] = { "", "a", "a.b", "a=1", "a.=1", ".b=1", "a.b=", "=a.b" };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        cr_assert_eq(at__fix_parse(&fix, BAD[i], &err), AT_ERR_INPUT, "%s", BAD[i]);
        cr_assert_not_null(strstr(err.text, "expected TEMPLATE.PARAMETER=VALUE"));
    }
    char text[200] = "a.b=";
    memset(text + 4, '1', 100);
    cr_assert_eq(at__fix_parse(&fix, text, &err), AT_ERR_INPUT);
}

#define FIXABLE MINI_SPACE("param A = 1..4\nparam B = 1..4\nparam C = x y\nrequire A * B > 3\n")

Test(space, obeys_fixes)
{
    static const at__fix FIXES[] = { { "t", "A", "2" }, { "other", "A", "9" }, { "t", "C", "y" } };
    fixture f;
    at__config config;
    cr_assert_eq(try_open(&f, FIXABLE, FIXES, 3, NULL), AT_OK);
    cr_assert_eq(at__space_count(f.space), 3);
    cr_assert_float_eq(at__space_raw_count(f.space), 4, 1e-9);
    for (int64_t i = 0; i < 3; i++) {
        at__space_config(&config, f.space, i);
        cr_assert_eq(config.values[0], 2);
        cr_assert_eq(config.values[2], 1);
        cr_assert_eq(at__space_find(f.space, &config), i);
        config.values[0] = 3;
        cr_assert_eq(at__space_find(f.space, &config), -1);
    }
    close_space(&f);
}

Test(space, refuses_bad_fixes)
{
    static const struct {
        at__fix fixes[2];
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
    at__rng rng = { 42 };
    cr_assert_eq(at__space_count(f.space), 20);
    for (int i = 0; i < 20000; i++)
        hits[at__space_sample(f.space, &rng)]++;
    for (int i = 0; i < 20; i++)
        cr_assert(hits[i] > 850 && hits[i] < 1150, "%d", hits[i]);
    close_space(&f);
}

static bool are_adjacent(const at__template *t, const at__config *a, const at__config *b)
{
    for (int i = 0; i < t->param_count; i++) {
        int x = 0, y = 0;
        while (t->params[i].values[x] != a->values[i])
            x++;
        while (t->params[i].values[y] != b->values[i])
            y++;
        if (abs(x - y) > 1)
            return false;
    }
    return differing(t, a, b) == 1;
}

/* Do they differ in one parameter, with no configuration between them that differs in it alone? */
static bool are_nearest(const fixture *f, int64_t a, int64_t b)
{
    at__places x, y;
    at__space_places(&x, f->space, a);
    at__space_places(&y, f->space, b);
    int differing = 0, param = 0;
    for (int i = 0; i < f->t->param_count; i++)
        if (x.of[i] != y.of[i]) {
            differing++;
            param = i;
        }
    int from = x.of[param], to = y.of[param], step = from < to ? 1 : -1;
    for (int place = from + step; differing == 1 && place != to; place += step) {
        x.of[param] = (uint16_t)place;
        if (at__space_find_places(f->space, &x) >= 0)
            return false;
    }
    return differing == 1;
}

static void check_neighbours(const fixture *f, int64_t index, at__neighbourhood kind)
{
    int64_t found[512], expected = 0, n = at__space_neighbours(found, 512, f->space, index, kind);
    at__config here, other;
    at__space_config(&here, f->space, index);
    for (int64_t i = 0; i < at__space_count(f->space); i++) {
        at__space_config(&other, f->space, i);
        bool near = kind == AT__HAMMING    ? differing(f->t, &here, &other) == 1
                    : kind == AT__ADJACENT ? are_adjacent(f->t, &here, &other)
                                           : are_nearest(f, index, i);
        bool listed = false;
        for (int64_t k = 0; k < n; k++)
            listed |= found[k] == i;
        cr_assert_eq(listed, near);
        expected += near;
    }
    cr_assert_eq(n, expected);
    cr_assert_eq(at__space_neighbours(NULL, 0, f->space, index, kind), n);
}

Test(space, finds_neighbours)
{
    fixture f = open_space(
        MINI_SPACE("param A = 4 1 3 2 5\nparam B = 1..5\nparam C = x y z\nparam D = 7\nparam E = 1..3\n"
                   "require A < B\nrequire C == C_x || E > 1\n"));
    for (int64_t i = 0; i < at__space_count(f.space); i++) {
        check_neighbours(&f, i, AT__HAMMING);
        check_neighbours(&f, i, AT__ADJACENT);
        check_neighbours(&f, i, AT__NEAREST);
    }
    close_space(&f);
}

Test(space, knows_configurations_by_the_places_of_their_values)
{
    fixture f = open_space(MINI_SPACE("param A = 40 10 30\nparam B = x y\nparam C = 7\nparam D = 1 2\n"
                                      "require B == B_y || A < 20\n"));
    at__places places = { { 2, 1, 0, 0 } };
    at__config config;
    int64_t index = at__space_find_places(f.space, &places);
    cr_assert_geq(index, 0);
    at__space_config(&config, f.space, index);
    cr_assert_eq(config.values[0], 30);
    cr_assert_eq(config.values[1], 1, "y");
    cr_assert_eq(config.values[2], 7);
    for (int64_t i = 0; i < at__space_count(f.space); i++) {
        at__space_places(&places, f.space, i);
        cr_assert_eq(at__space_find_places(f.space, &places), i);
    }
    static const at__places NOT_VALID[] = {
        { { 0, 0, 0, 0 } }, /* the requirement        */
        { { 0, 1, 1, 0 } }, /* C has one value        */
        { { 3, 1, 0, 0 } }, /* A has three            */
    };
    for (size_t i = 0; i < sizeof NOT_VALID / sizeof *NOT_VALID; i++)
        cr_assert_eq(at__space_find_places(f.space, &NOT_VALID[i]), -1);
    close_space(&f);
}

Test(space, tells_which_values_are_allowed)
{
    fixture f;
    const at__fix fix = { "t", "A", "30" };
    int first = -1;
    at_error err = { 0 };
    cr_assert_eq(try_open(&f, MINI_SPACE("param A = 40 10 30\nparam B = 1..4\n"), &fix, 1, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(at__space_allowed(&first, f.space, 0), 1);
    cr_assert_eq(first, 2);
    cr_assert_eq(at__space_allowed(&first, f.space, 1), 4);
    cr_assert_eq(first, 0);
    close_space(&f);
}
