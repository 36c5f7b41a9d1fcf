/* test_headers.c - folders of headers that the user names: what of them counts, and who may reach them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "declare_support.h"
#include "headers_support.h"
#include "compile/ahead.h"
#include "compile/nvrtc.h"
#include "compile/pool.h"
#include "declare/declare_common.h"
#include "lang/render.h"
#include "source/headers.h"

#define BLOCK "/*!autotune\ntemplate t\nkernel k\ngrid 1\nblock 1\n*/\n"
#define KERNEL                                                                                               \
    "extern \"C\" __global__ void k(T *out, const T *in, int rows, int cols) { out[0] = TWO * in[0]; }\n"

TestSuite(headers, .init = begin, .fini = end);

/* op/t.cu, read where the user has named these folders (NULL: none). */
static at_status read_with(atx_template **t, const atx_op *op, const char *text, const char *folders,
                           at_error *err)
{
    atx_headers *headers = NULL;
    at_status status = atx_headers_open(&headers, folders, err);
    atx_allowed *allowed = NULL;
    if (status == AT_OK)
        status = atx_allowed_open(&allowed, ".", NULL, headers, err);
    atx_commons files = { .allowed = allowed, .headers = headers };
    if (status == AT_OK)
        status = atx_template_read_with(t, op, &files, text, strlen(text), "op/t.cu", err);
    atx_allowed_close(allowed);
    atx_headers_close(headers);
    return status;
}

static atx_template *must_read(const atx_op *op, const char *text, const char *folders)
{
    atx_template *t = NULL;
    at_error err = { 0 };
    cr_assert_eq(read_with(&t, op, text, folders, &err), AT_OK, "%s", err.text);
    return t;
}

/* The hash of a template in which a file of the folder inc is included. */
static void hash_of(char hash[ATX_HASH_TEXT], const char *text, const char *folders)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = must_read(op, text, folders);
    memcpy(hash, t->text.hash, sizeof t->text.hash);
    atx_template_close(t);
    atx_op_close(op);
}

static const char TWO[] = BLOCK "#include <lib/two.h>\n" KERNEL;

static at_status render_with(atx_str *out, const char *text, const char *folders)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    const atx_config config = { { 0 } };
    at_error err = { 0 };
    atx_op *op = read_op(MINI_OP);
    atx_template *t = must_read(op, text, folders);
    bind_problem(slots, op, 64, 64);
    at_status status = atx_render(out, t, ATX_F32, &config, slots, &err);
    atx_template_close(t);
    atx_op_close(op);
    return status;
}

/* ---- what counts ---- */

Test(headers, a_template_is_another_one_when_a_header_it_reaches_is)
{
    char before[ATX_HASH_TEXT], after[ATX_HASH_TEXT];
    hash_of(before, TWO, "inc");
    put("inc/lib/detail/deep.h", "#ifndef DEEP\n#define DEEP\n#define ONE 2\n#endif\n");
    hash_of(after, TWO, "inc");
    cr_expect_str_neq(before, after, "a nested header");
    put("inc/lib/detail/deep.h", "#ifndef DEEP\n#define DEEP\n#define ONE 1\n#endif\n");
    hash_of(after, TWO, "inc");
    cr_expect_str_eq(before, after, "as it was");
    put("inc/lib/other.h", "int another;\n");
    hash_of(after, TWO, "inc");
    cr_expect_str_eq(before, after, "a header that is not reached");
    cr_assert_eq(rename("inc", "elsewhere"), 0);
    hash_of(after, TWO, "elsewhere");
    cr_expect_str_eq(before, after, "the same folder elsewhere");
}

/* The note in a text about its headers. */
static atx_str note_of(atx_headers *h, const char *text)
{
    atx_str note = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_headers_note(&note, h, text, &err), AT_OK, "%s", err.text);
    return note;
}

static atx_headers *open_headers(const char *folders)
{
    atx_headers *h = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_headers_open(&h, folders, &err), AT_OK, "%s", err.text);
    return h;
}

