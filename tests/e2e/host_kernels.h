/*
 * host_kernels.h - what kernels do, done by the CPU: those of tuner/runner/verify.cu and fill.cu, by their
 * first word those of the ops transpose and copy, and those of host_numbers.h. Mangled names are taken apart;
 * one with "swapped" in it takes its input before its output.
 */
#pragma once

#include "script.h"

enum { HOST_PARAMS = 12 };

/* How many 8-byte parameters a kernel of this name takes; 0: it is unknown. */
int host_kernel_params(const char *name);

/* For a kernel that moves data: where its buffers are. false: it is one of verify.cu's. */
typedef struct host_buffers {
    unsigned char *out, *in;
    int64_t out_bytes, in_bytes;
} host_buffers;
bool host_kernel_buffers(host_buffers *out, const char *name, const uint64_t *params, int element);

/* Memory of a variable of the code that runs; NULL: it has none, or nobody asked where it is. */
const void *host_variable(const char *name);

/* Runs it; `how` is one of the actions that write. */
void host_kernel_run(const char *name, const uint64_t *params, int element, action how);
