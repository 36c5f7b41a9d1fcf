/*
 * undefined.h - names in a file of CUDA that nothing defines, by what the compiler says of it: parameters
 * that a tuner is to give, most likely.
 */
#ifndef AUTOTUNE_UNDEFINED_H
#define AUTOTUNE_UNDEFINED_H

#include "util/str.h"

#define ATX_MAX_UNDEFINED 32

typedef struct atx_undefined {
    char names[ATX_MAX_UNDEFINED][64];
    const char *list[ATX_MAX_UNDEFINED + 1]; /* of them, NULL-ended */
    int count;
} atx_undefined;

/* None where there is no NVRTC, or the file is wrong in other ways too. Functions and types are no
 * parameters. */
void atx_undefined_find(atx_undefined *out, const char *path);

#endif
