/*
 * compile_check_faults.h - what is wrong with the kernels of a check, each cause once.
 * Private to compile_check*.c.
 */
#ifndef AUTOTUNE_COMPILE_CHECK_FAULTS_H
#define AUTOTUNE_COMPILE_CHECK_FAULTS_H

#include "compile/compile_check.h"

/* Zeroed it is empty. */
typedef struct at__faults {
    struct at__fault *items;
    size_t count, cap;
} at__faults;

/* Where one was found. */
typedef struct at__fault_source {
    size_t row;
    const at__op *op;
    const at__template *t; /* NULL: the op's reference */
} at__fault_source;

/* One more kernel of that cause, or the first: texts are copied then. */
at_status at__faults_add(at__faults *faults, const at__fault_source *from, const char *config,
                         const char *cause, const char *log, enum at__fault_kind kind,
                         at_error *err) AT_MUST_CHECK;

/* Is there one of that kind and template? */
bool at__faults_has(const at__faults *faults, const at__template *t, enum at__fault_kind kind);

/* Row by row, those of the reference first: compilers finish in any order. */
void at__faults_tell(const at__faults *faults, const at__compile_check_row *rows, size_t row_count,
                     const at__compile_check_options *options);
void at__faults_clear(at__faults *faults);

#endif
