/*
 * layout.h - problems that are two layouts of one index space: for each dimension an extent, a stride in the
 * input and a stride in the output, both in elements.
 *
 * Every such problem has one canonical form: no extents of 1, dimensions that follow each other in both
 * layouts are one, and the rest is in the output's order, the fastest last. If it has fewer dimensions than
 * the op, dimensions with an extent of 1 and strides of 0 are put in front.
 */
#pragma once

#include "lang/catalog.h"

#define ATX_MAX_RANK 16 /* before dimensions fuse; after it an op has at most ATX_MAX_DIMS */

typedef struct atx_layout_pair {
    int rank;
    int64_t extents[ATX_MAX_RANK], in[ATX_MAX_RANK], out[ATX_MAX_RANK]; /* dimensions in any order */
} atx_layout_pair;

/*
 * Dense data, row-major: the input's extents, and of each of the output's dimensions which of the input's it
 * is. AT_ERR_INPUT: no permutation. *guilty (may be NULL): which number of it is wrong, -1: none.
 */
at_status atx_layout_permuted(atx_layout_pair *out, int rank, const int64_t *extents, const int *permutation,
                              int *guilty, at_error *err) AT_MUST_CHECK;

/*
 * The canonical problem, with buffers that are aligned. AT_ERR_INPUT: no elements, a stride below 1, an
 * output that overlaps itself, too large, or more dimensions than the op has.
 */
at_status atx_layout_problem(atx_problem *out, const atx_op *op, atx_dtype type,
                             const atx_layout_pair *layout, at_error *err) AT_MUST_CHECK;

/*
 * Where another op of the catalog solves the problem as well (`same`), it becomes one of that, which has its
 * own templates and winners; its alignments go with it.
 */
at_status atx_layout_reduce(atx_problem *problem, const atx_catalog *catalog, at_error *err) AT_MUST_CHECK;

/* Of two problems of one op: how many dimensions have another place in the input's order. */
int atx_layout_moved(const atx_op *op, const int64_t *a, const int64_t *b);

/* Reads a line of a shapes file, or a shape as atx_problem_shape writes it. */
typedef struct atx_layout_line {
    const atx_op *op;
    atx_dtype type;        /* of a line that names none */
    const int64_t *aligns; /* likewise */
    int align_count;
    const char *line, *end; /* without its comment */
    const char *guilty;     /* where an error is, within the line */
} atx_layout_line;
at_status atx_layout_read(atx_problem *out, atx_layout_line *line, at_error *err) AT_MUST_CHECK;

/* The problem of a stored shape; false: it is none of this op. */
bool atx_layout_read_shape(atx_problem *out, const atx_op *op, atx_dtype type, const char *shape);