/* As in a worker, which keeps the files that it has read. */
Test(headers, a_header_that_changes_meanwhile_is_read_again)
{
    atx_headers *h = open_headers("inc");
    atx_str before = note_of(h, TWO), after;
    put("inc/lib/detail/deep.h", "#define ONE 2\n");
    after = note_of(h, TWO);
    cr_expect_str_neq(before.data, after.data);
    atx_str_clear(&after);
    put("new", "#ifndef DEEP\n#define DEEP\n#define ONE 1\n#endif\n");
    cr_assert_eq(rename("new", "inc/lib/detail/deep.h"), 0);
    after = note_of(h, TWO);
    cr_expect_str_eq(before.data, after.data, "as it was");
    atx_str_clear(&after);
    put("inc/lib/detail/deep.h", "#include <lib/other.h>\n#define ONE 1\n");
    atx_str other = note_of(h, TWO);
    put("inc/lib/other.h", "int another;\n");
    after = note_of(h, TWO);
    cr_expect_str_neq(other.data, after.data, "what it includes now");
    atx_str_clear(&after);
    put("inc/lib/detail/deep.h", "#ifndef DEEP\n#define DEEP\n#define ONE 1\n#endif\n");
    after = note_of(h, TWO);
    cr_expect_str_eq(before.data, after.data, "and no more");
    atx_str_clear(&before);
    atx_str_clear(&other);
    atx_str_clear(&after);
    atx_headers_close(h);
}

Test(headers, a_header_does_not_count_what_it_includes_by_its_whole_path)
{
    char text[120];
    snprintf(text, sizeof text, "#include \"%s/secret\"\n", root);
    put("inc/lib/whole.h", text);
    atx_headers *h = open_headers("inc");
    atx_str before = note_of(h, "#include <lib/whole.h>\n");
    put("secret", "hidden:x:0:other words\n");
    atx_str after = note_of(h, "#include <lib/whole.h>\n");
    cr_expect_str_eq(before.data, after.data);
    atx_str_clear(&before);
    atx_str_clear(&after);
    atx_headers_close(h);
}

/* Which file has which text, not in which order they are met. */
Test(headers, two_headers_that_change_places_are_others)
{
    static const char BOTH[] = "#include <lib/a.h>\n#include <lib/b.h>\n";
    put("inc/lib/a.h", "#define A 1\n");
    put("inc/lib/b.h", "#define A 2\n");
    atx_headers *h = open_headers("inc");
    atx_str before = note_of(h, BOTH), swapped = note_of(h, "#include <lib/b.h>\n#include <lib/a.h>\n");
    cr_expect(strncmp(before.data, swapped.data, ATX_HASH_TEXT - 1) == 0, "%s, %s", before.data,
              swapped.data);
    cr_assert_eq(
        rename("inc/lib/a.h", "c") | rename("inc/lib/b.h", "inc/lib/a.h") | rename("c", "inc/lib/b.h"), 0);
    atx_str after = note_of(h, BOTH);
    cr_expect(strncmp(before.data, after.data, ATX_HASH_TEXT - 1) != 0);
    atx_str_clear(&before);
    atx_str_clear(&swapped);
    atx_str_clear(&after);
    atx_headers_close(h);
}

Test(headers, a_name_that_does_not_end_is_none)
{
    static const char *const TEXTS[] = { "#include <lib/two.h", "#include <lib/two.h\n>",
                                         "#include \"lib/two.h>\n" };
    atx_headers *h = open_headers("inc");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        atx_str note = note_of(h, TEXTS[i]);
        cr_expect_eq(note.len, 0, "%s: %s", TEXTS[i], atx_str_text(&note));
        atx_str_clear(&note);
    }
    atx_headers_close(h);
}

/* Each character of the hash counts. */
Test(headers, a_kernel_is_not_compiled_with_headers_of_another_hash)
{
    atx_headers *h = open_headers("inc");
    atx_str note = note_of(h, TWO);
    at_error err = { 0 };
    size_t bytes = 0;
    cr_expect_eq(atx_headers_check(&bytes, h, note.data, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < ATX_HASH_TEXT - 1; i++) {
        const char kept = note.data[i];
        note.data[i] = kept == '0' ? '1' : '0';
        cr_expect_eq(atx_headers_check(&bytes, h, note.data, &err), AT_ERR_INPUT, "character %d", i);
        note.data[i] = kept;
    }
    cr_expect(strstr(err.text, "found other headers behind <lib/two.h>"), "%s", err.text);
    atx_str_clear(&note);
    atx_headers_close(h);
}

Test(headers, a_template_that_reaches_none_is_the_same_whatever_folders_are_named)
{
    static const char *const TEXTS[] = {
        BLOCK "#include <cuda_fp16.h>\nvoid k();\n",
        BLOCK "#include \"beside.h\"\nvoid k();\n",
        BLOCK "#include <../inc/lib/other.h>\nvoid k();\n",
        BLOCK "void k();\n",
    };
    char with[ATX_HASH_TEXT], without[ATX_HASH_TEXT];
    put("op/beside.h", "int beside;\n");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        hash_of(with, TEXTS[i], "inc");
        hash_of(without, TEXTS[i], NULL);
        cr_expect_str_eq(with, without, "%s", TEXTS[i]);
    }
}

