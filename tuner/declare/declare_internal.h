/*
 * declare_internal.h - shared by the readers of ops and templates. Private to declare*.c.
 */
#pragma once

#include "declare/declare_lines.h"

#include <stddef.h>

#define ATX_MAX_REQUIRES 1024
#define ATX_LANGUAGE     1 /* the newest version of the language that this program reads */

/* Reads the rest of a keyword's line. */
typedef void atx_line_reader(atx_lines *lines, void *target);

/* A keyword that may start a line. */
typedef struct atx_keyword {
    const char *word;
    const char *form;  /* "grid EXPR...", for messages              */
    bool once;         /* a second such line is an error            */
    bool required;     /* so is none                                */
    bool of_kernels;   /* required only of an op that has kernels   */
    const char *after; /* a keyword that must have been there; NULL */
    atx_line_reader *read;
    size_t expr; /* instead: the offset in the target of the one expression that follows */
} atx_keyword;

/*
 * Reads all lines of a block by a table that ends with a row without a word. *without is looked at after the
 * last line: without kernels, or with launches that are told otherwise, what only they need may be missing.
 */
at_status atx_read_keywords(atx_lines *lines, const atx_keyword *keywords, const bool *without,
                            void *target) AT_MUST_CHECK;

/* ---- names and expressions: declare_names.c ---- */

/* Adds a name that is known to be new and free. AT_ERR_MEMORY. */
at_status atx_put_symbol(atx_symbols *symbols, const char *name, at_error *err) AT_MUST_CHECK;

/* Adds a name to those of the lines and returns its slot. It fails, at the place `at`, when the name is known
 * already, reserved, or one too many. */
int atx_add_symbol(atx_lines *lines, const char *name, const char *at);

/* These read a name and return where it stands: one for a new symbol, then '='; [a-z][a-z0-9_]*, as ops and
 * templates are called; one that C++ and CUDA leave to the user. */
const char *atx_read_assigned_name(char out[ATX_MAX_NAME], atx_lines *lines);
const char *atx_read_plain_name(char out[ATX_MAX_NAME], atx_lines *lines);
const char *atx_read_free_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected);

/* Reads the longest expression from the reader's place; the other one where names are not the lines' alone.
 */
atx_expr *atx_lines_expr(atx_lines *lines);
atx_expr *atx_lines_expr_of(atx_lines *lines, const atx_scope *scope);

/* The end of the line, or one of these words, the last of which is NULL? */
bool atx_lines_sees_one_of(const atx_lines *lines, const char *const *words);

/*
 * Reads one to `max` expressions up to one of the words `ends` or the end of the line, and returns how many.
 * Commas separate them, or nothing does. `expected` is the message behind the last one.
 */
int atx_read_exprs(atx_lines *lines, atx_expr **out, int max, const char *const *ends, const char *expected);

/* ---- lines that both have: declare.c ---- */

atx_line_reader atx_read_language, atx_read_each, atx_read_let, atx_read_const, atx_read_require,
    atx_read_prefer;

/* Behind `let`, `const` (rendered) and `define` (and a macro): a name, or a family of them. */
void atx_read_any_let(atx_lines *lines, bool rendered, bool macro);

/* The names of a `use` line, behind those of other such lines. */
void atx_read_uses(atx_lines *lines, atx_used *uses);

/* The expressions of `grid` and `block`. */
void atx_read_grid(atx_lines *lines, atx_expr *out[3]);

void atx_lets_clear(atx_let *lets, size_t count);
void atx_requires_clear(atx_require *requires, size_t count); /* not the array */
void atx_launch_clear(atx_launch *launch);

/* ---- loops: declare_loop.c ---- */

/* After the last line all loops end, around so many launches. */
void atx_loops_complete(atx_loops *loops, int steps, atx_lines *lines);
void atx_loops_clear(atx_loops *loops);

/* AT_ERR_INPUT: one of these names an iteration. */
at_status atx_loops_check(const atx_loops *loops, const atx_let *lets, size_t let_count,
                          const atx_require *requires, size_t require_count, at_error *err) AT_MUST_CHECK;

