/* dtype.h - the element types a user can name. */
#ifndef AUTOTUNE_DTYPE_H
#define AUTOTUNE_DTYPE_H

#include <autotune/status.h>
#include <stddef.h>

typedef enum at__dtype {
    AT__U8,
    AT__I8,
    AT__F16,
    AT__BF16,
    AT__U16,
    AT__I16,
    AT__F32,
    AT__I32,
    AT__U32,
    AT__F64,
    AT__I64,
    AT__U64,
    AT__C64,
    AT__C128,
    AT__DTYPES
} at__dtype;

const char *at__dtype_name(at__dtype type); /* "f32"; never NULL */
int at__dtype_bytes(at__dtype type);        /* 1, 2, 4, 8 or 16 */

/*
 * What the numbers of an element are, for declare/data.h: class * 16 + bytes. A complex element is two
 * numbers, and so is one of 16 opaque bytes. Opaque ones are unsigned.
 */
int at__dtype_number(at__dtype type, int storage);

/*
 * The type as CUDA source. An op that only moves bits ("storage") gets an unsigned type of the same size
 * (unsigned char ... unsigned long long, uint4); any other gets the real one ("float", "__half", "int", ...).
 */
const char *at__dtype_cuda(at__dtype type, int storage);

/*
 * The type half of a problem's key in the store: for a storage op types of one size share one result ("b4"),
 * otherwise it is the type's own name.
 */
const char *at__dtype_key(at__dtype type, int storage);

/* A type of that key: the first of those that share it. Of what is no key the last of all. */
at__dtype at__dtype_of_key(const char *key, int storage);

/* "f32", also "float32", "float", "half", "double" ... in any case. AT_ERR_INPUT lists the valid words. */
at_status at__dtype_parse(at__dtype *out, const char *text, size_t len, at_error *err);

#endif
