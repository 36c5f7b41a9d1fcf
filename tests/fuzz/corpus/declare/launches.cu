//!autotune source 10 1 ../k.cu
void k();
//!autotune source 14 3 ../inc/a.h
int a; int b;
/*!autotune
template t
include ../inc
source ../k.cu
define all
param N = 1 2
param V = float float2
param FLAG = true false
const C = N * 2
define W = N + 1
define rows T
option -use_fast_math = FLAG
option -maxrregcount=N
launch ns::k<V, N, T> grid 1 block N shared 4
launch g<(N > 1)> grid 1 2 3 block 1 arg y y
*/
