/* pack_internal.h - what the files of a pack share. Private to pack*.c. */
#pragma once

#include "pack/pack.h"
#include "util/rng.h"

/* A problem that was drawn, with the op's slots. */
typedef struct atx_pack_sample {
    atx_problem problem;
    int64_t slots[ATX_MAX_SLOTS];
} atx_pack_sample;

/* Of a list of enough problems each fourth is held out. */
typedef enum atx_pack_use { ATX_PACK_ANY, ATX_PACK_TO_CHOOSE, ATX_PACK_HELD_OUT } atx_pack_use;

/* pack_layout.c: has it no leading dimensions, and, of an op of layouts, no gaps? */
bool atx_pack_is_dense(const atx_problem *problem);

/* Numbers that a tree compares: sizes, and of an op of layouts the strides of the input; their names. */
int atx_pack_number_count(const atx_op *op);
const char *atx_pack_number_name(const atx_op *op, int which);

/* Of an op of layouts: extents in the input's order, and which of them each of the output's dimensions has;
 * returns how many there are, without those of 1 in front. */
int atx_pack_permutation(int64_t extents[ATX_MAX_DIMS], int order[ATX_MAX_DIMS], const atx_problem *problem);

/* The problem with another size of one dimension. false: there is none. */
bool atx_pack_with_size(atx_problem *out, const atx_problem *from, int dim, int64_t size);

/* Are there problems that are not to choose by? Not of a list that is too short. */
bool atx_pack_holds_out(const atx_pack_domain *domain);

/* false: the domain has none that fits the device. */
bool atx_pack_draw(atx_pack_sample *out, atx_rng *rng, const atx_pack_domain *domain, atx_pack_use use,
                   const atx_limits *limits);

/* Bytes of all of the problem's buffers, whose slots are bound; INT64_MAX: more than there are numbers for.
 */
int64_t atx_pack_bytes(const atx_problem *problem, const int64_t *slots);

/* What a kernel that is not valid for a problem counts as: a hundred times as slow as the best. So the first
 * kernels are those that leave no problem without one. */
#define ATX_PACK_INVALID 99.0f

/*
 * All kernels that may be chosen, and what each loses on each problem: losses[problem * count + kernel], over
 * the best that is known of the problem.
 */
typedef struct atx_pack_candidates {
    atx_pack_kernel *kernels;
    int count, cap;
    float *losses;
    int problems;
} atx_pack_candidates;

/* The best few of the portfolio for each of the problems. */
at_status atx_pack_candidates_find(atx_pack_candidates *out, const atx_pack_request *request,
                                   atx_pack_sample *samples, int count, at_error *err) AT_MUST_CHECK;
void atx_pack_candidates_clear(atx_pack_candidates *candidates);

/* The losses of kernels on other problems, [problem * kernel_count + kernel]. NULL: out of memory. */
float *atx_pack_losses(const atx_pack_kernel *kernels, int kernel_count, const atx_pack_request *request,
                       atx_pack_sample *samples, int count);

/* What a measurement says of losses that were not measured (pack_correct.c). Borrows the kernels. */
typedef struct atx_pack_corrections atx_pack_corrections;

/* Kernels on problems, and what they lose there, [problem * count + kernel]; where the problem is measured
 * that is a measured loss, else an expected one. */
typedef struct atx_pack_table {
    const atx_pack_kernel *kernels;
    const atx_pack_sample *samples;
    float *losses;
    bool *measured;
    int count, problems;
    bool *wanted; /* which of the losses are worth measuring, in their order; NULL: all */
    bool *wrong;  /* becomes true of each kernel that is wrong on some problem; NULL: it is not told */
    bool tuned;   /* losses are over a winner that is tuned; else over the fastest of the kernels */
} atx_pack_table;

at_status atx_pack_corrections_make(atx_pack_corrections **out, const atx_pack_table *table,
                                    const float *expected, at_error *err) AT_MUST_CHECK;
void atx_pack_corrections_close(atx_pack_corrections *corrections); /* NULL is allowed */

/* Corrects what is expected of the table's kernels for a problem. false: out of memory. */
bool atx_pack_correct(float *losses, const atx_pack_corrections *corrections, const atx_pack_sample *sample);

/*
 * Before a table with other kernels is measured on the same problems: none is measured any more. Returns how
 * many were drawn, which are measured also when the time is over: the store has all but the new kernels.
 */
int atx_pack_forget_measured(bool *measured, int problems);

