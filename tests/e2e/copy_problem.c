/* copy_problem.c - a copy of so many floats, as the scripted driver takes it. */
#include "copy_problem.h"

/* What a cubin begins with: the scripted driver takes kernels by their names. */
static const unsigned char CUBIN[64] = { 0x7f, 'E', 'L', 'F' };

at__kernel copy_kernel(const char *name, int64_t count)
{
    at__kernel k = { .cubin = CUBIN,
                     .cubin_len = sizeof CUBIN,
                     .name = name,
                     .geometry = { .grid = { 4, 1, 1 }, .block = { 256, 1, 1 } },
                     .arg_count = 5,
                     .args = { { .buffer = 0 }, { .buffer = 1 } } };
    for (int i = 2; i < 5; i++)
        k.args[i] = (struct at__kernel_arg){ .buffer = -1, .bytes = 8, .value = i == 4 ? count : 1 };
    return k;
}

at__setup copy_setup(int64_t count, int64_t out_align, int64_t in_align)
{
    int64_t bytes = 4 * count;
    at__setup setup = { .buffers = { { AT__OUTPUT, bytes, out_align, .element_bytes = 4 },
                                     { AT__INPUT, bytes, in_align, .element_bytes = 4 } },
                        .buffer_count = 2,
                        .reference = copy_kernel("copy_reference", count),
                        .copy_bytes = bytes,
                        .seed = 3 };
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        setup.verify[i] = (at__check_part){ CUBIN, sizeof CUBIN };
    return setup;
}
