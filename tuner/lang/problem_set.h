/*
 * problem_set.h - problems in the order in which they came, each once. Private to shapes.c.
 */
#ifndef AUTOTUNE_PROBLEM_SET_H
#define AUTOTUNE_PROBLEM_SET_H

#include "lang/problem.h"

typedef struct at__problem_set {
    at__problem *problems;
    size_t count, cap;
    size_t *seen; /* open addressing: 1 + number of a problem, 0 where free */
    size_t seen_cap;
} at__problem_set;

/* One that is there already changes nothing. AT_ERR_MEMORY. Zero the set before the first. */
at_status at__problem_set_add(at__problem_set *set, const at__problem *problem, at_error *err) AT_MUST_CHECK;
void at__problem_set_clear(at__problem_set *set);

#endif
