/* test_text_file.c - files read line by line or whole, compressed or not: where they end, and what is
 * damaged. */
#include "util/text_file.h"

#include "store_support.h"
#include "util/clock.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static folder scratch;

static void begin(void)
{
    scratch = folder_make();
}

static void end(void)
{
    folder_remove(&scratch);
}

TestSuite(text_file, .init = begin, .fini = end);

static void write_bytes(const char *bytes, size_t len, bool compressed)
{
    gzFile file = gzopen(scratch.db, compressed ? "wb" : "wbT"); /* T: as it is */
    cr_assert_eq(gzwrite(file, bytes, (unsigned)len), (int)len);
    cr_assert_eq(gzclose(file), Z_OK);
}

static atx_text_file *open_file(void)
{
    atx_text_file *file = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_text_file_open(&file, scratch.db, &err), AT_OK, "%s", err.text);
    return file;
}

static void expect_line(atx_text_file *file, const char *wanted, bool whole)
{
    atx_str line = { 0 };
    bool got = false, is_whole = false;
    at_error err = { 0 };
    cr_assert_eq(atx_text_file_line(file, &line, SIZE_MAX, &got, &is_whole, &err), AT_OK, "%s", err.text);
    cr_assert_eq(got, wanted != NULL);
    cr_assert_str_eq(atx_str_text(&line), wanted ? wanted : "");
    cr_assert_eq(is_whole, whole);
    atx_str_clear(&line);
}

Test(text_file, lines_come_one_by_one_and_the_last_says_whether_it_is_whole)
{
    for (int compressed = 0; compressed < 2; compressed++) {
        write_bytes("one\n\nthree\nfo", 13, compressed);
        atx_text_file *file = open_file();
        expect_line(file, "one", true);
        expect_line(file, "", true);
        expect_line(file, "three", true);
        expect_line(file, "fo", false);
        expect_line(file, NULL, false);
        expect_line(file, NULL, false);
        atx_text_file_close(file);
    }
}

/* It reads blocks of 64 KiB. */
Test(text_file, a_line_may_be_longer_than_a_block_and_end_where_one_does)
{
    static char text[3 << 16], wanted[3 << 16];
    static const size_t LENGTHS[] = { (1 << 16) - 1, 1 << 16, (1 << 16) + 1, (2 << 16) + 7 };
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        memset(text, 'x', sizeof text);
        memset(wanted, 0, sizeof wanted);
        memset(wanted, 'x', LENGTHS[i]);
        text[LENGTHS[i]] = '\n';
        memcpy(text + LENGTHS[i] + 1, "end\n", 4);
        write_bytes(text, LENGTHS[i] + 5, false);
        atx_text_file *file = open_file();
        expect_line(file, wanted, true);
        expect_line(file, "end", true);
        expect_line(file, NULL, false);
        atx_text_file_close(file);
    }
}

static at_status read_all(atx_str *text, size_t limit, at_error *err)
{
    atx_text_file *file = open_file();
    atx_str_reset(text);
    at_status status = atx_text_file_all(file, text, limit, err);
    atx_text_file_close(file);
    return status;
}

Test(text_file, all_of_a_file_is_read_up_to_a_limit)
{
    static char bytes[200000];
    atx_str text = { 0 };
    at_error err = { 0 };
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i % 23);
    write_bytes(bytes, sizeof bytes, true);
    cr_assert_eq(read_all(&text, sizeof bytes, &err), AT_OK, "%s", err.text);
    cr_assert(text.len == sizeof bytes && memcmp(text.data, bytes, sizeof bytes) == 0);
    cr_assert_eq(read_all(&text, sizeof bytes - 1, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "found more than 199999 bytes, decompressed"), "%s", err.text);
    atx_str_clear(&text);
}

Test(text_file, a_compressed_file_that_ends_too_early_says_so)
{
    char bytes[4000];
    struct stat info;
    atx_str text = { 0 };
    at_error err = { 0 };
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 2654435761u >> 13);
    write_bytes(bytes, sizeof bytes, true);
    cr_assert(stat(scratch.db, &info) == 0 && truncate(scratch.db, info.st_size / 2) == 0);
    cr_assert_eq(read_all(&text, 1 << 20, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "the compressed file ends too early"), "%s", err.text);
    atx_str_clear(&text);
}

Test(text_file, a_file_that_is_not_there_is_named)
{
    atx_text_file *file = NULL;
    at_error err = { 0 };
    char first[8];
    cr_assert_eq(atx_text_file_open(&file, "/nonexistent/x", &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "/nonexistent/x: No such file or directory");
    cr_assert_eq(atx_text_file_peek(first, sizeof first, "/nonexistent/x"), 0);
    write_bytes("0123456789", 10, true);
    cr_assert_eq(atx_text_file_peek(first, sizeof first, scratch.db), sizeof first);
    cr_assert_eq(memcmp(first, "01234567", 8), 0);
    write_bytes("012", 3, true);
    cr_assert_eq(atx_text_file_peek(first, sizeof first, scratch.db), 3);
}

Test(clock, times_are_told_in_the_unit_that_suits)
{
    static const struct {
        double seconds;
        const char *text;
    } CASES[] = {
        { 34.82e-6, "34.82 us" }, { 0.5e-9, "0.00 us" }, { 0.999e-3, "999.00 us" }, { 1e-3, "1.000 ms" },
        { 0.9994, "999.400 ms" }, { 1, "1.00 s" },       { 12.3, "12.30 s" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[32];
        atx_time_text(text, sizeof text, CASES[i].seconds);
        cr_assert_str_eq(text, CASES[i].text);
    }
}
