/* test_device_view.c - what is left of a text for its kernels: all that they need, and nothing of the host.
 */
#include "source/device_view.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(device_view);

/* The view of a text for these words; what stands elsewhere for `replaced`. */
static char *view_of(const char *text, const char *roots, const char *replaced)
{
    char *view = atx_text_copy(text, strlen(text));
    const atx_device_request request = { .roots = roots, .replaced = replaced };
    cr_assert(view);
    cr_assert_eq(atx_device_view(view, strlen(view), &request, NULL), AT_OK);
    return view;
}

/* Each of these stands where it stood. */
static void expect_kept(const char *text, const char *view, const char *const *what)
{
    for (; *what; what++) {
        const char *at = strstr(text, *what);
        cr_assert(at, "the text has no %s", *what);
        cr_expect(memcmp(view + (at - text), *what, strlen(*what)) == 0, "not kept: %s\n%s", *what, view);
    }
}

static void expect_gone(const char *view, const char *const *what)
{
    for (; *what; what++)
        cr_expect(!strstr(view, *what), "kept: %s\n%s", *what, view);
}

/* A text, the kernel that is asked for, and up to 12 pieces of it that must stay or go. */
typedef struct example {
    const char *what, *text;
    const char *kept[12], *gone[12];
    const char *replaced;
} example;

static void check(const example *e)
{
    char *view = view_of(e->text, "k", e->replaced);
    cr_assert_eq(strlen(view), strlen(e->text), "%s", e->what);
    for (size_t i = 0; view[i]; i++)
        if (e->text[i] == '\n')
            cr_assert_eq(view[i], '\n', "%s: line", e->what);
    expect_kept(e->text, view, e->kept);
    expect_gone(view, e->gone);
    free(view);
}

