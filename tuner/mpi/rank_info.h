/* rank_info.h - a rank's host, program, visible GPUs and cores. */
#pragma once

#include "runner/gpu.h"
#include "util/wire.h"
#include <sched.h>

#define ATX_RANK_GPUS 32

typedef struct atx_rank_info {
    char program[80]; /* "0.1.0 (1a2b3c4d5e6f7081)": its version and a hash of its file; first, see below */
    char host[64];    /* Slurm's name of the node, else the machine's */
    char nvrtc[16];   /* "": none, so that nothing can be compiled there */
    int gpu_count;
    char gpus[ATX_RANK_GPUS][ATX_UUID_TEXT];
    char no_gpu[200]; /* why there is none */
    cpu_set_t cores;  /* that it may use */
    int machine_cores;
} atx_rank_info;

/* This process: asks a runner for GPUs, opens NVRTC. Takes a moment. */
void atx_rank_describe(atx_rank_info *out);

/* On the wire `program` goes first: nothing else is the same in another one. False: another program. */
void atx_rank_write(atx_str *body, const atx_rank_info *info);
bool atx_rank_read(atx_rank_info *out, atx_reader *in, const char *our_program);

/*
 * Shares out what ranks of one machine see in common. owner[r][i]: whether rank r serves its GPU number i;
 * every GPU is served by one rank, those of one machine in turn. workers[r]: compile workers of rank r; ranks
 * with the same cores share them, and one without NVRTC, or with another than rank 0's, has none.
 */
void atx_rank_share(bool (*owner)[ATX_RANK_GPUS], int *workers, const atx_rank_info *ranks, int count);
