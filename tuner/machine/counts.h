/*
 * counts.h - what one access of a warp costs: sectors of global memory, wavefronts of shared memory; and the
 * least that as many bytes can cost. Pure functions of the addresses of its lanes.
 *
 * A sector is 32 bytes of memory that begin at a multiple of 32; caches and DRAM move whole ones. A wavefront
 * is one turn of shared memory: each of its 32 banks gives one word of 4 bytes, to as many lanes as want that
 * word.
 */
#ifndef AUTOTUNE_MACHINE_COUNTS_H
#define AUTOTUNE_MACHINE_COUNTS_H

#include <stdint.h>

#define AT__LANES        32
#define AT__SECTOR_BYTES 32

/* One instruction of one warp. Lanes that are not in `active` have no address. */
typedef struct at__access {
    uint64_t address[AT__LANES];
    uint32_t active;
    int bytes; /* of a lane: 1, 2, 4, 8 or 16 */
} at__access;

/* Both 0 when no lane is active. */
typedef struct at__cost {
    int is;    /* sectors, or wavefronts                                              */
    int least; /* for the same number of different bytes, wherever they lie            */
} at__cost;

at__cost at__global_cost(const at__access *access);

/* As many as the busiest bank has different words to give, however wide an access is and in whichever half of
 * the warp its lanes are: so an H200 counts. */
at__cost at__shared_cost(const at__access *access);

/* Of ldmatrix and stmatrix: the rows of 16 bytes of up to four matrices. */
at__cost at__matrix_cost(const at__access *access);

#endif
