/*
 * gpu_model.h - published figures of GPUs, by the name that the driver gives them; and how similar two GPUs
 * are.
 */
#pragma once

#include <stdint.h>

/* 0: unknown. */
typedef struct atx_gpu_model {
    const char *name; /* "NVIDIA H200", in full       */
    int64_t cc, sms;  /* 90 for 9.0; multiprocessors  */
    int64_t gb_per_s; /* of its memory, 10^9 bytes    */
} atx_gpu_model;

/* In any case. A slice of a GPU (MIG) has the row of the whole GPU. NULL: there is no row. */
const atx_gpu_model *atx_gpu_model_find(const char *name);
const atx_gpu_model *atx_gpu_model_at(int i); /* the i-th row; NULL: there are no more */

/*
 * How unlike two GPUs are, 0 or more: 1 for each factor of two between their multiprocessors and between
 * their bandwidths, and more for another architecture. Unknown figures do not count. Figures
 * that are 0, and the bandwidth, are taken from the row of its name.
 */
double atx_gpu_distance(const atx_gpu_model *a, const atx_gpu_model *b);
