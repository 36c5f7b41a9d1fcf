/*!autotune
template path # a thread has EACH elements of the result, from where its diagonal crosses the merge path
param EACH = 1 4 7 16
param BLOCK = 64 128 256
grid ceil_div(left + right, EACH * BLOCK)
block BLOCK
*/
extern "C" __global__ void merge_path(T *out, const T *a, const T *b, int left, int right)
{
    int diagonal = (blockIdx.x * BLOCK + threadIdx.x) * EACH;
    if (diagonal >= left + right)
        return;
    int low = max(0, diagonal - right), high = min(diagonal, left);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = diagonal; k < min(diagonal + EACH, left + right); k++)
        out[k] = j >= right || (i < left && a[i] <= b[j]) ? a[i++] : b[j++];
}
