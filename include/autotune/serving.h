/*
 * serving.h - the kernels between the matrix products of LLM serving, one call each. Each call is at_run with
 * the problem and the buffers of a built-in operation; templates/serving.md says what it computes.
 *
 * Memory    arrays are in memory of the current CUDA context's device, contiguous and row-major, and begin at
 *           a multiple of 256 bytes, like memory from cudaMalloc; single numbers (k_scale) where any f32 may.
 *           An output must not overlap another array. Arrays are borrowed until the stream has finished.
 * Types     `type` is AT_TYPE_BF16 or AT_TYPE_F16, the type of all arrays marked T. e4m3 and e8m0 are bytes.
 * Sizes     are 1 or more, and count elements unless their comment says otherwise.
 * Structs   begin with their size, as in autotune.h: { .struct_bytes = sizeof(at_group_quant_args), ... }.
 * Errors    those of at_run: AT_ERR_USAGE if a pointer is NULL, not aligned or overlaps; AT_ERR_INPUT if the
 *           sizes do not suit the operation. Nothing is launched then. The values of slots, places and
 *           positions are not checked; they must exist.
 * Threads   as for at_run. The first call for given sizes looks up, compiles and loads; later calls only
 *           launch, and may be captured in a graph. `stream` is that of at_run. `err` may be NULL.
 */
#ifndef AUTOTUNE_SERVING_H
#define AUTOTUNE_SERVING_H

#include <autotune/autotune.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Layout of the scales. A group is `group` elements of a row: 128, 64 or 32. */
typedef enum at_scales {
    AT_SCALES_ROWS = 1,    /* f32, [token][group]                                                        */
    AT_SCALES_COLUMNS = 2, /* f32, [group][token]                                                        */
    AT_SCALES_E8M0 = 3,    /* powers of two, a byte each, [token][group]; with groups of 32 this is MXFP8 */
    AT_SCALES_BLOCKS = 4   /* the same in the order of tensor cores of compute capability 10.0: tokens are
                              rounded up to 128, groups to 4 */
} at_scales;

/* q = y / s in e4m3, where y is `in`, or silu(gate) * up in at_silu_mul_quant. */
typedef struct at_group_quant_args {
    size_t struct_bytes;
    at_type type;
    int group;
    at_scales layout;
    int64_t tokens, hidden; /* hidden is a multiple of group */
    void *q;                /* e4m3, [tokens][hidden] */
    void *scales;
    const void *in; /* T, [tokens][hidden]; in at_silu_mul_quant [tokens][2 * hidden]: gate, then up */
} at_group_quant_args;

AUTOTUNE_API at_status at_group_quant(at_tuner *tuner, const at_group_quant_args *args, void *stream,
                                      at_error *err) AT_MUST_CHECK;
AUTOTUNE_API at_status at_silu_mul_quant(at_tuner *tuner, const at_group_quant_args *args, void *stream,
                                         at_error *err) AT_MUST_CHECK;

/* The same with y = gamma * x / sqrt(eps + mean of x^2), row by row; x is `in`, or `in` + `residual`. */
typedef struct at_rmsnorm_quant_args {
    size_t struct_bytes;
    at_type type;
    int group; /* 0: a scale for each row, with AT_SCALES_ROWS or AT_SCALES_COLUMNS */
    at_scales layout;
    int64_t tokens, hidden;
    float eps; /* 1e-5 in Llama 3, 1e-6 in DeepSeek V3 */
    void *q;
    void *scales;
    const void *in;       /* T, [tokens][hidden] */
    const void *gamma;    /* T, [hidden] */
    const void *residual; /* T, [tokens][hidden]; NULL: none */
    void *sum;            /* in + residual; NULL if there is no residual */
} at_rmsnorm_quant_args;

AUTOTUNE_API at_status at_rmsnorm_quant(at_tuner *tuner, const at_rmsnorm_quant_args *args, void *stream,
                                        at_error *err) AT_MUST_CHECK;

