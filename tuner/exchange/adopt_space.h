/*
 * adopt_space.h - what a tuning problem in the T1 format says of a kernel that is there, in the words of a
 * declaration: for `autotune adopt`.
 */
#ifndef AUTOTUNE_ADOPT_SPACE_H
#define AUTOTUNE_ADOPT_SPACE_H

#include "util/str.h"

typedef struct atx_adopt_space {
    atx_str lines;        /* `param` and `require` lines, its conditions translated                  */
    atx_str kernel, file; /* names; "": it does not say. The file's is relative to the problem's     */
    atx_str shape, size;  /* "problem_x problem_y", and their product                               */
    atx_str grid, block;  /* expressions; "": it does not say                                       */
    atx_str sizes;        /* of the problem, as a shape: "4096x4096"                                */
} atx_adopt_space;

/* AT_ERR_INPUT: it is no such file, or a condition that expressions cannot say, with its place. */
at_status atx_adopt_space_read(atx_adopt_space *out, const char *path, at_error *err) AT_MUST_CHECK;
void atx_adopt_space_clear(atx_adopt_space *space);

#endif
