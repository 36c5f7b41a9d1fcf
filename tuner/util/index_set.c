/*
 * index_set.c - open addressing with linear probing; room is a power of two, at least half of it free.
 *
 * Invariant: from a number's home to its place no place is free, so a search may stop at the first free one.
 * Removing keeps that by moving later numbers into the hole; there are no tombstones, so a set that is filled
 * and emptied for hours stays as fast. The home is taken from the middle bits of a multiplication by 2^64
 * over the golden ratio, which spreads numbers that follow each other.
 */
#include "util/index_set.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 256 /* a power of two */

static size_t home_of(const atx_index_set *s, int64_t index)
{
    return (size_t)((uint64_t)index * 0x9e3779b97f4a7c15u >> 20) & (s->room - 1);
}

void atx_index_set_clear(atx_index_set *s)
{
    free(s->at);
    *s = (atx_index_set){ 0 };
}

bool atx_index_set_has(const atx_index_set *s, int64_t index)
{
    if (!s->room)
        return false;
    for (size_t i = home_of(s, index);; i = (i + 1) & (s->room - 1)) {
        if (s->at[i] == index)
            return true;
        if (s->at[i] < 0)
            return false;
    }
}

static void put(atx_index_set *s, int64_t index)
{
    size_t i = home_of(s, index);
    while (s->at[i] >= 0)
        i = (i + 1) & (s->room - 1);
    s->at[i] = index;
    s->count++;
}

bool atx_index_set_add(atx_index_set *s, int64_t index)
{
    if (2 * (s->count + 1) > s->room) {
        atx_index_set larger = { .room = s->room ? 2 * s->room : LEAST_ROOM };
        larger.at = malloc(larger.room * sizeof *larger.at);
        if (!larger.at)
            return false;
        memset(larger.at, 0xff, larger.room * sizeof *larger.at);
        for (size_t i = 0; i < s->room; i++)
            if (s->at[i] >= 0)
                put(&larger, s->at[i]);
        free(s->at);
        *s = larger;
    }
    put(s, index);
    return true;
}

/* Those behind it, up to the next free place, move up as far as their homes allow: no gap parts them. */
void atx_index_set_remove(atx_index_set *s, int64_t index)
{
    size_t mask = s->room - 1, hole = home_of(s, index);
    while (s->at[hole] != index)
        hole = (hole + 1) & mask;
    for (size_t i = (hole + 1) & mask; s->at[i] >= 0; i = (i + 1) & mask) {
        size_t from_home = (i - home_of(s, s->at[i])) & mask, from_hole = (i - hole) & mask;
        if (from_home >= from_hole) {
            s->at[hole] = s->at[i];
            hole = i;
        }
    }
    s->at[hole] = -1;
    s->count--;
}
