/* test_str.c - the text buffer and its friends. */
#include "util/str.h"
#include "util/bug.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

Test(str, an_empty_one_reads_as_an_empty_text)
{
    atx_str s = { 0 };
    cr_assert_str_eq(atx_str_text(&s), "");
    cr_assert_eq(atx_str_status(&s, NULL), AT_OK);
    atx_str_add(&s, "");
    cr_assert(s.len == 0 && s.data && s.data[0] == '\0');
    atx_str_clear(&s);
    atx_str_clear(&s);
    cr_assert(!s.data && s.len == 0 && s.cap == 0);
}

Test(str, appends_in_every_way)
{
    atx_str s = { 0 };
    atx_str_add(&s, "ab");
    atx_str_add_bytes(&s, "\0c", 2);
    atx_str_addf(&s, "%d-%s", 42, "x");
    atx_str_add_bytes(&s, NULL, 0);
    cr_assert_eq(s.len, 8);
    cr_assert(memcmp(s.data, "ab\0c42-x", 9) == 0);
    atx_str_clear(&s);
}

Test(str, grows_and_stays_terminated)
{
    atx_str s = { 0 };
    for (int i = 0; i < 100000; i++) {
        atx_str_addf(&s, "%c", 'a' + i % 26);
        cr_assert(s.len == (size_t)i + 1 && s.len < s.cap && s.data[s.len] == '\0');
    }
    cr_assert_eq(s.data[99999], 'a' + 99999 % 26);
    atx_str_clear(&s);
}

Test(str, a_long_formatted_text_is_not_cut)
{
    atx_str s = { 0 };
    atx_str_addf(&s, "%0100000d|", 7);
    cr_assert(s.len == 100001 && s.data[99999] == '7' && s.data[100000] == '|');
    atx_str_clear(&s);
}

Test(str, reset_keeps_the_memory)
{
    atx_str s = { 0 };
    atx_str_add(&s, "something");
    char *data = s.data;
    atx_str_reset(&s);
    cr_assert(s.len == 0 && s.data == data && data[0] == '\0');
    atx_str_clear(&s);
    atx_str_reset(&s);
    cr_assert_str_eq(atx_str_text(&s), "");
}

Test(str, too_much_fails_once_and_for_all)
{
    atx_str s = { 0 };
    at_error err = { 0 };
    atx_str_add(&s, "kept");
    atx_str_add_bytes(&s, "x", ATX_STR_MAX); /* refused before a byte is read */
    atx_str_add(&s, "lost");
    cr_assert_str_eq(s.data, "kept");
    cr_assert_eq(atx_str_status(&s, &err), AT_ERR_MEMORY);
    cr_assert(err.text[0]);
    atx_str_reset(&s);
    cr_assert_eq(atx_str_status(&s, NULL), AT_OK);
    atx_str_clear(&s);
}

static const struct {
    const char *text, *json;
} JSON[] = {
    { NULL, "null" },
    { "", "\"\"" },
    { "plain", "\"plain\"" },
    { "say \"hi\" \\ /", "\"say \\\"hi\\\" \\\\ /\"" },
    { "a\nb\tc\x01\x1f", "\"a\\nb\\u0009c\\u0001\\u001f\"" },
    { "gr\xc3\xbc\xc3\x9f\x7f", "\"gr\xc3\xbc\xc3\x9f\\u007f\"" },
};

/* No locale of a test has such a character: printf's own failure, whatever it is of. */
Test(str, what_cannot_be_formatted_fails_and_leaves_what_was_there)
{
    atx_str s = { 0 };
    atx_str_add(&s, "before");
    atx_str_addf(&s, "%s %ls", "half", (const wchar_t[]){ 0x20ac, 0 });
    cr_assert_str_eq(atx_str_text(&s), "before");
    cr_assert_eq(atx_str_status(&s, NULL), AT_ERR_MEMORY);
    atx_str_clear(&s);
}

Test(str, json_is_escaped)
{
    for (size_t i = 0; i < sizeof JSON / sizeof *JSON; i++) {
        atx_str s = { 0 };
        atx_str_add_json(&s, JSON[i].text);
        cr_assert_str_eq(s.data, JSON[i].json);
        atx_str_clear(&s);
    }
}

