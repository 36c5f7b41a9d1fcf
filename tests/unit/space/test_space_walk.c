/* test_space_walk.c - which configurations a space has, against brute force; walks that take long. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "space_support.h"

/* ---- against brute force ---- */

static bool is_valid(const fixture *f, const atx_config *config)
{
    int64_t slots[ATX_MAX_SLOTS], value;
    memcpy(slots, f->slots, sizeof slots);
    cr_assert_eq(atx_config_bind(slots, f->t, config, NULL), AT_OK);
    for (size_t i = 0; i < f->t->scope.require_count; i++) {
        cr_assert_eq(atx_expr_eval(&value, f->t->scope.requires[i].expr, slots, NULL), AT_OK);
        if (!value)
            return false;
    }
    return true;
}

/* Counts like an odometer through all combinations of declared values. */
static bool next_combination(int *digits, const atx_template *t)
{
    for (int i = t->scope.param_count - 1; i >= 0; i--) {
        if (++digits[i] < t->scope.params[i].count)
            return true;
        digits[i] = 0;
    }
    return false;
}

/* Each valid configuration has one index, which finds it; no other has any. */
static void check_against_brute_force(const fixture *f)
{
    int digits[ATX_MAX_PARAMS] = { 0 };
    int64_t valid = 0, count = atx_space_count(f->space);
    char *seen = calloc((size_t)count + 1, 1);
    do {
        atx_config config = { { 0 } }, back;
        for (int i = 0; i < f->t->scope.param_count; i++)
            config.values[i] = f->t->scope.params[i].values[digits[i]];
        int64_t index = atx_space_find(f->space, &config);
        if (!is_valid(f, &config)) {
            cr_assert_eq(index, -1);
            continue;
        }
        valid++;
        cr_assert(index >= 0 && index < count);
        cr_assert_eq(seen[index], 0);
        seen[index] = 1;
        atx_space_config(&back, f->space, index);
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

Test(space_walk, agrees_with_brute_force)
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

Test(space_walk, agrees_with_brute_force_after_a_long_walk)
{
    for (size_t i = 0; i < sizeof LONG_SPACES / sizeof *LONG_SPACES; i++) {
        fixture f = open_space(LONG_SPACES[i]);
        cr_assert_gt(atx_space_count(f.space), 1000);
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
Test(space_walk, what_only_the_last_parameter_decides)
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
    cr_assert_eq(atx_space_count(f.space), 0);
    cr_assert_not_null(strstr(atx_space_refusal(f.space), "sum"));
    close_space(&f);
}

static int ticks;

static void count_tick(void *context)
{
    (void)context;
    ticks++;
}

/* Each of these sums is another: nothing is found again, and a user may interrupt. */
Test(space_walk, a_walk_ends_when_it_is_told_to)
{
    fixture f = { 0 };
    at_error err = { 0 };
    atomic_int flag = 1;
    atx_cancel cancel = { .flag = &flag, .tick = count_tick };
    char text[4000], params[1000] = "";
    f.op = read_op(MINI_OP);
    add_tens(params, 'A');
    snprintf(text, sizeof text,
             MINI_SPACE("%srequire (A1 + 10 * A2 + 100 * A3 + 1000 * A4 + 10000 * A5 + 100000 * A6 + "
                        "1000000 * A7 + 10000000 * A8 + 100000000 * A9) %% 1000000007 == 5\n"),
             params);
    f.t = read_template(f.op, text);
    bind_problem(f.slots, f.op, 64, 64);
    cr_assert_eq(atx_space_open_until(&f.space, f.t, f.slots, NULL, 0, &cancel, &err), AT_ERR_CANCELLED);
    cr_assert_not_null(strstr(err.text, "interrupted while the configurations of template"), "%s", err.text);
    cr_assert_null(f.space);
    cr_assert_eq(ticks, 1);
    close_space(&f);
}

/* ---- against brute force: spaces that a generator makes ---- */

static int pick(atx_rng *rng, int count)
{
    return (int)atx_rng_below(rng, (uint64_t)count);
}

/* An operand: a parameter, a let or a small number. */
static void add_operand(atx_str *out, atx_rng *rng, int params, int lets)
{
    int which = pick(rng, params + lets + 2);
    if (which < params)
        atx_str_addf(out, "P%d", which);
    else if (which < params + lets)
        atx_str_addf(out, "L%d", which - params);
    else
        atx_str_addf(out, "%d", 1 + pick(rng, 6));
}

/* "P0 * P2 + L1", sometimes guarded so that one side is not always evaluated. */
static void add_sum(atx_str *out, atx_rng *rng, int params, int lets)
{
    static const char *const SIGNS[] = { "+", "*", "-", "%", "/" };
    int terms = 1 + pick(rng, 3);
    for (int i = 0; i < terms; i++) {
        int sign = pick(rng, 5);
        if (i)
            atx_str_addf(out, " %s ", SIGNS[sign]);
        if (i && sign >= 3) { /* divisors are not zero: what fails is tested elsewhere */
            atx_str_addf(out, "%d", 1 + pick(rng, 4));
            continue;
        }
        add_operand(out, rng, params, lets);
    }
}

static void add_requirement(atx_str *out, atx_rng *rng, int params, int lets)
{
    static const char *const SIGNS[] = { "<=", ">=", "==", "!=", "<" };
    atx_str_add(out, "require ");
    if (pick(rng, 3) == 0) {
        add_operand(out, rng, params, lets);
        atx_str_add(out, pick(rng, 2) ? " == 1 || " : " > 2 || ");
    }
    add_sum(out, rng, params, lets);
    atx_str_addf(out, " %s ", SIGNS[pick(rng, 5)]);
    add_sum(out, rng, params, lets);
    atx_str_add(out, "\n");
}

static void generate(atx_str *out, uint64_t seed)
{
    atx_rng rng = { seed };
    int params = 2 + pick(&rng, 5), lets = pick(&rng, 3), requirements = 1 + pick(&rng, 5);
    atx_str_add(out, "/*!autotune\ntemplate t\n");
    for (int i = 0; i < params; i++)
        atx_str_addf(out, "param P%d = %d..%d\n", i, pick(&rng, 3), 3 + pick(&rng, 4));
    for (int i = 0; i < lets; i++) {
        atx_str_addf(out, "let L%d = ", i);
        add_sum(out, &rng, params, i);
        atx_str_add(out, "\n");
    }
    for (int i = 0; i < requirements; i++)
        add_requirement(out, &rng, params, lets);
    atx_str_add(out, "grid 1\nblock 1\n*/\nvoid mini_t() {}\n");
}

Test(space_walk, agrees_with_brute_force_on_generated_spaces)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        atx_str source = { 0 };
        generate(&source, seed);
        fixture f = open_space(atx_str_text(&source));
        check_against_brute_force(&f);
        close_space(&f);
        atx_str_clear(&source);
    }
}

/* Ten columns of ten bits: keys of two words. */
Test(space_walk, rows_may_need_more_than_one_word)
{
    atx_str source = { 0 };
    atx_str_add(&source, "/*!autotune\ntemplate t\n");
    for (int i = 0; i < 10; i++)
        atx_str_addf(&source, "param P%d = 1..1000\n", i);
    for (int i = 9; i > 0; i--)
        atx_str_addf(&source, "require P%d - P%d == %d\n", i, i - 1, i % 2 ? 90 : 100);
    atx_str_add(&source, "grid 1\nblock 1\n*/\nvoid mini_t() {}\n");
    fixture f = open_space(atx_str_text(&source));
    int64_t count = atx_space_count(f.space);
    cr_assert_eq(count, 1000 - 5 * 90 - 4 * 100);
    for (int64_t i = 0; i < count; i++) {
        atx_config config;
        atx_space_config(&config, f.space, i);
        for (int k = 1; k < 10; k++)
            cr_assert_eq(config.values[k] - config.values[k - 1], k % 2 ? 90 : 100);
        cr_assert_eq(config.values[0], i + 1, "in order");
        cr_assert_eq(atx_space_find(f.space, &config), i);
        config.values[9]--;
        cr_assert_eq(atx_space_find(f.space, &config), -1);
    }
    close_space(&f);
    atx_str_clear(&source);
}

/* B and C make no difference to what follows A, so it is found once; each row must still be its own. */
Test(space_walk, what_is_found_once_and_copied_is_right)
{
    fixture f = open_space(MINI_SPACE("param A = 1..8\nparam B = 1..8\nparam C = 1..8\nparam D = 1..8\n"
                                      "param E = 1..8\nrequire A * B <= 20\nrequire B + C == 9\n"
                                      "require A % D == 0\nrequire D >= E\n"));
    check_against_brute_force(&f);
    close_space(&f);
}

/* 10^12 combinations hang on one requirement that reads all of them: it is broken long before the last. */
Test(space_walk, gives_up_what_is_broken_already)
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
    cr_assert_eq(atx_space_count(f.space), expected, "%lld, not %lld", (long long)atx_space_count(f.space),
                 (long long)expected);
    close_space(&f);
}

/* What cannot be evaluated must be found behind each combination, not only behind the first. */
Test(space_walk, a_failure_is_not_remembered_as_nothing)
{
    at_error err = { 0 };
    cr_assert_eq(open_error(MINI_SPACE("param A = 0..3\nparam B = 1..4\nparam C = 1..4\n"
                                       "require B <= 3\nrequire 6 / A > 0 || B == 9\nrequire A + C < 9\n"
                                       "require B + C < 8\n"),
                            &err),
                 AT_ERR_INPUT);
    cr_assert(strstr(err.text, "division by zero"), "%s", err.text);
}

Test(space_walk, orders_a_group_as_declared)
{
    /* The walk starts with C and B; rows come out by A first. */
    fixture f = open_space(
        MINI_SPACE("param A = 1..9\nparam B = 1..9\nparam C = 9..30\nrequire C == 9 + B\nrequire A >= B\n"));
    atx_config last, config;
    atx_space_config(&last, f.space, 0);
    for (int64_t i = 1; i < atx_space_count(f.space); i++) {
        atx_space_config(&config, f.space, i);
        int p = 0;
        while (config.values[p] == last.values[p])
            p++;
        cr_assert_gt(config.values[p], last.values[p]);
        last = config;
    }
    close_space(&f);
}
