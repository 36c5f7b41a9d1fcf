/* test_header_files.c - what is found in folders of headers, and which files have changed since. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "headers_support.h"
#include "source/find_headers.h"
#include "source/headers.h"

TestSuite(header_files, .init = begin, .fini = end);

/* The note of a text, and what of the folders is behind it. */
static size_t reach(const char *folders, const char *text)
{
    atx_headers *headers = NULL;
    atx_str note = { 0 };
    at_error err = { 0 };
    size_t bytes = 0;
    cr_assert_eq(atx_headers_open(&headers, folders, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_headers_note(&note, headers, text, &err), AT_OK, "%s", err.text);
    if (note.len)
        cr_assert_eq(atx_headers_check(&bytes, headers, note.data, &err), AT_OK, "%s", err.text);
    atx_str_clear(&note);
    atx_headers_close(headers);
    return bytes;
}

Test(header_files, a_header_that_includes_itself_is_read_once)
{
    static const char SELF[] = "#ifndef SELF\n#define SELF\n#include \"self.h\"\n#include <self.h>\n#endif\n";
    put("inc/self.h", SELF);
    cr_expect_eq(reach("inc", "#include <self.h>\n"), strlen(SELF));
}

Test(header_files, quotes_find_what_lies_beside_the_header_before_what_lies_in_the_folders)
{
    mkdir("inc/deep", 0700);
    put("inc/x.h", "int of_the_folder;\n");
    put("inc/deep/x.h", "int beside;\n");
    put("inc/deep/quoted.h", "#include \"x.h\"\n");
    put("inc/deep/angles.h", "#include <x.h>\n");
    cr_expect_eq(reach("inc", "#include <deep/quoted.h>\n"), strlen("#include \"x.h\"\nint beside;\n"));
    cr_expect_eq(reach("inc", "#include <deep/angles.h>\n"), strlen("#include <x.h>\nint of_the_folder;\n"));
}

Test(header_files, what_is_only_asked_for_counts_as_well)
{
    static const char ASKS[] = "#if __has_include(<optional.h>)\n#define HAS 1\n#endif\n";
    put("inc/asks.h", ASKS);
    cr_expect_eq(reach("inc", "#include <asks.h>\n"), strlen(ASKS));
    put("inc/optional.h", "int there;\n");
    cr_expect_eq(reach("inc", "#include <asks.h>\n"), strlen(ASKS) + strlen("int there;\n"));
}

Test(header_files, an_include_whose_file_a_macro_names_is_followed_to_what_the_header_defines)
{
    static const char MACRO[] =
        "#if A\n#define FILE_OF_IT <x.h>\n#else\n # define FILE_OF_IT \\\n\"y.h\"\n#endif\n"
        "#define FILE_OF <z.h>\n#define FILE_OF_IT2 <z.h>\n#include FILE_OF_IT\n";
    put("inc/macro.h", MACRO);
    put("inc/x.h", "int x;\n");
    put("inc/y.h", "int yy;\n");
    put("inc/z.h", "int zzz;\n");
    cr_expect_eq(reach("inc", "#include <macro.h>\n"),
                 strlen(MACRO) + strlen("int x;\n") + strlen("int yy;\n"));
}

Test(header_files, what_no_compiler_includes_is_not_reached)
{
    static const char *const TEXTS[] = {
        "// #include <x.h>\n",
        "/*\n#include <x.h>\n*/\n",
        "const char *s = R\"(\n#include <x.h>\n)\";\n",
        "// a \\\n#include <x.h>\n",
        "#ifdef __has_include\n#endif\n",
    };
    put("inc/x.h", "int x;\n");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        cr_expect_eq(reach("inc", TEXTS[i]), (size_t)0, "%s", TEXTS[i]);
    cr_expect_eq(reach("inc", "#inc\\\nlude /* a\n */ <x.h>\n"), strlen("int x;\n"));
}

Test(header_files, an_include_whose_file_another_header_names_is_not_followed)
{
    static const char *const PARTS[] = { "#define FILE_OF_IT <x.h>\n#define FILE(x) <x.h>\n",
                                         "#include <names.h>\n#include FILE_OF_IT\n#include FILE(x)\n" };
    put("inc/names.h", PARTS[0]);
    put("inc/uses.h", PARTS[1]);
    put("inc/x.h", "int x;\n");
    cr_expect_eq(reach("inc", "#include <uses.h>\n"), strlen(PARTS[0]) + strlen(PARTS[1]));
}

Test(header_files, a_header_that_may_not_be_read_is_told_by_its_path)
{
    atx_headers *headers = NULL;
    atx_str note = { 0 };
    at_error err = { 0 };
    cr_assert_eq(chmod("inc/lib/detail/deep.h", 0), 0);
    cr_assert_eq(chmod(root, 0755), 0);
    if (system("chmod -R a+X inc") != 0 || (geteuid() == 0 && seteuid(65534) != 0))
        cr_skip_test("this user may read all");
    cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_headers_note(&note, headers, "#include <lib/two.h>\n", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "inc/lib/detail/deep.h: Permission denied"), "%s", err.text);
    atx_str_clear(&note);
    atx_headers_close(headers);
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
}

