/*!autotune
template  source                       # a file that was not written for this
source    ../src/product.cu
define    all

param     block_size_x   = 16 32 64
param     block_size_y   = 1 4 8
param     use_early_exit = true false

option    -use_fast_math = use_early_exit
kernel    multiply<T>
arg       n m k A B C
grid      ceil_div(n, block_size_x) ceil_div(m, block_size_y)
block     block_size_x block_size_y
*/
