/* pack_write.h - the parts of a pack's C source. Private to pack_write*.c. */
#pragma once

#include "pack/pack_internal.h"

/* Rows of atx_embedded_pack, as templates/embed.cmake orders them. */
typedef enum atx_pack_part {
    ATX_PACK_ARITHMETIC,
    ATX_PACK_LAUNCH,
    ATX_PACK_TEST,
    ATX_PACK_LAYOUT,     /* of an op of layouts: from extents and an order to the op's sizes */
    ATX_PACK_LAYOUT_TEST /* and its reference */
} atx_pack_part;
void atx_pack_add_part(atx_str *out, atx_pack_part part);

/* A pack as it is written: kernels of all models of GPU have numbers that follow each other, from `first` on.
 */
typedef struct atx_pack_writing {
    const atx_pack_compiled *models;
    int count;
    const atx_op *op;
    int first[ATX_PACK_MAX_MODELS + 1]; /* the last: of all */
    const char *name, *command;
} atx_pack_writing;

/* The comment at the beginning of NAME.h and NAME.c; NAME.h. */
void atx_pack_add_head(atx_str *out, const atx_pack_writing *w);
void atx_pack_write_header(atx_str *out, const atx_pack_writing *w);

/* "void *out, const void *in, int64_t size_rows, int64_t size_cols", of an op of layouts "void *out, const
 * void *in, int rank, const int64_t *extents, const int *order"; `buffer` is put before the names of the
 * buffers, which are the user's. NULL: the sizes alone. */
void atx_pack_add_parameters(atx_str *out, const atx_op *op, const char *buffer);

/* NAME.json */
at_status atx_pack_write_description(atx_str *out, const atx_pack_writing *w, at_error *err) AT_MUST_CHECK;

/* pk_operation_M: fills a pk_operation from sizes and alignments, as the limits of model M have it. */
at_status atx_pack_add_operation(atx_str *out, const atx_pack *pack, int model, at_error *err) AT_MUST_CHECK;

/* pk_kernel_N: whether the kernel may run, and its launch. */
at_status atx_pack_add_kernel(atx_str *out, const atx_pack *pack, int kernel, int number,
                              at_error *err) AT_MUST_CHECK;

/* An expression of the op's, where `o` is the operation and `bad` a flag. */
at_status atx_pack_add_op_expr(atx_str *out, const atx_pack *pack, const atx_expr *expr,
                               at_error *err) AT_MUST_CHECK;

/* pt_reference_M: the launch of the op's reference. */
at_status atx_pack_add_reference(atx_str *out, const atx_pack *pack, int model, at_error *err) AT_MUST_CHECK;

/* Compiled code as an array; the scalars as local variables value_N, from `o`. */
void atx_pack_add_image(atx_str *out, const char *name, const atx_str *code);
void atx_pack_add_values(atx_str *out, const atx_op *op);

/* The distinct sources, each in a namespace of its own, with the headers that they include before them. */
at_status atx_pack_add_sources(atx_str *out, const atx_pack_writing *w, const int *codes,
                               at_error *err) AT_MUST_CHECK;

/* What nvcc calls a kernel of that code. */
void atx_pack_add_symbol(atx_str *out, const atx_pack_writing *w, int code, bool qualified);

/* Numbers of the images: where a code was there before, that one's. */
void atx_pack_number_codes(int *numbers, const atx_pack_writing *w);

/* NAME_test.c */
at_status atx_pack_write_test(atx_str *out, const atx_pack_writing *w, at_error *err) AT_MUST_CHECK;
