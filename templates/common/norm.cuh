/*!autotune
common    norm                         # rows that are normalized and become e4m3: what a thread has of one, in registers
use       quant

param     ELEMS   = 4 8 16             # of a thread, side by side
param     BYTES   = 16 32              # of an access, at most
param     HINT    = none once keep apart # writes are marked as not needed soon; reads as to be kept in the L2; or both

const     LAYOUT  = layout
const     ADD     = add == add_yes
const     HIDDEN  = hidden
const     GROUP   = size
const     WHOLE   = group == group_row # one scale a row
let       down    = layout == layout_blocks ? ceil_div(tokens, 128) * 128 : tokens

require   hidden % ELEMS == 0          # rows are whole pieces
require   GROUP % ELEMS == 0           # a thread's elements share a scale
require   BYTES == 16 || (device.cc >= 100 && ELEMS * sizeof(T) == 32 && hidden % ELEMS == 0) # older devices have no wider ones
require   HINT == HINT_none || (device.cc >= 80 && moved >= device.l2_bytes / 4)
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "quant.cuh"
#endif

struct Sums { /* of a row's squares, and its largest magnitude with gamma */
    float squares, largest;

    __device__ __forceinline__ void join(const Sums &other)
    {
        squares += other.squares;
        largest = fmaxf(largest, other.largest);
    }
};

/* Of a warp, in each of its lanes. `whole`: the largest is wanted. */
template <bool whole> __device__ __forceinline__ Sums sums_of_warp(Sums mine)
{
    return { total_of<32>(mine.squares), whole ? largest_magnitude(mine.largest) : 0 };
}

/* Of several warps: of few by each thread, in halves, as additions that follow each other take longer; of many by lanes. */
template <int count, bool whole> __device__ __forceinline__ Sums joined(const Sums *parts)
{
    if constexpr (count > 8) {
        const Sums mine = parts[threadIdx.x % count];
        return { total_of<count>(mine.squares), whole ? largest_magnitude(mine.largest) : 0 };
    } else {
        Sums all[count];
#pragma unroll
        for (int i = 0; i < count; i++)
            all[i] = parts[i];
#pragma unroll
        for (int half = count / 2; half > 0; half /= 2)
#pragma unroll
            for (int i = 0; i < half; i++)
                all[i].join(all[i + half]);
        return all[0];
    }
}

/*
 * What a thread has of a row. `Is` has a kernel's constants: LANES threads have a row, each of them EACH times ELEMS elements
 * side by side; HIDDEN, BYTES, RAGGED: not all of them have their last ones.
 */
template <class Is> struct Share {
    using Piece = Elements<Is::ELEMS, Is::BYTES>;
    Piece piece[Is::EACH];

    static __device__ __forceinline__ int column(int i, int lane) { return (i * Is::LANES + lane) * Is::ELEMS; }
    static __device__ __forceinline__ bool has(int i, int lane)
    {
        return !Is::RAGGED || i < Is::EACH - 1 || column(i, lane) < Is::HIDDEN;
    }

    template <bool keep> __device__ __forceinline__ void read(const T *from, int lane)
    {
#pragma unroll
        for (int i = 0; i < Is::EACH; i++)
            if (has(i, lane))
                piece[i].template read<keep, false>(from + column(i, lane));
            else
                piece[i] = {};
    }

    /* As it is written: rounded to T. */
    __device__ __forceinline__ void add(const Share &other, T *sum, int lane, bool here)
    {
        using Bits = typename Piece::Part::Bits;
#pragma unroll
        for (int i = 0; i < Is::EACH; i++)
#pragma unroll
            for (int p = 0; p < Is::ELEMS / Piece::PER; p++) {
                auto &part = piece[i].part[p];
#pragma unroll
                for (int k = 0; k < Piece::PER; k++)
                    part.element[k] = (T)((float)part.element[k] + (float)other.piece[i].part[p].element[k]);
                if (here && has(i, lane))
                    store<Is::ONCE>((Bits *)(sum + column(i, lane)) + p, part.bits);
            }
    }

    __device__ __forceinline__ float squares() const
    {
        float sum[4] = {}; /* an addition takes four cycles */
#pragma unroll
        for (int i = 0; i < Is::EACH; i++)
#pragma unroll
            for (int k = 0; k < Is::ELEMS; k++)
                sum[k % 4] = fmaf(piece[i][k], piece[i][k], sum[k % 4]);
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
};

/* Elements times gamma. */
template <class Piece> struct Weighted {
    const Piece x, weight;

    __device__ __forceinline__ float operator[](int k) const { return x[k] * weight[k]; }

    template <int elems> __device__ __forceinline__ float largest() const
    {
        float most[2] = {};
#pragma unroll
        for (int k = 0; k < elems; k++)
            most[k % 2] = fmaxf(most[k % 2], fabsf((*this)[k]));
        return fmaxf(most[0], most[1]);
    }
};

/* The largest magnitude of each piece's group, but for the row's factor; or, where a row has one scale, of all pieces, in [0]. */
template <class Is> struct Largest {
    float of[Is::WHOLE ? 1 : Is::EACH];

    template <class Weight> __device__ __forceinline__ void find(const Share<Is> &mine, const Weight &weight)
    {
        constexpr int LANES_OF = Is::WHOLE ? 1 : Is::GROUP / Is::ELEMS; /* that have a group */
        if (Is::WHOLE)
            of[0] = 0;
#pragma unroll
        for (int i = 0; i < Is::EACH; i++) {
            const float most = Weighted<typename Share<Is>::Piece>{ mine.piece[i], weight(i) }.template largest<Is::ELEMS>();
            if (Is::WHOLE)
                of[0] = fmaxf(of[0], most);
            else
                of[Is::WHOLE ? 0 : i] = largest_of<LANES_OF>(most);
        }
    }
};

/* Writes what a thread has of a row, and the scales. */
template <class Is, class Weight>
__device__ __forceinline__ void write_normalized(unsigned char *q, unsigned char *scales, const Share<Is> &mine, const Weight &weight,
    const Largest<Is> &largest, float squares, float eps, int lane, long long token, long long tokens)
{
    constexpr int GROUPS = Is::HIDDEN / Is::GROUP, ACROSS = Is::LAYOUT == SCALES_BLOCKS ? (GROUPS + 3) / 4 * 4 : GROUPS;
    const bool  here = token < tokens;
    const float factor = rsqrtf(fmaf(squares, 1.0f / Is::HIDDEN, eps));
#pragma unroll
    for (int i = 0; i < Is::EACH; i++) {
        const int column = Share<Is>::column(i, lane);
        const Scaled is = scaled_for<Is::LAYOUT >= SCALES_E8M0>(largest.of[Is::WHOLE ? 0 : i], factor);
        if (here && Share<Is>::has(i, lane)) {
            const Weighted<typename Share<Is>::Piece> y = { mine.piece[i], weight(i) };
            write_e4m3<Is::ELEMS, Is::ONCE, Is::BYTES>(q + token * Is::HIDDEN + column, y, is.by);
            if (column % Is::GROUP == 0)
                write_scale<Is::LAYOUT>(scales, is.scale, token, column / Is::GROUP, tokens, GROUPS);
        }
    }
    if (Is::LAYOUT == SCALES_BLOCKS && token < (tokens + 127) / 128 * 128) /* what has no group */
        for (int g = (here ? GROUPS : 0) + lane; g < ACROSS; g += Is::LANES)
            write_scale<Is::LAYOUT>(scales, 0, token, g, tokens, GROUPS);
}
