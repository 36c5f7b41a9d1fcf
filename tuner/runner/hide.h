/*
 * hide.h - a runner has the driver show its own GPU alone. The driver takes 0.2 s to start for each GPU that
 * it shows, and processes wait for each other meanwhile.
 */
#pragma once

#include <stdbool.h>

typedef struct atx_hidden {
    bool others;  /* the driver is to show one GPU: its ordinal is 0                  */
    char *before; /* what CUDA_VISIBLE_DEVICES was; NULL: not set                     */
    int named;    /* how many GPUs it named; 0: not set                               */
} atx_hidden;

/*
 * Before the driver starts; `out` is zeroed. Hides nothing where the variable names fewer GPUs, one twice, or
 * something else, as a number of the `gpus` (0: unknown) that is too large: the driver says what that means.
 */
void atx_hide_others(atx_hidden *out, int ordinal, int gpus);

/*
 * The driver shows no such GPU: this process begins once more and hides none, so that its error is of all
 * that there are. Returns if it cannot, or has hidden none.
 */
void atx_hide_none(const atx_hidden *hidden, int ordinal);
void atx_hidden_clear(atx_hidden *hidden);
