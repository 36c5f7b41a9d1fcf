/*
 * index_set.h - a set of numbers from 0 on: a hash table with linear probing, at most half full.
 *
 * Zero it before use; clear it after.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct atx_index_set {
    int64_t *at; /* -1: free */
    size_t room, count;
} atx_index_set;

void atx_index_set_clear(atx_index_set *set);
bool atx_index_set_has(const atx_index_set *set, int64_t index);

/* The number must not be there. False: out of memory, and the set is as it was. */
bool atx_index_set_add(atx_index_set *set, int64_t index);

/* The number must be there. */
void atx_index_set_remove(atx_index_set *set, int64_t index);
