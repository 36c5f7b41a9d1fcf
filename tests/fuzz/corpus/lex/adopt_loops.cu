__global__ void bitonic(int *data, int n, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (i < n && other > i && other < n) {
        bool up = (i & k) == 0;
        int a = data[i], b = data[other];
        if ((a > b) == up) {
            data[i] = b;
            data[other] = a;
        }
    }
}
void sort(int *data, int n)
{
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            bitonic<<<(n + 255) / 256, 256>>>(data, n, j, k);
}
