/*!autotune
common    tensor                       # boxes of a matrix, by tensor maps (compute capability 9.0)
use       ring
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "../../../templates/common/ring.cuh"
#endif

/* A CUtensorMap. */
struct alignas(64) TensorMap {
    char bytes[128];
};

__device__ __forceinline__ void will_use(const TensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* The box at this column and row comes into shared memory; the barrier hears of its bytes. */
__device__ __forceinline__ void fetch_box(void *to, const TensorMap *map, int column, int row, Barrier *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     shared_address(to)), "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)) : "memory");
}

/* The other way; what is outside of the matrix is not stored. Then stores_are_given, and before the memory is used
 * again, or the kernel ends, stores_have_read. */
__device__ __forceinline__ void store_box(const TensorMap *map, int column, int row, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(column),
                 "r"(row), "r"(shared_address(from)) : "memory");
}

__device__ __forceinline__ void stores_are_given()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ __forceinline__ void stores_have_read()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
