/* cub_histogram.cu - CUB's histograms. Without `temp` they say in *bytes how much they need there. */
#include <cub/device/device_histogram.cuh>
#include <cstdint>

extern "C" int cub_histogram_u8(void *temp, size_t *bytes, const uint8_t *in, int *counts, int bins, int n, cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(temp, *bytes, in, counts, bins + 1, 0, bins, n, stream);
}

extern "C" int cub_histogram_i32(void *temp, size_t *bytes, const int *in, int *counts, int bins, int n, cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(temp, *bytes, in, counts, bins + 1, 0, bins, n, stream);
}
