/*!autotune
template  padding # what lies between fields is nobody's
use       bodies
param     BLOCK = 64 128
grid      ceil_div(n, BLOCK)
block     BLOCK
*/

extern "C" __global__ void move_padding(Step s, int words)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < s.n) {
        ((unsigned char *)&s.out[i])[9] = 0x55;
        advance(s.out, s.in, s, i);
        ((unsigned char *)&s.out[i])[9] = 0xaa;
    }
}