Test(device_view, the_host_goes_and_what_the_kernel_reaches_stays)
{
    static const example EXAMPLES[] = {
        { .what = "a whole program",
          .text = "#include <stdio.h>\n#include <vector>\n"
                  "__global__ void k(float *y, int n);\n"
                  "__global__ void other(float *y) { *y = unused(1); }\n"
                  "__device__ float unused(float x) { return x; }\n"
                  "__device__ float helper(float x) { return x; }\n"
                  "static float table[4];\n"
                  "__global__ void k(float *y, int n) { y[0] = helper(n); }\n"
                  "int main() { k<<<1, 1>>>(0, 1); printf(\"}{\"); return 0; }\n",
          .kept = { "__device__ float helper(float x) { return x; }",
                    "__global__ void k(float *y, int n) { y[0] = helper(n); }" },
          .gone = { "<stdio.h>", "<vector>", "int n);", "other", "unused", "table", "main", "<<<" } },
        { .what = "attributes in macros, through several",
          .text = "#define INLINE __forceinline__\n#define DEV __device__ INLINE\n#define DEV2 static DEV\n"
                  "#define HOST_ONLY 7\n"
                  "DEV2 int f(int x) { return x; }\nint g(int x) { return HOST_ONLY; }\n"
                  "__global__ void k(int *y) { *y = f(1) + g(2); }\n",
          .kept = { "#define INLINE", "#define DEV ", "#define DEV2", "DEV2 int f(int x) { return x; }" },
          .gone = { "int g(int", "HOST_ONLY" } },
        { .what = "types and constants",
          .text = "typedef unsigned int word;\nusing real = float;\nstruct Host { void *p; };\n"
                  "typedef enum : word { ONE } number;\nstruct Base { word w; };\ntemplate <class T> struct "
                  "Pair : Base { T a, b; };\n"
                  "template <> struct Pair<int> : Base { int a; };\n"
                  "enum { FIRST = 1, SECOND };\nenum class Kind : int { SUM, MAX };\n"
                  "constexpr int WIDTH = 4;\nconst int DEPTH = WIDTH;\nint global_count;\n"
                  "__constant__ real weights[DEPTH];\nunion Both { int i; float f; };\n"
                  "__global__ void k(Pair<real> *y, Both b) { y->a = weights[SECOND]; "
                  "switch (Kind(b.i)) { case Kind::SUM: break; } }\n",
          .kept = { "typedef unsigned int word;", "using real = float;", "struct Base",
                    "template <class T> struct Pair", "template <> struct Pair<int>", "enum { FIRST",
                    "enum class Kind", "constexpr int WIDTH", "const int DEPTH", "__constant__ real weights",
                    "union Both" },
          .gone = { "Host", "global_count", "ONE" } },
        { .what = "namespaces, extern C, members and specialisations",
          .text = "namespace a { namespace { __device__ int f() { return 1; } int h() { return 2; } } }\n"
                  "extern \"C\" {\n__device__ int g() { return a::f(); }\nvoid run() {}\n}\n"
                  "template <class T> __device__ T s(T x);\n"
                  "template <> __device__ float s<float>(float x) { return x; }\n"
                  "struct V { int x; __device__ int get() const; };\n"
                  "__device__ int V::get() const { return x; }\n"
                  "__device__ V operator+(V a, V b) { return a; }\n"
                  "__device__ float2 operator*(float2 a, float b) { return a; }\n"
                  "struct W { int x; };\n__device__ W operator-(W a) { return a; }\n"
                  "template __device__ double s<double>(double);\n"
                  "extern \"C\" __global__ void k(V *v, float *y) { *v = *v + *v; y[0] = s(1.f) + g() + "
                  "v->get(); }\n",
          .kept = { "namespace a { namespace {", "__device__ int f()", "extern \"C\" {", "__device__ int g()",
                    "template <class T> __device__ T s(T x);", "s<float>(float x)", "int V::get()",
                    "operator+", "operator*" },
          .gone = { "int h()", "run", "W operator-", "s<double>" } },
        { .what = "a kernel that its namespace declares",
          .text = "namespace a { __global__ void k(int *y); __global__ void other(int *y); }\n"
                  "__global__ void a::k(int *y) { *y = 1; }\n__global__ void a::other(int *y) { *y = 2; }\n",
          .kept = { "namespace a { __global__ void k(int *y);", "void a::k(int *y) { *y = 1; }" },
          .gone = { "other" } },
        { .what = "constructors with lists, initialisers, arrays, functions as values",
          .text = "struct P { int a, b; __device__ P(int x); };\n"
                  "__device__ P::P(int x) : a{x}, b(x) { a = 1; }\n"
                  "struct option opts[] = { { 1, 2 }, { 3 } };\n"
                  "__device__ const int TABLE[2][2] = { { 1, 2 }, { 3, 4 } };\n"
                  "typedef float (*fn)(float);\n"
                  "__device__ float id(float x) { return x; }\n__device__ fn apply = id;\n"
                  "std::vector<std::pair<int, int>> list = make(1, 2);\n"
                  "auto lambda = [](int x) { return x; };\n"
                  "__global__ void k(float *y) { P p(1); y[0] = TABLE[1][1] + apply(p.a); }\n",
          .kept = { "struct P {", "P::P(int x) : a{x}, b(x) { a = 1; }", "__device__ const int TABLE",
                    "typedef float (*fn)(float);", "__device__ float id", "__device__ fn apply" },
          .gone = { "opts", "list", "lambda" } },
    };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++)
        check(&EXAMPLES[i]);
}

