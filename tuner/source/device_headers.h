/*
 * device_headers.h - which headers are for a kernel, by their names. templates/host/host.h stands for the
 * host's.
 */
#ifndef AUTOTUNE_DEVICE_HEADERS_H
#define AUTOTUNE_DEVICE_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum atx_header_class {
    ATX_HEADER_UNKNOWN,
    ATX_HEADER_DEVICE, /* CUDA's, which NVRTC takes */
    ATX_HEADER_HOST /* of the C++ library, the system or CUDA's host API: no kernel needs what it declares, or
                       host.h has it */
} atx_header_class;

/* *word: a name that the kernels must reach, or the header is not for them; "": any. Ends in '*': a name that
 * begins so. */
atx_header_class atx_header_class_of(const char **word, const char *name, size_t len);

#endif
