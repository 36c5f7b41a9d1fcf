__global__ void fan1(float *m, const float *a, int size, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size - 1 - t)
        m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}
__global__ void fan2(const float *m, float *a, float *b, int size, int rows, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t || y >= rows)
        return;
    a[size * (x + 1 + t) + y + t] -= m[size * (x + 1 + t) + t] * a[size * t + y + t];
    if (y == 0)
        b[x + 1 + t] -= m[size * (x + 1 + t) + t] * b[t];
}
void eliminate(float *m, float *a, float *b, int size)
{
    dim3 block2(16, 16), grid2((size + 15) / 16, (size + 15) / 16);
    for (int t = 0; t < size - 1; t++) {
        fan1<<<(size + 127) / 128, 128>>>(m, a, size, t);
        fan2<<<grid2, block2>>>(m, a, b, size, size - t, t);
    }
}
