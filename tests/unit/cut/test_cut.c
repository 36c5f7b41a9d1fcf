/* test_cut.c - exported kernels: what is left out, and that the machine code stays the same. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare_support.h"
#include "compile/nvrtc.h"
#include "cut/cut.h"
#include "lang/catalog.h"
#include "lang/render.h"
#include "space/space.h"

static void cut(atx_str *out, const char *rendered, const char *kernel, const char *name)
{
    at_error err = { 0 };
    atx_cutting cutting = { .rendered = rendered, .kernel = kernel, .name = name };
    cr_assert_eq(atx_cut(out, &cutting, &err), AT_OK, "%s", err.text);
}

/* Sources with a kernel k and constants. */
#define KNOWN   "constexpr int A = 1;\nconstexpr int B = 0;\nconstexpr int N = 4;\n"
#define K(body) "__global__ void k(int *p)\n{\n" body "}\n"

static const struct {
    const char *what, *source, *expected;
} CASES[] = {
    { "only what is reached by name stays",
      "int z;\nint g() { return f2; }\nint f2;\nstruct S { int a; };\n\n/* of T */\nusing U = S;\n" K(
          "    g(); U u;\n"),
      "int g() { return f2; }\nint f2;\nstruct S { int a; };\n\n/* of T */\nusing U = S;\n" K(
          "    g(); U u;\n") },
    { "comments go with what they are about",
      "/* a */\nint a;\n\n// b\n// more\nint b; // behind\n/* k */\n" K("    b;\n"),
      "// b\n// more\nint b; // behind\n/* k */\n" K("    b;\n") },
    { "the renderer's and the editor's parts go",
      "// autotune: x\n#define AUTOTUNE_RENDERED 1\n#define AUTOTUNE_ARG(name) name\n#line 1 "
      "\"x.cuh\"\n/*!autotune\ncommon x\n*/\n"
      "#ifndef AUTOTUNE_RENDERED\n#pragma once\n#include \"y.cuh\"\n#if 1\nint no;\n#endif\n#else\nint "
      "yes;\n#endif\n"
      "#line 1 \"t.cu\"\n__global__ void k(int AUTOTUNE_ARG(a)) { yes; }\n",
      "int yes;\n\n__global__ void k(int a) { yes; }\n" },
    { "arguments that are constants have no name",
      "#define AUTOTUNE_ARG(name)\n__global__ void k(long long AUTOTUNE_ARG(rows), int) {}\n",
      "__global__ void k(long long /* rows */, int) {}\n" },
    { "constants and enumerators go one by one",
      "constexpr int x = 1, y = 2, z = x; /* all */\nenum { P_a = 0, P_b = 1 };\nconstexpr int P = P_b;\n" K(
          "    z + P;\n"),
      "constexpr int x = 1, z = x; /* all */\nenum { P_b = 1 };\nconstexpr int P = P_b;\n" K(
          "    z + P;\n") },
    { "all overloads and specialisations stay",
      "template <int n> struct V;\ntemplate <> struct V<1> { int a; };\nvoid f(int);\nvoid f(long) {}\n" K(
          "    f(V<1>()); \n"),
      "template <int n> struct V;\ntemplate <> struct V<1> { int a; };\nvoid f(int);\nvoid f(long) {}\n" K(
          "    f(V<1>()); \n") },
    { "conditional code stays around what is reached",
      "#if X > Y\nvoid f() {}\nvoid g() {}\n#else\nvoid g() {}\n#endif\n#if Z\nint z;\n#endif\n#define Y "
      "3\n#define Q 4\n" K("    f();\n"),
      "#if X > Y\nvoid f() {}\n#endif\n#define Y 3\n" K("    f();\n") },
    { "what is of no known form stays",
      "namespace n { int a; }\nextern \"C\" { int b; }\nint c;\nS operator+(S a, S b) { return c; "
      "}\nstatic_assert(N == 4, \"\");\n" K(""),
      "namespace n { int a; }\nextern \"C\" { int b; }\nint c;\nS operator+(S a, S b) { return c; }\n" K(
          "") },
    { "strings and comments are no code",
      "int a;\nconst char *s = \"a } \\\" ; { /*\";\nconst char *r = R\"x(a }\n)\" ; )x\";\nchar q = "
      "'}';\n" K("    s, r, q; // a }\n"),
      "const char *s = \"a } \\\" ; { /*\";\nconst char *r = R\"x(a }\n)\" ; )x\";\nchar q = '}';\n" K(
          "    s, r, q; // a }\n") },
    { "what does not close is left as it is", "int a;\n__global__ void k() {\n",
      "int a;\n__global__ void k() {\n\n" },
    { "an else without an if", "else if (0) {\n}\n" K("    if (p)\n        f();\n"),
      "else if (0) {\n}\n" K("    if (p)\n        f();\n") },
    { "a number that the kernel declares itself is not the constant of that name",
      "constexpr long long to = 1LL;\nconstexpr int at = 2;\n" K(
          "    const unsigned to = f(), a = at;\n    p[to] = a;\n    int at = 3;\n    p[at] = 4;\n"),
      "constexpr int at = 2;\n" K(
          "    const unsigned to = f(), a = at;\n    p[to] = a;\n    int at = 3;\n    p[at] = 4;\n") },
    { "branches are left to the compiler",
      KNOWN K("    if (A)\n        f();\n    else if (B)\n        g();\n"),
      "constexpr int A = 1;\nconstexpr int B = 0;\n" K(
          "    if (A)\n        f();\n    else if (B)\n        g();\n") },
};

