/*!autotune
op        convolution
shape     rows cols
type      T = f32
arg       y      T[rows * cols]  output
arg       x      T[rows * cols]  input uniform 0 1
arg       filter f32[17 * 17]    input range 0 rows - 1 into ns::c_filter
arg       rest   f32[4]          input file "x.npy" into c_rest
reference convolution_reference
grid      1
block     32
traffic   rows * cols
*/
/*!autotune
template  plain
grid      rows
block     32
arg       y x rest
*/
__constant__ float c_filter[289];
void convolution_reference() {}
void convolution_plain() {}
