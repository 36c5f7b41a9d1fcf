/*!autotune
template  kt                           # blocks walk the array, then join their sums
source    ../../reduction.cu
define    all
option    -ftz=true                    # as CuPy compiles what Kernel Tuner gives it

param     block_size_x  = 32 64 128 256 512 1024
param     num_blocks    = 32 64 128 256 512 1024 2048 4096 8192 16384 32768
param     vector        = 1 2 4        # floats an access
param     use_shuffle   = 0 1          # a warp's sums are joined without shared memory
param     unroll_factor = 1 2 4 8      # accesses of a thread under way

require   n % vector == 0              # no vector is cut by the end
require   block_size_x <= device.max_threads_per_block

grid      num_blocks
block     block_size_x
kernel    reduction
default   block_size_x=256 num_blocks=1024
*/
