/* test_printable.c - text of others on a terminal: what is a command there becomes visible, the rest stays.
 */
#include "util/printable.h"
#include "util/str.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(printable, .timeout = 60);

static const struct {
    const char *text, *shown;
} CASES[] = {
    { "", "" },
    { "NVIDIA H200", "NVIDIA H200" },
    { "two\nlines\tand a tab", "two\nlines\tand a tab" },
    { "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
      "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80" },
    { "\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07" },
    { "over\rwritten\b", "over\\x0dwritten\\x08" },
    { "\x7f", "\\x7f" },
    { "\xc2\x9b"
      "2J",
      "\\u009b2J" }, /* a control sequence of one character */
    { "\xe2\x80\xae"
      "txt.exe",
      "\\u202etxt.exe" }, /* turns the direction */
    { "\x9b"
      "2J",
      "\\x9b2J" }, /* no UTF-8: some terminals take it for the same */
    { "\xc3", "\\xc3" },
    { "\xe2\x82", "\\xe2\\x82" },
    { "\xc0\x9b\xed\xa0\x80\xf8", "\\xc0\\x9b\\xed\\xa0\\x80\\xf8" },
};

Test(printable, what_a_terminal_would_obey_becomes_visible)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_str out = { 0 };
        bool same = strcmp(CASES[i].text, CASES[i].shown) == 0;
        cr_assert_eq(atx_is_printable(CASES[i].text), same, "case %zu", i);
        atx_str_add_printable(&out, CASES[i].text);
        cr_assert_str_eq(atx_str_text(&out), CASES[i].shown, "case %zu", i);
        cr_assert(atx_is_printable(atx_str_text(&out)), "case %zu", i);
        atx_str_clear(&out);
    }
}

Test(printable, in_place_it_is_cut_to_its_room)
{
    char text[8] = "a\x1b"
                   "bcdef";
    atx_make_printable(text, sizeof text);
    cr_assert_str_eq(text, "a\\x1bbc");
}

Test(printable, a_message_is_printable_whatever_is_in_it)
{
    at_error err = { 0 };
    atx_fail(&err, AT_ERR_INPUT, "no file '%s'", "a\x1b[31mb\xff");
    cr_assert_str_eq(err.text, "no file 'a\\x1b[31mb\\xff'");
}

Test(printable, json_escapes_it_in_its_own_way)
{
    atx_str out = { 0 };
    atx_str_add_json(&out, "\x1b[2J\x7f\xc2\x9b\xe2\x80\xae\xc3\xa4");
    cr_assert_str_eq(atx_str_text(&out), "\"\\u001b[2J\\u007f\\u009b\\u202e\xc3\xa4\"");
    atx_str_clear(&out);
}