Test(device_view, functions_that_macros_define_come_with_their_types)
{
    static const example EXAMPLES[] = {
        { .what = "functions by macros, of a type that no kernel uses, and whose attribute nothing defines",
          .text = "#define DEV __device__\nstruct ALIGN(2) Half { int bits; };\n"
                  "#define SUM(T) DEV Half operator+(const T &a, const Half &b) { return b; }\n"
                  "#define SUMS(T) SUM(T);\nSUMS(float);\nSUMS(int);\n"
                  "#define MATH(F) DEV Half F(const Half &x) { return x; }\nMATH(absolute);\n"
                  "__global__ void k(float *y, int n) { y[0] = n + 1.f; }\n",
          .kept = { "__global__ void k" },
          .gone = { "Half", "SUM", "MATH" } },
        { .what = "and of one that a kernel uses",
          .text = "#define DEV __device__\nstruct ALIGN(2) Half { int bits; };\n"
                  "#define SUM(T) DEV Half operator+(const T &a, const Half &b) { return b; }\n"
                  "#define SUMS(T) SUM(T);\nSUMS(float);\n"
                  "#define MATH(F) DEV Half F(const Half &x) { return x; }\nMATH(absolute);\n"
                  "__global__ void k(Half *y) { y[0] = 1.f + y[0]; }\n",
          .kept = { "struct ALIGN(2) Half", "#define SUM(T)", "SUMS(float);", "MATH(absolute);" } },
        { .what = "a function by a macro that a kernel calls",
          .text = "#define DEV __device__\nstruct State { int x; };\n"
                  "#define MAKE(F) DEV int F(int x) { State s{ x }; return s.x; }\nMAKE(twice)\n"
                  "__global__ void k(int *y) { y[0] = twice(1); }\n",
          .kept = { "struct State", "MAKE(twice)" } },
        { .what = "a type for some arguments, with a condition among the macro's own",
          .text = "template <class T> struct Wide {};\ntemplate <class T> struct Other {};\n"
                  "#define OF(S, T, CODE) template <> struct S<T> { int act() CODE };\n"
                  "OF(Wide, int, {\n#ifdef __CUDA_ARCH__\nreturn 1;\n#else\nreturn 2;\n#endif\n})\n"
                  "OF(Other, int, { return 3; })\nusing Half = lib::half;\nOF(Wide, Half, { return 4; })\n"
                  "__global__ void k(Wide<int> *y) { y[0] = Wide<int>(); }\n",
          .kept = { "template <class T> struct Wide {};", "#define OF(S, T, CODE)", "OF(Wide, int, {\n#ifdef",
                    "return 2;\n#endif\n})\n" },
          .gone = { "Other", "return 3", "Half" } },
    };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++)
        check(&EXAMPLES[i]);
}

Test(device_view, functions_of_the_host_go_from_classes_too)
{
    static const example EXAMPLES[] = {
        { .what = "functions of the host within a class that the kernel uses",
          .text =
              "#define ON_BOTH __host__ __device__\n"
              "struct Lock {\n  int *mutex, all[2] = { 1, 2 };\n"
              "  Lock(void) : mutex{ nullptr }, all{ 1, 2 } { check(cudaMalloc(&mutex, 4)); }\n"
              "  template <class T> explicit Lock(const std::vector<T> &v) { take(v); }\n"
              "  ~Lock() { cudaFree(mutex); }\n  ON_BOTH int size() const { return 2; }\n"
              "  UNKNOWN int more() { return 4; }\n  std::function<void(int)> f{ nullptr };\n  int last;\n"
              "  struct Part { int x; void dump() { printf(\"%d\", x); } } part;\n"
              "#if 1\n public:\n#endif\n  int declared();\n"
              "  __device__ void lock() { atomicExch(mutex, 1); }\n};\n"
              "__global__ void k(Lock l) { l.lock(); }\n",
          .kept = { "int *mutex, all[2] = { 1, 2 };", "ON_BOTH int size() const { return 2; }",
                    "UNKNOWN int more() { return 4; }", "struct Part { int x;", "} part;",
                    " public:", "int declared();", "__device__ void lock() { atomicExch(mutex, 1); }\n};",
                    "std::function<void(int)> f{ nullptr };", "int last;" },
          .gone = { "cudaMalloc", "std::vector", "cudaFree", "dump", "template" } },
        { .what = "those that are only declared, where they are marked for the host",
          .text =
              "class View {\n public:\n  template <class U> __host__ void copy(const std::vector<U> &v);\n"
              "  __host__ __device__ int size() const;\n  __host__ View(int n = 4);\n  int last;\n};\n"
              "__global__ void k(View v, int *y) { *y = v.last; }\n",
          .kept = { "class View {\n public:", "__host__ __device__ int size() const;", "int last;\n};" },
          .gone = { "template", "copy", "View(int" } },
        { .what = "a class within it that a macro aligns",
          .text = "#define ALIGNED(n) __align__(n)\n"
                  "struct Outer {\n  struct ALIGNED(16) Inner { int x; } inner;\n"
                  "  alignas(16) int all[2]{ 1, 2 };\n  void dump() { puts(\"\"); }\n};\n"
                  "__global__ void k(Outer o, int *y) { *y = o.inner.x; }\n",
          .kept = { "struct ALIGNED(16) Inner { int x; } inner;", "alignas(16) int all[2]{ 1, 2 };" },
          .gone = { "dump" } },
    };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++)
        check(&EXAMPLES[i]);
}

