/*!autotune
common    bulk                         # copies by the copy engine, into shared memory and out of it
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void *memory)
{
    return (unsigned)__cvta_generic_to_shared(memory);
}

__device__ __forceinline__ void make_barrier(Barrier *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void announce(Barrier *barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void wait(const Barrier *barrier, int parity)
{
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(
                     shared_address(barrier)), "r"(parity) : "memory");
}

__device__ __forceinline__ void fetch(void *to, const void *from, int bytes, Barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}

/* What this thread knows of shared memory, the copy engine sees, too. */
__device__ __forceinline__ void show_engine()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void put(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void end_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* All groups of this thread but so many have read what they copy. */
template <int but> __device__ __forceinline__ void wait_for_reads()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(but) : "memory");
}
