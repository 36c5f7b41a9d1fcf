/*!autotune
template t
param A = -1 0 1
require 1 / A
grid 1
block 1
*/ mini_t