Test(headers, a_text_keeps_its_include_lines_and_says_what_they_reach)
{
    atx_str text = { 0 };
    cr_assert_eq(render_with(&text, TWO, "inc"), AT_OK);
    cr_expect(strstr(text.data, "//!autotune headers "), "%s", text.data);
    cr_expect(strstr(text.data, " <lib/two.h>\n"), "%s", text.data);
    cr_expect(strstr(text.data, "\n#include <lib/two.h>\n"), "%s", text.data);
    cr_expect(text.len < 2000, "%zu bytes", text.len);
    atx_str_clear(&text);
    cr_assert_eq(render_with(&text, BLOCK "void k();\n", "inc"), AT_OK);
    cr_expect_null(strstr(text.data, "headers"), "%s", text.data);
    atx_str_clear(&text);
}

Test(headers, what_lies_in_a_named_folder_is_not_gathered_by_an_include_line)
{
    static const char TEXT[] =
        "/*!autotune\ntemplate t\nsource ../k.cu\ninclude ../inc\nkernel k\ngrid 1\nblock 1\n*/\n";
    atx_template *t = NULL;
    at_error err = { 0 };
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "#include <lib/two.h>\nvoid k();\n");
    cr_assert_eq(read_with(&t, op, TEXT, NULL, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "more than 1048576 bytes") && strstr(err.text, "--headers DIR"), "%s",
              err.text);
    cr_assert_eq(read_with(&t, op, TEXT, "inc", &err), AT_OK, "%s", err.text);
    cr_expect(strstr(t->text.source, "#include <lib/two.h>"), "%s", t->text.source);
    atx_template_close(t);
    atx_op_close(op);
}

Test(headers, a_stored_text_is_read_without_the_folder)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = must_read(op, TWO, "inc"), *again = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_template_read(&again, op, t->text.source, t->text.source_len, "op/t.cu", &err), AT_OK,
                 "%s", err.text);
    cr_expect_str_eq(again->text.hash, t->text.hash);
    cr_expect_str_eq(again->text.headers, t->text.headers);
    atx_template_close(t);
    atx_template_close(again);
    atx_op_close(op);
}

Test(headers, an_op_whose_reference_includes_them_is_another_one_when_they_are)
{
    static const char TEXT[] = MINI_OP "#include <lib/two.h>\n";
    atx_headers *headers = NULL;
    at_error err = { 0 };
    char before[ATX_HASH_TEXT];
    for (int i = 0; i < 2; i++) {
        atx_op *op = NULL;
        cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK, "%s", err.text);
        atx_allowed *allowed = NULL;
        cr_assert_eq(atx_allowed_open(&allowed, ".", NULL, headers, &err), AT_OK, "%s", err.text);
        const atx_commons files = { .allowed = allowed, .headers = headers };
        cr_assert_eq(atx_op_read_with(&op, &files, TEXT, strlen(TEXT), "op/op.cu", &err), AT_OK, "%s",
                     err.text);
        cr_assert_not_null(op->text.headers);
        if (i)
            cr_expect_str_neq(op->text.hash, before);
        memcpy(before, op->text.hash, sizeof before);
        atx_op_close(op);
        atx_allowed_close(allowed);
        atx_headers_close(headers);
        put("inc/lib/detail/deep.h", "#define ONE 2\n");
    }
}

/* ---- folders ---- */

Test(headers, a_folder_that_cannot_be_read_is_told)
{
    static const struct {
        const char *folders, *said;
    } WRONG[] = {
        { "nowhere", "headers: nowhere: No such file" },
        { "inc:nowhere", "headers: nowhere: No such file" },
        { "secret", "headers: found the file secret; expected a folder" },
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        atx_headers *headers = NULL;
        at_error err = { 0 };
        cr_assert_eq(atx_headers_open(&headers, WRONG[i].folders, &err), AT_ERR_USAGE, "%s",
                     WRONG[i].folders);
        cr_expect(strstr(err.text, WRONG[i].said), "%s", err.text);
        cr_expect_null(headers);
    }
}