/* Each command reads them all: 5,000 take a fifth of a second. */
Test(header_files, thousands_of_headers_that_include_each_other_are_read_in_seconds)
{
    enum { MANY = 3000, EACH = 8 };
    char path[60], text[EACH * 30];
    size_t bytes = 0;
    mkdir("inc/many", 0700);
    for (int i = 0; i < MANY; i++) {
        int len = 0;
        for (int k = 1; k <= EACH; k++)
            len += snprintf(text + len, sizeof text - (size_t)len,
                            k & 1 ? "#include <many/%d.h>\n" : "#include \"%d.h\"\n", (i * EACH + k) % MANY);
        snprintf(path, sizeof path, "inc/many/%d.h", i);
        put(path, text);
        bytes += (size_t)len;
    }
    clock_t before = clock();
    cr_expect_eq(reach("inc", "#include <many/0.h>\n"), bytes);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    cr_expect(seconds < 20, "%g s of the processor", seconds);
}

/* ---- which of them has changed ---- */

static void change(void)
{
    put("inc/lib/detail/deep.h", "#define ONE 7\n");
}

static void take_away(void)
{
    cr_assert_eq(remove("inc/lib/large.h"), 0);
}

static void add_one(void)
{
    put("inc/lib/two.h", "#include \"detail/deep.h\"\n#include <lib/large.h>\n#include \"other.h\"\n");
}

static void change_four(void)
{
    put("inc/lib/two.h",
        "#include \"detail/deep.h\"\n#include <lib/large.h>\n#include \"x y.h\"\n#include \"other.h\"\n");
    put("inc/lib/detail/deep.h", "int deep;\n");
    put("inc/lib/large.h", "int large;\n");
    put("inc/lib/x y.h", "int xy;\n");
}

static const struct {
    void (*happens)(void);
    const char *said;
} CHANGES[] = {
    { change, "measured with: lib/detail/deep.h has changed; expected those, or a new run" },
    { take_away, "measured with: lib/large.h is not found any more; expected" },
    { add_one, "measured with: lib/two.h has changed, lib/other.h is included now; expected" },
    { change_four,
      "measured with: lib/detail/deep.h, lib/large.h and 1 more have changed, lib/other.h, lib/x y.h "
      "are included now; expected" },
};

/* A list comes from a database, for folders that were opened anew. */
Test(header_files, which_files_have_changed_is_known_from_a_list)
{
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        atx_headers *headers = NULL;
        atx_str note = { 0 }, list = { 0 };
        at_error err = { 0 };
        size_t bytes;
        end();
        begin();
        cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK);
        cr_assert_eq(atx_headers_note(&note, headers, "#include <lib/two.h>\n", &err), AT_OK);
        atx_str_add(&list, atx_headers_list(headers, note.data));
        atx_headers_close(headers);
        CHANGES[i].happens();
        cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK);
        cr_assert_eq(atx_headers_check(&bytes, headers, note.data, &err), AT_ERR_INPUT);
        cr_expect(strstr(err.text, "measured with; expected those"), "without a list: %s", err.text);
        atx_headers_know(headers, list.data);
        cr_assert_eq(atx_headers_check(&bytes, headers, note.data, &err), AT_ERR_INPUT);
        cr_expect(strstr(err.text, CHANGES[i].said), "%s", err.text);
        atx_headers_close(headers);
        atx_str_clear(&note);
        atx_str_clear(&list);
    }
}

