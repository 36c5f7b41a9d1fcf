/* instance_setup.h - what a runner would be told of a problem's buffers. Private to instance*.c */
#ifndef AUTOTUNE_EXPLAIN_INSTANCE_SETUP_H
#define AUTOTUNE_EXPLAIN_INSTANCE_SETUP_H

#include "device/trial.h"

/* atx_setup_describe of tune/setup.h, whose headers have other meanings for words of the machine's. */
at_status atx_instance_describe(atx_setup *setup, const atx_problem *problem, const int64_t *slots,
                                at_error *err) AT_MUST_CHECK;

#endif
