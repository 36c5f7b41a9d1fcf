/*
 * layout.h - the places of a problem's buffers in the device's memory, and whether they fit. Pure.
 *
 * Buffers come in sets that launches rotate through. Every buffer lies between two guard zones:
 *
 *     ... | guard | buffer, exactly its bytes | guard | ...
 *
 * A buffer that is less than fully aligned begins its alignment's bytes behind a page. Beside the sets are
 * right answers: each output once for a few sets of inputs, twice if the reference leaves gaps in it. At
 * least one of them must fit.
 */
#pragma once

#include "device/trial.h"

/* Wide enough for a stray vector access of a whole block's row. */
#define ATX_GUARD_BYTES 4096

/* Left free for modules, graphs and the driver itself. */
#define ATX_RESERVE_BYTES ((int64_t)256 << 20)

typedef struct atx_layout {
    int64_t offset[ATX_MAX_ARGS]; /* of each buffer in its set                     */
    int64_t skew[ATX_MAX_ARGS];   /* how far behind an aligned place it begins     */
    int64_t set_bytes;
    int64_t traffic_bytes;  /* that a launch touches of a set; at least 1          */
    int64_t expected_bytes; /* of the right answers, and of a set of own copies */
} atx_layout;

/* The problem that copies run on where they have buffers of their own: an output and an input of copy_bytes.
 * It has no reference. */
atx_setup atx_layout_copies(const atx_setup *setup);

/* Sizes of up to 10^15 bytes in all; atx_layout_fits refuses more. */
void atx_layout_of(atx_layout *out, const atx_setup *setup);

/* AT_ERR_DEVICE, with the bytes needed and free, when not even one set fits. */
at_status atx_layout_fits(const atx_setup *setup, int64_t free_bytes, at_error *err) AT_MUST_CHECK;

/* `value`, or the next multiple of `to` above it. */
static inline int64_t atx_round_up(int64_t value, int64_t to)
{
    return (value + to - 1) / to * to;
}