Test(device_view, conditionals_stay_in_balance_wherever_they_stand)
{
    static const example EXAMPLES[] = {
        { .what = "two kernels, one of them compiled",
          .text = "#if WIDE\n__global__ void k(float2 *y) { y->x = f(); }\n#else\n"
                  "__global__ void k(float *y) { *y = f(); }\n#endif\n"
                  "__device__ int f() { return 1; }\nint main() { return 0; }\n",
          .kept = { "#if WIDE", "k(float2 *y)", "#else", "k(float *y)", "#endif", "__device__ int f()" },
          .gone = { "main" } },
        { .what = "a head for each branch, and one body",
          .text = "int host(int a\n#ifdef MORE\n, int b) {\n#else\n) {\n#endif\n  return a; }\n"
                  "__global__ void k(int *y\n#ifdef MORE\n, int b) {\n#else\n) {\n#endif\n  *y = 1; }\n"
                  "void after() {}\n",
          .kept = { "__global__ void k(int *y\n#ifdef MORE\n, int b) {\n#else\n) {\n#endif\n  *y = 1; }" },
          .gone = { "host", "return a", "after" } },
        { .what = "attributes behind a conditional",
          .text =
              "__global__\n#if BOUND > 0\n__launch_bounds__(128, BOUND)\n#endif\nvoid k(int *y) { *y = 1; }\n"
              "template <class T>\n#if A\nvoid h1() {}\n#else\nvoid h2() {}\n#endif\n",
          .kept = { "__global__\n#if BOUND > 0\n__launch_bounds__(128, BOUND)\n#endif\nvoid k(int *y) { *y = "
                    "1; }" },
          .gone = { "h1", "h2", "template" } },
        { .what = "conditions in what goes, and what they ask for",
          .text = "#define ON 1\n#define USE (ON)\n#define OTHER 3\n"
                  "int main() {\n#if USE\n  f(OTHER);\n#define LATER 2\n#else\n  }{{\n#endif\n  return 0; }\n"
                  "__global__ void k(int *y) { *y = LATER; }\n",
          .kept = { "#define ON 1", "#define USE (ON)", "#if USE", "#define LATER 2", "#else", "#endif" },
          .gone = { "OTHER", "f(", "}{{", "return" } },
        { .what = "code that NVRTC never sees",
          .text = "#ifndef __CUDACC_RTC__\n#include <iostream>\nint main() { k<<<1, 1>>>(0); }\n#endif\n"
                  "#if 0\n}}}((\n#endif\n__global__ void k(int *y) { *y = 1; }\n",
          .kept = { "#ifndef __CUDACC_RTC__", "#if 0", "__global__ void k(int *y) { *y = 1; }" },
          .gone = { "iostream", "main", "}}}" } },
        { .what = "an #error about the host, and one about what the kernel uses",
          .text = "#if defined __has_include\n#if __has_include(\"made.h\")\n#include \"made.h\"\n#else\n"
                  "#error \"make it first\"\n#endif\n#endif\n"
                  "#if defined(_WIN32)\n#elif defined(HAVE_CLOCK)\n#else\n#error \"no clock\"\n#endif\n"
                  "#if TILE % 4\n#error \"TILE: of fours\"\n#endif\n"
                  "#if __CUDA_ARCH__ < 800\n#error \"too old\"\n#endif\n"
                  "__global__ void k(int *y) { *y = TILE; }\n",
          .kept = { "#else", "#if TILE % 4\n#error \"TILE: of fours\"\n#endif", "#error \"too old\"" },
          .gone = { "make it first", "no clock" } },
        { .what = "a macro without ';' before the end of a namespace",
          .text = "namespace a {\n__global__ void k(int *y) { *y = 1; }\nFOR_ALL(CASE)\n}\nvoid host() {}\n",
          .kept = { "namespace a {\n__global__ void k(int *y) { *y = 1; }", "\n}\n" },
          .gone = { "FOR_ALL", "host" } },
        { .what = "a branch for a CUDA that is no more",
          .text = "#if CUDART_VERSION < 9000\n}}}((\n#else\n__device__ int f() { return 1; }\n#endif\n"
                  "#if (CUDA_VERSION >= 11050)\n#define ONE 1\n#else\nint }}{\n#endif\n"
                  "#ifdef _MSC_VER\n__device__ int f(short) }{\n#endif\n"
                  "#if ( defined( _MSC_VER ) && ( _MSC_VER < 1600 ) )\n))}}\n#endif\n"
                  "#if defined(_WIN32) || A\n#define EITHER 1\n#endif\n"
                  "#if CUDART_VERSION >= 99000\n__device__ int g() { return 1; }\n#endif\n"
                  "__global__ void k(int *y) { *y = f() + g() + ONE + EITHER; }\n",
          .kept = { "__device__ int f()", "__device__ int g()", "#define ONE 1", "#define EITHER 1",
                    "__global__ void k" },
          .gone = { "}}}((", "}}{", "}{", "))}}" } },
        { .what = "a condition that calls a macro of a header that is not there: 0, as a name would be",
          .text = "#include <theirs.h>\n#define MINE(x) x\n#if !THEIRS_AT_LEAST(3, (4)) || MINE(1)\n"
                  "#define WORK 2\n#elif defined(A) && __has_include(\"a.h\")\n#endif\n"
                  "__global__ void k(int *y) { *y = WORK; }\n",
          .kept = { "#if !", "|| MINE(1)\n#define WORK 2", "#elif defined(A) && __has_include(\"a.h\")" },
          .gone = { "THEIRS_AT_LEAST", "(4)" } },
        { .what = "words that are operators call nothing",
          .text = "#if defined(A) and (1 > 0) or not (defined(B))\n#define WORK 2\n#endif\n"
                  "__global__ void k(int *y) { *y = WORK; }\n",
          .kept = { "#if defined(A) and (1 > 0) or not (defined(B))\n#define WORK 2\n" } },
    };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++)
        check(&EXAMPLES[i]);
}

