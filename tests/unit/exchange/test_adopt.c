/* test_adopt.c - a draft of declarations for a kernel that is there: what is seen in odd files. */
#include "exchange/adopt.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(adopt);

static atx_adopted adopt(const char *text)
{
    atx_adopted out;
    at_error err = { 0 };
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
    cr_assert_eq(atx_adopt(&out, &in, &err), AT_OK, "%s", err.text);
    return out;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

Test(adopt, what_two_branches_define_is_one_parameter)
{
    atx_adopted out = adopt("#ifdef FAST\n#ifndef WORK\n#define WORK 8\n#endif\n#else\n"
                            "#ifndef WORK\n#define WORK 2\n#endif\n#endif\n"
                            "__global__ void k(float *p, int n) { p[WORK] = n; }\n");
    cr_expect_eq(count(atx_str_text(&out.t), "param     WORK = 1 2 4 8"), 1, "%s", atx_str_text(&out.t));
    cr_expect_eq(count(atx_str_text(&out.t), "param "), 1, "%s", atx_str_text(&out.t));
    atx_adopted_clear(&out);
}

Test(adopt, what_is_no_code_is_no_kernel_and_no_block)
{
    atx_adopted out = adopt(
        "namespace ns {\n__device__ bool open(char c) { return c == '{' || c == '\"'; } // \\\n"
        "__global__ void no(int *p) {}\n"
        "const char *text = R\"x(\n__global__ void neither(float *p) {}\n)x\";\n"
        "#if 0\n__global__ void old(int *p) { don't }\n#endif\n"
        "__global__ void __cluster_dims__(2) f(float *p, const float w[WIDTH], int n = 1 << 3) {}\n}\n");
    cr_expect_str_eq(out.name, "f");
    cr_expect(strstr(atx_str_text(&out.t), "kernel    ns::f\n"), "%s", atx_str_text(&out.t));
    cr_expect(strstr(atx_str_text(&out.op), "arg       w T[n] input"), "%s", atx_str_text(&out.op));
    cr_expect(strstr(atx_str_text(&out.op), "shape     n "), "%s", atx_str_text(&out.op));
    atx_adopted_clear(&out);
}

Test(adopt, dynamic_shared_memory_may_have_an_alignment)
{
    static const char *const DECLARATIONS[] = { "extern __shared__ float s[];",
                                                "extern __align__(16) __shared__ float s[];",
                                                "extern __shared__ __align__(16) float s[];",
                                                "extern int other; extern alignas(16) __shared__ int s[];" };
    char text[200];
    for (size_t i = 0; i < sizeof DECLARATIONS / sizeof *DECLARATIONS; i++) {
        snprintf(text, sizeof text, "__global__ void k(float *p) { %s p[0] = s[0]; }", DECLARATIONS[i]);
        atx_adopted out = adopt(text);
        cr_expect_eq(count(atx_str_text(&out.t), "shared    "), 1, "%s", DECLARATIONS[i]);
        atx_adopted_clear(&out);
    }
    atx_adopted out =
        adopt("extern int other; __global__ void k(float *p) { __shared__ float s[1]; p[0] = s[0]; }");
    cr_expect_eq(count(atx_str_text(&out.t), "shared    "), 0, "%s", atx_str_text(&out.t));
    atx_adopted_clear(&out);
}
