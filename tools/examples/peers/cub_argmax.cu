/* cub_argmax.cu - CUB's largest element and its index. Without `temp` it says in *bytes how much it needs there. */
#include <cub/device/device_reduce.cuh>
#include <cstdint>

extern "C" int cub_argmax_f32(void *temp, size_t *bytes, const float *in, float *most, int64_t *index, int64_t n, cudaStream_t stream)
{
    return cub::DeviceReduce::ArgMax(temp, *bytes, in, most, index, n, stream);
}
