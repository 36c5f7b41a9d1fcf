/* device_headers.c - tables. The first row that fits counts. */
#include "source/device_headers.h"

#include <string.h>

/* Names that end in '*' fit all that begin so. Most of these take seconds to compile: only who needs them
 * gets them. */
typedef struct header_words {
    const char *name, *words;
} header_words;

#define GROUPS                                                                                               \
    "cooperative_groups this_thread_block this_grid this_cluster tiled_partition thread_block grid_group "   \
    "coalesced_threads labeled_partition binary_partition"

static const header_words DEVICE[] = {
    { "cuda_fp16.h", "" },
    { "cuda_fp16.hpp", "?" }, /* a part of cuda_fp16.h, which is there where a kernel has its types */
    { "cuda_bf16.h", "" },
    { "cuda_bf16.hpp", "?" },
    { "cuda_fp8.h", "" },
    { "cuda_fp6.h", "" },
    { "cuda_fp4.h", "" },
    { "mma.h", "" },
    { "cooperative_groups.h", GROUPS },
    { "cooperative_groups/*", GROUPS },
    { "cuda_pipeline.h", "" },
    { "cuda_pipeline_primitives.h", "" },
    { "cuda_pipeline_helpers.h", "" },
    { "cuda_awbarrier.h", "" },
    { "cuda_awbarrier_primitives.h", "" },
    { "math_constants.h", "" },
    { "cuComplex.h", "" },
    { "curand_kernel.h", "curand*" },
    { "curand_mtgp32_kernel.h", "curand*" },
    { "curand_philox4x32_x.h", "" },
    { "cub/cub.cuh", "?" }, /* the whole of it is for the host; host.cuh names the parts */
    { "cub/block/block_reduce.cuh", "BlockReduce" },
    { "cub/block/block_scan.cuh", "BlockScan" },
    { "cub/block/block_load.cuh", "BlockLoad* LoadDirect*" },
    { "cub/block/block_store.cuh", "BlockStore* StoreDirect*" },
    { "cub/block/block_radix_sort.cuh", "BlockRadixSort*" },
    { "cub/block/block_merge_sort.cuh", "BlockMergeSort*" },
    { "cub/block/block_exchange.cuh", "BlockExchange" },
    { "cub/block/block_discontinuity.cuh", "BlockDiscontinuity" },
    { "cub/block/block_adjacent_difference.cuh", "BlockAdjacentDifference" },
    { "cub/block/block_histogram.cuh", "BlockHistogram*" },
    { "cub/block/block_shuffle.cuh", "BlockShuffle" },
    { "cub/block/block_run_length_decode.cuh", "BlockRunLengthDecode" },
    { "cub/warp/warp_reduce.cuh", "WarpReduce" },
    { "cub/warp/warp_scan.cuh", "WarpScan" },
    { "cub/warp/warp_load.cuh", "WarpLoad*" },
    { "cub/warp/warp_store.cuh", "WarpStore*" },
    { "cub/warp/warp_merge_sort.cuh", "WarpMergeSort" },
    { "cub/warp/warp_exchange.cuh", "WarpExchange*" },
    { "cub/device/*", "?" }, /* the host's */
    { "cub/iterator/*", "?" },
    { "cub/util_type.cuh", "KeyValuePair" },
    { "cub/thread/thread_operators.cuh", "ArgMax ArgMin CastOp" },
    { "cub/util_allocator.cuh", "?" },
    { "cub/*", "cub" },
    { "cuda/std/*", "cuda" },
    { "cuda/*", "cuda" },
    { "nv/target", "" },
    { "thrust/complex.h", "thrust" },
    { "thrust/pair.h", "thrust" },
    { "thrust/tuple.h", "thrust" },
    { "crt/*", "" },
};

/* Words that ask for a header where no text includes it. */
static const header_words UNASKED[] = {
    { "cuda_fp16.h", "half half2 __half __half2" },
    { "cuda_bf16.h", "__nv_bf* nv_bf*" },
    { "cuda_fp8.h", "__nv_fp8*" },
};

