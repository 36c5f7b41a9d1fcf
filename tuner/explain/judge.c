/* judge.c - see judge.h; at__wrong_by of declare/data.h decides for each number. */
#include "explain/judge.h"

#include "declare/data.h"
#include "device/mismatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_numbers(char *out, size_t size, const at__buffer *b, const unsigned char *got,
                        const unsigned char *right, uint64_t i)
{
    const int each = at__number_bytes(b->number);
    at__mismatch_add(out, size, at__bits_at(got, i, each), at__bits_at(right, i, each), b->number);
}

static bool judge_exact(char *out, size_t size, const at__buffer *b, const unsigned char *got,
                        const unsigned char *right)
{
    const int each = at__number_bytes(b->number);
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < b->bytes / each; i++)
        if (memcmp(got + i * each, right + i * each, (size_t)each) != 0) {
            first = first < 0 ? i : first;
            wrong++;
        }
    if (wrong == 0)
        return true;
    snprintf(out, size,
             "wrong output '%s': %" PRId64 " of %" PRId64
             " numbers differ from the reference, the first in element %" PRIu64,
             b->name, wrong, b->bytes / each, at__mismatch_element(b, (uint64_t)first));
    add_numbers(out, size, b, got, right, (uint64_t)first);
    return false;
}

static bool judge_close(char *out, size_t size, const at__buffer *b, const unsigned char *got,
                        const unsigned char *right)
{
    const int each = at__number_bytes(b->number);
    const bool is_norm = b->check.rule == AT__NORM;
    double worst = -1, off[AT__SQUARES] = { 0 }, all[AT__SQUARES] = { 0 };
    int64_t wrong = 0, where = 0;
    char check[80];
    for (int64_t i = 0; i < b->bytes / each; i++) {
        const uint64_t r = at__bits_at(right, (uint64_t)i, each);
        const double y = at__number_value(r, b->number);
        const double by = at__wrong_by(at__bits_at(got, (uint64_t)i, each), r, b->number, b->check.rule,
                                       b->check.relative, b->check.absolute);
        wrong += is_norm ? !at__is_finite(by) : by > 0;
        at__squares_add(off, at__is_finite(by) ? by : 0);
        at__squares_add(all, at__is_finite(y) ? y : 0);
        if (by > worst) {
            worst = by;
            where = i;
        }
    }
    const double norm = at__norm_of(off, all);
    if (wrong == 0 && !(is_norm && !(norm <= b->check.relative)))
        return true;
    at__check_text(check, sizeof check, &b->check);
    if (is_norm && wrong == 0)
        snprintf(out, size,
                 "wrong output '%s': off by %.3g of its norm, not %s; the worst is element %" PRIu64, b->name,
                 norm, check, at__mismatch_element(b, (uint64_t)where));
    else
        snprintf(out, size,
                 "wrong output '%s': %" PRId64 " of %" PRId64
                 " numbers are not %s; the worst is element %" PRIu64,
                 b->name, wrong, b->bytes / each, check, at__mismatch_element(b, (uint64_t)where));
    add_numbers(out, size, b, got, right, (uint64_t)where);
    return false;
}

bool at__judge(char *out, size_t size, const at__buffer *b, const unsigned char *got,
               const unsigned char *right, const uint64_t said[2])
{
    if (b->check.rule == AT__EXACT)
        return judge_exact(out, size, b, got, right);
    if (b->check.rule != AT__BY)
        return judge_close(out, size, b, got, right);
    if (said[0] == 0)
        return true;
    int n = snprintf(out, size, "wrong output '%s': by %s %" PRIu64 " elements are wrong", b->name,
                     b->check.by, said[0]);
    if (said[1] != UINT64_MAX && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", the first is element %" PRIu64, said[1]);
    return false;
}
