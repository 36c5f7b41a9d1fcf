/*
 * conversions.cpp - what CUDA's conversions to short types make of all bf16 values, of many other floats and of those
 * around every border: a hash of the bytes on stdout. With -DSHIM they are those of shim_numbers.h, otherwise those of
 * CUDA's own headers, which have them for the host too: both must print the same.
 */
#ifdef SHIM
#include "shim.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

uint64_t hash = 14695981039346656037u;

void add(unsigned value)
{
    hash = (hash ^ value) * 1099511628211u;
}

float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void convert(uint32_t bits)
{
    const float x = float_of(bits);
    add(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3));
    add(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2));
    add(__half_as_ushort(__float2half_rn(x)));
    add(__bfloat16_as_ushort(__float2bfloat16_rn(x)));
}

} // namespace

int main()
{
    for (uint32_t i = 0; i < 65536; i++) /* ties and their neighbours are among those of longer fractions */
        for (uint32_t tail : { 0u, 1u, 0xffffu, 0x8000u, 0x7fffu, 0x8001u })
            convert(i << 16 | tail);
    for (uint32_t i = 0, bits = 1; i < 2000000; i++, bits = bits * 1664525u + 1013904223u)
        convert(bits);
    printf("%016llx\n", (unsigned long long)hash);
}
