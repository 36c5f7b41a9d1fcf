/* lookup_index.h - what lookup.c and lookup_near.c share: the winners of a store in memory. */
#ifndef AUTOTUNE_LOOKUP_INDEX_H
#define AUTOTUNE_LOOKUP_INDEX_H

#include "lookup.h"

#define AT__NO_ENTRY ((size_t)-1)

/* A winner. `t` is NULL when its template is not in the catalog, or has another hash there. */
typedef struct at__entry {
    at__answer answer;
    const at__op *op;
    const at__template *t;
    at__config config;
    int64_t dims[AT__MAX_DIMS];
    uint64_t hash;
    size_t next; /* in its bucket */
} at__entry;

/* An answer that took a search, remembered until the store changes. */
typedef struct at__memo {
    uint64_t hash;
    int64_t dims[AT__MAX_DIMS];
    char device[128];
    at__dtype type;
    at__found found;
    char why[320];
} at__memo;

struct at__lookup {
    at__store *store;
    const at__catalog *catalog;
    at__entry *entries;
    size_t count, cap;
    size_t *buckets, bucket_count;
    at__memo *memo; /* a ring of AT__MEMO_COUNT, allocated with the first */
    size_t memo_count;
    int64_t version;
    double checked_s;
    bool out_of_memory;
};
#define AT__MEMO_COUNT 256

/* Is the winner's device one whose name contains `device`, in any case? */
bool at__entry_is_on(const at__entry *entry, const char *device);

/* The answer when there is no exact one. */
at_status at__lookup_near(at__found *out, at__lookup *lookup, const at__problem *problem, uint64_t hash,
                          const char *device, const at__target *target, at_error *err) AT_MUST_CHECK;

#endif
