/*!autotune
template  kt                           # a thread for tile_size_x elements, or vectors of them
source    ../../vector_add.cu
define    all
option    -ftz=true                    # as CuPy compiles what Kernel Tuner gives it

param     block_size_x = 32..1024:32   # threads a block
param     tile_size_x  = 1 2 4 8       # accesses a thread, a block's width apart
param     vector       = 1 2 4         # floats an access

require   n % vector == 0              # no vector is cut by the end
require   block_size_x <= device.max_threads_per_block

grid      ceil_div(n, block_size_x * tile_size_x * vector)
block     block_size_x
kernel    vector_add
default   block_size_x=256 tile_size_x=1 vector=1
*/
