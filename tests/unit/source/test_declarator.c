/* test_declarator.c - what is told of the kernels in a text, and that no text is too odd. */
#include "source/declarator.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(declarator);

static const char TEXT[] =
    "/* __global__ void not_this(float *a); */\n"
    "namespace ns { template <typename T, int N>\n"
    "__global__ void __launch_bounds__(64 * N, 1) f(T *__restrict__ out, const float in[], float *const "
    "last,\n"
    "                                               unsigned long long n, // how many\n"
    "                                               const int m, Pair<int, 2> pair, double x) {} }\n"
    "extern \"C\" __global__ void g(void) {}\n"
    "__global__ void twice(int a);\n__global__ void twice(int a) {}\n";

Test(declarator, names_types_pointers_and_const_are_read)
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

Test(declarator, values_sizes_and_attributes_are_no_names)
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

Test(declarator, what_is_not_there_once_has_no_parameters)
{
    atx_kernel_arg args[4];
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "g"), 0);
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "twice"), -1, "which of them?");
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "not_this"), -1, "a comment");
    cr_expect_eq(atx_code_args_of(args, 4, TEXT, "f"), -1, "more than four");
    cr_expect_eq(atx_code_args_of(args, 4, "", ""), -1);
}

Test(declarator, templates_are_known_from_kernels_as_they_are)
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
Test(declarator, kernels_are_found_by_whole_words)
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
        { "template <int N> __global__ typename std::enable_if<(N > 1), void>::type f(int a)", "f" },
        { "__global__ std::enable_if_t<is_real<T>> f(int a)", "f" },
        { "template <> __global__ void f<1>(int a)", NULL },
        { "__global__ [[", NULL },
        { "__global__ void LAUNCH(", "LAUNCH" },
        { "__global__launch_bounds__(g", NULL },
        { "my__global__ void f(int a)", NULL },
        { "__global____global__ void f(int a)", NULL },
        { "__global__(int a)", NULL },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *name = CASES[i].name;
        atx_kernel_text k;
        atx_tokens t;
        size_t at = 0;
        cr_assert(atx_code_read(&t, CASES[i].text));
        cr_assert_eq(atx_code_kernel(&k, &t, &at), name != NULL, "%s", CASES[i].text);
        cr_expect(!name || atx_tokens_is(&t, k.name, name), "%s", CASES[i].text);
        cr_expect(!name || k.open + 1 == t.count || atx_tokens_is(&t, k.open + 2, "a"), "%s", CASES[i].text);
        atx_tokens_clear(&t);
    }
}

Test(declarator, names_are_compared_whole)
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

Test(declarator, longer_names_than_any_are_told_whole_and_equal_to_none)
{
    static const char CODE[] = "// a comment\n__constant__ float " MOST
                               "c[9];\n__global__ void f(float *" MOST ", float *" MOST "x) {}\n";
    atx_kernel_arg args[4], variable;
    size_t behind, at = 0;
    atx_tokens t;
    char near[ATX_MAX_WORD];
    cr_assert_eq(atx_code_args_of(args, 4, CODE, "f"), 2);
    cr_expect_str_eq(args[0].name, MOST);
    cr_expect_str_eq(args[1].name, "", "not the name of the first");
    cr_expect(args[1].len == 64 && strncmp(args[1].text, MOST "x) {}", 68) == 0, "%s", args[1].text);
    cr_expect(args[1].text > CODE && args[1].text < CODE + sizeof CODE, "in the text that was asked about");
    cr_assert(atx_code_read(&t, CODE));
    cr_assert(atx_code_constant(&variable, &behind, &t, &at));
    atx_tokens_clear(&t);
    cr_expect_str_eq(variable.name, "");
    cr_expect(variable.len == 64 && strncmp(variable.text, MOST "c[9]", 67) == 0);
    cr_expect_not(atx_code_nearest_kernel(near, "__global__ void " MOST "f() {}", "g"));
    cr_expect_not(
        atx_code_nearest_kernel(near, "__global__ void " MOST "() {}\n__global__ void g() {}", MOST "f"));
}

Test(declarator, near_names_are_offered)
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

Test(declarator, constants_without_a_value_are_found)
{
    static const char CODE[] =
        "__constant__ float a[3][4]; __constant__ int b = 3; __constant__ float c[2] = { 1, 2 }; "
        "__constant__ struct s d; __constant__ int e{1}; __constant__ alignas(16) float f[4]; __constant__";
    static const struct {
        const char *name, *type;
        bool pointer;
    } EXPECTED[] = { { "a", "f32", true }, { "d", NULL, false }, { "f", "f32", true } };
    atx_kernel_arg found;
    atx_tokens t;
    size_t at = 0, behind = 0;
    cr_assert(atx_code_read(&t, CODE));
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        cr_assert(atx_code_constant(&found, &behind, &t, &at));
        cr_expect_str_eq(found.name, EXPECTED[i].name);
        cr_expect_eq(found.pointer, EXPECTED[i].pointer);
        cr_expect(EXPECTED[i].type ? found.type && strcmp(found.type, EXPECTED[i].type) == 0 : !found.type);
        cr_expect(atx_tokens_is(&t, behind, found.pointer ? "[" : ";"));
    }
    cr_expect_not(atx_code_constant(&found, &behind, &t, &at));
    atx_tokens_clear(&t);
}

/* What stood in the way of readers of bytes. */
Test(declarator, declarators_are_read_as_cpp_has_them)
{
    static const struct {
        const char *text, *names;
    } CASES[] = {
        { "__global__ void k(int n = count<1, 2>::value, float *p)", "n p " },
        { "__global__ void k(int n = A < B, const Pair<int, 2> q, int m = C > D)", "n q m " },
        { "__global__ void k(bool b = a < 1 && c > 2, int m)", "b m " },
        { "__global__ void k(Map<int, Pair<int, 2>> a, int b)", "a b " },
        { "__global__ void k(float a[f(1, 2)], int b)", "a b " },
        { "__global__ void k(float *a,\n#ifdef X\n int x,\n#endif\n int b)", "a x b " },
        { "__global__ void k(float *a,\n#if 0\n int x,\n#endif\n int b)", "a b " },
        { "__glo\\\nbal__ void k(float *lo\\\nng_name, int b)", "long_name b " },
        { "#define OTHER __global__ void k(int a)\n__global__ void k(int b)", "b " },
        { "__global__ void k(int AUTOTUNE_ARG(batch), int b)", "batch b " },
        { "__global__ void k(Box<const int *> a)", "a " },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_kernel_arg args[4];
        char names[100] = "";
        const int count = atx_code_args_of(args, 4, CASES[i].text, "k");
        for (int k = 0; k < count; k++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", args[k].name);
        cr_expect_str_eq(names, CASES[i].names, "%s", CASES[i].text);
        cr_expect(i + 1 < sizeof CASES / sizeof *CASES || (!args[0].pointer && !args[0].constant));
    }
}

/* Every beginning of a text is one that an editor saves. */
Test(declarator, half_written_texts_are_no_harm)
{
    atx_kernel_arg args[16];
    char half[sizeof TEXT], near[ATX_MAX_WORD];
    for (size_t i = 0; i < sizeof TEXT; i++) {
        memcpy(half, TEXT, i);
        half[i] = '\0';
        cr_expect_leq(atx_code_args_of(args, 16, half, "f"), 7);
        (void)atx_code_nearest_kernel(near, half, "f");
    }
}
