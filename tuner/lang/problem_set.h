/*
 * problem_set.h - problems in the order in which they came, each once. Private to shapes.c.
 */
#ifndef AUTOTUNE_PROBLEM_SET_H
#define AUTOTUNE_PROBLEM_SET_H

#include "lang/problem.h"

typedef struct atx_problem_set {
    atx_problem *problems;
    size_t count, cap;
    size_t *seen; /* open addressing: 1 + number of a problem, 0 where free */
    size_t seen_cap;
} atx_problem_set;

/* One that is there already changes nothing. AT_ERR_MEMORY. Zero the set before the first. */
at_status atx_problem_set_add(atx_problem_set *set, const atx_problem *problem, at_error *err) AT_MUST_CHECK;
void atx_problem_set_clear(atx_problem_set *set);

#endif