Test(device_view, macros_of_the_build_and_those_that_make_code)
{
    static const example EXAMPLES[] = {
        { .what = "macros that only a build with CUDA defines",
          .text = "#ifdef LIB_WITH_CUDA\n#define A 1\n#endif\n#ifndef LIB_WITH_CUDA\n#define B 1\n#endif\n"
                  "#if defined(LIB_USE_CUDA) && defined LIB_USE_CUDA || LIB_HAVE_CUDA\n#define C 1\n#endif\n"
                  "#define MY_USE_CUDA 0\n#if MY_USE_CUDA\n#define D 1\n#endif\n"
                  "__global__ void k(int *y) { *y = A + B + C + D; }\n",
          .kept = { "#if", "#define A 1\n#endif\n#if", "#define MY_USE_CUDA 0\n#if MY_USE_CUDA\n#define D" },
          .gone = { "LIB_", "ifdef", "ifndef", "defined" } },
        { .what = "names that a macro makes",
          .text =
              "#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\n#define CASE_0 7\n#define CASE_1 8\n"
              "#define CASES 9\n#define OF(n) JOIN(CASE_, n)\n"
              "__global__ void k(int *y) { *y = OF(1); }\n",
          .kept = { "#define JOIN_(a, b) a##b\n#define JOIN", "#define CASE_0 7\n#define CASE_1 8\n" },
          .gone = { "CASES" } },
        { .what = "braces in macros",
          .text = "#define TABLE_BEGIN(type, name) static const __device__ type name[] = {\n"
                  "#define TABLE_END() };\n#define OPEN namespace lib {\n#define CLOSE }\n"
                  "OPEN\nTABLE_BEGIN(int, used)\n1, 2, 3,\nTABLE_END()\n"
                  "TABLE_BEGIN(int, unused)\n4, 5,\nTABLE_END()\nvoid host() {}\nCLOSE\n"
                  "#define MAKE(name) __device__ int name##_of(int x) { return x; }\nMAKE(one)\n"
                  "__global__ void k(int *y) { *y = lib::used[1] + one_of(2); }\n",
          .kept = { "OPEN\nTABLE_BEGIN(int, used)\n1, 2, 3,\nTABLE_END()", "CLOSE\n", "MAKE(one)" },
          .gone = { "unused", "4, 5", "host" } },
    };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++)
        check(&EXAMPLES[i]);
}

