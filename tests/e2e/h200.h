/* h200.h - the device of the test drivers: an H200, by the numbers of CUdevice_attribute. */
#pragma once

#include <stddef.h>

#define H200_NAME         "NVIDIA H200"
#define H200_MEMORY_BYTES ((size_t)143155 << 20)
#define H200_CUDA         13000

enum { H200_L2 = 38, H200_MAX_THREADS = 1, H200_MAX_SHARED = 97 };

/* 0, or 1 (CUDA_ERROR_INVALID_VALUE) for one that nobody asks for. */
int h200_attribute(int *value, int which);
