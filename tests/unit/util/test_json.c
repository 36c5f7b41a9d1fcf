/* test_json.c - JSON of other programs: what is taken, what is refused and where, files that end early. */
#include "util/json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static atx_json read_ok(const char *text)
{
    atx_json json;
    at_error err = { 0 };
    cr_assert_eq(atx_json_read(&json, text, strlen(text), "file.json", &err), AT_OK, "%s: %s", text,
                 err.text);
    return json;
}

static void check_text(const atx_json *json, uint32_t node, const char *expected)
{
    atx_str text = { 0 };
    atx_json_add_text(&text, json, node);
    cr_assert_str_eq(atx_str_text(&text), expected);
    atx_str_clear(&text);
}

Test(json, walks_arrays_and_objects)
{
    atx_json json = read_ok("{\"a\": [1, [], {\"x\": {}}, \"two\"], \"b\" : true}\n");
    uint32_t a = atx_json_member(&json, 0, "a"), b = atx_json_member(&json, 0, "b");
    static const atx_json_kind KINDS[] = { ATX_JSON_NUMBER, ATX_JSON_ARRAY, ATX_JSON_OBJECT,
                                           ATX_JSON_STRING };
    int count = 0;
    for (uint32_t at = atx_json_first(&json, a); at; at = atx_json_next(&json, at))
        cr_assert_eq(json.nodes[at].kind, KINDS[count++]);
    cr_assert_eq(count, 4);
    cr_assert_eq(json.nodes[b].kind, ATX_JSON_TRUE);
    cr_assert_eq(atx_json_member(&json, 0, "c"), 0);
    cr_assert_eq(atx_json_member(&json, a, "x"), 0, "an array has no members");
    cr_assert_not(json.torn);
    atx_json_clear(&json);
}

Test(json, empty_containers_have_no_children)
{
    atx_json json = read_ok("[[], {}, [[]], 1]");
    uint32_t first = atx_json_first(&json, 0), second = atx_json_next(&json, first);
    cr_assert_eq(atx_json_first(&json, first), 0);
    cr_assert_eq(atx_json_first(&json, second), 0);
    uint32_t nested = atx_json_first(&json, atx_json_next(&json, second));
    cr_assert_neq(nested, 0);
    cr_assert_eq(atx_json_first(&json, nested), 0);
    atx_json_clear(&json);
}

