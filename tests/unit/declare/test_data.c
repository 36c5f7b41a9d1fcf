/* test_data.c - numbers of every type: what inputs hold, the same on every machine, and what is near enough.
 */
#include "declare/data.h"
#include "declare/dtype.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

enum { COUNT = 10000 };

static int number_of(atx_dtype type)
{
    return atx_dtype_number(type, 0);
}

static uint64_t bits_of(double value)
{
    return atx_bits_of_double(value);
}

static double generated(uint64_t i, atx_dtype type, int how, uint64_t a, uint64_t b)
{
    const atx_filling f = { .a = a, .b = b };
    return atx_number_value(atx_generate(i, COUNT, number_of(type), how, &f, 7), number_of(type));
}

/* Moments of a distribution. */
static void expect_moments(atx_dtype type, int how, double a, double b, double mean, double deviation,
                           double least, double most)
{
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        double x = generated(i, type, how, bits_of(a), bits_of(b));
        cr_assert(x >= least && x <= most, "%s: %g", atx_dtype_name(type), x);
        sum += x;
        squares += x * x;
    }
    double found = sum / COUNT, spread = sqrt(squares / COUNT - found * found);
    cr_assert(fabs(found - mean) < 0.05 * deviation, "%s: mean %g", atx_dtype_name(type), found);
    cr_assert(fabs(spread - deviation) < 0.05 * deviation, "%s: deviation %g", atx_dtype_name(type), spread);
}

Test(data, distributions_are_what_they_are_called)
{
    static const atx_dtype TYPES[] = { ATX_F16, ATX_BF16, ATX_F32, ATX_F64, ATX_C64 };
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        expect_moments(TYPES[i], ATX_UNIFORM, 3, -1, 0.5, 3 / sqrt(12), -1, 2);
        expect_moments(TYPES[i], ATX_NORMAL, 2, 10, 10, 2, -2, 22);
    }
}

/* Kept: a stored result and an exported self-test were made of these numbers. */
Test(data, the_same_numbers_come_in_every_run_and_on_every_machine)
{
    cr_assert_eq(atx_random(1, 0), 0x910a2dec89025cc1u);
    const atx_filling f = { .a = bits_of(2), .b = bits_of(-1) };
    cr_assert_eq(atx_generate(3, 10, number_of(ATX_F32), ATX_UNIFORM, &f, 5),
                 atx_bits_of_float((float)(-1 + 2 * atx_unit_of(atx_random(5, 3)))));
    cr_assert_float_eq(atx_random_normal(5, 3, 0), atx_random_normal(5, 3, 0), 0);
    cr_assert_neq(atx_random_normal(5, 3, 0), atx_random_normal(6, 3, 0), "another stream");
    cr_assert_neq(atx_random_normal(5, 3, 0), atx_random_normal(5, 4, 0), "another place");
}

/* Of a lock all numbers are others, and of the same distribution. */
Test(data, a_lock_makes_other_numbers)
{
    static const int HOW[] = { ATX_UNIFORM, ATX_NORMAL, ATX_RANGE };
    for (size_t k = 0; k < 3; k++) {
        atx_filling plain = { .a = bits_of(1), .b = bits_of(0) }, locked = plain;
        int same = 0;
        double sum = 0;
        locked.lock = 99;
        for (uint64_t i = 0; i < 1000; i++) {
            const uint64_t x = atx_generate(i, 1000, number_of(ATX_F64), HOW[k], &locked, 5);
            same += x == atx_generate(i, 1000, number_of(ATX_F64), HOW[k], &plain, 5);
            sum += atx_double_of(x);
        }
        cr_assert_eq(same, 0);
        cr_assert(k != 0 || fabs(sum / 1000 - 0.5) < 0.05, "%g", sum / 1000);
        cr_assert(k != 1 || fabs(sum / 1000) < 0.15, "%g", sum / 1000);
    }
}

Test(data, ranges_reach_both_ends_and_go_no_further)
{
    static const atx_dtype TYPES[] = { ATX_I8, ATX_U8, ATX_I16, ATX_I32, ATX_I64, ATX_F16, ATX_F32 };
    for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
        int64_t low = TYPES[t] == ATX_U8 ? 1 : -3, seen = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            double x = generated(i, TYPES[t], ATX_RANGE, (uint64_t)low, 5);
            cr_assert(x >= (double)low && x <= (double)low + 4 && x == floor(x), "%g", x);
            seen |= 1 << (int)(x - (double)low);
        }
        cr_assert_eq(seen, 31, "%s", atx_dtype_name(TYPES[t]));
    }
}

Test(data, a_permutation_has_each_integer_once)
{
    static const uint64_t COUNTS[] = { 1, 2, 3, 7, 8, 9, 1000, 1024, 4097 };
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
        unsigned char *seen = calloc(COUNTS[c], 1);
        uint64_t moved = 0;
        for (uint64_t i = 0; i < COUNTS[c]; i++) {
            uint64_t to = atx_permuted(i, COUNTS[c], 11);
            cr_assert_lt(to, COUNTS[c]);
            cr_assert_not(seen[to], "%zu: twice", c);
            seen[to] = 1;
            moved += to != i;
        }
        cr_assert(COUNTS[c] < 100 || moved > COUNTS[c] / 2, "%zu: hardly one", c);
        free(seen);
    }
}

