/*!autotune
template bitonic # log2(n) stages of as many passes each; a launch for every pass
param BLOCK = 32 128 256
launch sort_load grid ceil_div(n, BLOCK) block BLOCK
repeat stage = 1..log2(n)
repeat pass = stage - 1..0 down
scalar length i32 = 1 << stage
scalar distance i32 = 1 << pass
launch sort_pass grid ceil_div(n / 2, BLOCK) block BLOCK arg out n length distance
*/
extern "C" __global__ void sort_load(T *out, const T *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

/* Runs of `length` become sorted, every other one downwards. */
extern "C" __global__ void sort_pass(T *out, int n, int length, int distance)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * pair - (pair & (distance - 1)), high = low + distance;
    if (high >= n)
        return;
    T    a = out[low], b = out[high];
    bool up = (low & length) == 0;
    if (up ? b < a : a < b) {
        out[low] = b;
        out[high] = a;
    }
}
