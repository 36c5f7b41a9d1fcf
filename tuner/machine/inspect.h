/*
 * inspect.h - a watch that looks for what is wrong although nothing stops it: reads of memory that nobody
 * wrote, races, asynchronous and bulk copies that were not awaited. Bounds, alignment, inputs, barriers and
 * endless loops are the machine's own checks; their finding is taken over, so that all flaws are in one list.
 *
 * Shared memory is compared among the threads of its block, also by warps within one; so is global memory:
 * blocks have no order, and what they tell each other through atomics is not followed. Volatile, relaxed and
 * stronger accesses race with nothing.
 */
#ifndef AUTOTUNE_MACHINE_INSPECT_H
#define AUTOTUNE_MACHINE_INSPECT_H

#include "machine/flaws.h"
#include "machine/machine.h"

typedef struct at__inspector at__inspector;

/* Borrows both, and must be closed before them. Buffers must have been added. */
at_status at__inspector_open(at__inspector **out, const at__ptx_module *module, at__machine *machine,
                             at_error *err) AT_MUST_CHECK;
void at__inspector_close(at__inspector *inspector); /* NULL is allowed */

/* The watch of one launch, to be borrowed by it. What earlier launches wrote is written. It stops a launch
 * (AT__FINDING_STOPPED) for want of memory alone. */
const at__machine_watch *at__inspector_watch(at__inspector *inspector, const at__machine_launch *launch);

/* What the machine found itself. */
void at__inspector_take(at__inspector *inspector, const at__machine_result *result);

const at__flaws *at__inspector_flaws(const at__inspector *inspector);

#endif
