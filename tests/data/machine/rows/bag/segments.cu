/*!autotune
template segments # a thread has some ids and a column, and adds what it has of a bag when the next one begins
param EACH = 1 8 32
param BLOCK = 32 64
arg out table id owner cols begin
grid ceil_div(ids, EACH) ceil_div(cols, BLOCK)
block BLOCK
const IDS = ids
const BAGS = bags
*/
extern "C" __global__ void bag_segments(T *out, const T *table, const int *id, const int *owner, int cols, const int *begin)
{
    int c = blockIdx.y * BLOCK + threadIdx.x, from = blockIdx.x * EACH, upto = min(from + EACH, (int)IDS);
    if (c >= cols)
        return;
    /* The whole of a bag is summed by whoever has its first id, and nothing is added by anybody else. */
    for (int i = from; i < upto; i++) {
        int bag = owner[i];
        if (i != begin[bag])
            continue;
        T sum = 0;
        for (int k = i; k < IDS && owner[k] == bag; k++)
            sum += table[(size_t)id[k] * cols + c];
        out[(size_t)bag * cols + c] = sum;
    }
    /* Bags without an id. */
    for (int bag = blockIdx.x; bag < BAGS; bag += gridDim.x)
        if (begin[bag] == begin[bag + 1])
            out[(size_t)bag * cols + c] = 0;
}
