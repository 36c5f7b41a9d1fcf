/*
 * test_hostile.c - template folders that mean no good, or were written by somebody who was tired: an error
 * that names file, line and column; never a crash, never a hang, nothing is executed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/catalog.h"
#include "lang/render.h"
#include "space/space.h"
#include "temporary.h"

static char root[64];

static void begin(void)
{
    char path[100];
    TEMPORARY(root, "hostile");
    cr_assert_not_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/copy", root);
    mkdir(path, 0777);
    cr_assert_eq(chdir(root), 0);
}

static void end(void)
{
    char command[100];
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    (void)!system(command);
}

TestSuite(hostile, .init = begin, .fini = end);

/* copy/h.cu: a template's block with these lines in it. */
static void put(const char *lines, size_t len)
{
    FILE *file = fopen("copy/h.cu", "w");
    cr_assert_not_null(file);
    fputs("/*!autotune\ntemplate h\n", file);
    fwrite(lines, 1, len, file);
    fputs("\ngrid 1\nblock 32\n*/\nextern \"C\" __global__ void copy_h(T *out, const T *in) {}\n", file);
    fclose(file);
}

static at_status open_catalog(atx_catalog **out, at_error *err)
{
    *out = NULL;
    return atx_catalog_open(out, root, err);
}

static void expect_refusal(const char *where_and_what)
{
    atx_catalog *c;
    at_error err = { 0 };
    at_status status = open_catalog(&c, &err);
    atx_catalog_close(c);
    cr_assert_eq(status, AT_ERR_INPUT, "accepted: %s", where_and_what);
    cr_assert(strstr(err.text, where_and_what), "expected: %s\nfound: %s", where_and_what, err.text);
    cr_assert(strstr(err.text, "copy/h.cu"), "%s", err.text);
}

/* ---- texts ---- */

static const struct {
    const char *lines, *says;
} TEXTS[] = {
    { "param threadIdx = 1", "h.cu:3:7: found 'threadIdx'" },
    { "param int = 1", "h.cu:3:7: found 'int'" },
    { "param template = 1", "h.cu:3:7: found 'template'" },
    { "param __shared__ = 1", "h.cu:3:7: found '__shared__'" },
    { "param uint4 = 1", "h.cu:3:7: found 'uint4'" },
    { "param longlong2 = 1", "h.cu:3:7: found 'longlong2'" },
    { "param main = 1", "h.cu:3:7: found 'main'" },
    { "param out = 1", "h.cu:3:7: found 'out', which is an argument of the operation" },
    { "param copy_h = 1", "h.cu:3:7: found 'copy_h', which is the kernel's name" },
    { "param AUTOTUNE_RENDERED = 1", "h.cu:3:7: found 'AUTOTUNE_RENDERED'" },
    { "param A = x;y", "h.cu:3:12: found ';'" },
    { "param A = \"x\"", "h.cu:3:11: found '\"'" },
    { "param A = 1; system(0)", "h.cu:3:12: found ';'" },
    { "require system(1)", "h.cu:3:9: unknown function 'system'" },
    { "require `id`", "h.cu:3:9: found '`'" },
    { "require $(id)", "h.cu:3:9: found '$'" },
    { "let B = 1 B = 2", "h.cu:3:11: found 'B'" },
    { "kernel ../../bin/sh", "h.cu:3:8: found '..'" },
    { "kernel k(){}int x", "h.cu:3:9: found '('" },
    { "template ../h", "h.cu:3:1: found a second 'template' line" },
    { "param A\xff = 1", "h.cu:3:8: found byte 0xff" },
    { "param A = 1..1000000000000", "h.cu:3:11: found more than 4096 values" },
    { "param A = 9223372036854775808", "h.cu:3:11: found '9223372036854775808'" },
    { "param A = 1\nrequire A /", "h.cu:4:12: " },
};

Test(hostile, texts_are_refused_where_they_go_wrong)
{
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        put(TEXTS[i].lines, strlen(TEXTS[i].lines));
        expect_refusal(TEXTS[i].says);
    }
}

Test(hostile, a_nul_byte)
{
    put("param A = 1\n\0", 13);
    expect_refusal("copy/h.cu:4:1: found a NUL byte");
}

/* `count` times `what`, behind `before`. */
static void put_many(const char *before, const char *what, size_t count)
{
    atx_str text = { 0 };
    atx_str_add(&text, before);
    for (size_t i = 0; i < count; i++)
        atx_str_add(&text, what);
    put(atx_str_text(&text), text.len);
    atx_str_clear(&text);
}

Test(hostile, a_line_of_a_megabyte)
{
    put_many("# ", "x", 1000000);
    expect_refusal("copy/h.cu:3:1: found a line of 1000002 bytes");
}

Test(hostile, a_file_of_megabytes)
{
    put_many("", "# many lines\n", 300000);
    expect_refusal("larger than 1048576 bytes");
}

Test(hostile, expressions_that_nest_deeply)
{
    static const char *const DEEP[] = { "(", "!", "-", "1?", "min(", "1+(", "abs(" };
    for (size_t i = 0; i < sizeof DEEP / sizeof *DEEP; i++) {
        put_many("require ", DEEP[i], 900);
        expect_refusal("nested deeper than");
    }
}

