/*
 * connection.h - whether a compiled candidate can be launched as its declaration says, found out without a
 * device: the kernel's name, number and sizes of its parameters, and what the architecture allows.
 */
#ifndef AUTOTUNE_CONNECTION_H
#define AUTOTUNE_CONNECTION_H

#include "lang/problem.h"
#include "lang/record.h"

/*
 * `geometries` has one for each launch of the template. *why stays empty when all is well; else it says what
 * was found and what was expected, and *about says of what kind that is: equal for faults of one cause, whose
 * numbers differ from configuration to configuration.
 */
at_status at__connection_check(at__str *why, const char **about, const at__template *t,
                               const at__geometry *geometries, const at__limits *limits, const void *code,
                               size_t len, const at__resources *resources, at_error *err) AT_MUST_CHECK;

/* The launches' geometries; `slots` are the template's, bound. */
at_status at__geometries_of(at__geometry out[AT__MAX_STEPS], const at__template *t, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

#endif
