/*
 * tally.h - a watch that counts the costs of a launch's instructions: requests, sectors, wavefronts, by
 * instruction; summed up by source line.
 *
 * A request is one instruction of one warp that some lane executes. The PTX is counted: the compiler's last
 * step may still join accesses or drop instructions, but does not change addresses.
 */
#pragma once

#include "machine/counts.h"
#include "machine/machine.h"

typedef enum atx_traffic_kind {
    ATX_GLOBAL_LOAD,
    ATX_GLOBAL_STORE,
    ATX_GLOBAL_ATOMIC,
    ATX_SHARED_LOAD,
    ATX_SHARED_STORE,
    ATX_SHARED_ATOMIC,
    ATX_TRAFFIC_KINDS
} atx_traffic_kind;

/* "global loads", ... */
const char *atx_traffic_name(atx_traffic_kind kind);
static inline bool atx_traffic_is_global(atx_traffic_kind kind)
{
    return kind <= ATX_GLOBAL_ATOMIC;
}

/* The cost of accesses of one kind: sectors of global memory, wavefronts of shared memory. */
typedef struct atx_traffic {
    int64_t requests, cost, least;
    int64_t lanes, bytes; /* that took part; that they asked for */
    int worst;            /* cost of the worst request           */
} atx_traffic;

typedef struct atx_tally_line {
    const char *file; /* borrowed from the module; NULL: unknown */
    int line;
    const char *inner_file; /* where a function was inlined there: its place; else the same */
    int inner_line;
    int64_t warp_instructions, lane_instructions;
    atx_traffic traffic[ATX_TRAFFIC_KINDS];
} atx_tally_line;

typedef struct atx_tally atx_tally;

/* Of launches of one module; which it borrows. */
at_status atx_tally_open(atx_tally **out, const atx_ptx_module *module, at_error *err) AT_MUST_CHECK;
void atx_tally_close(atx_tally *tally); /* NULL is allowed */

/* To be borrowed by a launch. Counts add up over launches. */
const atx_machine_watch *atx_tally_watch(atx_tally *tally);

/* Lines that were executed, by file and line; borrowed, until the next launch. AT_ERR_MEMORY. */
at_status atx_tally_lines(const atx_tally_line **out, size_t *count, atx_tally *tally,
                          at_error *err) AT_MUST_CHECK;

/* The sum of all lines. */
atx_tally_line atx_tally_all(const atx_tally *tally);
