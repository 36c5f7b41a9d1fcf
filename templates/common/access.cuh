/*!autotune
common    access                       # elements, and what moves several of them at once
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

constexpr int ES = sizeof(T); /* bytes of an element */

/* What an instruction reads or writes at once: so many bytes, at a multiple of as many. */
template <int bytes> struct Access;
template <> struct Access<1> { using type = unsigned char; };
template <> struct Access<2> { using type = unsigned short; };
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

/*
 * Elements that move together. Arrays of them are indexed in whole vectors, `((Bits *)in)[i]`: an address that was
 * calculated from elements, `*(Bits *)(in + r * pitch + c)`, is silently split into narrow accesses by some compilers.
 */
template <int elements> union Vector {
    using Bits = typename Access<elements * sizeof(T)>::type;
    Bits bits;
    T    element[elements];
};

/* Bytes between the last multiple of so many and an address. */
template <int bytes> __device__ __forceinline__ unsigned long long bytes_behind(const T *address)
{
    return (unsigned long long)address % bytes;
}

/* Elements between the last multiple of so many bytes and an address. */
template <int bytes> __device__ __forceinline__ unsigned elements_behind(const T *address)
{
    return (unsigned)((unsigned long long)address % bytes / ES);
}
