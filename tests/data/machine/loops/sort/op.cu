/*!autotune
op sort # numbers in ascending order
shape n
type T = f32 i32
arg out T[n] output
arg in T[n] input range 0 3 * n
arg n i32
require n >= 2 && is_pow2(n) # the network is of powers of two
reference sort_reference
grid ceil_div(n, 256)
block 256
check exact
traffic 2 * n * sizeof(T)
*/
/* Each number finds its place: behind all that are less, and behind equal ones before it. */
extern "C" __global__ void sort_reference(T *out, const T *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, place = 0;
    if (i >= n)
        return;
    for (int k = 0; k < n; k++)
        place += in[k] < in[i] || (in[k] == in[i] && k < i);
    out[place] = in[i];
}
