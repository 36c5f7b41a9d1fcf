/* fuzz_cubin.c - any bytes as compiled code: what is told of it lies within it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    atx_cubin_kernel k;
    const char *begin = (const char *)data, *end = begin + size;
    for (int i = 0; i < 50 && atx_cubin_kernel_at(&k, data, size, i); i++)
        if (k.name < begin || k.name + k.name_len > end || k.param_count < -1)
            abort();
    if (atx_cubin_find(&k, data, size, "ns::f<float, 4>", NULL) == AT_OK && (k.name < begin || k.name >= end))
        abort();
    return 0;
}
