/*
 * claims.h - which kernels are being compiled, by builders of several threads that share a cache: each is
 * compiled by one of them, and the others find it in the cache. Thread-safe.
 */
#pragma once

#include "util/sha256.h"
#include <stdbool.h>

typedef struct atx_claims atx_claims;

atx_claims *atx_claims_open(void);         /* NULL: out of memory */
void atx_claims_close(atx_claims *claims); /* NULL is allowed */

/*
 * False: another builder compiles the kernel of this key. True also where `builder` itself does, which must
 * not wait for itself, and without memory: compiling twice is no fault.
 */
bool atx_claims_take(atx_claims *claims, const void *builder, const char key[ATX_HASH_TEXT]);
/* A claim of another builder stays. */
void atx_claims_give_back(atx_claims *claims, const void *builder, const char key[ATX_HASH_TEXT]);
