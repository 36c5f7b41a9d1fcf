/*
 * index_set.h - a set of numbers from 0 on: a hash table with linear probing, at most half full.
 *
 * Zero it before use; clear it after.
 */
#ifndef AUTOTUNE_UTIL_INDEX_SET_H
#define AUTOTUNE_UTIL_INDEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct at__index_set {
    int64_t *at; /* -1: free */
    size_t room, count;
} at__index_set;

void at__index_set_clear(at__index_set *set);
bool at__index_set_has(const at__index_set *set, int64_t index);

/* The number must not be there. False: out of memory, and the set is as it was. */
bool at__index_set_add(at__index_set *set, int64_t index);

/* The number must be there. */
void at__index_set_remove(at__index_set *set, int64_t index);

#endif