Test(cut, cases)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_str out = { 0 };
        cut(&out, CASES[i].source, "k", "k");
        cr_expect_str_eq(atx_str_text(&out), CASES[i].expected, "%s:\n%s", CASES[i].what, atx_str_text(&out));
        atx_str_clear(&out);
    }
}

Test(cut, the_kernel_gets_its_other_name)
{
    atx_str out = { 0 };
    cut(&out, "int k2;\n__global__ void k() { k2; /* k */ \"k\"; }", "k", "my_kernel");
    cr_assert_str_eq(out.data, "int k2;\n__global__ void my_kernel() { k2; /* k */ \"k\"; }\n");
    atx_str_clear(&out);
}

Test(cut, what_is_there_already_is_left_out)
{
    atx_str out = { 0 };
    atx_cutting cutting = { .rendered = "using T = int;\nstruct S { T t; };\n__global__ void k() { S s; }\n",
                            .kernel = "k",
                            .name = "k",
                            .before = "using T = int;\nint x; struct S { T t; };\n" };
    cr_assert_eq(atx_cut(&out, &cutting, NULL), AT_OK);
    cr_assert_str_eq(out.data, "struct S { T t; };\n__global__ void k() { S s; }\n");
    atx_str_clear(&out);
}

/* An #if may be of another pass of the compiler, or of another device. */
Test(cut, what_is_there_under_a_condition_is_not_left_out)
{
    atx_str out = { 0 };
    atx_cutting cutting = { .rendered = "#include <a.h>\n#include <b.h>\n__global__ void k() { a(); b(); }\n",
                            .kernel = "k",
                            .name = "k",
                            .before = "\n#if X\n#include <a.h>\n#endif\n#include <b.h>\n" };
    cr_assert_eq(atx_cut(&out, &cutting, NULL), AT_OK);
    cr_assert_str_eq(out.data, "#include <a.h>\n__global__ void k() { a(); b(); }\n");
    atx_str_clear(&out);
}

/* ---- machine code ---- */

typedef struct compiler {
    atx_nvrtc *nvrtc;
    atx_str log;
} compiler;

typedef struct code {
    atx_str cubin;
    const char *text; /* the kernel's instructions, in the cubin */
    size_t len;
    atx_resources resources;
} code;

static void find_text(code *c, const char *kernel)
{
    char name[200];
    const Elf64_Ehdr *head = (const void *)c->cubin.data;
    const Elf64_Shdr *sections = (const void *)(c->cubin.data + head->e_shoff);
    const char *names = c->cubin.data + sections[head->e_shstrndx].sh_offset;
    snprintf(name, sizeof name, ".text.%s", kernel);
    for (int i = 0; i < head->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, name) == 0) {
            c->text = c->cubin.data + sections[i].sh_offset;
            c->len = sections[i].sh_size;
        }
    cr_assert_not_null(c->text);
}

