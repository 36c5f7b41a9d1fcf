/* test_cubin_state.c - which kernels can remember their launches, of cubins that the compiler really makes.
 */
#include "compile/nvrtc.h"
#include "runner/cubin_state.h"

#include <criterion/criterion.h>
#include <string.h>

static bool has_state(const char *before, const char *body)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    atx_str source = { 0 }, code = { 0 }, log = { 0 };
    atx_resources resources;
    bool ok = false;
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    atx_str_addf(&source,
                 "%s\nextern \"C\" __global__ void k(int *out) { __shared__ int s[32]; s[threadIdx.x] = 1; "
                 "__syncthreads(); %s out[0] += s[1]; }\n",
                 before, body);
    const atx_nvrtc_source text = {
        .text = atx_str_text(&source), .name = "t.cu", .cc = 90, .kind = ATX_CUBIN
    };
    at_status status = atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources, &text, &err);
    cr_assert(status == AT_OK && ok, "%s%s", err.text, atx_str_text(&log));
    const bool found = atx_cubin_has_state(code.data, code.len);
    atx_nvrtc_close(nvrtc);
    atx_str_clear(&source);
    atx_str_clear(&code);
    atx_str_clear(&log);
    return found;
}

Test(cubin_state, variables_that_a_kernel_writes_are_state)
{
    cr_assert(has_state("__device__ int calls;", "out[1] = calls++;"), "zero at first");
    cr_assert(has_state("__device__ int calls = 7;", "out[1] = calls++;"), "with a value");
    cr_assert(has_state("static __device__ char table[100000];", "table[out[2]]++; out[1] = table[out[3]];"));
}

Test(cubin_state, shared_memory_and_constants_are_none)
{
    cr_assert_not(has_state("", ""));
    cr_assert_not(has_state("__constant__ int w[8];", "out[1] = w[out[2]];"));
    cr_assert_not(has_state("", "asm volatile(\"\"); out[1] = clock();"));
}

Test(cubin_state, what_is_no_whole_elf_file_has_none)
{
    static const unsigned char torn[64] = { 0x7f, 'E', 'L', 'F' };
    cr_assert_not(atx_cubin_has_state("", 0));
    cr_assert_not(atx_cubin_has_state("not a cubin", 11));
    cr_assert_not(atx_cubin_has_state(torn, sizeof torn));
}
