/*!autotune
template  expdist  # microscopy: distances between localizations

param     block_size_x         = 1024 512 256 128 64 32
param     block_size_y         = 1 2 4 8 16 32
param     tile_size_x          = 1..8
param     tile_size_y          = 1..8
param     use_shared_mem       = 0..2
param     loop_unroll_factor_x = 1..8
param     loop_unroll_factor_y = 1..8
param     use_column           = 0 1
param     use_separate_acc     = 0
param     n_y_blocks           = 1 2 4 8 16 32 64 128 256 512 1024

require   use_column != 0 || n_y_blocks <= 1
require   use_column != 0 || use_shared_mem != 2
require   tile_size_x % loop_unroll_factor_x == 0
require   tile_size_y % loop_unroll_factor_y == 0
require   block_size_x * block_size_y <= 1024
*/
