/*!autotune
template  microhh  # atmosphere: advection

param     BLOCK_SIZE_X         = 1 2 4 8 16 32 128 256 512 1024
param     BLOCK_SIZE_Y         = 1 2 4 8 16 32
param     BLOCK_SIZE_Z         = 1 2 4
param     STATIC_STRIDES       = 0
param     TILING_FACTOR_X      = 1 2 4 8
param     TILING_FACTOR_Y      = 1 2 4
param     TILING_FACTOR_Z      = 1 2 4
param     TILING_STRATEGY      = 0
param     REWRITE_INTERP       = 0
param     BLOCKS_PER_MP        = 0..4
param     LOOP_UNROLL_FACTOR_X = 1 2 4 8
param     LOOP_UNROLL_FACTOR_Y = 1 2 4
param     LOOP_UNROLL_FACTOR_Z = 1 2 4

let       threads = BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z

require   threads * BLOCKS_PER_MP <= 1024
require   32 <= threads && threads <= 1536
require   LOOP_UNROLL_FACTOR_X == 0 || TILING_FACTOR_X % LOOP_UNROLL_FACTOR_X == 0
require   LOOP_UNROLL_FACTOR_Y == 0 || TILING_FACTOR_Y % LOOP_UNROLL_FACTOR_Y == 0
require   LOOP_UNROLL_FACTOR_Z == 0 || TILING_FACTOR_Z % LOOP_UNROLL_FACTOR_Z == 0
require   BLOCK_SIZE_X * TILING_FACTOR_X > 0
require   BLOCK_SIZE_Y * TILING_FACTOR_Y > 0
require   BLOCK_SIZE_Z * TILING_FACTOR_Z > 0
*/
