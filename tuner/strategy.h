/*
 * strategy.h - how a space is walked. A strategy sees configurations as indices and times, never CUDA.
 *
 * The space of a problem is that of all its templates, one after the other. A new strategy is one new file
 * and one row in strategies.c.
 */
#ifndef AUTOTUNE_STRATEGY_H
#define AUTOTUNE_STRATEGY_H

#include "space.h"

/* What a strategy may look at: the templates' spaces, numbered through. Borrowed. */
typedef struct at__search {
    at__space *const *spaces;
    int space_count;
    int64_t total;      /* sum of their counts */
    int64_t max_trials; /* the user's limit; total when there is none */
    uint64_t seed;
} at__search;

typedef struct at__strategy {
    const char *name, *about;
    at_status (*open)(void **state, const at__search *search, at_error *err);
    /* The next index to try, each at most once; -1: none now. May run ahead of report. */
    int64_t (*propose)(void *state);
    /* What became of it; seconds < 0: it failed. */
    void (*report)(void *state, int64_t index, double seconds);
    void (*close)(void *state);
} at__strategy;

extern const at__strategy at__strategy_exhaustive, at__strategy_random;

/* All of them, ended by NULL; and one by name, NULL when there is none. */
extern const at__strategy *const at__strategies[];
const at__strategy *at__strategy_find(const char *name);

#endif
