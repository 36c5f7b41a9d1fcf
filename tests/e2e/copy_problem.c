/* copy_problem.c - a copy of so many floats, as the scripted driver takes it. */
#include "copy_problem.h"

/* The first bytes of a cubin: the scripted driver takes kernels by their names. */
static const unsigned char CUBIN[64] = { 0x7f, 'E', 'L', 'F' };

atx_kernel copy_kernel(const char *name, int64_t count)
{
    atx_kernel k = { .cubin = CUBIN,
                     .cubin_len = sizeof CUBIN,
                     .name = name,
                     .geometry = { .grid = { 4, 1, 1 }, .block = { 256, 1, 1 } },
                     .arg_count = 5,
                     .args = { { .buffer = 0 }, { .buffer = 1 } } };
    for (int i = 2; i < 5; i++)
        k.args[i] = (struct atx_kernel_arg){ .buffer = -1, .bytes = 8, .value = i == 4 ? count : 1 };
    return k;
}

atx_setup copy_setup(int64_t count, int64_t out_align, int64_t in_align)
{
    int64_t bytes = 4 * count;
    atx_setup setup = { .buffers = { { ATX_OUTPUT, bytes, out_align, .element_bytes = 4 },
                                     { ATX_INPUT, bytes, in_align, .element_bytes = 4 } },
                        .buffer_count = 2,
                        .reference = copy_kernel("copy_reference", count),
                        .copy_bytes = bytes,
                        .seed = 3,
                        .chance = 5 };
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        setup.verify[i] = (atx_check_part){ CUBIN, sizeof CUBIN };
    return setup;
}
