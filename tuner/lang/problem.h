/* problem.h - an op, a shape and a type, the unit of tuning; and one configuration of a template. */
#pragma once

#include "declare/declare.h"
#include "util/str.h"

typedef struct atx_problem {
    const atx_op *op; /* borrowed */
    atx_dtype type;
    int64_t dims[ATX_MAX_SIZES]; /* the op's dimensions, pitches, strides (input's, output's), alignments */
} atx_problem;

/* One value for each parameter of a template, in the order of its declaration. */
typedef struct atx_config {
    int64_t values[ATX_MAX_PARAMS];
} atx_config;

/*
 * Fits `count` sizes, as a user wrote them, to the op's dimensions (the leading optional ones may be left
 * out) and checks the op's own requirements that depend on nothing else (no device). AT_ERR_INPUT says what
 * was expected.
 */
at_status atx_problem_init(atx_problem *out, const atx_op *op, atx_dtype type, const int64_t *sizes,
                           int count, at_error *err) AT_MUST_CHECK;

/* Numbers that make up a problem: dimensions, pitches, strides and alignments. */
int atx_problem_size_count(const atx_op *op);

/* Where the strides of a layout (0: the input's, 1: the output's) and the alignments begin among them. */
int atx_problem_first_stride(const atx_op *op, int layout);
int atx_problem_first_align(const atx_op *op);

/*
 * Leading dimensions, in elements and in the op's order; 0: dense. `count` 0 leaves all of them dense.
 * AT_ERR_INPUT: one too many, or smaller than the rows.
 */
at_status atx_problem_set_pitches(atx_problem *problem, const int64_t *pitches, int count,
                                  at_error *err) AT_MUST_CHECK;
bool atx_problem_is_dense(const atx_problem *problem);

/*
 * Alignments of buffers, in bytes and in the op's order; 0: ATX_FULL_ALIGN. One number counts for all of
 * them, `count` 0 makes all of them full. AT_ERR_INPUT: another number of them, or no power of two from the
 * element's size to ATX_FULL_ALIGN.
 */
at_status atx_problem_set_aligns(atx_problem *problem, const int64_t *aligns, int count,
                                 at_error *err) AT_MUST_CHECK;

/* Of a buffer argument: ATX_FULL_ALIGN where the op declares none. */
int64_t atx_problem_align_of(const atx_problem *problem, int arg);

/* Is it declared as an array of one element? No kernel can read more of it at once, wherever it begins. */
bool atx_arg_is_single(const atx_arg *arg);

/*
 * "4096x4096", "8x4096x128", "4096x4096/4160x4352", "4096x4096@4", "4096x4096@16x4": leading optional
 * dimensions that have their default are left out, and so are pitches when all are dense and alignments when
 * all are full; alignments that are all the same are written once. Canonical.
 */
void atx_problem_shape(atx_str *out, const atx_problem *problem);

/* The same for people: "to=e5m2 64x48", where the shape of a choice has the number, "2x1x1x1x64x48". */
void atx_problem_show(atx_str *out, const atx_problem *problem);

/*
 * Of an op of layouts (layout.h): "8x2048x3x4096:2.0.1.3", extents in the input's order, then the
 * permutation; where the data is not dense its strides, "64x100:1.0/in=128x1/out=112x1", the input's in its
 * order, the output's in its own.
 */
void atx_problem_layout(atx_str *out, const atx_problem *problem);

/* Its dimensions in the input's order, the slowest first: their indices among the op's. Returns how many. */
int atx_problem_input_order(int order[ATX_MAX_DIMS], const atx_op *op, const int64_t *dims);

/*
 * Fills slots[0 .. op's symbols): dimensions, sizeof(T), device limits, the op's lets; checks all of the op's
 * requirements. The array must have ATX_MAX_SLOTS elements, or as many as the op has symbols.
 */
at_status atx_problem_bind(int64_t *slots, const atx_problem *problem, const atx_limits *limits,
                           at_error *err) AT_MUST_CHECK;

/* Index of a parameter by its name, -1: none. The name need not be terminated. */
int atx_param_find(const atx_template *t, const char *name, size_t len);

/* Index among a parameter's values of a number or word as a user writes it, -1: none. */
int atx_param_find_text(const atx_param *param, const char *text, size_t len);

/* Adds a value as a user writes it: its word, or a number. A value that was not declared is written as a
 * number. */
void atx_param_add_text(atx_str *out, const atx_param *param, int64_t value);

/* "TILE=32 BLOCK_ROWS=8 ORDER=out_fast" */
void atx_config_text(atx_str *out, const atx_template *t, const atx_config *config);

/* The reverse; every parameter must be there exactly once, with a declared value. */
at_status atx_config_parse(atx_config *out, const atx_template *t, const char *text,
                           at_error *err) AT_MUST_CHECK;

/* The same where parameters that are not there keep the value they have. */
at_status atx_config_change(atx_config *config, const atx_template *t, const char *text,
                            at_error *err) AT_MUST_CHECK;

/*
 * Fills the template's own slots from its configuration: parameters, labels, lets and consts. The op's slots
 * must be bound already.
 */
at_status atx_config_bind(int64_t *slots, const atx_template *t, const atx_config *config,
                          at_error *err) AT_MUST_CHECK;

