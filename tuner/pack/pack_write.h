/* pack_write.h - the parts of a pack's C source. Private to pack_write*.c. */
#ifndef AUTOTUNE_PACK_WRITE_H
#define AUTOTUNE_PACK_WRITE_H

#include "pack/pack_parts.h"

/* pk_operation, and the function that fills it from sizes and alignments. */
at_status atx_pack_add_operation(atx_str *out, const atx_pack *pack, at_error *err) AT_MUST_CHECK;

/* pk_kernel_N: whether the kernel may run, and its launch. */
at_status atx_pack_add_kernel(atx_str *out, const atx_pack *pack, int kernel, at_error *err) AT_MUST_CHECK;

/* An expression of the op's, where `o` is the operation and `bad` a flag. */
at_status atx_pack_add_op_expr(atx_str *out, const atx_pack *pack, const atx_expr *expr,
                               at_error *err) AT_MUST_CHECK;

/* pt_reference: the launch of the op's reference. */
at_status atx_pack_add_reference(atx_str *out, const atx_pack *pack, at_error *err) AT_MUST_CHECK;

/* Compiled code as an array; the scalars as local variables value_N, from `o`. */
void atx_pack_add_image(atx_str *out, const char *name, const atx_str *code);
void atx_pack_add_values(atx_str *out, const atx_op *op);

/* NAME_test.c */
at_status atx_pack_write_test(atx_str *out, const atx_pack *pack, const char *name, const atx_str *reference,
                              at_error *err) AT_MUST_CHECK;

#endif