/* What NVRTC has without any header, or what only the host uses. */
static const char *const HOST[] = {
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "math_functions.h",
    "vector_types.h",
    "vector_functions.h",
    "driver_types.h",
    "builtin_types.h",
    "driver_functions.h",
    "device_types.h",
    "host_defines.h",
    "host_config.h",
    "texture_types.h",
    "surface_types.h",
    "cuda_profiler_api.h",
    "cudaProfiler.h",
    "channel_descriptor.h",
    "cuda_texture_types.h",
    "texture_fetch_functions.h",
    "device_atomic_functions.h",
    "library_types.h",
    "common_functions.h",
    "cuda_device_runtime_api.h",
    "cudaTypedefs.h",
    "cuda_gl_interop.h",
    "cuda_occupancy.h",
    "cublas.h",
    "cublas_v2.h",
    "cublasLt.h",
    "cublas_api.h",
    "cufft.h",
    "cufftXt.h",
    "curand.h",
    "cusparse.h",
    "cusparse_v2.h",
    "cusolverDn.h",
    "cusolverSp.h",
    "cudnn.h",
    "nccl.h",
    "nvml.h",
    "nvrtc.h",
    "mpi.h",
    "omp.h",
    "nvToolsExt.h",
    "nvtx3/*",
    "thrust/*",
    "sm_*",
    /* C */
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "memory.h",
    "malloc.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "time.h",
    "wchar.h",
    "values.h",
    /* C++ */
    "cassert",
    "ccomplex",
    "cctype",
    "cerrno",
    "cfenv",
    "cfloat",
    "cinttypes",
    "climits",
    "clocale",
    "cmath",
    "csetjmp",
    "csignal",
    "cstdarg",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "cwchar",
    "algorithm",
    "any",
    "array",
    "atomic",
    "barrier",
    "bit",
    "bitset",
    "charconv",
    "chrono",
    "codecvt",
    "compare",
    "complex",
    "concepts",
    "condition_variable",
    "deque",
    "exception",
    "execution",
    "filesystem",
    "format",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "latch",
    "limits",
    "list",
    "locale",
    "map",
    "memory",
    "memory_resource",
    "mutex",
    "new",
    "numbers",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ranges",
    "ratio",
    "regex",
    "scoped_allocator",
    "semaphore",
    "set",
    "shared_mutex",
    "span",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "string",
    "string_view",
    "strstream",
    "system_error",
    "thread",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
    "version",
    /* systems */
    "unistd.h",
    "fcntl.h",
    "pthread.h",
    "dirent.h",
    "dlfcn.h",
    "getopt.h",
    "libgen.h",
    "sched.h",
    "semaphore.h",
    "sys/*",
    "linux/*",
    "arpa/*",
    "netinet/*",
    "windows.h",
    "Windows.h",
    "io.h",
    "process.h",
    "direct.h",
    "conio.h",
    "intrin.h",
    "immintrin.h",
    "x86intrin.h",
    "xmmintrin.h",
    "emmintrin.h",
    "GL/*",
    "GLES3/*",
    "X11/*",
};

static bool fits(const char *row, const char *name, size_t len)
{
    const size_t n = strlen(row);
    if (n && row[n - 1] == '*')
        return len >= n - 1 && memcmp(row, name, n - 1) == 0;
    return len == n && memcmp(row, name, n) == 0;
}

/* "cuda/helpers.h" is a project's own: those of CUDA have no ending. */
static bool is_own(const char *name, size_t len)
{
    static const char FOLDER[] = "cuda/";
    const size_t n = sizeof FOLDER - 1;
    return len > n && memcmp(name, FOLDER, n) == 0 && name[n] != '_' && !memchr(name + n, '/', len - n) &&
           memchr(name + n, '.', len - n);
}

atx_header_class atx_header_class_of(const char **words, const char *name, size_t len, bool asked)
{
    *words = "";
    for (size_t i = 0; i < sizeof DEVICE / sizeof *DEVICE && !is_own(name, len); i++)
        if (fits(DEVICE[i].name, name, len)) {
            *words = DEVICE[i].words;
            for (size_t k = 0; !asked && k < sizeof UNASKED / sizeof *UNASKED; k++)
                if (fits(UNASKED[k].name, name, len))
                    *words = UNASKED[k].words;
            return strcmp(DEVICE[i].words, "?") == 0 ? ATX_HEADER_HOST : ATX_HEADER_DEVICE;
        }
    for (size_t i = 0; i < sizeof HOST / sizeof *HOST; i++)
        if (fits(HOST[i], name, len))
            return ATX_HEADER_HOST;
    return ATX_HEADER_UNKNOWN;
}