/* ---- lines of an op, which is the target ---- */

atx_line_reader atx_read_arg, atx_read_scratch, atx_read_check, atx_read_metric, atx_read_objective,
    atx_read_near, atx_read_strides, atx_read_same, atx_read_op_repeat;

/* One dimension of a `shape` line; and behind them the constants NAME_word of those that have words. */
void atx_read_dim(atx_lines *lines, atx_op *op);
void atx_add_dim_words(atx_lines *lines, atx_op *op);

/* The name of one of the shape's dimensions: its index. */
int atx_read_dim_name(atx_lines *lines, const atx_op *op);

/* The rest of `type` with another name than T. */
void atx_read_named_type(atx_lines *lines, atx_op *op);

/* The type at the reader's place, its own name or one that the op declares. false: T, or nothing that is
 * known. */
bool atx_find_type(atx_dtype *out, const atx_lines *lines, const atx_op *op);

/* A number of a type: an expression, or of a floating type a number. */
void atx_read_value(atx_lines *lines, atx_dtype type, atx_value *value);

/* declare_struct.c: the line, and what an argument of a struct is that has no brackets. */
atx_line_reader atx_read_struct;
void atx_read_struct_value(atx_lines *lines, atx_op *op, atx_arg *arg);
void atx_structs_clear(atx_op *op);

/* Behind `input` and `inout`: nothing, or the buffer's contents. */
void atx_read_input(atx_lines *lines, atx_input *input);
void atx_input_clear(atx_input *input);

/* After the last line: the rule for all outputs that have none, which offsets belong together, do inputs and
 * checks suit the types of their buffers, and the text of the objective. */
void atx_op_share_check(atx_op *op);
at_status atx_find_offsets(atx_op *op, at_error *err) AT_MUST_CHECK; /* that others go with */
at_status atx_check_numbers(const atx_op *op, at_error *err) AT_MUST_CHECK;
at_status atx_write_objective(atx_op *op, at_error *err) AT_MUST_CHECK;

void atx_metrics_clear(atx_op *op);
void atx_same_clear(atx_op *op);

/* ---- lines of a template ---- */

/* The state of reading one: the target of its lines. */
typedef struct atx_reading {
    atx_template *t;
    const struct atx_commons *commons; /* NULL: none */
    atx_where name_where;
    bool has_default;
    atx_lines default_line; /* it may stand before the parameters that it names */
    bool launches;          /* by `launch` lines, or none at all: a recorded op */
    bool kernel_line;
} atx_reading;

/* declare_launch.c: the value of this word of a launch; and all that follows `launch KERNEL` but `arg`. */
void atx_read_launch_part(atx_lines *lines, atx_launch *launch, const char *word);
void atx_read_launch_parts(atx_lines *lines, atx_launch *launch);

/*
 * declare_target.c: the line `target`; and of a template without one, which has its text by now, whether that
 * needs one.
 */
atx_line_reader atx_read_target;
void atx_find_target(atx_template *t);

/*
 * A line that defines an argument of the template's own begins with its name: what this returns, a scalar
 * without type and value, is the line's to fill. NULL: something failed.
 */
atx_arg *atx_begin_own_arg(atx_lines *lines, atx_template *t);
atx_line_reader atx_read_own_scalar;
atx_line_reader atx_read_tensor_map; /* declare_tensor_map.c */

/* declare_source.c has the lines about code that was not written for templates. */
atx_line_reader atx_read_param, atx_read_general, atx_read_source, atx_read_include, atx_read_define,
    atx_read_option, atx_read_taken_args, atx_read_kernel, atx_read_launch, atx_read_repeat, atx_read_end;

/* Where nothing was said, a kernel takes what the `arg` line names, and without one everything that is the
 * op's. */
void atx_complete_args(atx_template *t);

/* After that: AT_ERR_INPUT, an argument of the template's own that no launch takes. */
at_status atx_check_own_args(const atx_template *t, at_error *err) AT_MUST_CHECK;
void atx_template_sources_clear(atx_template *t);
