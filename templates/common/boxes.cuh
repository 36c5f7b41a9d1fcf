/*!autotune
common    boxes                        # what a block moves: a box of the index space, long in the input, the output, or both
use       layout

param     HINT    = none both keep     # both reads and writes say that they are used only once, or reads that the L2 should keep them
param     ORDER   = in_fast out_fast either_fast both_fast # neighbouring blocks follow the input, the output, what is fast in either, or in both

let       PIECE = 16 / sizeof(T)       # elements of the widest access
let       LINE  = 128 / sizeof(T)      # and of a cache line
# So much of each dimension is in a tile: fast ones of the input (c) and of the output (r) whole, the next in equal parts, of whole lines or accesses where those fit.
let       c0 = min(n0, max(1, COLS / f0))
let       c1 = min(n1, max(1, COLS / f1))
let       c2 = min(n2, max(1, COLS / f2))
let       c3 = min(n3, max(1, COLS / f3))
let       c4 = min(n4, max(1, COLS / f4))
let       c5 = min(n5, max(1, COLS / f5))
let       c6 = min(n6, max(1, COLS / f6))
let       c7 = min(n7, max(1, COLS / f7))
let       r0 = min(n0, max(1, ROWS / (n1 * n2 * n3 * n4 * n5 * n6 * n7)))
let       r1 = min(n1, max(1, ROWS / (n2 * n3 * n4 * n5 * n6 * n7)))
let       r2 = min(n2, max(1, ROWS / (n3 * n4 * n5 * n6 * n7)))
let       r3 = min(n3, max(1, ROWS / (n4 * n5 * n6 * n7)))
let       r4 = min(n4, max(1, ROWS / (n5 * n6 * n7)))
let       r5 = min(n5, max(1, ROWS / (n6 * n7)))
let       r6 = min(n6, max(1, ROWS / (n7)))
let       r7 = min(n7, ROWS)
let       u0 = max(c0, r0) >= 2 * gcd(n0, LINE) ? gcd(n0, LINE) : max(c0, r0) >= gcd(n0, PIECE) ? gcd(n0, PIECE) : 1
let       u1 = max(c1, r1) >= 2 * gcd(n1, LINE) ? gcd(n1, LINE) : max(c1, r1) >= gcd(n1, PIECE) ? gcd(n1, PIECE) : 1
let       u2 = max(c2, r2) >= 2 * gcd(n2, LINE) ? gcd(n2, LINE) : max(c2, r2) >= gcd(n2, PIECE) ? gcd(n2, PIECE) : 1
let       u3 = max(c3, r3) >= 2 * gcd(n3, LINE) ? gcd(n3, LINE) : max(c3, r3) >= gcd(n3, PIECE) ? gcd(n3, PIECE) : 1
let       u4 = max(c4, r4) >= 2 * gcd(n4, LINE) ? gcd(n4, LINE) : max(c4, r4) >= gcd(n4, PIECE) ? gcd(n4, PIECE) : 1
let       u5 = max(c5, r5) >= 2 * gcd(n5, LINE) ? gcd(n5, LINE) : max(c5, r5) >= gcd(n5, PIECE) ? gcd(n5, PIECE) : 1
let       u6 = max(c6, r6) >= 2 * gcd(n6, LINE) ? gcd(n6, LINE) : max(c6, r6) >= gcd(n6, PIECE) ? gcd(n6, PIECE) : 1
let       u7 = max(c7, r7) >= 2 * gcd(n7, LINE) ? gcd(n7, LINE) : max(c7, r7) >= gcd(n7, PIECE) ? gcd(n7, PIECE) : 1
const     t0 = min(n0, ceil_div(ceil_div(n0, ceil_div(n0, max(c0, r0))), u0) * u0)
const     t1 = min(n1, ceil_div(ceil_div(n1, ceil_div(n1, max(c1, r1))), u1) * u1)
const     t2 = min(n2, ceil_div(ceil_div(n2, ceil_div(n2, max(c2, r2))), u2) * u2)
const     t3 = min(n3, ceil_div(ceil_div(n3, ceil_div(n3, max(c3, r3))), u3) * u3)
const     t4 = min(n4, ceil_div(ceil_div(n4, ceil_div(n4, max(c4, r4))), u4) * u4)
const     t5 = min(n5, ceil_div(ceil_div(n5, ceil_div(n5, max(c5, r5))), u5) * u5)
const     t6 = min(n6, ceil_div(ceil_div(n6, ceil_div(n6, max(c6, r6))), u6) * u6)
const     t7 = min(n7, ceil_div(ceil_div(n7, ceil_div(n7, max(c7, r7))), u7) * u7)
let       volume  = t0 * t1 * t2 * t3 * t4 * t5 * t6 * t7
let       tiles   = ceil_div(n0, t0) * ceil_div(n1, t1) * ceil_div(n2, t2) * ceil_div(n3, t3) * ceil_div(n4, t4) * ceil_div(n5, t5) * ceil_div(n6, t6) * ceil_div(n7, t7)
let       columns = c0 * c1 * c2 * c3 * c4 * c5 * c6 * c7
let       lines   = r0 * r1 * r2 * r3 * r4 * r5 * r6 * r7
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
