/* adopt_struct_internal.h - layout of structs, those that are instances of templates, and tensors of
 * PyTorch's. Private to adopt_struct*.c and adopt_tensor.c. */
#pragma once

#include "exchange/adopt_draft.h"

long atx_struct_next_multiple(long at, long of);
/* What so many bytes with that alignment add to a struct; a union has all at its beginning. */
void atx_struct_place(atx_draft_struct *s, long bytes, long align, bool is_union);
/* 0: it is no type. */
int atx_struct_bytes_of(const char *dtype);
/* float4 as a struct by value. */
void atx_struct_read_vector(atx_draft_struct *s, const atx_draft_type *type);
/* __align__(16), alignas(16) before its '{'. */
void atx_struct_read_alignment(const atx_draft *d, atx_draft_struct *s);

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
