/* adopt_space_internal.h - a T1 file while it is read. Private to adopt*.c. */
#pragma once

#include "exchange/adopt_space.h"
#include "exchange/import_file.h"

/*
 * Python's expression at `node` in ours: numbers, parameters, ProblemSize[i], signs that both languages have;
 * // is /, as nothing is negative. max(p) and min(p) of a parameter are numbers, `alone`: no parameter may be
 * named but so. Adds nothing where it is anything else.
 */
void atx_space_expr(atx_str *out, const atx_import_file *file, uint32_t node, bool alone);

/* The member of an object, 0: none, or no object. */
uint32_t atx_space_member(const atx_json *json, uint32_t object, const char *name);

/* A type as T1 files name it; one that they have no word for as we do. */
const char *atx_space_type_word(atx_dtype type);

/* What is known of numbers that a generator makes. */
typedef struct atx_generated {
    double least, most;
    bool ascends;
} atx_generated;

/* Python's expression of i = 0, 1, ..., count - 1; of many i some are tried. false: it is anything else than
 * arithmetic, comparisons and `a if c else b`, or a number is not finite. */
bool atx_space_generate(atx_generated *out, const char *text, int64_t count);

/* AT_ERR_INPUT: too many. */
at_status atx_space_read_args(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel,
                              at_error *err) AT_MUST_CHECK;
