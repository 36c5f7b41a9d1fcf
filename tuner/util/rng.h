/* rng.h - splitmix64: a small repeatable generator. Equal seeds give equal sequences on every machine. */
#pragma once

#include <stdint.h>

typedef struct atx_rng {
    uint64_t state;
} atx_rng;

static inline uint64_t atx_rng_next(atx_rng *rng)
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, bound), without modulo bias; bound > 0. */
static inline uint64_t atx_rng_below(atx_rng *rng, uint64_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t value;
    do {
        value = atx_rng_next(rng);
    } while (value >= limit);
    return value % bound;
}
