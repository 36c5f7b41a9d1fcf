/* test_npy.c - headers of NumPy files: their meaning, and messages about bad ones. */
#include "lang/npy.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A header of this version with this text. */
static size_t write_head(char *out, int version, const char *text)
{
    size_t len = strlen(text), head = version == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY\0\0\0\0\0\0", 12);
    out[6] = (char)version;
    out[8] = (char)(len & 255);
    out[9] = (char)(len >> 8);
    memcpy(out + head, text, len);
    return head + len;
}

Test(npy, headers_of_every_version_say_what_the_array_is)
{
    for (int version = 1; version <= 3; version++) {
        char bytes[200];
        at_error err = { 0 };
        atx_npy npy = { 0 };
        size_t len = write_head(bytes, version,
                                "{'descr': '<c16', 'fortran_order': True, 'shape': (3, 0, 5), }        \n");
        cr_assert_eq(atx_npy_read(&npy, bytes, len, "a.npy", &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(npy.descr, "<c16");
        cr_assert(npy.bytes == 16 && npy.fortran && npy.dims == 3 && npy.shape[2] == 5 && npy.elements == 0);
        cr_assert_eq(npy.data_at, (int64_t)len);
    }
}

static const struct {
    const char *text, *says;
} BAD[] = {
    { "   ", "expected a dictionary" },
    { "{}", "expected descr, fortran_order and shape" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", "expected ',' or '}' behind an entry" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", "expected a shape, as in (3, 4)" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "expected a shape, as in (3, 4)" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "expected sizes in its shape" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999)}", "expected sizes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "at most 8 dimensions" },
    { "{'descr': '<f4', 'fortran_order': no, 'shape': (3,)}", "expected True or False" },
    { "{'descr': '<f4', 'descr': '<f4', 'shape': (3,)}", "each once" },
    { "{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}",
      "found elements of '>f4'; expected little-endian" },
    { "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "found elements of '|O'" },
    { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", "expected one element type" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", "expected nothing behind its dictionary" },
};

Test(npy, bad_headers_are_explained)
{
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char bytes[200];
        at_error err = { 0 };
        atx_npy npy = { 0 };
        size_t len = write_head(bytes, 1, BAD[i].text);
        cr_assert_eq(atx_npy_read(&npy, bytes, len, "a.npy", &err), AT_ERR_INPUT, "%zu", i);
        cr_assert(strstr(err.text, "a.npy: ") && strstr(err.text, BAD[i].says), "%zu: %s", i, err.text);
    }
}

/* Every header that is cut off is refused, wherever it is. */
Test(npy, headers_that_are_cut_off_are_refused)
{
    char bytes[200];
    atx_npy npy = { 0 };
    size_t len = write_head(bytes, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}");
    for (size_t n = 0; n < len; n++)
        cr_assert_eq(atx_npy_read(&npy, bytes, n, "a.npy", NULL), AT_ERR_INPUT, "%zu", n);
}

static void expect_open(const char *text, atx_dtype type, bool storage, int64_t elements, const char *says)
{
    char path[64], bytes[300] = "";
    at_error err = { 0 };
    atx_npy npy;
    size_t len = write_head(bytes, 1, text);
    int fd = mkstemp(TEMPORARY(path, "npy"));
    FILE *file = fdopen(fd, "wb");
    fwrite(bytes, 1, len + 24, file); /* 24 bytes of data */
    fclose(file);
    at_status status = atx_npy_open(&npy, path, type, storage, elements, &err);
    remove(path);
    cr_assert_eq(status, says ? AT_ERR_INPUT : AT_OK, "%s", err.text);
    cr_assert(!says || strstr(err.text, says), "%s", err.text);
}

#define ARRAY(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': (" shape ")}"

Test(npy, type_order_and_number_are_those_of_the_declaration)
{
    expect_open(ARRAY("<f4", "False", "2, 3"), ATX_F32, false, 6, NULL);
    expect_open(ARRAY("<u2", "False", "12,"), ATX_BF16, false, 12, NULL);
    expect_open(ARRAY("|b1", "False", "24,"), ATX_U8, false, 24, NULL);
    expect_open(ARRAY("<i4", "True", "6,"), ATX_F32, true, 6, NULL);
    expect_open(ARRAY("<i4", "False", "6,"), ATX_F32, false, 6, "found elements of '<i4'; expected f32");
    expect_open(ARRAY("<f8", "False", "3,"), ATX_F32, true, 3, "expected any of the size of f32");
    expect_open(ARRAY("<f4", "True", "2, 3"), ATX_F32, false, 6, "expected C's, as numpy.ascontiguousarray");
    expect_open(ARRAY("<f4", "False", "2, 3"), ATX_F32, false, 7, "found 6 elements; expected 7");
    expect_open(ARRAY("<f4", "False", "7,"), ATX_F32, false, 7, "expected 7 elements of 4 in it");
}

Test(npy, what_is_no_file_is_refused)
{
    at_error err = { 0 };
    atx_npy npy;
    cr_assert_eq(atx_npy_open(&npy, "/tmp/no/such.npy", ATX_F32, false, 1, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "/tmp/no/such.npy: No such file"), "%s", err.text);
    cr_assert_eq(atx_npy_open(&npy, "/dev/null", ATX_F32, false, 1, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "/dev/null: found a device; expected a regular file"), "%s", err.text);
}

/* Nobody writes into it: to wait for that would be for ever. */
Test(npy, a_pipe_is_refused_at_once, .timeout = 30)
{
    char path[64];
    at_error err = { 0 };
    atx_npy npy;
    close(mkstemp(TEMPORARY(path, "npy")));
    remove(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    at_status status = atx_npy_open(&npy, path, ATX_F32, false, 1, &err);
    remove(path);
    cr_assert_eq(status, AT_ERR_INPUT);
    cr_assert(strstr(err.text, "found a pipe; expected a regular file"), "%s", err.text);
}
