// grid 2 block 64: memory of the device's heap.
extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = in[t] % 30 + 1;
    unsigned *own = (unsigned *)malloc(n * sizeof *own), *more = new unsigned[n];
    for (unsigned i = 0; i < n; i++) {
        own[i] = in[t + i];
        more[n - 1 - i] = own[i] * i;
    }
    unsigned r = 0;
    for (unsigned i = 0; i < n; i++)
        r = 31 * r + own[i] + more[i];
    free(own);
    delete[] more;
    free(nullptr);
    out[t] = r;
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = in[t] % 30 + 1;
    unsigned r = 0;
    for (unsigned i = 0; i < n; i++)
        r = 31 * r + in[t + i] + in[t + n - 1 - i] * (n - 1 - i);
    out[t] = r;
}
