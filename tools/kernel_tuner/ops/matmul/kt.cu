/*!autotune
template  kt                           # tiles in shared memory, results in registers
source    ../../matmul.cu
define    all
define    WIDTH = n
option    -ftz=true                    # as CuPy compiles what Kernel Tuner gives it

param     block_size_x  = 16 32 64     # threads across, and how much of k a tile has
param     block_size_y  = 1 2 4 8 16 32
param     tile_size_x   = 1 2 4 8      # results a thread
param     tile_size_y   = 1 2 4 8 16
param     vector        = 1 2 4        # floats an access
param     unroll_factor = 1 2 4 8 16   # of the loop over k

let       shared_bytes  = 4 * block_size_x * block_size_x * (1 + tile_size_x)

require   block_size_x == block_size_y * tile_size_y # tiles of A are square
require   tile_size_x % vector == 0    # a thread has whole vectors
require   shared_bytes <= 49152        # static shared memory
require   n % (block_size_x * tile_size_x) == 0 # no tile is cut by an edge
require   block_size_x * block_size_y <= device.max_threads_per_block

grid      n / (block_size_x * tile_size_x) n / (block_size_y * tile_size_y)
block     block_size_x block_size_y
kernel    matmul
arg       C A B
default   block_size_x=32 block_size_y=8 tile_size_x=4 tile_size_y=4 vector=1 unroll_factor=1
*/