Test(json, decodes_texts)
{
    static const struct {
        const char *json, *text;
    } CASES[] = {
        { "\"\"", "" },
        { "\"plain\"", "plain" },
        { "\"a\\\"b\\\\c\\/d\\n\\t\"", "a\"b\\c/d\n\t" },
        { "\"\\u0041\\u00e4\\u20ac\"", "A\xc3\xa4\xe2\x82\xac" },
        { "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
        { "\"\\ud83d \\ude00\\ud83d\\u0041\"", "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd"
                                               "A" },
        { "\"a\\u0000b\"", "a\xef\xbf\xbd"
                           "b" },
        { "17", "17" },
        { "null", "null" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_json json = read_ok(CASES[i].json);
        check_text(&json, 0, CASES[i].text);
        atx_json_clear(&json);
    }
}

Test(json, knows_numbers)
{
    static const struct {
        const char *json;
        double value;
        bool is_integer;
    } CASES[] = { { "0", 0, true },      { "-17", -17, true },  { "32.0", 32, true },
                  { "1e3", 1000, true }, { "0.5", 0.5, false }, { "-2.5E-1", -0.25, false } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_json json = read_ok(CASES[i].json);
        double value;
        int64_t integer;
        cr_assert(atx_json_number(&value, &json, 0));
        cr_assert_float_eq(value, CASES[i].value, 1e-12);
        cr_assert_eq(atx_json_integer(&integer, &json, 0), CASES[i].is_integer, "%s", CASES[i].json);
        atx_json_clear(&json);
    }
}

Test(json, takes_what_python_writes)
{
    atx_json json = read_ok("[NaN, Infinity, -Infinity]");
    double value;
    int64_t integer;
    uint32_t at = atx_json_first(&json, 0);
    cr_assert(atx_json_number(&value, &json, at) && isnan(value));
    cr_assert_not(atx_json_integer(&integer, &json, at));
    at = atx_json_next(&json, at);
    cr_assert(atx_json_number(&value, &json, at) && isinf(value));
    atx_json_clear(&json);
}

Test(json, says_where_it_fails)
{
    static const struct {
        const char *json, *message;
    } CASES[] = {
        { "", "file.json:1:1: found the end; expected a value" },
        { "{\"a\": 1,\n  b: 2}", "file.json:2:3: found 'b'; expected the name of a member" },
        { "{\"a\" 1}", "file.json:1:6: found '1'; expected ':'" },
        { "[1 2]", "file.json:1:4: found '2'; expected ',' or ']'" },
        { "{\"a\":1]", "file.json:1:7: found ']'; expected ',' or '}'" },
        { "[1] x", "file.json:1:5: found 'x'; expected the end of the file" },
        { "[tru]", "file.json:1:2: found 't'; expected a value" },
        { "[1.2.3]", "file.json:1:2: found '1'; expected a number" },
        { "[1,2,]", "file.json:1:6: found ']'; expected a value" },
        { "[1,\n \"a\\qb\"]", "file.json:2:4: found '\\'; expected an escape that JSON has" },
        { "[\"\\u12g4\"]", "file.json:1:3: found '\\'; expected an escape that JSON has" },
        { "[\"a\nb\"]", "file.json:1:4: found \\x0a; expected no control character in a string" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_json json;
        at_error err = { 0 };
        cr_assert_eq(atx_json_read(&json, CASES[i].json, strlen(CASES[i].json), "file.json", &err),
                     AT_ERR_INPUT, "%s", CASES[i].json);
        cr_assert_str_eq(err.text, CASES[i].message);
    }
}

Test(json, numbers_are_those_of_the_standard)
{
    static const char *const WRONG[] = { "[01]",   "[-]",    "[1.]",   "[1.e3]", "[1e]",  "[1e+]",
                                         "[0x10]", "[-nan]", "[-inf]", "[--1]",  "[1-2]", "[-01]" };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        atx_json json;
        at_error err = { 0 };
        cr_assert_eq(atx_json_read(&json, WRONG[i], strlen(WRONG[i]), "file.json", &err), AT_ERR_INPUT, "%s",
                     WRONG[i]);
        cr_assert(strstr(err.text, "file.json:1:2: found "), "%s", err.text);
        cr_assert(strstr(err.text, "expected a number"), "%s", err.text);
    }
}

Test(json, of_equal_names_the_first_counts)
{
    atx_json json = read_ok("{\"a\": 1, \"a\": 2}");
    check_text(&json, atx_json_member(&json, 0, "a"), "1");
    atx_json_clear(&json);
}

/* An escape that is cut off is no wrong one. */
Test(json, a_text_may_be_torn_inside_of_an_escape)
{
    static const char WHOLE[] = "[\"a\", \"\\ud83d\\ude00";
    for (size_t len = 6; len < sizeof WHOLE; len++) {
        atx_json json;
        at_error err = { 0 };
        cr_assert_eq(atx_json_read(&json, WHOLE, len, "file.json", &err), AT_OK, "%zu: %s", len, err.text);
        cr_assert(json.torn && json.count == 2);
        atx_json_clear(&json);
    }
}

Test(json, refuses_deep_nesting)
{
    char text[ATX_JSON_MAX_DEPTH + 2];
    atx_json json;
    at_error err = { 0 };
    memset(text, '[', sizeof text);
    cr_assert_eq(atx_json_read(&json, text, sizeof text, "file.json", &err), AT_ERR_INPUT);
}

/* However a file is cut off, what was complete is there, and nothing else. */
Test(json, a_torn_text_keeps_what_was_complete)
{
    static const char WHOLE[] = "{\"n\": 12, \"c\": {\"k1\": {\"t\": 1.5}, \"k2\": {\"t\": 2}}}";
    for (size_t len = 1; len + 1 < sizeof WHOLE; len++) {
        atx_json json;
        at_error err = { 0 };
        int whole = 0;
        cr_assert_eq(atx_json_read(&json, WHOLE, len, "file.json", &err), AT_OK, "%zu: %s", len, err.text);
        cr_assert(json.torn);
        cr_assert_not(json.nodes[0].whole);
        uint32_t c = atx_json_member(&json, 0, "c");
        for (uint32_t at = c ? atx_json_first(&json, c) : 0; at; at = atx_json_next(&json, at)) {
            cr_assert_lt(at + 1, json.count);
            whole += json.nodes[at + 1].whole;
        }
        cr_assert_eq(whole, (len >= 32) + (len >= 48), "%zu: %d", len, whole);
        atx_json_clear(&json);
    }
}

Test(json, finds_the_place_inside_of_a_text)
{
    static const char TEXT[] = "{\n  \"e\": \"a\\n\\u0041 == x\"}";
    atx_json json = read_ok(TEXT);
    at_error err = { 0 };
    atx_json_fail(&json, atx_json_member(&json, 0, "e"), 7, &err, "found %s", "x");
    cr_assert_str_eq(err.text, "file.json:2:22: found x"); /* a, \n, \u0041, blank, ==, blank, x */
    atx_json_clear(&json);
}
