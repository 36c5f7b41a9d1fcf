/*
 * render_pragmas.h - instructions for the compiler in a rendered text: options, the kernel by a name
 * expression, the note of the user's headers (headers.h), and variants of architectures.
 *
 * They are in the head of the text, one a line, so that compiling and hashing it need nothing else:
 *
 *     //!autotune option -use_fast_math
 *     //!autotune kernel f<float, 32>
 *     //!autotune headers HASH <cute/tensor.hpp>
 *     //!autotune target sm_90a
 *
 * A template that has none of them is rendered without such lines.
 */
#pragma once

#include "lang/problem.h"

#define ATX_MAX_KERNELS 8 /* of one text */

/* Appends the lines. `slots` are the template's. AT_ERR_INPUT: an `option`'s condition has no value. */
at_status atx_render_pragmas(atx_str *out, const atx_template *t, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/* The line of a target, as atx_arch_variant takes it; "": none. The first one of a text counts. */
void atx_render_target(atx_str *out, const char *words);

/* The line of a note; NULL: none. */
void atx_render_note(atx_str *out, const char *headers);

/* Appends a #define for each name that the source shall see as a macro. `type` is what T stands for. */
void atx_render_macros(atx_str *out, const atx_template *t, const int64_t *slots, const char *type);

/* Does the source see this parameter or const as a macro? */
bool atx_is_macro(const atx_template *t, const char *name);

/* A kernel's name as the compiler is asked for it: macros in it stand for their values. */
void atx_render_kernel(atx_str *out, const atx_template *t, const char *kernel, const int64_t *slots);

/* The pragmas of a rendered text. Texts are copied, terminated; clear it. Options that are not known are left
 * out.
 */
typedef struct atx_pragmas {
    char *options[ATX_MAX_OPTIONS];
    int option_count;
    char *kernels[ATX_MAX_KERNELS];
    int kernel_count;
    char *headers; /* NULL: none */
    char *target;  /* NULL: none */
} atx_pragmas;
at_status atx_pragmas_read(atx_pragmas *out, const char *rendered, at_error *err) AT_MUST_CHECK;
void atx_pragmas_clear(atx_pragmas *pragmas);