/* Of 0 to many - 1, in `count` places. */
static void expect_spread(uint64_t count, uint64_t many)
{
    uint64_t *seen = calloc(many, sizeof *seen), moved = 0;
    const atx_filling f = { .a = many };
    for (uint64_t i = 0; i < count; i++) {
        uint64_t to = atx_generate(i, count, atx_dtype_number(ATX_I64, 0), ATX_SPREAD, &f, 11);
        cr_assert_lt(to, many);
        seen[to]++;
        moved += to != i % many;
    }
    for (uint64_t i = 0; i < many; i++)
        cr_assert(seen[i] == count / many || seen[i] == (count + many - 1) / many, "%d of %d: %d times",
                  (int)i, (int)many, (int)seen[i]);
    cr_assert(many < 100 || count < 100 || moved > count / 2, "hardly one");
    free(seen);
}

Test(data, what_is_spread_has_each_integer_as_often_as_any_other)
{
    static const uint64_t CASES[][2] = { { 1, 1 },       { 8, 3 },    { 3, 8 },
                                         { 1000, 1000 }, { 1000, 7 }, { 100, 50257 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        expect_spread(CASES[i][0], CASES[i][1]);
}

/* Every half is the number nearest to its own value, and to values around it. */
Test(data, halves_are_rounded_to_the_nearest)
{
    static const atx_dtype TYPES[] = { ATX_F16, ATX_BF16 };
    for (size_t t = 0; t < 2; t++)
        for (unsigned bits = 0; bits < 0x10000; bits++) {
            int number = number_of(TYPES[t]);
            double value = atx_number_value(bits, number), next = atx_number_value(bits + 1, number);
            if (atx_is_nan(value))
                continue;
            cr_assert_eq(atx_number_bits(value, number), bits, "%x: %g", bits, value);
            if (!atx_is_finite(next) || !atx_is_finite(value) || bits == 0x7fff)
                continue;
            double middle = value / 2 + next / 2;
            cr_assert_eq(atx_number_bits(middle, number), bits & 1 ? bits + 1 : bits, "%x: a tie", bits);
            cr_assert_eq(atx_number_bits(value * 0.75 + next * 0.25, number), bits, "%x", bits);
        }
    cr_assert_eq(atx_half_bits(65519.0f), 0x7bff);
    cr_assert_eq(atx_half_bits(65520.0f), 0x7c00);
    cr_assert_eq(atx_half_bits(-1e30f), 0xfc00);
    cr_assert(atx_is_nan(atx_half_value(atx_half_bits(NAN))));
    cr_assert(atx_is_nan(atx_number_value(atx_bfloat_bits(NAN), number_of(ATX_BF16))));
}

static double wrong_by(double got, double right, int rule, double a, double b)
{
    int number = number_of(ATX_F64);
    return atx_wrong_by(atx_number_bits(got, number), atx_number_bits(right, number), number, rule, a, b);
}

Test(data, a_tolerance_is_of_the_right_answer)
{
    cr_assert_eq(wrong_by(101, 100, ATX_WITHIN, 0.01, 0), 0);
    cr_assert_gt(wrong_by(100, 101.1, ATX_WITHIN, 0.01, 0), 1);
    cr_assert_float_eq(wrong_by(104, 100, ATX_WITHIN, 0.01, 1), 2, 1e-12);
    cr_assert_eq(wrong_by(0.5, 0, ATX_WITHIN, 0.01, 0), INFINITY, "nothing is near 0 relatively");
    cr_assert_eq(wrong_by(-0.0, 0, ATX_WITHIN, 0, 0), 0);
    cr_assert_gt(wrong_by(-0.0, 0, ATX_EXACT, 0, 0), 0);
}

Test(data, nan_is_right_only_where_it_is_expected)
{
    static const int RULES[] = { ATX_WITHIN, ATX_ULP, ATX_NORM };
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++) {
        cr_assert_eq(wrong_by(NAN, 1, RULES[i], 1e9, 1e9), INFINITY);
        cr_assert_eq(wrong_by(1, NAN, RULES[i], 1e9, 1e9), INFINITY);
        cr_assert_eq(wrong_by(NAN, -NAN, RULES[i], 0, 0), 0);
        cr_assert_eq(wrong_by(INFINITY, 1e308, RULES[i], 1e9, 1e9), INFINITY);
        cr_assert_eq(wrong_by(INFINITY, -INFINITY, RULES[i], 1e9, 1e9), INFINITY);
        cr_assert_eq(wrong_by(INFINITY, INFINITY, RULES[i], 0, 0), 0);
    }
}

Test(data, ulps_count_numbers_between)
{
    int f32 = number_of(ATX_F32), i8 = number_of(ATX_I8), u64 = number_of(ATX_U64);
    cr_assert_eq(atx_wrong_by(0x3f800002, 0x3f800000, f32, ATX_ULP, 2, 0), 0);
    cr_assert_eq(atx_wrong_by(0x3f800003, 0x3f800000, f32, ATX_ULP, 2, 0), 3);
    cr_assert_eq(atx_wrong_by(0x80000001, 0x00000001, f32, ATX_ULP, 1, 0), 2, "across zero");
    cr_assert_eq(atx_wrong_by(0xff, 0x01, i8, ATX_ULP, 1, 0), 2, "-1 and 1");
    cr_assert_eq(atx_wrong_by(UINT64_MAX, UINT64_MAX - 3, u64, ATX_ULP, 1, 0), 3);
}

/* Whatever the tolerance, an output that is not written is wrong. */
Test(data, what_outputs_begin_with_is_near_nothing)
{
    for (int type = 0; type < ATX_DTYPES; type++) {
        int number = number_of((atx_dtype)type);
        uint64_t mask = atx_number_mask(number);
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t right = atx_random(3, i) & mask, far = atx_far_from(right, number) & mask;
            double allowed = atx_number_class(number) <= ATX_SIGNED ? 60 : 1e300;
            cr_assert_gt(atx_wrong_by(far, right, number, ATX_WITHIN, 0, allowed), 0, "%s",
                         atx_dtype_name((atx_dtype)type));
        }
    }
}
