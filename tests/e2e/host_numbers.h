/*
 * host_numbers.h - kernels of ops that compute, on the CPU; what each does its name says.
 *
 *     matmul_*     C = A * B in f32; parameters C, A, B, m, n, k. _reference is right; _nan stores NaN, _half
 *                  sums half of k, _swapped takes its inputs in the other order, _outside writes one element
 *                  behind its output, _nothing does nothing; all others are right but for the order of sums
 *     axpy_*       y += a * x in f32; parameters y, x, a (f32), n. _twice does it twice
 *     histogram_*  bins of i32; parameters bins, x, n, count. Its bins must be zero when it begins: otherwise
 *                  it ends the process
 *     relay_*      y = x in f32 by way of a buffer; parameters y, x, buffer, n. _stale takes what an earlier
 *                  launch has left there
 *     blur*        the mean of 5 x 5 elements in f32; parameters out, in, width, height
 */
#pragma once

#include "host_kernels.h"

/* As host_kernel_params and host_kernel_buffers; of others 0 and false. */
int host_number_params(const char *name);
bool host_number_buffers(host_buffers *out, const char *name, const uint64_t *params);
void host_number_run(const char *name, const uint64_t *params);
