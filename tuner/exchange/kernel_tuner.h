/*
 * kernel_tuner.h - trials as a cache file of Kernel Tuner, which it reads with tune_kernel(cache=FILE) and in
 * its simulation mode. Its parameters are those of one template. Times are milliseconds.
 */
#pragma once

#include "db/store.h"

/* As atx_t4_write (t4.h). AT_ERR_INPUT: of several templates, too. */
at_status atx_kernel_tuner_write(atx_store *store, const atx_dump_options *options, atx_line_sink *sink,
                                 void *context, at_error *err) AT_MUST_CHECK;
