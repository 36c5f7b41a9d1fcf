/*
 * connection.h - whether a compiled candidate can be launched as its declaration says, found out without a
 * device: the kernel's name, number and sizes of its parameters, and what the architecture allows.
 */
#ifndef AUTOTUNE_CONNECTION_H
#define AUTOTUNE_CONNECTION_H

#include "lang/problem.h"
#include "lang/record.h"

/* What a configuration asks of a device: a geometry for each launch, and how large its variables must be. */
typedef struct at__launches {
    at__geometry geometries[AT__MAX_STEPS];
    int64_t variable_bytes[AT__MAX_ARGS]; /* by the op's arguments; 0: it goes into none */
} at__launches;

/*
 * *why stays empty when all is well; else it says what
 * was found and what was expected, and *about says of what kind that is: equal for faults of one cause, whose
 * numbers differ from configuration to configuration.
 */
at_status at__connection_check(at__str *why, const char **about, const at__template *t,
                               const at__launches *launches, const at__limits *limits, const void *code,
                               size_t len, const at__resources *resources, at_error *err) AT_MUST_CHECK;

/* The same of the op's reference, which takes all arguments in their order. */
at_status at__connection_check_reference(at__str *why, const char **about, const at__op *op,
                                         const at__geometry *geometry, const at__limits *limits,
                                         const void *code, size_t len, const at__resources *resources,
                                         at_error *err) AT_MUST_CHECK;

at_status at__launches_of(at__launches *out, const at__template *t, const int64_t *slots,
                          at_error *err) AT_MUST_CHECK;

/* The launches' geometries alone; `slots` are the template's, bound. */
at_status at__geometries_of(at__geometry out[AT__MAX_STEPS], const at__template *t, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/*
 * An argument that goes `into` a variable, and that a launch takes as a pointer, leaves the variable as it
 * is: AT_ERR_INPUT, with the line that names it, where the code has that variable. PTX is not looked at;
 * at__template_refuse_both is what to say of it.
 */
at_status at__template_check_into(const at__template *t, const void *code, size_t len,
                                  at_error *err) AT_MUST_CHECK;
at_status at__template_refuse_both(const at__template *t, int arg, at_error *err);

#endif
