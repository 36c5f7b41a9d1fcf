/*
 * declare_parts.h - what reading an op and reading a template have in common. Private to declare*.c.
 */
#ifndef AUTOTUNE_DECLARE_PARTS_H
#define AUTOTUNE_DECLARE_PARTS_H

#include "declare/declare_lines.h"

#define AT__MAX_REQUIRES 1024

/* A keyword that may start a line. The function reads what follows it on the line. */
typedef struct at__keyword {
    const char *word;
    const char *form;  /* "grid EXPR...", for messages              */
    bool once;         /* a second such line is an error            */
    bool required;     /* so is none                                */
    bool of_kernels;   /* required only of an op that has kernels   */
    const char *after; /* a keyword that must have been there; NULL */
    at_status (*read)(at__lines *lines, void *target);
} at__keyword;

/*
 * Reads all lines of a block by a table that ends with a row without a word. *without is looked at after the
 * last line: without kernels, or with launches that are told otherwise, what only they need may be missing.
 */
at_status at__read_keywords(at__lines *lines, const at__keyword *keywords, const bool *without,
                            void *target) AT_MUST_CHECK;

/* Adds a name that is known to be new and free. AT_ERR_MEMORY. */
at_status at__put_symbol(at__symbols *symbols, const char *name, at_error *err) AT_MUST_CHECK;

/* Adds a name; AT_ERR_INPUT (at the place `at`) when it is known already, reserved, or one too many. */
at_status at__add_symbol(int *slot, at__symbols *symbols, const char *name, const at__lines *lines,
                         const char *at) AT_MUST_CHECK;

/* A name for a new symbol, then '='. */
at_status at__read_assigned_name(char out[AT__MAX_NAME], const char **at, at__lines *lines) AT_MUST_CHECK;

/* [a-z][a-z0-9_]*, as ops and templates are called. */
at_status at__read_plain_name(char out[AT__MAX_NAME], at__lines *lines) AT_MUST_CHECK;

/* A name that C++ and CUDA leave to the user. */
at_status at__read_free_name(char out[AT__MAX_NAME], at__lines *lines, const char *expected) AT_MUST_CHECK;

/* The names of a `use` line, behind those of other such lines. */
at_status at__read_uses(at__used *uses, at__lines *lines) AT_MUST_CHECK;

/* What follows `each`: names of indices, and their values. */
at_status at__read_each(at__symbols *symbols, at__lines *lines) AT_MUST_CHECK;

/* What follows `let` and `const`: a name, or a family of them, NAME[INDEX]. */
at_status at__read_let(at__let **lets, size_t *count, size_t *cap, at__symbols *symbols, bool rendered,
                       at__lines *lines) AT_MUST_CHECK;
at_status at__read_require(at__require **requires, size_t *count, size_t *cap, const at__symbols *symbols,
                           at__lines *lines) AT_MUST_CHECK;

/* One to `max` expressions up to the end of the line. */
at_status at__read_exprs(at__expr **out, int *count, int max, const at__symbols *symbols,
                         at__lines *lines) AT_MUST_CHECK;

/* What follows `grid` and `block`. */
at_status at__read_grid(at__launch *launch, const at__symbols *symbols, at__lines *lines) AT_MUST_CHECK;
at_status at__read_block(at__launch *launch, const at__symbols *symbols, at__lines *lines) AT_MUST_CHECK;

/* The name of one of the shape's dimensions: its index. */
at_status at__read_dim_name(int *dim, at__lines *lines, const at__op *op) AT_MUST_CHECK;

/* What follows `arg`, what follows `scratch`, and what `type` with another name than T. */
at_status at__read_arg(at__op *op, at__lines *lines) AT_MUST_CHECK;
at_status at__read_scratch(at__op *op, at__lines *lines) AT_MUST_CHECK;
at_status at__read_named_type(at__op *op, at__lines *lines) AT_MUST_CHECK;

/* What follows `input` and `inout`: nothing, or what the buffer holds. */
at_status at__read_input(at__input *input, at__lines *lines, const at__op *op) AT_MUST_CHECK;
void at__input_clear(at__input *input);

/* What follows `check`; and after the last line, the rule for all outputs that have none. */
at_status at__read_check(at__op *op, at__lines *lines) AT_MUST_CHECK;
void at__op_share_check(at__op *op);

/* After the last line: do inputs and checks suit the types of their buffers? */
at_status at__check_numbers(const at__op *op, at_error *err) AT_MUST_CHECK;

/* What follows `metric`. */
at_status at__read_metric(at__op *op, at__lines *lines) AT_MUST_CHECK;
void at__metrics_clear(at__op *op);

/* What follows `objective`; and after the last line, its text. */
at_status at__read_objective(at__op *op, at__lines *lines) AT_MUST_CHECK;
at_status at__write_objective(at__op *op, at_error *err) AT_MUST_CHECK;

/* What follows `near`. */
at_status at__read_near(at__op *op, at__lines *lines) AT_MUST_CHECK;

/* What follows `strides` and `same`. */
at_status at__read_strides(at__op *op, at__lines *lines) AT_MUST_CHECK;
at_status at__read_same(at__op *op, at__lines *lines) AT_MUST_CHECK;
void at__same_clear(at__op *op);

/* What follows `param`. */
at_status at__read_param(at__template *t, at__lines *lines) AT_MUST_CHECK;

/*
 * What templates say of code that was not written for them (declare_source.c): the rest of the lines
 * `source`, `include`, `define`, `option`, `arg`, `kernel` and `launch`.
 */
at_status at__read_source(at__template *t, at__lines *lines) AT_MUST_CHECK;
at_status at__read_include(at__template *t, at__lines *lines) AT_MUST_CHECK;
at_status at__read_define(at__template *t, at__lines *lines) AT_MUST_CHECK;
at_status at__read_option(at__template *t, at__lines *lines) AT_MUST_CHECK;
at_status at__read_taken_args(at__template *t, at__lines *lines) AT_MUST_CHECK;
at_status at__read_kernel_expression(at__template *t, at__lines *lines) AT_MUST_CHECK;
at_status at__read_launch(at__template *t, at__lines *lines) AT_MUST_CHECK;
/* Where nothing was said, a kernel takes what the `arg` line names, and without one everything. */
void at__complete_args(at__template *t);
void at__template_sources_clear(at__template *t);

void at__lets_clear(at__let *lets, size_t count);
void at__requires_clear(at__require *requires, size_t count);
void at__launch_clear(at__launch *launch);

/* One dimension of a `shape` line: declare_dim.c. */
at_status at__read_dim(at__lines *lines, at__op *op);

/* The constants NAME_word of dimensions that have words; behind all other names of the line. */
at_status at__add_dim_words(at__lines *lines, at__op *op);

#endif
