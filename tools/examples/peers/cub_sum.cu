/* cub_sum.cu - CUB's sums. Without `temp` they say in *bytes how much they need there. */
#include <cub/device/device_reduce.cuh>
#include <cstdint>

extern "C" int cub_sum_f32(void *temp, size_t *bytes, const float *in, float *out, int64_t n, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(temp, *bytes, in, out, n, stream);
}

extern "C" int cub_sum_i32(void *temp, size_t *bytes, const int *in, int *out, int64_t n, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(temp, *bytes, in, out, n, stream);
}
