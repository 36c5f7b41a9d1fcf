/*!autotune
op        convolution                  # a filter of 17 x 17 over an image
shape     height width
type      T = f32

let       inputs = (height + 16) * (width + 16)
require   height > 0 && width > 0 && inputs < 2147483648 # indices are 32-bit integers

arg       output  T[height * width]  output
arg       input   T[inputs]          input  uniform 0 1
arg       filter  T[17 * 17]         input  uniform 0 1
arg       height  i32
arg       width   i32

reference convolution_reference
block     32 8
grid      ceil_div(width, 32) ceil_div(height, 8)

check     within 1e-5 relative 1e-3 absolute
traffic   (height * width + inputs + 17 * 17) * sizeof(T)
ops       2 * 17 * 17 * height * width
*/

extern "C" __global__ void convolution_reference(float *output, const float *input, const float *filter, int height,
                                                 int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    double sum = 0;
    for (int i = 0; i < 17; i++)
        for (int j = 0; j < 17; j++)
            sum += (double)input[(y + i) * (width + 16) + x + j] * filter[i * 17 + j];
    output[y * width + x] = (float)sum;
}
