# Kernels that one function of the host launches one after the other become one template of several launches.
need_nvrtc
cat >norm.cu <<'PROGRAM'
__global__ void partial(float *part, const float *x, int n)
{
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = s[0];
}
__global__ void scale(float *y, const float *in, const float *sums, int count, int parts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < parts; k++)
        sum += sums[k];
    if (i < count)
        y[i] = in[i] * rsqrtf(sum);
}
void normalize(float *y, const float *x, float *work, int n)
{
    const int blocks = 64;
    partial<<<blocks, 256>>>(work, x, n);
    scale<<<(n + 127) / 128, 128>>>(y, x, work, n, blocks);
}
PROGRAM
at adopt norm.cu -o templates
cat templates/normalize/op.cu templates/normalize/adopted.cu
at check normalize --execute --shape 1000 --templates templates
at check normalize --shape 1000 --templates templates --sample 2 --jobs 1
# Two kernels of each step of an elimination.
cat >gauss.cu <<'PROGRAM'
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
PROGRAM
at adopt gauss.cu -o templates
cat templates/eliminate/op.cu templates/eliminate/adopted.cu
at check eliminate --execute --shape 32 --templates templates
