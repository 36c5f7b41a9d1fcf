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

typedef struct atx_inspector atx_inspector;

/* Borrows both, and must be closed before them. Buffers must have been added. */
at_status atx_inspector_open(atx_inspector **out, const atx_ptx_module *module, atx_machine *machine,
                             at_error *err) AT_MUST_CHECK;
void atx_inspector_close(atx_inspector *inspector); /* NULL is allowed */

/* The watch of one launch, to be borrowed by it. What earlier launches wrote is written. It stops a launch
 * (ATX_FINDING_STOPPED) for want of memory alone. */
const atx_machine_watch *atx_inspector_watch(atx_inspector *inspector, const atx_machine_launch *launch);

/* After the last launch: what the machine found itself, and what variables keep. */
void atx_inspector_take(atx_inspector *inspector, const atx_machine_result *result);

const atx_flaws *atx_inspector_flaws(const atx_inspector *inspector);

#endif
