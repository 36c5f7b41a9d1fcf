/*!autotune
common    odd                          # tiles of rows of an odd number of elements: which part exists, how columns are written
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/*
 * `Tiling` has a template's constants:
 *
 *     Element, Unit       of an output row; what a lane writes of it at a time: a union of bits and elements
 *     pitch               elements of the tile from one of a column to the next; 0: the corner has it
 *     rows, halo          that a tile writes; and that are there above them, for columns that begin earlier
 *     apart               elements between the places where a tile's part of an output row may begin
 *     threads, lanes      of the block; that gather from a column
 *     aside               columns that are written at once
 *     each, ahead         columns of a thread; of them those that it gathers at a time
 *     deep                units of each
 */

struct Corner { /* where a tile begins, and which part of it exists: all of it, where it is whole */
    int start, phase;              /* of its first element: the place in the buffer, and in its piece */
    int pitch, pieces;             /* of the input's rows; whole ones of the buffer */
    int first_row, end_row, cols_here;
    int tile_pitch;                /* that of the tile, where it is no constant */
};

template <typename Tiling> struct Target { /* where its columns go */
    typename Tiling::Element *out; /* the tile's first column, at row 0 of the tile */
    int pitch, phase, step;        /* elements between columns; of the first behind an aligned place; and from one to the next */

    __device__ __forceinline__ int ahead(int c) const
    {
        return (int)((unsigned)(phase + c * step) % Tiling::apart);
    }
};

/* A thread's columns, `ahead` at a time, each as far as there are whole units. */
template <typename Tiling, bool whole>
__device__ __forceinline__ void write_columns(const typename Tiling::Element *tile, const Corner &at, const Target<Tiling> &target)
{
    using Element = typename Tiling::Element;
    using Unit    = typename Tiling::Unit;
    using Bits    = decltype(Unit::bits);
    constexpr int ahead = Tiling::ahead, deep = Tiling::deep, lanes = Tiling::lanes;
    const int pitch = Tiling::pitch > 0 ? Tiling::pitch : at.tile_pitch;
    constexpr int per = sizeof(Unit) / sizeof(Element);

    const int aside = (int)threadIdx.x / lanes, own = Tiling::halo + (int)threadIdx.x % lanes * per;
    const Element *const column = tile + at.phase + own * pitch + aside;
    Element *const out = target.out + (own + aside * target.pitch);
#pragma unroll
    for (int first = 0; first < Tiling::each; first += ahead) {
        Unit unit[ahead][deep];
#pragma unroll
        for (int a = 0; a < ahead; a++) {
            const int c = (first + a) * Tiling::aside, up = target.ahead(aside + c);
#pragma unroll
            for (int d = 0; d < deep; d++)
#pragma unroll
                for (int e = 0; e < per; e++)
                    if constexpr (Tiling::pitch > 0)
                        unit[a][d].element[e] = column[(d * lanes * per + e - up) * pitch + c];
                    else /* the same: what is multiplied is so for all columns */
                        unit[a][d].element[e] = (column - up * pitch + c)[(d * lanes * per + e) * pitch];
        }
#pragma unroll
        for (int a = 0; a < ahead; a++) {
            const int c = (first + a) * Tiling::aside, up = target.ahead(aside + c);
#pragma unroll
            for (int d = 0; d < deep; d++) {
                const int row = own - up + d * lanes * per;
                if (whole || (aside + c < at.cols_here && row >= at.first_row && row + per <= at.end_row))
                    *(Bits *)(out + (c * target.pitch - up + d * lanes * per)) = unit[a][d].bits;
            }
        }
    }
}

/* The elements at the ends of output rows that do not fill a unit: a column a thread. */
template <typename Tiling>
__device__ __forceinline__ void write_ends(const typename Tiling::Element *tile, const Corner &at, const Target<Tiling> &target)
{
    using Element = typename Tiling::Element;
    constexpr int per = sizeof(typename Tiling::Unit) / sizeof(Element);
    const int pitch = Tiling::pitch > 0 ? Tiling::pitch : at.tile_pitch;

    for (int c = (int)threadIdx.x; c < at.cols_here; c += Tiling::threads) {
        const int begin = Tiling::halo - target.ahead(c), end = min(at.end_row, begin + Tiling::rows);
        const int head = begin < at.first_row ? begin + (at.first_row - begin + per - 1) / per * per : begin;
        const Element *const column = tile + at.phase + c;
        Element *const out = target.out + c * target.pitch;
        for (int row = max(begin, at.first_row); row < min(head, end); row++)
            out[row] = column[row * pitch];
        for (int row = max(head, begin + (end - begin) / per * per); row < end; row++)
            out[row] = column[row * pitch];
    }
}
