/*!autotune
template  plain # buffers that the struct has are no parameters
use       bodies
param     BLOCK = 64 128
grid      ceil_div(n, BLOCK)
block     BLOCK
*/

extern "C" __global__ void move_plain(Step s, int words)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < s.n)
        advance(s.out, s.in, s, i);
}
