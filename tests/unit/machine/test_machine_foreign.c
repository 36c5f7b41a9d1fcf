/*
 * test_machine_foreign.c - kernels that nobody wrote for the machine: CUB's block algorithms, as NVRTC
 * compiles them from CUDA's headers, and what the machine refuses, by name.
 */
#include "compile/nvrtc.h"
#include "machine/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, ARCH = 90 };

/* Skips the test where NVRTC is missing, or CUDA's headers, which some installations do not have. */
static atx_ptx_module *compile(const char *source, at_error *err)
{
    atx_nvrtc *nvrtc = NULL;
    atx_str code = { 0 }, log = { 0 };
    atx_resources unused;
    atx_ptx_module *module = NULL;
    bool ok = false;
    if (atx_nvrtc_open(&nvrtc, err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    cr_assert(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &unused,
                                &(atx_nvrtc_source){ source, "foreign.cu", ARCH, ATX_PTX }, err) == AT_OK,
              "%s", err->text);
    if (!ok && strstr(atx_str_text(&log), "cannot open source file"))
        cr_skip_test("CUDA's headers are not installed");
    cr_assert(ok, "%s", atx_str_text(&log));
    const at_status status = atx_ptx_parse(&module, code.data, code.len, err);
    cr_assert((status == AT_OK) == (module != NULL));
    atx_str_clear(&code);
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
    return module;
}

/* Runs kernel k(int *) of one block on 64 numbers. AT_ERR_INPUT: the machine does not know something of it.
 */
static at_status run(int32_t numbers[THREADS], const char *source, at_error *err)
{
    atx_ptx_module *module = compile(source, err);
    atx_machine *machine = NULL;
    atx_machine_result result = { 0 };
    int region = 0;
    if (!module)
        return AT_ERR_INPUT;
    cr_assert(atx_machine_open(&machine, module, err) == AT_OK, "%s", err->text);
    cr_assert(
        atx_machine_add_buffer(&region, machine,
                               &(atx_machine_buffer){ "p", 4 * THREADS, 256,
                                                      ATX_REGION_INITIALISED | ATX_REGION_OUTPUT, numbers },
                               err) == AT_OK);
    const uint64_t address = atx_machine_region_at(machine, region)->address;
    const atx_machine_launch launch = { .function = atx_ptx_find_entry(module, "k"),
                                        .grid = { 1, 1, 1 },
                                        .block = { THREADS, 1, 1 },
                                        .arguments = &address,
                                        .argument_bytes = 8 };
    const at_status status = atx_machine_run(&result, machine, &launch, err);
    cr_expect(status != AT_OK || result.finding.kind == ATX_FINDING_NONE, "%s", result.finding.text);
    memcpy(numbers, atx_machine_region_at(machine, region)->data, 4 * THREADS);
    atx_machine_close(machine);
    atx_ptx_close(module);
    return status;
}

static void shuffle(int32_t numbers[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        numbers[i] = i * 37 % THREADS - 20;
}

Test(machine_foreign, cub_sorts_sums_and_scans_a_block)
{
    static const char SOURCE[] =
        "#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_reduce.cuh>\n"
        "#include <cub/block/block_scan.cuh>\n"
        "using Sort = cub::BlockRadixSort<int, 64, 1>;\nusing Scan = cub::BlockScan<int, 64>;\n"
        "using Reduce = cub::BlockReduce<int, 64>;\n"
        "extern \"C\" __global__ void k(int *p)\n{\n"
        "    __shared__ Sort::TempStorage sort;\n    __shared__ Scan::TempStorage scan;\n"
        "    __shared__ Reduce::TempStorage reduce;\n    __shared__ int most;\n"
        "    int own[1] = { p[threadIdx.x] }, sum;\n    Sort(sort).Sort(own);\n"
        "    Scan(scan).InclusiveSum(own[0], sum);\n"
        "    const int largest = Reduce(reduce).Reduce(own[0], [](int a, int b) { return a > b ? a : b; });\n"
        "    if (threadIdx.x == 0)\n        most = largest;\n    __syncthreads();\n"
        "    p[threadIdx.x] = 1000 * sum + most;\n}\n";
    int32_t numbers[THREADS];
    at_error err = { 0 };
    shuffle(numbers);
    cr_assert(run(numbers, SOURCE, &err) == AT_OK, "%s", err.text);
    for (int i = 0, sum = 0; i < THREADS; i++) {
        sum += i - 20;
        cr_assert(numbers[i] == 1000 * sum + THREADS - 1 - 20, "number %d is %d", i, numbers[i]);
    }
}

Test(machine_foreign, a_reduction_in_the_style_of_samples_runs)
{
    static const char SOURCE[] = "template <unsigned size> __device__ int sum_of_warp(int v)\n{\n"
                                 "    for (unsigned step = size / 2; step; step >>= 1)\n        v += "
                                 "__shfl_down_sync(0xffffffffu, v, step);\n"
                                 "    return v;\n}\n"
                                 "extern \"C\" __global__ void k(int *p)\n{\n    extern __shared__ int "
                                 "unused[];\n    __shared__ int of_warps[2];\n"
                                 "    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = "
                                 "sum_of_warp<32>(p[threadIdx.x]);\n"
                                 "    if (lane == 0)\n        of_warps[warp] = v;\n    __syncthreads();\n"
                                 "    if (threadIdx.x == 0)\n        p[0] = of_warps[0] + of_warps[1];\n}\n";
    int32_t numbers[THREADS];
    at_error err = { 0 };
    shuffle(numbers);
    cr_assert(run(numbers, SOURCE, &err) == AT_OK, "%s", err.text);
    cr_expect_eq(numbers[0], THREADS * (THREADS - 1) / 2 - 20 * THREADS);
}

Test(machine_foreign, what_it_does_not_know_is_refused_by_name)
{
    static const struct {
        const char *source, *word;
    } CASES[] = {
        { "extern \"C\" __global__ void k(int *p)\n{\n"
          "    asm volatile(\"wgmma.fence.sync.aligned;\");\n    p[threadIdx.x] = 1;\n}\n",
          "wgmma" },
        { "extern \"C\" __global__ void k(int *p, unsigned long long t)\n{\n"
          "    asm(\"tex.1d.v4.s32.s32 {%0, %0, %0, %0}, [%1, {%0}];\" : \"+r\"(p[0]) : \"l\"(t));\n}\n",
          "tex" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int32_t numbers[THREADS] = { 0 };
        at_error err = { 0 };
        cr_expect_eq(run(numbers, CASES[i].source, &err), AT_ERR_INPUT);
        cr_expect(strstr(err.text, CASES[i].word) != NULL, "%s", err.text);
    }
}
