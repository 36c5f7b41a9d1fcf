/*!autotune
common    index                        # offsets inside a tile
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/* 64 bits only where offsets need them: they cost an instruction or two each time, and a register. */
template <bool wide, class Narrow = int, class Wide = long long> struct IndexOf { using type = Narrow; };
template <class Narrow, class Wide> struct IndexOf<true, Narrow, Wide> { using type = Wide; };
