# Loops of the host around a launch become `repeat` lines: steps with two buffers, passes of a sort. Run on the CPU.
need_nvrtc
cat >heat.cu <<'PROGRAM'
#include <utility>
__global__ void heat(float *to, const float *from, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        to[y * w + x] = 0.5f * from[y * w + x] + 0.25f * (from[y * w + x - 1] + from[(y + 1) * w + x]);
}
void run(float *a, float *b, int w, int h, int steps)
{
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    for (int s = 0; s < steps; s++) {
        heat<<<grid, block>>>(b, a, w, h);
        std::swap(a, b);
    }
}
PROGRAM
cat >bitonic.cu <<'PROGRAM'
__global__ void bitonic(int *data, int n, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (i < n && other > i && other < n) {
        int a = data[i], b = data[other];
        if ((a > b) == ((i & k) == 0)) {
            data[i] = b;
            data[other] = a;
        }
    }
}
void sort(int *data, int n)
{
    for (int repetition = 0; repetition < 10; repetition++)
        for (int k = 2; k <= n; k <<= 1)
            for (int j = k >> 1; j > 0; j >>= 1)
                bitonic<<<(n + 255) / 256, 256>>>(data, n, j, k);
}
PROGRAM
at adopt heat.cu -o templates
cat templates/heat/op.cu templates/heat/adopted.cu
at check heat --execute --shape 3x40x40 --templates templates
at adopt bitonic.cu -o templates
cat templates/bitonic/op.cu templates/bitonic/adopted.cu
at check bitonic --execute --shape 256 --templates templates
# The passes sort: in the place of the kernel itself a reference that does.
mkdir -p other/bitonic
sed -e 's/^reference.*/reference sorted/' -e 's/^traffic/grid 1\nblock 1\ntraffic/' templates/bitonic/op.cu >other/bitonic/op.cu
cat >>other/bitonic/op.cu <<'PROGRAM'
extern "C" __global__ void sorted(int *data, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k && data[k - 1] > data[k]; k--) {
            int one = data[k];
            data[k] = data[k - 1];
            data[k - 1] = one;
        }
}
PROGRAM
cp templates/bitonic/adopted.cu other/bitonic/
at check bitonic --execute --shape 256 --templates other 2>&1 | grep -v 'open question'
# A buffer that is swapped is an output, of which a launch may read alone.
at check heat --templates templates --sample 1 --shape 64x64
