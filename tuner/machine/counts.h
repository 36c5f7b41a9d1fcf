/*
 * counts.h - the cost of one access of a warp: sectors of global memory, wavefronts of shared memory; and the
 * least cost of as many bytes. Pure functions of the addresses of its lanes.
 *
 * A sector is 32 bytes of memory that begin at a multiple of 32; caches and DRAM move whole sectors. A
 * wavefront is one cycle of shared memory: each of its 32 banks gives one word of 4 bytes to all lanes that
 * read that word.
 */
#pragma once

#include <stdint.h>

#define ATX_LANES        32
#define ATX_SECTOR_BYTES 32

/* One instruction of one warp. Lanes that are not in `active` have no address. */
typedef struct atx_access {
    uint64_t address[ATX_LANES];
    uint32_t active;
    int bytes; /* of a lane: 1, 2, 4, 8 or 16 */
} atx_access;

/* Both 0 when no lane is active. */
typedef struct atx_cost {
    int is;    /* sectors, or wavefronts                                              */
    int least; /* for the same number of different bytes, wherever they lie            */
} atx_cost;

atx_cost atx_global_cost(const atx_access *access);

/* As many as the busiest bank has different words to give, however wide an access is and in whichever half of
 * the warp its lanes are: so an H200 counts. */
atx_cost atx_shared_cost(const atx_access *access);

/* Of ldmatrix and stmatrix: the rows of 16 bytes of up to four matrices. */
atx_cost atx_matrix_cost(const atx_access *access);
