/*
 * model_support.h - a store whose trials follow a law that is easy to learn: on rows of a multiple of 32
 * elements tiles of 64 are best, on others tiles of 16; a block of eight rows is always best. What is of no
 * use is slow.
 */
#pragma once

#include "lookup_support.h"

#include <math.h>

static inline const char *best_tile(int64_t cols)
{
    return cols % 32 == 0 ? "TILE=64" : "TILE=16";
}

/* The law of a device on which another number of rows is best. */
static inline double law_of(int64_t rows, int64_t cols, int tile, int block_rows, int pad, int best_rows)
{
    double wrong_tile = fabs(log2((double)tile) - (cols % 32 == 0 ? 6 : 4));
    double wrong_block = fabs(log2((double)block_rows) - log2((double)best_rows));
    return 8e-12 * (double)rows * (double)cols * (1 + 0.4 * wrong_tile + 0.2 * wrong_block + 0.05 * pad);
}

static inline double law_s(int64_t rows, int64_t cols, int tile, int block_rows, int pad)
{
    return law_of(rows, cols, tile, block_rows, pad, 8);
}

/* Configurations of tile_rows that the law speaks of. */
static inline void put_tiles_on(const char *device, int64_t rows, int64_t cols, int least, int most,
                                int best_rows)
{
    char shape[64], config[128];
    snprintf(shape, sizeof shape, "%lldx%lld", (long long)rows, (long long)cols);
    for (int tile = least; tile <= most; tile *= 2)
        for (int block_rows = 2; block_rows <= 16; block_rows *= 2)
            for (int pad = 0; pad <= 1; pad++) {
                snprintf(config, sizeof config, "TILE=%d BLOCK_ROWS=%d PAD=%d UNROLL=yes ORDER=in_fast", tile,
                         block_rows, pad);
                put_trial_on(device, shape, "tile_rows", config,
                             law_of(rows, cols, tile, block_rows, pad, best_rows), NULL, "1");
            }
}

static inline void put_tiles(int64_t rows, int64_t cols, int least, int most)
{
    put_tiles_on("NVIDIA H200", rows, cols, least, most, 8);
}

static inline void put_law(int64_t rows, int64_t cols)
{
    put_tiles(rows, cols, 16, 64);
}

static inline void put_training_samples(void)
{
    static const int64_t SIDES[][2] = { { 512, 512 },   { 1024, 960 },  { 700, 2048 },  { 2048, 4096 },
                                        { 3001, 1600 }, { 999, 1024 },  { 513, 511 },   { 1000, 961 },
                                        { 701, 2041 },  { 2048, 4097 }, { 3000, 1603 }, { 999, 1023 } };
    for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++)
        put_law(SIDES[i][0], SIDES[i][1]);
}
