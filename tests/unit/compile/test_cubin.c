/* test_cubin.c - kernels found in the output of a compiler, and in other files. */
#include "compile/cubin.h"
#include "compile/nvrtc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char SOURCE[] =
    "// head\n//!autotune kernel f<float, 4>\n"
    "template <typename T, int N> __global__ void f(T *a, const T *b, int n) { a[n] = b[N]; }\n"
    "struct three { char c[3]; };\n"
    "namespace ns { __global__ void g(float *a, char c, double d, three t) { a[0] = d + c + t.c[1]; } }\n"
    "__device__ __noinline__ float helper(float x) { return x * x; }\n"
    "extern \"C\" __global__ void __launch_bounds__(128) e(float *a, short s) { a[0] = helper(a[1]) + s; }\n"
    "__global__ void over(float *a) { a[0] = 1; }\n"
    "__global__ void over(int *a) { a[0] = 1; }\n"
    "__global__ void none() {}\n";

static void compile(atx_str *code, const char *source, int cc, atx_code kind)
{
    atx_nvrtc *nvrtc = NULL;
    atx_str log = { 0 };
    atx_resources unused;
    at_error err = { 0 };
    bool ok = false;
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(atx_nvrtc_compile(nvrtc, &ok, code, &log, &unused,
                                   &(atx_nvrtc_source){ source, "t.cu", cc, kind }, &err),
                 AT_OK, "%s", err.text);
    cr_assert(ok, "%s", atx_str_text(&log));
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
}

static atx_cubin_kernel find(const atx_str *code, const char *name)
{
    atx_cubin_kernel k = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_cubin_find(&k, code->data, code->len, name, &err), AT_OK, "%s", err.text);
    return k;
}

/* 100 and 120 are not known before NVRTC 12.8. */
static bool is_known(int cc)
{
    atx_nvrtc *nvrtc = NULL;
    bool known = atx_nvrtc_open(&nvrtc, NULL) != AT_OK || atx_nvrtc_supports(nvrtc, cc);
    atx_nvrtc_close(nvrtc);
    return known;
}

Test(cubin, tells_names_and_parameters_on_every_architecture)
{
    static const int ARCHS[] = { 80, 90, 100, 120 };
    for (size_t i = 0; i < sizeof ARCHS / sizeof *ARCHS; i++) {
        atx_str code = { 0 };
        if (!is_known(ARCHS[i]))
            continue;
        compile(&code, SOURCE, ARCHS[i], ATX_CUBIN);
        atx_cubin_kernel k = find(&code, "f<float, 4>");
        cr_expect_str_eq(k.name, "_Z1fIfLi4EEvPT_PKS0_i");
        cr_expect(k.param_count == 3 && k.param_bytes[0] == 8 && k.param_bytes[1] == 8 &&
                  k.param_bytes[2] == 4);
        k = find(&code, "ns::g");
        cr_expect(k.param_count == 4 && k.param_bytes[1] == 1 && k.param_bytes[2] == 8 &&
                  k.param_bytes[3] == 3);
        k = find(&code, "e");
        cr_expect(k.param_count == 2 && k.param_bytes[1] == 2 && k.max_threads == 128);
        cr_expect_eq(find(&code, "none").param_count, 0);
        cr_expect_eq(find(&code, "_Z4overPi").param_count, 1);
        atx_str_clear(&code);
    }
}

Test(cubin, finds_names_in_ptx)
{
    atx_str code = { 0 };
    compile(&code, SOURCE, 80, ATX_PTX);
    atx_cubin_kernel k = find(&code, "ns::g");
    cr_assert(k.name_len == 19 && memcmp(k.name, "_ZN2ns1gEPfcd5three", 19) == 0, "%.*s", (int)k.name_len,
              k.name);
    atx_str_clear(&code);
}

/* The name lies at a page's end: a byte read beyond it ends the test. */
Test(cubin, finds_names_of_the_global_namespace)
{
    static const char *const NAMES[] = { "::e", "::none", "::ns::g", "::f<float, 4>" };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    atx_str code = { 0 };
    cr_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    compile(&code, SOURCE, 80, ATX_CUBIN);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char *name = pages + page - strlen(NAMES[i]) - 1;
        strcpy(name, NAMES[i]);
        cr_expect(find(&code, name).name != NULL);
    }
    atx_str_clear(&code);
    munmap(pages, 2 * page);
}

Test(cubin, finds_names_in_namespaces_without_one)
{
    static const char UNNAMED[] =
        "namespace { __global__ void f(float *p) { *p = 1; } }\n"
        "namespace ns { namespace { template <int N> __global__ void g(float *p) { *p = N; }\n"
        "template __global__ void g<2>(float *); }\n"
        "struct f { }; static __global__ void h(float *p, f) { *p = 3; } }\n"
        "namespace a { namespace { __global__ void o(float *p, const float *q) { *p = *q; }\n"
        "__global__ void o(double *p, const double *q) { *p = *q; } } }\n";
    static const char *const NAMES[][2] = { { "f", "1fEPf" },
                                            { "ns::g<2>", "1gILi2EEEvPf" },
                                            { "ns::h", "hEPfNS_1fE" },
                                            { "_ZN1a12_GLOBAL__N_11oEPdPKd", "1oEPdPKd" },
                                            { "_ZN1a12_GLOBAL__N_11oEPfPKf", "1oEPfPKf" } };
    atx_str code = { 0 };
    atx_cubin_kernel k;
    at_error err = { 0 };
    compile(&code, UNNAMED, 80, ATX_CUBIN);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        k = find(&code, NAMES[i][0]);
        const size_t n = strlen(NAMES[i][1]);
        cr_expect(k.name_len > n && memcmp(k.name + k.name_len - n, NAMES[i][1], n) == 0, "%s: %.*s",
                  NAMES[i][0], (int)k.name_len, k.name);
    }
    cr_expect_eq(atx_cubin_find(&k, code.data, code.len, "ns", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "ns::h"), "%s", err.text);
    cr_expect(!strstr(err.text, "_GLOBAL_"), "%s", err.text);
    atx_str_clear(&code);
}

