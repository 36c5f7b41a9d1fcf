/* test_shapes.c - the problems that a user wrote, and messages about wrong ones. */
#include "lang/shapes.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atx_catalog *catalog_ok(const char *dir)
{
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, dir, &err), AT_OK, "%s", err.text);
    return catalog;
}

/* The problems as "op shape type; ...", or the message. */
static char *outcome(const char *text, size_t len, const atx_catalog *catalog)
{
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    atx_str out = { 0 };
    at_status status = atx_shapes_parse(&shapes, text, len, "s.txt", catalog, NULL, &err);
    if (status != AT_OK)
        atx_str_addf(&out, "%s", err.text);
    for (size_t i = 0; i < shapes.count; i++) {
        atx_str shape = { 0 };
        atx_problem_shape(&shape, &shapes.problems[i]);
        atx_str_addf(&out, "%s%s %s %s", i ? "; " : "", shapes.problems[i].op->name, atx_str_text(&shape),
                     atx_dtype_name(shapes.problems[i].type));
        atx_str_clear(&shape);
    }
    atx_shapes_clear(&shapes);
    return out.data;
}

static const struct {
    const char *text, *expect;
} GOOD[] = {
    { "4096x4096", "transpose 4096x4096 f32" },
    { "4096x4096 f16", "transpose 4096x4096 f16" },
    { "4096 4096 f16", "transpose 4096x4096 f16" },
    { "4096X1024", "transpose 4096x1024 f32" },
    { "4096*1024", "transpose 4096x1024 f32" },
    { "4096 x 1024\n", "transpose 4096x1024 f32" },
    { "4096 x1024", "transpose 4096x1024 f32" },
    { "4096x 1024", "transpose 4096x1024 f32" },
    { "4096,1024,f64", "transpose 4096x1024 f64" },
    { "4096;1024;f64;", "transpose 4096x1024 f64" },
    { "4_096x1_024", "transpose 4096x1024 f32" },
    { "8x4096x128", "transpose 8x4096x128 f32" },
    { "1x4096x128", "transpose 4096x128 f32" },
    { "f16 transpose 8 16", "transpose 8x16 f16" },
    { "transpose 8 16 i8", "transpose 8x16 i8" },
    { "copy 8x16", "copy 8x16 f32" },
    { "64x32@4", "transpose 64x32@4 f32" },
    { "64x32@4x4", "transpose 64x32@4 f32" },
    { "64x32@256", "transpose 64x32 f32" },
    { "64x32@16x4 f32", "transpose 64x32@16x4 f32" },
    { "64x32@256X4", "transpose 64x32@256x4 f32" },
    { "8 64 32@1_6, u8", "transpose 8x64x32@16 u8" },
    { "64x32/48x80@2x16 f16", "transpose 64x32/48x80@2x16 f16" },
    { "64x32\n64x32@8\n64x32@8x8\n64x32@256", "transpose 64x32 f32; transpose 64x32@8 f32" },
    { "64x32/48x80 f16", "transpose 64x32/48x80 f16" },
    { "64 32/48x80 f16", "transpose 64x32/48x80 f16" },
    { "64x32/48", "transpose 64x32/48x64 f32" },
    { "64x32/32x64", "transpose 64x32 f32" },
    { "8x64x32/48x80", "transpose 8x64x32/48x80 f32" },
    { "6720385477807x1/8", "transpose 6720385477807x1/8x6720385477807 f32" },
    { "64x32/48x80 f16\n64x32 f16\n64x32/48x80 f16", "transpose 64x32/48x80 f16; transpose 64x32 f16" },
    { "8x16 copy double", "copy 8x16 f64" },
    { "8x16 FLOAT16", "transpose 8x16 f16" },
    { "\t 8x16 \t# the small one, 4x4\n", "transpose 8x16 f32" },
    { "# first\r\n\r\n8x16\r\n16x8 f64\r\n", "transpose 8x16 f32; transpose 16x8 f64" },
    { "\xef\xbb\xbf"
      "8x16",
      "transpose 8x16 f32" },
    { "8x16\n8 16 f32\n1x8x16\n8x16 f16\n8x16 copy\n",
      "transpose 8x16 f32; transpose 8x16 f16; copy 8x16 f32" },
    { "transpose,512,512,f32", "transpose 512x512 f32" },
    { "512,512,f32", "transpose 512x512 f32" },
    { "f32,512,512", "transpose 512x512 f32" },
    { "64, 128", "transpose 64x128 f32" },
    { "4096,128", "transpose 4096x128 f32" },
    { "8,512,2048", "transpose 8x512x2048 f32" },
    { "8 512 256", "transpose 8x512x256 f32" },
    { "8x16#x", "transpose 8x16 f32" },
    { "8x16 batch=3", "transpose 3x8x16 f32" },
    { "batch=3 transpose 8 16 u8", "transpose 3x8x16 u8" },
    { "copy 16 rows=8 batch=1", "copy 8x16 f32" },
    { "cast_transpose 8x16 bf16", "cast_transpose 8x16 bf16" },
    { "cast_transpose 8x16 bf16 to=e4m3 both=no", "cast_transpose 8x16 bf16" },
    { "to=e5m2 amax=yes cast_transpose 8x16 bf16", "cast_transpose 2x1x2x1x8x16 bf16" },
    { "cast_transpose 2x1x2x1x8x16 bf16", "cast_transpose 2x1x2x1x8x16 bf16" },
    { "4x8 u8 calls=12", "transpose 4x8 u8" },
    { "cols=16 rows=8", "transpose 8x16 f32" },
    { "rows=8 16 batch=2", "transpose 2x8x16 f32" },
    { "4Kx1M u8", "transpose 4096x1048576 u8" },
    { "rows=2k cols=1K copy", "copy 2048x1024 f32" },
    { "4096\xc3\x97"
      "1024\xc2\xa0"
      "f16",
      "transpose 4096x1024 f16" },
    { "8\xe2\x80\xafx 16 torch.bfloat16", "transpose 8x16 bf16" },
    { "8x16 np.float16\n8x16 jnp.int8\n8x16 torch.half", "transpose 8x16 f16; transpose 8x16 i8" },
    { "copy cols=3..17", "copy 3 f32; copy 4 f32; copy 8 f32; copy 16 f32; copy 17 f32" },
    { "copy rows=1..2 cols=1K..1_024 u8 # all", "copy 1024 u8; copy 2x1024 u8" },
    { "copy rows=4..4 8 f16 calls=2", "copy 4x8 f16" },
    { "permute 8x64x3 2,0,1 f16 calls=3 # often", "transpose 512x3 f16" },
    { "cast_transpose 4x8x16 f16 both=yes", "cast_transpose 2x1x4x8x16 f16" },
};

