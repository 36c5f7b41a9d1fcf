/*!autotune
common    checked                      # indices that the caller gave
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/* With AUTOTUNE_CHECK defined, an index that is out of range ends the kernel with an error. Without, nobody looks. */
__device__ __forceinline__ long long checked(T index, long long rows)
{
#ifdef AUTOTUNE_CHECK
    if (index < 0 || index >= rows)
        __trap();
#endif
    return index;
}
