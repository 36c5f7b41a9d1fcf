/* claims.c - see claims.h. There are at most a few for each compile worker: they are looked through. */
#include "compile/claims.h"

#include "util/str.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct claim {
    char key[ATX_HASH_TEXT];
    const void *builder;
} claim;

struct atx_claims {
    pthread_mutex_t lock;
    claim *list;
    size_t count, cap;
};

atx_claims *atx_claims_open(void)
{
    atx_claims *c = calloc(1, sizeof *c);
    if (c)
        pthread_mutex_init(&c->lock, NULL);
    return c;
}

void atx_claims_close(atx_claims *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c->list);
    free(c);
}

/* The number of claims when there is none of this key. */
static size_t find(const atx_claims *c, const char *key)
{
    size_t i = 0;
    while (i < c->count && strcmp(c->list[i].key, key) != 0)
        i++;
    return i;
}

bool atx_claims_take(atx_claims *c, const void *builder, const char key[ATX_HASH_TEXT])
{
    pthread_mutex_lock(&c->lock);
    const size_t at = find(c, key);
    const bool is_new = at == c->count, mine = is_new || c->list[at].builder == builder;
    if (is_new && atx_grow(&c->list, &c->cap, c->count, sizeof *c->list)) {
        c->list[c->count].builder = builder;
        memcpy(c->list[c->count++].key, key, ATX_HASH_TEXT);
    }
    pthread_mutex_unlock(&c->lock);
    return mine;
}

void atx_claims_give_back(atx_claims *c, const void *builder, const char key[ATX_HASH_TEXT])
{
    pthread_mutex_lock(&c->lock);
    const size_t i = find(c, key);
    if (i < c->count && c->list[i].builder == builder)
        c->list[i] = c->list[--c->count];
    pthread_mutex_unlock(&c->lock);
}