Test(shapes, reads)
{
    atx_catalog *catalog = catalog_ok(NULL);
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        char *got = outcome(GOOD[i].text, strlen(GOOD[i].text), catalog);
        cr_expect_str_eq(got, GOOD[i].expect, "%s: %s", GOOD[i].text, got);
        free(got);
    }
    atx_catalog_close(catalog);
}

/* As a program logs them: a line at the first call, another one with those that followed. */
Test(shapes, calls_of_a_problem_that_is_there_twice_are_added)
{
    static const char TEXT[] = "64x32 f32\n8x8 f32 calls=5\n64x32 f32 calls=9 # later\n";
    atx_catalog *catalog = catalog_ok(NULL);
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_shapes_parse(&shapes, TEXT, sizeof TEXT - 1, "s.txt", catalog, NULL, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(shapes.count, 2);
    cr_assert_eq(shapes.calls[0], 10);
    cr_assert_eq(shapes.calls[1], 5);
    atx_shapes_clear(&shapes);
    atx_catalog_close(catalog);
}

#define ONE_NUMBER                                                                                           \
    ", which looks like one number; expected sizes joined by 'x' or with blanks between them, and digits "   \
    "grouped by '_', if at all"
#define WORDS                                                                                                \
    "a type (u8 i8 f16 bf16 u16 i16 f32 i32 u32 f64 i64 u64 c64 c128 bool) or an operation "                 \
    "(`autotune list` shows them)"

static const struct {
    const char *text, *expect;
} BAD[] = {
    { "", "s.txt: found no problem; expected lines such as '4096x4096 f32'" },
    { "\n# nothing\n  \n", "s.txt: found no problem; expected lines such as '4096x4096 f32'" },
    { "8x8\n\n64x64 f23\n", "s.txt:3:7: found 'f23'; expected " WORDS },
    { "\xef\xbb\xbf  f23 8x8", "s.txt:1:3: found 'f23'; expected " WORDS },
    { "rows,cols,type\n8,8,f32\n", "s.txt:1:1: found 'rows'; expected " WORDS },
    { "8x8 calls=0", "s.txt:1:5: found 'calls=0'; expected calls=N, how often the problem is asked for" },
    { "8x8 f32 calls=2x",
      "s.txt:1:9: found 'calls=2x'; expected calls=N, how often the problem is asked for" },
    { "0x16", "s.txt:1:1: found '0'; expected a positive size" },
    { "0024x16", "s.txt:1:1: found '0024'; expected a number without leading zeros" },
    { "16 x 010", "s.txt:1:6: found '010'; expected a number without leading zeros" },
    { "00x16", "s.txt:1:1: found '00'; expected a number without leading zeros" },
    { "64x32/064", "s.txt:1:7: found '064'; expected a number without leading zeros" },
    { "64x32@016", "s.txt:1:7: found '016'; expected a number without leading zeros" },
    { "8x16 batch=03", "s.txt:1:6: found 'batch=03'; expected a number without leading zeros" },
    { "1,024x1024", "s.txt:1:1: found '1,024'" ONE_NUMBER },
    { "1024x1,024 f16", "s.txt:1:6: found '1,024'" ONE_NUMBER },
    { "f16 1,234,567", "s.txt:1:5: found '1,234,567'" ONE_NUMBER },
    { "copy 1,234 f32", "s.txt:1:6: found '1,234'" ONE_NUMBER },
    { "16x0", "s.txt:1:4: found '0'; expected a positive size" },
    { "-16x8", "s.txt:1:1: found '-16x8'; expected a positive size" },
    { "16x-8", "s.txt:1:4: found '-8'; expected a positive size" },
    { "16 -8", "s.txt:1:4: found '-8'; expected a positive size" },
    { "16x", "s.txt:1:1: found '16x'; expected a size after 'x'" },
    { "8 16x f32", "s.txt:1:3: found '16x'; expected a size after 'x'" },
    { "16xf32", "s.txt:1:1: found '16xf32'; expected a size after 'x'" },
    { "x16", "s.txt:1:1: found 'x16'; expected " WORDS },
    { "16 x", "s.txt:1:4: found 'x'; expected " WORDS },
    { "16xx8", "s.txt:1:1: found '16xx8'; expected a size after 'x'" },
    { "16.5x8", "s.txt:1:1: found '16.5x8'; expected sizes such as 4096x4096 (whole numbers joined by 'x')" },
    { "4kbx4k", "s.txt:1:1: found '4kbx4k'; expected sizes such as 4096x4096 (whole numbers joined by 'x')" },
    { "8796093022208Mx4", "s.txt:1:1: found '8796093022208M'; expected a number below 2^63" },
    { "8x8 u9\n4x4\n4x0\n",
      "s.txt:1:5: found 'u9'; expected " WORDS "\ns.txt:3:3: found '0'; expected a positive size" },
    { "batch=2 8x8x8", "s.txt:1:1: found 3 sizes and 1 by name, which are too many for transpose" },
    { "copy cols=8..4", "s.txt:1:6: found 'cols=8..4'; copy has by name batch=1 rows=1 cols" },
    { "copy batch=1..4K rows=1..4096 cols=1..1000M",
      "s.txt:1:1: found ranges of more than 4096 problems; expected smaller ones" },
    { "4__0x4", "s.txt:1:1: found '4__0x4'; expected sizes such as 4096x4096 (whole numbers joined by 'x')" },
    { "4_x4", "s.txt:1:1: found '4_x4'; expected sizes such as 4096x4096 (whole numbers joined by 'x')" },
    { "1e3x8", "s.txt:1:1: found '1e3x8'; expected sizes such as 4096x4096 (whole numbers joined by 'x')" },
    { "9223372036854775808x1",
      "s.txt:1:1: found '9223372036854775808'; expected a number of at most 9223372036854775807" },
    { "9999999999999999999999999999999999999999999999999999x1",
      "s.txt:1:1: found '9999999999999999999999999999999999999999...'; expected a number of at most "
      "9223372036854775807" },
    { "4294967296x4294967296",
      "s.txt:1:1: found a shape of more than 9223372036854775807 bytes; expected a smaller one" },
    { "f64 2147483648x2147483648",
      "s.txt:1:5: found a shape of more than 9223372036854775807 bytes; expected a smaller one" },
    { "64x32/16", "s.txt:1:6: found ld_in = 16; expected at least cols = 32" },
    { "64x32/64x64x64", "s.txt:1:13: found one more leading dimension; expected at most 2" },
    { "64x32@3", "s.txt:1:6: found align_in = 3; expected a power of two from 4 (an element of f32) to 256 "
                 "bytes" },
    { "64x32@2", "s.txt:1:6: found align_in = 2; expected a power of two from 4 (an element of f32) to 256 "
                 "bytes" },
    { "64x32@16x512", "s.txt:1:6: found align_out = 512; expected a power of two from 4 (an element of f32) "
                      "to 256 bytes" },
    { "c128 64x32@8", "s.txt:1:11: found align_in = 8; expected a power of two from 16 (an element of c128) "
                      "to 256 bytes" },
    { "64x32@0", "s.txt:1:7: found '0'; expected a positive size" },
    { "64x32@", "s.txt:1:6: found '@'; expected alignments, such as 4096x4096@4 or 4096x4096@16x4" },
    { "64x32@4x", "s.txt:1:6: found '@4x'; expected alignments, such as 4096x4096@4 or 4096x4096@16x4" },
    { "64x32@4/64x64", "s.txt:1:6: found '@4/64x64'; expected alignments, such as 4096x4096@4 or "
                       "4096x4096@16x4" },
    { "64x32@4@4", "s.txt:1:6: found '@4@4'; expected alignments, such as 4096x4096@4 or 4096x4096@16x4" },
    { "64 @4", "s.txt:1:4: found '@4'; expected " WORDS },
    { "64x32@4x4x4", "s.txt:1:6: found 3 alignments; transpose has 2, and one counts for all of them" },
    { "64x32@4x4x4x4x4", "s.txt:1:15: found one more alignment; expected at most 4" },
    { "copy 64x32@4", "s.txt:1:11: found 1 alignment; copy has 0" },
    { "64x32/", "s.txt:1:6: found '/'; expected leading dimensions, such as 4096x4096/4160x4352" },
    { "copy 64x32/64", "s.txt:1:11: found 1 leading dimension; copy has 0" },
    { "64x32/48x4611686018427387904",
      "s.txt:1:6: found ld_out = 4611686018427387904, so more than 9223372036854775807 bytes; expected a "
      "smaller one" },
    { "1x2x3x4x5x6x7x8x9", "s.txt:1:17: found one more size, '9'; expected at most 8" },
    { "1x2x3x4",
      "s.txt:1:7: found 4 sizes; transpose expects batch=1 x rows x cols (those with a default may "
      "be left out)" },
    { "4096", "s.txt:1:1: found 1 size; transpose expects batch=1 x rows x cols (those with a default may be "
              "left out)" },
    { "f32", "s.txt:1:4: found no size; expected a shape such as 4096x4096" },
    { "transpos 8x8",
      "s.txt:1:1: found 'transpos'; expected a type (u8 i8 f16 bf16 u16 i16 f32 i32 u32 f64 i64 "
      "u64 c64 c128 bool) or an operation (`autotune list` shows them); "
      "did you mean 'transpose'?" },
    { "transpose # 8x8",
      "s.txt:1:11: found no size; expected a shape such as 4096x4096, of transpose: batch x rows x cols" },
    { "8x8 f32 f16", "s.txt:1:9: found 'f16'; expected one type a line, and there is f32" },
    { "copy 8x8 transpose",
      "s.txt:1:10: found 'transpose'; expected one operation a line, and there is copy" },
    { "8 f32 8", "s.txt:1:7: found '8'; expected all sizes of a line side by side" },
    { "8x8 \x1b[31m", "s.txt:1:5: found '?[31m'; expected " WORDS },
    { "8x8 batch", "s.txt:1:5: found 'batch'; expected " WORDS },
    { "8x8 batch=", "s.txt:1:5: found 'batch='; transpose has by name batch=1 rows cols" },
    { "8x8 batch=0", "s.txt:1:5: found 'batch=0'; transpose has by name batch=1 rows cols" },
    { "8x8 batch=2x", "s.txt:1:5: found 'batch=2x'; transpose has by name batch=1 rows cols" },
    { "8x8 batch=99999999999999999999",
      "s.txt:1:5: found 'batch=99999999999999999999'; expected a number of at most 9223372036854775807" },
    { "8x8 rows=4", "s.txt:1:5: found 2 sizes and 1 by name, which are too many for transpose" },
    { "8x8 batch=2 batch=2", "s.txt:1:13: found 'batch=2'; expected batch once" },
    { "3x8x8 batch=2", "s.txt:1:7: found 3 sizes and 1 by name, which are too many for transpose" },
    { "batch=2",
      "s.txt:1:8: found no size; expected a shape such as 4096x4096, of transpose: batch x rows x cols" },
    { "gather_rows 8x8x8 i64 x=1", "s.txt:1:23: found 'x=1'; gather_rows has by name from rows row_bytes" },
    { "cast_transpose 8x8 to=u8",
      "s.txt:1:20: found 'to=u8'; cast_transpose has by name to=e4m3|e5m2|f16|bf16 both=no|yes amax=no|yes "
      "batch=1 rows cols" },
    { "cast_transpose 5x1x1x1x8x8 f32",
      "s.txt:1:16: found to = 5; expected 1 to 4, or to=e4m3 and its like" },
    { "cast_transpose 8 batch=2 f16",
      "s.txt:1:16: found 1 size; cast_transpose expects to=e4m3|e5m2|f16|bf16 x both=no|yes x amax=no|yes x "
      "batch=1 x rows x cols (those with a default may be left out)" },
    { "8×8ö", "s.txt:1:1: found '8x8ö'; expected sizes such as 4096x4096 (whole numbers joined by 'x')" },
    { "8x8 üüüüüüüüüüüüüüüüüüüüüüüüü", "s.txt:1:5: found 'üüüüüüüüüüüüüüüüüüüü...'; expected " WORDS },
    { "8x8 aüüüüüüüüüüüüüüüüüüüüüüüü", "s.txt:1:5: found 'aüüüüüüüüüüüüüüüüüüü...'; expected " WORDS },
};

Test(shapes, explains)
{
    atx_catalog *catalog = catalog_ok(NULL);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char *got = outcome(BAD[i].text, strlen(BAD[i].text), catalog);
        cr_expect_str_eq(got, BAD[i].expect, "%s: %s", BAD[i].text, got);
        free(got);
    }
    atx_catalog_close(catalog);
}

