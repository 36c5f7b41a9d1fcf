/*
 * export.h - a stored winner as a CUDA source file that stands alone. Pure text.
 */
#ifndef AUTOTUNE_EXPORT_H
#define AUTOTUNE_EXPORT_H

#include "problem.h"
#include "store.h"

typedef struct at__export_options {
    bool with_main; /* also a main() that checks the kernel against the op's reference and times it */
} at__export_options;

/*
 * Appends the file. `t` is the winner's template, with the winner's hash. The limits for derived values are
 * those of the device in the answer's fingerprint. Names that go into identifiers are restricted to letters,
 * digits and '_', and nothing that goes into a comment can end it.
 */
at_status at__export(at__str *out, const at__answer *answer, const at__template *t,
                     const at__problem *problem, at__export_options options, at_error *err) AT_MUST_CHECK;

#endif