/* Specialisations are there unasked. Of several instances, or specialisations alone, none is meant. */
Test(cubin, an_instance_goes_before_specialisations)
{
    static const char TEXT[] = "template <class T> __global__ void f(T *y) { *y = 1; }\n"
                               "template <> __global__ void f(double *y) { *y = 2; }\n"
                               "template __global__ void f(float *y);\n"
                               "template <> __global__ void f(short *y) { *y = 3; }\n"
                               "template <class T> __global__ void g(T *y) { *y = 1; }\n"
                               "template <> __global__ void g(double *y) { *y = 2; }\n"
                               "template <> __global__ void g(short *y) { *y = 3; }\n";
    atx_cubin_kernel k;
    for (int kind = 0; kind < 2; kind++) {
        atx_str code = { 0 };
        at_error err = { 0 };
        compile(&code, TEXT, 80, kind ? ATX_PTX : ATX_CUBIN);
        k = find(&code, "f<T>");
        cr_expect(k.name_len == 11 && memcmp(k.name, "_Z1fIfEvPT_", 11) == 0, "%.*s", (int)k.name_len,
                  k.name);
        cr_expect_eq(atx_cubin_find(&k, code.data, code.len, "g<T>", &err), AT_ERR_INPUT);
        cr_expect(strstr(err.text, "found several kernels 'g<T>'"), "%s", err.text);
        atx_str_clear(&code);
    }
}

Test(cubin, says_which_there_are)
{
    atx_str code = { 0 };
    atx_cubin_kernel k;
    at_error err = { 0 };
    compile(&code, SOURCE, 80, ATX_CUBIN);
    cr_expect_eq(atx_cubin_find(&k, code.data, code.len, "helper", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "found no kernel 'helper' in the compiled code; it has "), "%s", err.text);
    cr_expect_eq(atx_cubin_find(&k, code.data, code.len, "over", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "found several kernels 'over': _Z4over"), "%s", err.text);
    cr_expect_eq(atx_cubin_find(&k, "", 0, "f", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "there is none at all"), "%s", err.text);
    atx_str_clear(&code);
}

static void use_all(const char *data, size_t len)
{
    atx_cubin_kernel k;
    for (int i = 0; i < 20 && atx_cubin_kernel_at(&k, data, len, i); i++)
        cr_assert(strlen(k.name) == k.name_len && k.param_count >= -1);
}

/* Cut off, or with any byte changed: fewer kernels, never more than there are bytes. */
Test(cubin, is_not_led_astray)
{
    atx_str code = { 0 };
    compile(&code, SOURCE, 80, ATX_CUBIN);
    for (size_t len = 0; len < code.len; len += 7) {
        char *part = malloc(len + 1); /* exact: a sanitizer sees one byte beyond */
        memcpy(part, code.data, len);
        use_all(part, len);
        free(part);
    }
    for (size_t i = 0; i < code.len; i++) {
        char before = code.data[i];
        code.data[i] = (char)(before ^ 0xff);
        if (memcmp(code.data, "\177ELF", 4) == 0)
            use_all(code.data, code.len);
        code.data[i] = before;
    }
    atx_str_clear(&code);
}

Test(cubin, tells_variables_and_their_sizes)
{
    static const char WITH[] = "__constant__ float filter[9];\nnamespace ns { __device__ double table[4]; }\n"
                               "static __constant__ char few[3];\n"
                               "namespace filters { namespace { __constant__ short own[5]; } }\n"
                               "extern \"C\" __global__ void k(float *y) { y[0] = filter[1] + "
                               "(float)ns::table[2] + few[1] + filters::own[2]; "
                               "}\n";
    atx_str code = { 0 };
    const char *name = NULL;
    int64_t bytes = 0;
    at_error err = { 0 };
    compile(&code, WITH, 90, ATX_CUBIN);
    cr_assert_eq(atx_cubin_variable(&name, &bytes, code.data, code.len, "filter", &err), AT_OK, "%s",
                 err.text);
    cr_assert(bytes == 36 && strcmp(name, "filter") == 0);
    cr_assert_eq(atx_cubin_variable(&name, &bytes, code.data, code.len, "ns::table", &err), AT_OK, "%s",
                 err.text);
    cr_assert(bytes == 32 && strcmp(name, "_ZN2ns5tableE") == 0);
    cr_assert_eq(atx_cubin_variable(&name, &bytes, code.data, code.len, "few", &err), AT_OK, "%s", err.text);
    cr_assert_eq(bytes, 3);
    cr_assert_eq(atx_cubin_variable(&name, &bytes, code.data, code.len, "filters::own", &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(bytes, 10, "of a namespace without a name");
    cr_assert_eq(atx_cubin_variable(&name, &bytes, code.data, code.len, "table", &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "found no variable 'table' in the compiled code; it has "), "%s", err.text);
    cr_assert_eq(atx_cubin_variable(&name, &bytes, ".version", 8, "filter", &err), AT_OK);
    cr_assert(bytes == -1 && strcmp(name, "filter") == 0, "PTX does not tell");
    atx_str_clear(&code);
}
