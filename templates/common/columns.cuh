/*!autotune
common    columns                      # words of output rows, gathered from columns of a tile
use       access
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#endif

constexpr int PIECE = 16 / ES;             /* elements in 16 bytes                             */
constexpr int PER   = ES < 4 ? 4 / ES : 1; /* elements in a word: what a lane writes at a time */
constexpr int LOG   = ES == 1 ? 4 : ES == 2 ? 3 : ES == 4 ? 2 : ES == 8 ? 1 : 0; /* of PIECE */

using Word = Vector<PER>;

/*
 * The lane's next words of a column, `apart` words from each other, to an output row. The column's elements are `pitch`
 * apart in the tile; all words are gathered before the first is written.
 */
template <int words, int apart> __device__ __forceinline__ void move_words(T *to, const T *column, int pitch)
{
    Word word[words];
#pragma unroll
    for (int k = 0; k < words; k++)
#pragma unroll
        for (int e = 0; e < PER; e++)
            word[k].element[e] = column[(k * apart * PER + e) * pitch];
#pragma unroll
    for (int k = 0; k < words; k++)
        ((Word::Bits *)to)[k * apart] = word[k].bits;
}

/* The same where only rows [first_row, end_row) exist; the first word's elements are in `row` and below. */
template <int words, int apart>
__device__ __forceinline__ void move_words_between(T *to, const T *column, int pitch, int row, int first_row, int end_row)
{
    Word word[words];
#pragma unroll
    for (int k = 0; k < words; k++)
        if (row + k * apart * PER >= first_row && row + k * apart * PER + PER <= end_row)
#pragma unroll
            for (int e = 0; e < PER; e++)
                word[k].element[e] = column[(k * apart * PER + e) * pitch];
#pragma unroll
    for (int k = 0; k < words; k++) {
        const int i = k * apart * PER;
        if (row + i >= first_row && row + i + PER <= end_row)
            ((Word::Bits *)to)[k * apart] = word[k].bits;
        else /* the ends of an output row */
#pragma unroll 1
            for (int e = max(0, first_row - row - i); e < PER && row + i + e < end_row; e++)
                to[i + e] = column[(i + e) * pitch];
    }
}
