/*
 * rank_info.h - what a rank is: where it runs, which program it is, which GPUs it sees, its cores.
 */
#ifndef AUTOTUNE_MPI_RANK_INFO_H
#define AUTOTUNE_MPI_RANK_INFO_H

#include "runner/gpu.h"
#include "util/wire.h"
#include <sched.h>

#define AT__RANK_GPUS 32

typedef struct at__rank_info {
    char program[80]; /* "0.1.0 (1a2b3c4d5e6f7081)": its version and a hash of its file; first, see below */
    char host[64];    /* Slurm's name of the node, else the machine's */
    char nvrtc[16];   /* "": none, so that nothing can be compiled there */
    int gpu_count;
    char gpus[AT__RANK_GPUS][AT__UUID_TEXT];
    char no_gpu[200]; /* why there is none */
    cpu_set_t cores;  /* that it may use */
    int machine_cores;
} at__rank_info;

/* This process: asks a runner for GPUs, opens NVRTC. Takes a moment. */
void at__rank_describe(at__rank_info *out);

/* On the wire `program` goes first: nothing else is the same in another one. False: another program. */
void at__rank_write(at__str *body, const at__rank_info *info);
bool at__rank_read(at__rank_info *out, at__reader *in, const char *our_program);

/*
 * Shares out what ranks of one machine see in common. owner[r][i]: whether rank r serves its GPU number i;
 * every GPU is served by one rank, those of one machine in turn. workers[r]: compile workers of rank r; ranks
 * with the same cores share them, and one without NVRTC, or with another than rank 0's, has none.
 */
void at__rank_share(bool (*owner)[AT__RANK_GPUS], int *workers, const at__rank_info *ranks, int count);

#endif
