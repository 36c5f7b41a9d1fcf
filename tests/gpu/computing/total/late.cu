/*!autotune
template  late                         # wrong: adds what an earlier candidate left in scratch
launch    total_late grid 1 block 32 arg y partial
*/
extern "C" __global__ void total_late(T *y, const A *partial)
{
    A sum = 0;
    for (int i = 0; i < 64; i++)
        sum += partial[i];
    if (threadIdx.x == 0)
        y[0] = (T)sum;
}
