/*!autotune
common    cache_rows                   # rows of k and v beside a paged cache: a thread has the same piece of some tokens' rows
use       quant

param     ELEMS   = 1 2 4 8 16         # elements of a piece
param     BYTES   = 16 32              # of an access, at most
param     EACH    = 1 2 4              # tokens of a thread
param     THREADS = 64 128 256 512     # threads a block

const     CONVERT = bytes == 1         # the cache has e4m3
const     WIDTH   = width
const     PARTS   = width / ELEMS      # pieces of a row
let       apart   = ceil_div(tokens, EACH) # between two tokens of a thread
let       items   = apart * PARTS

require   width % ELEMS == 0           # every row begins aligned
require   BYTES == 16 || (device.cc >= 100 && ELEMS * sizeof(T) >= 32) # older devices have no wider ones
require   2 * ELEMS > gcd(width, 8)    # far narrower than the alignment allows is slow
require   EACH == 1 || ceil_div(items, THREADS) >= device.sms # else fewer multiprocessors have something
require   items < 2147480000 && ceil_div(items, THREADS) <= device.max_grid_x
require   THREADS <= device.max_threads_per_block
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "quant.cuh"
#endif

/* The slots of a thread's tokens, `apart` from each other, -1 where there is none. All are asked for before any is waited for. */
template <int each> struct Slots {
    long long of[each];

    __device__ __forceinline__ Slots(const long long *slot, long long first, long long apart, long long tokens)
    {
#pragma unroll
        for (int i = 0; i < each; i++) {
            const long long token = first + i * apart;
            of[i] = each == 1 || token < tokens ? slot[token] : -1;
        }
    }
};
