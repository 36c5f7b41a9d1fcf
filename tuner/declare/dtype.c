/*
 * dtype.c - one row a type: names, bytes, CUDA type. An op that only moves bits sees the type as
 * its storage, the unsigned integer (or vector of them) of the same size: all types of one size
 * share that key, and so kernels and results.
 */
#include "declare/dtype.h"

#include "declare/data.h"

#include <string.h>
#include <strings.h>

/* The words that name a type, besides its own name. */
#define MAX_ALIASES 5

static const struct {
    const char *name;
    int bytes;
    const char *cuda;
    const char *aliases[MAX_ALIASES];
} TYPES[ATX_DTYPES] = {
    [ATX_U8] = { "u8", 1, "unsigned char", { "uint8", "uchar", "byte", "uint8_t" } },
    [ATX_I8] = { "i8", 1, "signed char", { "int8", "char", "s8", "int8_t" } },
    [ATX_F16] = { "f16", 2, "__half", { "float16", "half", "fp16" } },
    [ATX_BF16] = { "bf16", 2, "__nv_bfloat16", { "bfloat16" } },
    [ATX_U16] = { "u16", 2, "unsigned short", { "uint16", "ushort", "uint16_t" } },
    [ATX_I16] = { "i16", 2, "short", { "int16", "short", "s16", "int16_t" } },
    [ATX_F32] = { "f32", 4, "float", { "float32", "float", "fp32", "single" } },
    [ATX_I32] = { "i32", 4, "int", { "int32", "int", "s32", "int32_t" } },
    [ATX_U32] = { "u32", 4, "unsigned int", { "uint32", "uint", "uint32_t" } },
    [ATX_F64] = { "f64", 8, "double", { "float64", "double", "fp64" } },
    [ATX_I64] = { "i64", 8, "long long", { "int64", "long", "s64", "int64_t" } },
    [ATX_U64] = { "u64", 8, "unsigned long long", { "uint64", "ulong", "uint64_t" } },
    [ATX_C64] = { "c64", 8, "float2", { "complex64", "cfloat", "cf32" } },
    [ATX_C128] = { "c128", 16, "double2", { "complex128", "cdouble", "cf64" } },
    [ATX_BOOLEAN] = { "bool", 1, "bool", { 0 } },
};

/* By element size: CUDA type and key of operations that only move bits. */
static const struct {
    int bytes;
    const char *cuda, *key;
} STORAGE[] = {
    { 1, "unsigned char", "b1" },      { 2, "unsigned short", "b2" }, { 4, "unsigned int", "b4" },
    { 8, "unsigned long long", "b8" }, { 16, "uint4", "b16" },
};

static int class_of(atx_dtype type)
{
    static const unsigned char CLASSES[ATX_DTYPES] = {
        [ATX_U8] = ATX_UNSIGNED, [ATX_I8] = ATX_SIGNED,    [ATX_F16] = ATX_FLOAT,
        [ATX_BF16] = ATX_BFLOAT, [ATX_U16] = ATX_UNSIGNED, [ATX_I16] = ATX_SIGNED,
        [ATX_F32] = ATX_FLOAT,   [ATX_I32] = ATX_SIGNED,   [ATX_U32] = ATX_UNSIGNED,
        [ATX_F64] = ATX_FLOAT,   [ATX_I64] = ATX_SIGNED,   [ATX_U64] = ATX_UNSIGNED,
        [ATX_C64] = ATX_FLOAT,   [ATX_C128] = ATX_FLOAT,   [ATX_BOOLEAN] = ATX_UNSIGNED,
    };
    return CLASSES[type];
}

bool atx_dtype_is_real(atx_dtype type)
{
    return class_of(type) >= ATX_FLOAT;
}

bool atx_dtype_reaches(atx_dtype type, double value)
{
    const int number = atx_dtype_number(type, 0);
    return atx_is_finite(atx_number_value(atx_number_bits(value, number) & atx_number_mask(number), number));
}

void atx_dtype_range(int64_t *least, int64_t *most, atx_dtype type)
{
    const int bits = type == ATX_BOOLEAN ? 1 : 8 * TYPES[type].bytes;
    const bool has_sign = class_of(type) == ATX_SIGNED;
    *most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - has_sign)) - 1;
    *least = has_sign ? -*most - 1 : 0;
}

int atx_dtype_number(atx_dtype type, int storage)
{
    int bytes = TYPES[type].bytes;
    if (storage)
        return ATX_UNSIGNED * 16 + (bytes > 8 ? 8 : bytes);
    return class_of(type) * 16 + (type == ATX_C64 || type == ATX_C128 ? bytes / 2 : bytes);
}

static size_t storage_row(atx_dtype type)
{
    size_t i = 0;
    while (STORAGE[i].bytes != TYPES[type].bytes)
        i++;
    return i;
}

const char *atx_dtype_name(atx_dtype type)
{
    return (unsigned)type < ATX_DTYPES ? TYPES[type].name : "?";
}

int atx_dtype_bytes(atx_dtype type)
{
    return TYPES[type].bytes;
}

const char *atx_dtype_cuda(atx_dtype type, int storage)
{
    return storage ? STORAGE[storage_row(type)].cuda : TYPES[type].cuda;
}

const char *atx_dtype_key(atx_dtype type, int storage)
{
    return storage ? STORAGE[storage_row(type)].key : TYPES[type].name;
}

atx_dtype atx_dtype_of_key(const char *key, int storage)
{
    int type = 0;
    while (type < ATX_DTYPES - 1 && strcmp(atx_dtype_key((atx_dtype)type, storage), key) != 0)
        type++;
    return (atx_dtype)type;
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
    for (int i = 0; i < ATX_DTYPES; i++) {
        strcat(list, i ? " " : ""); /* 15 short names: fits by far */
        strcat(list, TYPES[i].name);
    }
    return atx_fail(err, AT_ERR_INPUT, "'%s' is not an element type; expected one of %s", shown, list);
}

/* "torch.float32" is a name of the type behind the point. */
static size_t module_of(const char *text, size_t len)
{
    static const char *const MODULES[] = { "torch.", "np.",   "numpy.", "jnp.",      "jax.numpy.",
                                           "cp.",    "cupy.", "tf.",    "ml_dtypes." };
    for (size_t i = 0; i < sizeof MODULES / sizeof *MODULES; i++) {
        const size_t count = strlen(MODULES[i]);
        if (len > count && memcmp(text, MODULES[i], count) == 0)
            return count;
    }
    return 0;
}

at_status atx_dtype_parse(atx_dtype *out, const char *text, size_t len, at_error *err)
{
    const size_t module = module_of(text, len);
    for (int i = 0; i < ATX_DTYPES; i++) {
        if (names_type(i, text + module, len - module)) {
            *out = (atx_dtype)i;
            return AT_OK;
        }
    }
    return fail_unknown(text, len, err);
}
