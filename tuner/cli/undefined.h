/*
 * undefined.h - names in a file of CUDA that nothing defines, by what the compiler says of it: parameters
 * that a tuner is to give, most likely.
 */
#ifndef AUTOTUNE_UNDEFINED_H
#define AUTOTUNE_UNDEFINED_H

#include "util/str.h"

#define AT__MAX_UNDEFINED 32

typedef struct at__undefined {
    char names[AT__MAX_UNDEFINED][64];
    const char *list[AT__MAX_UNDEFINED + 1]; /* of them, NULL-ended */
    int count;
} at__undefined;

/* None where there is no NVRTC, or the file is wrong in other ways too. Functions and types are no
 * parameters. */
void at__undefined_find(at__undefined *out, const char *path);

#endif