Test(device_view, a_parameter_takes_the_place_of_a_macro_or_constant)
{
    static const example EXAMPLE = {
        .text = "#ifndef BLOCK\n#define BLOCK 128\n#endif\n#define TILE 4\nconstexpr int DEPTH = 8;\n"
                "static const int ROWS{2};\nenum { WAYS = 3 };\n#define OTHER (TILE * 2)\n"
                "__global__ void k(int *y) { *y = BLOCK + TILE + DEPTH + ROWS + WAYS + OTHER; }\n",
        .replaced = "BLOCK TILE DEPTH ROWS WAYS",
        .kept = { "#ifndef BLOCK\n", "#define OTHER (TILE * 2)" },
        .gone = { "#define BLOCK", "#define TILE", "constexpr", "ROWS{2}", "WAYS = 3" },
    };
    check(&EXAMPLE);
}

Test(device_view, headers_of_the_device_stay_where_they_are_needed_and_others_are_told)
{
    static const char TEXT[] =
        "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <curand_kernel.h>\n"
        "#include <iostream>\n#include \"helper_cuda.h\"\n#  include <lib/part.h> // why\n"
        "namespace cg = cooperative_groups;\nusing namespace std;\nusing namespace std::chrono;\nusing "
        "namespace lib;\n"
        "__global__ void k(half *y) { cg::this_thread_block().sync(); }\n";
    static const char *const KEPT[] = { "#include <cuda_fp16.h>\n", "#include <cooperative_groups.h>\n",
                                        "using namespace std;", "namespace cg", NULL },
                             *const GONE[] = { "curand", "iostream", "using namespace lib", "chrono", NULL };
    char *view = view_of(TEXT, "k", NULL);
    const char *at = view, *name;
    size_t len;
    expect_kept(TEXT, view, KEPT);
    expect_gone(view, GONE);
    cr_assert((name = atx_device_lacks(&len, &at)) != NULL);
    cr_expect(len == 15 && strncmp(name, "\"helper_cuda.h\"", len) == 0);
    cr_assert((name = atx_device_lacks(&len, &at)) != NULL);
    cr_expect(len == 12 && strncmp(name, "<lib/part.h>", len) == 0);
    cr_expect_null(atx_device_lacks(&len, &at));
    free(view);
}

/* Where nvcc compiles, it defines that as hipcc does. */
Test(device_view, a_header_of_hip_defines_its_macro)
{
    char *view = view_of("#include <hip/hip_runtime.h>\n__global__ void k(int *y) { *y = 1; }\n", "k", NULL);
    cr_expect(strncmp(view, "#define __HIPCC__ 1         \n", 29) == 0, "%s", view);
    free(view);
}