/* Replaces what is expected by what is measured, until this share of the tuner's time is over, and corrects
 * the rest by that: pack_tune.c. */
at_status atx_pack_tuner_measure(atx_pack_tuner *tuner, const atx_pack_table *table, double share,
                                 at_error *err) AT_MUST_CHECK;

/* A model of an operation that was tuned on some problems first. */
typedef struct atx_pack_learned {
    atx_model *model;
    atx_predictor *predictor;
} atx_pack_learned;

/* Tunes problems, in this share of the tuner's time, and learns of all trials of its database: pack_tune.c.
 * AT_ERR_NOT_FOUND: they are too few. */
at_status atx_pack_tuner_learn(atx_pack_learned *out, atx_pack_tuner *tuner, const atx_pack_sample *samples,
                               int count, double share, at_error *err) AT_MUST_CHECK;
void atx_pack_learned_clear(atx_pack_learned *learned); /* of zeros, too */

/* The kernel's source in its general form. */
at_status atx_pack_render_kernel(atx_str *out, const atx_pack_kernel *kernel, const atx_limits *limits,
                                 at_error *err) AT_MUST_CHECK;

/* Have they one code, and differ in their launch alone? */
bool atx_pack_same_code(const atx_pack_kernel *a, const atx_pack_kernel *b);

/* Which ones were chosen when there were 1, 2, ... of them, or of their codes; and how many these are. */
typedef struct atx_pack_sets {
    int at[ATX_PACK_MAX_KERNELS][ATX_PACK_MAX_KERNELS];
    int count[ATX_PACK_MAX_KERNELS];
} atx_pack_sets;

/* Up to `most` of the candidates, the first ones first; returns how many, -1: out of memory. `sets` may be
 * NULL, and is so where there may be more than ATX_PACK_MAX_KERNELS. */
int atx_pack_choose(int *chosen, atx_pack_sets *sets, int most, double within,
                    const atx_pack_candidates *candidates);

/* Kernels of up to `most` codes; returns how many codes there are, -1: out of memory. The pack's mean and
 * bound become those of the codes. */
int atx_pack_choose_codes(atx_pack_sets *sets, atx_pack *pack, int most, double within,
                          const atx_pack_candidates *candidates);

/* The mean over the problems of the least loss of the chosen ones. */
double atx_pack_mean_of(const atx_pack_candidates *candidates, const int *chosen, int count);

/* What no choice of `most` kernels has a smaller mean than; `mean` is that of one. Out of memory: -1, which
 * no mean is below. */
double atx_pack_bound(const atx_pack_candidates *candidates, int most, double mean);

/* Only these, in their order. */
void atx_pack_candidates_keep(atx_pack_candidates *candidates, const bool *keep);

/* Those of the candidates that are worth being measured for a pack of so many kernels (0: not known): about
 * as many as `most`. The others go. false: out of memory. */
bool atx_pack_candidates_cut(atx_pack_candidates *candidates, int most, int kernels);

/* The tree over the pack's kernels, by their losses on these problems, of which some may be measured (NULL:
 * none is). false: out of memory. */
bool atx_pack_grow(atx_pack *pack, const atx_pack_sample *samples, const float *losses, const bool *measured,
                   int count);

/* What a comparison calls a product of sizes: "all", or of the last ones "rows*cols". */
void atx_pack_add_product(atx_str *out, const atx_op *op, int which);

/* The leaf for a problem. */
const atx_pack_node *atx_pack_leaf(const atx_pack *pack, const atx_problem *problem);

/* Whether the way to that leaf leads over this node, or ends there. */
bool atx_pack_meets(const atx_pack *pack, const atx_problem *problem, int node);

/* A kernel with the constants of a problem's sizes (`slots`), and where that is another one with those that
 * are right for all sizes; returns how many, 0: it cannot be in a pack. */
int atx_pack_forms(atx_pack_kernel forms[2], const atx_pack_kernel *kernel, int64_t *slots);

/* Does the kernel's template prefer it for the sizes of these slots, which are a problem's? */
bool atx_pack_prefers(const atx_pack_kernel *kernel, const int64_t *slots);

/* Is a kernel whose source has this value of a const right for sizes that make it another one? */
bool atx_pack_is_general(const atx_let *let, int64_t value);

/* Mean and quantiles of the losses of some problems, which are sorted; the number of them that are invalid.
 */
atx_pack_loss atx_pack_summarize(float *losses, int count);
