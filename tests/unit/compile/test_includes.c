/* test_includes.c - which files a template may include, and that no others are printed. */
#include "compile/includes.h"
#include "compile/nvrtc.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

/* t/copy has templates, t/common what they share; secret is nobody's. The tests are in t. */
static void begin(void)
{
    TEMPORARY(root, "includes");
    cr_assert_not_null(mkdtemp(root));
    cr_assert_eq(chdir(root), 0);
    mkdir("t", 0700);
    mkdir("t/copy", 0700);
    mkdir("t/common", 0700);
    mkdir("more", 0700);
    put("secret", "hidden:x:0:words\n");
    cr_assert_eq(chdir("t"), 0);
    put("copy/good.h", "#include \"deeper.h\"\n");
    put("copy/deeper.h", "#include \"../common/shared.h\"\n#define ONE 1\n");
    put("copy/leak.h", "#include \"../../secret\"\n");
    put("copy/leak2.h", "#include \"leak.h\"\n");
    put("copy/made_up.h", "#define X \"../../secret\"\n#include X\n");
    put("copy/joined.h", "// \\ \n#include \"../../secret\"\n");
    put("copy/circle.h", "#pragma once\n#include \"circle.h\"\n#define ONE 1\n");
    put("common/shared.h", "#define TWO 2\n");
    put("../more/mine.h", "#define ONE 1\n");
    cr_assert_eq(symlink("../../secret", "copy/link.h"), 0);
    cr_assert_eq(symlink("../..", "copy/up"), 0);
    cr_assert_eq(mkfifo("copy/pipe.h", 0600), 0);
}

static void end(void)
{
    char command[100];
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    (void)!system(command);
}

TestSuite(includes, .init = begin, .fini = end);

/* What is compiled instead of the source; "": the source itself. */
static atx_str check(const char *source, const char *own)
{
    atx_str safe = { 0 };
    at_error err = { 0 };
    const atx_include_folders folders = { .own = &own, .own_count = own != NULL };
    cr_assert_eq(atx_includes_check(&safe, source, "copy/h.cu", &folders, &err), AT_OK, "%s", err.text);
    return safe;
}

/* %s is the absolute path of the secret. */
static const char *const OUTSIDE[] = {
    "#include \"%s\"",
    "#include <%s>",
    "#include \"../../secret\"",
    "#include <../../secret>",
    "#include \"copy/../../../secret\"\n#include \"../copy/../../secret\"",
    "#include \"link.h\"",
    "#include \"up/secret\"",
    "#include \"pipe.h\"",
    "#include \"leak.h\"",
    "#include \"leak2.h\"",
    "#include \"made_up.h\"",
    "#define X \"%s\"\n#include X",
    "#define X <%s>\n#  include X",
    "#inc\\\nlude \"%s\"",
    "#include \\\n\"%s\"",
    "#include \"../../sec\\\nret\"",
    "%%:include \"%s\"",
    "/* x */ # /* y\n */ include /**/ \"%s\"",
    "/* x\n */#include \"%s\"",
    "\t#\tinclude\t\"%s\"",
    "int a;\n#include \"%s\"",
    "#include_next \"%s\"",
    "#embed \"%s\"",
    "#import \"%s\"",
    "// c \\ \n#include \"%s\"",
    "#if 1 \\\t\n#include \"%s\"\n#endif",
    "#inc\\ \nlude \"%s\"\nnot_so",
    "//!autotune option -std=c++14\n#inc?\?/\nlude \"%s\"",
    "//!autotune option -std=c++14\n#include \"../../secret?\?-\"",
    "// c?\?/\n#include \"%s\"",
    "?\?=include \"%s\"",
    "#\xef\xbb\xbfinclude \"%s\"",
    "R\"(\n#include \"%s\"\n)\"", /* by C++98 that is no raw string */
    "/* c\n#include \"%s\"",
    "#include \"joined.h\"",
    "#include \"/dev/zero\"",
    "#include \"/no/such/file\"",
};

static void source_of(char *out, size_t size, const char *form)
{
    char secret[80];
    snprintf(secret, sizeof secret, "%s/secret", root);
    snprintf(out, size, form, secret);
}

Test(includes, what_leads_outside_becomes_an_error)
{
    char source[300];
    for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; i++) {
        source_of(source, sizeof source, OUTSIDE[i]);
        atx_str safe = check(source, NULL);
        cr_assert(strstr(atx_str_text(&safe), "#error found an include"), "%s\nbecame\n%s", source,
                  atx_str_text(&safe));
        atx_str_clear(&safe);
    }
}

Test(includes, own_files_common_ones_and_what_is_not_there_stay)
{
    static const char *const INSIDE[] = {
        "#include \"good.h\"",
        "#include \"../common/shared.h\"",
        "#include \"up/t/copy/good.h\"",
        "#include \"circle.h\"",
        "#include <cuda_fp16.h>",
        "#include \"not_there.h\"",
        "#include \"../common/not_there.cuh\"",
        "// #include \"../../secret\"",
        "/* see #include */ int a;",
        "int include = 1; // 50%: include nothing",
        "#if defined(__has_include) && __has_include(\"good.h\")\n#endif",
        "#ifdef __has_include\n#endif",
        "int my__has_include(int a);",
        "int a = \\\n1;",
        "int a; // \\ \n#include \"good.h\"",
        "",
    };
    for (size_t i = 0; i < sizeof INSIDE / sizeof *INSIDE; i++) {
        atx_str safe = check(INSIDE[i], NULL);
        cr_assert_str_eq(atx_str_text(&safe), "", "%s", INSIDE[i]);
        atx_str_clear(&safe);
    }
}

