/*!autotune
op merge # two sorted lists become one
shape left right
type T = f32 i32
arg out T[left + right] output
arg a T[left] input sorted index 5 * left
arg b T[right] input sorted index 4 * left + 3
arg left i32
arg right i32
reference merge_reference
grid ceil_div(left + right, 256)
block 256
check exact
traffic 2 * (left + right) * sizeof(T)
*/
/* Each element finds its own place: of equal ones those of `a` come first. */
extern "C" __global__ void merge_reference(T *out, const T *a, const T *b, int left, int right)
{
    int  i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_a = i < left;
    if (i >= left + right)
        return;
    const T *other = is_a ? b : a, x = is_a ? a[i] : b[i - left];
    int      low = 0, high = is_a ? right : left;
    while (low < high) {
        int middle = (low + high) / 2;
        if (is_a ? other[middle] < x : other[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    out[(is_a ? i : i - left) + low] = x;
}
