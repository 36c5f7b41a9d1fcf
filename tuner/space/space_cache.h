/*
 * space_cache.h - a table of the rows that followed some bound parameters, by the values that the
 * requirements still depend on. Private to space*.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where in a table the rows are that follow some values; `count` below zero: not known yet. */
typedef struct atx_block {
    int64_t first, count;
} atx_block;

/* Of a key, at most. */
#define ATX_SPACE_CACHE_WORDS 24

/* All zero: empty. */
typedef struct atx_space_cache {
    struct cache_entry *entries;
    int64_t *keys;
    int64_t count, lookups, hits;
    bool useless; /* it was given up */
} atx_space_cache;

/*
 * The block of a key (0 < len <= ATX_SPACE_CACHE_WORDS), which is a new one when the key is; stays where it
 * is until the cache is closed. NULL: it is full, or there is no memory, or it finds so little again
 * that it was given up, which ends it.
 */
atx_block *atx_space_cache_find(atx_space_cache *cache, const int64_t *key, int len);

void atx_space_cache_close(atx_space_cache *cache);