Test(includes, a_folder_that_is_named_may_be_used_too)
{
    atx_str without = check("#include \"../../more/mine.h\"", NULL);
    atx_str with = check("#include \"../../more/mine.h\"\n#include <mine.h>", "../more");
    cr_assert_neq(without.len, 0);
    cr_assert_str_eq(atx_str_text(&with), "");
    atx_str_clear(&without);
    atx_str_clear(&with);
}

Test(includes, whether_a_file_outside_is_there_cannot_be_asked)
{
    static const char *const QUESTIONS[] = {
        "#if __has_include(\"%s\")\n#endif",      "#if __has_include ( <%s> ) && 1\n#endif",
        "#if __has_include_next(\"%s\")\n#endif", "#define X \"%s\"\n#if __has_include(X)\n#endif",
        "#if __has_inc\\\nlude(\"%s\")\n#endif",  "// \\ \n#if __has_include(\"%s\")\n#endif",
    };
    char source[300];
    for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS; i++) {
        source_of(source, sizeof source, QUESTIONS[i]);
        atx_str safe = check(source, NULL);
        cr_assert(strstr(atx_str_text(&safe), "#if 0"), "%s\nbecame\n%s", source, atx_str_text(&safe));
        cr_assert_null(strstr(atx_str_text(&safe), "__has_include"), "%s", atx_str_text(&safe));
        atx_str_clear(&safe);
    }
}

/* Templates have includes for editors that a rendered kernel never sees. */
Test(includes, what_an_if_hides_is_no_error)
{
    atx_nvrtc *nvrtc = NULL;
    atx_str code = { 0 }, log = { 0 };
    atx_resources resources;
    at_error err = { 0 };
    bool ok = false;
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    at_status status =
        atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources,
                          &(atx_nvrtc_source){ "#define A 1\n#ifndef A\n#include \"../../secret\"\n#endif\n"
                                               "#include \"good.h\"\n"
                                               "extern \"C\" __global__ void k(int *p) { *p = ONE + TWO; }\n",
                                               "copy/h.cu", 80, ATX_PTX },
                          &err);
    cr_assert_eq(status, AT_OK, "%s", err.text);
    cr_assert(ok, "%s", atx_str_text(&log));
    atx_str_clear(&code);
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
}

Test(includes, the_compiler_prints_no_line_of_a_file_outside)
{
    char source[300];
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; i++) {
        atx_str code = { 0 }, log = { 0 };
        atx_resources resources;
        bool ok = true;
        source_of(source, sizeof source, OUTSIDE[i]);
        at_status status = atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources,
                                             &(atx_nvrtc_source){ source, "copy/h.cu", 80, ATX_CUBIN }, &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        cr_assert(!ok, "%s", source);
        cr_assert_null(strstr(atx_str_text(&log), "hidden"), "%s\n%s", source, atx_str_text(&log));
        cr_assert_not_null(strstr(atx_str_text(&log), "copy/h.cu("), "%s\n%s", source, atx_str_text(&log));
        atx_str_clear(&code);
        atx_str_clear(&log);
    }
    atx_nvrtc_close(nvrtc);
}

Test(includes, a_log_that_speaks_of_a_file_outside_only_names_it)
{
    const atx_include_folders folders = { .cuda = { "/usr/include" } };
    char line[200];
    static const struct {
        const char *path;
        bool stays;
    } FILES[] = { { "secret", false },
                  { "t/copy/h.cu", true },
                  { "t/common/shared.h", true },
                  { "t/copy/../../secret", false },
                  { "t/not/there.h", true } };
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        atx_str log = { 0 };
        snprintf(line, sizeof line, "h.cu(1): warning: x\n%s/%s(12): error: this\n  hidden:x\n", root,
                 FILES[i].path);
        atx_str_add(&log, line);
        atx_includes_hide(&log, "", "copy/h.cu", &folders);
        cr_assert_eq(strstr(atx_str_text(&log), "hidden") != NULL, FILES[i].stays, "%s", FILES[i].path);
        cr_assert_not_null(strstr(atx_str_text(&log), FILES[i].path), "%s", atx_str_text(&log));
        atx_str_clear(&log);
    }
    for (int quoted = 0; quoted < 2; quoted++) { /* what the source itself has is no secret */
        static const char TOLD[] =
            "(1): error: several instances of sin match:\n            function sin(float)\n";
        atx_str source = { 0 }, told = { 0 };
        atx_str_addf(&source, "#line 1 \"%s/secret\"\n  y[i] = sin(i);\n", root);
        atx_str_addf(&told, "%s/secret%s    %s\n           ^\n", root, TOLD,
                     quoted ? "y[i] = sin(i);" : "hidden");
        atx_includes_hide(&told, atx_str_text(&source), "copy/h.cu", &folders);
        cr_expect_eq(strstr(atx_str_text(&told), "sin(float)") != NULL, quoted, "%s", atx_str_text(&told));
        cr_expect(!strstr(atx_str_text(&told), "hidden"), "%s", atx_str_text(&told));
        atx_str_clear(&source);
        atx_str_clear(&told);
    }
    atx_str log = { 0 };
    atx_str_add(&log, "/usr/include/stdlib.h(1): error: that\n");
    atx_includes_hide(&log, "", "copy/h.cu", &folders);
    cr_assert_not_null(strstr(atx_str_text(&log), "that"));
    atx_str_clear(&log);
}