Test(shapes, zero_bytes_are_named)
{
    atx_catalog *catalog = catalog_ok(NULL);
    char *got = outcome("8x8\n\xff\xfe\x38\0x\0\x38\0", 11, catalog);
    cr_assert_str_eq(got, "s.txt:2:4: found a zero byte; expected text in UTF-8 (is this UTF-16?)");
    free(got);
    atx_catalog_close(catalog);
}

Test(shapes, lines_have_a_limit)
{
    atx_catalog *catalog = catalog_ok(NULL);
    char line[4200];
    memset(line, ' ', sizeof line);
    memcpy(line + 4093, "8x8", 3);
    char *fits = outcome(line, 4096, catalog);
    char *over = outcome(line, 4097, catalog);
    cr_assert_str_eq(fits, "transpose 8x8 f32");
    cr_assert_str_eq(over, "s.txt:1:4097: found a line of 4097 bytes; expected at most 4096");
    free(fits);
    free(over);
    atx_catalog_close(catalog);
}

Test(shapes, many_lines_keep_their_order_and_lose_their_doubles)
{
    atx_catalog *catalog = catalog_ok(NULL);
    atx_shapes shapes = { 0 };
    atx_str text = { 0 };
    enum { COUNT = 20000 };
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < COUNT; i++)
            atx_str_addf(&text, "%d %d\n", i + 1, COUNT - i);
    cr_assert_eq(atx_shapes_parse(&shapes, text.data, text.len, "s.txt", catalog, NULL, NULL), AT_OK);
    cr_assert_eq(shapes.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        cr_assert(shapes.problems[i].dims[1] == i + 1 && shapes.problems[i].dims[2] == COUNT - i);
    atx_shapes_clear(&shapes);
    atx_shapes_clear(&shapes);
    atx_str_clear(&text);
    atx_catalog_close(catalog);
}

