/*
 * problem_set.h - problems in the order in which they came, each once, and how often a program asks for each.
 */
#pragma once

#include "lang/problem.h"

typedef struct atx_problem_set {
    atx_problem *problems;
    int64_t *calls;
    size_t count, cap, calls_cap;
    size_t *seen; /* open addressing: 1 + number of a problem, 0 where free */
    size_t seen_cap;
} atx_problem_set;

/* Of one that is there already the calls are added. AT_ERR_MEMORY. Zero the set before the first. */
at_status atx_problem_set_add(atx_problem_set *set, const atx_problem *problem, int64_t calls,
                              at_error *err) AT_MUST_CHECK;
void atx_problem_set_clear(atx_problem_set *set);
