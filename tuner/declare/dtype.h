/* dtype.h - the element types a user can name. */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum atx_dtype {
    ATX_U8,
    ATX_I8,
    ATX_F16,
    ATX_BF16,
    ATX_U16,
    ATX_I16,
    ATX_F32,
    ATX_I32,
    ATX_U32,
    ATX_F64,
    ATX_I64,
    ATX_U64,
    ATX_C64,
    ATX_C128,
    ATX_BOOLEAN, /* a byte, 0 or 1; no type of storage, whose bytes are any */
    ATX_DTYPES
} atx_dtype;

const char *atx_dtype_name(atx_dtype type);           /* "f32"; never NULL */
int atx_dtype_bytes(atx_dtype type);                  /* 1, 2, 4, 8 or 16 */
bool atx_dtype_is_real(atx_dtype type);               /* of floating point, or complex */
bool atx_dtype_reaches(atx_dtype type, double value); /* of floating point: is its nearest number finite? */

/* The integers of an integer type, as far as an expression has them: of u64 the lower half. */
void atx_dtype_range(int64_t *least, int64_t *most, atx_dtype type);

/*
 * The kind of an element's numbers, for declare/data.h: class * 16 + bytes. A complex element is two
 * numbers, and so is one of 16 opaque bytes. Opaque ones are unsigned.
 */
int atx_dtype_number(atx_dtype type, int storage);

/*
 * The type as CUDA source. An op that only moves bits ("storage") gets an unsigned type of the same size
 * (unsigned char ... unsigned long long, uint4); any other gets the real one ("float", "__half", "int", ...).
 */
const char *atx_dtype_cuda(atx_dtype type, int storage);

/*
 * The type half of a problem's key in the store: for a storage op types of one size share one result ("b4"),
 * otherwise it is the type's own name.
 */
const char *atx_dtype_key(atx_dtype type, int storage);

/* A type of that key: the first of those that share it. For a text that is no key, the last of all. */
atx_dtype atx_dtype_of_key(const char *key, int storage);

/* "f32", also "float32", "float", "half", "double" ... in any case. AT_ERR_INPUT lists the valid words. */
at_status atx_dtype_parse(atx_dtype *out, const char *text, size_t len, at_error *err);
