/* cubin_state.h - can a kernel remember its earlier launches? Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether a cubin has variables that its kernels may write (__device__). A file that is not ELF has none. */
bool atx_cubin_has_state(const void *cubin, size_t len);
