/*!autotune
template  attributes
param     C = 1 2 4
param     LATE = false true
target    sm_90a sm_100f
launch    first grid 8 block 32 cluster C, 1 carveout 50
launch    second grid 8 block 32 programmatic LATE cooperative C == 1 shared 64
*/
