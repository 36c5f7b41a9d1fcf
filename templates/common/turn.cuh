/*!autotune
common    turn                         # elements that are turned in registers, several to a 32-bit word
use       access
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#endif

constexpr int PACK  = ES < 4 ? 4 / ES : 1; /* elements in a word  */
constexpr int PARTS = ES < 4 ? 1 : ES / 4; /* words in an element */

/* Turns PACK words of PACK elements, in place: element i of word k becomes element k of word i. */
__device__ __forceinline__ void turn_words(unsigned (&w)[PACK])
{
    if (PACK == 2) {
        const unsigned a = w[0], b = w[PACK - 1];
        w[0]        = __byte_perm(a, b, 0x5410);
        w[PACK - 1] = __byte_perm(a, b, 0x7632);
    } else if (PACK == 4) {
        const unsigned a = __byte_perm(w[0], w[PACK / 4], 0x5140), b = __byte_perm(w[0], w[PACK / 4], 0x7362);
        const unsigned c = __byte_perm(w[PACK / 2], w[PACK - 1], 0x5140), d = __byte_perm(w[PACK / 2], w[PACK - 1], 0x7362);
        w[0]        = __byte_perm(a, c, 0x5410);
        w[PACK / 4] = __byte_perm(a, c, 0x7632);
        w[PACK / 2] = __byte_perm(b, d, 0x5410);
        w[PACK - 1] = __byte_perm(b, d, 0x7632);
    }
}

/* A word of the elements that stand at these places in other words, or one part of a longer element. The compiler has to
 * know all of them: registers have no addresses. */
template <int words> __device__ __forceinline__ unsigned gathered(const unsigned (&in)[words], const int (&at)[PACK], int part)
{
    const int a = at[0], b = at[PACK > 1], c = at[PACK / 2], d = at[PACK - 1];
    if (PACK == 1)
        return in[a * PARTS + part];
    if (PACK == 2)
        return __byte_perm(in[a / 2], in[d / 2], (a % 2 ? 0x32 : 0x10) | (d % 2 ? 0x7600 : 0x5400));
    const unsigned low  = __byte_perm(in[a / 4], in[b / 4], a % 4 | (4 + b % 4) << 4);
    const unsigned high = __byte_perm(in[c / 4], in[d / 4], c % 4 | (4 + d % 4) << 4);
    return __byte_perm(low, high, 0x5410);
}

/*
 * Turns a block in registers: as many rows as `in` has, as many columns as `out`. Words of a column that stand in the same
 * place of PACK rows are turned together; elements of several words, part by part.
 */
template <class Out, class In, int columns, int rows>
__device__ __forceinline__ void turn_block(Out (&out)[columns], const In (&in)[rows])
{
#pragma unroll
    for (int r = 0; r < rows; r += PACK)
#pragma unroll
        for (int c = 0; c < columns; c += PACK)
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                unsigned w[PACK];
#pragma unroll
                for (int i = 0; i < PACK; i++)
                    w[i] = in[r + i].word[c / PACK * PARTS + part];
                turn_words(w);
#pragma unroll
                for (int i = 0; i < PACK; i++)
                    out[c + i].word[r / PACK * PARTS + part] = w[i];
            }
}
