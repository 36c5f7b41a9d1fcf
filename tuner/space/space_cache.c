/*
 * space_cache.c - a hash table with open addressing, half full at most, which never grows or
 * forgets: blocks stay where they are. After TRIAL look-ups it must have answered some share of
 * them, or it is given up for good: then keys cost more than they find.
 */
#include "space/space_cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 1 << 17,
    MAX_ENTRIES = PLACES / 2,
    TRIAL = 4096, /* look-ups after which it must have been of use ... */
    WORTH = 8     /* ... once in so many                               */
};

struct cache_entry {
    atx_block block;
    uint64_t hash;
    int len; /* of the key; 0: a free place */
    int64_t key;
};

/* After FNV-1a, on whole words, with the high bits mixed down. */
static uint64_t hash_key(const int64_t *key, int len)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < len; i++) {
        hash = (hash ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool open_cache(atx_space_cache *c)
{
    c->entries = calloc(PLACES, sizeof *c->entries);
    c->keys = malloc((size_t)MAX_ENTRIES * ATX_SPACE_CACHE_WORDS * sizeof *c->keys);
    if (c->entries && c->keys)
        return true;
    atx_space_cache_close(c);
    c->useless = true;
    return false;
}

/* The key's place, or the free one where it belongs. */
static struct cache_entry *find_place(const atx_space_cache *c, const int64_t *key, int len, uint64_t hash)
{
    for (uint64_t at = hash;; at++) {
        struct cache_entry *e = &c->entries[at % PLACES];
        if (!e->len || (e->hash == hash && e->len == len &&
                        memcmp(c->keys + e->key, key, (size_t)len * sizeof *key) == 0))
            return e;
    }
}

atx_block *atx_space_cache_find(atx_space_cache *c, const int64_t *key, int len)
{
    if (c->useless || (!c->entries && !open_cache(c)))
        return NULL;
    if (c->lookups >= TRIAL && c->hits < c->lookups / WORTH) {
        atx_space_cache_close(c);
        c->useless = true;
        return NULL;
    }
    uint64_t hash = hash_key(key, len);
    struct cache_entry *e = find_place(c, key, len, hash);
    c->lookups++;
    c->hits += e->len > 0;
    if (e->len)
        return &e->block;
    if (c->count == MAX_ENTRIES)
        return NULL;
    *e = (struct cache_entry){
        .block.count = -1, .hash = hash, .len = len, .key = c->count * ATX_SPACE_CACHE_WORDS
    };
    memcpy(c->keys + e->key, key, (size_t)len * sizeof *key);
    c->count++;
    return &e->block;
}

void atx_space_cache_close(atx_space_cache *c)
{
    free(c->entries);
    free(c->keys);
    *c = (atx_space_cache){ 0 };
}
