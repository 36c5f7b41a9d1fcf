/*
 * declare_parts.h - what reading an op and reading a template have in common. Private to declare*.c.
 */
#ifndef AUTOTUNE_DECLARE_PARTS_H
#define AUTOTUNE_DECLARE_PARTS_H

#include "declare/declare_lines.h"

#define ATX_MAX_REQUIRES 1024

/* A keyword that may start a line. The function reads what follows it on the line. */
typedef struct atx_keyword {
    const char *word;
    const char *form;  /* "grid EXPR...", for messages              */
    bool once;         /* a second such line is an error            */
    bool required;     /* so is none                                */
    bool of_kernels;   /* required only of an op that has kernels   */
    const char *after; /* a keyword that must have been there; NULL */
    at_status (*read)(atx_lines *lines, void *target);
} atx_keyword;

/*
 * Reads all lines of a block by a table that ends with a row without a word. *without is looked at after the
 * last line: without kernels, or with launches that are told otherwise, what only they need may be missing.
 */
at_status atx_read_keywords(atx_lines *lines, const atx_keyword *keywords, const bool *without,
                            void *target) AT_MUST_CHECK;

/* Adds a name that is known to be new and free. AT_ERR_MEMORY. */
at_status atx_put_symbol(atx_symbols *symbols, const char *name, at_error *err) AT_MUST_CHECK;

/* Adds a name; AT_ERR_INPUT (at the place `at`) when it is known already, reserved, or one too many. */
at_status atx_add_symbol(int *slot, atx_symbols *symbols, const char *name, const atx_lines *lines,
                         const char *at) AT_MUST_CHECK;

/* A name for a new symbol, then '='. */
at_status atx_read_assigned_name(char out[ATX_MAX_NAME], const char **at, atx_lines *lines) AT_MUST_CHECK;

/* [a-z][a-z0-9_]*, as ops and templates are called. */
at_status atx_read_plain_name(char out[ATX_MAX_NAME], atx_lines *lines) AT_MUST_CHECK;

/* A name that C++ and CUDA leave to the user. */
at_status atx_read_free_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected) AT_MUST_CHECK;

/* The names of a `use` line, behind those of other such lines. */
at_status atx_read_uses(atx_used *uses, atx_lines *lines) AT_MUST_CHECK;

/* What follows `each`: names of indices, and their values. */
at_status atx_read_each(atx_symbols *symbols, atx_lines *lines) AT_MUST_CHECK;

/* What follows `let` and `const`: a name, or a family of them, NAME[INDEX]. */
at_status atx_read_let(atx_let **lets, size_t *count, size_t *cap, atx_symbols *symbols, bool rendered,
                       atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_require(atx_require **requires, size_t *count, size_t *cap, const atx_symbols *symbols,
                           atx_lines *lines) AT_MUST_CHECK;

/* One to `max` expressions up to the end of the line. */
at_status atx_read_exprs(atx_expr **out, int *count, int max, const atx_symbols *symbols,
                         atx_lines *lines) AT_MUST_CHECK;

/* What follows `grid` and `block`. */
at_status atx_read_grid(atx_launch *launch, const atx_symbols *symbols, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_block(atx_launch *launch, const atx_symbols *symbols, atx_lines *lines) AT_MUST_CHECK;

/* The name of one of the shape's dimensions: its index. */
at_status atx_read_dim_name(int *dim, atx_lines *lines, const atx_op *op) AT_MUST_CHECK;

/* What follows `arg`, what follows `scratch`, and what `type` with another name than T. */
at_status atx_read_arg(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_scratch(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_named_type(atx_op *op, atx_lines *lines) AT_MUST_CHECK;

/* What follows `input` and `inout`: nothing, or what the buffer holds. */
at_status atx_read_input(atx_input *input, atx_lines *lines, const atx_op *op) AT_MUST_CHECK;
void atx_input_clear(atx_input *input);

/* What follows `check`; and after the last line, the rule for all outputs that have none. */
at_status atx_read_check(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
void atx_op_share_check(atx_op *op);

/* After the last line: do inputs and checks suit the types of their buffers? */
at_status atx_check_numbers(const atx_op *op, at_error *err) AT_MUST_CHECK;

/* What follows `metric`. */
at_status atx_read_metric(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
void atx_metrics_clear(atx_op *op);

/* What follows `objective`; and after the last line, its text. */
at_status atx_read_objective(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
at_status atx_write_objective(atx_op *op, at_error *err) AT_MUST_CHECK;

/* What follows `near`. */
at_status atx_read_near(atx_op *op, atx_lines *lines) AT_MUST_CHECK;

/* What follows `strides` and `same`. */
at_status atx_read_strides(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_same(atx_op *op, atx_lines *lines) AT_MUST_CHECK;
void atx_same_clear(atx_op *op);

/* What follows `param`. */
at_status atx_read_param(atx_template *t, atx_lines *lines) AT_MUST_CHECK;

/*
 * What templates say of code that was not written for them (declare_source.c): the rest of the lines
 * `source`, `include`, `define`, `option`, `arg`, `kernel` and `launch`.
 */
at_status atx_read_source(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_include(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_define(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_option(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_taken_args(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_kernel_expression(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
at_status atx_read_launch(atx_template *t, atx_lines *lines) AT_MUST_CHECK;
/* Where nothing was said, a kernel takes what the `arg` line names, and without one everything. */
void atx_complete_args(atx_template *t);
void atx_template_sources_clear(atx_template *t);

void atx_lets_clear(atx_let *lets, size_t count);
void atx_requires_clear(atx_require *requires, size_t count);
void atx_launch_clear(atx_launch *launch);

/* One dimension of a `shape` line: declare_dim.c. */
at_status atx_read_dim(atx_lines *lines, atx_op *op);

/* The constants NAME_word of dimensions that have words; behind all other names of the line. */
at_status atx_add_dim_words(atx_lines *lines, atx_op *op);

#endif
