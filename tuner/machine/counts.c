/*
 * counts.c - the addresses of up to 32 lanes are collected in small tables, by sector and by word; the number
 * of different ones counts.
 */
#include "machine/counts.h"

#include <string.h>

enum { BANKS = 32, WORD_BYTES = 4, MOST_SECTORS = 2 * ATX_LANES };

static int bits(uint32_t mask)
{
    return __builtin_popcount(mask);
}

/* ---- global memory ---- */

typedef struct sectors {
    uint64_t number[MOST_SECTORS];
    uint32_t touched[MOST_SECTORS]; /* a bit for each of its bytes */
    int count;
} sectors;

/* Neighbouring lanes mostly want neighbouring bytes: the last sectors are looked at first. */
static void touch(sectors *s, uint64_t number, uint32_t bytes)
{
    int i = s->count - 1;
    while (i >= 0 && s->number[i] != number)
        i--;
    if (i < 0) {
        i = s->count++;
        s->number[i] = number;
        s->touched[i] = 0;
    }
    s->touched[i] |= bytes;
}

/* An address that is not a multiple of the bytes may reach into the next sector. */
static void touch_lane(sectors *s, uint64_t address, int bytes)
{
    const int from = (int)(address % ATX_SECTOR_BYTES);
    const uint64_t mask = ((1ull << bytes) - 1) << from;
    touch(s, address / ATX_SECTOR_BYTES, (uint32_t)mask);
    if (mask >> 32)
        touch(s, address / ATX_SECTOR_BYTES + 1, (uint32_t)(mask >> 32));
}

atx_cost atx_global_cost(const atx_access *a)
{
    sectors s;
    int touched = 0;
    s.count = 0;
    for (uint32_t left = a->active; left; left &= left - 1)
        touch_lane(&s, a->address[__builtin_ctz(left)], a->bytes);
    for (int i = 0; i < s.count; i++)
        touched += bits(s.touched[i]);
    return (atx_cost){ s.count, (touched + ATX_SECTOR_BYTES - 1) / ATX_SECTOR_BYTES };
}

/* ---- shared memory ---- */

/* Different words, by their banks. */
typedef struct words {
    uint64_t number[BANKS][ATX_LANES];
    int count[BANKS];
} words;

static void want(words *w, uint64_t word)
{
    const int bank = (int)(word % BANKS);
    for (int i = 0; i < w->count[bank]; i++)
        if (w->number[bank][i] == word)
            return;
    w->number[bank][w->count[bank]++] = word;
}

atx_cost atx_shared_cost(const atx_access *a)
{
    words w;
    int most = 0, different = 0;
    memset(w.count, 0, sizeof w.count);
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint64_t from = a->address[__builtin_ctz(left)];
        for (uint64_t word = from / WORD_BYTES; word <= (from + (unsigned)a->bytes - 1) / WORD_BYTES; word++)
            want(&w, word);
    }
    for (int bank = 0; bank < BANKS; bank++) {
        different += w.count[bank];
        most = w.count[bank] > most ? w.count[bank] : most;
    }
    return (atx_cost){ most, (different + BANKS - 1) / BANKS };
}

/* Rows of 16 bytes, eight to a matrix; a matrix is a turn at best. */
atx_cost atx_matrix_cost(const atx_access *all)
{
    atx_cost sum = { 0, 0 };
    for (int m = 0; m < 4; m++) {
        atx_access one = *all;
        one.active &= 0xffu << 8 * m;
        const atx_cost c = atx_shared_cost(&one);
        sum.is += c.is;
        sum.least += c.least;
    }
    return sum;
}
