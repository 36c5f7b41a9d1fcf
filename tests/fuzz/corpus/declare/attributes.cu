/*!autotune
template  attributes
param     C = 1 2 4
param     LATE = false true
replaces  other third
target    sm_90a sm_100f
tensormap m = y dims 64 8 strides 256 box 8 8 steps 1 2 swizzle 32 l2 128 nan
launch    first grid 8 block 32 cluster C, 1 carveout 50 arg m
launch    second grid 8 block 32 programmatic LATE cooperative C == 1 shared 64
*/