Test(str, a_word_of_a_shell_is_quoted_where_it_must_be)
{
    static const char *const ROWS[][2] = {
        { "kernels/a-b_1.db", "kernels/a-b_1.db" },
        { "my kernels", "'my kernels'" },
        { "it's $HOME", "'it'\\''s $HOME'" },
        { "~/x", "'~/x'" },
        { "", "''" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        atx_str s = { 0 };
        atx_str_add_word(&s, ROWS[i][0]);
        cr_assert_str_eq(atx_str_text(&s), ROWS[i][1]);
        atx_str_clear(&s);
    }
}

Test(str, files_are_read_whole_up_to_a_limit)
{
    char path[64];
    atx_str s = { 0 };
    at_error err = { 0 };
    int fd = mkstemp(TEMPORARY(path, "str"));
    cr_assert(fd >= 0 && write(fd, "a\0b\n", 4) == 4 && close(fd) == 0);
    atx_str_add(&s, "before");
    cr_assert_eq(atx_str_read_file(&s, path, 3, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, path) && strstr(err.text, "larger than 3 bytes"), "%s", err.text);
    cr_assert_str_eq(s.data, "before");
    cr_assert_eq(atx_str_read_file(&s, path, 4, &err), AT_OK);
    cr_assert(s.len == 4 && memcmp(s.data, "a\0b\n", 5) == 0);
    unlink(path);
    cr_assert_eq(atx_str_read_file(&s, path, 4, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "No such file"), "%s", err.text);
    cr_assert_eq(atx_str_read_file(&s, "/tmp", 4, &err), AT_ERR_INPUT);
    cr_assert_eq(s.len, 4);
    atx_str_clear(&s);
}

Test(str, copies_are_terminated)
{
    char *copy = atx_text_copy("abcdef", 3);
    cr_assert_str_eq(copy, "abc");
    free(copy);
    copy = atx_text_copy(NULL, 0);
    cr_assert_str_eq(copy, "");
    free(copy);
}

Test(str, arrays_grow_by_doubling)
{
    int *numbers = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < 1000; i++) {
        cr_assert(atx_grow(&numbers, &cap, i, sizeof *numbers));
        cr_assert(cap > i);
        numbers[i] = (int)i;
    }
    cr_assert(numbers[999] == 999 && cap == 1024);
    size_t huge = SIZE_MAX / 2;
    cr_assert_not(atx_grow(&numbers, &huge, huge, sizeof *numbers));
    cr_assert(huge == SIZE_MAX / 2 && numbers[999] == 999);
    free(numbers);
}

Test(str, errors_are_filled_cut_and_optional)
{
    at_error err = { 0 };
    cr_assert_eq(atx_fail(&err, AT_ERR_INPUT, "%0*d", 5000, 1), AT_ERR_INPUT);
    cr_assert(err.status == AT_ERR_INPUT && strlen(err.text) == sizeof err.text - 1);
    cr_assert_eq(atx_fail(NULL, AT_ERR_DEVICE, "nobody listens"), AT_ERR_DEVICE);
    cr_assert_str_eq(at_status_name(AT_OK), "ok");
    cr_assert_str_eq(at_status_name(AT_ERR_SYSTEM), "system");
    cr_assert_str_eq(at_status_name((at_status)99), "unknown");
}

Test(str, a_bug_of_ours_asks_for_a_report_and_names_the_version)
{
    at_error err = { 0 };
    cr_assert_eq(atx_bug(&err, "queue %d is full", 3), AT_ERR_INTERNAL);
    cr_assert_eq(err.status, AT_ERR_INTERNAL);
    cr_assert_str_eq(err.text, "queue 3 is full; this is a bug of autotune " AT_VERSION
                               ": please report it with this line and the command or call");
    cr_assert_eq(atx_bug(&err, "%0*d", 5000, 1), AT_ERR_INTERNAL);
    cr_assert(strlen(err.text) < sizeof err.text && strstr(err.text, "please report it"),
              "what is cut is ours");
    cr_assert_eq(atx_bug(NULL, "nobody listens"), AT_ERR_INTERNAL);
    cr_assert_str_eq(at_status_name(AT_ERR_INTERNAL), "internal");
}

/* From another process: a number that is no failure must not become one of success, or an index. */
Test(str, statuses_of_other_processes_are_failures)
{
    for (int known = AT_OK + 1; known <= AT_ERR_INTERNAL; known++)
        cr_assert_eq(atx_status_of(known), (at_status)known);
    cr_assert_eq(atx_status_of(AT_OK), AT_ERR_INTERNAL);
    cr_assert_eq(atx_status_of(-1), AT_ERR_INTERNAL);
    cr_assert_eq(atx_status_of(AT_ERR_INTERNAL + 1), AT_ERR_INTERNAL);
    cr_assert_eq(atx_status_of(INT64_MAX), AT_ERR_INTERNAL);
}

Test(str, adds_whole_numbers_as_printf_does)
{
    static const int64_t VALUES[] = { 0, 7, -7, 10, 4096, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        atx_str s = { 0 };
        char expected[32];
        snprintf(expected, sizeof expected, "%lld", (long long)VALUES[i]);
        atx_str_add_int(&s, VALUES[i]);
        cr_assert_str_eq(atx_str_text(&s), expected);
        atx_str_clear(&s);
    }
}

/* `ssh host autotune --shapes - < shapes.txt`: the system opens no socket by its name. */
Test(str, stdin_is_read_also_where_it_is_a_socket)
{
    atx_str s = { 0 };
    at_error err = { 0 };
    int pair[2], before = dup(STDIN_FILENO);
    cr_assert(before >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_assert(dup2(pair[0], STDIN_FILENO) == STDIN_FILENO && close(pair[0]) == 0);
    cr_assert(write(pair[1], "copy 1000", 9) == 9 && close(pair[1]) == 0);
    at_status status = atx_str_read_file(&s, "/dev/stdin", 100, &err);
    cr_assert_eq(dup2(before, STDIN_FILENO), STDIN_FILENO);
    cr_assert_eq(status, AT_OK, "%s", err.text);
    cr_assert_str_eq(atx_str_text(&s), "copy 1000");
    atx_str_clear(&s);
    close(before);
}
