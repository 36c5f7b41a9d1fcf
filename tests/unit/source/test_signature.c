/* test_signature.c - what words tell of the kernels in a text, and that no text is too odd. */
#include "source/signature.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(signature);

static const char TEXT[] =
    "/* __global__ void not_this(float *a); */\n"
    "namespace ns { template <typename T, int N>\n"
    "__global__ void __launch_bounds__(64 * N, 1) f(T *__restrict__ out, const float in[], float *const "
    "last,\n"
    "                                               unsigned long long n, // how many\n"
    "                                               const int m, Pair<int, 2> pair, double x) {} }\n"
    "extern \"C\" __global__ void g(void) {}\n"
    "__global__ void twice(int a);\n__global__ void twice(int a) {}\n";

/* Each byte stays, or is a blank; ends of lines stay. Several blanks are shown as one. */
static void show_code(char *out, const char *text)
{
    atx_str left = { 0 };
    atx_code_strip(&left, text);
    cr_assert_eq(left.len, strlen(text), "%s", text);
    for (size_t i = 0; i < left.len; i++) {
        char c = left.data[i];
        cr_assert(c == text[i] || (c == ' ' && text[i] != '\n'), "%s", text);
        if (c != ' ' || i == 0 || left.data[i - 1] != ' ')
            *out++ = c;
    }
    *out = '\0';
    atx_str_clear(&left);
}

Test(signature, only_code_is_left_of_a_text)
{
    static const struct {
        const char *text, *left;
    } CASES[] = {
        { "a // b \\\n c\nd", "a \n \nd" },
        { "a // b \\\r\n c\r\nd", "a \n \nd" },
        { "a // b \\ \nc", "a \nc" }, /* NVRTC joins no such lines */
        { "a // b", "a " },
        { "a /* \" */ b /*", "a b " },
        { "a \"\\\"//\" b", "a b" },
        { "a \"b\\\nc\" d", "a \n d" },
        { "a \"b\\\r\nc\" d", "a \n d" },
        { "a \"b\nc", "a \nc" },
        { "a '\"' b '\\'' c '{' d", "a b c d" },
        { "1'000 + 0xf'f + u8'(' + 1.5e-3'1f", "1'000 + 0xf'f + u8 + 1.5e-3'1f" },
        { "a R\"(b\n\"//)\" c LR\"x(b)\")x\" d", "a \n c d" },
        { "xR\"(\" R\"12345678901234567(\" R", "xR R" },
        { "R\"(a", " " },
        { "'", " " },
        { "\"\\", " " },
        { "#if 0\na's #\n#else\nb\n#endif\nc", "#if 0\n \n#else\nb\n#endif\nc" },
        { " # if 0 // why\n#ifdef A\na\n#else\nb\n#endif\nc\n# endif\nd",
          " # if 0 \n \n \n \n \n \n \n# endif\nd" },
        { "#if 0\r\na\n#elif B\nb\n#else\nc", "#if 0\r\n \n#elif B\nb\n#else\nc" },
        { "#if 01\na\n#if 0 + 1\nb\n#if\n0\nc\n#if 0", "#if 01\na\n#if 0 + 1\nb\n#if\n0\nc\n#if 0" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char left[100];
        show_code(left, CASES[i].text);
        cr_expect_str_eq(left, CASES[i].left, "%s\nbecame\n%s|", CASES[i].text, left);
    }
}

Test(signature, names_types_pointers_and_const_are_read)
{
    static const struct {
        const char *name, *type;
        bool pointer, constant;
    } EXPECTED[] = {
        { "out", NULL, true, false }, { "in", "f32", true, true }, { "last", "f32", true, false },
        { "n", "u64", false, false }, { "m", "i32", false, true }, { "pair", NULL, false, false },
        { "x", "f64", false, false },
    };
    atx_kernel_arg args[16];
    cr_assert_eq(atx_code_args_of(args, 16, TEXT, "ns::f<float, 2>"), 7);
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        cr_expect_str_eq(args[i].name, EXPECTED[i].name);
        cr_expect_eq(args[i].pointer, EXPECTED[i].pointer, "%s", args[i].name);
        cr_expect_eq(args[i].constant, EXPECTED[i].constant, "%s", args[i].name);
        cr_expect(EXPECTED[i].type ? args[i].type && strcmp(args[i].type, EXPECTED[i].type) == 0
                                   : !args[i].type,
                  "%s", args[i].name);
    }
}