Test(hostile, thousands_of_parameters)
{
    atx_str text = { 0 };
    for (int i = 0; i < 2000; i++)
        atx_str_addf(&text, "param A%d = 1 2\n", i);
    put(atx_str_text(&text), text.len);
    expect_refusal("copy/h.cu:35:7: found more than 32 parameters");
    atx_str_clear(&text);
}

/* ---- spaces ---- */

static at_status open_space(atx_space **out, atx_catalog **catalog, at_error *err)
{
    atx_problem problem;
    int64_t slots[ATX_MAX_SLOTS];
    const atx_limits limits = { .sms = 132, .max_threads_per_block = 1024 };
    *out = NULL;
    at_status status = open_catalog(catalog, err);
    cr_assert_eq(status, AT_OK, "%s", err->text);
    const atx_op *op = atx_catalog_find_op(*catalog, "copy");
    status = atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 1000 }, 1, err);
    if (status == AT_OK)
        status = atx_problem_bind(slots, &problem, &limits, err);
    if (status == AT_OK)
        status = atx_space_open(out, atx_catalog_find_template(*catalog, op, "h"), slots, NULL, 0, err);
    return status;
}

static void put_digits(const char *require)
{
    atx_str text = { 0 };
    for (int i = 0; i < 18; i++)
        atx_str_addf(&text, "param A%d = 0 1 2 3 4 5 6 7 8 9\n", i);
    atx_str_add(&text, require);
    put(atx_str_text(&text), text.len);
    atx_str_clear(&text);
}

Test(hostile, a_space_of_10_to_the_18)
{
    atx_space *space;
    atx_catalog *c;
    at_error err = { 0 };
    put_digits("");
    cr_assert_eq(open_space(&space, &c, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_count(space), 1000000000000000000);
    atx_space_close(space);
    atx_catalog_close(c);
}

Test(hostile, a_requirement_that_fails_somewhere_in_10_to_the_18)
{
    atx_space *space;
    atx_catalog *c;
    at_error err = { 0 };
    put_digits("require 100 / (A0 - 9) < 200");
    cr_assert_eq(open_space(&space, &c, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "copy/h.cu:21:") && strstr(err.text, "division by zero"), "%s", err.text);
    atx_space_close(space);
    atx_catalog_close(c);
}

/* ---- files that are none ---- */

Test(hostile, a_folder_with_a_templates_name)
{
    cr_assert_eq(mkdir("copy/h.cu", 0777), 0);
    expect_refusal("copy/h.cu: found a folder; expected a file");
}

Test(hostile, a_pipe_with_a_templates_name)
{
    cr_assert_eq(mkfifo("copy/h.cu", 0666), 0);
    expect_refusal("copy/h.cu: found a pipe; expected a file");
}

Test(hostile, links_in_a_circle)
{
    cr_assert_eq(symlink("h.cu", "copy/h.cu"), 0);
    expect_refusal("copy/h.cu: Too many levels of symbolic links");
}

Test(hostile, a_link_to_an_endless_device)
{
    cr_assert_eq(symlink("/dev/zero", "copy/h.cu"), 0);
    expect_refusal("copy/h.cu: found a device; expected a file");
}

/* Folders are read one level deep: a link upwards ends there. */
Test(hostile, folders_in_a_circle)
{
    atx_catalog *c;
    at_error err = { 0 };
    put("param A = 1", 11);
    cr_assert_eq(symlink("..", "copy/up"), 0);
    cr_assert_eq(symlink(".", "self"), 0);
    cr_assert_eq(open_catalog(&c, &err), AT_OK, "%s", err.text);
    atx_catalog_close(c);
}

/* ---- output made of it ---- */

/* A folder's name reaches the compiler in a comment and in #line, and must end neither. */
Test(hostile, a_path_cannot_inject_code)
{
    char path[200];
    atx_str text = { 0 };
    at_error err = { 0 };
    atx_catalog *c = NULL;
    atx_config config = { 0 };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    put("param A = 1", 11);
    snprintf(path, sizeof path, "%s/x\"\ninjected", root);
    mkdir(path, 0777);
    cr_assert_eq(rename("copy", "x\"\ninjected/copy"), 0);
    cr_assert_eq(atx_catalog_open(&c, path, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(c, "copy");
    const atx_template *t = atx_catalog_find_template(c, op, "h");
    cr_assert_eq(atx_render(&text, t, ATX_F32, &config, slots, &err), AT_OK, "%s", err.text);
    cr_assert_null(strstr(atx_str_text(&text), "\ninjected"), "%s", atx_str_text(&text));
    atx_str_clear(&text);
    atx_catalog_close(c);
}

/* A comment may hold any bytes; JSON is UTF-8. */
Test(hostile, what_is_no_text_becomes_text_in_json)
{
    atx_str out = { 0 };
    atx_str_add_json(&out, "a\xff\"\x1b \xc3\xa4 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
    cr_assert_str_eq(atx_str_text(&out),
                     "\"a\\ufffd\\\"\\u001b \xc3\xa4 \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
                     "\\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\"");
    atx_str_clear(&out);
}
