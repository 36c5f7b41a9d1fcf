/*!autotune
template  dedispersion  # radio astronomy

param     block_size_x               = 1 2 4 8 16 32
param     block_size_y               = 32..256:8
param     block_size_z               = 1
param     tile_size_x                = 1..4
param     tile_size_y                = 1..8
param     tile_stride_x              = 0 1
param     tile_stride_y              = 0 1
param     loop_unroll_factor_channel = 0

require   32 <= block_size_x * block_size_y && block_size_x * block_size_y <= 1024
require   tile_size_x > 1 || tile_stride_x == 0
require   tile_size_y > 1 || tile_stride_y == 0
require   block_size_x * block_size_y * block_size_z <= 1024
*/