Test(signature, values_sizes_and_attributes_are_no_names)
{
    static const char ODD[] =
        "__global__ void k(const float in[SIZE], int n = 1 << SHIFT, bool flag = (A > B), Pair<int> p = {1, "
        "2},\n"
        "                  [[maybe_unused]] float (*op)(float, int), int m [[maybe_unused]] = m0 < 1,\n"
        "                  alignas(16) const float *q = nullptr, const Pair<Pair<int>> *__restrict__ r, int)";
    static const struct {
        const char *name, *type;
        bool pointer, constant;
    } EXPECTED[] = {
        { "in", "f32", true, true }, { "n", "i32", false, false }, { "flag", NULL, false, false },
        { "p", NULL, false, false }, { "op", "f32", true, false }, { "m", "i32", false, false },
        { "q", "f32", true, true },  { "r", NULL, true, true },    { "int", NULL, false, false },
    };
    atx_kernel_arg args[16];
    cr_assert_eq(atx_code_args_of(args, 16, ODD, "k"), 9);
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        cr_expect_str_eq(args[i].name, EXPECTED[i].name);
        cr_expect_eq(args[i].pointer, EXPECTED[i].pointer, "%s", args[i].name);
        cr_expect_eq(args[i].constant, EXPECTED[i].constant, "%s", args[i].name);
        cr_expect(EXPECTED[i].type ? args[i].type && strcmp(args[i].type, EXPECTED[i].type) == 0
                                   : !args[i].type,
                  "%s", args[i].name);
    }
}

Test(signature, what_is_not_there_once_has_no_parameters)
{
    atx_kernel_arg args[4];
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "g"), 0);
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "twice"), -1, "which of them?");
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "not_this"), -1, "a comment");
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "f"), -1, "more than four");
    cr_expect_eq(atx_code_args_of(args, 4, "", ""), -1);
}

Test(signature, templates_are_known_from_kernels_as_they_are)
{
    static const char *const PLAIN[] = { "g", "twice", "not_this", "nowhere" };
    cr_expect(atx_code_is_template(TEXT, "f"));
    cr_expect(atx_code_is_template(TEXT, "ns::f"));
    cr_expect(atx_code_is_template(
        "struct S {};\ntemplate <int N>\n__launch_bounds__(N) __global__ void h(int a) {}", "h"));
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++)
        cr_expect_not(atx_code_is_template(TEXT, PLAIN[i]), "%s", PLAIN[i]);
    cr_expect_not(atx_code_is_template("template <int N> struct S {}; __global__ void h(int a) {}", "h"));
    cr_expect_not(atx_code_is_template(
        "template <int N> __global__ void other(int a); __global__ void h(int a);", "h"));
}

/* A name is what stands before the bracket of the parameters, however long, whatever stands around it. */
Test(signature, kernels_are_found_by_whole_words)
{
    static const struct {
        const char *text, *name;
    } CASES[] = {
        { "__global__ void f(int a)", "f" },
        { "__global__ void __launch_bounds__(64) f(int a)", "f" },
        { "__global__ void f __launch_bounds__(64) (int a)", "f" },
        { "__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) f(int a)", "f" },
        { "__global__ __attribute__((used)) void __maxnreg__ (32) f(int a)", "f" },
        { "__global__ [[maybe_unused]] void f(int a)", "f" },
        { "__global__ void LAUNCH(max(64, N)) f(int a) {", "f" },
        { "__global__ void LAUNCH(64) SMALL\n f(int a);", "f" },
        { "__global__ void f(int a) noexcept(true) {", "f" },
        { "__global__ void f(int a) requires(N > 2) {", "f" },
        { "__global__ void f(int a) __attribute__((used));", "f" },
        { "__global__ void f(int a) EMPTY {", "f" },
        { "__global__ void f(int a", "f" },
        { "__global__ [[", NULL },
        { "__global__ void LAUNCH(", "LAUNCH" },
        { "__global__launch_bounds__(g", NULL },
        { "my__global__ void f(int a)", NULL },
        { "__global____global__ void f(int a)", NULL },
        { "__global__(int a)", NULL },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_kernel_text k;
        const char *at = CASES[i].text, *name = CASES[i].name;
        cr_assert_eq(atx_code_kernel(&k, &at), name != NULL, "%s", CASES[i].text);
        cr_expect(!name || (k.len == strlen(name) && memcmp(k.name, name, k.len) == 0), "%s", CASES[i].text);
        cr_expect(!name || !*k.open || strncmp(k.open, "int a", 5) == 0, "%s", CASES[i].text);
    }
}

