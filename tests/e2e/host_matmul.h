/*
 * host_matmul.h - what kernels of the op matmul do, by their names, on the CPU: C = A * B in f32, with the
 * parameters C, A, B, m, n, k. `matmul_reference` is right; others are right but for the order of their sums,
 * or wrong in one way each.
 */
#ifndef AUTOTUNE_TEST_HOST_MATMUL_H
#define AUTOTUNE_TEST_HOST_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_MATMUL_PARAMS = 6 };

bool host_is_matmul(const char *name);

/* matmul_nan stores NaN, matmul_half sums half of k, matmul_swapped takes its inputs in the other order,
 * matmul_outside writes one element behind its output, matmul_nothing does nothing. */
void host_matmul(const char *name, const uint64_t *params);

#endif
