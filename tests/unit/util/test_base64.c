/* test_base64.c - bytes as text and back. */
#include "util/base64.h"

#include <criterion/criterion.h>
#include <string.h>

Test(base64, bytes_of_any_number_come_back)
{
    unsigned char bytes[70];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(251 * i + 7);
    for (size_t count = 0; count <= sizeof bytes; count++) {
        atx_str text = { 0 }, back = { 0 };
        atx_base64_add(&text, bytes, count);
        cr_assert_eq(text.len, (count + 2) / 3 * 4);
        cr_assert(atx_base64_read(&back, atx_str_text(&text), text.len));
        cr_assert(back.len == count && (count == 0 || memcmp(back.data, bytes, count) == 0), "%zu bytes",
                  count);
        atx_str_clear(&text);
        atx_str_clear(&back);
    }
}

/* The examples of RFC 4648. */
Test(base64, text_is_that_of_the_standard)
{
    static const char *const EXAMPLES[][2] = { { "f", "Zg==" }, { "fo", "Zm8=" }, { "foobar", "Zm9vYmFy" } };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
        atx_str text = { 0 };
        atx_base64_add(&text, EXAMPLES[i][0], strlen(EXAMPLES[i][0]));
        cr_assert_str_eq(atx_str_text(&text), EXAMPLES[i][1]);
        atx_str_clear(&text);
    }
}

Test(base64, other_text_is_refused)
{
    static const char *const WRONG[] = { "Zg=", "Zm9v YmFy", "====", "Z===", "Zm9v\377mFy", "Zg==Zm8=" };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        atx_str back = { 0 };
        cr_assert(!atx_base64_read(&back, WRONG[i], strlen(WRONG[i])), "%s", WRONG[i]);
        atx_str_clear(&back);
    }
}
