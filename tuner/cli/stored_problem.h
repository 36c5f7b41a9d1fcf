/*
 * stored_problem.h - a problem of an operation that is in the database but not in this program: its templates
 * are in a folder that was not named, or on another machine. Its stored results can be shown.
 */
#pragma once

#include "db/store.h"
#include "util/options.h"

typedef struct atx_stored_problem {
    atx_op op; /* its name and types, nothing else */
    atx_problem problem;
    atx_problem_key key;
    atx_str shape, type_key; /* of the key */
} atx_stored_problem;

/*
 * The one that these words name: an operation, a shape as it is stored, and a type where there are several.
 * AT_ERR_NOT_FOUND: the store has no operation of that name, and nothing is said. AT_ERR_INPUT: no such
 * problem of it; *err lists shapes that there are.
 */
at_status atx_stored_problem_find(atx_stored_problem *out, const atx_words *words, atx_store *store,
                                  at_error *err) AT_MUST_CHECK;
void atx_stored_problem_clear(atx_stored_problem *stored);
