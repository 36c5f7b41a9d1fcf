/*!autotune
template  wrong # one number of one field is another
use       bodies
param     BLOCK = 64 128
grid      ceil_div(n, BLOCK)
block     BLOCK
*/

extern "C" __global__ void move_wrong(Step s, int words)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < s.n)
        advance(s.out, s.in, s, i);
    if (i == 7)
        s.out[i].id[1] += 1;
}