static void compile(code *out, compiler *c, const char *source, const char *kernel)
{
    bool ok = false;
    at_error err = { 0 };
    cr_assert_eq(atx_nvrtc_compile(c->nvrtc, &ok, &out->cubin, &c->log, &out->resources,
                                   &(atx_nvrtc_source){ source, "t.cu", 90, ATX_CUBIN }, &err),
                 AT_OK, "%s", err.text);
    cr_assert(ok, "%s\n%s", atx_str_text(&c->log), source);
    find_text(out, kernel);
}

static void compare(compiler *c, const atx_space *space, const int64_t *slots, const atx_problem *problem,
                    int64_t index)
{
    const atx_template *t = atx_space_template(space);
    atx_str rendered = { 0 }, text = { 0 };
    atx_config config;
    at_error err = { 0 };
    code whole = { 0 }, part = { 0 };

    atx_space_config(&config, space, index);
    cr_assert_eq(atx_render(&rendered, t, problem->type, &config, slots, &err), AT_OK, "%s", err.text);
    cut(&text, rendered.data, t->call.steps[0].kernel, "cut_kernel");
    cr_expect(!strstr(text.data, "AUTOTUNE") && !strstr(text.data, "autotune"), "%s", text.data);
    compile(&whole, c, rendered.data, t->call.steps[0].kernel);
    compile(&part, c, text.data, "cut_kernel");
    cr_expect_eq(c->log.len, 0, "%s: %s\n%s", t->text.file, atx_str_text(&c->log), text.data);
    cr_expect(whole.len == part.len && memcmp(whole.text, part.text, whole.len) == 0 &&
                  memcmp(&whole.resources, &part.resources, sizeof whole.resources) == 0,
              "%s: another kernel of\n%s", t->text.file, text.data);
    atx_str_clear(&whole.cubin);
    atx_str_clear(&part.cubin);
    atx_str_clear(&rendered);
    atx_str_clear(&text);
}

/* Up to `most` of the middle, first and last configuration of a template for a problem; how many there were.
 */
static int compare_problem(compiler *c, const atx_template *t, atx_dtype type, const int64_t sizes[3],
                           int most)
{
    atx_limits limits = some_limits();
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_problem problem;
    atx_space *space = NULL;
    at_error err = { 0 };
    int compared = 0;
    cr_assert_eq(atx_problem_init(&problem, t->op, type, sizes, 3, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_open(&space, t, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    const int64_t count = atx_space_count(space), picks[] = { count / 2, 0, count - 1 };
    for (int i = 0; i < 3 && i < count && i < most; i++, compared++)
        compare(c, space, slots, &problem, picks[i]);
    atx_space_close(space);
    return compared;
}

/* One configuration of each template; all of them where all cases are tried. */
static void compare_op(const char *name)
{
    const int most = getenv("AUTOTUNE_TEST_ALL") ? 1000 : 1;
    static const struct {
        atx_dtype type;
        int64_t sizes[3];
    } PROBLEMS[] = {
        { ATX_F32, { 1, 4096, 4096 } }, { ATX_U8, { 1, 4097, 4095 } },   { ATX_U16, { 10000, 16, 17 } },
        { ATX_U16, { 1, 4096, 4096 } }, { ATX_C128, { 3, 1000, 1001 } }, { ATX_F32, { 7, 1000, 3 } },
        { ATX_F64, { 100000, 2, 2 } },  { ATX_U8, { 1, 1, 1000 } },
    };
    compiler c = { 0 };
    atx_catalog *catalog = NULL;
    if (atx_nvrtc_open(&c.nvrtc, NULL) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(atx_catalog_open(&catalog, AT_SOURCE_DIR "/tests/data/templates", NULL), AT_OK);
    const atx_op *op = atx_catalog_find_op(catalog, name);
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++) {
        int compared = 0;
        for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS && compared < most; k++)
            compared += compare_problem(&c, atx_catalog_template(catalog, op, i), PROBLEMS[k].type,
                                        PROBLEMS[k].sizes, most - compared);
        cr_expect_gt(compared, 0, "%s", atx_catalog_template(catalog, op, i)->text.file);
    }
    atx_catalog_close(catalog);
    atx_nvrtc_close(c.nvrtc);
    atx_str_clear(&c.log);
}

Test(cut, transposes_are_the_same_machine_code)
{
    compare_op("transpose");
}

Test(cut, copies_are_the_same_machine_code)
{
    compare_op("copy");
}
