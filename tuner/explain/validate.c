/* validate.c - see validate.h; atx_wrong_by of declare/data.h decides for each number. */
#include "explain/validate.h"

#include "declare/placed.h"
#include "device/columns.h"
#include "device/mismatch.h"

#include <inttypes.h>
#include <stdio.h>

/* A number: of which column, and which of them. */
typedef struct one_number {
    int column;
    uint64_t i;
} one_number;

/* Its element, which is named, with both values. Returns the element. */
static uint64_t place_of(atx_flaw *f, const atx_buffer *b, one_number n)
{
    const uint64_t element =
        atx_number_place(n.i, atx_column_at(b, n.column).how) / (atx_u64)b->element_bytes;
    f->has_element = true;
    f->element = (int64_t)element;
    return element;
}

static void add_numbers(atx_flaw *f, const atx_buffer *b, const unsigned char *got,
                        const unsigned char *right, one_number n)
{
    const uint64_t how = atx_column_at(b, n.column).how;
    const int number = atx_how_number(how);
    const uint64_t found = atx_bits_placed(got, n.i, how), expected = atx_bits_placed(right, n.i, how);
    atx_mismatch_number(f->found, sizeof f->found, found, number);
    atx_mismatch_number(f->expected, sizeof f->expected, expected, number);
    atx_mismatch_add(f->what, sizeof f->what, found, expected, number);
}

/* "y", "bodies.x" */
static void buffer_text(char out[2 * ATX_MAX_NAME], const atx_buffer *b, int column)
{
    const char *field = atx_column_at(b, column).name;
    snprintf(out, 2 * ATX_MAX_NAME, "%s%s%s", b->name, field[0] ? "." : "", field);
}

static bool validate_exact(atx_flaw *f, const atx_buffer *b, const unsigned char *got,
                           const unsigned char *right)
{
    int64_t wrong = 0;
    one_number first = { -1, 0 };
    char name[2 * ATX_MAX_NAME];
    for (int k = 0; k < atx_column_count(b); k++) {
        const atx_numbers n = atx_column_at(b, k);
        for (uint64_t i = 0; i < (uint64_t)n.count; i++)
            if (atx_bits_placed(got, i, n.how) != atx_bits_placed(right, i, n.how)) {
                first = first.column < 0 ? (one_number){ k, i } : first;
                wrong++;
            }
    }
    if (wrong == 0)
        return true;
    buffer_text(name, b, first.column);
    snprintf(f->what, sizeof f->what,
             "wrong output '%s': %" PRId64 " of %" PRId64
             " numbers differ from the reference, the first in element %" PRIu64,
             name, wrong, atx_column_numbers(b), place_of(f, b, first));
    add_numbers(f, b, got, right, first);
    return false;
}

/* The result for all numbers. */
typedef struct tally {
    int64_t wrong;
    double worst, off[ATX_SQUARES], all[ATX_SQUARES];
    one_number where;
} tally;

static void look_at(tally *t, const atx_buffer *b, int column, const unsigned char *got,
                    const unsigned char *right)
{
    const atx_numbers n = atx_column_at(b, column);
    const int number = atx_how_number(n.how);
    for (uint64_t i = 0; i < (uint64_t)n.count; i++) {
        const uint64_t r = atx_bits_placed(right, i, n.how);
        const double y = atx_number_value(r, number);
        const double by = atx_wrong_by(atx_bits_placed(got, i, n.how), r, number, b->check.rule,
                                       b->check.relative, b->check.absolute);
        t->wrong += b->check.rule == ATX_NORM ? !atx_is_finite(by) : by > 0;
        atx_squares_add(t->off, atx_is_finite(by) ? by : 0);
        atx_squares_add(t->all, atx_is_finite(y) ? y : 0);
        if (by > t->worst) {
            t->worst = by;
            t->where = (one_number){ column, i };
        }
    }
}

static bool validate_close(atx_flaw *f, const atx_buffer *b, const unsigned char *got,
                           const unsigned char *right)
{
    const bool is_norm = b->check.rule == ATX_NORM;
    tally t = { .worst = -1 };
    char check[80], name[2 * ATX_MAX_NAME];
    for (int k = 0; k < atx_column_count(b); k++)
        look_at(&t, b, k, got, right);
    const double norm = atx_norm_of(t.off, t.all);
    if (t.wrong == 0 && !(is_norm && !(norm <= b->check.relative)))
        return true;
    atx_check_text(check, sizeof check, &b->check);
    buffer_text(name, b, t.where.column);
    const uint64_t element = place_of(f, b, t.where);
    if (is_norm && t.wrong == 0)
        snprintf(f->what, sizeof f->what,
                 "wrong output '%s': off by %.3g of its norm, not %s; the worst is element %" PRIu64, name,
                 norm, check, element);
    else
        snprintf(f->what, sizeof f->what,
                 "wrong output '%s': %" PRId64 " of %" PRId64
                 " numbers are not %s; the worst is element %" PRIu64,
                 name, t.wrong, atx_column_numbers(b), check, element);
    add_numbers(f, b, got, right, t.where);
    return false;
}

bool atx_validate(atx_flaw *f, const atx_buffer *b, const unsigned char *got, const unsigned char *right,
                  const uint64_t said[2])
{
    snprintf(f->buffer, sizeof f->buffer, "%s", b->name);
    if (b->check.rule == ATX_EXACT)
        return validate_exact(f, b, got, right);
    if (b->check.rule != ATX_BY)
        return validate_close(f, b, got, right);
    if (said[0] == 0)
        return true;
    f->has_element = said[1] != UINT64_MAX;
    f->element = (int64_t)said[1];
    const int n = snprintf(f->what, sizeof f->what, "wrong output '%s': by %s %" PRIu64 " elements are wrong",
                           b->name, b->check.by, said[0]);
    if (f->has_element && n > 0 && (size_t)n < sizeof f->what)
        snprintf(f->what + n, sizeof f->what - (size_t)n, ", the first is element %" PRIu64, said[1]);
    return false;
}
