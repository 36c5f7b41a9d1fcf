/*
 * kernel_args.h - the parameters of a launch as a driver takes them: an address of each, which is that of a
 * buffer, a scalar or the bytes of a struct with the addresses of the buffers that it has.
 */
#pragma once

#include "device/trial.h"

#include <string.h>

typedef struct atx_params {
    uint64_t values[ATX_MAX_ARGS];
    _Alignas(ATX_FULL_ALIGN) unsigned char structs[ATX_MAX_STRUCT_BYTES];
} atx_params;

/* `args` are those of one of the kernel's launches, `buffers` their addresses. params[0 .. count) point into
 * *room, which must outlive them. */
static inline void atx_kernel_params(void **params, atx_params *room, const atx_kernel *k,
                                     const struct atx_kernel_arg *args, int count, const uint64_t *buffers)
{
    if (k->struct_bytes)
        memcpy(room->structs, k->structs, (size_t)k->struct_bytes);
    for (int i = 0; i < k->pointer_count; i++)
        memcpy(room->structs + k->pointers[i].at, &buffers[k->pointers[i].buffer], sizeof *buffers);
    for (int i = 0; i < count; i++) {
        room->values[i] = args[i].buffer >= 0 ? buffers[args[i].buffer] : (uint64_t)args[i].value;
        params[i] = args[i].is_struct ? (void *)(room->structs + args[i].value) : (void *)&room->values[i];
    }
}
