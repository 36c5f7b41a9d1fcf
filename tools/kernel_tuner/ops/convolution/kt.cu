/*!autotune
template  kt                           # several pixels a thread, the image in shared memory or not
source    ../../convolution.cu
define    all
define    image_width  = width
define    image_height = height
option    -ftz=true                    # as CuPy compiles what Kernel Tuner gives it

param     block_size_x = 16..128:16
param     block_size_y = 1 2 4 8 16 32
param     tile_size_x  = 1 2 4         # pixels a thread
param     tile_size_y  = 1 2 4
param     use_shmem    = 0 1           # the input goes through shared memory
param     use_padding  = 0 1           # a spare column there, against bank conflicts
param     read_only    = 0 1           # loads through the read-only cache

let       shared_width = block_size_x * tile_size_x + 16 + use_padding
let       shared_bytes = 4 * shared_width * (block_size_y * tile_size_y + 16)

require   block_size_x * block_size_y >= 64 # fewer threads are never fast
require   block_size_x * block_size_y <= device.max_threads_per_block
require   use_padding == 0 || use_shmem == 1 && block_size_x % 32 != 0 # there are conflicts to avoid
require   use_shmem == 0 || shared_bytes <= 49152 # static shared memory

grid      ceil_div(width, block_size_x * tile_size_x) ceil_div(height, block_size_y * tile_size_y)
block     block_size_x block_size_y
kernel    convolution
arg       output input filter
default   block_size_x=32 block_size_y=8 tile_size_x=1 tile_size_y=1 use_shmem=1
*/
