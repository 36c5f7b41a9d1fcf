/*
 * declarator.h - the declarations in the tokens of a text: kernels, their templates and parameters, variables
 * in constant memory. Types are not resolved: a type is known by its usual words.
 */
#pragma once

#include "source/lex.h"

#define ATX_MAX_WORD 64 /* characters of a name, with the final zero: ATX_MAX_NAME */

/* A parameter, or a variable. */
typedef struct atx_kernel_arg {
    const char *text; /* its name in the text, of `len` characters, ended by nothing */
    size_t len;
    char name[ATX_MAX_WORD]; /* "": longer than a declaration's may be, and so equal to none of those */
    const char *type;        /* "f32"; NULL: unknown */
    bool pointer, constant;
} atx_kernel_arg;

/* Tokens of a text, as indices. */
typedef struct atx_kernel_text {
    size_t head; /* the first of its declaration: of its template, its attributes or __global__ */
    size_t name;
    size_t open; /* the bracket of its parameters */
} atx_kernel_text;

/* The tokens of what is compiled: no directives, nothing inactive. false: out of memory. */
bool atx_code_read(atx_tokens *out, const char *text);

/* Do two tokens have the same text? */
bool atx_code_same(const atx_tokens *code, size_t a, size_t b);

/* Whether the block that token i is in still is open at `at`. */
bool atx_code_open(const atx_tokens *code, size_t i, size_t at);

/* The next kernel at token *at or behind; false: none. *at moves on, behind its __global__. */
bool atx_code_kernel(atx_kernel_text *out, const atx_tokens *code, size_t *at);

/* The parameters behind an open bracket: how many; -1: more than `max`. */
int atx_code_args(atx_kernel_arg *out, int max, const atx_tokens *code, size_t open);

/* The next comma that no bracket and no angle encloses, from `begin` on; `end`: none. */
size_t atx_code_comma(const atx_tokens *code, size_t begin, size_t end);

/*
 * The next variable in __constant__ memory that has no value of its own, from token *at on; false: none. An
 * array is a pointer; *behind is the token after its name. *at moves on.
 */
bool atx_code_constant(atx_kernel_arg *out, size_t *behind, const atx_tokens *code, size_t *at);

/* ---- of a text as it is ---- */

/*
 * The parameters of the kernel that a declaration names (f, ns::f, f<float, 4>); -1: there is no such kernel,
 * or several, or it has more than `max`.
 */
int atx_code_args_of(atx_kernel_arg *out, int max, const char *text, const char *kernel);

/* The first of these words among the types of such a kernel's parameters; NULL: none. */
const char *atx_code_parameter_word(const char *text, const char *kernel, const char *const *words);

/* Whether the text has such a kernel as a template, which is compiled only where its arguments are named. */
bool atx_code_is_template(const char *text, const char *kernel);

/* The kernel of the text whose name is near to this one, or that is the only one; false: none, or its name is
 * longer than a declaration's may be. */
bool atx_code_nearest_kernel(char out[ATX_MAX_WORD], const char *text, const char *kernel);