Test(signature, names_are_compared_whole)
{
    char text[400], name[101] = "";
    atx_kernel_arg args[4];
    memset(name, 'k', 100);
    snprintf(text, sizeof text, "__global__ void %s(int a) {} __global__ void %s2(int a, int b) {}", name,
             name);
    cr_expect_eq(atx_code_args_of(args, 4, text, name), 1);
    name[99] = '\0';
    cr_expect_eq(atx_code_args_of(args, 4, text, name), -1, "no kernel has the shorter name");
}

/* 63 letters are the most that a declaration has. */
#define MOST "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

Test(signature, longer_names_than_any_are_told_whole_and_equal_to_none)
{
    static const char CODE[] = "// a comment\n__constant__ float " MOST
                               "c[9];\n__global__ void f(float *" MOST ", float *" MOST "x) {}\n";
    atx_kernel_arg args[4], variable;
    const char *behind, *at = CODE;
    char near[ATX_MAX_WORD];
    cr_assert_eq(atx_code_args_of(args, 4, CODE, "f"), 2);
    cr_expect_str_eq(args[0].name, MOST);
    cr_expect_str_eq(args[1].name, "", "not the name of the first");
    cr_expect(args[1].len == 64 && strncmp(args[1].text, MOST "x) {}", 68) == 0, "%s", args[1].text);
    cr_expect(args[1].text > CODE && args[1].text < CODE + sizeof CODE, "in the text that was asked about");
    cr_assert(atx_code_constant(&variable, &behind, &at));
    cr_expect_str_eq(variable.name, "");
    cr_expect(variable.len == 64 && strncmp(variable.text, MOST "c[9]", 67) == 0);
    cr_expect_not(atx_code_nearest_kernel(near, "__global__ void " MOST "f() {}", "g"));
    cr_expect_not(
        atx_code_nearest_kernel(near, "__global__ void " MOST "() {}\n__global__ void g() {}", MOST "f"));
}

Test(signature, near_names_are_offered)
{
    char near[ATX_MAX_WORD];
    cr_assert(atx_code_nearest_kernel(near, "__global__ void matmul(int a) {} __global__ void other() {}",
                                      "matmull"));
    cr_assert_str_eq(near, "matmul");
    cr_assert(atx_code_nearest_kernel(near, "__global__ void f(int a) {}", "something"), "the only one");
    cr_assert_str_eq(near, "f");
    cr_assert_not(atx_code_nearest_kernel(near, TEXT, "something_else"));
    cr_assert_not(atx_code_nearest_kernel(near, "", "f"));
}

Test(signature, constants_without_a_value_are_found)
{
    const char *at =
        "__constant__ float a[3][4]; __constant__ int b = 3; __constant__ float c[2] = { 1, 2 }; "
        "__constant__ struct s d; __constant__ int e{1}; __constant__";
    const char *behind = NULL;
    atx_kernel_arg found;
    cr_assert(atx_code_constant(&found, &behind, &at));
    cr_assert_str_eq(found.name, "a");
    cr_assert_str_eq(found.type, "f32");
    cr_assert(found.pointer && strncmp(behind, "[3][4];", 7) == 0);
    cr_assert(atx_code_constant(&found, &behind, &at));
    cr_assert_str_eq(found.name, "d");
    cr_assert(!found.pointer && !found.type);
    cr_assert_not(atx_code_constant(&found, &behind, &at));
}

/* Every beginning of a text is one that an editor saves. */
Test(signature, half_written_texts_are_no_harm)
{
    atx_kernel_arg args[16];
    char half[sizeof TEXT], near[ATX_MAX_WORD];
    const char *behind;
    for (size_t i = 0; i < sizeof TEXT; i++) {
        memcpy(half, TEXT, i);
        half[i] = '\0';
        cr_expect_leq(atx_code_args_of(args, 16, half, "f"), 7);
        (void)atx_code_nearest_kernel(near, half, "f");
        const char *at = half;
        cr_expect_not(atx_code_constant(&args[0], &behind, &at));
    }
}
