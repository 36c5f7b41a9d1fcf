/*
 * prior_rows.h - trials as rows of binned traits: those of the declarations, and those that a compiler and
 * the machine add. Read from the lines that bench_counts writes.
 */
#ifndef AUTOTUNE_BENCH_PRIOR_ROWS_H
#define AUTOTUNE_BENCH_PRIOR_ROWS_H

#include "lang/catalog.h"
#include "model/forest.h"

#define MOST 60000 /* rows */
#define SLIM 64

/* Traits beyond those of the declarations: the compiler's, then the machine's. */
enum { USED_REGISTERS, RESIDENT_WARPS, TRUE_WAVES, TRUE_LAST_WAVE, COMPILED };
enum {
    LOAD_SECTORS = COMPILED,
    STORE_SECTORS,
    SECTORS_A_BYTE,
    REQUESTS_A_BYTE,
    LOAD_CONFLICTS,
    STORE_CONFLICTS,
    WAVEFRONTS_A_BYTE,
    INSTRUCTIONS_A_BYTE,
    INSTRUCTIONS_A_WARP,
    LANES_BUSY,
    EXTRA
};

typedef struct bench_row {
    int problem;
    bool slim;    /* one side of the problem is of 2 to SLIM elements */
    float slower; /* a logarithm: than the best of the problem        */
} bench_row;

typedef struct bench_table {
    const at__catalog *catalog;
    at__problem problem; /* of the last line */
    char last[512];
    char (*names)[AT__MAX_NAME];
    int declared; /* names of traits; the last EXTRA of a row are those of the counts */
    bench_row *rows;
    int count, problems;
    float *numbers;
    uint8_t *bins;
    int bin_counts[AT__MAX_SEEN];
} bench_table;

/* Both end the program where something is wrong. */
void bench_prior_read(bench_table *x, const char *path);
void bench_prior_bin(bench_table *x);

#endif
