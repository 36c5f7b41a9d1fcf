/*
 * cubin.h - the kernels of compiled code: their names and parameters.
 *
 * A cubin is an ELF file. Nothing in it is trusted: it may be damaged, or not be one. Pointers that come back
 * point into it. PTX has names only.
 */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/sha256.h"

#define ATX_CUBIN_PARAMS 64 /* of one kernel that are told */

typedef struct atx_cubin_kernel {
    const char *name; /* mangled, where the source did not say extern "C"; not terminated in PTX */
    size_t name_len;
    int param_count; /* -1: unknown */
    int64_t param_bytes[ATX_CUBIN_PARAMS];
    int64_t max_threads; /* of a block, by __launch_bounds__; 0: not said */
    bool weak;           /* an instance of a template, made on request                         */
} atx_cubin_kernel;

/* The index-th kernel; false: there are fewer, or this is no code. */
bool atx_cubin_kernel_at(atx_cubin_kernel *out, const void *code, size_t len, int index);

/*
 * The kernel that a declaration names: f, ns::f or f<float, 4>, mangled or not. Specialisations of a template
 * are there unasked: of f<T> the instance is meant, where there is one. AT_ERR_INPUT: none, and which there
 * are; or several (instances of one template, overloads).
 */
at_status atx_cubin_find(atx_cubin_kernel *out, const void *code, size_t len, const char *kernel,
                         at_error *err) AT_MUST_CHECK;

/*
 * Its name for a driver. Code in which there is no kernel at all is a driver's to refuse: then the name is
 * the declaration's own. Borrowed from either, and not terminated in PTX.
 */
at_status atx_cubin_name(const char **name, size_t *name_len, const void *code, size_t len,
                         const char *kernel, at_error *err) AT_MUST_CHECK;

/* Whether the name of a symbol, "_ZN2ns1cE", is that of a variable that a declaration names, c or ns::c. */
bool atx_cubin_is_variable(const char *symbol, const char *variable);

/*
 * The variable that a declaration names, c or ns::c, and its size: __constant__ or __device__. AT_ERR_INPUT:
 * there is none, and which there are. In code that is no cubin its name is the declaration's own, its size
 * unknown (-1).
 */
at_status atx_cubin_variable(const char **name, int64_t *bytes, const void *code, size_t len,
                             const char *variable, at_error *err) AT_MUST_CHECK;

/*
 * Of all machine code and constants in it, names aside: equal for kernels that do the same thing in the same
 * way. `variables`: initial values of variables too, among which are constexpr constants, used or not.
 * false: this is no cubin.
 */
bool atx_cubin_hash(char out[ATX_HASH_TEXT], const void *cubin, size_t len, bool variables);
