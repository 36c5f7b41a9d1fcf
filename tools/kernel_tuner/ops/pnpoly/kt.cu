/*!autotune
template  kt                           # several points a thread, the polygon in shared memory
source    ../../pnpoly.cu
define    all
define    VERTICES = 600
option    -ftz=true                    # as CuPy compiles what Kernel Tuner gives it

param     block_size_x           = 32..1024:32
param     tile_size              = 1 2..20:2 # points a thread
param     between_method         = 0 1 2 3   # how an edge is found to pass a point's height
param     use_precomputed_slopes = 0 1
param     use_method             = 0 1 2     # how crossings are counted

require   block_size_x <= device.max_threads_per_block

grid      ceil_div(n, block_size_x * tile_size)
block     block_size_x
kernel    pnpoly
default   block_size_x=256
*/
