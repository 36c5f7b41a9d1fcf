/*
 * traits.h - what a model sees of a problem and of a configuration: numbers, each with a name.
 *
 * All of it follows from the declarations, so that every op has them: sizes, how they are aligned and how
 * they compare; of an op of layouts what is fastest on either side, and where that stands on the other;
 * figures of the launch (blocks, waves, bytes of a block); and a template's parameters, lets and consts as
 * they are. A parameter of the same name in several templates is one trait. Sizes and other numbers without
 * an upper end are logarithms, to the base two.
 */
#ifndef AUTOTUNE_TRAITS_H
#define AUTOTUNE_TRAITS_H

#include "lang/problem.h"

#define AT__MAX_TRAITS 640

/* The place of one that only learning sets: whether a trial is another device's. */
#define AT__TRAIT_ELSEWHERE 0

typedef struct at__traits {
    const at__op *op;
    const at__template *t; /* NULL: of the problem alone */
    int problem_count;     /* the first are those of the problem */
    int count;
} at__traits;

/* Which traits there are. */
at__traits at__traits_of(const at__op *op, const at__template *t);

/* Writes the name of the i-th. A slot that cannot tell anything (a label) has the name "". */
void at__traits_name(char out[AT__MAX_NAME], const at__traits *traits, int i);

/* Fills out[0 .. problem_count). `slots` is bound for the problem and device. */
void at__traits_problem(float *out, const at__traits *traits, const at__problem *problem,
                        const int64_t *slots);

/* Fills out[problem_count .. count), where the problem's are. `slots` is bound for the configuration too. */
void at__traits_config(float *out, const at__traits *traits, const int64_t *slots,
                       const at__geometry *geometry);

#endif