/* A scale for each 128 x 128 elements, [rows / 128][cols / 128], rounded up. */
typedef struct at_block_quant_args {
    size_t struct_bytes;
    at_type type;
    int64_t rows, cols;
    void *q;        /* e4m3, [rows][cols] */
    void *turned;   /* the transpose of q, [cols][rows] */
    float *scales;  /* of the device */
    const void *in; /* T, [rows][cols] */
} at_block_quant_args;

AUTOTUNE_API at_status at_block_quant(at_tuner *tuner, const at_block_quant_args *args, void *stream,
                                      at_error *err) AT_MUST_CHECK;

/* q and k rotated by the angles of their tokens' positions. */
typedef struct at_rope_args {
    size_t struct_bytes;
    at_type type;
    int interleaved; /* 1: a pair is elements 2 i and 2 i + 1 of a head; 0: i and i + head / 2 */
    int64_t positions, tokens, q_heads, k_heads, head;
    void *q, *k;             /* T, [tokens][q_heads or k_heads][head] */
    const void *q_in, *k_in; /* likewise */
    const float *table;      /* [positions][head]: head / 2 cosines, then as many sines */
    const int32_t *position; /* [tokens] */
} at_rope_args;

AUTOTUNE_API at_status at_rope(at_tuner *tuner, const at_rope_args *args, void *stream,
                               at_error *err) AT_MUST_CHECK;

/* out[place[t][k]] = in[t], rows of bytes of any type, and rows of scales likewise. */
typedef struct at_moe_permute_args {
    size_t struct_bytes;
    at_type place_type; /* AT_TYPE_I32 or AT_TYPE_I64 */
    int64_t tokens, top, row_bytes, scale_bytes;
    void *out;        /* [tokens * top][row_bytes] */
    void *out_scales; /* [tokens * top][scale_bytes] */
    const void *in;   /* [tokens][row_bytes] */
    /* [tokens][scale_bytes]. Without scales set it to `in`, scale_bytes to 1, and out_scales to a buffer of
     * tokens * top bytes. */
    const void *scales;
    const void *place; /* [tokens][top]: a permutation of 0 to tokens * top - 1 */
} at_moe_permute_args;

AUTOTUNE_API at_status at_moe_permute(at_tuner *tuner, const at_moe_permute_args *args, void *stream,
                                      at_error *err) AT_MUST_CHECK;

/* out[t] = sum over k of weight[t][k] * in[place[t][k]], added in f32 in the order of k. */
typedef struct at_moe_unpermute_args {
    size_t struct_bytes;
    at_type type;
    int64_t tokens, top, hidden;
    void *out;            /* T, [tokens][hidden] */
    const void *in;       /* T, [tokens * top][hidden] */
    const int32_t *place; /* [tokens][top] */
    const float *weight;  /* [tokens][top] */
} at_moe_unpermute_args;

AUTOTUNE_API at_status at_moe_unpermute(at_tuner *tuner, const at_moe_unpermute_args *args, void *stream,
                                        at_error *err) AT_MUST_CHECK;

/* Rows of k and v in a paged cache, [slots][width] each; slot[t] is the row of token t. */
typedef struct at_kv_args {
    size_t struct_bytes;
    at_type type;
    int e4m3; /* 1: the cache has k / k_scale and v / v_scale in e4m3; 0: T, without scales */
    int64_t slots, tokens, width;
    void *k_cache, *v_cache;
    void *k, *v;         /* T, [tokens][width] */
    const int64_t *slot; /* [tokens]; at_kv_write skips tokens whose slot is not in the cache, as -1 */
    const float *k_scale, *v_scale; /* one number each, in device memory; NULL without e4m3 */
} at_kv_args;

/* Reads k and v, writes k_cache and v_cache. Slots must differ from each other; tokens <= slots. */
AUTOTUNE_API at_status at_kv_write(at_tuner *tuner, const at_kv_args *args, void *stream,
                                   at_error *err) AT_MUST_CHECK;
/* Writes k and v. Every slot must be in the cache. */
AUTOTUNE_API at_status at_kv_gather(at_tuner *tuner, const at_kv_args *args, void *stream,
                                    at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
