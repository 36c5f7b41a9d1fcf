/*
 * instance_need.h - the memory that a problem needs on this machine, computed before anything is allocated.
 */
#pragma once

#include "lang/problem.h"

/* Bytes that atx_instance_open with an answer and atx_instance_try take together, at most; `slots`: bound for
 * the op. */
at_status atx_instance_need(int64_t *bytes, const atx_problem *problem, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/* Bytes that this process can have, of the machine and within its control group; INT64_MAX: unknown. */
int64_t atx_memory_available(void);

/* Memory that a control group (the folder of its files) leaves, its own reclaimable caches counted as free.
 */
int64_t atx_group_memory(const char *folder);
