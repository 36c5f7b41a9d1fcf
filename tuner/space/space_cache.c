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

struct memo_entry {
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

static bool open_memo(atx_space_cache *m)
{
    m->entries = calloc(PLACES, sizeof *m->entries);
    m->keys = malloc((size_t)MAX_ENTRIES * ATX_SPACE_CACHE_WORDS * sizeof *m->keys);
    if (m->entries && m->keys)
        return true;
    atx_space_cache_close(m);
    m->useless = true;
    return false;
}

/* The key's place, or the free one where it belongs. */
static struct memo_entry *find_place(const atx_space_cache *m, const int64_t *key, int len, uint64_t hash)
{
    for (uint64_t at = hash;; at++) {
        struct memo_entry *e = &m->entries[at % PLACES];
        if (!e->len || (e->hash == hash && e->len == len &&
                        memcmp(m->keys + e->key, key, (size_t)len * sizeof *key) == 0))
            return e;
    }
}

atx_block *atx_space_cache_find(atx_space_cache *m, const int64_t *key, int len)
{
    if (m->useless || (!m->entries && !open_memo(m)))
        return NULL;
    if (m->lookups >= TRIAL && m->hits < m->lookups / WORTH) {
        atx_space_cache_close(m);
        m->useless = true;
        return NULL;
    }
    uint64_t hash = hash_key(key, len);
    struct memo_entry *e = find_place(m, key, len, hash);
    m->lookups++;
    m->hits += e->len > 0;
    if (e->len)
        return &e->block;
    if (m->count == MAX_ENTRIES)
        return NULL;
    *e = (struct memo_entry){
        .block.count = -1, .hash = hash, .len = len, .key = m->count * ATX_SPACE_CACHE_WORDS
    };
    memcpy(m->keys + e->key, key, (size_t)len * sizeof *key);
    m->count++;
    return &e->block;
}

void atx_space_cache_close(atx_space_cache *m)
{
    free(m->entries);
    free(m->keys);
    *m = (atx_space_cache){ 0 };
}
