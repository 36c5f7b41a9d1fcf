/*
 * compile_check_faults.h - the faults of the kernels of a check, each cause once.
 * Private to compile_check*.c.
 */
#pragma once

#include "compile/compile_check.h"

/* Zeroed it is empty. */
typedef struct atx_faults {
    struct atx_fault *items;
    size_t count, cap;
} atx_faults;

/* Where one was found. */
typedef struct atx_fault_source {
    size_t row;
    size_t order; /* of its submission: of one cause the first is reported, whichever ended first */
    const atx_op *op;
    const atx_template *t; /* NULL: the op's reference */
} atx_fault_source;

/* One more kernel of that cause, or the first: texts are copied then. */
at_status atx_faults_add(atx_faults *faults, const atx_fault_source *from, const char *config,
                         const char *cause, const char *log, enum atx_fault_kind kind,
                         at_error *err) AT_MUST_CHECK;

/* Is there one of that kind and template? */
bool atx_faults_has(const atx_faults *faults, const atx_template *t, enum atx_fault_kind kind);

/* Row by row, those of the reference first, then as they were handed out: compilers finish in any order. */
void atx_faults_tell(atx_faults *faults, const atx_compile_check_row *rows, size_t row_count,
                     const atx_compile_check_options *options);
void atx_faults_clear(atx_faults *faults);