/* It may come from anyone: it is known by its hash, so another is one that nobody asks for. */
Test(header_files, a_list_that_is_not_that_of_the_note_says_nothing)
{
    static const char *const LISTS[] = { "", "\n", "lib/two.h", "a\nb\n \n", "lib/two.h 0000\n" };
    atx_headers *headers = NULL;
    atx_str note = { 0 };
    at_error err = { 0 };
    size_t bytes;
    cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK);
    cr_assert_eq(atx_headers_note(&note, headers, "#include <lib/two.h>\n", &err), AT_OK);
    atx_headers_close(headers);
    change();
    cr_assert_eq(atx_headers_open(&headers, "inc", &err), AT_OK);
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        atx_headers_know(headers, LISTS[i]);
        cr_assert_eq(atx_headers_check(&bytes, headers, note.data, &err), AT_ERR_INPUT);
        cr_expect(strstr(err.text, "measured with; expected those"), "%s", err.text);
    }
    atx_headers_close(headers);
    atx_str_clear(&note);
}

/* ---- what a compiler is told ---- */

static void expect_places(const char *folders, const char *said)
{
    atx_headers *headers = NULL;
    atx_str note = { 0 }, places = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_headers_open(&headers, "inc:more:unused", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_headers_note(&note, headers, "#include <lib/two.h>\n#include <near.h>\n", &err), AT_OK);
    atx_headers_close(headers);
    cr_assert_eq(atx_headers_open(&headers, folders, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_headers_places(&places, headers, note.data, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(atx_str_text(&places), said);
    atx_headers_close(headers);
    atx_str_clear(&note);
    atx_str_clear(&places);
}

Test(header_files, each_folder_that_is_reached_is_named_by_a_file_that_it_has)
{
    mkdir("more", 0700);
    mkdir("unused", 0700);
    put("unused/z.h", "int z;\n");
    put("inc/near.h", "#include <b.h>\n#include <a.h>\n");
    put("more/a.h", "int a;\n");
    put("more/b.h", "int b;\n");
    expect_places("inc:more:unused", "-I DIR, which has <lib/two.h> <near.h>, -I DIR2, which has <a.h>");
    expect_places("", "-I DIR, which has <lib/two.h> <near.h>");
    expect_places("inc", "-I DIR, which has <lib/two.h> <near.h>");
}

/* Angles do not look beside the file, and quotes only beside the header that has them. */
Test(header_files, what_lies_beside_the_first_file_is_found_in_its_folder)
{
    atx_found_headers found;
    at_error err = { 0 };
    mkdir("inc/deep", 0700);
    put("inc/k.cu", "#include <deep/a.h>\n");
    put("inc/deep/a.h", "#include \"b.h\"\n");
    put("inc/b.h", "int b;\n");
    cr_assert_eq(atx_find_headers(&found, "inc/k.cu", NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(found.count, 1);
    cr_expect_str_eq(found.folders[0], ".");
    cr_expect_eq(found.missing.len, (size_t)0, "%s", atx_str_text(&found.missing));
    atx_found_headers_clear(&found);
}

/* CUDA has headers in cuda/, whose names have no ending: one with an ending is a project's. */
Test(header_files, a_project_keeps_headers_far_above_the_file_and_in_a_folder_that_cuda_has_too)
{
    static const char *const FOLDERS[] = { "src",         "src/cuda",      "src/includes",
                                           "src/a",       "src/a/b",       "src/a/b/c",
                                           "src/a/b/c/d", "src/a/b/c/d/e", "src/a/b/c/d/e/f" };
    atx_found_headers found;
    at_error err = { 0 };
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        mkdir(FOLDERS[i], 0700);
    put("src/a/b/c/d/e/f/k.cu",
        "#include \"cuda/helpers.h\"\n#include <cuda/barrier>\n#include \"kernels.h\"\n");
    put("src/cuda/helpers.h", "int h;\n");
    put("src/includes/kernels.h", "int k;\n");
    cr_assert_eq(atx_find_headers(&found, "src/a/b/c/d/e/f/k.cu", NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(found.count, 2);
    cr_expect_str_eq(found.folders[0], "../../../../../..");
    cr_expect_str_eq(found.folders[1], "../../../../../../includes");
    cr_expect_eq(found.missing.len, (size_t)0, "%s", atx_str_text(&found.missing));
    atx_found_headers_clear(&found);
}
