/*!autotune
op        pnpoly                       # which points lie in a polygon of 600 corners
shape     n
type      T = f32

require   n > 0 && n < 1073741824      # indices are 32-bit integers

arg       bitmap    i32[n]        output
arg       points    T[2 * n]      input  uniform -1 1
arg       vertices  T[2 * 600]    input  file "vertices.npy" # which branches are taken depends on them
arg       n         i32

reference pnpoly_reference
block     256
grid      ceil_div(n, 256)

check     within 0.03 norm             # points on an edge are on either side of it, by rounding
traffic   (2 * n + 2 * 600) * sizeof(T) + n * 4
ops       600 * 8 * n
*/

extern "C" __global__ void pnpoly_reference(int *bitmap, const float *points, const float *vertices, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = points[2 * i], y = points[2 * i + 1];
    int inside = 0;
    for (int to = 0, from = 599; to < 600; from = to++) {
        const float ax = vertices[2 * from], ay = vertices[2 * from + 1];
        const float bx = vertices[2 * to], by = vertices[2 * to + 1];
        if ((ay > y) != (by > y) && x < (bx - ax) / (by - ay) * (y - by) + bx)
            inside = !inside;
    }
    bitmap[i] = inside;
}
