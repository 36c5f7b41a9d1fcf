/*!autotune
template  hotspot  # heat on a chip, several time steps a launch

param     grid_width             = 4096
param     grid_height            = 4096
param     block_size_x           = 1 2 4 8 16 32..1024:32
param     block_size_y           = 1 2 4 8 16 32
param     tile_size_x            = 1..10
param     tile_size_y            = 1..10
param     temporal_tiling_factor = 1..10
param     max_tfactor            = 10
param     loop_unroll_factor_t   = 1..10
param     sh_power               = 0 1
param     blocks_per_sm          = 0..4

let       shared_bytes = (block_size_x * tile_size_x + 2 * temporal_tiling_factor) * (block_size_y * tile_size_y + 2 * temporal_tiling_factor) * (2 + sh_power) * 4

require   block_size_x * block_size_y >= 32
require   block_size_x * block_size_y <= 1024
require   temporal_tiling_factor % loop_unroll_factor_t == 0
require   shared_bytes <= 49152
require   blocks_per_sm == 0 || shared_bytes * blocks_per_sm <= 102400
*/
