/*!autotune
common    boxes                        # what a block moves: a box of the index space, long in the input, the output, or both
use       layout

param     HINT    = none both keep     # both reads and writes say that they are used only once, or reads that the L2 should keep them
param     ORDER   = in_fast out_fast either_fast both_fast # neighbouring blocks follow the input, the output, what is fast in either, or in both

let       PIECE = 16 / sizeof(T)       # elements of the widest access
let       LINE  = 128 / sizeof(T)      # and of a cache line
# So much of each dimension is in a tile: fast ones of the input (c) and of the output (r) whole, the next in equal parts, of whole lines or accesses where those fit.
let       c[j] = min(n[j], max(1, COLS / f[j]))
let       r[j] = min(n[j], max(1, ROWS / product(k > j: n[k])))
let       u[j] = max(c[j], r[j]) >= 2 * gcd(n[j], LINE) ? gcd(n[j], LINE) : max(c[j], r[j]) >= gcd(n[j], PIECE) ? gcd(n[j], PIECE) : 1
const     t[j] = min(n[j], ceil_div(ceil_div(n[j], ceil_div(n[j], max(c[j], r[j]))), u[j]) * u[j])
let       volume  = product(k: t[k])
let       tiles   = product(k: ceil_div(n[k], t[k]))
let       columns = product(k: c[k])
let       lines   = product(k: r[k])
const     WIDE    = max(reach_in, reach_out) > 2147483647 # 64-bit offsets inside a tile

require   2 * columns > COLS || COLS == 16 # otherwise a smaller number says the same
require   2 * lines > ROWS || ROWS == 16
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "layout.cuh"
#endif
