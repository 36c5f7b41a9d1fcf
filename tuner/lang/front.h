/*
 * front.h - several figures at once, time and energy or time and registers: which measurements no other one
 * beats in all of them (the Pareto front).
 *
 * Smaller is better. A front is computed from stored trials and not stored itself.
 */
#pragma once

#include "lang/metric.h"

#define ATX_MAX_FRONT 4

typedef struct atx_front {
    int count; /* 0: none is asked for */
    struct atx_front_figure {
        char name[ATX_MAX_NAME];
        atx_figure figure;
        int metric; /* of the op; below zero: the figure */
    } of[ATX_MAX_FRONT];
} atx_front;

/*
 * "time,registers": at least two of time, energy_j, registers, shared_bytes, spill_bytes and the op's metrics
 * (op NULL: none). AT_ERR_USAGE says which there are.
 */
at_status atx_front_parse(atx_front *out, const char *text, const atx_op *op, at_error *err) AT_MUST_CHECK;

bool atx_front_reads(const atx_front *front, atx_figure figure);

/* values[0 .. count); false: one of them is not known. */
bool atx_front_values(double *values, const atx_front *front, const atx_problem *problem,
                      const atx_record *record);

/* Of `rows` rows of `count` values: is on[i] beaten by no other one? Of equal rows the first is. */
void atx_front_choose(bool *on, const double *values, size_t rows, int count);

/*
 * One number for a search, above zero and smaller if better: the weighted geometric mean of the first figure
 * and number `other`, which has the weight, 0 to 1. INFINITY: one of them is not known.
 */
double atx_front_score(const atx_front *front, int other, double weight, const atx_problem *problem,
                       const atx_record *record);
