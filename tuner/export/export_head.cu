/* Checks the kernel against the operation's reference, on data as it declares them, then times it; exit code 1: wrong. */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

static void autotune_must(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::exit(2);
    }
}

static const int autotune_buffer_count = (int)(sizeof autotune_buffers / sizeof *autotune_buffers);

