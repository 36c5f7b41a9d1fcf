/*
 * device_headers.h - the headers that are for a kernel, by their names. templates/host/host.cuh replaces the
 * host's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum atx_header_class {
    ATX_HEADER_UNKNOWN,
    ATX_HEADER_DEVICE, /* CUDA's, which NVRTC takes */
    ATX_HEADER_HOST /* of the C++ library, the system or CUDA's host API: no kernel needs what it declares, or
                       host.cuh has it */
} atx_header_class;

/*
 * *words: names, one of which the kernels must reach, or the header is not for them; "": any will do. One
 * that ends in '*' stands for all that begin so. `asked`: the text includes it, and not the program for it.
 */
atx_header_class atx_header_class_of(const char **words, const char *name, size_t len, bool asked);