Test(shapes, files_are_read_and_named)
{
    atx_catalog *catalog = catalog_ok(NULL);
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    char path[64];
    int fd = mkstemp(TEMPORARY(path, "shapes"));
    cr_assert(fd >= 0 && write(fd, "8x8 i8\n16y16\n", 13) == 13 && close(fd) == 0);
    cr_assert_eq(atx_shapes_read(&shapes, path, catalog, NULL, &err), AT_ERR_INPUT);
    cr_assert(strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, ":2:1: found '16y16'"), "%s",
              err.text);
    cr_assert(!shapes.problems && shapes.count == 0);
    cr_assert_eq(truncate(path, 7), 0);
    cr_assert_eq(atx_shapes_read(&shapes, path, catalog, NULL, &err), AT_OK);
    cr_assert(shapes.count == 1 && shapes.problems[0].type == ATX_I8);
    atx_shapes_clear(&shapes);
    unlink(path);
    cr_assert_eq(atx_shapes_read(&shapes, path, catalog, NULL, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "No such file"), "%s", err.text);
    cr_assert_eq(atx_shapes_read(&shapes, "/tmp", catalog, NULL, &err), AT_ERR_INPUT);
    atx_catalog_close(catalog);
}

static const char OP[] = "/*!autotune\n"
                         "op        halve\n"
                         "shape     n\n"
                         "type      T = f64 f16\n"
                         "require   n % 2 == 0 # pairs\n"
                         "arg       out T[n] output\n"
                         "arg       in  T[n] input\n"
                         "reference halve_reference\n"
                         "grid      1\n"
                         "block     32\n"
                         "check     exact\n"
                         "traffic   2 * n * sizeof(T)\n"
                         "*/\n"
                         "extern \"C\" __global__ void halve_reference(T *out, const T *in) {}\n";