Test(headers, the_first_of_several_folders_wins)
{
    atx_headers *headers = NULL;
    atx_str note = { 0 };
    at_error err = { 0 };
    size_t bytes = 0;
    mkdir("mine", 0700);
    mkdir("mine/lib", 0700);
    put("mine/lib/other.h", "int mine;\n");
    cr_assert_eq(atx_headers_open(&headers, "mine:inc:", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_headers_count(headers), 2);
    cr_assert_eq(atx_headers_note(&note, headers, "#include <lib/other.h>\n", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_headers_check(&bytes, headers, note.data, &err), AT_OK, "%s", err.text);
    cr_expect_eq(bytes, strlen("int mine;\n"));
    atx_str_clear(&note);
    atx_headers_close(headers);
}

Test(headers, a_folder_whose_name_has_a_colon_is_named_by_a_link)
{
    atx_headers *headers = NULL;
    at_error err = { 0 };
    mkdir("a:b", 0700);
    cr_assert_eq(atx_headers_open(&headers, "inc:a:b", &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "found the folder a:b, and ':' stands between folders"), "%s", err.text);
    cr_expect(strstr(err.text, "link to the folder"), "%s", err.text);
    cr_assert_eq(symlink("a:b", "ab"), 0);
    cr_assert_eq(atx_headers_open(&headers, "inc:ab", &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_headers_count(headers), 2);
    atx_headers_close(headers);
}

/* A macro of a template's may be meant for a header only when a header has its name. */
Test(headers, it_is_known_which_names_they_use)
{
    static const char USES[] = "//!autotune headers 00 <lib/two.h>\n#define ONE 3\n#line 1 \"t.cu\"\n"
                               "#include <lib/two.h>\n",
                      FREE[] =
                          "//!autotune headers 00 <lib/two.h>\n#define TILE_OF_MINE 3\n#line 1 \"t.cu\"\n"
                          "#include <lib/two.h>\n";
    atx_headers *headers = NULL;
    atx_str note = { 0 }, lines = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK, "%s", err.text);
    cr_expect(atx_headers_may_use(headers, "TILE_OF_MINE", 12), "nothing was read yet");
    cr_assert_eq(atx_headers_note(&note, headers, "#include <lib/two.h>\n", &err), AT_OK, "%s", err.text);
    cr_expect(atx_headers_may_use(headers, "ONE", 3) && atx_headers_may_use(headers, "DEEP", 4));
    cr_expect(!atx_headers_may_use(headers, "TILE_OF_MINE", 12));
    atx_ahead_lines(&lines, USES, headers, 1 << 20);
    cr_expect_str_eq(atx_str_text(&lines), "");
    atx_ahead_lines(&lines, FREE, headers, 1 << 20);
    cr_expect_str_eq(atx_str_text(&lines), "#include <lib/two.h>\n");
    atx_str_clear(&note);
    atx_str_clear(&lines);
    atx_headers_close(headers);
}

/* ---- compiling ---- */

static atx_nvrtc *open_nvrtc(const char *folders)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    unsetenv(ATX_HEADERS_ENV);
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(atx_nvrtc_use_headers(nvrtc, folders, &err), AT_OK, "%s", err.text);
    return nvrtc;
}

static at_status compile(atx_nvrtc *nvrtc, bool *ok, atx_str *log, const char *text, at_error *err)
{
    atx_str code = { 0 };
    atx_resources resources;
    *ok = false;
    at_status status = atx_nvrtc_compile(nvrtc, ok, &code, log, &resources,
                                         &(atx_nvrtc_source){ text, "op/t.cu", 80, ATX_PTX }, err);
    atx_str_clear(&code);
    return status;
}

Test(headers, a_kernel_is_compiled_with_the_headers_it_was_read_with_and_no_others)
{
    atx_nvrtc *nvrtc = open_nvrtc("inc"), *without = open_nvrtc("");
    atx_str text = { 0 }, log = { 0 };
    at_error err = { 0 };
    bool ok;
    cr_assert_eq(render_with(&text, TWO, "inc"), AT_OK);
    cr_assert_eq(compile(nvrtc, &ok, &log, text.data, &err), AT_OK, "%s", err.text);
    cr_expect(ok, "%s", atx_str_text(&log));
    cr_assert_eq(compile(without, &ok, &log, text.data, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "<lib/two.h>") && strstr(err.text, "--headers DIR"), "%s", err.text);
    put("inc/lib/detail/deep.h", "#define ONE 3\n");
    cr_assert_eq(compile(nvrtc, &ok, &log, text.data, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "found other headers behind <lib/two.h>"), "%s", err.text);
    cr_assert_eq(remove("inc/lib/two.h"), 0);
    cr_assert_eq(compile(nvrtc, &ok, &log, text.data, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "found no <lib/two.h>"), "%s", err.text);
    atx_str_clear(&text);
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
    atx_nvrtc_close(without);
}

/* Waits until a worker is done with a job, or none can work any more. */
static at_status finish_one(atx_pool *pool, atx_compiled *out, at_error *err)
{
    at_status status = AT_OK;
    while (status == AT_OK && !atx_pool_take(pool, out)) {
        atx_pool_wait(pool, NULL, 20);
        status = atx_pool_pump(pool, err);
    }
    return status;
}

/* A worker may be on another host: folders come with its jobs, not with its environment. */
Test(headers, every_worker_of_a_pool_sees_the_folders_that_it_was_opened_with)
{
    atx_pool *pool = NULL;
    atx_str text = { 0 };
    at_error err = { 0 };
    char path[100];
    atx_nvrtc_close(open_nvrtc("inc"));
    cr_assert_eq(render_with(&text, TWO, "inc"), AT_OK);
    put("worker", "#!/bin/sh\nunset " ATX_HEADERS_ENV "\nexec " AT_WORKER " \"$@\"\n");
    cr_assert_eq(chmod("worker", 0700), 0);
    snprintf(path, sizeof path, "%s/worker", root);
    setenv("AUTOTUNE_EXE", path, 1);
    setenv("TMPDIR", root, 1);
    snprintf(path, sizeof path, "%s/inc", root);
    setenv(ATX_HEADERS_ENV, path, 1);
    cr_assert_eq(atx_pool_open(&pool, (atx_pool_options){ .workers = 1 }, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 3; i++) {
        atx_compiled done = { 0 };
        if (i == 2)
            put("inc/lib/detail/deep.h", "#define ONE 5\n");
        cr_assert_eq(atx_pool_submit(pool, i, text.data, "op/t.cu", 80, ATX_CUBIN, &err), AT_OK);
        at_status status = finish_one(pool, &done, &err);
        cr_expect_eq(status, i == 2 ? AT_ERR_INPUT : AT_OK, "%d: %s", i, err.text);
        cr_expect(status != AT_OK || done.ok, "%s", atx_str_text(&done.log));
        atx_compiled_clear(&done);
    }
    cr_expect(strstr(err.text, "found other headers behind <lib/two.h>"), "%s", err.text);
    atx_pool_close(pool);
    atx_str_clear(&text);
}

/* Each would print the secret, or take a folder that the user did not name. */
static const char *const HOSTILE[] = {
    "#include <../../secret>\n",
    "#include <lib/../../secret>\n",
    "#include \"../secret\"\n",
    "//!autotune headers 00 <lib/two.h>\n#include <../secret>\n",
    "//!autotune headers 00 <../secret>\n#include <../secret>\n",
};

Test(headers, a_template_leads_nowhere_else_by_the_folders)
{
    atx_nvrtc *nvrtc = open_nvrtc("inc");
    for (size_t i = 0; i < sizeof HOSTILE / sizeof *HOSTILE; i++) {
        atx_str text = { 0 }, log = { 0 }, source = { 0 };
        at_error err = { 0 };
        bool ok;
        atx_str_addf(&source, "%s%s%s", TWO, HOSTILE[i], "");
        cr_assert_eq(render_with(&text, source.data, "inc"), AT_OK);
        cr_assert_eq(compile(nvrtc, &ok, &log, text.data, &err), AT_OK, "%s", err.text);
        cr_expect(!ok, "%s", text.data);
        cr_expect_null(strstr(atx_str_text(&log), "hidden"), "%s", log.data);
        atx_str_clear(&source);
        atx_str_clear(&text);
        atx_str_clear(&log);
    }
    atx_nvrtc_close(nvrtc);
}

/* What a template says itself is no note: only the head of a rendered text is read. */
Test(headers, a_template_cannot_name_a_folder_or_write_a_note)
{
    atx_nvrtc *nvrtc = open_nvrtc("");
    atx_str text = { 0 }, log = { 0 };
    at_error err = { 0 };
    bool ok;
    char source[2000];
    snprintf(source, sizeof source, "//!autotune headers %s/inc <lib/two.h>\n%s", root, TWO);
    atx_template *t = NULL;
    atx_op *op = read_op(MINI_OP);
    at_status status = read_with(&t, op, source, NULL, &err);
    if (status == AT_OK) {
        int64_t slots[ATX_MAX_SLOTS] = { 0 };
        const atx_config config = { { 0 } };
        bind_problem(slots, op, 64, 64);
        cr_assert_eq(atx_render(&text, t, ATX_F32, &config, slots, &err), AT_OK);
        cr_assert(compile(nvrtc, &ok, &log, text.data, &err) == AT_ERR_INPUT || !ok, "%s", text.data);
    }
    atx_template_close(t);
    atx_op_close(op);
    atx_str_clear(&text);
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
}
