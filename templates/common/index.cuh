/*!autotune
common    index                        # integers for offsets: 32 bits where they do, 64 where they must
*/
#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

template <bool wide> struct IndexOf {
    using type = int;
};
template <> struct IndexOf<true> {
    using type = long long;
};
