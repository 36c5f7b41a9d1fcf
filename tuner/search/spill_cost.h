/*
 * spill_cost.h - what spilled registers cost, as the trials so far show it: how much slower kernels that
 * spill are than a model expected of their configurations, which does not know what the compiler made of
 * them.
 *
 * A weighted least-squares line through the model's errors over the logarithm of the spilled bytes, with the
 * prior belief that it is flat. Where parameters tell which kernels spill, the model errs no more on these.
 * Registers, shared memory and occupancy did not earn a place here: parameters tell them well enough
 * (README.md).
 */
#pragma once

#include "lang/record.h"

/* Zero it before use. */
typedef struct atx_spill_cost {
    double weight, spills, squares; /* sums over trials: 1, s and s^2, s the logarithm of what was spilled */
    double errors, products;        /* the model's errors, and their products with s */
    double surprise;                /* squares of the errors over those of what they were thought to be */
} atx_spill_cost;

/* A kernel took exp(error) times what was expected, give or take `deviation`. */
void atx_spill_cost_add(atx_spill_cost *cost, const atx_resources *resources, double error, double deviation);

/*
 * The error to be expected of a kernel that spills, and *left, the share of its deviation that remains. 0 and
 * 1 for one that does not, of which nothing is known, or as long as spilling has cost nothing.
 */
double atx_spill_cost_of(double *left, const atx_spill_cost *cost, const atx_resources *resources);
