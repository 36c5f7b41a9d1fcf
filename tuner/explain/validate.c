/* validate.c - see validate.h; atx_wrong_by of declare/data.h decides for each number. */
#include "explain/validate.h"

#include "declare/data.h"
#include "device/mismatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Number i is the one to name. */
static void add_numbers(atx_flaw *f, const atx_buffer *b, const unsigned char *got,
                        const unsigned char *right, uint64_t i)
{
    const int each = atx_number_bytes(b->number);
    const uint64_t found = atx_bits_at(got, i, each), expected = atx_bits_at(right, i, each);
    f->has_element = true;
    f->element = (int64_t)atx_mismatch_element(b, i);
    atx_mismatch_number(f->found, sizeof f->found, found, b->number);
    atx_mismatch_number(f->expected, sizeof f->expected, expected, b->number);
    atx_mismatch_add(f->what, sizeof f->what, found, expected, b->number);
}

static bool validate_exact(atx_flaw *f, const atx_buffer *b, const unsigned char *got,
                           const unsigned char *right)
{
    const int each = atx_number_bytes(b->number);
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < b->bytes / each; i++)
        if (memcmp(got + i * each, right + i * each, (size_t)each) != 0) {
            first = first < 0 ? i : first;
            wrong++;
        }
    if (wrong == 0)
        return true;
    snprintf(f->what, sizeof f->what,
             "wrong output '%s': %" PRId64 " of %" PRId64
             " numbers differ from the reference, the first in element %" PRIu64,
             b->name, wrong, b->bytes / each, atx_mismatch_element(b, (uint64_t)first));
    add_numbers(f, b, got, right, (uint64_t)first);
    return false;
}

static bool validate_close(atx_flaw *f, const atx_buffer *b, const unsigned char *got,
                           const unsigned char *right)
{
    const int each = atx_number_bytes(b->number);
    const bool is_norm = b->check.rule == ATX_NORM;
    double worst = -1, off[ATX_SQUARES] = { 0 }, all[ATX_SQUARES] = { 0 };
    int64_t wrong = 0, where = 0;
    char check[80];
    for (int64_t i = 0; i < b->bytes / each; i++) {
        const uint64_t r = atx_bits_at(right, (uint64_t)i, each);
        const double y = atx_number_value(r, b->number);
        const double by = atx_wrong_by(atx_bits_at(got, (uint64_t)i, each), r, b->number, b->check.rule,
                                       b->check.relative, b->check.absolute);
        wrong += is_norm ? !atx_is_finite(by) : by > 0;
        atx_squares_add(off, atx_is_finite(by) ? by : 0);
        atx_squares_add(all, atx_is_finite(y) ? y : 0);
        if (by > worst) {
            worst = by;
            where = i;
        }
    }
    const double norm = atx_norm_of(off, all);
    if (wrong == 0 && !(is_norm && !(norm <= b->check.relative)))
        return true;
    atx_check_text(check, sizeof check, &b->check);
    if (is_norm && wrong == 0)
        snprintf(f->what, sizeof f->what,
                 "wrong output '%s': off by %.3g of its norm, not %s; the worst is element %" PRIu64, b->name,
                 norm, check, atx_mismatch_element(b, (uint64_t)where));
    else
        snprintf(f->what, sizeof f->what,
                 "wrong output '%s': %" PRId64 " of %" PRId64
                 " numbers are not %s; the worst is element %" PRIu64,
                 b->name, wrong, b->bytes / each, check, atx_mismatch_element(b, (uint64_t)where));
    add_numbers(f, b, got, right, (uint64_t)where);
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
