/* test_data_rows.c - inputs with an order: sorted numbers, running sums, rows that share a total, and what
 * goes with them. */
#include "declare/data.h"
#include "declare/dtype.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

enum { I64 = ATX_SIGNED * 16 + 8, F64 = ATX_FLOAT * 16 + 8 };

static atx_filling rows_of(uint64_t rows, uint64_t total, double skew, uint64_t seed)
{
    return (atx_filling){
        .rows = rows, .total = total, .variance = atx_bits_of_double(skew * skew), .other = seed
    };
}

static uint64_t offset(const atx_filling *f, uint64_t i)
{
    return atx_generate(i, f->rows + 1, I64, ATX_OFFSETS, f, f->other);
}

/* Deviation of the lengths of rows, in units of their mean; they make up the whole. */
static double skew_of(const atx_filling *f, uint64_t *longest, uint64_t *empty)
{
    const double mean = (double)f->total / (double)f->rows;
    double squares = 0;
    uint64_t last = offset(f, 0);
    cr_assert_eq(last, 0);
    for (uint64_t i = 1; i <= f->rows; i++) {
        const uint64_t next = offset(f, i);
        cr_assert_geq(next, last, "row %d", (int)i);
        squares += ((double)(next - last) - mean) * ((double)(next - last) - mean);
        *longest = next - last > *longest ? next - last : *longest;
        *empty += next == last;
        last = next;
    }
    cr_assert_eq(last, f->total);
    return sqrt(squares / (double)f->rows) / mean;
}

Test(data_rows, rows_share_their_total_with_the_skew_that_was_asked_for)
{
    static const double SKEWS[] = { 0, 0.1, 0.5, 1, 2, 3 };
    static const uint64_t ROWS[] = { 4096, 30011 };
    for (size_t s = 0; s < sizeof SKEWS / sizeof *SKEWS; s++)
        for (size_t r = 0; r < 2; r++) {
            const atx_filling f = rows_of(ROWS[r], 32 * ROWS[r], SKEWS[s], 5 + s);
            uint64_t longest = 0, empty = 0;
            const double found = skew_of(&f, &longest, &empty);
            cr_assert(fabs(found - SKEWS[s]) <= 0.1 * SKEWS[s], "%g: found %g", SKEWS[s], found);
            cr_assert(SKEWS[s] > 0 || longest == 32, "%d", (int)longest);
            cr_assert(SKEWS[s] < 2 || (empty > ROWS[r] / 4 && longest > 10 * 32), "%d, %d", (int)empty,
                      (int)longest);
        }
}

Test(data_rows, all_counts_of_rows_and_totals_go)
{
    static const uint64_t CASES[][2] = { { 1, 0 }, { 1, 7 },    { 2, 1 },         { 3, 1000 },
                                         { 7, 6 }, { 1000, 0 }, { 5, 1ull << 40 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (double skew = 0; skew < 20; skew += 3.5) {
            const atx_filling f = rows_of(CASES[i][0], CASES[i][1], skew, 3);
            uint64_t longest = 0, empty = 0;
            (void)skew_of(&f, &longest, &empty);
        }
    const atx_filling none = rows_of(0, 0, 1, 3);
    cr_assert_eq(offset(&none, 0), 0);
}

Test(data_rows, other_seeds_part_the_total_otherwise)
{
    const atx_filling one = rows_of(1000, 20000, 1, 3), two = rows_of(1000, 20000, 1, 4);
    int same = 0;
    for (uint64_t i = 1; i < 1000; i++)
        same += offset(&one, i) == offset(&two, i);
    cr_assert_lt(same, 100);
    cr_assert_eq(offset(&one, 500), offset(&one, 500));
}

/* Kept: a stored result and an exported self-test were made of these numbers. */
Test(data_rows, the_same_rows_come_in_every_run_and_on_every_machine)
{
    const atx_filling f = rows_of(1000, 20000, 2, 3);
    static const uint64_t AT[] = { 1, 10, 500, 999 }, FOUND[] = { 0, 168, 10746, 19996 };
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(offset(&f, AT[i]), FOUND[i], "%d: %d", (int)AT[i], (int)offset(&f, AT[i]));
}

Test(data_rows, columns_ascend_within_the_row_that_segments_tell)
{
    const uint64_t total = 20000, columns = 900;
    for (double skew = 0; skew < 4; skew++) {
        atx_filling f = rows_of(1000, total, skew, 77);
        f.a = columns;
        uint64_t last_row = 0, last = 0, high = 0;
        for (uint64_t i = 0; i < total; i++) {
            const uint64_t row = atx_generate(i, total, I64, ATX_SEGMENTS, &f, 5);
            const uint64_t column = atx_generate(i, total, I64, ATX_COLUMNS, &f, 5);
            const uint64_t begin = offset(&f, row), end = offset(&f, row + 1);
            cr_assert(begin <= i && i < end, "%d is not in row %d", (int)i, (int)row);
            cr_assert(column < columns);
            cr_assert(i == begin || (row == last_row && (column > last || end - begin > columns)));
            high += column >= columns / 2;
            last_row = row;
            last = column;
        }
        cr_assert(fabs((double)high / (double)total - 0.5) < 0.05);
    }
}

/* Kolmogorov and Smirnov's distance: what is between sorted random numbers is random, too. */
Test(data_rows, sorted_numbers_are_random_ones_in_order)
{
    enum { MANY = 20000 };
    const atx_filling f = { .a = atx_bits_of_double(4), .b = atx_bits_of_double(-1) };
    double last = -1, farthest = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        const double x = atx_double_of(atx_generate(i, MANY, F64, ATX_SORTED_UNIFORM, &f, 9));
        const double off = fabs((x + 1) / 4 - ((double)i + 0.5) / MANY);
        cr_assert(x >= last && x <= 3);
        farthest = off > farthest ? off : farthest;
        last = x;
    }
    cr_assert(farthest * sqrt(MANY) > 0.3 && farthest * sqrt(MANY) < 2, "%g", farthest * sqrt(MANY));
}

Test(data_rows, sorted_integers_keep_to_their_range)
{
    const atx_filling f = { .a = (uint64_t)-5, .b = 11 };
    int64_t last = -5;
    uint64_t seen = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const int64_t x = (int64_t)atx_generate(i, 1000, I64, ATX_SORTED, &f, 9);
        cr_assert(x >= last && x <= 5);
        seen |= 1ull << (x + 5);
        last = x;
    }
    cr_assert_eq(seen, (1ull << 11) - 1);
}

Test(data_rows, running_sums_are_of_lengths_each_as_likely)
{
    enum { MANY = 20001, LOW = 3, HIGH = 12 };
    const atx_filling f = { .a = LOW, .b = HIGH };
    uint64_t last = 0, times[HIGH + 1] = { 0 };
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t x = atx_generate(i, MANY, I64, ATX_PREFIX, &f, 9);
        if (i == 0)
            cr_assert_eq(x, 0);
        else
            cr_assert(x - last >= LOW && x - last <= HIGH, "%d", (int)(x - last));
        times[i ? x - last : 0]++;
        last = x;
    }
    for (int i = LOW; i <= HIGH; i++)
        cr_assert(fabs((double)times[i] / MANY - 0.1) < 0.02, "%d: %d times", i, (int)times[i]);
}

Test(data_rows, lengths_that_are_all_the_same_add_up)
{
    const atx_filling f = { .a = 4, .b = 4 };
    for (uint64_t i = 0; i < 100; i++)
        cr_assert_eq(atx_generate(i, 100, I64, ATX_PREFIX, &f, 9), 4 * i);
}
