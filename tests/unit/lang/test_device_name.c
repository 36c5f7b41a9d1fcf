/* test_device_name.c - names of devices; how unlike two GPUs are. */
#include "lang/device_name.h"
#include "lang/gpu_model.h"

#include <criterion/criterion.h>
#include <string.h>

Test(device_name, a_number_is_an_index)
{
    static const char *const INDICES[] = { "0", "1", "12", "1023" };
    static const char *const OTHERS[] = { "",   "00",   "01",          "-1",  "+1", " 1",
                                          "1 ", "1024", "99999999999", "0x1", "1a" };
    int index = -1;
    for (size_t i = 0; i < sizeof INDICES / sizeof *INDICES; i++)
        cr_expect(atx_device_is_index(&index, INDICES[i]), "%s", INDICES[i]);
    cr_expect_eq(index, 1023);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        cr_expect_not(atx_device_is_index(&index, OTHERS[i]), "'%s'", OTHERS[i]);
}

Test(device_name, words_are_whole)
{
    cr_expect(atx_device_name_has("NVIDIA A100-SXM4-80GB", "a100"));
    cr_expect(atx_device_name_has("NVIDIA A100-SXM4-80GB", "sxm4-80gb"));
    cr_expect_not(atx_device_name_has("NVIDIA A100-SXM4-80GB", "A10"));
    cr_expect_not(atx_device_name_has("NVIDIA A100-SXM4-80GB", "80G"));
    cr_expect_not(atx_device_name_has("NVIDIA A100-SXM4-80GB", ""));
    cr_expect(atx_device_name_has("GPU10 GPU1", "GPU1"), "the second is whole");
}

static double between(const char *a, const char *b)
{
    return atx_gpu_distance(&(atx_gpu_model){ .name = a }, &(atx_gpu_model){ .name = b });
}

Test(device_name, gpus_are_alike_by_architecture_multiprocessors_and_bandwidth)
{
    cr_expect_eq(between("NVIDIA H200", "NVIDIA H200"), 0);
    cr_expect_lt(between("NVIDIA H100 NVL", "NVIDIA H100 80GB HBM3"),
                 between("NVIDIA H100 NVL", "NVIDIA H200"));
    cr_expect_lt(between("NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3"),
                 between("NVIDIA H100 PCIe", "NVIDIA H200"));
    cr_expect_lt(between("NVIDIA A30", "NVIDIA A100-SXM4-80GB"), between("NVIDIA A30", "NVIDIA A10"));
    cr_expect_lt(between("NVIDIA L4", "NVIDIA GeForce RTX 4090"), between("NVIDIA L4", "Tesla T4"));
}

Test(device_name, what_is_unknown_of_a_gpu_does_not_count)
{
    const atx_gpu_model h200 = { .name = "NVIDIA H200" };
    cr_expect_eq(atx_gpu_distance(&(atx_gpu_model){ .name = "Unknown" }, &h200), 0);
    cr_expect_eq(atx_gpu_distance(&(atx_gpu_model){ .name = "Unknown", .cc = 90 }, &h200), 0);
    cr_expect_eq(atx_gpu_distance(&(atx_gpu_model){ .name = "Unknown", .cc = 90, .sms = 66 }, &h200), 1);
    cr_expect_gt(atx_gpu_distance(&(atx_gpu_model){ .name = "Unknown", .cc = 89 }, &h200), 1);
}

/* A slice has fewer multiprocessors, which the driver tells, and belongs to its GPU. */
Test(device_name, a_slice_has_the_figures_of_its_gpu)
{
    const atx_gpu_model *row = atx_gpu_model_find("NVIDIA H100 80GB HBM3 MIG 3g.40gb");
    cr_assert_not_null(row);
    cr_expect_str_eq(row->name, "NVIDIA H100 80GB HBM3");
    cr_expect_null(atx_gpu_model_find("NVIDIA H100 80GB"));
    cr_expect_null(atx_gpu_model_find("NVIDIA H100 80GB HBM3e"));
}
