/*
 * connection.h - whether a compiled candidate can be launched as its declaration says, checked without a
 * device: the kernel's name, the number and sizes of its parameters, and the limits of the architecture.
 */
#pragma once

#include "lang/problem.h"
#include "lang/record.h"

/* The demands of a configuration: a geometry for each launch, and how large its variables must be. */
typedef struct atx_launches {
    atx_geometry geometries[ATX_MAX_STEPS];
    int64_t variable_bytes[ATX_MAX_ARGS]; /* by the op's arguments; 0: it goes into none */
} atx_launches;

/* Compiled code, and where it shall be launched. Borrowed. */
typedef struct atx_connection {
    const void *code;
    size_t len;
    const atx_resources *resources; /* as the compiler says */
    const atx_limits *limits;
} atx_connection;

/* *about, where the blocks of a cooperative grid are too many for the device. */
#define ATX_NOT_RESIDENT "resident"

/*
 * *why stays empty where there is no fault. Else it says what was found and what was expected, and *about is
 * the kind of fault: equal for faults of one cause, whose numbers differ from configuration to configuration.
 */
at_status atx_connection_check(atx_str *why, const char **about, const atx_connection *connection,
                               const atx_template *t, const atx_launches *launches,
                               at_error *err) AT_MUST_CHECK;

/* The same of the op's reference, which takes all arguments in their order. */
at_status atx_connection_check_reference(atx_str *why, const char **about, const atx_connection *connection,
                                         const atx_op *op, const atx_geometry *geometry,
                                         at_error *err) AT_MUST_CHECK;

at_status atx_launches_of(atx_launches *out, const atx_template *t, const int64_t *slots,
                          at_error *err) AT_MUST_CHECK;

/* The launches' geometries alone; `slots` are the template's, bound. */
at_status atx_geometries_of(atx_geometry out[ATX_MAX_STEPS], const atx_template *t, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/*
 * An argument that goes `into` a variable, and that a launch takes as a pointer, leaves the variable as it
 * is: AT_ERR_INPUT, with the line that names it, where the code has that variable. PTX is not looked at;
 * atx_template_refuse_both is what to say of it.
 */
at_status atx_template_check_into(const atx_template *t, const void *code, size_t len,
                                  at_error *err) AT_MUST_CHECK;
at_status atx_template_refuse_both(const atx_template *t, int arg, at_error *err);
