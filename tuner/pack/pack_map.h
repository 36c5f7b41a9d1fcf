/*
 * pack_map.h - what a pack does where, for readers: which kernel takes which sizes, over two of them, and the
 * leaves of its tree that are expected to lose the most.
 */
#pragma once

#include "pack/pack.h"

#define ATX_PACK_MAP_CELLS 48

/* Over the two sizes with the widest ranges, even in their logarithms; the others have their least. */
typedef struct atx_pack_map {
    int x, y; /* dimensions; y -1: the operation has one that varies, or none */
    int width, height;
    int64_t xs[ATX_PACK_MAP_CELLS], ys[ATX_PACK_MAP_CELLS];
    short kernels[ATX_PACK_MAP_CELLS][ATX_PACK_MAP_CELLS]; /* [y][x]; -1: none */
} atx_pack_map;

/* At most so many cells. Sizes are multiples of the largest power of two up to 64 that they have room for,
 * or, `odd`, one more: kernels that take several elements at once are not for those. */
void atx_pack_map_fill(atx_pack_map *map, const atx_pack *pack, int width, int height, bool odd);

/* A leaf, and the comparisons that lead to it: "rows <= 33, cols % 8 != 0". */
typedef struct atx_pack_spot {
    const atx_pack_node *leaf;
    atx_str where; /* "": everywhere */
} atx_pack_spot;

/* Those that lose the most of the time of all problems first; returns how many. Clear each `where`. */
int atx_pack_spots(atx_pack_spot *out, int most, const atx_pack *pack);
