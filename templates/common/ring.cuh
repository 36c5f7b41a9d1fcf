/*!autotune
common    ring                         # rows that come by themselves, and sums that blocks of a cluster send each other
use       policy
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "policy.cuh"
#endif

/*
 * Barriers in shared memory. One ends a phase when all arrivals are there that it was made for, and all bytes that were
 * announced; phases are told apart by their parity. Who waits needs no other barrier for what came, and nobody waits for
 * his own stores to reach memory, as a cluster's barrier makes every thread do.
 */
using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void *memory)
{
    return (unsigned)__cvta_generic_to_shared(memory);
}

__device__ __forceinline__ void make_barrier(Barrier *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Barriers are there for copies and for the other blocks, as soon as those know that this thread was here. */
__device__ __forceinline__ void barriers_are_made()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void arrive(Barrier *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ void arrive_announcing(Barrier *barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

/* `cluster`: other blocks have stored what is awaited. */
template <bool cluster = false> __device__ __forceinline__ void wait(const Barrier *barrier, int parity)
{
    if constexpr (cluster)
        asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(
                         shared_address(barrier)), "r"(parity) : "memory");
    else
        asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(
                         shared_address(barrier)), "r"(parity) : "memory");
}

/* A multiple of 16 bytes into shared memory, by the copy engine, which has the L2 keep them; the barrier hears of them. */
__device__ __forceinline__ void fetch(void *to, const void *from, int bytes, Barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
                     shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(keep_policy()) : "memory");
}

/* A multiple of 16 bytes out of shared memory, by the copy engine. `once`: the L2 need not keep them. */
template <bool once> __device__ __forceinline__ void put(void *to, const void *from, int bytes)
{
    unsigned long long policy;
    if constexpr (once) {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
                     "r"(shared_address(from)), "r"(bytes), "l"(policy) : "memory");
    } else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes)
                     : "memory");
}

/* Shared memory that this thread has put out has been read. */
__device__ __forceinline__ void await_puts()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Where a place in this block's shared memory is in that of another of its cluster. */
__device__ __forceinline__ unsigned address_at(unsigned address, int rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

/* To the same place in block `rank`, whose barrier hears of it. */
__device__ __forceinline__ void send(float *place, float value, Barrier *barrier, int rank)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     address_at(shared_address(place), rank)), "r"(__float_as_uint(value)), "r"(address_at(shared_address(barrier), rank)) : "memory");
}

__device__ __forceinline__ void send(float2 *place, float2 value, Barrier *barrier, int rank)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
                     address_at(shared_address(place), rank)), "r"(__float_as_uint(value.x)), "r"(__float_as_uint(value.y)), "r"(
                     address_at(shared_address(barrier), rank)) : "memory");
}

/* A number that grows by one, as its place in a ring and the parity of how often it has been round. */
template <int places> struct Place {
    int at = 0, parity = 0;

    __device__ __forceinline__ void step()
    {
        at = at + 1 == places ? 0 : at + 1;
        parity ^= at == 0;
    }
};
