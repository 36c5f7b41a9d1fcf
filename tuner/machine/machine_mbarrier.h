/*
 * machine_mbarrier.h - barriers that are words of shared memory. Private to machine*.c.
 *
 * The ISA does not say what their 64 bits are. Here, from the lowest: 20 bits of arrivals that are still to
 * come, 20 of how many each phase has, 1 of the phase's parity, 22 of the bytes to come (as a signed number),
 * 1 that the word is a barrier.
 */
#pragma once

#include "machine/machine_internal.h"

/* Lanes arrive at the barrier of the instruction's first address; `pending` 0: this arrival has not been
 * counted on before, as cp.async.mbarrier.arrive without .noinc. */
void atx_mbarrier_arrive(atx_exec *x, const atx_decoded *d, uint32_t mask, int pending);
/* The barriers that a copy or a store tells of its bytes: the instruction's last address, its number `k`, in
 * this group. `names` are as of atx_machine_access. false: the launch ends. */
bool atx_mbarrier_reach(atx_request *r, uint64_t names[ATX_LANES], atx_exec *x, const atx_decoded *d,
                        uint32_t mask, int k, int group);
/* So many bytes of this lane have come. */
void atx_mbarrier_complete(atx_exec *x, const atx_request *r, int lane, int32_t bytes);
/* Adds to the finding what the barrier that the warp looked at last lacks, if it has done little since. */
void atx_mbarrier_tell_lack(atx_exec *x);
