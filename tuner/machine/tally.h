/*
 * tally.h - a watch that counts what the instructions of a launch cost: requests, sectors, wavefronts, by
 * instruction; summed up by source line.
 *
 * A request is one instruction of one warp that some lane executes. What is counted is the PTX: the
 * compiler's last step may yet join accesses or drop instructions, but moves no address.
 */
#ifndef AUTOTUNE_MACHINE_TALLY_H
#define AUTOTUNE_MACHINE_TALLY_H

#include "machine/counts.h"
#include "machine/machine.h"

typedef enum at__traffic_kind {
    AT__GLOBAL_LOAD,
    AT__GLOBAL_STORE,
    AT__GLOBAL_ATOMIC,
    AT__SHARED_LOAD,
    AT__SHARED_STORE,
    AT__SHARED_ATOMIC,
    AT__TRAFFIC_KINDS
} at__traffic_kind;

/* "global loads", ... */
const char *at__traffic_name(at__traffic_kind kind);
static inline bool at__traffic_is_global(at__traffic_kind kind)
{
    return kind <= AT__GLOBAL_ATOMIC;
}

/* What accesses of one kind cost: sectors of global memory, wavefronts of shared memory. */
typedef struct at__traffic {
    int64_t requests, cost, least;
    int64_t lanes, bytes; /* that took part; that they asked for */
    int worst;            /* cost of the worst request           */
} at__traffic;

typedef struct at__tally_line {
    const char *file; /* borrowed from the module; NULL: unknown */
    int line;
    const char *inner_file; /* where a function was inlined there: its place; else the same */
    int inner_line;
    int64_t warp_instructions, lane_instructions;
    at__traffic traffic[AT__TRAFFIC_KINDS];
} at__tally_line;

typedef struct at__tally at__tally;

/* Of launches of one module; which it borrows. */
at_status at__tally_open(at__tally **out, const at__ptx_module *module, at_error *err) AT_MUST_CHECK;
void at__tally_close(at__tally *tally); /* NULL is allowed */

/* To be borrowed by a launch. Counts add up over launches. */
const at__machine_watch *at__tally_watch(at__tally *tally);

/* Lines that were executed, by file and line; borrowed, until the next launch. AT_ERR_MEMORY. */
at_status at__tally_lines(const at__tally_line **out, size_t *count, at__tally *tally,
                          at_error *err) AT_MUST_CHECK;

/* The sum of all lines. */
at__tally_line at__tally_all(const at__tally *tally);

#endif