/*
 * Binds as above and tests the template's requirements. AT_ERR_INPUT names the first that does not hold, with
 * its reason; one that cannot be evaluated does not hold.
 */
at_status atx_config_validate(int64_t *slots, const atx_template *t, const atx_config *config,
                              at_error *err) AT_MUST_CHECK;

/*
 * Launch geometry, evaluated. Sizes are 1 to 2^31-1 and shared_bytes 0 to 2^31-1, so that they fit the
 * driver's types; whether a device accepts them is not looked at.
 */
typedef struct atx_geometry {
    int64_t grid[3], block[3];
    int64_t shared_bytes;
    int64_t cluster[3];   /* blocks of a cluster; 0: none, but those of the kernel's own __cluster_dims__ */
    int64_t cooperative;  /* 1: all blocks are resident at once                                           */
    int64_t programmatic; /* 1: the launch does not wait for the end of the one in front of it            */
    int64_t carveout;     /* of the L1 cache that is to be shared memory: 1 + percent; 0: not said        */
} atx_geometry;

/* Blocks of a cluster that the launch asks for; 1: none. */
static inline int64_t atx_geometry_cluster(const atx_geometry *g)
{
    return g->cluster[0] ? g->cluster[0] * g->cluster[1] * g->cluster[2] : 1;
}

/* More need a permission of the kernel's own, and not every device has room for them. */
#define ATX_PORTABLE_CLUSTER 8

/* Does a launch need more than a grid, a block and shared memory? */
static inline bool atx_geometry_is_plain(const atx_geometry *g)
{
    return !g->cluster[0] && !g->cooperative && !g->programmatic && !g->carveout;
}

/* AT_ERR_INPUT when an expression cannot be evaluated or a size is out of range, with its place; also when a
 * grid is not a multiple of its clusters. */
at_status atx_geometry_of(atx_geometry *out, const atx_launch *launch, const int64_t *slots,
                          at_error *err) AT_MUST_CHECK;

/* The value of a scalar argument of a kernel, the op's or a template's: an integer, or the bits of a float
 * of the argument's type. AT_ERR_INPUT: its expression has no value, or a float none of that type. */
at_status atx_scalar_value(int64_t *out, const atx_arg *arg, const int64_t *slots,
                           at_error *err) AT_MUST_CHECK;

/*
 * The bytes of a struct that is passed by value, zero where it says nothing; out[] has as many as it.
 * Pointers are left to the caller, who knows addresses. AT_ERR_INPUT: a value that its field's type does not
 * have.
 */
at_status atx_struct_value(unsigned char *out, const atx_struct *s, const int64_t *slots,
                           at_error *err) AT_MUST_CHECK;

/* Of such bits the number: for a text that says it. */
double atx_scalar_real(const atx_arg *arg, int64_t bits);

/* Whether an integer type has its value, or the kernel would be passed another one: AT_ERR_INPUT. What cannot
 * be computed is told where it is used. */
at_status atx_scalar_check(const atx_arg *arg, const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* Bytes of a buffer argument, with the op's slots bound. AT_ERR_INPUT: they cannot be computed. */
at_status atx_arg_bytes(int64_t *out, const atx_op *op, int arg, const int64_t *slots,
                        at_error *err) AT_MUST_CHECK;

struct atx_filling; /* declare/data.h */

/* The contents of an input: of which argument, as numbers of which kind, and how many. */
typedef struct atx_held {
    const atx_op *op;
    const atx_arg *arg;
    int number;
    int64_t numbers;
} atx_held;

/*
 * What atx_generate wants besides the input's `how`, but for the seed of other offsets. AT_ERR_INPUT: an end
 * of its range cannot be computed, or is no number of that type.
 */
at_status atx_input_numbers(struct atx_filling *out, const atx_held *held, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/* The same of a field of structs; *how: the contents. */
at_status atx_field_numbers(int *how, struct atx_filling *out, const atx_field *field, int64_t numbers,
                            const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* 10^9 operations a second; 0: none count, or nothing was timed. */
double atx_gflop_per_s(int64_t ops_count, double seconds);

/*
 * The time in which the op's operations are done at its `ceiling gflops`, which goes to *gflops; 0: it has
 * none. AT_ERR_INPUT: it cannot be computed, or is below 1.
 */
at_status atx_problem_peak(double *seconds, int64_t *gflops, const atx_op *op, const int64_t *slots,
                           at_error *err) AT_MUST_CHECK;

/* The key under which a problem is stored. Strings are borrowed. */
typedef struct atx_problem_key {
    const char *op;
    const char *shape;    /* canonical, "4096x4096"              */
    const char *type_key; /* "b4", or "f32" where types compute  */
    int64_t elements;     /* product of the dimensions           */
    int64_t traffic_bytes;
    int64_t ops_count; /* by the op's `ops`; 0: it has none   */
} atx_problem_key;

/*
 * Fills the key; `shape` receives its text and must outlive the key. AT_ERR_INPUT: what must be moved, or
 * what counts as operations, cannot be computed.
 */
at_status atx_problem_key_of(atx_problem_key *out, atx_str *shape, const atx_problem *problem,
                             at_error *err) AT_MUST_CHECK;

/* The sizes that a key's shape begins with, "4096x4160": how many, -1: none, or more than `most`. *text moves
 * behind them. */
int atx_sizes_read(int64_t *out, int most, const char **text);
