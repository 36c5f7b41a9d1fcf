/*
 * sha256.c - constants and steps are those of FIPS 180-4, sections 4.1.2, 4.2.2 and 6.2.
 *
 * Invariant: the first bytes % 64 bytes of `block` are what has come since the last whole block; `state` is
 * of the blocks before. README.md says why no library does this.
 */
#include "util/sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
    return (x >> n) | (x << (32 - n));
}

/* A block into the state. The eight words stay in registers: each round renames them instead of moving them.
 */
static void compress(atx_sha256 *h, const unsigned char *p)
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 |
               p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t near = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        uint32_t far = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        w[i] = w[i - 16] + far + w[i - 7] + near;
    }
    uint32_t a = h->state[0], b = h->state[1], c = h->state[2], d = h->state[3];
    uint32_t e = h->state[4], f = h->state[5], g = h->state[6], last = h->state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = last + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        last = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t sums[8] = { a, b, c, d, e, f, g, last };
    for (int i = 0; i < 8; i++)
        h->state[i] += sums[i];
}

void atx_sha256_init(atx_sha256 *h)
{
    *h = (atx_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                  0x1f83d9ab, 0x5be0cd19 } };
}

void atx_sha256_add(atx_sha256 *h, const void *data, size_t count)
{
    const unsigned char *p = data;
    while (count) {
        size_t at = (size_t)(h->bytes % 64), take = 64 - at < count ? 64 - at : count;
        memcpy(h->block + at, p, take);
        h->bytes += take;
        p += take;
        count -= take;
        if (at + take == 64)
            compress(h, h->block);
    }
}

void atx_sha256_text(atx_sha256 *h, char out[ATX_HASH_TEXT])
{
    uint64_t bits = h->bytes * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    atx_sha256_add(h, "\x80", 1);
    while (h->bytes % 64 != 56)
        atx_sha256_add(h, "", 1);
    atx_sha256_add(h, length, 8);
    for (int i = 0; i < 8; i++)
        snprintf(out + 8 * i, 9, "%08x", (unsigned)h->state[i]);
}

void atx_hash_text(char out[ATX_HASH_TEXT], const void *data, size_t count)
{
    atx_sha256 h;
    atx_sha256_init(&h);
    atx_sha256_add(&h, data, count);
    atx_sha256_text(&h, out);
}
