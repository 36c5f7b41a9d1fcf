/*!autotune
common    tiles                        # which tile of which matrix is a block's
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/*
 * Neighbouring blocks take tiles side by side, or one below the other (`out_fast`): they follow the input's rows or the
 * output's. The grid has the tiles' shape where it may, with matrices in z: divisions would cost short kernels 5 %.
 * Otherwise (`flat`) tiles are counted, matrix by matrix and line by line, or in strips of so many tiles of every line:
 *
 *     0 1 2 3 4        strips of 2:   0 1 | 6 7 | 12
 *     5 6 7 8 9                       2 3 | 8 9 | 13
 *    10 . . .                         4 5 | . . |  .
 */

/* Which matrix is this block's, where each has `down` x `across` tiles. */
template <bool flat, bool batched> __device__ __forceinline__ unsigned matrix_of(unsigned down, unsigned across)
{
    return !batched ? 0 : flat ? blockIdx.x / (down * across) : blockIdx.z;
}

/* Which tile of it, counted in tiles. */
struct Spot {
    unsigned r, c;
};

template <bool flat, bool batched, bool out_fast, int strip = 0>
__device__ __forceinline__ Spot spot_of(unsigned down, unsigned across)
{
    unsigned fast = blockIdx.x, slow = blockIdx.y;
    if constexpr (flat) {
        const unsigned line = out_fast ? down : across, lines = out_fast ? across : down;
        const unsigned t = batched ? blockIdx.x % (down * across) : blockIdx.x;
        const unsigned first = strip > 0 ? t / (strip * lines) * strip : 0;
        const unsigned wide = strip > 0 && line - first > strip ? strip : line - first;
        fast = first + (t - first * lines) % wide;
        slow = (t - first * lines) / wide;
    }
    return { out_fast ? fast : slow, out_fast ? slow : fast };
}

/* A tile's first row and column, and how many of each there are: fewer at the edge. */
struct Tile {
    unsigned  matrix;
    long long r0, c0;
    int       rows, cols;
};

/* The block's tile of `high` x `wide` elements. */
template <int high, int wide, bool flat, bool batched, bool out_fast, int strip = 0>
__device__ __forceinline__ Tile tile_of(long long rows, long long cols)
{
    const unsigned down = (unsigned)((rows + high - 1) / high), across = (unsigned)((cols + wide - 1) / wide);
    const Spot spot = spot_of<flat, batched, out_fast, strip>(down, across);
    const unsigned matrix = matrix_of<flat, batched>(down, across);
    const long long r0 = (long long)spot.r * high, c0 = (long long)spot.c * wide;
    return { matrix, r0, c0, (int)(rows - r0 < high ? rows - r0 : high), (int)(cols - c0 < wide ? cols - c0 : wide) };
}