Test(shapes, the_op_has_its_say)
{
    char dir[64], path[80];
    cr_assert(mkdtemp(TEMPORARY(dir, "op")));
    snprintf(path, sizeof path, "%s/op.cu", dir);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(OP, file) >= 0 && fclose(file) == 0);
    atx_catalog *catalog = catalog_ok(dir);
    static const char *const CASES[][2] = {
        { "halve 8 f64", "halve 8 f64" },
        { "halve 8 f32", "s.txt:1:9: found type f32; halve expects one of f16 f64" },
        { "halve 8", "halve 8 f16" },
        { "halve 7 f16", "s.txt:1:7: halve 7 f16: it must satisfy n % 2 == 0 (pairs)" },
        { "f16 8 8 halve", "s.txt:1:7: found 2 sizes; halve expects n" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *got = outcome(CASES[i][0], strlen(CASES[i][0]), catalog);
        cr_expect_str_eq(got, CASES[i][1]);
        free(got);
    }
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    atx_shape_defaults none = { .op = "no_such_op" };
    cr_assert_eq(atx_shapes_parse(&shapes, "8x8", 3, "s.txt", catalog, &none, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "no_such_op"), "%s", err.text);
    atx_catalog_close(catalog);
    unlink(path);
    rmdir(dir);
}