Test(device_view, headers_of_cub_for_the_host_go_and_those_for_blocks_stay)
{
    static const char TEXT[] =
        "#include <cub/block/block_reduce.cuh>\n#include <cub/device/device_reduce.cuh>\n"
        "#include <cub/util_allocator.cuh>\n#include <cub/iterator/counting_input_iterator.cuh>\n"
        "cub::CachingDeviceAllocator allocator;\n"
        "__global__ void k(int *y) { using Reduce = cub::BlockReduce<int, 64>;\n"
        "__shared__ Reduce::TempStorage s; *y = Reduce(s).Sum(1); }\n";
    static const char *const KEPT[] = { "#include <cub/block/block_reduce.cuh>\n", NULL }, *const GONE[] = {
        "cub/device", "cub/util_allocator", "cub/iterator", NULL
    };
    char *view = view_of(TEXT, "k", NULL);
    const char *at = view;
    size_t len;
    expect_kept(TEXT, view, KEPT);
    expect_gone(view, GONE);
    cr_expect_null(atx_device_lacks(&len, &at));
    free(view);
}

/* Types of the standard that a text declares for NVRTC, and that stand before that as well. */
Test(device_view, an_alias_of_what_comes_with_the_program_is_that)
{
    static const char GIVEN[] =
        "typedef unsigned char uint8_t;\ntypedef short int16_t;\nstruct pair { int a; };\n";
    static const char TEXT[] = "struct Before { uint8_t b; int16_t s; };\nusing uint8_t = unsigned char;\n"
                               "typedef signed short int16_t;\nstruct pair { long a; };\n"
                               "__global__ void k(Before b, pair *y) { y->a = b.b + b.s; }\n";
    char view[sizeof GIVEN + sizeof TEXT];
    snprintf(view, sizeof view, "%s%s", GIVEN, TEXT);
    const atx_device_request request = { .roots = "k", .given = sizeof GIVEN - 1 };
    cr_assert_eq(atx_device_view(view, strlen(view), &request, NULL), AT_OK);
    cr_expect(strstr(view, "typedef unsigned char uint8_t;") && strstr(view, "typedef short int16_t;"), "%s",
              view);
    cr_expect(!strstr(view, "using uint8_t") && !strstr(view, "typedef signed short"), "%s", view);
    cr_expect(!strstr(view, "{ int a; }") && strstr(view, "struct pair { long a; };"), "%s", view);
}

Test(device_view, a_view_of_a_view_is_the_same)
{
    static const char TEXT[] = "#include \"a.h\"\n#define A 1\nint f() { return A; }\nstruct S { int x; };\n"
                               "__global__ void k(S *s) { s->x = 1; }\n";
    char *once = view_of(TEXT, "k", NULL), *twice = view_of(once, "k", NULL);
    cr_expect_str_eq(once, twice);
    free(once);
    free(twice);
}

/* A text of `count` functions, each of which the next one calls. */
static char *many(int count)
{
    atx_str text = { 0 };
    for (int i = 0; i < count; i++)
        atx_str_addf(&text,
                     "__device__ int f%d(int x) { return f%d(x < %d ? x : (x)); }\nint h%d() { return 1; }\n",
                     i, i ? i - 1 : 0, i, i);
    atx_str_addf(&text, "__global__ void k(int *y) { *y = f%d(1); }\n", count - 1);
    cr_assert(!text.failed);
    return text.data;
}

Test(device_view, long_chains_and_odd_texts_end)
{
    static const char *const ODD[] = {
        "",          "{",       "}",           "}}}}(((",       "#else\n#endif\n#endif\n",
        "template<", "#define", "#define X {", "namespace",     "extern \"C\" {",
        "operator",  "k",       "using",       "= ; = { ; } ;", "#if\n{\n#else\n(\n"
    };
    char *text = many(20000), *view = view_of(text, "k", NULL);
    cr_expect(strstr(view, "int f0(") && strstr(view, "int f19999(") && !strstr(view, "int h0("));
    free(text);
    free(view);
    for (size_t i = 0; i < sizeof ODD / sizeof *ODD; i++)
        free(view_of(ODD[i], "k", "x"));
}
