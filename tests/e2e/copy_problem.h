/* copy_problem.h - a copy of so many floats, for tests that hold the scripted driver in their own process. */
#pragma once

#include "runner/measure.h"

/* Few buffer sets, and kernels so slow that a graph has few of them. */
#define COPY_SCRIPT "l2 5000\nnoise 0.001\ntime copy_* * 90000\n"

/* A kernel of that name, which the script knows: it gets output, input, 1, 1 and the number of floats. */
atx_kernel copy_kernel(const char *name, int64_t count);

/* Its problem: buffers aligned to so many bytes, and `copy_reference` to compare with. */
atx_setup copy_setup(int64_t count, int64_t out_align, int64_t in_align);
