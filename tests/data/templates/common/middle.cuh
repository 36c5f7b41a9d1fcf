/*!autotune
common    middle                       # where a thread stands in its tile
use       index
*/
#ifndef AUTOTUNE_RENDERED
#pragma once
#include "../../../../templates/common/index.cuh"
#endif

/* Offset of (row, col) where rows lie `ld` elements apart. */
template <bool wide> __device__ __forceinline__ typename IndexOf<wide>::type offset(int row, int col, long long ld)
{
    return row * (typename IndexOf<wide>::type)ld + col;
}
