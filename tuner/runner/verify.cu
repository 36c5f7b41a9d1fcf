/*
 * verify.cu - the kernels that prove a candidate right. Compiled at run time, for the device's architecture, with
 * declare/data.h in front and fill.cu behind it, in parts: AT_PART says which (atx_check_kind). The device waits for
 * them, so loops are not unrolled: that takes a compiler half as long again, and memory is the bound.
 *
 * All of them walk bytes [0, bytes) of buffers, in 16-byte words with a scalar end where all buffers are aligned
 * to that, byte by byte where one is not, on any grid. `found` starts as two zeros and receives the number of bad bytes in [0] and in [1] the bitwise
 * complement of the lowest bad offset (so that zero can mean: none).
 */
typedef unsigned long long u64;

static __device__ inline unsigned char random_byte(u64 seed, u64 offset)
{
    return (unsigned char)(atx_random(seed, offset / 8) >> (offset % 8 * 8));
}

static __device__ inline u64 first_index()
{
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ inline u64 step()
{
    return (u64)gridDim.x * blockDim.x;
}

static __device__ inline void blame(u64 *found, u64 offset)
{
    atomicAdd(&found[0], 1ull);
    atomicMax(&found[1], ~offset);
}

/* The words that can be walked as such. */
static __device__ inline u64 whole_words(u64 bytes, const void *a, const void *b)
{
    return ((u64)a | (u64)b) % 16 == 0 ? bytes / 16 : 0;
}

/*
 * Right answers lie masked, so that a kernel that reads all memory does not find them: bits of two secret keys, 0: plain.
 * The keys do not follow from a few words of mask.
 */
static __device__ inline u64 mask_word(u64 key, u64 lock, u64 i)
{
    return lock ? atx_mix(atx_random(key, i) ^ lock) : 0;
}

static __device__ inline unsigned char mask_byte(u64 key, u64 lock, u64 offset)
{
    return (unsigned char)(mask_word(key, lock, offset / 8) >> (offset % 8 * 8));
}

#if !defined AT_PART || AT_PART == 0

/* Random bits. The rest does not follow from a few of them: they are a mask. */
extern "C" __global__ void verify_fill(unsigned char *to, u64 bytes, u64 key, u64 lock)
{
    const u64 words = whole_words(bytes, to, to);
    ulonglong2 *wide = (ulonglong2 *)to;
#pragma unroll 1
    for (u64 i = first_index(); i < words; i += step())
        wide[i] = make_ulonglong2(mask_word(key, lock, 2 * i), mask_word(key, lock, 2 * i + 1));
#pragma unroll 1
    for (u64 i = words * 16 + first_index(); i < bytes; i += step())
        to[i] = mask_byte(key, lock, i);
}

/* Leaves nothing of `sets` in the L2: lines that kernels asked it to keep are as others again, and then so much other
 * memory is read and written that none of them has room. */
extern "C" __global__ void verify_sweep(const unsigned char *sets, u64 bytes, unsigned char *other, u64 room)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#pragma unroll 1
    for (u64 i = first_index() * 128; i < bytes; i += step() * 128)
        asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(sets + i) : "memory");
#endif
    const u64 half = room / 32;
    ulonglong2 *wide = (ulonglong2 *)other;
#pragma unroll 1
    for (u64 i = first_index(); i < half; i += step())
        wide[half + i] = wide[i];
}

/* What is done to a word: nothing (0), all bits flipped (1), or some of each byte, at random by a seed. */
static __device__ inline u64 flip_word(u64 how, u64 i)
{
    return how == 0 ? 0 : how == 1 ? ~0ull : atx_random(how, i) | 0x0101010101010101ull;
}

/* Does this word stay right? Of a seed `leave` whole pieces do, at random, whose length its last digit says; 0: none. */
static __device__ inline bool is_left(u64 leave, u64 i)
{
    return leave && (atx_random(leave, i >> (leave & 15)) & 1);
}

/* From the right answer, masked or not, to one that is wrong in every byte: an output that is not written cannot
 * pass. With `how` 0 it takes the mask off, or puts it on. With `leave` half of the output is right: a kernel that
 * thinks its work done where it begins so cannot pass either. */
