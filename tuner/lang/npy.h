/*
 * npy.h - NumPy's file format: the type and shape of an array in a file, and the place of its bytes. Data is
 * not read here.
 */
#pragma once

#include "declare/dtype.h"

#include <stdbool.h>
#include <stdint.h>

#define ATX_NPY_HEAD (65536 + 12) /* bytes in which a header must end */
#define ATX_NPY_DIMS 8

typedef struct atx_npy {
    char descr[16]; /* "<f4"                       */
    int bytes;      /* of an element               */
    bool fortran;   /* columns first               */
    int dims;       /* 0: a scalar                 */
    int64_t shape[ATX_NPY_DIMS];
    int64_t elements;
    int64_t data_at; /* bytes from the file's begin */
} atx_npy;

/*
 * The header in the first bytes of a file; `name` is for messages. AT_ERR_INPUT: it is none, or says what
 * this reader does not know: another byte order, objects, more than ATX_NPY_DIMS dimensions.
 */
at_status atx_npy_read(atx_npy *out, const void *bytes, size_t len, const char *name, at_error *err);

/*
 * The array in a file, which must be one of `elements` of this type in C order; `storage`: of any type of its
 * size. bf16, which NumPy has not, is u2 or V2. AT_ERR_INPUT says what was found and expected; also for a
 * file that is too short.
 */
at_status atx_npy_open(atx_npy *out, const char *path, atx_dtype type, bool storage, int64_t elements,
                       at_error *err);
