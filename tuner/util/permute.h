/*
 * permute.h - the numbers 0 .. count-1 in a pseudo-random order, each exactly once, in no memory.
 *
 * A Feistel network is a bijection on 2k-bit numbers whatever its round function; numbers that fall outside
 * are sent through again until they fall inside ("cycle walking": J. Black and P. Rogaway, Ciphers with
 * Arbitrary Finite Domains, CT-RSA 2002). The domain is less than four times as large as count, so four
 * passes are expected at most. A random shift at the end makes each number equally likely at each place,
 * which few numbers need. Equal seeds give equal orders on every machine.
 */
#pragma once

#include <stdint.h>

#define ATX_PERMUTE_ROUNDS 6

typedef struct atx_permutation {
    uint64_t count, shift;
    int half_bits; /* the domain has 2^(2 half_bits) numbers */
    uint64_t keys[ATX_PERMUTE_ROUNDS];
} atx_permutation;

/* count may be anything up to INT64_MAX. */
atx_permutation atx_permute(uint64_t count, uint64_t seed);

/* The place-th number of the order; place < count. */
uint64_t atx_permute_at(const atx_permutation *p, uint64_t place);
