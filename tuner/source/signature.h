/*
 * signature.h - the kernels that stand in a text of CUDA, and what they take, as far as words can tell.
 */
#ifndef AUTOTUNE_SIGNATURE_H
#define AUTOTUNE_SIGNATURE_H

#include "util/str.h"

#include <stdbool.h>

#define ATX_MAX_WORD 64 /* characters of a name, with the final zero: ATX_MAX_NAME */

/* "" for what there is no room for: cut, it would be another name. */
void atx_copy_word(char out[ATX_MAX_WORD], const char *at, size_t len);

typedef struct atx_kernel_arg {
    const char *text; /* its name in the text that was asked about, of `len` characters, ended by nothing */
    size_t len;
    char name[ATX_MAX_WORD]; /* "": longer than a declaration's may be, and so equal to none of those */
    const char *type;        /* "f32"; NULL: unknown */
    bool pointer, constant;
} atx_kernel_arg;

/* Adds the text with blanks in place of comments, strings, characters and what #if 0 leaves out: words and
 * brackets then mean code, and each has its place. */
void atx_code_strip(atx_str *out, const char *text);

/* A kernel of a stripped text, in which all of this points. */
typedef struct atx_kernel_text {
    const char *name; /* not cut, and ended by nothing */
    size_t len;
    const char *open; /* behind the bracket of its parameters */
} atx_kernel_text;

/* The next kernel of a stripped text; false: none. *at moves on, behind its __global__. */
bool atx_code_kernel(atx_kernel_text *out, const char **at);

/* The parameters behind an open bracket: how many; -1: more than `max`. */
int atx_code_args(atx_kernel_arg *out, int max, const char *open);

/*
 * The parameters of the kernel that a declaration names (f, ns::f, f<float, 4>), of a text as it is; -1:
 * there is no such kernel, or several, or it has more than `max`.
 */
int atx_code_args_of(atx_kernel_arg *out, int max, const char *text, const char *kernel);

/* Whether the text has such a kernel as a template, which is compiled only where its arguments are named. */
bool atx_code_is_template(const char *text, const char *kernel);

/* The kernel of the text whose name is near to this one, or that is the only one; false: none, or its name is
 * longer than a declaration's may be. */
bool atx_code_nearest_kernel(char out[ATX_MAX_WORD], const char *text, const char *kernel);

/*
 * The next variable in __constant__ memory of a stripped text that has no value of its own; false: none. An
 * array is a pointer; *behind is what follows its name. *at moves on.
 */
bool atx_code_constant(atx_kernel_arg *out, const char **behind, const char **at);

#endif
