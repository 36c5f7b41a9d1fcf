/*
 * space_rows.c - columns fill 64-bit words from the highest bit down, so that comparing words
 * compares rows. A least significant digit radix sort orders them; digits that all rows share are
 * skipped. A search halves the table without a branch to mispredict.
 */
#include "space/space_rows.h"

#include <stdlib.h>
#include <string.h>

/* Digits of the radix sort: 2048 counters stay in the first-level cache. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static int bits_for(int values)
{
    return values > 1 ? 32 - __builtin_clz((unsigned)values - 1) : 1;
}

/* Columns fill words from the highest bit down, then slide to the low end, so that sorting has few digits. */
void atx_rows_init(atx_rows *out, const atx_template *t, const int *params, int count)
{
    *out = (atx_rows){ .column_count = count, .words = 1 };
    for (int i = 0; i < count; i++) {
        int bits = bits_for(t->scope.params[params[i]].count);
        if (out->bits[out->words - 1] + bits > 64)
            out->words++;
        int *used = &out->bits[out->words - 1];
        *used += bits;
        out->columns[i] = (atx_key_column){ .param = params[i],
                                            .word = (uint8_t)(out->words - 1),
                                            .shift = (uint8_t)(64 - *used),
                                            .mask = (uint16_t)((1u << bits) - 1) };
    }
    for (int i = 0; i < count; i++)
        out->columns[i].shift = (uint8_t)(out->columns[i].shift - (64 - out->bits[out->columns[i].word]));
}

void atx_rows_clear(atx_rows *rows)
{
    free(rows->keys);
    *rows = (atx_rows){ .words = 1 };
}

at_status atx_rows_reserve(atx_rows *rows, int64_t more, at_error *err)
{
    size_t need = (size_t)(rows->count + more), cap = rows->cap ? rows->cap : 64;
    if (need <= rows->cap)
        return AT_OK;
    while (cap < need)
        cap *= 2;
    uint64_t *keys = realloc(rows->keys, cap * (size_t)rows->words * sizeof *keys);
    if (!keys)
        return atx_no_memory(err);
    rows->keys = keys;
    rows->cap = cap;
    return AT_OK;
}

/* ---- order ---- */

/* One pass of a radix sort: stable, by the digit at `shift` of a word. false: all rows have the same digit.
 */
static bool sort_digit(uint64_t *to, const uint64_t *from, const atx_rows *rows, int word, int shift,
                       int64_t *starts)
{
    int64_t sum = 0, n = rows->count;
    size_t words = (size_t)rows->words;
    memset(starts, 0, DIGITS * sizeof *starts);
    for (int64_t i = 0; i < n; i++)
        starts[from[(size_t)i * words + (size_t)word] >> shift & (DIGITS - 1)]++;
    if (starts[from[word] >> shift & (DIGITS - 1)] == n)
        return false;
    for (int v = 0; v < DIGITS; v++) {
        int64_t count = starts[v];
        starts[v] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        const uint64_t *key = from + (size_t)i * words;
        uint64_t *place = to + (size_t)starts[key[word] >> shift & (DIGITS - 1)]++ * words;
        for (size_t w = 0; w < words; w++)
            place[w] = key[w];
    }
    return true;
}

at_status atx_rows_sort(atx_rows *rows, at_error *err)
{
    int64_t starts[DIGITS];
    if (rows->count < 2)
        return AT_OK;
    uint64_t *other = malloc((size_t)rows->count * (size_t)rows->words * sizeof *other);
    if (!other)
        return atx_no_memory(err);
    for (int word = rows->words - 1; word >= 0; word--) {
        for (int shift = 0; shift < rows->bits[word]; shift += DIGIT_BITS) {
            if (!sort_digit(other, rows->keys, rows, word, shift, starts))
                continue;
            uint64_t *swap = rows->keys;
            rows->keys = other;
            other = swap;
            rows->cap = (size_t)rows->count;
        }
    }
    free(other);
    return AT_OK;
}

/* ---- finding ---- */

static int compare_keys(const uint64_t *a, const uint64_t *b, int words)
{
    for (int i = 0; i < words; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Halves without branches that the processor would guess wrong half of the time. */
static int64_t search_one_word(const uint64_t *keys, int64_t count, uint64_t key)
{
    const uint64_t *base = keys;
    while (count > 1) {
        int64_t half = count / 2;
        base += base[half - 1] < key ? half : 0;
        count -= half;
    }
    return count == 1 && *base == key ? base - keys : -1;
}

int64_t atx_rows_search(const atx_rows *rows, const uint64_t *key)
{
    int64_t low = 0, high = rows->count;
    if (rows->words == 1)
        return search_one_word(rows->keys, rows->count, *key);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int order = compare_keys(atx_rows_key(rows, middle), key, rows->words);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
