/*
 * host_launch.h - launches in the host's part of a file: k<<<grid, block, shared, stream>>>(args), and
 * cudaLaunchKernel(k, grid, block, args, shared, stream) and its kin, with a
 * config and those of HIP too. Spans of tokens;
 * nothing is evaluated.
 */
#pragma once

#include "source/lex.h"

#define ATX_HOST_ARGS  64
#define ATX_HOST_LOOPS 4

typedef struct atx_host_launch {
    size_t at;             /* the kernel's name                                              */
    size_t list, list_end; /* of its template's arguments, within the angles; equal: none     */
    size_t config[4][2];   /* grid, block, shared, stream: tokens begin..end                  */
    int config_count;
    size_t args[ATX_HOST_ARGS][2];
    int arg_count; /* -1: they do not stand there                                     */
    bool cooperative;
    /* By atx_host_find_loops: `for`, `while` or `do` of the host's that enclose it, and their bodies. */
    size_t loops[ATX_HOST_LOOPS], bodies[ATX_HOST_LOOPS][2];
    int loop_count;
} atx_host_launch;

/* The next launch of a kernel of that name, from token *at on; NULL: of any. false: none. *at moves on. */
bool atx_host_launch_next(atx_host_launch *out, const atx_tokens *code, const char *kernel, size_t *at);

/* From the outside, the first ones. */
void atx_host_find_loops(atx_host_launch *launch, const atx_tokens *code);
