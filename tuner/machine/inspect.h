/*
 * inspect.h - a watch for errors that do not stop a kernel: reads of uninitialized memory, races,
 * asynchronous and bulk copies without a wait. Bounds, alignment, inputs, barriers and endless loops are the
 * machine's own checks; their finding is added, so that all flaws are in one list.
 *
 * Accesses to shared memory are compared among the threads of a block and, within a warp, by synchronisation;
 * so are those to global memory. Blocks have no order, and messages between them through atomics are not
 * followed. Volatile, relaxed and stronger accesses race with nothing.
 */
#pragma once

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

/* After the last launch: findings of the machine itself, and variables that keep state. */
void atx_inspector_take(atx_inspector *inspector, const atx_machine_result *result);

const atx_flaws *atx_inspector_flaws(const atx_inspector *inspector);
