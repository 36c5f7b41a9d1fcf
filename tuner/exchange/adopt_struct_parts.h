/* adopt_struct_parts.h - structs that are instances of templates, and tensors of PyTorch's. Private to
 * adopt_struct*.c and adopt_tensor.c. */
#pragma once

#include "exchange/adopt_draft.h"

/* The parameters of a struct's template, and its arguments: both by their '<'. Names in the arguments are
 * those of `outer`, the struct that has it as a field. */
typedef struct atx_struct_binding {
    size_t params, args;
    const struct atx_struct_binding *outer;
} atx_struct_binding;

/* What stands for a name; empty: it is none of the template's. NULL: there is no template. */
atx_span atx_struct_binding_find(const atx_struct_binding *b, const atx_draft *d, const char *name);
void atx_struct_binding_type(atx_draft_type *out, const atx_draft *d, const atx_struct_binding *b,
                             atx_span span);
bool atx_struct_binding_number(long *out, const atx_draft *d, const atx_struct_binding *b, atx_span span);

/* The '<' of the template that a struct with this '{' is of; 0: none. */
size_t atx_struct_binding_params(const atx_tokens *t, size_t body);

/*
 * An argument that is a tensor as PyTorch's kernels take it, PackedTensorAccessor32<float, 2>: a pointer,
 * sizes and strides. Its data becomes a buffer, and its sizes are all one of the problem's. Which of the
 * draft's structs it is, from 1; 0: it is none, or there is no room.
 */
int atx_draft_tensor(atx_draft *d, int arg);
