/*
 * permute.h - the numbers 0 .. count-1 in a pseudo-random order, each exactly once, in no memory.
 *
 * A Feistel network is a bijection on 2k-bit numbers whatever its round function; numbers that fall outside
 * are sent through again until they fall inside ("cycle walking": J. Black and P. Rogaway, Ciphers with
 * Arbitrary Finite Domains, CT-RSA 2002). The domain is less than four times as large as count, so four
 * passes are expected at most. A random shift at the end makes each number equally likely at each place,
 * which few numbers need. Equal seeds give equal orders on every machine.
 */
#ifndef AUTOTUNE_UTIL_PERMUTE_H
#define AUTOTUNE_UTIL_PERMUTE_H

#include <stdint.h>

#define AT__PERMUTE_ROUNDS 6

typedef struct at__permutation {
    uint64_t count, shift;
    int half_bits; /* the domain has 2^(2 half_bits) numbers */
    uint64_t keys[AT__PERMUTE_ROUNDS];
} at__permutation;

/* count may be anything up to INT64_MAX. */
at__permutation at__permute(uint64_t count, uint64_t seed);

/* The place-th number of the order; place < count. */
uint64_t at__permute_at(const at__permutation *p, uint64_t place);

#endif
