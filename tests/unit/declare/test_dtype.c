/* test_dtype.c - names, sizes and CUDA spellings of element types. */
#include <criterion/criterion.h>
#include <string.h>

#include "declare/dtype.h"

Test(dtype, reads_its_own_names_back)
{
    for (int i = 0; i < ATX_DTYPES; i++) {
        atx_dtype type = ATX_DTYPES;
        const char *name = atx_dtype_name((atx_dtype)i);
        cr_assert_eq(atx_dtype_parse(&type, name, strlen(name), NULL), AT_OK);
        cr_assert_eq((int)type, i);
    }
}

static const struct {
    const char *word;
    atx_dtype type;
} WORDS[] = {
    { "float32", ATX_F32 },       { "FLOAT", ATX_F32 },       { "half", ATX_F16 },
    { "Double", ATX_F64 },        { "int32", ATX_I32 },       { "int", ATX_I32 },
    { "uint8", ATX_U8 },          { "bfloat16", ATX_BF16 },   { "int64", ATX_I64 },
    { "complex64", ATX_C64 },     { "complex128", ATX_C128 }, { "fp16", ATX_F16 },
    { "torch.float32", ATX_F32 }, { "np.float16", ATX_F16 },  { "jax.numpy.int8", ATX_I8 },
    { "torch.half", ATX_F16 },
};

Test(dtype, knows_other_words_in_any_case)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        atx_dtype type = ATX_DTYPES;
        cr_assert_eq(atx_dtype_parse(&type, WORDS[i].word, strlen(WORDS[i].word), NULL), AT_OK, "%s",
                     WORDS[i].word);
        cr_assert_eq(type, WORDS[i].type, "%s", WORDS[i].word);
    }
}

Test(dtype, lists_the_types_when_a_word_is_none)
{
    atx_dtype type = ATX_F64;
    at_error err = { 0 };
    cr_assert_eq(atx_dtype_parse(&type, "f33", 3, &err), AT_ERR_INPUT);
    cr_assert_str_eq(
        err.text, "'f33' is not an element type; expected one of u8 i8 f16 bf16 u16 i16 f32 i32 u32 f64 i64 "
                  "u64 c64 c128 bool");
    cr_assert_eq(type, ATX_F64, "outputs stay as they were");
    cr_assert_eq(atx_dtype_parse(&type, "", 0, &err), AT_ERR_INPUT);
    cr_assert_eq(atx_dtype_parse(&type, "torch.", 6, &err), AT_ERR_INPUT);
    cr_assert_eq(atx_dtype_parse(&type, "touch.f32", 9, &err), AT_ERR_INPUT);
    cr_assert_eq(atx_dtype_parse(&type, "f32x", 4, &err), AT_ERR_INPUT);
    cr_assert_eq(atx_dtype_parse(&type, "f3", 2, &err), AT_ERR_INPUT);
}

Test(dtype, length_ends_a_word)
{
    atx_dtype type = ATX_DTYPES;
    cr_assert_eq(atx_dtype_parse(&type, "f64,f32", 3, NULL), AT_OK);
    cr_assert_eq(type, ATX_F64);
}

Test(dtype, storage_shares_by_size)
{
    cr_assert_str_eq(atx_dtype_cuda(ATX_F32, 1), "unsigned int");
    cr_assert_str_eq(atx_dtype_cuda(ATX_I32, 1), "unsigned int");
    cr_assert_str_eq(atx_dtype_cuda(ATX_F32, 0), "float");
    cr_assert_str_eq(atx_dtype_cuda(ATX_BF16, 1), "unsigned short");
    cr_assert_str_eq(atx_dtype_cuda(ATX_U8, 1), "unsigned char");
    cr_assert_str_eq(atx_dtype_cuda(ATX_F64, 1), "unsigned long long");
    cr_assert_str_eq(atx_dtype_cuda(ATX_C128, 1), "uint4");
    cr_assert_str_eq(atx_dtype_cuda(ATX_F16, 0), "__half");
    cr_assert_str_eq(atx_dtype_key(ATX_F32, 1), "b4");
    cr_assert_str_eq(atx_dtype_key(ATX_C64, 1), "b8");
    cr_assert_str_eq(atx_dtype_key(ATX_C128, 1), "b16");
    cr_assert_str_eq(atx_dtype_key(ATX_F32, 0), "f32");
    cr_assert_str_eq(atx_dtype_name(ATX_DTYPES), "?");
}
