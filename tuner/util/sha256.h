/* sha256.h - content hashes (FIPS 180-4), for templates, rendered sources and cached cubins. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ATX_HASH_TEXT 65 /* 64 hexadecimal digits and the final zero */

typedef struct atx_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} atx_sha256;

void atx_sha256_init(atx_sha256 *h);
void atx_sha256_add(atx_sha256 *h, const void *data, size_t count);
void atx_sha256_text(atx_sha256 *h, char out[ATX_HASH_TEXT]); /* ends the hash */

/* All in one. */
void atx_hash_text(char out[ATX_HASH_TEXT], const void *data, size_t count);
