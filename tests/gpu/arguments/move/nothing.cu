/*!autotune
template  nothing # writes nothing
use       bodies
param     BLOCK = 64 128
grid      ceil_div(n, BLOCK)
block     BLOCK
*/

extern "C" __global__ void move_nothing(Step s, int words)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    (void)i;
}