Test(shapes, what_a_line_does_not_say_is_what_the_caller_the_op_and_the_catalog_say)
{
    static const char op[] = "/*!autotune\nop mine\nshape n\ntype T = f32 f64\ndefault op\nrecorded\n*/";
    atx_catalog *catalog = catalog_ok(NULL);
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    atx_dtype type = ATX_F64;
    atx_shape_defaults given = { .op = "copy", .type = &type };
    cr_assert_eq(atx_shapes_parse(&shapes, "8x8", 3, "s.txt", catalog, &given, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(shapes.problems[0].op->name, "copy");
    cr_assert_eq(shapes.problems[0].type, ATX_F64);
    atx_shapes_clear(&shapes);

    cr_assert_eq(atx_shapes_parse(&shapes, "gather_rows 8x8x16", 18, "s.txt", catalog, &given, &err),
                 AT_ERR_INPUT, "what was asked for is not another type in silence");
    cr_assert(
        strstr(err.text, "found type f64; gather_rows expects one of i32 i64; that is the type of index"),
        "%s", err.text);
    char *own = outcome("gather_rows 8x8x16", 18, catalog);
    cr_assert_str_eq(own, "gather_rows 8x8x16 i32");
    free(own);

    cr_assert_eq(atx_catalog_add(catalog, "mine.cu", op, strlen(op), &err), AT_OK, "%s", err.text);
    char *got = outcome("8\n8 f64\ntranspose 8x8", 21, catalog);
    cr_assert_str_eq(got, "mine 8 f32; mine 8 f64; transpose 8x8 f32");
    free(got);
    atx_catalog_close(catalog);
}

/* For people sizes that are choices have their words, and what is printed is read as the same problem. */
Test(shapes, are_shown_with_their_words)
{
    static const char *const SHOWN[][2] = {
        { "to=e5m2 amax=yes cast_transpose 8x16 bf16", "to=e5m2 amax=yes 8x16" },
        { "cast_transpose 2x1x1x3x8x16 bf16", "to=e5m2 3x8x16" },
        { "cast_transpose 8x16 bf16", "8x16" },
        { "4x8x16/24x8@4 f32", "4x8x16/24x8@4" },
        { "permute 6x8x64 1,0,2 f32", "6x8x64:1.0.2" },
    };
    atx_catalog *catalog = catalog_ok(NULL);
    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
        atx_shapes shapes = { 0 }, again = { 0 };
        atx_str text = { 0 }, line = { 0 };
        at_error err = { 0 };
        cr_assert_eq(
            atx_shapes_parse(&shapes, SHOWN[i][0], strlen(SHOWN[i][0]), "s.txt", catalog, NULL, &err), AT_OK,
            "%s", err.text);
        const atx_problem *p = &shapes.problems[0];
        atx_problem_show(&text, p);
        cr_expect_str_eq(atx_str_text(&text), SHOWN[i][1]);
        atx_str_addf(&line, "%s %s %s", p->op->name, atx_str_text(&text), atx_dtype_name(p->type));
        cr_assert_eq(atx_shapes_parse(&again, line.data, line.len, "s.txt", catalog, NULL, &err), AT_OK, "%s",
                     err.text);
        cr_expect(memcmp(again.problems[0].dims, p->dims, sizeof p->dims) == 0, "%s", line.data);
        atx_shapes_clear(&shapes);
        atx_shapes_clear(&again);
        atx_str_clear(&text);
        atx_str_clear(&line);
    }
    atx_catalog_close(catalog);
}
