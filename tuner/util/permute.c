/*
 * permute.c - a Feistel network over the smallest even number of bits that holds `count`, walked until the
 * number falls inside, then shifted. Invariant: once() is a bijection, whatever the keys; so a walk that
 * begins inside comes back inside, and no number appears at two places.
 */
#include "util/permute.h"
#include "util/rng.h"

atx_permutation atx_permute(uint64_t count, uint64_t seed)
{
    atx_permutation p = { .count = count, .half_bits = 1 };
    atx_rng rng = { seed };
    while (p.half_bits < 32 && (uint64_t)1 << (2 * p.half_bits) < count)
        p.half_bits++;
    for (int i = 0; i < ATX_PERMUTE_ROUNDS; i++)
        p.keys[i] = atx_rng_next(&rng);
    if (count > 0)
        p.shift = atx_rng_below(&rng, count);
    return p;
}

static uint64_t once(const atx_permutation *p, uint64_t number)
{
    uint64_t mask = ((uint64_t)1 << p->half_bits) - 1;
    uint64_t left = number >> p->half_bits, right = number & mask;
    for (int i = 0; i < ATX_PERMUTE_ROUNDS; i++) {
        atx_rng mix = { p->keys[i] ^ right };
        uint64_t swapped = left ^ (atx_rng_next(&mix) & mask);
        left = right;
        right = swapped;
    }
    return left << p->half_bits | right;
}

uint64_t atx_permute_at(const atx_permutation *p, uint64_t place)
{
    uint64_t number = once(p, place);
    while (number >= p->count) /* ends: place itself lies on this cycle, and inside */
        number = once(p, number);
    return (number + p->shift) % p->count;
}