extern "C" __global__ void verify_poison(unsigned char *to, const unsigned char *from, u64 bytes, u64 key, u64 lock, u64 how,
                                         u64 leave)
{
    const u64 words = whole_words(bytes, to, from);
    ulonglong2 *wide = (ulonglong2 *)to;
    const ulonglong2 *right = (const ulonglong2 *)from;
#pragma unroll 1
    for (u64 i = first_index(); i < words; i += step()) {
        const ulonglong2 x = right[i];
        wide[i] = make_ulonglong2(x.x ^ mask_word(key, lock, 2 * i) ^ flip_word(is_left(leave, 2 * i) ? 0 : how, 2 * i),
                                  x.y ^ mask_word(key, lock, 2 * i + 1) ^
                                      flip_word(is_left(leave, 2 * i + 1) ? 0 : how, 2 * i + 1));
    }
#pragma unroll 1
    for (u64 i = words * 16 + first_index(); i < bytes; i += step())
        to[i] = (unsigned char)(from[i] ^ mask_byte(key, lock, i) ^ (unsigned char)(flip_word(is_left(leave, i / 8) ? 0 : how, i / 8) >> (i % 8 * 8)));
}

#endif
#if !defined AT_PART || AT_PART == 6

/* Bit for bit with an answer that may be masked. */
extern "C" __global__ void verify_equal(const unsigned char *got, const unsigned char *expected, u64 bytes, u64 *found, u64 key, u64 lock)
{
    const u64 words = whole_words(bytes, got, expected);
    const ulonglong2 *a = (const ulonglong2 *)got, *b = (const ulonglong2 *)expected;
#pragma unroll 1
    for (u64 i = first_index(); i < words; i += step()) {
        const ulonglong2 x = a[i], y = b[i];
        if (x.x != (y.x ^ mask_word(key, lock, 2 * i)) || x.y != (y.y ^ mask_word(key, lock, 2 * i + 1)))
            for (u64 k = 16 * i; k < 16 * i + 16; k++)
                if (got[k] != (unsigned char)(expected[k] ^ mask_byte(key, lock, k)))
                    blame(found, k);
    }
#pragma unroll 1
    for (u64 i = words * 16 + first_index(); i < bytes; i += step())
        if (got[i] != (unsigned char)(expected[i] ^ mask_byte(key, lock, i)))
            blame(found, i);
}

/* Are these still the random bits of verify_fill? */
extern "C" __global__ void verify_random(const unsigned char *got, u64 bytes, u64 key, u64 *found, u64 lock)
{
    const u64 words = whole_words(bytes, got, got);
    const ulonglong2 *wide = (const ulonglong2 *)got;
#pragma unroll 1
    for (u64 i = first_index(); i < words; i += step()) {
        const ulonglong2 x = wide[i];
        if (x.x != mask_word(key, lock, 2 * i) || x.y != mask_word(key, lock, 2 * i + 1))
            for (u64 k = 16 * i; k < 16 * i + 16; k++)
                if (got[k] != mask_byte(key, lock, k))
                    blame(found, k);
    }
#pragma unroll 1
    for (u64 i = words * 16 + first_index(); i < bytes; i += step())
        if (got[i] != mask_byte(key, lock, i))
            blame(found, i);
}

#endif
#if !defined AT_PART || AT_PART == 1

/* A guard zone has any alignment and length: byte by byte. One in each of so many sets, which lie `stride` bytes apart. */
extern "C" __global__ void verify_guard_fill(unsigned char *zone, u64 bytes, u64 seed, u64 stride, u64 sets)
{
#pragma unroll 1
    for (u64 i = first_index(); i < bytes * sets; i += step())
        zone[i / bytes * stride + i % bytes] = random_byte(seed, i % bytes);
}

extern "C" __global__ void verify_guard(const unsigned char *zone, u64 bytes, u64 seed, u64 *found)
{
#pragma unroll 1
    for (u64 i = first_index(); i < bytes; i += step())
        if (zone[i] != random_byte(seed, i))
            blame(found, i);
}

#endif
