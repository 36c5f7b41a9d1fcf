/*
 * dtype.c - one row a type: names, bytes, CUDA type. An op that only moves bits sees the type as
 * its storage, the unsigned integer (or vector of them) of the same size: all types of one size
 * share that key, and so kernels and results.
 */
#include "declare/dtype.h"

#include "declare/data.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* The words that name a type, besides its own name. */
#define MAX_ALIASES 5

static const struct {
    const char *name;
    int bytes;
    const char *cuda;
    const char *aliases[MAX_ALIASES];
} TYPES[AT__DTYPES] = {
    [AT__U8] = { "u8", 1, "unsigned char", { "uint8", "uchar", "byte", "uint8_t" } },
    [AT__I8] = { "i8", 1, "signed char", { "int8", "char", "s8", "int8_t" } },
    [AT__F16] = { "f16", 2, "__half", { "float16", "half", "fp16" } },
    [AT__BF16] = { "bf16", 2, "__nv_bfloat16", { "bfloat16" } },
    [AT__U16] = { "u16", 2, "unsigned short", { "uint16", "ushort", "uint16_t" } },
    [AT__I16] = { "i16", 2, "short", { "int16", "short", "s16", "int16_t" } },
    [AT__F32] = { "f32", 4, "float", { "float32", "float", "fp32", "single" } },
    [AT__I32] = { "i32", 4, "int", { "int32", "int", "s32", "int32_t" } },
    [AT__U32] = { "u32", 4, "unsigned int", { "uint32", "uint", "uint32_t" } },
    [AT__F64] = { "f64", 8, "double", { "float64", "double", "fp64" } },
    [AT__I64] = { "i64", 8, "long long", { "int64", "long", "s64", "int64_t" } },
    [AT__U64] = { "u64", 8, "unsigned long long", { "uint64", "ulong", "uint64_t" } },
    [AT__C64] = { "c64", 8, "float2", { "complex64", "cfloat", "cf32" } },
    [AT__C128] = { "c128", 16, "double2", { "complex128", "cdouble", "cf64" } },
};

/* By element size: CUDA type and key of what only moves bits. */
static const struct {
    int bytes;
    const char *cuda, *key;
} STORAGE[] = {
    { 1, "unsigned char", "b1" },      { 2, "unsigned short", "b2" }, { 4, "unsigned int", "b4" },
    { 8, "unsigned long long", "b8" }, { 16, "uint4", "b16" },
};

static int class_of(at__dtype type)
{
    static const unsigned char CLASSES[AT__DTYPES] = {
        [AT__U8] = AT__UNSIGNED,  [AT__I8] = AT__SIGNED,  [AT__F16] = AT__FLOAT,  [AT__BF16] = AT__BFLOAT,
        [AT__U16] = AT__UNSIGNED, [AT__I16] = AT__SIGNED, [AT__F32] = AT__FLOAT,  [AT__I32] = AT__SIGNED,
        [AT__U32] = AT__UNSIGNED, [AT__F64] = AT__FLOAT,  [AT__I64] = AT__SIGNED, [AT__U64] = AT__UNSIGNED,
        [AT__C64] = AT__FLOAT,    [AT__C128] = AT__FLOAT,
    };
    return CLASSES[type];
}

int at__dtype_number(at__dtype type, int storage)
{
    int bytes = TYPES[type].bytes;
    if (storage)
        return AT__UNSIGNED * 16 + (bytes > 8 ? 8 : bytes);
    return class_of(type) * 16 + (type == AT__C64 || type == AT__C128 ? bytes / 2 : bytes);
}

static size_t storage_row(at__dtype type)
{
    size_t i = 0;
    while (STORAGE[i].bytes != TYPES[type].bytes)
        i++;
    return i;
}

const char *at__dtype_name(at__dtype type)
{
    return (unsigned)type < AT__DTYPES ? TYPES[type].name : "?";
}

int at__dtype_bytes(at__dtype type)
{
    return TYPES[type].bytes;
}

const char *at__dtype_cuda(at__dtype type, int storage)
{
    return storage ? STORAGE[storage_row(type)].cuda : TYPES[type].cuda;
}

const char *at__dtype_key(at__dtype type, int storage)
{
    return storage ? STORAGE[storage_row(type)].key : TYPES[type].name;
}

at__dtype at__dtype_of_key(const char *key, int storage)
{
    int type = 0;
    while (type < AT__DTYPES - 1 && strcmp(at__dtype_key((at__dtype)type, storage), key) != 0)
        type++;
    return (at__dtype)type;
}

static bool equals(const char *word, const char *text, size_t len)
{
    return strlen(word) == len && strncasecmp(word, text, len) == 0;
}

static bool names_type(int type, const char *text, size_t len)
{
    if (equals(TYPES[type].name, text, len))
        return true;
    for (int i = 0; i < MAX_ALIASES && TYPES[type].aliases[i]; i++)
        if (equals(TYPES[type].aliases[i], text, len))
            return true;
    return false;
}

static at_status fail_unknown(const char *text, size_t len, at_error *err)
{
    char shown[40];
    char list[128] = "";
    size_t n = 0;

    for (; n < len && n < sizeof shown - 1; n++)
        shown[n] = (unsigned char)text[n] < 0x20 ? '?' : text[n];
    shown[n] = '\0';
    for (int i = 0; i < AT__DTYPES; i++) {
        strcat(list, i ? " " : ""); /* 14 short names: fits by far */
        strcat(list, TYPES[i].name);
    }
    return at_fail(err, AT_ERR_INPUT, "'%s' is not an element type; expected one of %s", shown, list);
}

at_status at__dtype_parse(at__dtype *out, const char *text, size_t len, at_error *err)
{
    for (int i = 0; i < AT__DTYPES; i++) {
        if (names_type(i, text, len)) {
            *out = (at__dtype)i;
            return AT_OK;
        }
    }
    return fail_unknown(text, len, err);
}
