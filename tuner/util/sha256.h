/* sha256.h - content hashes (FIPS 180-4), for templates, rendered sources and cached cubins. */
#ifndef AUTOTUNE_UTIL_SHA256_H
#define AUTOTUNE_UTIL_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define AT__HASH_TEXT 65 /* 64 hexadecimal digits and the final zero */

typedef struct at__sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} at__sha256;

void at__sha256_init(at__sha256 *h);
void at__sha256_add(at__sha256 *h, const void *data, size_t count);
void at__sha256_text(at__sha256 *h, char out[AT__HASH_TEXT]); /* ends the hash */

/* All in one. */
void at__hash_text(char out[AT__HASH_TEXT], const void *data, size_t count);

#endif
